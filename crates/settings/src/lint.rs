//! The pure part of `hooks check` (CM-3).

mod conditions;
mod rule_files;
mod servers;
mod unevaluated;

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use hookloop_dialects::{calls_bridge, refuses_by_failing};
use hookloop_events::{EventName, SubjectKind};
use hookloop_hook::Source;
use hookloop_hook::{Dialect, Handler, HookDeclaration};
use hookloop_hook::{Layer, quoted};
use hookloop_hook::{Mode, OnFailure};
use hookloop_hook::{Problem, ProblemCode, Refusing};
use hookloop_hook::{Rule, RuleVerdict, Rules};
use hookloop_text::shorten::excerpt;

use crate::adopted::report_ineffective;
use crate::near::nearest;
use crate::settings::Settings;
pub use conditions::{MatchedTools, likely_tool, tool_of_others, tools_of};
pub use rule_files::lint_rules_file;

/// A timeout below this is probably meant in seconds.
const MIN_TIMEOUT: Duration = Duration::from_millis(100);
/// A timeout above this is probably a mistake of units.
const MAX_TIMEOUT: Duration = Duration::from_hours(1);

/// Most `disabled` entries that a near match is looked for.
const MAX_SUGGESTIONS: usize = 50;

/// Returns what is suspicious but valid: timeouts, matchers that can't match, duplicates, and
/// `disabled` entries that disable nothing (CM-3, PL-4). The engine checks the matchers of tools.
pub fn lint(settings: &Settings) -> Vec<Problem> {
    let mut linter = Linter {
        settings,
        problems: Vec::new(),
    };
    for hook in &settings.hooks {
        linter.timeout(hook);
        linter.matcher(hook);
        linter.question(hook);
        linter.refusing_rule(hook);
        linter.problems.extend(servers::unfit(settings, hook));
        linter.problems.extend(conditions::doubtful(settings, hook));
        linter.problems.extend(unevaluated::find(settings, hook));
    }
    linter.duplicates();
    linter.disabled_names();
    linter.problems.extend(report_ineffective(settings));
    linter.problems
}

/// Returns the part of [`lint`] that a session reports at its start (ST-11, CM-11): matchers that
/// never match or have no effect, and timeouts in the wrong unit. Each problem names its hook.
///
/// Of names that disable nothing, only the project's are reported: the user's may refer to a hook
/// of another project.
pub fn lint_at_start<'h>(
    settings: &Settings,
    hooks: impl IntoIterator<Item = &'h HookDeclaration>,
) -> Vec<Problem> {
    let mut linter = Linter {
        settings,
        problems: Vec::new(),
    };
    for hook in hooks {
        let before = linter.problems.len();
        if hook.timeout < MIN_TIMEOUT {
            linter.timeout(hook);
        }
        linter.matcher(hook);
        linter.question(hook);
        linter.refusing_rule(hook);
        linter.problems.extend(servers::unfit(settings, hook));
        linter.problems.extend(conditions::doubtful(settings, hook));
        linter.problems.extend(unevaluated::find(settings, hook));
        for problem in &mut linter.problems[before..] {
            problem.message = format!(
                "hook {}: {}",
                quoted(&excerpt(hook.label())),
                problem.message
            );
        }
    }
    linter.disabled_names();
    linter.problems.extend(report_ineffective(settings));
    linter.problems.retain(|it| {
        let is_of_all = matches!(
            it.code,
            ProblemCode::UnknownDisabledName | ProblemCode::NothingToRun
        );
        !is_of_all || it.source.layer == Some(Layer::Project)
    });
    linter.problems
}

/// Returns a hint for each hook that can refuse and doesn't configure what its failure means
/// (CM-3).
pub fn guards_without_on_failure(settings: &Settings) -> Vec<Problem> {
    let is_open = |hook: &&HookDeclaration| {
        hook.event.can_refuse()
            && hook.on_failure == OnFailure::Default
            && hook.broken.is_none()
            && hook.mode == Mode::Active
            && !hook.asynchronous
            // Entries that `bridge install` writes are for other agents, and never run here
            // (BR-12).
            && !calls_bridge(hook.command())
            && !(hook.in_their_file && says_by_its_words(hook))
    };
    let hint = |hook: &HookDeclaration| {
        let failing = if hook.event.is_before_action() {
            "if it fails after it has started, the action continues"
        } else {
            "if it fails, the action continues"
        };
        let message = format!(
            "hook {} doesn't say what its failure means: {failing}",
            quoted(&excerpt(hook.label()))
        );
        let help = refusal_help(hook);
        let code = ProblemCode::GuardWithoutOnFailure;
        let mut problem = settings.problem(code, hook.source.clone(), message, help);
        problem.event = Some(hook.event);
        problem.hook_id = Some(hook.id.clone());
        problem
    };
    settings.hooks.iter().filter(is_open).map(hint).collect()
}

/// Returns whether there is nothing to say about a hook in an agent's own file: nothing can be
/// refused there after it happened, and with Copilot every failure before a tool refuses (FD-20).
fn says_by_its_words(hook: &HookDeclaration) -> bool {
    match hook.event {
        EventName::BeforeTool => refuses_by_failing(hook.dialect, hook.event),
        EventName::BeforeAgent => false,
        _ => true,
    }
}

/// Returns how to make a hook refuse when it fails: an agent's own file can't contain our words.
fn refusal_help(hook: &HookDeclaration) -> &'static str {
    if !hook.in_their_file {
        return "add \"onFailure\": \"deny\" if it is a guard, else \"onFailure\": \"warn\"";
    }
    match hook.dialect {
        Dialect::Cursor => "add \"failClosed\": true if it is a guard",
        _ if hook.extension.is_some() => {
            "if it is a guard, let its program end with exit code 2 wherever it fails"
        }
        _ => {
            "if it is a guard, let its program end with exit code 2 wherever it fails, or say \
             \"hooksConfig\": {\"onFailure\": \"deny\"} in the settings that adopt it, which \
             counts for all hooks of that layer"
        }
    }
}

struct Linter<'a> {
    settings: &'a Settings,
    problems: Vec<Problem>,
}

impl Linter<'_> {
    fn add(
        &mut self,
        code: ProblemCode,
        source: Source,
        message: String,
        help: String,
        hook: Option<&HookDeclaration>,
    ) -> &mut Problem {
        let mut problem = self.settings.problem(code, source, message, help);
        problem.event = hook.map(|hook| hook.event);
        problem.hook_id = hook.map(|hook| hook.id.clone());
        let index = self.problems.len();
        self.problems.push(problem);
        &mut self.problems[index]
    }

    fn timeout(&mut self, hook: &HookDeclaration) {
        let milliseconds = hook.timeout.as_millis();
        // Half a second may be written as 0.5, which is less than a millisecond.
        let seconds = hook.timeout.as_micros();
        let (message, help) = if hook.timeout < MIN_TIMEOUT {
            (
                format!(
                    "a timeout of {} ms is very short",
                    hook.timeout.as_secs_f64() * 1000.0
                ),
                format!("write {seconds} if you meant seconds; the unit is milliseconds"),
            )
        } else if hook.timeout > MAX_TIMEOUT {
            (
                format!("a timeout of {milliseconds} ms is longer than an hour"),
                "write it with a unit, such as \"30s\"; plain numbers are milliseconds".to_owned(),
            )
        } else {
            return;
        };
        let source = hook.source_of(hook.places.timeout);
        let code = ProblemCode::TimeoutSuspicious;
        self.add(code, source, message, help, Some(hook));
    }

    /// Looks for a question to a model at an event that can't refuse: its answer does nothing else.
    fn question(&mut self, hook: &HookDeclaration) {
        if hook.refusing() == Refusing::Always || !matches!(hook.handler, Handler::Prompt(_)) {
            return;
        }
        let message = format!(
            "a model is called, but its answer refuses nothing: {} can't refuse",
            hook.event
        );
        let help = "put the hook at BeforeTool to refuse calls, at BeforeAgent to refuse prompts, \
                    or at AfterAgent to make the agent continue";
        let source = hook.source.clone();
        let code = ProblemCode::RefusalLost;
        self.add(code, source, message, help.to_owned(), Some(hook));
    }

    /// Looks for a rule that refuses or asks at an event that can't refuse.
    fn refusing_rule(&mut self, hook: &HookDeclaration) {
        let Handler::Rule {
            rules: Rules::Inline(rules),
        } = &hook.handler
        else {
            return;
        };
        let is_lost = |it: &&Rule| matches!(it.then, RuleVerdict::Deny | RuleVerdict::Ask);
        let Some(rule) = rules.iter().find(is_lost) else {
            return;
        };
        if hook.refusing() != Refusing::Never {
            return;
        }
        let name = rule.name.as_deref().unwrap_or(&rule.when);
        let message = format!(
            "the rule \"{name}\" refuses nothing: {} can't refuse",
            hook.event
        );
        let help = "put the hook at BeforeTool to refuse calls, at BeforeAgent to refuse prompts, \
                    or at BeforeModel to refuse requests";
        let source = hook.source.clone();
        let code = ProblemCode::RefusalLost;
        self.add(code, source, message, help.to_owned(), Some(hook));
    }

    fn matcher(&mut self, hook: &HookDeclaration) {
        let Some(matcher) = hook
            .matcher
            .as_deref()
            .filter(|it| !matches!(*it, "" | "*"))
        else {
            return;
        };
        let source = hook.source_of(hook.places.matcher);
        match hook.event.subject_kind() {
            SubjectKind::Tool => {}
            SubjectKind::None => {
                let message = format!("{} has nothing to match; its hooks always run", hook.event);
                let help = "remove the matcher".to_owned();
                let code = ProblemCode::MatcherWithoutSubject;
                self.add(code, source, message, help, Some(hook));
            }
            SubjectKind::Word => self.words(hook, matcher, &source),
        }
    }

    /// Looks for words that the subject of a lifecycle event never is (PL-3).
    fn words(&mut self, hook: &HookDeclaration, matcher: &str, source: &Source) {
        let known = hook.event.subject_words();
        for word in matcher.split('|').filter(|word| !known.contains(word)) {
            let meant = nearest(word, known.iter().copied());
            let message = format!(
                "\"{}\" matches no {} of {}",
                excerpt(word),
                subject(hook.event),
                hook.event
            );
            let help = format!("write one of {}", known.join(", "));
            let code = ProblemCode::MatcherNoTool;
            self.add(code, source.clone(), message, help, Some(hook))
                .suggestion = meant.map(str::to_owned);
        }
    }

    /// Looks for a name, or a command for the same, that is twice in one event and layer.
    fn duplicates(&mut self) {
        let settings = self.settings;
        let mut seen: HashMap<(Place<'_>, Key<'_>), &HookDeclaration> = HashMap::new();
        for hook in &settings.hooks {
            let place = (
                hook.event,
                hook.source.layer,
                hook.source.extension.as_deref(),
            );
            let command = Some(Key::from_command(hook)).filter(|_| !hook.command().is_empty());
            let name = hook.name.as_deref().map(Key::Name);
            let keys = name.into_iter().chain(command);
            let mut first = None;
            for key in keys {
                let earlier = *seen.entry((place, key)).or_insert(hook);
                // For an original and its copy, another problem reports which one runs (FD-2).
                let is_copy = hook.is_copied_from(earlier) || earlier.is_copied_from(hook);
                if !std::ptr::eq(earlier, hook) && !is_copy {
                    first = first.or(Some((key, earlier)));
                }
            }
            let Some((key, earlier)) = first else {
                continue;
            };
            let (what, text) = match key {
                Key::Name(name) => ("name", name),
                Key::Command { command, .. } => ("command", command),
            };
            let message = format!(
                "the {what} \"{}\" is used twice at {}, first in {}",
                excerpt(text),
                hook.event,
                earlier.source
            );
            let help = "remove one of the two, or give them different names".to_owned();
            self.add(
                ProblemCode::DuplicateHook,
                hook.source.clone(),
                message,
                help,
                Some(hook),
            );
        }
    }

    /// Looks for `disabled` entries that name no hook (ST-7).
    fn disabled_names(&mut self) {
        let settings = self.settings;
        let labels: HashSet<&str> = settings.hooks.iter().map(HookDeclaration::label).collect();
        let mut suggested = 0;
        for entry in &settings.switches.disabled {
            // A bare name in the user's list may belong to a hook of another project.
            let may_be_elsewhere = entry.source.layer != Some(Layer::Project);
            if labels.contains(entry.name.as_str()) || entry.names_project() {
                continue;
            }
            // Comparing all names with each of very many entries would take too long.
            suggested += 1;
            let names = labels
                .iter()
                .copied()
                .filter(|_| suggested <= MAX_SUGGESTIONS);
            let meant = nearest(&entry.name, names);
            let help = match meant {
                Some(meant) => format!("did you mean \"{}\"?", excerpt(meant)),
                None if may_be_elsewhere => {
                    "remove the entry unless it is meant for a hook of another project".to_owned()
                }
                None => "remove the entry; it disables nothing".to_owned(),
            };
            let message = format!("no hook is named \"{}\"", excerpt(&entry.name));
            let code = ProblemCode::UnknownDisabledName;
            self.add(code, entry.source.clone(), message, help, None)
                .suggestion = meant.map(str::to_owned);
        }
    }
}

/// Event, layer and extension.
type Place<'a> = (EventName, Option<Layer>, Option<&'a str>);

/// What two hooks may have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Key<'a> {
    Name(&'a str),
    /// A command and its matcher: one script may well be asked about several things.
    Command {
        command: &'a str,
        matcher: Option<&'a str>,
        dialect_event: Option<&'a str>,
        condition: Option<&'a str>,
    },
}

impl<'a> Key<'a> {
    fn from_command(hook: &'a HookDeclaration) -> Self {
        Self::Command {
            command: hook.command(),
            matcher: hook.matcher.as_deref(),
            dialect_event: hook.dialect_event.as_deref(),
            condition: hook.condition.as_deref(),
        }
    }
}

fn subject(event: EventName) -> &'static str {
    event.subject_field().unwrap_or("subject")
}
