//! What an editor reports about settings: the schema in the JSON language service that VS Code
//! uses.
//!
//! The service is fetched from npm into the target folder. If that is impossible, the test reports
//! that it was skipped, and `cargo xtask test` counts it.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hookloop_testkit::skipped;
use serde_json::{Value, json};

use crate::world::World;

const SERVICE: &str = "vscode-json-languageservice@5.7.2";
const SCRIPT: &str = include_str!("editor/validate.mjs");
/// Settings with one mistake each, the text that must be marked, and a part of the expected
/// message.
const MISTAKES: &str = include_str!("editor/mistakes.json");

/// Returns the script that asks the service, which is fetched if necessary; `None` if that is
/// impossible.
///
/// Each test is a separate process: one fetches while the others wait, and the folder gets its name
/// when it is complete, so that nobody uses half a service.
fn service() -> Option<PathBuf> {
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = temporary.join("json-language-service");
    let guard = File::create(temporary.join("json-language-service.lock")).unwrap();
    guard.lock().unwrap();
    if !folder.is_dir() {
        let unfinished = temporary.join("json-language-service.unfinished");
        if unfinished.exists() {
            fs::remove_dir_all(&unfinished).unwrap();
        }
        if !fetch_into(&unfinished) {
            skipped(
                "the schema in an editor",
                "npm can't get the language service",
            );
            return None;
        }
        fs::write(unfinished.join("validate.mjs"), SCRIPT).unwrap();
        fs::rename(&unfinished, &folder).unwrap();
    }
    let script = folder.join("validate.mjs");
    if fs::read_to_string(&script).ok().as_deref() != Some(SCRIPT) {
        fs::write(&script, SCRIPT).unwrap();
    }
    Some(script)
}

/// Fetches the service from npm, and returns whether that worked.
fn fetch_into(folder: &Path) -> bool {
    fs::create_dir_all(folder).unwrap();
    let fetched = Command::new("npm")
        .args(["install", "--no-save", "--ignore-scripts", "--no-audit"])
        .args(["--no-fund", "--fetch-retries=0", "--fetch-timeout=30000"])
        .arg("--prefix")
        .arg(folder)
        .arg(SERVICE)
        .output();
    fetched.is_ok_and(|it| it.status.success())
}

/// What the service makes of documents and cursors.
#[derive(serde::Deserialize)]
struct EditorAnswer {
    /// For each document: the text it marks, and what it says.
    found: Vec<Vec<(String, String)>>,
    /// For each cursor, the words it offers.
    offered: Vec<Vec<String>>,
    /// How many keys the schema has.
    keys: usize,
    /// Keys whose description isn't shown when the pointer is on them.
    unexplained: Vec<String>,
}

/// Asks the service about documents, and about texts with a cursor (`|`).
fn ask(documents: &[Value], cursors: &[&str]) -> Option<EditorAnswer> {
    let script = service()?;
    let printed = World::new().hooks(&["schema"]).stdout;
    let schema: Value = serde_json::from_str(&printed).unwrap();
    let given = json!({"schema": schema, "documents": documents, "cursors": cursors});
    let mut node = Command::new("node")
        .arg(&script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = node.stdin.take().unwrap();
    input.write_all(given.to_string().as_bytes()).unwrap();
    drop(input);
    let output = node.wait_with_output().unwrap();
    let reported = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{reported}");
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

fn hook(hook: &Value) -> Value {
    json!({"hooks": {"BeforeTool": [{"hooks": [hook]}]}})
}

/// ST-9: an editor marks the mistake itself, and says by name what is wrong, or what would be
/// right. It has no objection to correct settings.
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
    let Some(EditorAnswer { mut found, .. }) = ask(&documents, &[]) else {
        return;
    };
    let nothing = found.split_off(mistakes.len());
    for (document, found) in right.iter().zip(nothing) {
        assert_eq!(found, [], "{document}");
    }
    assert!(mistakes.len() >= 50, "{}", mistakes.len());
    for (mistake, found) in mistakes.iter().zip(found) {
        let [marks, says] = ["marks", "says"].map(|key| mistake[key].as_str().unwrap());
        let fits =
            |(text, message): &(String, String)| text.starts_with(marks) && message.contains(says);
        assert!(found.iter().any(fits), "{mistake}: {found:#?}");
    }
}

/// ST-9: an editor offers the keys and words that belong at the cursor, and describes the purpose
/// of every key.
#[test]
fn an_editor_offers_what_fits_and_explains_it() {
    let cases = [
        (r"{|}", &["hooks", "hooksConfig", "mcpServers"][..]),
        (
            r#"{"hooks": {|}}"#,
            &["SessionStart", "BeforeTool", "Notification"],
        ),
        (
            r#"{"hooks": {"BeforeTool": [{|}]}}"#,
            &["matcher", "hooks", "sequential"],
        ),
        (
            r#"{"hooks": {"BeforeTool": [{"hooks": [{|}]}]}}"#,
            &["type", "command", "timeout", "onFailure"],
        ),
        (
            r#"{"hooks": {"BeforeTool": [{"hooks": [{"type": |}]}]}}"#,
            &[r#""command""#, r#""worker""#, r#""http""#],
        ),
        (
            r#"{"hooks": {"BeforeTool": [{"hooks": [{"onFailure": |}]}]}}"#,
            &[r#""warn""#, r#""deny""#],
        ),
        (r#"{"hooksConfig": {|}}"#, &["onFailure", "disabled"]),
    ];
    let Some(told) = ask(&[], &cases.map(|(cursor, _)| cursor)) else {
        return;
    };
    for ((cursor, fitting), offered) in cases.iter().zip(told.offered) {
        for word in *fitting {
            assert!(
                offered.iter().any(|it| it == word),
                "{cursor}: {word}: {offered:?}"
            );
        }
    }
    assert!(told.keys > 100, "{}", told.keys);
    assert_eq!(told.unexplained, [""; 0]);
}
