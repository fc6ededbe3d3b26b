//! The cookbook, tested: every recipe under `examples/cookbook` does in a real turn what its page
//! in `docs/cookbook` says, and stops doing it without its hook.
//!
//! A recipe is a folder to copy into a project: its settings, its script and its tests for
//! `hooks test`. `turn.json` beside them is only for this test: what the model says, and the
//! expected result.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use hookloop_testkit::model_server::{ModelServer, Reply};
use hookloop_testkit::{Finished, Sandbox, skipped};
use serde::Deserialize;
use serde_json::{Value, json};

/// Recipes that no headless turn can show, and why: their `hooks test` shows what they do.
const WITHOUT_TURN: [(&str, &str); 1] = [("notify", "nobody is asked in a headless turn")];

/// How long something after the turn may take: not a measure of speed, only a bound.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A turn, as `turn.json` describes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Turn {
    prompt: String,
    /// Shell text that prepares the project before its hooks are trusted.
    #[serde(default)]
    setup: String,
    /// Settings of the user.
    #[serde(default)]
    settings: Value,
    model: Vec<Answer>,
    expect: Expected,
}

/// What the model says.
#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Text(String),
    Chunks { chunks: Vec<String> },
    Call { call: Value, usage: Option<u64> },
}

/// The expected result of a turn.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Expected {
    /// Files of the project and their content; `null` for those that must not exist.
    project: BTreeMap<String, Option<String>>,
    /// The same below the user's home.
    home: BTreeMap<String, Option<String>>,
    /// Files of the project, and a text in them.
    project_contains: BTreeMap<String, String>,
    /// Folders of the project that must contain something.
    folders: Vec<String>,
    /// Texts on one of the streams.
    printed: Vec<String>,
    /// Texts in what the model was sent.
    sent: Vec<String>,
    /// Texts that the model wasn't sent.
    not_sent: Vec<String>,
}

/// Whether the hooks of a recipe run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hooks {
    Run,
    Off,
}

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap()
}

fn folder(recipe: &str) -> PathBuf {
    root().join("examples/cookbook").join(recipe)
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// A project with a recipe copied into it, as its page says.
fn world(recipe: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let from = folder(recipe);
    for file in files_below(&from) {
        let inside = file.strip_prefix(&from).unwrap();
        if inside == Path::new("turn.json") {
            continue;
        }
        let to = sandbox.project().join(inside);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        // With its mode: a script must be executable in the repository.
        fs::copy(&file, to).unwrap();
    }
    sandbox
}

fn hookloop(sandbox: &Sandbox, arguments: &[&str]) -> Finished {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
    sandbox.run(command.args(arguments), b"")
}

fn trusted(sandbox: &Sandbox) -> BTreeSet<String> {
    let finished = hookloop(sandbox, &["hooks", "trust"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let lines = finished.stdout.lines();
    let names = lines.filter_map(|line| line.strip_prefix("trusted: "));
    names.map(str::to_owned).collect()
}

/// The settings have no fault, and each test passes. Without the hooks, at least one fails.
fn tests_hold_the_hooks_to_it(recipe: &str) {
    let sandbox = world(recipe);
    let names = trusted(&sandbox);
    assert!(!names.is_empty(), "{recipe}: there is no hook to trust");
    let check = hookloop(&sandbox, &["hooks", "check", "--strict", "--json"]);
    let checked: Value = serde_json::from_str(&check.stdout).unwrap();
    assert_eq!(checked["diagnostics"], json!([]), "{recipe}");
    let test = hookloop(&sandbox, &["hooks", "test"]);
    assert_eq!(
        test.code,
        Some(0),
        "{recipe}: {}{}",
        test.stdout,
        test.stderr
    );
    let without = hookloop(&sandbox, &["hooks", "test", "--no-hooks"]);
    assert_eq!(
        without.code,
        Some(1),
        "{recipe}: its tests pass without its hooks: {}",
        without.stdout
    );
}

fn reply(answer: &Answer) -> Reply {
    let chunk =
        |part: Value| json!({"candidates": [{"content": {"role": "model", "parts": [part]}}]});
    let mut chunks: Vec<Value> = match answer {
        Answer::Text(text) => vec![chunk(json!({"text": text}))],
        Answer::Chunks { chunks } => {
            let texts = chunks.iter().map(|text| chunk(json!({"text": text})));
            texts.collect()
        }
        Answer::Call { call, .. } => vec![chunk(json!({"functionCall": call}))],
    };
    let last = chunks.last_mut().unwrap();
    last["candidates"][0]["finishReason"] = json!("STOP");
    if let Answer::Call {
        usage: Some(total), ..
    } = answer
    {
        last["usageMetadata"] = json!({
            "promptTokenCount": total - 1, "candidatesTokenCount": 1, "totalTokenCount": total,
        });
    }
    let texts: Vec<String> = chunks.iter().map(Value::to_string).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    Reply::events(&texts)
}

/// Runs the turn of a recipe, and returns what isn't as expected.
fn missing_after_turn(recipe: &str, turn: &Turn, hooks: Hooks) -> Vec<String> {
    let sandbox = world(recipe);
    if turn.setup.contains("git init") {
        // The sandbox's mark of a project root isn't a repository.
        fs::remove_dir(sandbox.project().join(".git")).unwrap();
    }
    let mut setup = sandbox.command("bash");
    let done = sandbox.run(setup.args(["-ec", &turn.setup]), b"");
    assert_eq!(done.code, Some(0), "{recipe}: {}", done.stderr);
    if turn.settings.is_object() {
        sandbox.user_settings(&turn.settings.to_string());
    }
    trusted(&sandbox);
    // Without its hooks a turn may take more answers, or fewer.
    let spare = (0..3).map(|_| reply(&Answer::Text("Done.".to_owned())));
    let server = ModelServer::start(turn.model.iter().map(reply).chain(spare));
    let finished = hold_turn(&sandbox, &server, turn, hooks);
    let started = Instant::now();
    loop {
        let missing = turn.expect.missing(&sandbox, &finished, &server);
        // A hook that nobody waits for may write after the turn.
        if missing.is_empty() || hooks == Hooks::Off || started.elapsed() > TIMEOUT {
            return missing;
        }
        thread::sleep(Duration::from_millis(50));
    }
}

fn hold_turn(sandbox: &Sandbox, server: &ModelServer, turn: &Turn, hooks: Hooks) -> Finished {
    let mut command: Command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
    let programs = sandbox.home().join("bin");
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", programs.display());
    command
        .env("PATH", path)
        .env("GEMINI_API_KEY", "key")
        .env("GEMINI_MODEL", "gemini-2.5-pro")
        .env("GOOGLE_GEMINI_BASE_URL", server.url())
        .args(["--yolo", "-p", &turn.prompt]);
    if hooks == Hooks::Off {
        command.arg("--no-hooks");
    }
    sandbox.run(&mut command, b"")
}

impl Expected {
    fn missing(&self, sandbox: &Sandbox, finished: &Finished, server: &ModelServer) -> Vec<String> {
        let mut missing = Vec::new();
        let places = [
            (sandbox.project(), &self.project),
            (sandbox.home(), &self.home),
        ];
        for (folder, files) in places {
            for (file, content) in files {
                let found = fs::read_to_string(folder.join(file)).ok();
                if found != *content {
                    missing.push(format!("{file}: {content:?}, not {found:?}"));
                }
            }
        }
        for (file, text) in &self.project_contains {
            let found = fs::read_to_string(sandbox.project().join(file)).unwrap_or_default();
            if !found.contains(text) {
                missing.push(format!("{file} with {text:?}, not {found:?}"));
            }
        }
        for folder in &self.folders {
            let entries = fs::read_dir(sandbox.project().join(folder));
            if entries.map_or(0, Iterator::count) == 0 {
                missing.push(format!("something in {folder}"));
            }
        }
        let printed = format!("{}{}", finished.stdout, finished.stderr);
        let requests = server.requests();
        let sent: Vec<_> = requests
            .iter()
            .map(|it| format!("{} {}", it.line, String::from_utf8_lossy(&it.body)))
            .collect();
        let sent = sent.join("\n");
        for text in self.printed.iter().filter(|text| !printed.contains(*text)) {
            missing.push(format!("{text:?} in what was printed: {printed}"));
        }
        for text in self.sent.iter().filter(|text| !sent.contains(*text)) {
            missing.push(format!("{text:?} in what was sent; printed: {printed}"));
        }
        for text in self.not_sent.iter().filter(|text| sent.contains(*text)) {
            missing.push(format!("no {text:?} in what was sent"));
        }
        missing
    }
}

/// The turn has the recipe's effect, and loses it with the hooks.
fn the_turn_shows_the_effect(recipe: &str) {
    let file = folder(recipe).join("turn.json");
    if WITHOUT_TURN.iter().any(|(name, _)| *name == recipe) {
        assert!(!file.exists(), "{recipe} has a turn after all");
        return;
    }
    let turn: Turn = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let missing = missing_after_turn(recipe, &turn, Hooks::Run);
    assert!(missing.is_empty(), "{recipe}: {missing:#?}");
    let without = missing_after_turn(recipe, &turn, Hooks::Off);
    assert!(
        !without.is_empty(),
        "{recipe}: the turn ends the same without its hooks"
    );
}

/// The page shows the files of the recipe as they are.
fn the_page_shows_the_files(recipe: &str) {
    let page = format!("docs/cookbook/{recipe}.md");
    let page = fs::read_to_string(root().join(page)).unwrap();
    let folder = folder(recipe);
    for file in files_below(&folder) {
        let inside = file.strip_prefix(&folder).unwrap();
        let is_shown =
            inside != Path::new("turn.json") && !inside.starts_with(".gemini/hooks/tests");
        let text = fs::read_to_string(&file).unwrap();
        assert!(
            !is_shown || page.contains(&format!("\n{text}```\n")),
            "{recipe}: the page doesn't show {} as it is",
            inside.display()
        );
    }
}

/// Returns whether the programs that a recipe is written for are installed.
fn can_be_cooked(recipe: &str) -> bool {
    let is_node = files_below(&folder(recipe))
        .iter()
        .any(|file| file.extension().is_some_and(|it| it == "mjs"));
    let sandbox = Sandbox::new();
    let mut look = sandbox.command("bash");
    let found = sandbox.run(look.args(["-c", "command -v node"]), b"");
    !is_node || found.code == Some(0)
}

macro_rules! recipes {
    ($($test:ident = $name:literal),+ $(,)?) => {
        const RECIPES: &[&str] = &[$($name),+];
        $(
            /// CM-6, IO-13: the recipe is complete, and its hook has the effect that its page
            /// promises.
            #[test]
            fn $test() {
                if !can_be_cooked($name) {
                    skipped(concat!("the recipe ", $name), "node isn't installed");
                    return;
                }
                the_page_shows_the_files($name);
                tests_hold_the_hooks_to_it($name);
                the_turn_shows_the_effect($name);
            }
        )+
    };
}

recipes! {
    ask_before_network = "ask-before-network",
    audit = "audit",
    backup_before_compress = "backup-before-compress",
    branch_policy = "branch-policy",
    commit_message = "commit-message",
    cost_meter = "cost-meter",
    dangerous_commands = "dangerous-commands",
    dry_run = "dry-run",
    format_after_edit = "format-after-edit",
    git_context = "git-context",
    large_writes = "large-writes",
    license_header = "license-header",
    limit_tools = "limit-tools",
    loop_until_done = "loop-until-done",
    no_secrets = "no-secrets",
    notify = "notify",
    policy_file = "policy-file",
    prompt_log = "prompt-log",
    protect_files = "protect-files",
    rate_limit = "rate-limit",
    read_only_hours = "read-only-hours",
    redact_output = "redact-output",
    route_model = "route-model",
    sub_agent_limits = "sub-agent-limits",
    tests_before_finish = "tests-before-finish",
}

/// Every recipe is tested here, has a page, and is in both tables.
#[test]
fn every_recipe_is_known() {
    let entries = fs::read_dir(root().join("examples/cookbook")).unwrap();
    let folders = entries.map(Result::unwrap).filter(|it| it.path().is_dir());
    let folders: BTreeSet<_> = folders
        .map(|it| it.file_name().into_string().unwrap())
        .collect();
    let known: BTreeSet<_> = RECIPES.iter().map(|it| (*it).to_owned()).collect();
    assert_eq!(folders, known);
    let table = fs::read_to_string(root().join("docs/cookbook/README.md")).unwrap();
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    for name in RECIPES {
        assert!(table.contains(&format!("]({name}.md)")), "{name}");
        assert!(
            summary.contains(&format!("](cookbook/{name}.md)")),
            "{name}"
        );
    }
}
