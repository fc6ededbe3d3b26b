//! Hooks in places where nothing reads them (ST-5): they look installed, and would be silently off.

use hookloop_dialects::{ForeignEvent, foreign_event};
use hookloop_events::EventName;
use hookloop_hook::{Dialect, ProblemCode};
use jsonc_parser::ast::{Array, Object, ObjectProp, Value};

use crate::hook_read::FOREIGN_EVENTS;
use crate::near::{is_one_edit, nearest};
use crate::report::{Report, shorten};
use crate::syntax::{key_start, member};

/// The keys of a settings file that are about hooks.
const ROOTS: [&str; 2] = ["hooks", "hooksConfig"];

/// Reports the keys of a settings file that are events, or misspelt names of what contains them, and hooks
/// that are below other keys.
///
/// Other unknown keys are not looked at: a settings file is for more than hooks.
pub(crate) fn report_misplaced(report: &mut Report<'_>, members: &[&ObjectProp<'_>]) {
    for property in members {
        let name = property.name.as_str();
        // Its content is reported where it is read.
        if name == "hooks" {
            continue;
        }
        if switch(report, property) || other_file(report, property) {
            continue;
        }
        let is_container = matches!(property.value, Value::Object(_) | Value::Array(_));
        if !is_container || name == "hooksConfig" || !at_the_top(report, property) {
            below(report, name, &property.value);
        }
    }
}

/// Returns whether a key of a settings file is a misspelt `hooks` that contains hooks (IO-21): a single edit,
/// or a look-alike.
pub(crate) fn is_misspelt_hooks(property: &ObjectProp<'_>) -> bool {
    is_one_edit(property.name.as_str(), "hooks")
        && (holds_events(&property.value) || holds_hooks(&property.value))
}

/// Reports hooks at the top of another agent's file that nothing reads there, not even that agent: a key that
/// was meant to be `hooks`, and an event outside of it.
pub(crate) fn report_misspelt(report: &mut Report<'_>, root: &Object<'_>, dialect: Dialect) {
    for property in &root.properties {
        let name = property.name.as_str();
        let is_container = matches!(property.value, Value::Object(_) | Value::Array(_));
        if name == "hooks" || !is_container {
            continue;
        }
        let (help, meant) = if is_one_edit(name, "hooks") {
            let help = "did you mean \"hooks\"? names are case-sensitive".to_owned();
            (help, Some("hooks"))
        } else if foreign_event(dialect, name).is_some() {
            (into_hooks(name), None)
        } else {
            continue;
        };
        report_misplaced_key(report, property, name, help, meant);
    }
}

/// Reports a switch of hooks that is at the top of the file, where it tightens nothing, and returns whether
/// it was one.
fn switch(report: &mut Report<'_>, property: &ObjectProp<'_>) -> bool {
    let name = property.name.as_str();
    let is_one = match &property.value {
        Value::StringLit(_) => name == "onFailure",
        Value::BooleanLit(_) => name == "strict",
        Value::Array(_) => name == "adopt",
        _ => false,
    };
    if is_one {
        let message = format!("\"{name}\" has no effect at the top of the file");
        let help = format!("move it into \"hooksConfig\": {{\"{name}\": …}}");
        report.add(
            ProblemCode::MisplacedHooks,
            key_start(property),
            message,
            &help,
        );
    }
    is_one
}

/// Reports a key that is meant to include another file, as in settings of other programs, and returns whether
/// it was one.
fn other_file(report: &mut Report<'_>, property: &ObjectProp<'_>) -> bool {
    const WORDS: [&str; 6] = [
        "extends", "include", "includes", "import", "imports", "$include",
    ];
    let name = property.name.as_str();
    let names_a_file = |value: &Value<'_>| match value {
        Value::StringLit(text) => [".json", ".jsonc", ".json5"]
            .iter()
            .any(|ending| text.value.ends_with(ending)),
        _ => false,
    };
    let is_one = WORDS.contains(&name)
        && match &property.value {
            Value::Array(list) => list.elements.iter().any(names_a_file),
            other => names_a_file(other),
        };
    if is_one {
        let message =
            format!("\"{name}\" doesn't include another file: hooks in that file are off");
        let help = "write the hooks of that file into this one";
        report.add(
            ProblemCode::MisplacedHooks,
            key_start(property),
            message,
            help,
        );
    }
    is_one
}

/// Reports a key of the file itself, and returns whether it was one that contains hooks.
fn at_the_top(report: &mut Report<'_>, property: &ObjectProp<'_>) -> bool {
    let name = property.name.as_str();
    let dotted = name.strip_prefix("hooks.").and_then(event_of);
    let (help, meant) = if let Some(event) = event_of(name).or(dotted) {
        (into_hooks(event), None)
    } else if let Some(meant) = nearest(name, ROOTS) {
        let help = format!("did you mean \"{meant}\"? names are case-sensitive");
        (help, Some(meant))
    } else {
        return false;
    };
    report_misplaced_key(report, property, name, help, meant);
    true
}

/// Reports hooks that are somewhere below a key. The parser bounds how deep that is.
fn below(report: &mut Report<'_>, path: &str, value: &Value<'_>) {
    match value {
        Value::Object(object) => {
            for property in &object.properties {
                inner(report, path, property);
            }
        }
        Value::Array(list) => {
            for element in &list.elements {
                below(report, path, element);
            }
        }
        _ => {}
    }
}

fn inner(report: &mut Report<'_>, path: &str, property: &ObjectProp<'_>) {
    let name = property.name.as_str();
    let own_path = format!("{path}.{name}");
    match remedy(property) {
        Some(help) => report_misplaced_key(report, property, &own_path, help, None),
        None => below(report, &own_path, &property.value),
    }
}

/// Returns what to do with a member that contains hooks where nothing reads any; nothing of others.
fn remedy(property: &ObjectProp<'_>) -> Option<String> {
    let name = property.name.as_str();
    if name.eq_ignore_ascii_case("hooks") && holds_events(&property.value) {
        return Some("move it out of there, to the top of the file: {\"hooks\": {…}}".to_owned());
    }
    event_of(name)
        .filter(|_| holds_hooks(&property.value))
        .map(into_hooks)
}

/// Returns whether a member of another object contains hooks, which [`report_misplaced`] reports.
pub(crate) fn is_misplaced(property: &ObjectProp<'_>) -> bool {
    remedy(property).is_some()
}

fn report_misplaced_key(
    report: &mut Report<'_>,
    property: &ObjectProp<'_>,
    path: &str,
    help: String,
    meant: Option<&str>,
) {
    let message = format!(
        "hooks in \"{}\" have no effect: nothing reads it here",
        shorten(path)
    );
    let code = ProblemCode::MisplacedHooks;
    report.add_suggesting(code, key_start(property), message, help, meant);
}

fn into_hooks(event: &str) -> String {
    format!("move it into \"hooks\", as in \"hooks\": {{\"{event}\": […]}}")
}

/// Returns whether a value is like that of `hooks`: events with hooks.
fn holds_events(value: &Value<'_>) -> bool {
    let Value::Object(object) = value else {
        return false;
    };
    let mut properties = object.properties.iter();
    properties.any(|it| event_of(it.name.as_str()).is_some() && holds_hooks(&it.value))
}

/// Returns whether a value is like that of an event: groups, or hooks without one. A word such as `stop` is a
/// key of other things too.
fn holds_hooks(value: &Value<'_>) -> bool {
    let is_hook = |object: &Object<'_>| {
        let fields = ["hooks", "command", "type", "url", "rules", "bash"];
        fields.iter().any(|field| member(object, field).is_some())
    };
    match value {
        Value::Object(object) => is_hook(object),
        Value::Array(Array { elements, .. }) => {
            elements.iter().filter_map(Value::as_object).any(is_hook)
        }
        _ => false,
    }
}

/// Returns the event of ours that a key means, under our name or another agent's.
fn event_of(name: &str) -> Option<&'static str> {
    let ours = EventName::ALL.map(|event| (event.as_str(), event));
    let mut known = ours.iter().chain(FOREIGN_EVENTS);
    if let Some((_, event)) = known.find(|(known, _)| known.eq_ignore_ascii_case(name)) {
        return Some(event.as_str());
    }
    let mut foreign = Dialect::ALL.iter().map(|it| foreign_event(*it, name));
    foreign.find_map(|it| match it? {
        ForeignEvent::Ours(event) => Some(event.as_str()),
        ForeignEvent::Never(_) => None,
    })
}
