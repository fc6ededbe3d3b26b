//! Commands in options of programs that aren't interpreters: `tar --to-command=…`,
//! `tmux send-keys …`.

use crate::flow::Stream;
use crate::program_options::command_options;
use crate::same_programs::usual_name;
use crate::scope::Scope;
use crate::sed;
use crate::understood::{OpaqueReason, Word};
use crate::walk::Walker;

impl Walker {
    /// Follows commands in options of programs that aren't interpreters.
    pub(super) fn embedded_commands(
        &mut self,
        program: &str,
        words: &[Word],
        scope: &Scope<'_>,
        input: &Stream,
    ) {
        let command = self.found.commands.last();
        let named = command.map(|it| it.values_of(command_options(program)));
        let named = named.into_iter().flatten().map(|it| it.text);
        let mut texts: Vec<String> = named.collect();
        let behind = |option: &str| -> Vec<String> {
            words
                .windows(2)
                .filter(|pair| pair[0].text == option)
                .map(|pair| pair[1].text.clone())
                .collect()
        };
        let attached = |option: &str| -> Vec<String> {
            let values = words
                .iter()
                .filter_map(|word| word.text.strip_prefix(option));
            values.map(str::to_owned).collect()
        };
        match program {
            "tar" | "bsdtar" | "gtar" => {
                texts.extend(attached("--checkpoint-action=exec="));
            }
            "curl" | "curlie" => {
                texts.extend(self.options_of_curl(scope, input));
            }
            "less" | "more" | "most" => texts.extend(attached("+!")),
            "rg" => {
                let behind = words.iter().filter(|it| !it.text.starts_with('-')).skip(1);
                let searched = crate::join(behind.map(|it| it.text.as_str()));
                let named = std::mem::take(&mut texts).into_iter();
                texts.extend(named.map(|it| format!("{it} {searched}")));
            }
            "ugrep" => {
                let filters = behind("--filter").into_iter().chain(attached("--filter="));
                let lines = filters.collect::<Vec<_>>();
                let commands = lines.iter().flat_map(|it| it.split(','));
                texts.extend(commands.filter_map(|it| Some(it.split_once(':')?.1.to_owned())));
            }
            "ssh" | "scp" | "sftp" => {
                for value in behind("-o").into_iter().chain(attached("-o")) {
                    texts.extend(run_by_ssh(&value).map(str::to_owned));
                }
            }
            "npm" | "pnpm" | "yarn" => {
                let scripts = words
                    .iter()
                    .filter_map(|it| it.text.strip_prefix("scripts."));
                texts.extend(scripts.filter_map(|it| Some(it.split_once('=')?.1.to_owned())));
            }
            "tmux" | "screen" => {
                texts.extend(typed_text(words));
                texts.extend(self.sourced_by_tmux(program, words, scope, input));
            }
            "sed" | "gsed" => {
                texts.extend(self.run_by_sed(scope, input));
            }
            _ => {}
        }
        // `split --filter`, `tar --to-command` and `pee` pass on what they read.
        let passes = PASSING.contains(&usual_name(program));
        if ["pee", "mispipe"].contains(&program) {
            let operands = words.iter().filter(|it| !it.text.starts_with('-'));
            texts.extend(operands.map(|it| it.text.clone()));
        }
        let input = if passes { input } else { &Stream::Inherited };
        self.through.push(program.to_owned());
        for text in texts {
            self.in_own_shell(&mut scope.clone(), |it, inner| it.text(&text, inner, input));
        }
        self.through.pop();
    }
}

/// Programs whose commands read what they are fed.
const PASSING: [&str; 4] = ["split", "tar", "pee", "mispipe"];

impl Walker {
    /// Returns what the scripts of the last command, if it is `sed`, run.
    fn run_by_sed(&mut self, scope: &Scope<'_>, input: &Stream) -> Vec<String> {
        let command = self.found.commands.last();
        let scripts = command.map(sed::scripts).unwrap_or_default();
        let files = command.map(|it| it.values_of(&["-f", "--file"]));
        let mut texts: Vec<String> = scripts.into_iter().map(|it| it.text.clone()).collect();
        for file in files.unwrap_or_default() {
            match self.option_file(&file, scope, input) {
                Stream::Text(text) => texts.push(text),
                Stream::Output(from) => self.note_opaque(OpaqueReason::PipedText, &from),
                _ => {}
            }
        }
        let mut runs = Vec::new();
        for text in texts {
            let script = sed::script(&text);
            runs.extend(script.runs);
            if script.runs_text {
                self.note_opaque(OpaqueReason::ComputedText, &text);
            }
        }
        runs
    }

    /// Returns what is in a file that an option names, `-` being the input.
    fn option_file(&self, file: &Word, scope: &Scope<'_>, input: &Stream) -> Stream {
        match file.text.as_str() {
            "-" => input.clone(),
            _ => self.stream_for(file, scope, input),
        }
    }

    /// Returns what `tmux` runs because of the lines that it is fed: `tmux source -`, `tmux -C`.
    fn sourced_by_tmux(
        &mut self,
        program: &str,
        words: &[Word],
        scope: &Scope<'_>,
        input: &Stream,
    ) -> Vec<String> {
        if program != "tmux" {
            return Vec::new();
        }
        let verb = words
            .iter()
            .position(|it| ["source", "source-file"].contains(&it.text.as_str()));
        let named = verb.map_or(&[][..], |at| &words[at + 1..]);
        let is_file = |it: &&Word| it.text == "-" || !it.text.starts_with('-');
        let mut lines: Vec<Stream> = named
            .iter()
            .filter(is_file)
            .map(|it| self.option_file(it, scope, input))
            .collect();
        if words.iter().any(|it| it.text.starts_with("-C")) {
            lines.push(input.clone());
        }
        let mut texts = Vec::new();
        for stream in lines {
            match stream {
                Stream::Text(text) => texts.extend(text.lines().filter_map(run_by_tmux)),
                Stream::Output(from) => self.note_opaque(OpaqueReason::PipedText, &from),
                _ => {}
            }
        }
        texts
    }

    /// Returns the commands that option files of `curl` stand for (`-K FILE`).
    fn options_of_curl(&mut self, scope: &Scope<'_>, input: &Stream) -> Vec<String> {
        let command = self.found.commands.last();
        let files = command.map(|it| it.values_of(&["-K", "--config"]));
        let mut lines = Vec::new();
        for file in files.unwrap_or_default() {
            match self.option_file(&file, scope, input) {
                Stream::Text(text) => lines.push(crate::curl_line(&text)),
                Stream::Output(from) => self.note_opaque(OpaqueReason::PipedText, &from),
                _ => {}
            }
        }
        lines
    }
}

/// Returns the command in a setting of `ssh`, as its option `-o` takes it.
fn run_by_ssh(setting: &str) -> Option<&str> {
    const KEYS: [&str; 4] = [
        "proxycommand",
        "localcommand",
        "knownhostscommand",
        "match exec",
    ];
    let lower = setting.to_ascii_lowercase();
    let key = KEYS.iter().find(|it| lower.starts_with(**it))?;
    let rest = setting.get(key.len()..)?;
    rest.starts_with(['=', ' ', '\t', '"'])
        .then(|| rest.trim_matches(['=', ' ', '\t', '"']))
}

/// Returns what a line for `tmux` runs in a shell.
fn run_by_tmux(line: &str) -> Option<String> {
    const VERBS: [&str; 14] = [
        "run-shell",
        "run",
        "if-shell",
        "if",
        "new-window",
        "neww",
        "new-session",
        "new",
        "split-window",
        "splitw",
        "respawn-pane",
        "respawnp",
        "pipe-pane",
        "pipep",
    ];
    let words = crate::split_plain(line)?;
    let (verb, rest) = words.split_first()?;
    let rest = rest.iter().filter(|it| !it.starts_with('-'));
    let rest: Vec<&str> = rest.map(String::as_str).collect();
    if rest.is_empty() || !VERBS.contains(&verb.as_str()) {
        return None;
    }
    // `if-shell CONDITION COMMAND`: each is a text of its own.
    let between = if verb.starts_with("if") { "\n" } else { " " };
    Some(rest.join(between))
}

/// Returns what is typed into, or started in, another terminal.
fn typed_text(words: &[Word]) -> Vec<String> {
    let keys = ["Enter", "C-m", "KPEnter"];
    let types = words.iter().any(|it| {
        [
            "send-keys",
            "send",
            "new-session",
            "new",
            "new-window",
            "neww",
            "split-window",
            "-dm",
            "-dmS",
            "stuff",
            "respawn-pane",
        ]
        .contains(&it.text.as_str())
    });
    if !types {
        return Vec::new();
    }
    let texts = words
        .iter()
        .filter(|it| it.text.contains(' ') && !keys.contains(&it.text.as_str()));
    // `screen` takes the key that ends a line as letters.
    let without_end = |it: &Word| {
        ["\\n", "\\r", "^M"]
            .iter()
            .fold(it.text.clone(), |text, end| {
                text.trim_end_matches(end).to_owned()
            })
    };
    let mut texts: Vec<String> = texts.map(without_end).collect();
    // `screen -dm rm -rf x`: the words are the command.
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if word.text.starts_with('-') {
            let is_valued = ["-s", "-S", "-n", "-t", "-c", "-x", "-y", "-L", "-f", "-dmS"]
                .contains(&word.text.as_str());
            if is_valued {
                rest.next();
            }
        } else if !TERMINAL_VERBS.contains(&word.text.as_str()) {
            let command: Vec<&str> = std::iter::once(word)
                .chain(rest)
                .map(|it| it.text.as_str())
                .collect();
            if command.len() > 1 {
                texts.push(crate::join(command));
            }
            break;
        }
    }
    texts
}

/// The verbs of `tmux` and `screen` that a command follows.
const TERMINAL_VERBS: &[&str] = &[
    "new-session",
    "new",
    "new-window",
    "neww",
    "split-window",
    "splitw",
    "respawn-pane",
    "send-keys",
    "send",
    "stuff",
];
