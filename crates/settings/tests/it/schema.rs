//! The JSON Schema and the reader agree (ST-9).

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that can't be set up fails"
)]

use std::fs;
use std::path::{Path, PathBuf};

use hookloop_settings::{Problem, ProblemCode, json_schema, json_schema_text};
use serde_json::{Value, json};

use crate::fixture::load_text;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Says what is wrong with a value; knows the keywords that the schema uses, and no others.
fn complaint(schema: &Value, value: &Value, all: &Value) -> Option<String> {
    let keywords = match schema {
        Value::Object(keywords) => keywords,
        Value::Bool(true) => return None,
        _ => return Some(format!("nothing is allowed here: {value}")),
    };
    keywords.iter().find_map(|(keyword, rule)| {
        let fits = match keyword.as_str() {
            "$schema" | "title" | "description" | "default" | "deprecated" | "definitions"
            | "format" => true,
            "$ref" => {
                let pointer = rule.as_str().unwrap().trim_start_matches('#');
                return complaint(all.pointer(pointer).unwrap(), value, all);
            }
            "type" => match rule {
                Value::Array(types) => types.iter().any(|it| is_of_type(value, it)),
                one => is_of_type(value, one),
            },
            "const" => value == rule,
            "enum" => rule.as_array().unwrap().contains(value),
            "not" => complaint(rule, value, all).is_some(),
            "anyOf" | "oneOf" => {
                let rules = rule.as_array().unwrap();
                rules.iter().any(|it| complaint(it, value, all).is_none())
            }
            "minimum" => value.as_f64().is_none_or(|it| it >= rule.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|it| it <= rule.as_f64().unwrap()),
            "exclusiveMinimum" => value.as_f64().is_none_or(|it| it > rule.as_f64().unwrap()),
            "pattern" => {
                let pattern = regress::Regex::new(rule.as_str().unwrap()).unwrap();
                value.as_str().is_none_or(|it| pattern.find(it).is_some())
            }
            "required" => value.as_object().is_none_or(|object| {
                let mut keys = rule.as_array().unwrap().iter();
                keys.all(|key| object.contains_key(key.as_str().unwrap()))
            }),
            "items" => {
                let mut items = value.as_array().into_iter().flatten();
                return items.find_map(|it| complaint(rule, it, all));
            }
            "properties" => {
                let mut members = value.as_object().into_iter().flatten();
                return members.find_map(|(key, it)| complaint(rule.get(key)?, it, all));
            }
            "additionalProperties" => {
                let listed = &schema["properties"];
                let members = value.as_object().into_iter().flatten();
                return members
                    .filter(|(key, _)| listed.get(key).is_none())
                    .find_map(|(key, it)| Some(format!("{key}: {}", complaint(rule, it, all)?)));
            }
            other => panic!("the schema uses {other}"),
        };
        (!fits).then(|| format!("{value} against {keyword} {rule}"))
    })
}

fn is_of_type(value: &Value, name: &Value) -> bool {
    match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        other => panic!("the schema uses type {other}"),
    }
}

fn refused(value: &Value) -> Option<String> {
    let schema = json_schema();
    complaint(&schema, value, &schema)
}

/// Whether a problem is one of form, which a schema can see.
fn is_formal(problem: &Problem) -> bool {
    use ProblemCode::{
        InvalidValue, MissingField, UnknownEvent, UnknownField, UnknownHookType, WrongType,
    };
    matches!(
        problem.code,
        InvalidValue | MissingField | UnknownEvent | UnknownField | UnknownHookType | WrongType
    )
}

fn reported(value: &Value) -> Vec<String> {
    let settings = load_text(value.to_string());
    let formal = settings.problems.iter().filter(|it| is_formal(it));
    formal.map(|it| it.message.clone()).collect()
}

/// ST-9: the committed file is what is generated today.
#[test]
fn the_committed_schema_is_current() {
    let committed = fs::read_to_string(root().join("schemas/settings.schema.json")).unwrap();
    assert_eq!(
        committed.replace("\r\n", "\n"),
        json_schema_text(),
        "write it again: cargo run -p hookloop-settings --example schema > schemas/settings.schema.json"
    );
}

/// ST-9: what the reader takes without a complaint the schema takes, and what the one refuses the
/// other refuses.
#[test]
fn schema_and_reader_agree() {
    let hook = |fields: Value| {
        let mut hook = json!({"type": "command", "command": "c"});
        for (key, value) in fields.as_object().unwrap() {
            hook[key] = value.clone();
        }
        json!({"hooks": {"BeforeTool": [{"hooks": [hook]}]}})
    };
    let good = [
        json!({}),
        json!({"$schema": "x", "other": 1, "ui": {"theme": "dark"}}),
        hook(json!({"name": "n", "description": "d", "env": {"A": "b"}, "onFailure": "deny"})),
        hook(json!({"timeout": 1.5})),
        hook(json!({"timeout": " 30 s "})),
        hook(json!({"timeout": null, "name": null})),
        json!({"hooks": {"enabled": true, "disabled": ["x"], "notifications": false}}),
        json!({"hooksConfig": {"enabled": false, "disabled": [], "maxOutputBytes": 1,
            "maxRetries": 0, "trace": {"maxBytes": 1}, "onFailure": "warn"}}),
        json!({"model": "old"}),
        json!({"model": {"name": "m", "maxSessionTurns": -1, "compressionThreshold": 1}}),
        json!({"model": {"idleTimeout": 500}}),
        json!({"model": {"idleTimeout": "10m"}}),
        json!({"context": {"fileName": "A.md"}}),
        json!({"context": {"fileName": ["A.md"]}}),
        json!({"mcpServers": {"a": {"command": "x", "own": true}}}),
    ];
    for settings in good {
        assert_eq!(refused(&settings), None, "{settings}");
        assert_eq!(reported(&settings), [""; 0], "{settings}");
    }
    let bad = [
        json!({"hooks": []}),
        json!({"hooks": {"PreToolUse": []}}),
        json!({"hooks": {"BeforeTool": {}}}),
        json!({"hooks": {"BeforeTool": [{"matcher": "x"}]}}),
        json!({"hooks": {"BeforeTool": [{"hooks": [], "match": "x"}]}}),
        json!({"hooks": {"BeforeTool": [{"hooks": [{"command": "c"}]}]}}),
        json!({"hooks": {"BeforeTool": [{"hooks": [{"type": "command"}]}]}}),
        hook(json!({"type": "Command"})),
        hook(json!({"type": "http"})),
        hook(json!({"command": " "})),
        hook(json!({"timeout": 0})),
        hook(json!({"timeout": "30"})),
        hook(json!({"timeout": true})),
        hook(json!({"env": {"A": 1}})),
        hook(json!({"onFailure": "ask"})),
        hook(json!({"onfailure": "deny"})),
        json!({"hooksConfig": {"maxOutputBytes": 0}}),
        json!({"hooksConfig": {"trace": {"maxBytes": 0}}}),
        json!({"hooksConfig": {"disabled": "x"}}),
        json!({"hooksConfig": {"unheard": 1}}),
        json!({"model": {"compressionThreshold": 2}}),
        json!({"model": {"maxSessionTurns": 0}}),
        json!({"model": {"idleTimeout": "10"}}),
        json!({"mcpServers": {"a": "b"}}),
    ];
    for settings in bad {
        assert!(refused(&settings).is_some(), "{settings}");
        assert!(!reported(&settings).is_empty(), "{settings}");
    }
}

/// ST-9: every key of the agent's settings that the schema lists is read: a value that can't be
/// right is reported.
#[test]
fn every_listed_key_is_read() {
    let schema = json_schema();
    let mut count = 0;
    let sections = [
        "model",
        "openai",
        "contextCompression",
        "general",
        "context",
        "tools",
        "telemetry",
        "security",
        "extensions",
    ];
    for section in sections {
        for path in leaves(
            &schema,
            &schema["properties"][section],
            vec![section.to_owned()],
        ) {
            let wrong = path
                .iter()
                .rev()
                .fold(json!({"no": ["such"]}), |inner, key| json!({key: inner}));
            assert!(!reported(&wrong).is_empty(), "{wrong}");
            assert!(refused(&wrong).is_some(), "{wrong}");
            count += 1;
        }
    }
    assert!(count > 15, "{count}");
}

/// The paths of all keys below a part of the schema that hold no objects.
fn leaves(all: &Value, schema: &Value, path: Vec<String>) -> Vec<Vec<String>> {
    if let Some(pointer) = schema["$ref"].as_str() {
        let target = all.pointer(pointer.trim_start_matches('#')).unwrap();
        return leaves(all, target, path);
    }
    for choice in schema["anyOf"].as_array().into_iter().flatten() {
        let found = leaves(all, choice, path.clone());
        if found.iter().any(|it| it.len() > path.len()) {
            return found;
        }
    }
    let Some(properties) = schema["properties"].as_object() else {
        return vec![path];
    };
    let below = properties.iter().flat_map(|(key, inner)| {
        let mut path = path.clone();
        path.push(key.clone());
        leaves(all, inner, path)
    });
    below.collect()
}

/// ST-9: the settings of the examples, and those of the conformance cases that the reader takes
/// without complaint, are valid.
#[test]
fn the_settings_of_the_examples_are_valid() {
    let mut files = Vec::new();
    for folder in ["examples", "conformance"] {
        collect(&root().join(folder), &mut files);
    }
    let mut examples = 0;
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        if file.ends_with("settings.json") {
            let settings = load_text(&text);
            let value: Value = serde_json::from_str(&text).unwrap();
            assert!(
                !settings.problems.iter().any(is_formal),
                "{}",
                file.display()
            );
            assert_eq!(refused(&value), None, "{}", file.display());
            examples += 1;
            continue;
        }
        let Ok(case) = serde_json::from_str::<Value>(&text) else {
            continue;
        };
        for layer in ["project", "user", "system"] {
            let settings = &case["setup"][layer];
            if settings.is_object() && reported(settings).is_empty() {
                assert_eq!(refused(settings), None, "{} {layer}", file.display());
            }
        }
    }
    assert!(examples > 0, "there are examples");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.ends_with("settings.json") || path.ends_with("case.json") {
            files.push(path);
        }
    }
}
