//! Errors in rule files, with their places (HT-25, HT-26).

use std::path::Path;

use hookloop_hook::{HookDeclaration, Problem, ProblemCode, Rule, Source, quoted};
use hookloop_rules::RuleSet;
use hookloop_text::shorten::excerpt;
use jsonc_parser::ast::{Object, Value};

use super::conditions::{Place, check_condition};
use crate::conditions;
use crate::file_text::FileText;
use crate::settings::Settings;
use crate::syntax::{key_start, member, members, parse, start};

/// Reports errors in a rule file that a hook names, with their places in that file: rules that
/// can't be parsed, invalid conditions, and conditions that can't mean what they say.
pub fn lint_rules_file(
    settings: &Settings,
    hook: &HookDeclaration,
    file: &Path,
    text: &str,
) -> Vec<Problem> {
    let origin = Source {
        file: file.into(),
        position: None,
        ..hook.source.clone()
    };
    let file = FileText::new(origin, text.to_owned());
    let Ok(json) = serde_json::from_str::<serde_json::Value>(text) else {
        return unreadable(&file, text, hook);
    };
    // Valid JSON is also valid JSONC.
    let Ok(tree) = parse(text) else {
        return Vec::new();
    };
    let list = match &tree {
        Value::Object(object) => member(object, "rules").map(|it| &it.value),
        list => Some(list),
    };
    let Some(Value::Array(list)) = list else {
        return Vec::new();
    };
    let json = json.get("rules").unwrap_or(&json);
    let rules = list
        .elements
        .iter()
        .zip(json.as_array().into_iter().flatten());
    let mut problems: Vec<Problem> = list
        .elements
        .iter()
        .flat_map(|it| repeated_keys(&file, it))
        .collect();
    for (number, (element, json)) in rules.enumerate() {
        let found = check_rule(settings, hook, &file, &Written { element, json });
        let name = json.get("name").and_then(|it| it.as_str());
        let name = name.map_or_else(|| (number + 1).to_string(), |it| quoted(&excerpt(it)));
        problems.extend(found.into_iter().map(|problem| Problem {
            message: format!("rule {name}: {}", problem.message),
            ..problem
        }));
    }
    for problem in &mut problems {
        problem.event = Some(hook.event);
        problem.hook_id = Some(hook.id.clone());
    }
    problems
}

/// A rule as it is in its file.
struct Written<'r> {
    element: &'r Value<'r>,
    json: &'r serde_json::Value,
}

fn check_rule(
    settings: &Settings,
    hook: &HookDeclaration,
    file: &FileText,
    rule: &Written<'_>,
) -> Vec<Problem> {
    let when = rule
        .element
        .as_object()
        .and_then(|it: &Object<'_>| member(it, "when"));
    let offset = when.map_or(start(rule.element), |it| start(&it.value));
    let read = serde_json::from_value(rule.json.clone()).map_err(|error| error.to_string());
    let read = match read.and_then(|it: Rule| it.checked()) {
        Ok(read) => read,
        Err(why) => {
            let message = format!("it can't be read: {why}");
            let help = "write {\"when\": \"…\", \"then\": \"deny\", \"reason\": \"…\"}; until then \
                        the hook can't start, which counts as a refusal before an action";
            let found = Flaw {
                code: ProblemCode::HandlerInvalid,
                message,
                help: help.to_owned(),
            };
            return vec![found.at(file, start(rule.element))];
        }
    };
    if let (Err(error), Some(when)) = (RuleSet::read(std::slice::from_ref(&read)), when) {
        let place = conditions::position(file, &when.value, error.error.column);
        let (message, help) = conditions::complaint(&error.error);
        let found = Flaw {
            code: ProblemCode::ConditionInvalid,
            message,
            help,
        };
        return vec![found.at(file, place)];
    }
    let place = Place {
        what: "\"when\"",
        consequence: "the rule never applies",
        opening: Some(file.position(offset)),
        file: Some(file),
    };
    check_condition(settings, hook, &read.when, &place)
}

/// Returns where a text that isn't JSON can't be read.
fn unreadable(file: &FileText, text: &str, hook: &HookDeclaration) -> Vec<Problem> {
    let Err(error) = serde_json::from_str::<serde_json::Value>(text) else {
        return Vec::new();
    };
    let line = text
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1));
    let before: usize = line.map(str::len).sum();
    // The error's columns count bytes from one.
    let offset = (before + error.column().saturating_sub(1)).min(text.len());
    let offset = (0..=offset).rev().find(|it| text.is_char_boundary(*it));
    let message = format!("the rules can't be read: {error}");
    let help = "write a list of rules in JSON, without comments; until then the hook can't start, \
                which counts as a refusal before an action";
    let found = Flaw {
        code: ProblemCode::HandlerInvalid,
        message,
        help: help.to_owned(),
    };
    let mut problem = found.at(file, offset.unwrap_or_default());
    problem.event = Some(hook.event);
    problem.hook_id = Some(hook.id.clone());
    vec![problem]
}

/// Reports keys of a rule that are twice: the last counts.
fn repeated_keys(file: &FileText, rule: &Value<'_>) -> Vec<Problem> {
    let object = rule.as_object();
    let repetitions = object.map(|it| members(it).1).unwrap_or_default();
    let found = repetitions.iter().map(|it| {
        let found = Flaw {
            code: ProblemCode::DuplicateKey,
            message: format!(
                "the key \"{}\" occurs twice in a rule",
                excerpt(it.later.name.as_str())
            ),
            help: "remove one of the two; the last one counts".to_owned(),
        };
        found.at(file, key_start(it.later))
    });
    found.collect()
}

/// What is wrong, without its place.
struct Flaw {
    code: ProblemCode,
    message: String,
    help: String,
}

impl Flaw {
    fn at(self, file: &FileText, offset: usize) -> Problem {
        let position = file.position(offset);
        let mut problem = Problem::new(self.code, file.source_at(offset), self.message, self.help);
        problem.snippet = file.snippet(position);
        problem
    }
}
