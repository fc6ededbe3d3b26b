//! Programs that run shell text.

use crate::flow::Stream;
use crate::scope::Scope;
use crate::simple::Simple;
use crate::understood::{OpaqueReason, Word};
use crate::walk::Walker;

/// Options that name a file which an interactive shell reads first.
const START_FILE_OPTIONS: [&str; 2] = ["--rcfile", "--init-file"];

/// What a shell has to run.
enum ShellInput<'w> {
    Text(&'w Word, Vec<Word>),
    Script(&'w Word, Vec<Word>),
    Input(Vec<Word>),
}

fn shell_input(words: &[Word]) -> ShellInput<'_> {
    let mut words = words.iter();
    let mut takes_text = false;
    let mut from_input = false;
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        let rest = || words.clone().cloned().collect::<Vec<_>>();
        if takes_text && !text.starts_with('-') && !text.starts_with('+') {
            // `bash -c TEXT $0 $1 …`
            return ShellInput::Text(word, rest());
        }
        if text == "-" || text == "--" {
            if takes_text {
                continue;
            }
            if from_input {
                return ShellInput::Input(rest());
            }
            return match words.next() {
                Some(script) => ShellInput::Script(script, words.cloned().collect()),
                None => ShellInput::Input(Vec::new()),
            };
        }
        match text {
            "-o" | "+o" | "-O" | "+O" => {
                words.next();
            }
            _ if START_FILE_OPTIONS.contains(&text) => {
                words.next();
            }
            "--command" => takes_text = true,
            _ if text.starts_with("--") => {}
            _ if text.starts_with('-') || text.starts_with('+') => {
                takes_text |= text.contains('c');
                from_input |= text.contains('s');
                if text.ends_with('o') {
                    words.next();
                }
            }
            _ if from_input => {
                let mut all = vec![word.clone()];
                all.extend(rest());
                return ShellInput::Input(all);
            }
            _ => return ShellInput::Script(word, rest()),
        }
    }
    ShellInput::Input(Vec::new())
}

impl Walker {
    /// Walks what a shell runs.
    pub(super) fn shell(
        &mut self,
        program: &str,
        simple: &Simple,
        scope: &mut Scope<'_>,
        input: &Stream,
    ) -> Stream {
        let words = &simple.words[1..];
        if matches!(words, [only] if only.text == "--version" || only.text == "--help" || only.text == "-V")
        {
            return Stream::Output(program.to_owned());
        }
        self.through.push(program.to_owned());
        let mut inner = scope.for_child();
        for pair in words.windows(2).filter(|it| it[0].text == "-O") {
            inner.switch_on(&pair[1].text);
        }
        self.start_files(program, words, scope, input);
        let output = match shell_input(words) {
            ShellInput::Text(text, arguments) => {
                let mut arguments = arguments.into_iter();
                inner.name = arguments.next();
                inner.positional = Some(arguments.collect());
                self.in_own_shell(&mut inner, |it, inner| {
                    if text.known {
                        return it.text(&text.text, inner, input);
                    }
                    it.guess(text, inner, input);
                    Stream::Output(program.to_owned())
                })
            }
            ShellInput::Script(script, arguments) => match self.stream_for(script, scope, input) {
                Stream::File(_) if script.known => Stream::Output(program.to_owned()),
                Stream::File(_) => {
                    self.note_opaque(OpaqueReason::ComputedText, &script.text);
                    Stream::Output(program.to_owned())
                }
                stream => self.walk_input(program, &stream, arguments, &mut inner),
            },
            ShellInput::Input(arguments) => self.walk_input(program, input, arguments, &mut inner),
        };
        scope.take_files(inner);
        self.through.pop();
        output
    }

    /// Walks the files that options make a shell read before anything else:
    /// `bash --rcfile FILE -i`.
    fn start_files(&mut self, program: &str, words: &[Word], scope: &Scope<'_>, input: &Stream) {
        for pair in words.windows(2) {
            if !START_FILE_OPTIONS.contains(&pair[0].text.as_str()) {
                continue;
            }
            match self.stream_for(&pair[1], scope, input) {
                Stream::File(_) if pair[1].known => {}
                Stream::File(from) => self.note_opaque(OpaqueReason::ComputedText, &from),
                stream => {
                    let mut inner = scope.for_child();
                    self.walk_input(program, &stream, Vec::new(), &mut inner);
                }
            }
        }
    }

    /// Walks what a shell reads.
    pub(super) fn walk_input(
        &mut self,
        program: &str,
        input: &Stream,
        arguments: Vec<Word>,
        inner: &mut Scope<'_>,
    ) -> Stream {
        match input {
            // Whatever its first line says, the shell runs it.
            Stream::Text(text) => {
                let mut inner = inner.clone();
                inner.positional = Some(arguments);
                self.in_own_shell(&mut inner, |it, inner| {
                    it.text(text, inner, &Stream::Inherited)
                })
            }
            Stream::Inherited | Stream::File(_) => Stream::Output(program.to_owned()),
            Stream::Names(_) => {
                self.note_opaque(OpaqueReason::PipedText, "find");
                Stream::Output(program.to_owned())
            }
            Stream::Output(from) => {
                self.note_opaque(OpaqueReason::PipedText, from);
                Stream::Output(program.to_owned())
            }
        }
    }
}
