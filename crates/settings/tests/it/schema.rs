//! The JSON Schema and the reader agree (ST-9).

#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use hookloop_dialects::{ForeignEvent, foreign_event, foreign_events, supported_dialects};
use hookloop_hook::{EventName, Problem, ProblemCode};
use hookloop_settings::{json_schema, json_schema_text};
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::fixture::load_text;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns what a third-party validator objects to in a value.
fn refused(value: &Value) -> Option<String> {
    static VALIDATOR: LazyLock<Validator> =
        LazyLock::new(|| jsonschema::validator_for(&json_schema()).unwrap());
    let complaint = VALIDATOR.validate(value).err()?;
    Some(format!("{}: {complaint}", complaint.instance_path()))
}

/// Returns whether a problem is one of form, which a schema can see.
fn is_formal(problem: &Problem) -> bool {
    use ProblemCode::{
        InvalidValue, MisplacedHooks, MissingField, UnknownEvent, UnknownField, UnknownHookType,
        WrongType,
    };
    matches!(
        problem.code,
        MisplacedHooks
            | InvalidValue
            | MissingField
            | UnknownEvent
            | UnknownField
            | UnknownHookType
            | WrongType
    )
}

fn reported(value: &Value) -> Vec<String> {
    let settings = load_text(value.to_string());
    let formal = settings.problems.iter().filter(|it| is_formal(it));
    formal.map(|it| it.message.clone()).collect()
}

/// ST-9: the committed file is what the generator prints now.
#[test]
fn the_committed_schema_is_current() {
    let committed = fs::read_to_string(root().join("schemas/settings.schema.json")).unwrap();
    assert_eq!(
        committed.replace("\r\n", "\n"),
        json_schema_text(),
        "write it again: cargo xtask generate"
    );
}

/// ST-9: what the reader accepts without a complaint the schema accepts, and what the one refuses
/// the other refuses.
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
        hook(json!({"name": null})),
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
        json!({"BeforeTool": []}),
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

/// ST-9, FD-12: the schema accepts an event of another agent where the reader does: if the hook,
/// its group or the file uses a dialect that has it.
#[test]
fn schema_and_reader_agree_about_events_of_other_agents() {
    let names: BTreeSet<&str> = supported_dialects()
        .flat_map(|dialect| foreign_events(dialect).map(|(name, _)| name))
        .chain(["WorktreeCreate", "preTool", "Whatever"])
        .collect();
    assert!(names.contains("PreCompact") && names.contains("beforeShellExecution"));
    let mut accepted = 0;
    for (dialect, name) in
        supported_dialects().flat_map(|it| names.iter().map(move |name| (it, name)))
    {
        let hook = json!({"type": "command", "command": "c"});
        let mut speaking = hook.clone();
        speaking["dialect"] = json!(dialect.as_str());
        let in_hook = json!([{"hooks": [speaking]}]);
        let in_group = json!([{"dialect": dialect.as_str(), "hooks": [hook]}]);
        let beside_another = json!([{"hooks": [hook]}]);
        let files = [
            json!({"hooks": {*name: in_hook}}),
            json!({"hooks": {*name: in_group}}),
            json!({"hooks": {*name: beside_another}, "hooksConfig": {"dialect": dialect.as_str()}}),
        ];
        let is_ours = name.parse::<EventName>().is_ok();
        let is_taken =
            is_ours || matches!(foreign_event(dialect, name), Some(ForeignEvent::Ours(_)));
        accepted += usize::from(is_taken);
        for settings in files {
            assert_eq!(refused(&settings).is_none(), is_taken, "{settings}");
            assert_eq!(reported(&settings).is_empty(), is_taken, "{settings}");
        }
    }
    assert!(accepted > 50, "{accepted}");
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
        "mcp",
        "skills",
        "admin",
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

/// The paths of all keys below a part of the schema that contain no objects.
fn leaves(all: &Value, schema: &Value, path: Vec<String>) -> Vec<Vec<String>> {
    if let Some(pointer) = schema["$ref"].as_str() {
        let target = all.pointer(pointer.trim_start_matches('#')).unwrap();
        return leaves(all, target, path);
    }
    let inner = ["anyOf", "allOf"].map(|key| schema[key].as_array());
    for choice in inner.into_iter().flatten().flatten() {
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

/// ST-9: the settings of the examples, and those of the conformance cases that the reader accepts
/// without a complaint, are valid.
#[test]
fn the_settings_of_the_examples_are_valid() {
    let mut files = Vec::new();
    for folder in ["examples", "conformance"] {
        collect(&root().join(folder), &mut files);
    }
    let mut examples = 0;
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        if file.starts_with(root().join("examples/foreign")) {
            // These are other agents' settings.
            continue;
        }
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

/// ST-9: the schema agrees with the reader about every settings file in the documents, valid or
/// not.
#[test]
fn the_settings_of_the_documents_are_judged_alike() {
    let (mut sound, mut wrong) = (0, 0);
    for page in [
        "README.md",
        "docs/guide.md",
        "docs/reference.md",
        "docs/coming-from.md",
    ] {
        let text = fs::read_to_string(root().join(page)).unwrap();
        let blocks = text.split("\n```json\n").skip(1);
        for block in blocks.filter_map(|rest| rest.split("\n```").next()) {
            let Ok(settings) = serde_json::from_str::<Value>(block) else {
                continue;
            };
            if settings.get("hooks").is_none() && settings.get("hooksConfig").is_none() {
                continue;
            }
            let (schema, reader) = (refused(&settings), reported(&settings));
            assert_eq!(
                schema.is_none(),
                reader.is_empty(),
                "{page}: {block}\n{schema:?}"
            );
            *if reader.is_empty() {
                &mut sound
            } else {
                &mut wrong
            } += 1;
        }
    }
    assert!(sound > 10 && wrong > 0, "{sound} sound, {wrong} wrong");
}

/// ST-9: the schema itself is one, by the rules of the draft that it names.
#[test]
fn the_schema_is_a_schema() {
    assert!(jsonschema::meta::is_valid(&json_schema()));
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

/// ST-9: what a validator says about a mistake names the mistake, not only the key above it.
#[test]
fn complaints_name_the_mistake() {
    for (wrong, place) in [
        (
            json!({"hooks": {"BeforeTool": [{"hooks": [{"type": "command"}]}]}}),
            "/hooks/BeforeTool/0/hooks/0",
        ),
        (
            json!({"hooks": {"BeforeTool": [{"matcher": 5, "hooks": []}]}}),
            "/hooks/BeforeTool/0/matcher",
        ),
        (
            json!({"hooksConfig": {"maxRetries": "x"}}),
            "/hooksConfig/maxRetries",
        ),
        (json!({"AfterTool": []}), "/AfterTool"),
    ] {
        let said = refused(&wrong).unwrap();
        assert!(said.starts_with(place), "{said}");
    }
}
