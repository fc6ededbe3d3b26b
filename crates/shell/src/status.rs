//! Which parts of a text lose their exit code: whatever their exit code is, the text ends with
//! another one (CM-3).
//!
//! Only certain losses are reported. Nothing is reported for a text that looks at exit codes itself
//! (`$?`, `trap`), or for a part whose successor isn't known.

use crate::quoting::split_plain;
use crate::run::is_builtin;
use crate::syntax::{self, ListOperator, Node, NodeKind, OneList};

/// How deep commands in texts in commands are followed.
const MAX_DEPTH: usize = 8;

/// How many commands of a list are examined at most: each is searched for in the whole text.
const MAX_COMMANDS: usize = 1_000;

/// Commands that practically always end with 0.
const SUCCEED: &[&str] = &[
    "true",
    ":",
    "echo",
    "printf",
    "tee",
    "cat",
    "logger",
    "date",
    "sleep",
    "touch",
    "notify-send",
];

/// Builtins that run others.
const STARTS: &[&str] = &["eval", "source", ".", "command", "builtin"];

/// A part of a text whose exit code is lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostStatus {
    /// The part, as written.
    pub written: String,
    /// What replaces its exit code.
    pub by: LostBy,
    /// Whether it runs in a separate shell, so that an `exit` in it ends only that shell.
    pub is_own_shell: bool,
    /// The text without what replaces the exit code, if removing that is all it takes.
    pub without: Option<String>,
}

/// What replaces an exit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LostBy {
    /// What follows `||`: `|| true`.
    Or(String),
    /// The next command: `; exit 0`.
    Next(String),
    /// The last command of a pipe: `| tee log`.
    Pipe(String),
    /// It runs in the background.
    Background,
    /// A `!` before it.
    Negation,
    /// The command that takes its output as a word: `echo $(guard.sh)`.
    Substitution(String),
    /// What runs when the shell exits: `trap 'exit 0' EXIT`.
    Trap(String),
}

/// Returns the parts of a shell text whose exit code never becomes the exit code of the text
/// (CM-3). The list is empty for a text that isn't shell.
pub fn lost_statuses(text: &str) -> Vec<LostStatus> {
    let mut finder = Finder {
        found: Vec::new(),
        depth: 0,
    };
    // The grammar omits the first line of a script, and counts positions without it.
    let is_script = text.starts_with("#!");
    let behind = text.find('\n').filter(|_| is_script);
    let text = behind.map_or(text, |end| &text[end..]);
    finder.trap(text);
    finder.text(text);
    finder.found
}

/// Returns where each character of a text begins, in bytes; nothing if each is one byte. The parser
/// counts in characters.
fn character_places(text: &str) -> Option<Vec<usize>> {
    let places = || text.char_indices().map(|(at, _)| at).collect();
    (!text.is_ascii()).then(places)
}

struct Finder {
    found: Vec<LostStatus>,
    depth: usize,
}

/// A text that is examined.
#[derive(Clone, Copy)]
struct Text<'t> {
    whole: &'t str,
    /// `set -e`: a failure ends the shell.
    ends_at_failure: bool,
    /// `set -o pipefail`: a pipe fails if any of its commands fails.
    pipes_fail: bool,
    /// Where each character begins, in bytes; nothing if each is one byte.
    characters: Option<&'t [usize]>,
}

impl<'t> Text<'t> {
    /// Returns `None` for a text that looks at exit codes itself.
    fn of(text: &'t str, characters: Option<&'t [usize]>) -> Option<Self> {
        let looks = [
            "$?",
            "${?",
            "PIPESTATUS",
            "pipestatus",
            "trap ",
            "wait",
            "exec ",
        ];
        if looks.iter().any(|it| text.contains(it)) {
            return None;
        }
        let options = text.match_indices("set -").map(|(at, _)| &text[at + 5..]);
        let has_e = |rest: &str| {
            let letters = rest.bytes().take_while(u8::is_ascii_alphabetic);
            letters.into_iter().any(|it| it == b'e') || rest.starts_with("o errexit")
        };
        Some(Self {
            whole: text,
            ends_at_failure: options.into_iter().any(has_e) || text.contains("errexit"),
            pipes_fail: text.contains("pipefail"),
            characters,
        })
    }

    /// Returns where a node begins and ends, in bytes.
    fn span(&self, first: &Node, last: &Node) -> Option<(usize, usize)> {
        if first.span.is_empty() || last.span.is_empty() {
            return None;
        }
        let at = |index: usize| match self.characters {
            Some(places) => places.get(index).copied().unwrap_or(self.whole.len()),
            None => index.min(self.whole.len()),
        };
        let (start, end) = (at(first.span.start), at(last.span.end));
        (start < end).then_some((start, end))
    }

    fn source(&self, first: &Node, last: &Node) -> String {
        let span = self.span(first, last);
        let text = span.and_then(|(start, end)| self.whole.get(start..end));
        text.unwrap_or_default().trim().to_owned()
    }

    /// The text up to the end of one node, with what follows another.
    fn cut(&self, from: &Node, to: Option<&Node>) -> Option<String> {
        let (_, end) = self.span(from, from)?;
        let rest = match to {
            Some(to) => self.whole.get(self.span(to, to)?.1..)?,
            None => "",
        };
        Some(format!("{}{rest}", self.whole.get(..end)?.trim_end()))
    }
}

impl Finder {
    /// Looks for a trap that ends the shell with 0, whatever it ended with.
    fn trap(&mut self, text: &str) {
        let ends_well = |line: &&str| {
            let Some(words) = split_plain(line) else {
                return false;
            };
            let mut words = words.iter().map(AsRef::<str>::as_ref);
            let is_trap = words.next() == Some("trap");
            let action = words.next().unwrap_or_default().trim();
            let last = action.rsplit([';', '\n']).next().unwrap_or_default();
            is_trap
                && !action.contains('$')
                && last.trim() == "exit 0"
                && words.any(|it| matches!(it, "EXIT" | "0"))
        };
        let command = |line| {
            let line = str::trim(line);
            // The rest is another command.
            let end = line
                .find(" EXIT")
                .map_or(line.len(), |at| at + " EXIT".len());
            &line[..end]
        };
        if let Some(line) = text.lines().map(command).find(ends_well) {
            self.found.push(LostStatus {
                written: text.trim().to_owned(),
                by: LostBy::Trap(line.to_owned()),
                is_own_shell: true,
                without: None,
            });
        }
    }

    /// Looks for commands whose output is a word of a command that ends with 0 whatever they end
    /// with.
    fn substitution(&mut self, command: &str) {
        let program = command.split_whitespace().next().unwrap_or_default();
        if !SUCCEED.contains(&program) {
            return;
        }
        let Some((_, rest)) = command.split_once("$(") else {
            return;
        };
        let Some((inner, _)) = rest.rsplit_once(')') else {
            return;
        };
        self.found.push(LostStatus {
            written: inner.trim().to_owned(),
            by: LostBy::Substitution(program.to_owned()),
            is_own_shell: true,
            without: None,
        });
    }

    fn text(&mut self, text: &str) {
        let nodes = syntax::parse(text);
        let characters = character_places(text);
        let text = Text::of(text, characters.as_deref());
        let (Some(nodes), Some(text)) = (nodes, text) else {
            return;
        };
        if self.depth > MAX_DEPTH {
            return;
        }
        self.depth += 1;
        let items: Vec<_> = nodes.iter().flat_map(items_of).collect();
        self.sequence(text, &items);
        self.depth -= 1;
    }

    /// Examines commands that run one after the other, of which the last one's exit code counts.
    fn sequence(&mut self, text: Text<'_>, items: &[(&Node, Option<ListOperator>)]) {
        if items.len() > MAX_COMMANDS {
            return;
        }
        let chains: Vec<&[(&Node, Option<ListOperator>)]> = items
            .split_inclusive(|(_, operator)| !is_chained(*operator))
            .filter(|chain| !chain.is_empty())
            .collect();
        // Which of them are followed by something that decides.
        let mut decided = vec![false; chains.len()];
        for index in (1..chains.len()).rev() {
            decided[index - 1] = decided[index] || text.decides(chains[index]);
        }
        for (index, chain) in chains.iter().enumerate() {
            let Some((last, operator)) = chain.last() else {
                continue;
            };
            if *operator == Some(ListOperator::Background) {
                let is_all = index + 1 == chains.len();
                let without = text.cut(last, None).filter(|_| is_all);
                self.lose(text, chain, LostBy::Background, without);
                continue;
            }
            let behind = &chains[index + 1..];
            match behind.first() {
                Some(next) if !text.ends_at_failure => {
                    if decided[index] {
                        continue;
                    }
                    let Some((end, _)) = next.last() else {
                        continue;
                    };
                    let is_idle = behind.len() == 1 && next.len() == 1 && text.is_idle(end);
                    let without = text.cut(last, None).filter(|_| is_idle);
                    let last_written = behind.last().and_then(|it| Some((it.first()?, it.last()?)));
                    let written = last_written.map(|(first, last)| text.source(first.0, last.0));
                    let by = LostBy::Next(written.unwrap_or_default());
                    self.lose(text, chain, by, without);
                }
                _ => self.chain(text, chain),
            }
        }
    }

    /// Examines `a && b || c`, whose exit code counts.
    fn chain(&mut self, text: Text<'_>, chain: &[(&Node, Option<ListOperator>)]) {
        let or = chain
            .iter()
            .position(|(_, operator)| *operator == Some(ListOperator::Or));
        let Some((before, handler)) = or.and_then(|at| Some((&chain[..=at], chain.get(at + 1)?)))
        else {
            for (node, _) in chain {
                self.node(text, node);
            }
            return;
        };
        if text.succeeds(handler.0)
            && let Some((last, _)) = before.last()
        {
            let without = text.cut(last, Some(handler.0));
            let by = LostBy::Or(text.source(handler.0, handler.0));
            self.lose(text, before, by, without);
        }
    }

    fn node(&mut self, text: Text<'_>, node: &Node) {
        match &node.kind {
            NodeKind::Pipeline { commands, .. } => {
                let Some((end, others)) = commands
                    .split_last()
                    .filter(|it| it.1.len() <= MAX_COMMANDS)
                else {
                    return;
                };
                if !text.pipes_fail {
                    for other in others {
                        self.found.push(LostStatus {
                            written: text.source(other, other),
                            by: LostBy::Pipe(text.source(end, end)),
                            is_own_shell: true,
                            without: Some(format!("set -o pipefail; {}", text.whole)),
                        });
                    }
                }
                self.node(text, end);
            }
            NodeKind::Negation { pipeline } => {
                self.lose(text, &[(&**pipeline, None)], LostBy::Negation, None);
            }
            NodeKind::Time { pipeline, .. } => self.node(text, pipeline),
            NodeKind::Subshell { body, .. } | NodeKind::BraceGroup { body, .. } => {
                self.sequence(text, &items_of(body).collect::<Vec<_>>());
            }
            NodeKind::List { .. } => {
                self.sequence(text, &items_of(node).collect::<Vec<_>>());
            }
            NodeKind::If {
                then_body,
                else_body,
                ..
            } => {
                self.node(text, then_body);
                if let Some(body) = else_body {
                    self.node(text, body);
                }
            }
            NodeKind::Command { .. } => {
                let command = text.source(node, node);
                self.substitution(&command);
                self.inner_text(&command);
            }
            _ => {}
        }
    }

    /// Examines the text that is passed to a shell: `bash -c '…'`.
    fn inner_text(&mut self, command: &str) {
        let Some(words) = split_plain(command) else {
            return;
        };
        let mut words = words.iter().map(AsRef::<str>::as_ref);
        let program = words.next().unwrap_or_default();
        let name = program.rsplit('/').next().unwrap_or_default();
        if !matches!(name, "bash" | "sh" | "zsh" | "dash" | "ksh") {
            return;
        }
        let is_text = |word: &str| word.starts_with('-') && word.ends_with('c');
        if words.find(|word| is_text(word)).is_some()
            && let Some(inner) = words.next()
        {
            let before = self.found.len();
            self.text(inner);
            // The remedy is for the inner text.
            for found in &mut self.found[before..] {
                found.without = None;
            }
        }
    }

    fn lose(
        &mut self,
        text: Text<'_>,
        chain: &[(&Node, Option<ListOperator>)],
        by: LostBy,
        without: Option<String>,
    ) {
        let (Some((first, _)), Some((last, _))) = (chain.first(), chain.last()) else {
            return;
        };
        // Exit codes of `cd` or `set` don't matter.
        let written = text.source(first, last);
        let program = written.split_whitespace().next().unwrap_or_default();
        let is_single = chain.len() == 1 && matches!(last.kind, NodeKind::Command { .. });
        if is_single && is_builtin(program) && !STARTS.contains(&program) {
            return;
        }
        // `r=$(… exit 2)`: `exit` ends only the substitution.
        let fills = |written: &str| {
            let (name, value) = written.split_once('=').unwrap_or_default();
            value.trim_start_matches('"').starts_with("$(")
                && name
                    .bytes()
                    .all(|it| it.is_ascii_alphanumeric() || it == b'_')
        };
        let is_own_shell = by == LostBy::Background
            || is_single && fills(&written)
            || matches!(last.kind, NodeKind::Subshell { .. })
            || matches!(&last.kind, NodeKind::Pipeline { commands, .. } if commands.len() > 1);
        self.found.push(LostStatus {
            written,
            by,
            is_own_shell,
            without,
        });
    }
}

impl Text<'_> {
    /// Returns whether a chain itself ends the text with a meaningful code.
    fn decides(&self, chain: &[(&Node, Option<ListOperator>)]) -> bool {
        let (Some((first, _)), Some((last, _))) = (chain.first(), chain.last()) else {
            return false;
        };
        let written = self.source(first, last);
        let mut words = written.split(|it: char| it.is_whitespace() || ";{}()".contains(it));
        let mut has_one = false;
        while let Some(word) = words.next() {
            has_one |= matches!(word, "exit" | "return") && words.next() != Some("0");
        }
        has_one
    }

    /// Returns whether the only purpose of a command is to end with 0.
    fn is_idle(&self, node: &Node) -> bool {
        matches!(&*self.source(node, node), "true" | ":" | "exit 0" | "exit")
    }

    /// Returns whether a command ends with 0 whatever happens.
    fn succeeds(&self, node: &Node) -> bool {
        match &node.kind {
            NodeKind::Command { .. } => {
                let written = self.source(node, node);
                let name = written.split_whitespace().next().unwrap_or_default();
                SUCCEED.contains(&name) || written == "exit 0" || written == "return 0"
            }
            NodeKind::BraceGroup { body, .. } | NodeKind::Subshell { body, .. } => {
                let items: Vec<_> = items_of(body).collect();
                !self.decides(&items) && items.last().is_some_and(|it| self.succeeds(it.0))
            }
            NodeKind::Pipeline { commands, .. } => {
                commands.last().is_some_and(|it| self.succeeds(it))
            }
            _ => false,
        }
    }
}

fn is_chained(operator: Option<ListOperator>) -> bool {
    matches!(operator, Some(ListOperator::And | ListOperator::Or))
}

/// Returns the commands in a node that run one after the other.
fn items_of(node: &Node) -> impl Iterator<Item = (&Node, Option<ListOperator>)> {
    let (items, single) = match &node.kind {
        NodeKind::List { items } => (syntax::parts_of(items, OneList::SequenceAndChain), None),
        NodeKind::Empty | NodeKind::Comment { .. } => (Vec::new(), None),
        _ => (Vec::new(), Some((node, None))),
    };
    let is_said = |item: &syntax::Part<'_>| {
        !matches!(
            item.command.kind,
            NodeKind::Empty | NodeKind::Comment { .. }
        )
    };
    let items = items.into_iter().filter(is_said);
    items.map(|it| (it.command, it.operator)).chain(single)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(text: &str) -> Vec<String> {
        let found = lost_statuses(text).into_iter();
        found
            .map(|it| format!("{} by {:?}", it.written, it.by))
            .collect()
    }

    /// CM-3: a part loses its exit code to what runs after, beside or around it.
    #[test]
    fn what_takes_an_exit_code_is_found() {
        for (text, expected) in [
            ("guard.sh || true", "guard.sh by Or(\"true\")"),
            ("guard.sh || :", "guard.sh by Or(\":\")"),
            (
                "guard.sh x 2>&1 || echo failed",
                "guard.sh x 2>&1 by Or(\"echo failed\")",
            ),
            (
                "guard.sh || { echo no; exit 0; }",
                "guard.sh by Or(\"{ echo no; exit 0; }\")",
            ),
            (
                "cd a && ./guard.sh || true",
                "cd a && ./guard.sh by Or(\"true\")",
            ),
            ("guard.sh; exit 0", "guard.sh by Next(\"exit 0\")"),
            ("guard.sh\ntrue\n", "guard.sh by Next(\"true\")"),
            ("guard.sh; echo done", "guard.sh by Next(\"echo done\")"),
            ("guard.sh | tee log", "guard.sh by Pipe(\"tee log\")"),
            ("guard.sh &", "guard.sh by Background"),
            (
                "nohup guard.sh > log 2>&1 &",
                "nohup guard.sh > log 2>&1 by Background",
            ),
            ("! guard.sh", "guard.sh by Negation"),
            ("bash -c 'guard.sh || true'", "guard.sh by Or(\"true\")"),
            ("(guard.sh || true)", "guard.sh by Or(\"true\")"),
            ("{ guard.sh; true; }", "guard.sh by Next(\"true\")"),
            (
                "if x; then guard.sh; exit 0; fi",
                "guard.sh by Next(\"exit 0\")",
            ),
            (
                "#!/bin/sh\nguard.sh | while read x; do exit 2; done\nexit 0",
                "guard.sh | while read x; do exit 2; done by Next(\"exit 0\")",
            ),
            ("echo $(guard.sh)", "guard.sh by Substitution(\"echo\")"),
            (
                "r=$(cat; exit 2); exit 0",
                "r=$(cat; exit 2) by Next(\"exit 0\")",
            ),
            (
                "trap 'exit 0' EXIT; exit 2",
                "trap 'exit 0' EXIT; exit 2 by Trap(\"trap 'exit 0' EXIT\")",
            ),
            (
                "trap 'rm x; exit 0' EXIT\nexit 2",
                "trap 'rm x; exit 0' EXIT\nexit 2 by Trap(\"trap 'rm x; exit 0' EXIT\")",
            ),
            ("é && guard.sh || true", "é && guard.sh by Or(\"true\")"),
        ] {
            assert_eq!(lost(text), [expected], "{text}");
        }
    }

    /// CM-3: an exit code that counts, or that the text looks at, isn't lost.
    #[test]
    fn what_counts_is_not_lost() {
        for text in [
            "guard.sh",
            "guard.sh && true",
            "cd a && guard.sh",
            "guard.sh || exit 2",
            "guard.sh || { echo no >&2; exit 2; }",
            "guard.sh || other.sh",
            "guard.sh; rc=$?; echo done; exit $rc",
            "guard.sh; exit 2",
            "guard.sh; exit",
            "guard.sh || true; exit 2",
            "set -e; guard.sh; echo done",
            "set -euo pipefail\nguard.sh | tee log",
            "set -o pipefail; guard.sh | tee log",
            "guard.sh | tee log; exit ${PIPESTATUS[0]}",
            "guard.sh & wait $!",
            "r=$(guard.sh)",
            "[ \"$(guard.sh)\" ]",
            "echo '$(guard.sh)",
            "trap 'rm -f x' EXIT; guard.sh",
            "trap 'exit 2' EXIT; guard.sh",
            "trap 'exit 0' INT; guard.sh",
            "trap 'code=$?; rm x; exit $code' EXIT; guard.sh",
            "if guard.sh; then exit 0; else exit 2; fi",
            "time guard.sh",
            "guard.sh # || true",
            "echo 'guard.sh || true'",
            "guard.sh '",
            "",
        ] {
            assert_eq!(lost(text), Vec::<String>::new(), "{text}");
        }
    }

    /// CM-10: the proposed text loses nothing any more.
    #[test]
    fn the_text_without_it_loses_nothing() {
        for (text, right) in [
            ("guard.sh || true", "guard.sh"),
            ("guard.sh || true && other.sh", "guard.sh && other.sh"),
            ("guard.sh; exit 0", "guard.sh"),
            ("guard.sh &", "guard.sh"),
            ("guard.sh | tee log", "set -o pipefail; guard.sh | tee log"),
        ] {
            let found = lost_statuses(text);
            assert_eq!(found[0].without.as_deref(), Some(right), "{text}");
            assert_eq!(lost(right), Vec::<String>::new(), "{right}");
        }
    }
}
