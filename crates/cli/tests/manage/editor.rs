//! What an editor says of settings: the schema in the JSON language service that VS Code uses.
//!
//! The service is fetched from npm into the target folder. Where it can't be had the test says that it
//! was skipped, and `cargo xtask test` counts it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hookloop_testkit::skipped;
use serde_json::{Value, json};

use crate::world::World;

const SERVICE: &str = "vscode-json-languageservice@5.7.2";
const SCRIPT: &str = include_str!("editor/validate.mjs");
/// Settings with one mistake each, the text that must be marked, and a part of what must be said.
const MISTAKES: &str = include_str!("editor/mistakes.json");

/// The folder with the service, fetched if need be; nothing where it can't be had.
fn service() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("json-language-service");
    if !folder
        .join("node_modules/vscode-json-languageservice")
        .is_dir()
    {
        fs::create_dir_all(&folder).unwrap();
        let fetched = Command::new("npm")
            .args(["install", "--no-save", "--ignore-scripts", "--no-audit"])
            .args(["--no-fund", "--fetch-retries=0", "--fetch-timeout=30000"])
            .arg("--prefix")
            .arg(&folder)
            .arg(SERVICE)
            .output();
        if !fetched.is_ok_and(|it| it.status.success()) {
            skipped(
                "the schema in an editor",
                "npm can't get the language service",
            );
            return None;
        }
    }
    let script = folder.join("validate.mjs");
    fs::write(&script, SCRIPT).unwrap();
    Some(script)
}

/// What the service finds in each document: the text it marks, and what it says.
fn found(documents: &[Value]) -> Option<Vec<Vec<(String, String)>>> {
    let script = service()?;
    let printed = World::new().hooks(&["schema"]).stdout;
    let schema: Value = serde_json::from_str(&printed).unwrap();
    let given = json!({"schema": schema, "documents": documents});
    let input = script.with_extension("json");
    fs::write(&input, given.to_string()).unwrap();
    let output = Command::new("node")
        .arg(&script)
        .stdin(Stdio::from(fs::File::open(&input).unwrap()))
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{told}");
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

fn hook(hook: &Value) -> Value {
    json!({"hooks": {"BeforeTool": [{"hooks": [hook]}]}})
}

/// ST-9: an editor marks the mistake itself, and says by name what is wrong, or what would be right. It
/// has nothing to say against settings that are right.
#[test]
fn an_editor_names_the_mistake() {
    let mistakes: Vec<Value> = serde_json::from_str(MISTAKES).unwrap();
    let right = [
        hook(&json!({"type": "command", "command": "true", "timeout": "30s", "onFailure": "deny"})),
        hook(&json!({"type": "rule", "rules": [{"name": "a", "when": "true", "then": "deny"}]})),
        hook(&json!({"type": "worker", "command": "w", "args": ["a"], "idle": 1000})),
        json!({"hooksConfig": {"locked": ["enabled"]}, "unknown": 1}),
    ];
    let wrong = mistakes.iter().map(|mistake| &mistake["settings"]);
    let documents: Vec<_> = wrong.chain(&right).cloned().collect();
    let Some(mut found) = found(&documents) else {
        return;
    };
    let nothing = found.split_off(mistakes.len());
    for (document, found) in right.iter().zip(nothing) {
        assert_eq!(found, [], "{document}");
    }
    assert!(mistakes.len() >= 20, "{}", mistakes.len());
    for (mistake, found) in mistakes.iter().zip(found) {
        let [marks, says] = ["marks", "says"].map(|key| mistake[key].as_str().unwrap());
        let fits =
            |(text, message): &(String, String)| text.starts_with(marks) && message.contains(says);
        assert!(found.iter().any(fits), "{mistake}: {found:#?}");
    }
}
