//! Fields from other agents or from memory, and what to write instead (ST-3, CM-10).
//!
//! A name that is only misspelt is found by its edit distance ([`crate::near`]); these are
//! different words.

use jsonc_parser::ast::{Object, ObjectProp, Value};

use crate::fields::Written;
use crate::report::Correction;
use crate::syntax::member;

/// Where a field without a meaning is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holder {
    /// In the entry of a hook.
    Hook,
    /// In a group of hooks.
    Group,
}

/// What a field that isn't one of ours means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    /// One of a hook's fields under another name.
    Field(&'static str),
    /// How long it may take, in a unit that isn't milliseconds.
    Time(&'static str),
    /// What a failure means: whether the action is then refused if the value is true.
    Failure { true_refuses: bool },
    /// Whether the hook is on if the value is true.
    Switch { true_is_on: bool },
    /// The event.
    Event,
    /// Which tools: the group's matcher.
    Matcher,
    /// The folder to run in.
    Folder,
}

/// What a report adds about a wish for refusals that counts where it is (IO-21).
pub(crate) const COUNTS: &str = "until then a failure refuses";

use Meaning::{Event, Failure, Field, Folder, Matcher, Switch, Time};

/// Words without case, `_` and `-`, and what people mean by them.
const WORDS: &[(&str, Meaning)] = &[
    ("script", Field("command")),
    ("run", Field("command")),
    ("cmd", Field("command")),
    ("exec", Field("command")),
    ("execute", Field("command")),
    ("entry", Field("command")),
    ("path", Field("command")),
    ("file", Field("command")),
    ("program", Field("command")),
    ("executable", Field("command")),
    ("bash", Field("command")),
    ("sh", Field("command")),
    ("shellcommand", Field("command")),
    ("commands", Field("command")),
    ("arguments", Field("args")),
    ("argv", Field("args")),
    ("environment", Field("env")),
    ("environmentvariables", Field("env")),
    ("envs", Field("env")),
    ("envvars", Field("env")),
    ("vars", Field("env")),
    ("variables", Field("env")),
    ("title", Field("name")),
    ("label", Field("name")),
    ("id", Field("name")),
    ("hookname", Field("name")),
    ("desc", Field("description")),
    ("comment", Field("description")),
    ("note", Field("description")),
    ("kind", Field("type")),
    ("hooktype", Field("type")),
    ("condition", Field("if")),
    ("endpoint", Field("url")),
    ("uri", Field("url")),
    ("background", Field("async")),
    ("timeoutms", Field("timeout")),
    ("timeoutmillis", Field("timeout")),
    ("timeoutmilliseconds", Field("timeout")),
    ("timelimit", Field("timeout")),
    ("maxtime", Field("timeout")),
    ("deadline", Field("timeout")),
    ("timeoutsec", Time("s")),
    ("timeoutsecs", Time("s")),
    ("timeoutsecond", Time("s")),
    ("timeoutseconds", Time("s")),
    ("timeoutminutes", Time("m")),
    ("timeoutmin", Time("m")),
    ("failclosed", Failure { true_refuses: true }),
    ("failsafe", Failure { true_refuses: true }),
    ("failonerror", Failure { true_refuses: true }),
    ("blockonfailure", Failure { true_refuses: true }),
    ("blockonerror", Failure { true_refuses: true }),
    ("denyonfailure", Failure { true_refuses: true }),
    ("denyonerror", Failure { true_refuses: true }),
    ("blocking", Failure { true_refuses: true }),
    ("required", Failure { true_refuses: true }),
    ("mandatory", Failure { true_refuses: true }),
    ("onerror", Failure { true_refuses: true }),
    ("onfail", Failure { true_refuses: true }),
    ("ontimeout", Failure { true_refuses: true }),
    ("failureaction", Failure { true_refuses: true }),
    ("errorpolicy", Failure { true_refuses: true }),
    (
        "failopen",
        Failure {
            true_refuses: false,
        },
    ),
    (
        "continueonerror",
        Failure {
            true_refuses: false,
        },
    ),
    (
        "continueonfailure",
        Failure {
            true_refuses: false,
        },
    ),
    (
        "ignoreerrors",
        Failure {
            true_refuses: false,
        },
    ),
    (
        "ignorefailure",
        Failure {
            true_refuses: false,
        },
    ),
    (
        "allowfailure",
        Failure {
            true_refuses: false,
        },
    ),
    (
        "optional",
        Failure {
            true_refuses: false,
        },
    ),
    ("enabled", Switch { true_is_on: true }),
    ("enable", Switch { true_is_on: true }),
    ("active", Switch { true_is_on: true }),
    ("disabled", Switch { true_is_on: false }),
    ("disable", Switch { true_is_on: false }),
    ("skip", Switch { true_is_on: false }),
    ("event", Event),
    ("events", Event),
    ("eventname", Event),
    ("hookeventname", Event),
    ("hookevent", Event),
    ("on", Event),
    ("trigger", Event),
    ("triggers", Event),
    ("stage", Event),
    ("stages", Event),
    ("matchers", Matcher),
    ("match", Matcher),
    ("matches", Matcher),
    ("pattern", Matcher),
    ("regex", Matcher),
    ("filter", Matcher),
    ("tool", Matcher),
    ("tools", Matcher),
    ("toolname", Matcher),
    ("toolnames", Matcher),
    ("toolmatcher", Matcher),
    ("cwd", Folder),
    ("workingdirectory", Folder),
    ("workdir", Folder),
    ("workingdir", Folder),
    ("dir", Folder),
    ("directory", Folder),
];

/// Returns what to write instead of a field that means nothing here, if it is a known word, in a
/// group or a hook.
pub(crate) fn correction(
    property: &ObjectProp<'_>,
    holder: Holder,
    object: &Object<'_>,
    written: Written,
) -> Option<Correction> {
    let known = meaning_of(&folded(property.name.as_str()));
    let is_wish = known.is_none() && refuses_on_failure(property);
    let meaning = known.or_else(|| is_wish.then_some(Failure { true_refuses: true }))?;
    let value = &property.value;
    let help = match meaning {
        Field(field) => return Some(field_correction(field, holder, object)),
        Time(unit) => time_help(value, unit),
        Failure { true_refuses } => failure_help(property, true_refuses),
        Switch { true_is_on } => switch_help(value, true_is_on, object),
        Event => "remove it; a hook's event is the key that its group is under: \"hooks\": \
                  {\"BeforeTool\": [{\"hooks\": […]}]}"
            .to_owned(),
        Matcher => return Some(matcher_correction(value, holder, object, written)),
        Folder => format!(
            "remove it; write \"cd {} && …\" in front of the command",
            text_of(value).unwrap_or("…")
        ),
    };
    let help = match holder {
        Holder::Group if matches!(meaning, Time(_) | Failure { .. }) => {
            format!("in each of the group's hooks, {help}")
        }
        _ => help,
    };
    Some(Correction {
        help,
        suggestion: None,
    })
}

/// Returns a field's name without case, `_` and `-`.
fn folded(name: &str) -> String {
    name.chars()
        .filter(|it| !matches!(it, '_' | '-' | ' '))
        .flat_map(char::to_lowercase)
        .collect()
}

/// Returns what people mean by a word.
fn meaning_of(folded: &str) -> Option<Meaning> {
    let known = WORDS.iter().find(|(word, _)| *word == folded);
    known.map(|(_, meaning)| *meaning)
}

/// Returns whether a field says in other words that a failure refuses (IO-21): a known word, or any
/// whose value names the refusal. A word that may be about anything else (`required`) doesn't say
/// so.
pub(crate) fn refuses_on_failure(property: &ObjectProp<'_>) -> bool {
    let word = folded(property.name.as_str());
    let is_about_failures = ["fail", "error", "timeout"]
        .iter()
        .any(|it| word.contains(it));
    is_about_failures
        && match meaning_of(&word) {
            Some(Failure { true_refuses }) => wants_refusal(&property.value, true_refuses),
            _ => says_refuse(&property.value),
        }
}

/// Returns whether a value is a word for a refusal.
pub(crate) fn says_refuse(value: &Value<'_>) -> bool {
    const WORDS: [&str; 5] = ["deny", "block", "refuse", "reject", "closed"];
    let word = text_of(value).map(str::to_lowercase);
    word.is_some_and(|word| WORDS.iter().any(|it| word.contains(it)))
}

fn field_correction(field: &'static str, holder: Holder, object: &Object<'_>) -> Correction {
    let (help, suggestion) = match holder {
        Holder::Group => (
            format!("write it as \"{field}\" in each of the group's hooks"),
            None,
        ),
        Holder::Hook if member(object, field).is_some() => (
            format!("remove it; the hook already has its \"{field}\""),
            None,
        ),
        Holder::Hook => (format!("did you mean \"{field}\"?"), Some(field)),
    };
    Correction { help, suggestion }
}

fn time_help(value: &Value<'_>, unit: &str) -> String {
    let number = match value {
        Value::NumberLit(number) => number.value,
        Value::StringLit(text) => text.value.trim(),
        _ => "30",
    };
    format!("write \"timeout\": \"{number}{unit}\"")
}

/// Returns whether the value of a word about failures asks for a refusal.
fn wants_refusal(value: &Value<'_>, true_refuses: bool) -> bool {
    match value {
        Value::BooleanLit(boolean) => boolean.value == true_refuses,
        Value::StringLit(text) => {
            let word = text.value.to_ascii_lowercase();
            let goes_on = ["allow", "ignore", "continue", "warn", "open", "pass"];
            !goes_on.iter().any(|it| word.contains(it))
        }
        _ => true_refuses,
    }
}

fn failure_help(property: &ObjectProp<'_>, true_refuses: bool) -> String {
    if refuses_on_failure(property) {
        return format!("write \"onFailure\": \"deny\"; {COUNTS}");
    }
    if wants_refusal(&property.value, true_refuses) {
        "write \"onFailure\": \"deny\": then its failure refuses the action".to_owned()
    } else {
        "write \"onFailure\": \"warn\": then the action continues when it fails".to_owned()
    }
}

fn switch_help(value: &Value<'_>, true_is_on: bool, object: &Object<'_>) -> String {
    let is_true = matches!(value, Value::BooleanLit(boolean) if boolean.value);
    if is_true == true_is_on {
        return "remove it; a hook that is listed here is on".to_owned();
    }
    let name = member(object, "name").or_else(|| member(object, "command"));
    let name = name.and_then(|it| text_of(&it.value)).unwrap_or("NAME");
    let name = serde_json::Value::from(name);
    format!(
        "remove it and write \"hooksConfig\": {{\"disabled\": [{name}]}}: until then the hook runs"
    )
}

fn matcher_correction(
    value: &Value<'_>,
    holder: Holder,
    object: &Object<'_>,
    written: Written,
) -> Correction {
    let has_one = member(object, "matcher").is_some();
    let pattern = match value {
        Value::StringLit(text) => Some(text.value.to_string()),
        Value::Array(list) => {
            let words: Option<Vec<&str>> = list.elements.iter().map(text_of).collect();
            words.filter(|it| !it.is_empty()).map(|it| it.join("|"))
        }
        _ => None,
    };
    let pattern = serde_json::Value::from(pattern.unwrap_or_else(|| "…".to_owned()));
    let is_text = matches!(value, Value::StringLit(_));
    match holder {
        _ if has_one => Correction {
            help: "remove it; the \"matcher\" counts".to_owned(),
            suggestion: None,
        },
        Holder::Group => Correction {
            help: format!("did you mean \"matcher\"? write \"matcher\": {pattern}"),
            suggestion: is_text.then_some("matcher"),
        },
        Holder::Hook if written == Written::AsHook => Correction {
            help: format!("write \"matcher\": {pattern} in the group around the hook"),
            suggestion: None,
        },
        Holder::Hook => Correction {
            help: format!(
                "remove it and write \"matcher\": {pattern} into the group around the hook, \
                 beside its \"hooks\""
            ),
            suggestion: None,
        },
    }
}

fn text_of<'v>(value: &'v Value<'_>) -> Option<&'v str> {
    match value {
        Value::StringLit(text) => Some(&text.value),
        _ => None,
    }
}
