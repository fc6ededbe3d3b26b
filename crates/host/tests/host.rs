//! A program that embeds the engine gets loading, trust, the gate and watching without extra steps.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that can't go on fails"
)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookloop_engine::events::{BeforeTool, BeforeToolOutcome, Ruling, ToolArguments, ToolCall};
use hookloop_engine::{
    BoxFuture, Completion, Ending, Executor, HookType, Invocation, LineObserver,
};
use hookloop_host::{
    Gate, Held, Host, HostBuilder, HostError, Protected, Refresh, Tainted, Workspace,
};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Returns what the hooks of a workspace consist of now.
fn held(workspace: &Workspace) -> Held {
    Held::begin(workspace, Protected::besides_hooks(workspace))
}

struct Scene {
    folder: TempDir,
}

impl Scene {
    fn new() -> Self {
        let scene = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        for name in ["project", "home"] {
            fs::create_dir_all(scene.path(name).join(".gemini")).unwrap();
        }
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn settings(&self, of: &str, settings: &str) {
        fs::write(self.path(of).join(".gemini/settings.json"), settings).unwrap();
    }

    fn builder(&self) -> HostBuilder {
        let path = ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into());
        Host::builder(self.path("project"))
            .variables(vec![path])
            .home(self.path("home"))
            .system_file(self.path("system.json"))
    }

    fn open(&self) -> Host {
        self.builder().open().unwrap()
    }
}

/// Agrees to the project's hooks.
fn trust(host: &Host) {
    let mut workspace = Workspace::open(&host.workspace().opening);
    let seen = workspace.vouched.clone();
    let seen: Vec<_> = seen.iter().collect();
    workspace.trust_as_seen(&seen).unwrap();
}

fn one_hook(hook: &Value) -> String {
    json!({ "hooks": { "BeforeTool": [{ "hooks": [hook] }] } }).to_string()
}

fn command(command: &str) -> String {
    one_hook(&json!({ "type": "command", "name": "guard", "command": command }))
}

/// Fires `BeforeTool`; returns why the call doesn't run.
async fn refusal(host: &Host) -> Option<String> {
    let call = ToolCall::new("call-1", "write_file", ToolArguments::new());
    let session = host.session("a/session");
    let outcome = session.before_tool(call, |_| Ok::<_, String>(())).await;
    match outcome.unwrap().outcome {
        BeforeToolOutcome::Proceed(_) => None,
        BeforeToolOutcome::Deny(reason, _) => Some(reason.as_str().to_owned()),
        other => panic!("{other:?}"),
    }
}

/// TR-2, TR-6: a project's hook runs once a person agreed to it, and no longer when its script has
/// changed, however recently that was written.
#[tokio::test]
async fn a_projects_hook_runs_as_agreed_to() {
    let scene = Scene::new();
    let script = scene.path("project").join("guard.sh");
    fs::write(&script, "echo not here >&2; exit 2").unwrap();
    scene.settings("project", &command("sh ./guard.sh"));
    let mut host = scene.open();
    assert_eq!(refusal(&host).await, None);
    let codes: Vec<_> = host.problems().iter().map(|it| it.code.as_str()).collect();
    assert!(codes.contains(&"untrusted_hook"), "{codes:?}");
    trust(&host);
    assert!(matches!(host.refresh(), Refresh::Replaced));
    assert!(matches!(host.refresh(), Refresh::Unchanged));
    assert_eq!(refusal(&host).await.as_deref(), Some("not here"));
    fs::write(&script, "touch ran").unwrap();
    let why = refusal(&host).await.unwrap();
    assert!(
        why.contains("guard.sh changed since it was trusted"),
        "{why}"
    );
    assert!(!scene.path("project").join("ran").exists());
}

/// TR-2: a host that nobody observes says on standard error which hooks don't run, and where they
/// are; one with an observer leaves that to it.
#[tokio::test]
async fn nothing_is_silently_off_without_an_observer() {
    const OBSERVED: &str = "HOST_IS_OBSERVED";
    if let Ok(observed) = std::env::var(OBSERVED) {
        let scene = Scene::new();
        scene.settings("project", &command("exit 2"));
        let builder = scene.builder();
        let builder = match observed.as_str() {
            "yes" => builder.hooks(|hooks| hooks.observer(Arc::new(LineObserver::new(|_| {})))),
            _ => builder,
        };
        let host = builder.open().unwrap();
        assert_eq!(refusal(&host).await, None);
        return;
    }
    for (observed, reports) in [("no", true), ("yes", false)] {
        let again = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "nothing_is_silently_off_without_an_observer"])
            .arg("--nocapture")
            .env(OBSERVED, observed)
            .output()
            .unwrap();
        assert!(again.status.success(), "{again:?}");
        let said = String::from_utf8_lossy(&again.stderr);
        assert_eq!(said.contains("settings.json:1"), reports, "{said}");
        assert_eq!(said.contains("guard"), reports, "{said}");
    }
}

/// TR-8: if the list of trusted hooks can't be read any more, or lost a person's agreements, no
/// guard disappears from a running session: it refuses, and nothing runs that nobody agreed to.
#[tokio::test]
async fn a_lost_list_of_trusted_hooks_takes_no_guard_away() {
    type Loss = fn(&Path);
    let losses: [(&str, Loss); 6] = [
        ("half written", |it| fs::write(it, "{").unwrap()),
        ("empty", |it| fs::write(it, "").unwrap()),
        ("emptied", |it| fs::write(it, "{}").unwrap()),
        ("removed", |it| fs::remove_file(it).unwrap()),
        ("a folder", |it| {
            fs::remove_file(it).unwrap();
            fs::create_dir(it).unwrap();
        }),
        ("open to others", |it| {
            fs::set_permissions(it, fs::Permissions::from_mode(0o666)).unwrap();
        }),
    ];
    for (what, lose) in losses {
        let scene = Scene::new();
        let script = scene.path("project").join("guard.sh");
        fs::write(&script, "touch ran; echo not here >&2; exit 2").unwrap();
        scene.settings("project", &command("sh ./guard.sh"));
        let mut host = scene.open();
        trust(&host);
        assert!(matches!(host.refresh(), Refresh::Replaced));
        assert_eq!(refusal(&host).await.as_deref(), Some("not here"));
        let ran = scene.path("project").join("ran");
        fs::remove_file(&ran).unwrap();
        let file = scene.path("home").join(".gemini/trusted_hooks.json");
        let list = fs::read(&file).unwrap();
        lose(&file);
        for moment in ["at once", "read again", "read once more"] {
            let why = refusal(&host).await.unwrap();
            assert!(why.contains("couldn't start"), "{what}, {moment}: {why}");
            assert!(!ran.exists(), "{what}, {moment}");
            host.refresh();
            let is_reported = host.problems().iter().any(|it| {
                ["trust_file_invalid", "insecure_owner"].contains(&it.code.as_str())
                    && it.source.file.ends_with("trusted_hooks.json")
            });
            assert!(is_reported, "{what}, {moment}: {:?}", host.problems());
        }
        if file.is_dir() {
            fs::remove_dir(&file).unwrap();
        }
        fs::write(&file, list).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        host.refresh();
        assert_eq!(refusal(&host).await.as_deref(), Some("not here"), "{what}");
    }
}

/// TR-6, TR-8: trust that a person's command withdraws is also withdrawn in a running session.
#[tokio::test]
async fn trust_that_a_person_takes_back_is_gone() {
    let scene = Scene::new();
    scene.settings("project", &command("echo not here >&2; exit 2"));
    let mut host = scene.open();
    trust(&host);
    host.refresh();
    assert_eq!(refusal(&host).await.as_deref(), Some("not here"));
    let mut workspace = Workspace::open(&host.workspace().opening);
    let root = workspace.project_root.clone();
    let guard = workspace.vouched[0].hook.clone();
    workspace
        .store
        .untrust(&root, std::slice::from_ref(&guard), &[&guard])
        .unwrap();
    host.refresh();
    let codes: Vec<_> = host.problems().iter().map(|it| it.code.as_str()).collect();
    assert!(codes.contains(&"untrusted_hook"), "{codes:?}");
}

/// TR-8: what a tool call changed has no effect in the session, even if a project's hook reads it
/// through a link out of the project, where no fingerprint covers its content.
#[test]
fn what_a_call_changed_beyond_the_project_takes_no_effect() {
    let scene = Scene::new();
    let (outside, link) = (
        scene.path("rules.json"),
        scene.path("project").join("rules.json"),
    );
    let other = scene.path("other.json");
    fs::write(&outside, "[]").unwrap();
    std::os::unix::fs::symlink(&outside, &link).unwrap();
    let rule = json!({ "type": "rule", "name": "guard", "rules": "rules.json" });
    scene.settings("project", &one_hook(&rule));
    trust(&scene.open());
    let host = scene.open();
    let workspace = host.workspace();
    let hook = &workspace.vouched[0];
    assert!(
        hook.may_run() && hook.unpinned()[0].contains("isn't watched"),
        "{hook:?}"
    );
    for (changed, is_refused) in [(other, false), (outside, true), (link, true)] {
        let tainted = Arc::<Tainted>::default();
        let gate = Gate::new(Refuses, workspace).refusing_tainted(&tainted);
        let project = scene.path("project");
        assert_eq!(gate.vouching().objection(&hook.hook, &project), None);
        tainted.add(changed);
        let objection = gate.vouching().objection(&hook.hook, &project);
        assert_eq!(objection.is_some(), is_refused, "{objection:?}");
    }
}

/// A hook with its scripts, and what changes its behaviour without touching one of them.
struct Unnamed {
    command: &'static str,
    /// What exists, from the home folder.
    files: &'static [(&'static str, &'static str)],
    /// What somebody writes then, and what changes nothing.
    written: &'static str,
    text: &'static str,
    beside: &'static str,
}

const PYTHON: &[(&str, &str)] = &[
    ("guards/guard.py", "import json, rules\n"),
    ("guards/rules.py", "A = 1\n"),
];
const NODE: &[(&str, &str)] = &[
    ("guards/guard.js", "const rules = require(\"rules\");\n"),
    (
        "guards/node_modules/rules/package.json",
        "{\"main\": \"lib/main.js\"}",
    ),
    (
        "guards/node_modules/rules/lib/main.js",
        "require('./more');\n",
    ),
    ("guards/node_modules/rules/lib/more.js", "exports.a = 1;\n"),
];
const LIBRARY: &[(&str, &str)] = &[
    (
        "guards/guard.sh",
        "#!/usr/bin/env bash\n. ~/guards/lib.sh\nread_all\n",
    ),
    ("guards/lib.sh", "read_all() { in=$(jq .); }\n"),
];

const UNNAMED: &[Unnamed] = &[
    Unnamed {
        command: "python3 ~/guards/guard.py",
        files: PYTHON,
        written: ".local/lib/python3.11/site-packages/usercustomize.py",
        text: "raise SystemExit(0)\n",
        beside: ".local/lib/python3.11/site-packages/six.py",
    },
    Unnamed {
        command: "python3 ~/guards/guard.py",
        files: PYTHON,
        written: ".local/lib/python3.11/site-packages/zz.pth",
        text: "import os; os._exit(0)\n",
        beside: ".local/lib/python3.11/site-packages/zz.txt",
    },
    Unnamed {
        command: "python3 ~/guards/guard.py",
        files: PYTHON,
        written: "guards/rules.abi3.so",
        text: "x",
        beside: "guards/notes.so",
    },
    Unnamed {
        command: "node ~/guards/guard.js",
        files: NODE,
        written: "guards/package.json",
        text: "{\"type\": \"module\"}",
        beside: "guards/package-lock.json",
    },
    Unnamed {
        command: "node ~/guards/guard.js",
        files: NODE,
        written: "guards/node_modules/rules/package.json",
        text: "{\"main\": \"other.js\"}",
        beside: "guards/node_modules/rules/README.md",
    },
    Unnamed {
        command: "node ~/guards/guard.js",
        files: NODE,
        written: "guards/node_modules/rules/lib/more.js",
        text: "exports.a = 2;\n",
        beside: "guards/node_modules/rules/lib/CHANGES",
    },
    Unnamed {
        command: "~/guards/guard.sh",
        files: LIBRARY,
        written: ".jq",
        text: "def test($a): false;\n",
        beside: ".jqrc",
    },
    Unnamed {
        command: "~/guards/guard.sh",
        files: LIBRARY,
        written: "bin/jq",
        text: "#!/bin/sh\n",
        beside: "bin/jql",
    },
    Unnamed {
        command: "~/guards/guard.sh",
        files: LIBRARY,
        written: "bin/bash",
        text: "#!/bin/sh\n",
        beside: "bin/bashate",
    },
    Unnamed {
        command: "bash -lc ~/guards/guard.sh",
        files: LIBRARY,
        written: ".bash_profile",
        text: "exit 0\n",
        beside: ".bash_history",
    },
];

/// TR-8: what programs read at startup although nothing names it is part of a hook: once it changes
/// during a session, the hook doesn't run any more; the same content again changes nothing.
#[test]
fn what_nobody_names_is_watched() {
    for case in UNNAMED {
        let scene = Scene::new();
        let home = scene.path("home");
        let write = |file: &str, text: &str| {
            let file = home.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        for (file, text) in case.files {
            write(file, text);
        }
        scene.settings("home", &command(case.command));
        let path = format!(
            "{}:/usr/local/bin:/usr/bin:/bin",
            home.join("bin").display()
        );
        let host = scene
            .builder()
            .variables(vec![("PATH".into(), path.into())])
            .open();
        let host = host.unwrap();
        let workspace = host.workspace();
        let gate = Gate::new(Refuses, workspace).holding(&held(workspace));
        let hook = &workspace.vouched[0].hook;
        let objection = || gate.vouching().objection(hook, &scene.path("project"));
        assert_eq!(objection(), None, "{}", case.written);
        // Package managers and editors do this.
        for (file, text) in case.files {
            fs::remove_file(home.join(file)).unwrap();
            write(file, text);
        }
        write(case.beside, case.text);
        assert_eq!(objection(), None, "{} {}", case.command, case.beside);
        write(case.written, case.text);
        let objection = objection().unwrap_or_default();
        assert!(
            objection.contains(" since this session began"),
            "{}: {objection}",
            case.written
        );
    }
}

/// TR-8: the variables that make programs load files are read as they are in the environment.
#[test]
fn what_the_environment_loads_is_watched() {
    for (variable, value, command_line, written) in [
        (
            "PYTHONPATH",
            "HOME/lib",
            "python3 ~/guards/guard.py",
            "lib/json.py",
        ),
        (
            "NODE_OPTIONS",
            "--require HOME/lib/first.js",
            "node ~/guards/guard.js",
            "lib/first.js",
        ),
        ("BASH_ENV", "HOME/.bashenv", "~/guards/guard.sh", ".bashenv"),
        (
            "LD_PRELOAD",
            "HOME/lib/a.so",
            "~/guards/guard.sh",
            "lib/a.so",
        ),
    ] {
        let scene = Scene::new();
        let home = scene.path("home");
        fs::create_dir_all(home.join("lib")).unwrap();
        for (file, text) in PYTHON.iter().chain(NODE).chain(LIBRARY) {
            let file = home.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        scene.settings("home", &command(command_line));
        let value = value.replace("HOME", &home.display().to_string());
        let variables = vec![
            ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()),
            (variable.into(), value.into()),
        ];
        let host = scene.builder().variables(variables).open().unwrap();
        let gate = Gate::new(Refuses, host.workspace()).holding(&held(host.workspace()));
        let hook = &host.workspace().vouched[0].hook;
        let objection = || gate.vouching().objection(hook, &scene.path("project"));
        assert_eq!(objection(), None, "{variable}");
        fs::write(home.join(written), "x").unwrap();
        assert!(objection().is_some(), "{variable}");
    }
}

/// TR-8: what a tool call of an earlier session changed, even a program that is searched for, keeps
/// a person's hook from running until somebody has seen it.
#[test]
fn what_an_earlier_session_changed_takes_no_effect() {
    let scene = Scene::new();
    let home = scene.path("home");
    for (file, text) in LIBRARY.iter().chain(&[("bin/jq", "#!/bin/sh\n")]) {
        let file = home.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }
    scene.settings("home", &command("~/guards/guard.sh"));
    let path = format!("{}:/usr/bin:/bin", home.join("bin").display());
    let builder = scene
        .builder()
        .variables(vec![("PATH".into(), path.into())]);
    let host = builder.open().unwrap();
    let hook = &host.workspace().vouched[0].hook;
    for (changed, is_refused) in [
        ("guards/lib.sh", true),
        ("bin/jq", true),
        ("guards/notes.txt", false),
        ("bin/jql", false),
    ] {
        let tainted = Arc::<Tainted>::default();
        tainted.add_of_earlier(home.join(changed));
        let gate = Gate::new(Refuses, host.workspace()).refusing_tainted(&tainted);
        let objection = gate.vouching().objection(hook, &scene.path("project"));
        assert_eq!(objection.is_some(), is_refused, "{changed}: {objection:?}");
        let says = |it: &String| it.contains("an earlier session") && it.contains("hooks trust");
        assert!(objection.iter().all(says), "{objection:?}");
    }
}

/// TR-6, ST-5: changed settings are adopted; broken ones leave the hooks in force.
#[tokio::test]
async fn settings_are_watched() {
    let scene = Scene::new();
    let mut host = scene.open();
    assert_eq!(refusal(&host).await, None);
    scene.settings("home", &command("echo no >&2; exit 2"));
    assert!(matches!(host.refresh(), Refresh::Replaced));
    assert_eq!(refusal(&host).await.as_deref(), Some("no"));
    scene.settings("home", "{ broken");
    let Refresh::Kept(problems) = host.refresh() else {
        panic!("a broken file takes no guard along");
    };
    assert!(problems[0].source.file.ends_with("settings.json"));
    assert_eq!(refusal(&host).await.as_deref(), Some("no"));
}

/// ST-5: without a file that may contain a guard, nothing is opened.
#[test]
fn a_broken_file_opens_nothing() {
    let scene = Scene::new();
    scene.settings("home", "{ broken");
    let Err(error) = scene.builder().open() else {
        panic!("guards may be missing");
    };
    assert!(error.to_string().contains("settings.json:1:3"), "{error}");
    assert!(matches!(error, HostError::GuardsMissing(problems) if problems.len() == 1));
}

/// TR-9: only the person can access stored state, even in a folder that was accessible before.
#[test]
fn remembered_things_are_private() {
    let scene = Scene::new();
    let state = scene.path("home").join(".local/state/hookloop");
    fs::create_dir_all(&state).unwrap();
    fs::set_permissions(&state, fs::Permissions::from_mode(0o755)).unwrap();
    let host = scene.open();
    assert!(host.state_folder().starts_with(&state));
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&state), 0o700);
    for folder in ["", "plans", "scratch", "transcripts"] {
        assert_eq!(mode(&host.state_folder().join(folder)), 0o700, "{folder}");
    }
    let session = host.session("../../a");
    let transcript = &session.identity().transcript_path;
    assert_eq!(
        transcript.parent(),
        Some(&*host.state_folder().join("transcripts"))
    );
}

struct Refuses;

impl Executor for Refuses {
    fn execute(&self, _invocation: Invocation) -> BoxFuture<'_, Completion> {
        Box::pin(async { Completion::ended(Ending::Exited(2)) })
    }
}

/// AG-1: an executor that the program provides runs hooks of its kind, behind the same gate; the
/// program's closures run beside the configured hooks.
#[tokio::test]
async fn executors_are_chosen_by_kind() {
    let scene = Scene::new();
    let worker = json!({ "type": "worker", "name": "far", "command": "cat" });
    scene.settings("home", &one_hook(&worker));
    let builder = scene.builder().executor_for(HookType::Worker, Refuses);
    let host = builder.open().unwrap();
    let why = refusal(&host).await;
    assert_eq!(why.as_deref(), Some("Blocked by hook \"far\""));
    scene.settings("home", "{}");
    let own = scene.builder().hooks(|hooks| {
        hooks
            .on::<BeforeTool>("own")
            .answer(async |_| Ruling::deny("mine"))
    });
    let host = own.open().unwrap();
    assert_eq!(refusal(&host).await.as_deref(), Some("mine"));
}

/// CM-3: a tool that the embedding program has isn't a mistake in a matcher or a condition.
#[test]
fn tools_of_the_program_are_known() {
    let scene = Scene::new();
    let hook = json!({
        "name": "guard",
        "type": "command",
        "if": "tool.name == \"find_order\"",
        "command": "exit 2"
    });
    let group = json!({ "matcher": "find_order", "hooks": [hook] });
    let settings = json!({ "hooks": { "BeforeTool": [group] } });
    scene.settings("home", &settings.to_string());
    let found = |builder: HostBuilder| -> Vec<&'static str> {
        let problems = builder.open().unwrap().problems();
        problems.iter().map(|it| it.code.as_str()).collect()
    };
    let unknown = ["condition_doubtful", "matcher_no_tool"];
    assert_eq!(found(scene.builder()), unknown);
    assert_eq!(found(scene.builder().tools(["find_ordr"])), unknown);
    assert!(found(scene.builder().tools(["find_order"])).is_empty());
}
