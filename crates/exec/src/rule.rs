//! Hooks that are rules, without a program (HT-25, HT-26).

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hookloop_engine::events::{Payload, PayloadMark};
use hookloop_engine::{Captured, Completion, ConditionAnswer, Ending, Invocation};
use hookloop_hook::{
    Dialect, Handler, HookDeclaration, HookId, OnFailure, Rule, RuleVerdict, Rules,
};
use hookloop_rules::{
    Asks, Call, Condition, Facts, Judgement, Places, Repositories as _, RuleSet, facts_of,
};
use hookloop_settings::bounded::read_regular;
use serde_json::Value;

use crate::repositories::GitRepositories;
use crate::surroundings::Surroundings;

/// Files of rules larger than this aren't read.
const MAX_BYTES: u64 = 1024 * 1024;

/// The facts of a longer payload aren't kept for the next rules, in bytes.
const MAX_KEPT: usize = 256 * 1024;

/// What rules and conditions have in common: those that were parsed, and the facts that they read.
#[derive(Debug, Default)]
pub(crate) struct ReadRules {
    /// By the hooks that contain them.
    sets: Mutex<HashMap<HookId, ParsedRules>>,
    /// By their text.
    conditions: Mutex<HashMap<String, Arc<Condition>>>,
    /// The event that was judged last: all hooks of an event read the same payload.
    event: Mutex<Option<JudgedEvent>>,
}

/// The rules of a hook, as they are written and as they were parsed.
#[derive(Debug)]
struct ParsedRules {
    written: Vec<Rule>,
    set: Arc<RuleSet>,
}

/// How long facts are used: meanwhile, other hooks of the event may change files.
const FRESH: Duration = Duration::from_millis(50);

/// An event, with the facts that have been computed about it.
#[derive(Debug)]
struct JudgedEvent {
    mark: PayloadMark,
    since: Instant,
    payload: Value,
    places: Places,
    facts: Facts,
}

impl ReadRules {
    /// Parses the rules of a hook, once for as long as they stay the same.
    fn rules(
        &self,
        hook: &HookDeclaration,
        rules: &Rules,
        surroundings: &Surroundings,
    ) -> Result<Arc<RuleSet>, String> {
        let written = match rules {
            Rules::Inline(rules) => Cow::Borrowed(rules),
            Rules::File(file) => Cow::Owned(read_file(&base(hook, surroundings).join(file))?),
        };
        // An entry is inserted whole or not at all, so a poisoned lock guards nothing broken.
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        let known = sets.get(&hook.id).filter(|it| it.written == *written);
        if let Some(known) = known {
            return Ok(Arc::clone(&known.set));
        }
        let set = Arc::new(RuleSet::read(&written).map_err(|error| error.to_string())?);
        let parsed = ParsedRules {
            written: written.into_owned(),
            set: Arc::clone(&set),
        };
        sets.insert(hook.id.clone(), parsed);
        Ok(set)
    }

    /// Reads a condition, once.
    fn condition(&self, text: &str) -> Result<Arc<Condition>, String> {
        // A condition is inserted whole or not at all, so a poisoned lock guards nothing broken.
        let mut conditions = self
            .conditions
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(condition) = conditions.get(text) {
            return Ok(Arc::clone(condition));
        }
        let condition = Arc::new(Condition::read(text).map_err(|error| error.to_string())?);
        conditions.insert(text.to_owned(), Arc::clone(&condition));
        Ok(condition)
    }
}

/// Returns whether a hook's `if` is true for a payload (HT-1).
pub(crate) fn condition(
    hook: &HookDeclaration,
    payload: &Value,
    surroundings: &Surroundings,
    known: &ReadRules,
) -> ConditionAnswer {
    let Some(text) = &hook.condition else {
        return ConditionAnswer::True;
    };
    let condition = match known.condition(text) {
        Ok(condition) => condition,
        Err(why) => return ConditionAnswer::Unknown(why),
    };
    let places = places_of(&surroundings.project_root, &surroundings.variables);
    let facts = facts_of(&Call {
        payload,
        places: &places,
        asks: Asks::of([condition.text()]),
    });
    match condition.holds(&facts) {
        Ok(true) => ConditionAnswer::True,
        Ok(false) => ConditionAnswer::False,
        Err(why) => ConditionAnswer::Unknown(why.to_string()),
    }
}

/// Returns which part of a hook's `if`, and of its rules, is true or false for a payload (HT-26).
pub(crate) fn explain(
    hook: &HookDeclaration,
    payload: &Value,
    surroundings: &Surroundings,
    known: &ReadRules,
) -> Vec<String> {
    let mut lines = Vec::new();
    let places = places_of(&surroundings.project_root, &surroundings.variables);
    // Another agent's condition is in that agent's language (FD-12).
    let own = hook
        .condition
        .as_ref()
        .filter(|_| hook.dialect == Dialect::Hookloop);
    if let Some(Ok(condition)) = own.map(|text| known.condition(text)) {
        let facts = facts_of(&Call {
            payload,
            places: &places,
            asks: Asks::of([condition.text()]),
        });
        let word = match condition.holds(&facts) {
            Ok(true) => "true",
            Ok(false) => "false",
            Err(_) => "unknown",
        };
        let parts = condition.explain(&facts).join("; ");
        lines.push(format!("`if` is {word}, since {parts}"));
    }
    if let Handler::Rule { rules } = &hook.handler
        && let Ok(set) = known.rules(hook, rules, surroundings)
    {
        let facts = facts_of(&Call {
            payload,
            places: &places,
            asks: set.asks(),
        });
        lines.extend(set.explain(&facts));
    }
    lines
}

/// Asks the rules of a hook about an event.
pub(crate) fn run(
    rules: &Rules,
    invocation: &Invocation,
    surroundings: &Surroundings,
    known: &ReadRules,
) -> Completion {
    let started = Instant::now();
    let mut completion = match judge(rules, invocation, surroundings, known) {
        Ok(judgement) => Completion {
            remarks: without_effect(&judgement),
            stdout: uncapped(
                judgement
                    .reply()
                    .map(|it| it.to_string())
                    .unwrap_or_default(),
            ),
            // Explains which part of a condition was true, for `fire`, the trace and the panel
            // (HT-26).
            stderr: uncapped(judgement.explain()),
            ..Completion::ended(ending_of(&judgement, invocation.hook.on_failure))
        },
        Err(why) => Completion::not_started(why),
    };
    completion.duration = started.elapsed();
    completion
}

/// A rewrite that can't be computed is a failure if failures refuse: the original would run (HT-25,
/// IO-26).
fn ending_of(judgement: &Judgement, on_failure: OnFailure) -> Ending {
    let mut failed = judgement.failed.iter();
    match failed.find(|it| it.then == RuleVerdict::Rewrite) {
        Some(rule) if on_failure == OnFailure::Deny => Ending::Failed(rule.text.clone()),
        _ => Ending::Exited(0),
    }
}

/// Returns which rules had no effect because they couldn't be evaluated.
fn without_effect(judgement: &Judgement) -> Vec<String> {
    let failed = judgement.failed.iter();
    failed
        .map(|rule| format!("{}; it has no effect", rule.text))
        .collect()
}

fn uncapped(text: String) -> Captured {
    let bytes = text.into_bytes();
    let total = bytes.len() as u64;
    Captured { bytes, total }
}

fn judge(
    rules: &Rules,
    invocation: &Invocation,
    surroundings: &Surroundings,
    known: &ReadRules,
) -> Result<Judgement, String> {
    let set = known.rules(&invocation.hook, rules, surroundings)?;
    // Another thread that judges at the same time judges another event.
    let mut last = known.event.try_lock().ok();
    let kept = last.as_mut().and_then(|it| it.take());
    let kept = kept.filter(|it| it.mark.is_of(&invocation.input) && it.since.elapsed() < FRESH);
    let mut event = match kept {
        Some(event) => event,
        None => JudgedEvent::new(&invocation.input, surroundings)?,
    };
    let facts = event.facts.complete(&Call {
        payload: &event.payload,
        places: &event.places,
        asks: set.asks(),
    });
    let judgement = set.judge(facts);
    if let Some(last) = last.as_mut().filter(|_| invocation.input.len() <= MAX_KEPT) {
        **last = Some(event);
    }
    Ok(judgement)
}

impl JudgedEvent {
    fn new(input: &Payload, surroundings: &Surroundings) -> Result<Self, String> {
        let payload = input
            .read()
            .map_err(|error| format!("the payload can't be read: {error}"))?;
        Ok(Self {
            mark: input.mark(),
            since: Instant::now(),
            payload,
            places: places_of(&surroundings.project_root, &surroundings.variables),
            facts: Facts::default(),
        })
    }
}

/// Returns what the path of a rule file is relative to: the project's root, or the extension's
/// folder.
fn base<'a>(hook: &'a HookDeclaration, surroundings: &'a Surroundings) -> &'a Path {
    match &hook.extension {
        Some(extension) => &extension.path,
        None => &surroundings.project_root,
    }
}

/// Reads a file of rules: a list, or an object with `rules`.
fn read_file(path: &Path) -> Result<Vec<Rule>, String> {
    let shown = path.display();
    let bytes =
        read_regular(path, MAX_BYTES).map_err(|error| format!("{shown} can't be read: {error}"))?;
    let text =
        String::from_utf8(bytes).map_err(|_| format!("{shown} can't be read: it isn't UTF-8"))?;
    let value: Value = serde_json::from_str(&text).map_err(|error| format!("{shown}: {error}"))?;
    let rules = match value {
        Value::Array(rules) => rules,
        Value::Object(mut object) => match object.remove("rules") {
            Some(Value::Array(rules)) => rules,
            Some(_) => return Err(format!("{shown}: \"rules\" must be a list of rules")),
            None => {
                let keys: Vec<String> = object.keys().map(|key| format!("\"{key}\"")).collect();
                let keys = hookloop_text::shorten::one_line(&keys.join(", "), 120);
                return Err(format!(
                    "{shown}: the object has no \"rules\", but {}; write {{\"rules\": [...]}}, or the \
                     list alone",
                    if keys.is_empty() { "nothing" } else { &keys }
                ));
            }
        },
        _ => {
            return Err(format!(
                "{shown}: a list of rules is expected, or an object with \"rules\""
            ));
        }
    };
    let read = |(number, rule): (usize, Value)| {
        let name = rule.get("name").and_then(Value::as_str);
        let name = name.map_or_else(
            || format!("rule {}", number + 1),
            |it| format!("rule \"{it}\""),
        );
        let rule = serde_json::from_value(rule).map_err(|error| error.to_string());
        let rule = rule.and_then(|rule: Rule| rule.checked());
        rule.map_err(|why| format!("{shown}: {name}: {why}"))
    };
    rules.into_iter().enumerate().map(read).collect()
}

/// Returns the file that contains a hook's rules, if they are in a separate file (HT-26).
pub fn rules_file_of(hook: &HookDeclaration, project_root: &Path) -> Option<PathBuf> {
    let Handler::Rule {
        rules: Rules::File(file),
    } = &hook.handler
    else {
        return None;
    };
    let base = match &hook.extension {
        Some(extension) => &extension.path,
        None => project_root,
    };
    Some(base.join(file))
}

/// Reads the rules of a hook as a run would, and returns their number, or `None` for a hook of
/// another type.
///
/// # Errors
/// The rules can't be read; the text names the file and the rule.
pub fn rules_of(hook: &HookDeclaration, project_root: &Path) -> Result<Option<usize>, String> {
    let Handler::Rule { rules } = &hook.handler else {
        return Ok(None);
    };
    let file = rules_file_of(hook, project_root);
    let rules = match (rules, &file) {
        (Rules::Inline(rules), _) => rules.clone(),
        (Rules::File(_), Some(file)) => read_file(file)?,
        (Rules::File(_), None) => Vec::new(),
    };
    let read = RuleSet::read(&rules).map_err(|error| match &file {
        Some(file) => format!("{}: {error}", file.display()),
        None => error.to_string(),
    });
    read.map(|_| Some(rules.len()))
}

/// Returns the folders and repositories that the effects of commands depend on. The variables
/// determine the home folder and where git is found.
pub fn places_of(project_root: &Path, variables: &[(OsString, OsString)]) -> Places {
    let workspace = project_root.to_string_lossy().into_owned();
    let repositories = GitRepositories::new(variables);
    let home = variables.iter().rev().find(|(name, _)| name == "HOME");
    Places {
        home: home.map_or_else(String::new, |(_, value)| {
            value.to_string_lossy().into_owned()
        }),
        branch: repositories.branch(&workspace),
        workspace,
        // Every branch: the rule itself says which are protected.
        protected_branches: vec!["*".to_owned()],
        repositories: Some(Arc::new(repositories)),
        ..Places::default()
    }
}
