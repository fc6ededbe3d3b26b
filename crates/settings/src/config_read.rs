//! Reads `hooksConfig` and its older spellings from one file (ST-6…8, IO-17, IO-21, AA-2).

use jsonc_parser::ast::{Object, Value};

use crate::hook_read::{is_null, on_failure};
use crate::near::nearest;
use crate::provided::Provided;
use crate::report::{Report, shorten};
use crate::syntax::{key_start, member, start};
use hookloop_hook::Layer;
use hookloop_hook::OnFailure;
use hookloop_hook::ProblemCode;

/// The keys of `hooksConfig`.
pub(crate) const FIELDS: &[&str] = &[
    "enabled",
    "disabled",
    "notifications",
    "onFailure",
    "maxOutputBytes",
    "maxRetries",
    "trace",
    "locked",
];

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

/// Holds what one layer says in `hooksConfig`.
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
}

/// Reads the switches of a file; in one file the newer spelling wins.
pub(crate) fn read_config(report: &mut Report<'_>, root: &Object<'_>) -> LayerConfig {
    let mut config = LayerConfig::default();
    if let Some(property) = member(root, "hooksConfig").filter(|it| !is_null(&it.value)) {
        match &property.value {
            Value::Object(object) => read_object(report, object, &mut config),
            other => report.wrong_type("\"hooksConfig\"", other, "an object"),
        }
    }
    if let Some(Value::Object(hooks)) = member(root, "hooks").map(|it| &it.value) {
        read_older(report, hooks, &mut config);
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
            name if FIELDS.contains(&name) && is_null(value) => {}
            "enabled" => config.enabled = report.boolean_of("\"enabled\"", value),
            "disabled" => config.disabled = report.texts_of("\"disabled\"", value),
            "notifications" => config.notifications = report.boolean_of("\"notifications\"", value),
            "onFailure" => {
                config.on_failure = on_failure(report, value).map(|it| report.provided(it, value));
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
            "locked" if report.text.layer() == Some(Layer::System) => {
                config.locked = read_locked(report, value);
            }
            "locked" => report.add(
                ProblemCode::UnknownField,
                key_start(property),
                "\"locked\" counts in the system's settings only",
                "remove it",
            ),
            _ => report.unknown_field(property, "\"hooksConfig\"", FIELDS),
        }
    }
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
        let message = format!("\"{}\" is no key that can be locked", shorten(key));
        let help = format!("keys that can be locked: {}", LOCKABLE.join(", "));
        let code = ProblemCode::InvalidValue;
        report.add_suggesting(code, start(element), (message, help), meant);
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
            let message = format!("{what} is {}", shorten(number.value));
            let help = format!("write a whole number of at least {least}; it was left out");
            report.add(ProblemCode::InvalidValue, start(value), message, help);
            None
        }
    }
}
