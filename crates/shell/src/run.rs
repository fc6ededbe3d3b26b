//! A simple command: what its words mean, and what it starts.

mod builtins;
mod carried;
mod embedded;
mod evaluated;
mod fetched;
mod git_settings;
mod languages;
mod loaded;
mod own_shell;
mod program_strings;
mod reading;
mod renamed;
mod shells;
mod tmux;
mod usual_variables;

pub use builtins::is_builtin;
pub use git_settings::{GitSettings, alias_of_git, end_of_head, settings_of_git};

use std::rc::Rc;

use crate::consoles::opens_shell;
use crate::files;
use crate::flow::Stream;
use crate::languages::is_shell;
use crate::options;
use crate::scope::Scope;
use crate::simple::{Simple, base_name};
use crate::syntax::{Node, NodeKind};
use crate::understood::{Command, Failing, OpaqueReason, Place, Redirect, RedirectKind, Word};
use crate::walk::Walker;
use crate::{normalize_path, outputs, wrappers};

/// Variables whose value a shell or another program runs.
const RUN_BY_OTHERS: &[&str] = &[
    "PROMPT_COMMAND",
    "GIT_SSH_COMMAND",
    "GIT_EXTERNAL_DIFF",
    "GIT_PROXY_COMMAND",
    "GIT_SSH",
    "PAGER",
    "MANPAGER",
    "EDITOR",
    "VISUAL",
    "BROWSER",
    "LESSOPEN",
    "LESSCLOSE",
    "RSYNC_RSH",
    "RSYNC_CONNECT_PROG",
    "NPM_CONFIG_SCRIPT_SHELL",
];

/// Prompts, which bash expands when it shows them.
const PROMPTS: [&str; 5] = ["PS0", "PS1", "PS2", "PS4", "PROMPT"];

/// How the names of such variables of many programs end: `BAT_PAGER`, `KUBE_EDITOR`, `GIT_ASKPASS`.
const RUN_BY_PROGRAMS: &[&str] = &["_PAGER", "_EDITOR", "_ASKPASS", "_BROWSER"];

/// Returns whether the value of a variable is what a shell or another program runs.
fn is_run_by_others(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    RUN_BY_OTHERS.contains(&name.as_str()) || RUN_BY_PROGRAMS.iter().any(|it| name.ends_with(it))
}

/// The variable that names a file which bash reads before it begins.
const START_FILE: &str = "BASH_ENV";

/// How often aliases and functions are followed inside themselves.
const MAX_CALL_DEPTH: usize = 3;

/// Returns whether a word names a program that uses file names as given, without changing its
/// folder.
fn keeps_folder(first: Option<&Node>, scope: &Scope<'_>) -> bool {
    let Some(NodeKind::Word { value, .. }) = first.map(|it| &it.kind) else {
        return false;
    };
    ["rm", "rmdir", "mkdir", "touch"].contains(&value.as_str())
        && !scope.functions.contains_key(value)
        && !scope.aliases.contains_key(value)
}

impl Walker {
    /// Walks a simple command as it is written.
    pub(crate) fn simple(
        &mut self,
        assignments: &[Node],
        words: &[Node],
        redirects: &[Node],
        scope: &mut Scope<'_>,
        input: &Stream,
    ) -> Stream {
        let mut simple = Simple::default();
        let mut arrays = Vec::new();
        let mut inner = scope.clone();
        for assignment in assignments {
            let Some((assignment, elements)) = self.expand_assignment(assignment, &mut inner)
            else {
                continue;
            };
            let given = &assignment.value;
            inner.set(&assignment.name, given.known.then(|| given.text.clone()));
            inner.export(&assignment.name);
            if let Some(elements) = elements {
                inner
                    .arrays
                    .insert(assignment.name.clone(), elements.clone());
                arrays.push((assignment.name.clone(), elements));
            }
            simple.env.push(assignment);
        }
        simple.words = self.expand_words(words, scope);
        self.named_programs(&simple, scope);
        for assignment in simple.env.iter().filter(|it| it.value.known) {
            self.evaluated_value(&assignment.name, &assignment.value.text, scope);
        }
        let start_file = simple.env.iter().find(|it| it.name == START_FILE);
        if let Some(file) = start_file.filter(|it| !it.value.text.is_empty() && !words.is_empty()) {
            self.note_opaque(OpaqueReason::ComputedText, &file.value.text);
        }
        let (redirects, feed) = self.redirects(redirects, scope);
        simple.redirects = redirects;
        if simple.words.is_empty() {
            for assignment in &simple.env {
                let value = &assignment.value;
                self.note_fetched(&assignment.name, value);
                scope.assign(&assignment.name, value);
            }
            for (name, elements) in arrays {
                scope.arrays.insert(name, elements);
            }
            self.record(simple.clone(), scope, &Stream::Inherited);
            self.loaded_by_variables(&simple, scope);
            return Self::write_out(&simple.redirects, Stream::nothing(), scope);
        }
        let redirects = simple.redirects.clone();
        let input = &self.input_of(&simple.words, feed, scope, input);
        // Assignments before the command apply to what it starts.
        let output = if simple.env.is_empty() {
            self.run(simple, scope, input)
        } else {
            let alone = simple.env.clone();
            let output = self.run(simple, &mut inner, input);
            scope.take_effects(inner, &alone);
            output
        };
        Self::write_out(&redirects, output, scope)
    }

    /// Expands the words of a simple command, and sets what it declares.
    fn expand_words(&mut self, nodes: &[Node], scope: &mut Scope<'_>) -> Vec<Word> {
        let mut words = Vec::new();
        let declares = nodes.first().is_some_and(builtins::is_declaration);
        let outer = self.names_from_here;
        self.names_from_here = keeps_folder(nodes.first(), scope);
        for (number, node) in nodes.iter().enumerate() {
            if declares && number > 0 && builtins::is_assignment(node) {
                if let Some((assignment, elements)) = self.expand_assignment(node, scope) {
                    self.declare(&words, &assignment, elements, scope);
                    let text = format!("{}={}", assignment.name, assignment.value.text);
                    words.push(Word {
                        text,
                        ..assignment.value
                    });
                }
                continue;
            }
            words.extend(self.expand(node, scope));
        }
        self.names_from_here = outer;
        words
    }

    /// Notes that what a variable has a program carry out is computed, and not only an argument in
    /// it: `GIT_SSH_COMMAND="$(…)"`.
    fn computed_programs(&mut self, simple: &Simple) {
        let is_run = |name: &str| is_run_by_others(name) || PROMPTS.contains(&name);
        let is_all = |text: &str| text.starts_with("$(") || text.starts_with('`');
        let in_front = simple.env.iter().filter(|it| !it.value.known);
        let in_front = in_front.map(|it| (it.name.as_str(), it.value.text.as_str()));
        let declared = simple.words.iter().filter(|it| !it.known);
        let declared = declared.filter_map(|it| it.text.split_once('='));
        let mut all = in_front.chain(declared);
        if let Some((_, text)) = all.find(|(name, text)| is_run(name) && is_all(text)) {
            self.note_opaque(OpaqueReason::ComputedText, text);
        }
    }

    /// Walks what runs because of variables that name a program: `PROMPT_COMMAND=…`.
    fn named_programs(&mut self, simple: &Simple, scope: &Scope<'_>) {
        self.computed_programs(simple);
        let texts: Vec<String> = loaded::variables_of(simple)
            .filter(|(name, text)| is_run_by_others(name) && text.contains([' ', '/']))
            // `LESSOPEN='|program %s'`
            .map(|(_, text)| text.trim_start_matches(['|', '-', ' ']).to_owned())
            .collect();
        for text in texts {
            let parsed = self.found.parsed;
            self.own_text(&text, scope);
            self.found.parsed = parsed;
        }
    }

    /// Runs words that form a command; returns what it prints.
    pub(crate) fn run(&mut self, simple: Simple, scope: &mut Scope<'_>, input: &Stream) -> Stream {
        let copied = self.through.len() + simple.words.len() + simple.redirects.len();
        // A command that starts another is copied with all its words, once for each level.
        if self.is_spent(copied * (1 + self.nested)) {
            return Stream::Output(String::new());
        }
        self.within(|it| it.run_within(simple, scope, input))
    }

    fn run_within(&mut self, simple: Simple, scope: &mut Scope<'_>, input: &Stream) -> Stream {
        let Some(first) = simple.words.first().cloned() else {
            self.record(simple, scope, input);
            return Stream::nothing();
        };
        if first.text.is_empty() && first.known && !first.quoted {
            let rest = simple.words[1..].to_vec();
            return self.run(simple.with_words(rest), scope, input);
        }
        // A pattern may be any program: `/bin/r?`.
        let name = base_name(&first.text);
        let is_pattern = first.pattern && !["[", "[["].contains(&name);
        if !first.known || is_pattern && name.contains(['?', '*', '[']) {
            self.note_opaque(OpaqueReason::ComputedProgram, &first.text);
            if let Some(program) = usual_variables::program_of_variable(&first.text) {
                let mut simple = simple;
                simple.words[0] = Word::plain(program);
                return self.run(simple, scope, input);
            }
            self.record(simple, scope, input);
            return Stream::Output(first.text);
        }
        // Whether an alias or a copy applies isn't certain: a non-interactive shell doesn't expand
        // aliases, and a copy may not be in the search path. So both are followed.
        let other = self
            .alias(&first, &simple, scope, input)
            .or_else(|| self.copy(&first, &simple, scope, input));
        let own = self.as_named(&first, simple, scope, input);
        match other {
            Some(other) => own.then(other),
            None => own,
        }
    }

    /// Runs words, the first of which names the program.
    fn as_named(
        &mut self,
        first: &Word,
        simple: Simple,
        scope: &mut Scope<'_>,
        input: &Stream,
    ) -> Stream {
        if let Some(bodies) = scope.functions.get(&first.text).cloned() {
            let is_program = scope.doubtful.contains(&first.text);
            let called = self.call(&first.text, &bodies, simple.clone(), scope, input);
            if !is_program {
                return called;
            }
            let mut other = scope.clone();
            other.functions.remove(&first.text);
            let started = self.walk_maybe(|it| it.as_named(first, simple, &mut other, input));
            scope.merge(&other);
            return called.then(started);
        }
        // The shell itself, which starts it.
        let is_itself = first.text.starts_with("/proc/") && first.text.ends_with("/exe");
        let program = if is_itself {
            "bash".to_owned()
        } else {
            base_name(&first.text).to_owned()
        };
        self.record(simple.clone(), scope, input);
        self.loaded_by_variables(&simple, scope);
        self.loaded_by_options(&program, &simple.words[1..], scope, input);
        self.written_by_itself(&program, &simple.words[1..], scope, input);
        self.may_end_behind(&program, scope);
        if let Some(output) = self.builtin(&program, &simple, scope, input) {
            return output;
        }
        if program == "git" {
            self.settings_given_to_git(&simple.words[1..], scope);
        }
        if opens_shell(&program, &simple.words[1..]) {
            self.shell_opened_by(&program, scope, input);
        }
        if let Some(unwrapped) = wrappers::unwrap(&program, &simple, input) {
            return self.run_unwrapped(&program, unwrapped, &simple, scope, input);
        }
        if is_shell(&program) {
            return self.shell(&program, &simple, scope, input);
        }
        carried::copied_program(&program, &simple.words, scope);
        self.carried(&program, &simple, scope, input);
        self.language(&program, &simple, scope, input);
        self.script_just_written(first, &simple, scope, input);
        outputs::of(&program, &simple, scope, input, self)
    }

    /// Runs the programs that were copied or linked to a name.
    fn copy(
        &mut self,
        first: &Word,
        simple: &Simple,
        scope: &mut Scope<'_>,
        input: &Stream,
    ) -> Option<Stream> {
        let name = base_name(&first.text);
        let mut output = None;
        for original in scope.copies.get(name).cloned().unwrap_or_default() {
            if original == name || self.inside.contains(&original) {
                continue;
            }
            self.inside.push(original.clone());
            let mut words = simple.words.clone();
            words[0] = Word::plain(original);
            let printed = self.run(simple.with_words(words), scope, input);
            self.inside.pop();
            output = Some(match output {
                Some(before) => Stream::then(before, printed),
                None => printed,
            });
        }
        output
    }

    /// Runs what an alias stands for.
    fn alias(
        &mut self,
        first: &Word,
        simple: &Simple,
        scope: &mut Scope<'_>,
        input: &Stream,
    ) -> Option<Stream> {
        let aliases = scope
            .aliases
            .get(&first.text)
            .filter(|_| !first.quoted)?
            .clone();
        let calls = self.inside.iter().filter(|it| **it == first.text).count();
        if calls > 0 {
            return None;
        }
        self.inside.push(first.text.clone());
        let rest: Vec<&str> = simple.words[1..]
            .iter()
            .map(|it| it.text.as_str())
            .collect();
        let rest = crate::join(rest);
        let mut output: Option<Stream> = None;
        for alias in aliases {
            let printed = self.text(&format!("{alias} {rest}"), scope, input);
            output = Some(match output {
                Some(before) => before.then(printed),
                None => printed,
            });
        }
        self.inside.pop();
        output
    }

    fn call(
        &mut self,
        name: &str,
        bodies: &[Rc<Node>],
        simple: Simple,
        scope: &mut Scope<'_>,
        input: &Stream,
    ) -> Stream {
        let calls = self.inside.iter().filter(|it| *it == name).count();
        if calls >= MAX_CALL_DEPTH {
            self.note_opaque(OpaqueReason::TooDeep, name);
            return Stream::Output(name.to_owned());
        }
        let arguments = simple.words[1..].to_vec();
        self.record(simple, scope, input);
        self.inside.push(name.to_owned());
        let before = scope.clone();
        let mut after: Option<Scope<'_>> = None;
        let left = std::mem::take(&mut self.left);
        let outer = (self.perhaps, self.called_perhaps);
        self.called_perhaps |= self.perhaps;
        self.perhaps = false;
        let mut output = Stream::nothing();
        for body in bodies {
            let mut inner = before.clone();
            inner.positional = Some(arguments.clone());
            inner.locals.clear();
            output = output.then(self.list(body, &mut inner, input));
            inner.leave_function(before.clone());
            after = Some(inner.merged(after));
        }
        (self.perhaps, self.called_perhaps) = outer;
        self.left = left;
        *scope = after.unwrap_or(before);
        self.inside.pop();
        output
    }

    /// Runs what a wrapper starts.
    fn run_unwrapped(
        &mut self,
        program: &str,
        unwrapped: wrappers::Unwrapped,
        simple: &Simple,
        scope: &mut Scope<'_>,
        input: &Stream,
    ) -> Stream {
        let wrappers::Unwrapped {
            commands,
            texts,
            env,
            removed,
            place,
            folder,
        } = unwrapped;
        self.through.push(program.to_owned());
        let place_before = self.place;
        if self.place != Place::Remote {
            self.place = place.unwrap_or(self.place);
        }
        let mut inner = scope.clone();
        if self.place != place_before {
            inner = Scope::new(crate::Surroundings::default());
        }
        if let Some(folder) = folder {
            let moved = inner.path_of(&folder);
            let paths = moved.paths.iter();
            inner.folders = paths.map(|path| normalize_path(path)).collect();
        }
        inner.lose(&removed);
        let removed_before = self.removed.clone();
        removed.add_to(&mut self.removed);
        for assignment in &env {
            let value = &assignment.value;
            inner.set(&assignment.name, value.known.then(|| value.text.clone()));
            inner.export(&assignment.name);
            if value.known {
                self.evaluated_value(&assignment.name, &value.text, &inner);
            }
        }
        let is_here = ["command", "builtin"].contains(&program);
        let mut output = Stream::nothing();
        for words in commands {
            let name = words.first().map(|it| it.text.clone()).unwrap_or_default();
            let mut started = simple.with_words(words);
            started.env.extend(env.iter().cloned());
            // Not a function of this shell, unless it was exported.
            let function = inner.functions.remove(&name);
            output = output.then(self.run(started.clone(), &mut inner, input));
            let Some(function) = function else {
                continue;
            };
            inner.functions.insert(name, function);
            if !is_here {
                output = output.then(self.run(started, &mut inner.clone(), input));
            }
        }
        for text in texts {
            if text.known {
                let mut child = inner.for_child();
                let printed =
                    self.in_own_shell(&mut child, |it, inner| it.text(&text.text, inner, input));
                inner.take_files(child);
                output = output.then(printed);
            } else {
                self.guess(&text, &mut inner, input);
                output = Stream::Output(program.to_owned());
            }
        }
        if self.place == place_before && is_here {
            *scope = inner;
        } else if self.place == place_before {
            scope.take_files(inner);
        }
        self.place = place_before;
        self.removed = removed_before;
        self.through.pop();
        output
    }

    /// Walks a text with unknown parts, for the widest reading, and records that.
    pub(crate) fn guess(&mut self, text: &Word, scope: &mut Scope<'_>, input: &Stream) {
        self.note_opaque(OpaqueReason::ComputedText, &text.text);
        let parsed = self.found.parsed;
        let count = self.found.opaque_parts.len();
        let begins = text.text.strip_prefix('$');
        let looks_whole = begins.is_none_or(|it| !it.starts_with('(') && it.contains(' '));
        if looks_whole {
            self.text(&text.text, scope, input);
            self.found.parsed = parsed;
            self.found.opaque_parts.truncate(count);
        }
    }

    /// Walks a script that this text wrote itself.
    fn script_just_written(
        &mut self,
        first: &Word,
        simple: &Simple,
        scope: &mut Scope<'_>,
        input: &Stream,
    ) {
        match scope.started_text(first).cloned() {
            Some(Some(text)) => {
                self.written_script(&text, simple.words[1..].to_vec(), scope, input);
            }
            Some(None) => self.note_opaque(OpaqueReason::PipedText, &first.text),
            None => {}
        }
    }

    /// Walks the text of a script with arguments.
    pub(crate) fn written_script(
        &mut self,
        text: &str,
        arguments: Vec<Word>,
        scope: &Scope<'_>,
        input: &Stream,
    ) -> Stream {
        let interpreter = text.strip_prefix("#!").and_then(|it| it.lines().next());
        let mut inner = scope.for_child();
        if let Some(line) = interpreter {
            let mut words = line.split_whitespace().map(base_name);
            let program = words
                .rfind(|it| *it != "env" && !it.starts_with('-'))
                .unwrap_or("sh")
                .to_owned();
            if !is_shell(&program) {
                let words = vec![Word::plain(program.as_str())];
                self.record(Simple::default().with_words(words), scope, input);
                self.code(&program, text, &mut inner);
                return Stream::Output(program);
            }
        }
        inner.positional = Some(arguments);
        self.in_own_shell(&mut inner, |it, inner| it.text(text, inner, input))
    }

    /// Notes a command.
    pub(crate) fn record(&mut self, simple: Simple, scope: &Scope<'_>, input: &Stream) {
        let Simple {
            env,
            words,
            redirects,
        } = simple;
        if words.is_empty() && env.is_empty() && redirects.is_empty() {
            return;
        }
        let known = words.iter().all(|word| word.known)
            && env.iter().all(|it| it.value.known)
            && redirects
                .iter()
                .all(|it| it.target.known || it.kind == RedirectKind::Text);
        let mut command = Command {
            invoked: words
                .first()
                .map(|word| word.text.clone())
                .unwrap_or_default(),
            words,
            env,
            removed: self.removed.clone(),
            redirects,
            place: self.place,
            through: self.through.clone(),
            input: input.as_input(),
            folders: scope.folders.clone(),
            search_path: scope.assigned_value("PATH").cloned(),
            known,
            perhaps: self.perhaps || self.called_perhaps,
            failing: if self.spared {
                Failing::HasAlternative
            } else {
                Failing::Counts
            },
            repeats: self.repeats,
            timing: self.timing,
            ..Command::default()
        };
        if command.words.first().is_some_and(|word| word.known) {
            base_name(&command.invoked).clone_into(&mut command.program);
        }
        options::analyse(&mut command);
        files::analyse(&mut command, scope);
        self.found.commands.push(command);
    }

    /// Notes the redirects of a compound command, which no program has.
    pub(crate) fn record_redirects(&mut self, redirects: &[Redirect], scope: &Scope<'_>) {
        let simple = Simple {
            redirects: redirects.to_vec(),
            ..Simple::default()
        };
        self.record(simple, scope, &Stream::Inherited);
    }
}
