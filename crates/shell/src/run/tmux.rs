//! What `tmux` and `screen` run: their own commands name shell text, type it, or contain other
//! commands that do.

use crate::flow::Stream;
use crate::scope::Scope;
use crate::understood::{OpaqueReason, Word};
use crate::walk::Walker;

/// How deep commands of `tmux` are followed inside of others.
const MAX_DEPTH: usize = 6;

/// What a command of `tmux` does with its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// One word is a text for a shell; several are a command.
    Program,
    /// The first word is a text for a shell, the others are commands of `tmux`.
    Condition,
    /// Each word may be a command of `tmux`.
    Commands,
    /// The words are keys that are typed.
    Keys,
    /// The words are typed later.
    Buffer,
    /// The words name files with commands of `tmux`.
    Files,
    /// The last word is the value of an option.
    Setting,
}

/// The commands of `tmux` that run something, with their aliases and the letters of their options
/// that take a value.
const COMMANDS: [(&str, &str, &str, Takes); 25] = [
    ("bind-key", "bind", "NT", Takes::Commands),
    ("choose-buffer", "", "FfKOt", Takes::Commands),
    ("choose-client", "", "FfKOt", Takes::Commands),
    ("choose-tree", "", "FfKOt", Takes::Commands),
    ("command-prompt", "", "IptT", Takes::Commands),
    ("confirm-before", "confirm", "cpt", Takes::Commands),
    ("display-menu", "menu", "bcCHsStTxy", Takes::Commands),
    ("display-panes", "displayp", "dt", Takes::Commands),
    ("display-popup", "popup", "bcdehsStTwxy", Takes::Program),
    ("if-shell", "if", "t", Takes::Condition),
    ("new-session", "new", "ceFfnstxy", Takes::Program),
    ("new-window", "neww", "ceFnt", Takes::Program),
    ("pipe-pane", "pipep", "t", Takes::Program),
    ("respawn-pane", "respawnp", "cet", Takes::Program),
    ("respawn-window", "respawnw", "cet", Takes::Program),
    ("run-shell", "run", "cdt", Takes::Program),
    ("send-keys", "send", "cNt", Takes::Keys),
    ("set-buffer", "setb", "bnt", Takes::Buffer),
    ("set-hook", "", "t", Takes::Commands),
    ("set-option", "set", "t", Takes::Setting),
    ("set-window-option", "setw", "t", Takes::Setting),
    ("source-file", "source", "t", Takes::Files),
    ("split-window", "splitw", "celptF", Takes::Program),
    ("load-buffer", "loadb", "bt", Takes::Buffer),
    ("detach-client", "detach", "est", Takes::Commands),
];

/// Commands that begin like one of these and run nothing.
const QUIET: [&str; 12] = [
    "new",
    "set-environment",
    "setenv",
    "send-prefix",
    "select-pane",
    "select-window",
    "show-options",
    "resize-pane",
    "rename-session",
    "rename-window",
    "display-message",
    "detach",
];

/// Options of `tmux` whose values a shell runs.
const SHELL_OPTIONS: [&str; 6] = [
    "default-command",
    "default-shell",
    "lock-command",
    "copy-command",
    "editor",
    "update-environment",
];

/// Keys that end a line.
const ENDS: [&str; 5] = ["Enter", "C-m", "C-j", "KPEnter", "\n"];

/// What the words of a terminal multiplexer lead to.
#[derive(Debug, Default)]
struct Found {
    /// Texts for a shell.
    texts: Vec<String>,
    /// Texts that are typed.
    typed: Vec<String>,
    /// Files with commands of `tmux`.
    files: Vec<Word>,
    /// Texts that nobody knows.
    unknown: Vec<String>,
}

impl Walker {
    /// Returns the shell texts that a call of `tmux` runs, also by lines that it is fed.
    pub(super) fn run_by_tmux(
        &mut self,
        words: &[Word],
        scope: &Scope<'_>,
        input: &Stream,
    ) -> Vec<String> {
        let mut found = Found::default();
        let (words, is_fed) = found.own_options(words);
        found.commands(&words, 0);
        let mut lines: Vec<Stream> = std::mem::take(&mut found.files)
            .iter()
            .map(|it| self.option_file(it, scope, input))
            .collect();
        if is_fed {
            lines.push(input.clone());
        }
        for stream in lines {
            match stream {
                Stream::Text(text) => {
                    for line in text.lines() {
                        found.text(line, 1);
                    }
                }
                Stream::Output(from) => self.note_opaque(OpaqueReason::PipedText, &from),
                _ => {}
            }
        }
        self.found_by(found)
    }

    /// Returns the shell texts that a call of `screen` runs.
    pub(super) fn run_by_screen(&mut self, words: &[Word]) -> Vec<String> {
        let mut found = Found::default();
        let mut at = 0;
        while let Some(word) = words.get(at).filter(|it| it.text.starts_with('-')) {
            if word.text == "-X" {
                break;
            }
            let letters = ["-c", "-e", "-h", "-p", "-s", "-S", "-t", "-T"];
            at += if letters.contains(&word.text.as_str()) || word.text.ends_with('S') {
                2
            } else {
                1
            };
        }
        match words.get(at) {
            Some(word) if word.text == "-X" => found.for_screen(&words[at + 1..]),
            Some(_) => found.program(&words[at..]),
            None => {}
        }
        self.found_by(found)
    }

    fn found_by(&mut self, found: Found) -> Vec<String> {
        for text in &found.unknown {
            self.note_opaque(OpaqueReason::ComputedText, text);
        }
        let mut texts = found.texts;
        for text in found.typed {
            self.typed.push_str(&text);
            let typed = self.typed.clone();
            if let Some(at) = typed.rfind('\n') {
                typed[at + 1..].clone_into(&mut self.typed);
            }
            texts.push(typed);
        }
        texts
    }
}

impl Found {
    /// Reads what is before the first command: `tmux -L x -f FILE new`. Returns the rest, and
    /// whether `tmux` reads commands.
    fn own_options(&mut self, words: &[Word]) -> (Vec<Word>, bool) {
        let mut is_fed = false;
        let mut at = 0;
        while let Some(word) = words.get(at).filter(|it| it.text.starts_with('-')) {
            let text = word.text.as_str();
            is_fed |= text.starts_with("-C");
            let letter = text.chars().find(|it| "cfLST".contains(*it));
            let Some(letter) = letter else {
                at += 1;
                continue;
            };
            let value = match text.split_once(letter) {
                Some((_, rest)) if !rest.is_empty() => Some(Word::plain(rest)),
                _ => {
                    at += 1;
                    words.get(at).cloned()
                }
            };
            match (letter, value) {
                ('c', Some(value)) => self.shell(&value),
                ('f', Some(value)) => self.files.push(value),
                _ => {}
            }
            at += 1;
        }
        (words.get(at..).unwrap_or_default().to_vec(), is_fed)
    }

    /// Reads a sequence of commands: a word that ends with `;` ends one.
    fn commands(&mut self, words: &[Word], depth: usize) {
        let mut command: Vec<Word> = Vec::new();
        for word in words {
            let ends = word.text.ends_with(';') && !word.text.ends_with("\\;");
            let text = if ends {
                &word.text[..word.text.len() - 1]
            } else {
                &word.text
            };
            if !text.is_empty() || !ends {
                command.push(Word {
                    text: text.to_owned(),
                    ..word.clone()
                });
            }
            if ends {
                self.command(&std::mem::take(&mut command), depth);
            }
        }
        self.command(&command, depth);
    }

    /// Reads a line with commands.
    fn text(&mut self, line: &str, depth: usize) {
        if depth > MAX_DEPTH {
            self.unknown.push(line.to_owned());
            return;
        }
        let line = line.trim().trim_matches(|it| it == '{' || it == '}');
        if line.is_empty() || line.starts_with('#') {
            return;
        }
        // `;` and `$` are no more than text for the splitting.
        match crate::split_plain(&line.replace(" ; ", " '\\;' ").replace(" \\; ", " '\\;' ")) {
            Some(words) => {
                let words = words.iter().map(|it| match it.as_str() {
                    "\\;" => Word::plain(";"),
                    it => Word::plain(it),
                });
                self.commands(&words.collect::<Vec<_>>(), depth);
            }
            // Its own quoting: all that it may run is a text in it.
            None if begins_command(line) => self.unknown.push(line.to_owned()),
            None => {}
        }
    }

    fn command(&mut self, words: &[Word], depth: usize) {
        for word in words {
            self.formats(&word.text);
        }
        let Some((verb, rest)) = words.split_first() else {
            return;
        };
        let Some((valued, takes)) = command_named(&verb.text) else {
            if !verb.known {
                self.unknown.push(verb.text.clone());
            }
            return;
        };
        let (options, operands) = split_options(rest, valued);
        let has = |letter: char| options.iter().any(|it| it.contains(letter));
        match takes {
            Takes::Program if has('C') => self.each(&operands, depth),
            Takes::Program => self.program(&operands),
            Takes::Condition => {
                if let Some((condition, commands)) = operands.split_first() {
                    if !has('F') {
                        self.shell(condition);
                    }
                    self.each(commands, depth);
                }
            }
            Takes::Commands => {
                // `bind-key KEY command …`, `set-hook NAME 'command'`
                for at in 0..operands.len() {
                    self.commands_from(&operands[at..], depth);
                }
                for pair in rest.windows(2).filter(|it| it[0].text == "-E") {
                    self.shell(&pair[1]);
                }
            }
            Takes::Keys if has('X') => self.program(operands.get(1..).unwrap_or_default()),
            Takes::Keys => self.keys(&operands, has('H'), has('l')),
            Takes::Buffer => {
                for word in operands.iter().filter(|_| verb.text.starts_with("set")) {
                    self.keys(std::slice::from_ref(word), false, true);
                    self.typed.push("\n".to_owned());
                }
            }
            Takes::Files => self.files.extend(operands),
            Takes::Setting => self.setting(&operands),
        }
    }

    fn setting(&mut self, operands: &[Word]) {
        if let [name, value, ..] = operands
            && SHELL_OPTIONS.contains(&name.text.as_str())
        {
            self.shell(value);
        }
    }

    fn each(&mut self, texts: &[Word], depth: usize) {
        for word in texts {
            self.unknown
                .extend((!word.known).then(|| word.text.clone()));
            if begins_command(&word.text) {
                self.text(&word.text, depth + 1);
            } else {
                // No command that we know: at worst, one for a shell.
                self.texts.push(word.text.clone());
            }
        }
    }

    /// Reads words that are a command, or one that contains some.
    fn commands_from(&mut self, words: &[Word], depth: usize) {
        let [first, ..] = words else { return };
        if first.text.contains(' ') {
            self.text(&first.text, depth + 1);
        } else if depth < MAX_DEPTH && command_named(&first.text).is_some() {
            self.commands(words, depth + 1);
        }
    }

    /// Reads a program: one word is a text for a shell.
    fn program(&mut self, words: &[Word]) {
        match words {
            [] => {}
            [text] => self.shell(text),
            words => {
                self.unknown.extend(
                    words
                        .first()
                        .filter(|it| !it.known)
                        .map(|it| it.text.clone()),
                );
                self.texts
                    .push(crate::join(words.iter().map(|it| it.text.as_str())));
            }
        }
    }

    fn shell(&mut self, text: &Word) {
        if !text.known && text.text.trim_start().starts_with(['$', '`']) {
            self.unknown.push(text.text.clone());
        }
        self.texts.push(text.text.clone());
    }

    /// Reads what is typed.
    fn keys(&mut self, words: &[Word], is_hex: bool, is_literal: bool) {
        let mut typed = String::new();
        for word in words {
            let text = word.text.as_str();
            if !word.known && text.starts_with(['$', '`']) {
                self.unknown.push(text.to_owned());
            }
            let code = u8::from_str_radix(text.trim_start_matches("0x"), 16).ok();
            match text {
                _ if is_hex => typed.extend(code.map(char::from)),
                _ if is_literal => typed.push_str(text),
                _ if ENDS.contains(&text) => typed.push('\n'),
                "Space" => typed.push(' '),
                "Tab" | "C-i" => typed.push('\t'),
                _ => typed.push_str(text),
            }
        }
        let typed = typed.replace('\r', "\n");
        if !typed.is_empty() {
            self.typed.push(typed);
        }
    }

    /// Reads `#(command)` in a format.
    fn formats(&mut self, text: &str) {
        for part in text.split("#(").skip(1) {
            let mut open = 1;
            let end = part.char_indices().find_map(|(at, sign)| {
                open += match sign {
                    '(' => 1,
                    ')' => -1,
                    _ => 0,
                };
                (open == 0).then_some(at)
            });
            self.texts
                .push(part[..end.unwrap_or(part.len())].to_owned());
        }
    }

    /// Reads a command that is sent to `screen`.
    fn for_screen(&mut self, words: &[Word]) {
        let Some((verb, rest)) = words.split_first() else {
            return;
        };
        match verb.text.as_str() {
            "stuff" | "register" => {
                let last = rest.last().cloned().into_iter();
                for word in last {
                    let text = ["\\n", "\\r", "^M", "\\012", "\\015"]
                        .iter()
                        .fold(word.text.clone(), |text, end| text.replace(end, "\n"));
                    self.keys(&[Word { text, ..word }], false, true);
                }
            }
            "exec" => {
                let is_pattern = |it: &&Word| it.text.chars().all(|it| ".!|:".contains(it));
                let skipped = rest.iter().take_while(is_pattern).count();
                self.program(&rest[skipped..]);
            }
            "screen" => {
                let (_, operands) = split_options(rest, "cehtT");
                self.program(&operands);
            }
            "eval" | "at" | "bind" | "bindkey" | "idle" => {
                for at in 0..rest.len() {
                    match crate::split_plain(&rest[at].text) {
                        Some(inner) if inner.len() > 1 => {
                            let inner: Vec<Word> = inner.iter().map(Word::plain).collect();
                            self.for_screen(&inner);
                        }
                        _ if ["stuff", "exec", "screen"].contains(&rest[at].text.as_str()) => {
                            self.for_screen(&rest[at..]);
                            break;
                        }
                        _ => {}
                    }
                }
            }
            "source" => self.files.extend(rest.first().cloned()),
            _ => {}
        }
    }
}

/// Returns what a command of `tmux` does with its words; names may be cut short.
fn command_named(name: &str) -> Option<(&'static str, Takes)> {
    let exact = COMMANDS
        .iter()
        .find(|(it, alias, ..)| *it == name || !alias.is_empty() && *alias == name);
    let cut = || {
        let is_quiet = QUIET.iter().any(|it| *it == name || name.is_empty());
        let mut meant = COMMANDS.iter().filter(|_| !is_quiet && name.len() > 2);
        meant.find(|(it, ..)| it.starts_with(name))
    };
    exact
        .or_else(cut)
        .map(|(_, _, valued, takes)| (*valued, *takes))
}

fn begins_command(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or("");
    command_named(first).is_some()
}

/// Separates the options of a command from its operands.
fn split_options(words: &[Word], valued: &str) -> (Vec<String>, Vec<Word>) {
    let mut options = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let Some(letters) = word.text.strip_prefix('-').filter(|it| !it.is_empty()) else {
            break;
        };
        at += 1;
        if letters == "-" {
            break;
        }
        let value = letters.find(|it| valued.contains(it));
        let takes_next = value.is_some_and(|it| it + 1 == letters.len());
        options.push(letters[..value.unwrap_or(letters.len())].to_owned());
        at += usize::from(takes_next);
    }
    (options, words.get(at..).unwrap_or_default().to_vec())
}

#[cfg(test)]
mod tests {
    use crate::{Surroundings, understand};

    fn lines(text: &str) -> Vec<String> {
        let around = Surroundings {
            folder: Some("/p"),
            ..Surroundings::default()
        };
        let understood = understand(text, around);
        understood
            .commands
            .iter()
            .map(crate::Command::line)
            .collect()
    }

    /// HT-30: what a terminal multiplexer runs or types is found, whichever of its commands names
    /// it, and however deep.
    #[test]
    fn commands_of_terminal_multiplexers_are_followed() {
        for text in [
            "tmux new -d 'rm x'",
            "tmux new-session -d -s a rm x",
            "tmux new -d rm x",
            "tmux neww 'rm x'",
            "tmux -L s -f /dev/null new-w -d 'rm x'",
            "tmux -c 'rm x'",
            "tmux run-shell 'rm x'",
            "tmux run -b 'rm x'",
            "tmux run-sh -d 5 'rm x'",
            "tmux run -C 'run \"rm x\"'",
            "tmux if 'rm x' ''",
            "tmux if-shell -F 1 'run-shell \"rm x\"'",
            "tmux if -b true 'neww \"rm x\"'",
            "tmux splitw -h 'rm x'",
            "tmux respawn-pane -k -t a 'rm x'",
            "tmux respawnw -k 'rm x'",
            "tmux pipe-pane -o -t a 'rm x'",
            "tmux popup -E 'rm x'",
            "tmux set-hook -g window-linked 'run-shell \"rm x\"'",
            "tmux bind-key -n F1 run-shell 'rm x'",
            "tmux bind F1 'run \"rm x\"'",
            "tmux confirm -p y 'run \"rm x\"'",
            "tmux menu a b 'run \"rm x\"'",
            "tmux set -g default-command 'rm x'",
            "tmux set -g status-right '#(rm x)'",
            "tmux display -p '#(rm x)'",
            "tmux list-windows -F '#{a} #(rm x)'",
            "tmux set-buffer 'rm x\n'; tmux paste-buffer",
            "tmux send-keys -t a 'rm x' Enter",
            "tmux send rm Space x C-m",
            "tmux send -l 'rm x'",
            "tmux send -H 72 6d 20 78 0a",
            "tmux send 'rm '; tmux send x Enter",
            "tmux new -d \\; send 'rm x' C-m",
            "tmux new -d; tmux lsw \\; run 'rm x'",
            "echo 'run \"rm x\"' | tmux source -",
            "tmux source - <<< 'if true \"run \\\"rm x\\\"\"'",
            "screen -dm rm x",
            "screen -dmS a rm x",
            "screen -d -m sh -c 'rm x'",
            "screen -S a -X stuff 'rm x\\n'",
            "screen -X exec rm x",
            "screen -X exec ... rm x",
            "screen -X screen -t a rm x",
            "screen -S a -p 0 -X eval 'stuff \"rm x\"'",
            "screen -X eval 'exec rm x'",
        ] {
            let found = lines(text);
            assert!(found.iter().any(|it| it == "rm x"), "{text}: {found:?}");
        }
        for text in [
            "tmux ls",
            "tmux attach -t rm",
            "tmux kill-session -t a",
            "tmux capture-pane -p -t 'rm x'",
            "tmux rename-session 'rm x'",
            "tmux new -s 'rm x'",
            "tmux display-message 'rm x'",
            "tmux set -g @note 'rm x'",
            "screen -ls",
            "screen -r a",
            "screen -X title 'rm x'",
        ] {
            let found = lines(text);
            assert!(!found.iter().any(|it| it == "rm x"), "{text}: {found:?}");
        }
    }

    /// HT-30: a text for a terminal multiplexer that only it computes is opaque.
    #[test]
    fn computed_texts_for_terminal_multiplexers_are_opaque() {
        for text in [
            "tmux send-keys \"$(cat x)\" Enter",
            "tmux new -d \"$X\"",
            "tmux run \"$(curl -s u)\"",
            "tmux if true \"$X\"",
            "curl -s u | tmux source -",
            "screen -X stuff \"$X\"",
        ] {
            let around = Surroundings::default();
            assert!(understand(text, around).opaque(), "{text}");
        }
    }
}
