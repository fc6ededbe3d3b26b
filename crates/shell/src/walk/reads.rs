//! What a command reads when it opens a file.

use super::Walker;
use crate::flow::{FIRST_SUBSTITUTION, Stream};
use crate::scope::Scope;
use crate::surroundings::FileText;
use crate::understood::{OpaqueReason, Word};

impl Walker {
    /// Returns what a simple command reads, with what its redirections feed it with.
    pub(crate) fn input_of(
        &mut self,
        words: &[Word],
        feed: Option<Stream>,
        scope: &mut Scope<'_>,
        input: &Stream,
    ) -> Stream {
        if let Some(feed) = feed.as_ref().filter(|_| is_exec_alone(words)) {
            self.replace_input(feed, scope, input);
        }
        let replaced = scope.input.as_ref();
        let inherited = replaced.filter(|_| *input == Stream::Inherited);
        feed.or_else(|| inherited.cloned())
            .unwrap_or_else(|| input.clone())
    }

    /// Gives the commands that follow another standard input: `exec < file`. What a pipe feeds is
    /// passed on otherwise, so that there it isn't known what they read.
    fn replace_input(&mut self, feed: &Stream, scope: &mut Scope<'_>, input: &Stream) {
        if *input != Stream::Inherited {
            self.note_opaque(OpaqueReason::PipedText, "exec");
        }
        scope.input = Some(feed.clone());
    }

    /// Returns the result of reading a file.
    pub(crate) fn stream_of(&self, file: &Word, scope: &Scope<'_>) -> Stream {
        let number = file.text.strip_prefix("/dev/fd/");
        if let Some(number) = number.and_then(|it| it.parse::<usize>().ok()) {
            let index = number.checked_sub(FIRST_SUBSTITUTION);
            if let Some(stream) = index.and_then(|index| self.substitutions.get(index)) {
                return stream.clone();
            }
        }
        if is_connection(&file.text) {
            return Stream::Output(file.text.clone());
        }
        match scope.written_text(file) {
            Some(Some(text)) => Stream::Text(text.clone()),
            Some(None) => Stream::Output(file.text.clone()),
            None => Stream::File(file.text.clone()),
        }
    }

    /// Returns the result of reading a file in a command with this input, which the file's name may
    /// stand for.
    pub(crate) fn stream_for(&self, file: &Word, scope: &Scope<'_>, input: &Stream) -> Stream {
        if scope.names_input(file) {
            return input.clone();
        }
        match self.stream_of(file, scope) {
            Stream::File(name) if scope.names_open_file(file) => Stream::Output(name),
            other => other,
        }
    }

    /// Returns the same, with what the caller knows about files.
    pub(crate) fn read_for(&self, file: &Word, scope: &Scope<'_>, input: &Stream) -> Stream {
        match self.stream_for(file, scope, input) {
            Stream::File(_) => self.read_from(file, scope),
            known => known,
        }
    }

    /// Returns the result of reading a file, with what the caller knows about files.
    pub(crate) fn read_from(&self, file: &Word, scope: &Scope<'_>) -> Stream {
        match self.stream_of(file, scope) {
            Stream::File(name) => match scope.file_text(file) {
                FileText::Known(text) => Stream::Text(text),
                FileText::Unknown => Stream::Output(name),
                FileText::Kept | FileText::Missing => Stream::File(name),
            },
            other => other,
        }
    }
}

/// Returns whether a name means a connection to another machine, as bash reads it.
fn is_connection(name: &str) -> bool {
    name.starts_with("/dev/tcp/") || name.starts_with("/dev/udp/")
}

/// Returns whether a command only replaces the shell's open files: `exec < file`.
fn is_exec_alone(words: &[Word]) -> bool {
    let is_part = |it: &Word| ["exec", "command", "builtin"].contains(&it.text.as_str());
    words.last().is_some_and(|it| it.text == "exec") && words.iter().all(is_part)
}
