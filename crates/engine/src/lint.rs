//! Finds suspicious hooks in a registry (CM-3): matchers that match no tool, duplicates of other
//! hooks, and hooks that aren't trusted. Runs nothing.

mod tools;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use hookloop_dialects::foreign_tool_names;
use hookloop_events::{EventName, SubjectKind, tool_name};
use hookloop_hook::{Dialect, Handler, HookDeclaration, Problem, ProblemCode, Source, quoted};

use crate::cause::SkipCause;
use crate::duplicates::near_duplicates;
use crate::inspect::HookStatus;
use crate::matcher::Matcher;
use crate::registry::{Registered, Registry};
use tools::{Finding, Scrutiny};

pub use tools::meant_tool;

/// Returns what is suspicious about a registry's hooks, in listing order (CM-3): tool matchers,
/// shadowed and untrusted hooks, and switches that turn hooks off.
///
/// The registry doesn't keep the text of settings, so the problems have no snippet; the caller adds
/// it from the problem's source. Matchers of other events are linted with the settings.
///
/// `host_tools` are the names of the tools that the host has besides the built-in ones and those of
/// MCP servers.
pub fn lint(registry: &Registry, host_tools: &[String]) -> Vec<Problem> {
    let mut linter = Linter {
        registry,
        host_tools,
        problems: Vec::new(),
        said: HashSet::new(),
        found: HashMap::new(),
    };
    for registered in registry.all() {
        linter.matcher(registered);
    }
    for status in registry.list() {
        linter.status(&status);
    }
    for problem in near_duplicates(registry) {
        linter.add(problem);
    }
    linter.problems
}

/// Returns what a session reports about matchers at its start (ST-11): matchers that aren't valid
/// patterns and are therefore compared as exact text (PL-1), that match no known tool, that match
/// one only by another of its names (PL-5), or whose comparison doesn't finish (PL-12). The pattern
/// of a hook that nobody has agreed to isn't compared, because there may be many (TR-2). Each
/// problem names its hook.
///
/// `host_tools` are the names of the tools that the host has besides the built-in ones and those of
/// MCP servers.
pub fn lint_patterns(registry: &Registry, host_tools: &[String]) -> Vec<Problem> {
    let mut linter = Linter {
        registry,
        host_tools,
        problems: Vec::new(),
        said: HashSet::new(),
        found: HashMap::new(),
    };
    for registered in registry.all() {
        if registered.causes.is_empty() {
            linter.matcher(registered);
        } else {
            linter.pattern(registered);
        }
    }
    let hooks = |problem: &Problem| {
        let id = problem.hook_id.as_ref()?;
        registry.find(id).map(|hook| hook.label().to_owned())
    };
    for problem in &mut linter.problems {
        if let Some(label) = hooks(problem) {
            problem.message = format!("hook {}: {}", quoted(&label), problem.message);
        }
    }
    let is_told = |problem: &Problem| problem.code != ProblemCode::MatcherExtraTool;
    linter.problems.retain(is_told);
    linter.problems
}

struct Linter<'a> {
    registry: &'a Registry,
    host_tools: &'a [String],
    problems: Vec<Problem>,
    /// What was reported already: the hooks of a group share their matcher.
    said: HashSet<(ProblemCode, Source, String)>,
    /// What was found in matchers, by matcher: many hooks share one.
    found: HashMap<(*const Matcher, Scrutiny), Vec<Finding>>,
}

impl Linter<'_> {
    fn add(&mut self, problem: Problem) {
        let key = (
            problem.code,
            problem.source.clone(),
            problem.message.clone(),
        );
        if self.said.insert(key) {
            self.problems.push(problem);
        }
    }

    fn matcher(&mut self, registered: &Registered) {
        let hook = &registered.hook;
        let concerned = hook.event.subject_kind() == SubjectKind::Tool
            && hook.handler != Handler::InProcess
            && !registered.matcher.matches_everything();
        if !concerned {
            return;
        }
        let scrutiny = if registered.is_safe_to_compare() {
            Scrutiny::Names
        } else {
            Scrutiny::Syntax
        };
        let key = (Arc::as_ptr(&registered.matcher), scrutiny);
        let found = self
            .found
            .entry(key)
            .or_insert_with(|| tools::look_at(hook.event, &registered.matcher, scrutiny))
            .clone();
        // Matchers that match no tool are reported in the agent's own file, in its own terms. What
        // is compared here is the translation, not the text of that file.
        let host_tools = self.host_tools;
        let is_ours = |finding: &Finding| {
            let is_said_there = !matches!(finding, Finding::Slow | Finding::WholeServer { .. });
            let is_theirs = hook.in_their_file && is_said_there;
            !is_theirs
                && !is_named_otherwise(hook, finding)
                && !names_one_of(host_tools, hook.event, finding)
        };
        for finding in found.into_iter().filter(is_ours) {
            self.add(matcher_problem(hook, finding));
        }
    }

    fn pattern(&mut self, registered: &Registered) {
        if registered.matcher.is_invalid_pattern() {
            let hook = &registered.hook;
            let meant = tools::pattern_of_glob(hook.event, registered.matcher.text());
            self.add(matcher_problem(hook, Finding::NoPattern { meant }));
        }
    }

    fn status(&mut self, status: &HookStatus) {
        let hook = &status.hook;
        for cause in &status.causes {
            match cause {
                SkipCause::HooksOff(Some(source)) => self.add(hooks_off(source)),
                SkipCause::UntrustedNew | SkipCause::UntrustedModified(_) => {
                    self.add(untrusted(hook, cause));
                }
                SkipCause::FolderUntrusted(_) => self.add(folder_untrusted(hook, cause)),
                SkipCause::Shadowed(other) => {
                    if let Some(stays) = self.registry.find(other) {
                        let problem = shadowed_problem(hook, stays);
                        self.add(problem);
                    }
                }
                // A hook that was switched off by name was switched off on purpose; the other
                // causes depend on a subject.
                _ => {}
            }
        }
    }
}

/// Returns whether a word that matches none of our tools names one after all: in the hook's dialect
/// (FD-12), or, for other agents that read the same file, beside the name that the tool has here.
fn is_named_otherwise(hook: &HookDeclaration, finding: &Finding) -> bool {
    let Finding::NoTool { part, meant } = finding else {
        return false;
    };
    let of_dialect = |dialect, tool: &str| {
        let names = foreign_tool_names(dialect, tool);
        names.iter().any(|it| it == part)
    };
    let matcher = hook.matcher.as_deref().unwrap_or_default();
    let mut words = matcher.split(['|', '(', ')', '^', '$']);
    let is_beside = meant.as_ref().is_some_and(|own| {
        let mut dialects = Dialect::ALL.iter();
        words.any(|it| it == own) && dialects.any(|dialect| of_dialect(*dialect, own))
    });
    is_beside || tool_name::built_in().any(|tool| of_dialect(hook.dialect, tool))
}

/// Returns whether a word that matches no built-in tool, or too many, names one that the host has.
fn names_one_of(host_tools: &[String], event: EventName, finding: &Finding) -> bool {
    let (Finding::NoTool { part: word, .. }
    | Finding::ExtraTools { word, .. }
    | Finding::Everything { word }) = finding
    else {
        return false;
    };
    if host_tools.is_empty() {
        return false;
    }
    let matcher = Matcher::new(event, Some(word));
    let mut host_tools = host_tools.iter();
    host_tools.any(|tool| tool == word || matcher.matches(tool, &[]))
}

fn new_problem(
    hook: &HookDeclaration,
    code: ProblemCode,
    source: Source,
    message: String,
    help: String,
) -> Problem {
    let mut problem = Problem::new(code, source, message, help);
    problem.event = Some(hook.event);
    problem.hook_id = Some(hook.id.clone());
    problem
}

fn matcher_problem(hook: &HookDeclaration, finding: Finding) -> Problem {
    let source = hook.source_of(hook.places.matcher);
    match finding {
        Finding::NoPattern { meant } => no_pattern(hook, source, meant),
        Finding::NoTool { part, meant } => {
            let message = format!("\"{part}\" matches no known tool");
            let help = match &meant {
                Some(meant) if part.trim() != part => {
                    format!("did you mean \"{meant}\"? whitespace is part of the pattern")
                }
                Some(meant) if part.contains('(') => format!(
                    "did you mean \"{meant}\"? a matcher is compared only with the tool's name: \
                     check its arguments in \"if\", or in the hook itself"
                ),
                Some(meant) => format!("did you mean \"{meant}\"?"),
                None => "write a tool's name; those of MCP tools begin with mcp__".to_owned(),
            };
            let code = ProblemCode::MatcherNoTool;
            let mut problem = new_problem(hook, code, source, message, help);
            problem.suggestion = meant;
            problem
        }
        Finding::WholeServer { part, meant } => whole_server(hook, source, &part, &meant),
        Finding::OnlyAlias { names } => {
            let matcher = hook.matcher.as_deref().unwrap_or_default();
            let message = format!(
                "the matcher \"{matcher}\" matches tools only by their other names: {}",
                names.join(", ")
            );
            let help = "the hook runs, and reads that name as `tool_name`; write the tool's own \
                        name to get that one"
                .to_owned();
            let code = ProblemCode::MatcherOnlyAlias;
            new_problem(hook, code, source, message, help)
        }
        Finding::Everything { word } => match_all_problem(hook, source, &word),
        Finding::Slow => {
            let matcher = hook.matcher.as_deref().unwrap_or_default();
            let message = format!(
                "comparing the matcher \"{matcher}\" takes too long, so it is treated as matching"
            );
            let help = "don't nest repetitions; `.*` needs no group".to_owned();
            let code = ProblemCode::MatcherSlow;
            new_problem(hook, code, source, message, help)
        }
        Finding::ExtraTools { word, tools, meant } => {
            let message = format!(
                "\"{word}\" isn't a tool's name and matches {} tools",
                tools.len()
            );
            let help = format!(
                "it matches {}; write the names of the ones you mean",
                tools.join(", ")
            );
            let code = ProblemCode::MatcherExtraTool;
            let mut problem = new_problem(hook, code, source, message, help);
            problem.suggestion = meant;
            problem
        }
    }
}

fn no_pattern(hook: &HookDeclaration, source: Source, meant: Option<String>) -> Problem {
    let matcher = hook.matcher.as_deref().unwrap_or_default();
    let message = format!(
        "the matcher \"{matcher}\" isn't a valid regular expression; it is compared as exact text"
    );
    let help = match &meant {
        Some(meant) => format!("did you mean \"{meant}\"? \".*\" stands for anything"),
        None if tools::is_of_files(matcher) => "a matcher is compared with the tool's name: write \
            \"write_file|replace\", and let the hook look at `file_path` in `tool_input`"
            .to_owned(),
        None if let Some(tool) = tools::embedded_tool(matcher) => {
            format!("write \"^{tool}$\" if you mean that tool; ECMAScript syntax has no (?i)")
        }
        None => "write a regular expression in ECMAScript syntax, with \\ in front of characters \
                 to be taken literally"
            .to_owned(),
    };
    let code = ProblemCode::MatcherInvalidRegex;
    let mut problem = new_problem(hook, code, source, message, help);
    problem.suggestion = meant;
    problem
}

fn whole_server(hook: &HookDeclaration, source: Source, part: &str, meant: &str) -> Problem {
    let message = format!(
        "\"{part}\" names an MCP server, but none of its tools: the hook never runs for any of them"
    );
    let help = format!("write \"{meant}\" for all tools of the server");
    let code = ProblemCode::MatcherNoTool;
    let mut problem = new_problem(hook, code, source, message, help);
    let matcher = hook.matcher.as_deref().unwrap_or_default();
    // What is compared is a translation, so a suggestion wouldn't fit another agent's file.
    problem.suggestion = (!hook.in_their_file).then(|| matcher.replacen(part, meant, 1));
    problem
}

fn match_all_problem(hook: &HookDeclaration, source: Source, word: &str) -> Problem {
    let message =
        format!("\"{word}\" is compared with the names of tools, but no tool has that name");
    let help = "write \"*\" for every tool, or leave the matcher out".to_owned();
    let code = ProblemCode::MatcherNoTool;
    let mut problem = new_problem(hook, code, source, message, help);
    problem.suggestion = Some("*".to_owned());
    problem
}

fn hooks_off(source: &Source) -> Problem {
    let message = "hooks are switched off here";
    let help = "set it to true, or remove it, to let hooks run";
    Problem::new(ProblemCode::HooksOff, source.clone(), message, help)
}

fn untrusted(hook: &HookDeclaration, cause: &SkipCause) -> Problem {
    let what = match cause {
        SkipCause::UntrustedModified(what) => what.as_str(),
        _ => "nobody has trusted it yet",
    };
    let message = format!("hook {} doesn't run: {what}", quoted(hook.label()));
    let help = "read what it does, then run `hookloop hooks trust`".to_owned();
    new_problem(
        hook,
        ProblemCode::UntrustedHook,
        hook.source.clone(),
        message,
        help,
    )
}

fn folder_untrusted(hook: &HookDeclaration, cause: &SkipCause) -> Problem {
    let message = format!(
        "hook {} doesn't run: {}",
        quoted(hook.label()),
        cause.message()
    );
    let help = "change the entry to TRUST_FOLDER if you trust the folder".to_owned();
    new_problem(
        hook,
        ProblemCode::FolderUntrusted,
        hook.source.clone(),
        message,
        help,
    )
}

/// Returns which hook stays, and what is lost with this one (PL-7).
fn shadowed_problem(hook: &HookDeclaration, stays: &HookDeclaration) -> Problem {
    if hook.is_copied_from(stays) {
        return copied_problem(hook, stays);
    }
    let message = format!(
        "hook {} doesn't run twice: the same hook is configured at {} and runs from there",
        quoted(hook.label()),
        stays.source
    );
    let help = "remove one of the two, or give them different names".to_owned();
    new_problem(
        hook,
        ProblemCode::ShadowedHook,
        hook.source.clone(),
        message,
        help,
    )
}

/// Returns the problem that a migrated hook doesn't run because its original is adopted (FD-2).
fn copied_problem(hook: &HookDeclaration, original: &HookDeclaration) -> Problem {
    let message = format!(
        "hook {} doesn't run: it was migrated from {}, and that file is adopted, so the original \
         runs",
        quoted(hook.label()),
        original.source
    );
    let help = format!(
        "remove this copy: the original follows later edits of its file; to keep the copy instead, \
         remove \"{}\" from \"adopt\" in \"hooksConfig\"",
        original.dialect
    );
    let code = ProblemCode::ShadowedHook;
    new_problem(hook, code, hook.source.clone(), message, help)
}

#[cfg(test)]
mod tests;
