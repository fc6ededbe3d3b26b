//! Reads `hooksConfig` and its older spellings from one file (ST-6…8, IO-17, IO-21, AA-2).

use hookloop_hook::Layer;
use hookloop_hook::OnFailure;
use hookloop_hook::ProblemCode;
use hookloop_text::shorten::excerpt;
use jsonc_parser::ast::{Object, Value};

use crate::corrections::COUNTS;
use crate::deny_wish;
use crate::entry_read::on_failure;
use crate::fields::CONFIG_FIELDS;
use crate::misplaced::is_misplaced;
use crate::near::{is_one_edit, nearest};
use crate::provided::Provided;
use crate::report::{Correction, Report};
use crate::switches::BridgeRewrite;
use crate::syntax::{is_null, key_start, kind_of, member, start};

/// The keys that the system layer can lock.
pub(crate) const LOCKABLE: [&str; 7] = [
    "enabled",
    "disabled",
    "notifications",
    "onFailure",
    "maxOutputBytes",
    "maxRetries",
    "trace",
];

/// The agents whose hooks can be adopted (FD-2).
pub(crate) const ADOPTABLE: [&str; 5] = ["claude-code", "codex", "cursor", "copilot", "qwen"];

/// What one layer says in `hooksConfig`.
#[derive(Debug, Default, Clone)]
pub(crate) struct LayerConfig {
    pub(crate) enabled: Option<Provided<bool>>,
    pub(crate) disabled: Vec<Provided<String>>,
    pub(crate) notifications: Option<Provided<bool>>,
    pub(crate) on_failure: Option<Provided<OnFailure>>,
    pub(crate) max_output_bytes: Option<Provided<u64>>,
    pub(crate) max_retries: Option<Provided<u32>>,
    pub(crate) trace_max_bytes: Option<Provided<u64>>,
    pub(crate) locked: Vec<Provided<String>>,
    pub(crate) strict: Option<Provided<bool>>,
    pub(crate) adopt: Vec<Provided<String>>,
    pub(crate) http_allowed: Vec<Provided<String>>,
    pub(crate) bridge_rewrite: Option<Provided<BridgeRewrite>>,
    pub(crate) allow_skips_confirmation: Option<Provided<bool>>,
    pub(crate) hold_live_output: Option<Provided<bool>>,
}

/// Reads the switches of a file; in one file the newer spelling wins.
pub(crate) fn read_config(report: &mut Report<'_>, root: &Object<'_>) -> LayerConfig {
    let mut config = LayerConfig::default();
    if let Some(property) = member(root, "hooksConfig").filter(|it| !is_null(&it.value)) {
        match &property.value {
            Value::Object(object) => read_object(report, object, &mut config),
            other => {
                let message = format!("\"hooksConfig\" is {}, not an object", kind_of(other));
                let help = format!("write an object here; {COUNTS}");
                report.add(ProblemCode::WrongType, start(other), message, help);
            }
        }
    }
    if config.on_failure.is_none() {
        let wish = deny_wish::of_file(root);
        config.on_failure = wish.map(|value| report.provided(OnFailure::Deny, value));
    }
    // If "hooks" is repeated, all values are read (ST-5).
    for property in root
        .properties
        .iter()
        .filter(|it| it.name.as_str() == "hooks")
    {
        if let Value::Object(hooks) = &property.value {
            read_older(report, hooks, &mut config);
        }
    }
    if let Some(Value::Object(tools)) = member(root, "tools").map(|it| &it.value)
        && let Some(property) = member(tools, "enableHooks").filter(|it| !is_null(&it.value))
    {
        let enabled = report.boolean_of("\"tools.enableHooks\"", &property.value);
        config.enabled = config.enabled.take().or(enabled);
    }
    let mut seen = std::collections::HashSet::new();
    config
        .disabled
        .retain(|entry| seen.insert(entry.value.clone()));
    config
}

fn read_older(report: &mut Report<'_>, hooks: &Object<'_>, config: &mut LayerConfig) {
    if let Some(property) = member(hooks, "enabled").filter(|it| !is_null(&it.value)) {
        let enabled = report.boolean_of("\"hooks.enabled\"", &property.value);
        config.enabled = config.enabled.take().or(enabled);
    }
    if let Some(property) = member(hooks, "notifications").filter(|it| !is_null(&it.value)) {
        let notifications = report.boolean_of("\"hooks.notifications\"", &property.value);
        config.notifications = config.notifications.take().or(notifications);
    }
    if let Some(property) = member(hooks, "disabled").filter(|it| !is_null(&it.value)) {
        config
            .disabled
            .extend(report.texts_of("\"hooks.disabled\"", &property.value));
    }
}

fn read_object(report: &mut Report<'_>, object: &Object<'_>, config: &mut LayerConfig) {
    for property in report.members(object) {
        let value = &property.value;
        match property.name.as_str() {
            // For a field that tightens, null doesn't mean the default (IO-21, ST-11).
            name if CONFIG_FIELDS.contains(&name)
                && is_null(value)
                && !matches!(name, "onFailure" | "strict") => {}
            "enabled" => config.enabled = report.boolean_of("\"enabled\"", value),
            "disabled" => config.disabled = report.texts_of("\"disabled\"", value),
            "notifications" => config.notifications = report.boolean_of("\"notifications\"", value),
            "onFailure" => {
                let word = on_failure(report, value);
                config.on_failure = Some(report.provided(word, value));
            }
            "maxOutputBytes" => {
                config.max_output_bytes = integer_of(report, "\"maxOutputBytes\"", value, 1);
            }
            "maxRetries" => {
                config.max_retries =
                    integer_of(report, "\"maxRetries\"", value, 0).map(|it| Provided {
                        value: u32::try_from(it.value).unwrap_or(u32::MAX),
                        source: it.source,
                    });
            }
            "trace" => read_trace(report, value, config),
            "strict" => config.strict = Some(read_strict(report, value)),
            // It has been read before the hooks (FD-1).
            "dialect" => {}
            "adopt" => config.adopt = read_adopted(report, value),
            "http" => read_http(report, value, config),
            "bridge" => read_bridge(report, value, config),
            "allowSkipsConfirmation" => {
                config.allow_skips_confirmation =
                    report.boolean_of("\"allowSkipsConfirmation\"", value);
            }
            "liveOutput" => {
                let words = [("show", false), ("hold", true)];
                config.hold_live_output = word_of(report, "\"liveOutput\"", value, &words);
            }
            "locked" if report.text.layer() == Some(Layer::System) => {
                config.locked = read_locked(report, value);
            }
            "locked" => report.add(
                ProblemCode::UnknownField,
                key_start(property),
                "\"locked\" has an effect only in the system's settings",
                "remove it",
            ),
            // A misplaced field is reported with its right place (ST-5).
            _ if is_misplaced(property) => {}
            _ if deny_wish::wants_deny(property) => {
                let help = format!("write \"onFailure\": \"deny\"; {COUNTS}");
                let suggestion =
                    Some("onFailure").filter(|it| is_one_edit(property.name.as_str(), it));
                let meant = Correction { help, suggestion };
                report.report_misplaced_field(property, "\"hooksConfig\"", meant);
            }
            _ => report.unknown_field(property, "\"hooksConfig\"", CONFIG_FIELDS),
        }
    }
}

/// Reads `strict`; a value that can't be read counts as true: nothing else can be meant.
fn read_strict(report: &mut Report<'_>, value: &Value<'_>) -> Provided<bool> {
    let read = report.boolean_of("\"strict\"", value);
    read.unwrap_or_else(|| report.provided(true, value))
}

fn read_adopted(report: &mut Report<'_>, value: &Value<'_>) -> Vec<Provided<String>> {
    let mut adopted = report.texts_of("\"adopt\"", value);
    adopted.retain(|entry| {
        let is_known = ADOPTABLE.contains(&entry.value.as_str());
        if !is_known && let Some(place) = entry.source.as_ref().and_then(|it| it.position) {
            let message = format!(
                "\"{}\" isn't an agent whose hooks can be adopted",
                excerpt(&entry.value)
            );
            let help = format!("write one of {}", ADOPTABLE.join(", "));
            let meant = nearest(&entry.value, ADOPTABLE);
            let offset = report.text.offset(place);
            let code = ProblemCode::InvalidValue;
            report.add_suggesting(code, offset, message, help, meant);
        }
        is_known
    });
    adopted
}

fn read_http(report: &mut Report<'_>, value: &Value<'_>, config: &mut LayerConfig) {
    let Value::Object(object) = value else {
        report.wrong_type("\"http\"", value, "an object");
        return;
    };
    for property in report.members(object) {
        match property.name.as_str() {
            "allowed" if is_null(&property.value) => {}
            "allowed" => {
                config.http_allowed = report.texts_of("\"http.allowed\"", &property.value);
            }
            _ => report.unknown_field(property, "\"http\"", &["allowed"]),
        }
    }
}

fn read_bridge(report: &mut Report<'_>, value: &Value<'_>, config: &mut LayerConfig) {
    let Value::Object(object) = value else {
        report.wrong_type("\"bridge\"", value, "an object");
        return;
    };
    for property in report.members(object) {
        match property.name.as_str() {
            "rewrite" if is_null(&property.value) => {}
            "rewrite" => {
                let words = [
                    ("refuse", BridgeRewrite::Refuse),
                    ("drop", BridgeRewrite::Drop),
                ];
                config.bridge_rewrite =
                    word_of(report, "\"bridge.rewrite\"", &property.value, &words);
            }
            _ => report.unknown_field(property, "\"bridge\"", &["rewrite"]),
        }
    }
}

/// Reads one of a few words; anything else is reported.
fn word_of<T: Copy>(
    report: &mut Report<'_>,
    what: &str,
    value: &Value<'_>,
    words: &[(&'static str, T)],
) -> Option<Provided<T>> {
    let text = report.text_of(what, value)?;
    if let Some((_, meaning)) = words.iter().find(|(word, _)| *word == text) {
        return Some(report.provided(*meaning, value));
    }
    let all = words.iter().map(|(word, _)| *word);
    let meant = nearest(text, all.clone());
    let message = format!("\"{}\" isn't a value of {what}", excerpt(text));
    let help = format!("write one of {}", all.collect::<Vec<_>>().join(", "));
    let code = ProblemCode::InvalidValue;
    report.add_suggesting(code, start(value), message, help, meant);
    None
}

fn read_trace(report: &mut Report<'_>, value: &Value<'_>, config: &mut LayerConfig) {
    let Value::Object(object) = value else {
        report.wrong_type("\"trace\"", value, "an object");
        return;
    };
    for property in report.members(object) {
        match property.name.as_str() {
            "maxBytes" if is_null(&property.value) => {}
            "maxBytes" => {
                config.trace_max_bytes = integer_of(report, "\"maxBytes\"", &property.value, 1);
            }
            _ => report.unknown_field(property, "\"trace\"", &["maxBytes"]),
        }
    }
}

fn read_locked(report: &mut Report<'_>, value: &Value<'_>) -> Vec<Provided<String>> {
    let Value::Array(list) = value else {
        report.wrong_type("\"locked\"", value, "a list of keys");
        return Vec::new();
    };
    let mut locked = Vec::new();
    for element in &list.elements {
        let Some(key) = report.text_of("an entry of \"locked\"", element) else {
            continue;
        };
        if LOCKABLE.contains(&key) {
            locked.push(report.provided(key.to_owned(), element));
            continue;
        }
        let meant = nearest(key, LOCKABLE);
        let message = format!("\"{}\" isn't a key that can be locked", excerpt(key));
        let help = format!("keys that can be locked: {}", LOCKABLE.join(", "));
        let code = ProblemCode::InvalidValue;
        report.add_suggesting(code, start(element), message, help, meant);
    }
    locked
}

/// Reads a whole number of at least `least`; anything else is reported.
pub(crate) fn integer_of(
    report: &mut Report<'_>,
    what: &str,
    value: &Value<'_>,
    least: u64,
) -> Option<Provided<u64>> {
    let Value::NumberLit(number) = value else {
        report.wrong_type(what, value, "a whole number");
        return None;
    };
    match number.value.parse::<u64>() {
        Ok(integer) if integer >= least => Some(report.provided(integer, value)),
        _ => {
            let message = format!("{what} is {}", excerpt(number.value));
            let help =
                format!("write a whole number of at least {least}; until then it is ignored");
            report.add(ProblemCode::InvalidValue, start(value), message, help);
            None
        }
    }
}
