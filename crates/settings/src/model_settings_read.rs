//! Reads what is set for single models (MO-6).

use hookloop_hook::ProblemCode;
use hookloop_text::shorten::excerpt;
use jsonc_parser::ast::{Object, Value};
use serde_json::{Map, Value as Json, json};

use crate::model_settings::{ModelAlias, ModelSettings, ModelTable};
use crate::report::Report;
use crate::syntax::{is_null, key_start, start, to_json};

/// The fields of `model.settings.NAME`.
const FIELDS: [&str; 7] = [
    "temperature",
    "topP",
    "topK",
    "maxOutputTokens",
    "stopSequences",
    "thinkingBudget",
    "contextWindow",
];

/// How much a model may think, as requests name it.
const THINKING: &str = "thinkingConfig";

/// The fields of a model in `modelConfigs`.
const CONFIG_FIELDS: [&str; 2] = ["model", "generateContentConfig"];

/// What a setting may be.
#[derive(Clone, Copy)]
enum Shape {
    /// A number from 0 up to a bound.
    UpTo(f64),
    /// A whole number of at least this.
    AtLeast(i64),
    /// A list of texts.
    Texts,
}

/// Returns what a parameter may be; nothing for one that goes to the service as it is.
fn shape_of(parameter: &str) -> Option<Shape> {
    Some(match parameter {
        "temperature" => Shape::UpTo(2.0),
        "topP" => Shape::UpTo(1.0),
        "topK" | "maxOutputTokens" | "contextWindow" => Shape::AtLeast(1),
        // -1: as the model sees fit.
        "thinkingBudget" => Shape::AtLeast(-1),
        "stopSequences" => Shape::Texts,
        _ => return None,
    })
}

/// Reads `model.settings`: for each model an object.
pub(crate) fn read(report: &mut Report<'_>, value: &Value<'_>, table: &mut ModelTable) {
    let Value::Object(models) = value else {
        let wanted = "an object with the names of models as keys";
        report.wrong_type("\"model.settings\"", value, wanted);
        return;
    };
    for property in report.members(models) {
        let name = property.name.as_str();
        let place = format!("the settings of \"{}\"", excerpt(name));
        match &property.value {
            value if is_null(value) => {}
            Value::Object(object) => {
                let settings = settings(report, &place, object);
                let settings = report.provided(settings, &property.value);
                table.settings.push((name.to_owned(), settings));
            }
            other => report.wrong_type(&place, other, "an object"),
        }
    }
}

fn settings(report: &mut Report<'_>, place: &str, object: &Object<'_>) -> ModelSettings {
    let mut settings = ModelSettings::default();
    for property in report.members(object) {
        let name = property.name.as_str();
        if !FIELDS.contains(&name) {
            report.unknown_field(property, place, &FIELDS);
            continue;
        }
        let what = format!("\"{name}\" of {place}");
        let Some(value) = checked(report, &what, name, &property.value) else {
            continue;
        };
        match name {
            "contextWindow" => settings.context_window = value.as_u64(),
            "thinkingBudget" => {
                let thinking = json!({ "thinkingBudget": value });
                settings.parameters.insert(THINKING.to_owned(), thinking);
            }
            _ => {
                settings.parameters.insert(name.to_owned(), value);
            }
        }
    }
    settings
}

/// Reads `modelConfigs`, as Gemini CLI's users write it: aliases, and overrides of models.
pub(crate) fn read_configs(report: &mut Report<'_>, value: &Value<'_>, table: &mut ModelTable) {
    let Value::Object(configs) = value else {
        report.wrong_type("\"modelConfigs\"", value, "an object");
        return;
    };
    let members = report.members(configs);
    // What a person wrote counts more than what comes with Gemini CLI.
    for key in ["customAliases", "aliases", "customOverrides", "overrides"] {
        let property = members.iter().find(|it| it.name.as_str() == key);
        match property.map(|it| &it.value) {
            None => {}
            Some(value) if is_null(value) => {}
            Some(Value::Object(aliases)) if key.ends_with("liases") => {
                read_aliases(report, key, aliases, table);
            }
            // A later one counts more.
            Some(Value::Array(list)) if key.ends_with("verrides") => {
                for entry in list.elements.iter().rev() {
                    read_override(report, key, entry, table);
                }
            }
            Some(other) => {
                let wanted = if key.ends_with("liases") {
                    "an object"
                } else {
                    "a list"
                };
                report.wrong_type(&format!("\"modelConfigs.{key}\""), other, wanted);
            }
        }
    }
}

fn read_aliases(report: &mut Report<'_>, key: &str, aliases: &Object<'_>, table: &mut ModelTable) {
    for property in report.members(aliases) {
        let name = property.name.as_str();
        let place = format!("the alias \"{}\" of \"modelConfigs.{key}\"", excerpt(name));
        let Value::Object(object) = &property.value else {
            report.wrong_type(&place, &property.value, "an object");
            continue;
        };
        let mut alias = ModelAlias::default();
        for property in report.members(object) {
            match (property.name.as_str(), &property.value) {
                (_, value) if is_null(value) => {}
                ("extends", value) => {
                    let what = format!("\"extends\" of {place}");
                    alias.extends = report.text_of(&what, value).map(str::to_owned);
                }
                ("modelConfig", value) => {
                    (alias.model, alias.settings) = config(report, &place, value);
                }
                _ => report.unknown_field(property, &place, &["extends", "modelConfig"]),
            }
        }
        let alias = report.provided(alias, &property.value);
        table.aliases.push((name.to_owned(), alias));
    }
}

fn read_override(report: &mut Report<'_>, key: &str, entry: &Value<'_>, table: &mut ModelTable) {
    let place = format!("an entry of \"modelConfigs.{key}\"");
    let Value::Object(object) = entry else {
        report.wrong_type(&place, entry, "an object");
        return;
    };
    let mut matched = None;
    let mut said = ModelSettings::default();
    for property in report.members(object) {
        match (property.name.as_str(), &property.value) {
            ("match", value) => matched = Some(model_matched(report, &place, value)),
            ("modelConfig", value) => (_, said) = config(report, &place, value),
            _ => report.unknown_field(property, &place, &["match", "modelConfig"]),
        }
    }
    // One without a condition is for all models; one whose condition isn't known counts for none.
    let Some(name) = matched.unwrap_or_else(|| Some("*".to_owned())) else {
        return;
    };
    table.settings.push((name, report.provided(said, entry)));
}

/// Returns which model an override is for; nothing if it has a condition that isn't known here.
fn model_matched(report: &mut Report<'_>, place: &str, value: &Value<'_>) -> Option<String> {
    let Value::Object(object) = value else {
        report.wrong_type(&format!("\"match\" of {place}"), value, "an object");
        return None;
    };
    let mut model = Some("*".to_owned());
    for property in report.members(object) {
        let name = property.name.as_str();
        if name == "model" {
            let what = format!("\"match.model\" of {place}");
            let named = report.text_of(&what, &property.value).map(str::to_owned);
            model = model.and(named);
        } else {
            let message = format!("{place} has the condition \"{}\"", excerpt(name));
            let help = "only \"model\" is supported here: the entry is ignored";
            report.add(
                ProblemCode::UnknownField,
                key_start(property),
                message,
                help,
            );
            model = None;
        }
    }
    model
}

/// Reads a `modelConfig`: the model, and the parameters of its requests.
fn config(
    report: &mut Report<'_>,
    place: &str,
    value: &Value<'_>,
) -> (Option<String>, ModelSettings) {
    let mut settings = ModelSettings::default();
    let mut model = None;
    let Value::Object(object) = value else {
        report.wrong_type(&format!("\"modelConfig\" of {place}"), value, "an object");
        return (model, settings);
    };
    for property in report.members(object) {
        match (property.name.as_str(), &property.value) {
            (_, value) if is_null(value) => {}
            ("model", value) => {
                let what = format!("\"model\" of {place}");
                model = report.text_of(&what, value).map(str::to_owned);
            }
            ("generateContentConfig", Value::Object(object)) => {
                settings.parameters = parameters(report, place, object);
            }
            ("generateContentConfig", other) => {
                let what = format!("\"generateContentConfig\" of {place}");
                report.wrong_type(&what, other, "an object");
            }
            _ => report.unknown_field(property, place, &CONFIG_FIELDS),
        }
    }
    (model, settings)
}

/// Reads the parameters of requests; what isn't known here is for the service to judge.
fn parameters(report: &mut Report<'_>, place: &str, object: &Object<'_>) -> Map<String, Json> {
    let mut parameters = Map::new();
    for property in report.members(object) {
        let name = property.name.as_str();
        let value = match &property.value {
            Value::Object(thinking) if name == THINKING => thinking_of(report, place, thinking),
            other => checked(report, &format!("\"{name}\" of {place}"), name, other),
        };
        if let Some(value) = value {
            parameters.insert(name.to_owned(), value);
        }
    }
    parameters
}

fn thinking_of(report: &mut Report<'_>, place: &str, object: &Object<'_>) -> Option<Json> {
    let mut thinking = Map::new();
    for property in report.members(object) {
        let name = property.name.as_str();
        let what = format!("\"{THINKING}.{name}\" of {place}");
        if let Some(value) = checked(report, &what, name, &property.value) {
            thinking.insert(name.to_owned(), value);
        }
    }
    (!thinking.is_empty()).then(|| Json::Object(thinking))
}

/// Returns a value if it is what a parameter may be, else reports it.
fn checked(
    report: &mut Report<'_>,
    what: &str,
    parameter: &str,
    value: &Value<'_>,
) -> Option<Json> {
    if is_null(value) {
        return None;
    }
    let Some(shape) = shape_of(parameter) else {
        return Some(to_json(value));
    };
    let (wanted, read) = match (shape, value) {
        (Shape::Texts, _) => {
            let texts = report.texts_of(what, value);
            let texts: Vec<String> = texts.into_iter().map(|it| it.value).collect();
            return (!texts.is_empty()).then(|| json!(texts));
        }
        (_, Value::NumberLit(literal)) => number(shape, literal.value),
        _ => {
            report.wrong_type(what, value, "a number");
            return None;
        }
    };
    if read.is_none() {
        let message = format!("{what} can't be {}", excerpt(&to_json(value).to_string()));
        let help = format!("write {wanted}; until then it is ignored");
        report.add(ProblemCode::InvalidValue, start(value), message, help);
    }
    read
}

/// Returns which number is wanted, and the number if it is such a one.
fn number(shape: Shape, literal: &str) -> (String, Option<Json>) {
    match shape {
        Shape::UpTo(most) => {
            let number = literal.parse::<f64>().ok();
            let number = number.filter(|it| (0.0..=most).contains(it));
            let wanted = format!("a number from 0 to {most}");
            (wanted, number.map(|it| json!(it)))
        }
        Shape::AtLeast(least) => {
            let number = literal.parse::<i64>().ok().filter(|it| *it >= least);
            let wanted = format!("a whole number of at least {least}");
            (wanted, number.map(|it| json!(it)))
        }
        Shape::Texts => ("a list of strings".to_owned(), None),
    }
}
