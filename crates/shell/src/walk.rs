//! Walks the syntax tree of a shell text and finds every simple command that would run.

mod reads;

use std::rc::Rc;

use crate::certainty::{
    EarlyExit, always_succeeds, has_alternative, may_end, starts_jobs_without_end,
};
use crate::flow::{Stream, kind_of, text_or_output};
use crate::scope::{Appends, Scope};
use crate::surroundings::Surroundings;
use crate::syntax::{self, ListItem, ListOperator, Node, NodeKind, OneList, Part};
use crate::understood::{
    Definition, DefinitionKind, OpaquePart, OpaqueReason, Place, Redirect, RedirectKind,
    RemovedVariables, Timing, Understood, Word,
};

/// How many words of a loop are followed; with more, it is walked once, with its variable unknown.
const MAX_ROUNDS: usize = 8;

/// Parses a shell text and returns every command that it would run, with whatever can't be known.
pub fn understand(text: &str, around: Surroundings<'_>) -> Understood {
    walk_text(text, around).found
}

/// Walks a shell text.
pub(crate) fn walk_text(text: &str, around: Surroundings<'_>) -> Walker {
    let mut walker = Walker::default();
    walker.found.parsed = true;
    let mut scope = Scope::new(around);
    walker.in_own_shell(&mut scope, |it, scope| {
        it.text(text, scope, &Stream::Inherited)
    });
    match scope.versions.take() {
        Some(taken) => {
            walker.found.versions = taken.texts;
            walker.found.unsettled = taken.unsettled;
        }
        None => walker.note_opaque(OpaqueReason::TooDeep, text),
    }
    let written = scope.files.into_iter();
    let mut written: Vec<(String, String)> = written
        .filter(|(path, _)| path.starts_with('/'))
        .filter_map(|(path, text)| Some((path, text?)))
        .collect();
    written.sort();
    walker.found.written = written;
    walker
}

/// Collects the findings.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "things that are true of a place in a text or not, independent of each other"
)]
pub(crate) struct Walker {
    pub(crate) found: Understood,
    /// Output of process substitutions, by their number.
    pub(crate) substitutions: Vec<Stream>,
    /// The programs that start what is being walked, and where.
    pub(crate) through: Vec<String>,
    pub(crate) place: Place,
    /// The variables that they remove.
    pub(crate) removed: RemovedVariables,
    /// What traps do when the shell that is being walked ends.
    pub(crate) at_end: Vec<Word>,
    /// Functions that are being walked.
    pub(crate) inside: Vec<String>,
    /// Whether what is being walked only runs under a condition: in its function, and in the call
    /// of that.
    pub(crate) perhaps: bool,
    pub(crate) called_perhaps: bool,
    /// Whether something else runs if what is being walked fails.
    pub(crate) spared: bool,
    /// Whether what is being walked runs once for each of an unknown list.
    pub(crate) repeats: bool,
    /// When what is being walked runs.
    pub(crate) timing: Timing,
    /// Whether the words that are being expanded name files for a program that doesn't change its
    /// folder.
    pub(crate) names_from_here: bool,
    /// How what is being walked may have been left before its end.
    pub(crate) left: EarlyExit,
    pub(crate) depth: usize,
    /// How deep programs are in programs, words in words, and conditions in conditions.
    pub(crate) nested: usize,
    /// Variables that contain what was downloaded.
    pub(crate) fetched: std::collections::BTreeSet<String>,
    /// What was typed into another terminal, since the last end of a line.
    pub(crate) typed: String,
    /// How much was done so far.
    pub(crate) work: usize,
}

impl Walker {
    /// Records that something is opaque.
    pub(crate) fn note_opaque(&mut self, why: OpaqueReason, written: &str) {
        if why == OpaqueReason::Unreadable {
            self.found.parsed = false;
        }
        let spot = OpaquePart {
            why,
            written: written.chars().take(200).collect(),
        };
        if !self.found.opaque_parts.contains(&spot) {
            self.found.opaque_parts.push(spot);
        }
    }

    /// Walks what only runs under a condition.
    pub(crate) fn walk_maybe<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.perhaps, true);
        let walked = walk(self);
        self.perhaps = before;
        walked
    }

    /// Walks a shell text; returns what it prints.
    pub(crate) fn text(&mut self, text: &str, scope: &mut Scope<'_>, input: &Stream) -> Stream {
        if text.trim().is_empty() {
            return Stream::nothing();
        }
        if self.is_spent(text.len() / 64) {
            return Stream::Output(String::new());
        }
        let Some(nodes) = syntax::parse(text) else {
            self.note_opaque(OpaqueReason::Unreadable, text);
            return Stream::Output(String::new());
        };
        self.depth += 1;
        let mut output = Stream::nothing();
        for node in &nodes {
            output = output.then(self.list(node, scope, input));
        }
        self.depth -= 1;
        output
    }

    /// Walks a node; returns what it prints.
    pub(crate) fn list(&mut self, node: &Node, scope: &mut Scope<'_>, input: &Stream) -> Stream {
        if self.is_spent_on_command(scope) {
            return Stream::Output(String::new());
        }
        self.depth += 1;
        let output = self.node(node, scope, input);
        self.depth -= 1;
        output
    }

    fn node(&mut self, node: &Node, scope: &mut Scope<'_>, input: &Stream) -> Stream {
        match &node.kind {
            NodeKind::Command {
                assignments,
                words,
                redirects,
            } => self.simple(assignments, words, redirects, scope, input),
            NodeKind::List { items } => self.items(items, scope, input),
            NodeKind::Pipeline { commands, .. } => self.pipeline(commands, scope, input),
            NodeKind::Negation { pipeline } | NodeKind::Time { pipeline, .. } => {
                self.list(pipeline, scope, input)
            }
            NodeKind::Function { name, body } => {
                self.define(DefinitionKind::Function, name);
                // bash calls this function automatically.
                if name == "command_not_found_handle" {
                    self.list(body, &mut scope.clone(), input);
                }
                if let Some(body) = syntax::try_copy(body) {
                    scope.functions.insert(name.clone(), vec![Rc::new(body)]);
                    scope.doubtful.remove(name);
                } else {
                    self.note_opaque(OpaqueReason::TooDeep, "");
                }
                Stream::nothing()
            }
            NodeKind::Coproc { command, .. } => {
                let unknown = Stream::Output(String::new());
                let outer = std::mem::replace(&mut self.timing, Timing::Beside);
                self.in_own_shell(&mut scope.clone(), |it, inner| {
                    it.list(command, inner, &unknown)
                });
                self.timing = outer;
                Stream::nothing()
            }
            NodeKind::Empty | NodeKind::Comment { .. } => Stream::nothing(),
            NodeKind::ArithmeticCommand {
                raw_content,
                redirects,
                ..
            } => {
                self.expand_arithmetic(raw_content, scope);
                self.compound(redirects, scope, input, |_, _, _| Stream::nothing())
            }
            NodeKind::ConditionalExpr { body, redirects } => {
                self.condition(body, scope);
                self.compound(redirects, scope, input, |_, _, _| Stream::nothing())
            }
            _ => self.control(node, scope, input),
        }
    }

    /// Walks groups, branches and loops.
    fn control(&mut self, node: &Node, scope: &mut Scope<'_>, input: &Stream) -> Stream {
        match &node.kind {
            NodeKind::Subshell { body, redirects } => {
                let mut inner = scope.clone();
                let output = self.compound(redirects, &mut inner, input, |it, scope, input| {
                    it.in_own_shell(scope, |it, scope| it.list(body, scope, input))
                });
                scope.take_files(inner);
                output
            }
            NodeKind::BraceGroup { body, redirects } => {
                self.compound(redirects, scope, input, |it, scope, input| {
                    it.list(body, scope, input)
                })
            }
            NodeKind::If {
                condition,
                then_body,
                else_body,
                redirects,
            } => self.compound(redirects, scope, input, |it, scope, input| {
                let first = it.list(condition, scope, input);
                let mut other = scope.clone();
                let then = it.walk_maybe(|it| it.list(then_body, scope, input));
                let otherwise = else_body.as_ref().map_or_else(Stream::nothing, |body| {
                    it.walk_maybe(|it| it.list(body, &mut other, input))
                });
                scope.merge(&other);
                let either = if then == otherwise {
                    then
                } else {
                    Stream::Output(String::new())
                };
                first.then(either)
            }),
            NodeKind::Case {
                word,
                patterns,
                redirects,
            } => self.compound(redirects, scope, input, |it, scope, input| {
                it.expand_one(word, scope);
                let before = scope.clone();
                for case in patterns {
                    for pattern in &case.patterns {
                        it.expand_one(pattern, scope);
                    }
                    if let Some(body) = &case.body {
                        let mut inner = before.clone();
                        it.walk_maybe(|it| it.list(body, &mut inner, input));
                        scope.merge(&inner);
                    }
                }
                Stream::Output(String::new())
            }),
            _ => self.walk_loop(node, scope, input),
        }
    }

    /// Walks loops.
    fn walk_loop(&mut self, node: &Node, scope: &mut Scope<'_>, input: &Stream) -> Stream {
        let left = std::mem::take(&mut self.left);
        if starts_jobs_without_end(node) {
            self.note_opaque(OpaqueReason::Endless, "a loop of jobs without end");
        }
        let output = self.loop_of(node, scope, input);
        self.left = self.left.after_loop().or(left);
        output
    }

    fn loop_of(&mut self, node: &Node, scope: &mut Scope<'_>, input: &Stream) -> Stream {
        match &node.kind {
            NodeKind::While {
                condition,
                body,
                redirects,
            }
            | NodeKind::Until {
                condition,
                body,
                redirects,
            } => self.compound(redirects, scope, input, |it, scope, input| {
                let outer = (it.repeats, it.timing);
                it.repeats = true;
                it.timing = it.timing.repeated();
                it.rounds(scope, |it, scope| {
                    it.list(condition, scope, input);
                    it.walk_maybe(|it| it.list(body, scope, input));
                });
                (it.repeats, it.timing) = outer;
                Stream::Output(String::new())
            }),
            NodeKind::For {
                var,
                words,
                body,
                redirects,
            }
            | NodeKind::Select {
                var,
                words,
                body,
                redirects,
            } => self.compound(redirects, scope, input, |it, scope, input| {
                it.walk_for_each(var, words.as_deref(), body, scope, input)
            }),
            NodeKind::ForArith {
                init,
                cond,
                incr,
                body,
                redirects,
            } => self.compound(redirects, scope, input, |it, scope, input| {
                for part in [init, cond, incr] {
                    it.expand_arithmetic(part, scope);
                }
                if let Some((name, _)) = init.split_once('=') {
                    scope.set(name.trim(), None);
                }
                it.rounds(scope, |it, scope| {
                    it.walk_maybe(|it| it.list(body, scope, input));
                });
                Stream::Output(String::new())
            }),
            _ => {
                self.note_opaque(OpaqueReason::Unreadable, "");
                Stream::Output(String::new())
            }
        }
    }

    /// Walks a body that may run any number of times: a second time with the changes of the first.
    fn rounds(&mut self, scope: &mut Scope<'_>, mut body: impl FnMut(&mut Self, &mut Scope<'_>)) {
        let before = scope.clone();
        body(self, scope);
        let after = scope.clone();
        scope.merge(&before);
        if scope.differs(&after) {
            body(self, scope);
            scope.merge(&before);
        }
    }

    fn walk_for_each(
        &mut self,
        variable: &str,
        words: Option<&[Node]>,
        body: &Node,
        scope: &mut Scope<'_>,
        input: &Stream,
    ) -> Stream {
        let values: Vec<Word> = match words.filter(|it| !syntax::are_arguments(it)) {
            Some(words) => words.iter().flat_map(|it| self.expand(it, scope)).collect(),
            None => scope
                .positional
                .clone()
                .unwrap_or_else(|| vec![Word::default()]),
        };
        let all_known = values.iter().all(|it| it.known) && values.len() <= MAX_ROUNDS;
        if values.is_empty() {
            return Stream::nothing();
        }
        if !all_known {
            scope.set(variable, None);
            let outer = std::mem::replace(&mut self.repeats, true);
            self.rounds(scope, |it, scope| {
                it.walk_maybe(|it| it.list(body, scope, input));
            });
            self.repeats = outer;
            return Stream::Output(String::new());
        }
        let mut output = Stream::nothing();
        for value in values {
            if value.pattern {
                scope.set_glob(variable, value.text);
            } else {
                scope.set(variable, Some(value.text));
            }
            output = output.then(self.list(body, scope, input));
        }
        output
    }

    fn items(&mut self, items: &[ListItem], scope: &mut Scope<'_>, input: &Stream) -> Stream {
        let items: Vec<Part<'_>> = syntax::parts_of(items, OneList::Sequence);
        let mut output = Stream::nothing();
        // The state before the first part of a `&&` or `||` chain that may not run.
        let mut before: Option<Scope<'_>> = None;
        let mut is_certain = true;
        // Whether `exit`, or something that may contain it, precedes.
        let mut ends = false;
        // The state if the list is left early.
        let mut at_leaving: Option<Scope<'_>> = None;
        let mut left = std::mem::take(&mut self.left);
        for (index, item) in items.iter().enumerate() {
            if self.is_full() {
                break;
            }
            let chains = matches!(item.operator, Some(ListOperator::And | ListOperator::Or));
            if !is_certain && before.is_none() {
                before = Some(scope.clone());
            }
            let folders = scope.folders.clone();
            let is_background = item.operator == Some(ListOperator::Background);
            let outer = (self.perhaps, self.spared);
            self.perhaps |= !is_certain || ends;
            self.spared |= has_alternative(&items[index..]);
            let printed = if is_background {
                let mut inner = scope.clone();
                let outer = std::mem::replace(&mut self.timing, Timing::Beside);
                let printed =
                    self.in_own_shell(&mut inner, |it, inner| it.list(item.command, inner, input));
                self.timing = outer;
                scope.take_files(inner);
                printed
            } else {
                self.list(item.command, scope, input)
            };
            (self.perhaps, self.spared) = outer;
            let leaves = std::mem::take(&mut self.left);
            if !leaves.is_never() {
                at_leaving = Some(scope.clone().merged(at_leaving));
                left = left.or(leaves);
            }
            ends |= may_end(item.command);
            output = output.then(printed);
            // `cd x; y` continues in the old folder if x doesn't exist.
            let goes_on = item.operator.is_some() && item.operator != Some(ListOperator::And);
            if goes_on && is_certain && scope.folders != folders {
                scope.also_in(&folders);
            }
            let joins_or = item.operator == Some(ListOperator::Or);
            if let Some(before) = &before
                && (!chains || joins_or || item.ends_list)
            {
                scope.merge(before);
            }
            if item.ends_list {
                before = None;
            }
            is_certain = if chains {
                is_certain && !joins_or && always_succeeds(item.command)
            } else {
                before = None;
                true
            };
        }
        if let Some(other) = at_leaving {
            scope.merge(&other);
        }
        self.left = left;
        output
    }

    fn pipeline(&mut self, commands: &[Node], scope: &mut Scope<'_>, input: &Stream) -> Stream {
        // A pipeline of one command runs in the shell itself.
        if let [only] = commands {
            return self.list(only, scope, input);
        }
        let mut flow = input.clone();
        for command in commands {
            let mut inner = scope.clone();
            flow = self.in_own_shell(&mut inner, |it, inner| it.list(command, inner, &flow));
            scope.take_files(inner);
        }
        flow
    }

    /// Walks the content of a compound command, with its redirects.
    fn compound(
        &mut self,
        redirects: &[Node],
        scope: &mut Scope<'_>,
        input: &Stream,
        walk: impl FnOnce(&mut Self, &mut Scope<'_>, &Stream) -> Stream,
    ) -> Stream {
        if redirects.is_empty() {
            return walk(self, scope, input);
        }
        let (redirects, feed) = self.redirects(redirects, scope);
        self.record_redirects(&redirects, scope);
        let output = walk(self, scope, feed.as_ref().unwrap_or(input));
        Self::write_out(&redirects, output, scope)
    }

    /// Expands redirects; returns what they pass to standard input.
    pub(crate) fn redirects(
        &mut self,
        nodes: &[Node],
        scope: &mut Scope<'_>,
    ) -> (Vec<Redirect>, Option<Stream>) {
        let mut redirects = Vec::new();
        let mut feed = None;
        for node in nodes {
            match &node.kind {
                NodeKind::HereDoc {
                    content,
                    quoted,
                    fd,
                    ..
                } => {
                    let target = if *quoted {
                        Word::plain(content.as_str())
                    } else {
                        self.expand_quoted(content, scope)
                    };
                    if *fd <= 0 {
                        feed = Some(text_or_output(&target));
                    }
                    redirects.push(Redirect {
                        kind: RedirectKind::Text,
                        target,
                        takes_output: false,
                    });
                }
                NodeKind::Redirect { op, target, fd, .. } => {
                    let target = self.expand_one(target, scope);
                    let kind = kind_of(op, &target);
                    if *fd <= 0 {
                        match kind {
                            RedirectKind::Text => {
                                let mut line = target.clone();
                                line.text.push('\n');
                                feed = Some(text_or_output(&line));
                            }
                            // Then it stays as it is.
                            RedirectKind::Read if scope.names_input(&target) => {}
                            RedirectKind::Read => feed = Some(self.read_from(&target, scope)),
                            RedirectKind::Descriptor if opens_another(op, &target) => {
                                feed = Some(Stream::Output(format!("<&{}", target.text)));
                            }
                            _ => {}
                        }
                    }
                    let writes = matches!(kind, RedirectKind::Write | RedirectKind::Append);
                    redirects.push(Redirect {
                        kind,
                        target,
                        takes_output: writes && (*fd <= 1 || op.contains('&')),
                    });
                }
                _ => {}
            }
        }
        (redirects, feed)
    }

    /// Records what is written to files; returns what is left to print.
    pub(crate) fn write_out(
        redirects: &[Redirect],
        output: Stream,
        scope: &mut Scope<'_>,
    ) -> Stream {
        let mut writes = false;
        for redirect in redirects {
            let appends = match redirect.kind {
                RedirectKind::Write => Appends::No,
                RedirectKind::Append => Appends::Yes,
                _ => continue,
            };
            // Standard error isn't known, and standard output continues.
            let text = output.text().filter(|_| redirect.takes_output);
            scope.write(&redirect.target, text, appends);
            writes |= redirect.takes_output;
        }
        if writes { Stream::nothing() } else { output }
    }

    pub(crate) fn define(&mut self, kind: DefinitionKind, name: &str) {
        self.found.definitions.push(Definition {
            kind,
            name: name.to_owned(),
        });
    }
}

/// Returns whether a redirection makes standard input another open file: `<&3`, but not `<&-` or
/// `<&0`.
fn opens_another(op: &str, target: &Word) -> bool {
    op == "<&" && !["-", "0", "0-"].contains(&target.text.as_str())
}
