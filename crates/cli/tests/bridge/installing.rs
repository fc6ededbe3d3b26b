//! The bridge in an agent's settings.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::world::World;

const AGENTS: [&str; 11] = [
    "claude-code",
    "codex",
    "copilot",
    "qwen",
    "goose",
    "kimi",
    "droid",
    "opencode",
    "cline",
    "gemini-cli",
    "cursor",
];

/// All files of the home folder except our own state, with their content.
fn files(home: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![home.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            let name = path
                .strip_prefix(home)
                .unwrap()
                .to_string_lossy()
                .into_owned();
            if name.starts_with(".local/state") {
                continue;
            }
            if entry.file_type().unwrap().is_dir() {
                if name != ".local" {
                    found.insert(format!("{name}/"), String::new());
                }
                folders.push(path);
            } else {
                found.insert(name, std::fs::read_to_string(&path).unwrap_or_default());
            }
        }
    }
    found
}

/// BR-1, BR-2: what is installed in every agent is gone after uninstalling, including files and
/// folders, and a second time nothing changes.
#[test]
fn what_was_installed_is_gone_after_uninstalling() {
    let world = World::new();
    let home = world.sandbox.home().to_path_buf();
    let before = files(&home);
    for agent in AGENTS {
        let done = world.run(&["bridge", "install", agent]);
        assert_eq!(done.code, Some(0), "{agent}: {done:?}");
        let once = files(&home);
        let again = world.run(&["bridge", "install", agent, "--json"]);
        let again: Value = serde_json::from_str(&again.stdout).unwrap();
        assert_eq!(again["changed"], false, "{agent}");
        assert_eq!(files(&home), once, "{agent}");
    }
    for agent in AGENTS {
        let done = world.run(&["bridge", "uninstall", agent]);
        assert_eq!(done.code, Some(0), "{agent}: {done:?}");
        assert!(!done.stdout.contains("changed: "), "{agent}: {done:?}");
        assert!(done.stdout.contains("removed: "), "{agent}: {done:?}");
    }
    assert_eq!(files(&home), before);
    // All that is left is the record that a person removed it.
    let state = std::fs::read_dir(home.join(".local/state/hookloop/bridge")).unwrap();
    let left: Vec<_> = state.map(|it| it.unwrap().file_name()).collect();
    assert_eq!(left, ["taken-out"]);
    let done = world.run(&["bridge", "install", "claude-code"]);
    assert_eq!(done.code, Some(0), "{done:?}");
}

/// BR-2: it is reported which agents' sessions must be restarted, and whether they refuse until
/// then: including others that called recently, once what they all call is gone.
#[test]
fn sessions_that_run_on_are_told_of() {
    let world = World::new();
    let uninstall = |agent: &str| {
        let done = world.run(&["bridge", "uninstall", agent, "--json"]);
        let said: Value = serde_json::from_str(&done.stdout).unwrap();
        (said["restart"].clone(), said["until_then"].clone())
    };
    for agent in ["claude-code", "codex", "qwen"] {
        assert_eq!(world.run(&["bridge", "install", agent]).code, Some(0));
    }
    let called = world
        .sandbox
        .home()
        .join(".local/state/hookloop/bridge/claude-code");
    std::fs::create_dir_all(&called).unwrap();
    std::fs::write(called.join("called"), "").unwrap();
    assert_eq!(
        uninstall("claude-code"),
        (json!(["claude-code"]), json!("hooks_answer"))
    );
    assert_eq!(
        uninstall("claude-code"),
        (json!([]), Value::Null),
        "nothing changed"
    );
    assert_eq!(uninstall("qwen"), (json!(["qwen"]), json!("hooks_answer")));
    assert_eq!(
        uninstall("codex"),
        (json!(["codex", "claude-code"]), json!("refuses"))
    );
    assert_eq!(world.run(&["bridge", "install", "codex"]).code, Some(0));
    let text = world.run(&["bridge", "uninstall", "codex"]).stdout;
    assert!(
        text.contains("Codex") && text.contains("Claude Code"),
        "{text}"
    );
}

/// BR-2: a person's later edits stay, and what was there before comes back to the byte.
#[test]
fn later_edits_stay() {
    let world = World::new();
    let file = world.sandbox.home().join(".claude/settings.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let own = "{\n  // mine\n  \"model\": \"x\" }\n";
    std::fs::write(&file, own).unwrap();
    let run = |verb: &str| {
        let done = world.run(&["bridge", verb, "claude-code"]);
        assert_eq!(done.code, Some(0), "{done:?}");
        std::fs::read_to_string(&file).unwrap()
    };
    assert!(run("install").contains("hooks bridge claude-code PreToolUse"));
    assert_eq!(run("uninstall"), own);
    let installed = run("install");
    std::fs::write(&file, installed.replace("\"x\"", "\"y\"")).unwrap();
    let left = run("uninstall");
    assert!(left.contains("\"y\"") && left.contains("// mine"), "{left}");
    assert!(!left.contains("bridge"), "{left}");
}

/// BR-2: what still calls the bridge keeps what it calls, and is reported with its place; a handler
/// beside ours isn't.
#[test]
fn what_still_calls_the_bridge_is_reported() {
    let world = World::new();
    let home = world.sandbox.home();
    let file = home.join(".claude/settings.json");
    let link = home.join(".local/share/hookloop/bin/hookloop");
    let run = |verb: &str| world.run(&["bridge", verb, "claude-code"]);
    for (own, code) in [
        ("./mine.sh", 0),
        ("hookloop hooks bridge claude-code Stop | tee x", 1),
    ] {
        assert_eq!(run("install").code, Some(0));
        let text = std::fs::read_to_string(&file).unwrap();
        let mut settings: Value = serde_json::from_str(&text).unwrap();
        let handlers = settings["hooks"]["PreToolUse"][0]["hooks"].as_array_mut();
        let own = serde_json::json!({"type": "command", "command": own});
        handlers.unwrap().push(own.clone());
        std::fs::write(&file, format!("{settings:#}")).unwrap();
        let done = run("uninstall");
        assert_eq!(done.code, Some(code), "{done:?}");
        assert_eq!(done.stdout.contains("still calls"), code == 1, "{done:?}");
        assert_eq!(
            done.stdout.contains("settings.json:"),
            code == 1,
            "{done:?}"
        );
        assert_eq!(link.exists(), code == 1);
        let left: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let only = serde_json::json!({"PreToolUse": [{"hooks": [own]}]});
        assert_eq!(left["hooks"], only);
        std::fs::remove_file(&file).unwrap();
    }
    assert_eq!(run("uninstall").code, Some(0));
    assert!(!link.exists());
}

/// BR-22: what is registered refuses when the program is gone, in each agent's way.
#[test]
fn a_missing_program_refuses() {
    let world = World::new();
    assert_eq!(
        world.run(&["bridge", "install", "claude-code"]).code,
        Some(0)
    );
    let home = world.sandbox.home();
    std::fs::remove_file(home.join(".local/share/hookloop/bin/hookloop")).unwrap();
    let settings = std::fs::read_to_string(home.join(".claude/settings.json")).unwrap();
    let settings: Value = serde_json::from_str(&settings).unwrap();
    let run = |event: &str| {
        let command = &settings["hooks"][event][0]["hooks"][0]["command"];
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", command.as_str().unwrap()]);
        world.sandbox.run(&mut shell, b"{}")
    };
    for event in ["PreToolUse", "UserPromptSubmit"] {
        let said = run(event);
        assert_eq!(said.code, Some(2), "{event}: {said:?}");
        assert!(said.stderr.contains("hookloop failed"), "{said:?}");
    }
    assert_ne!(run("Stop").code, Some(2));
}

/// BR-3: doctor says that a refusal would be obeyed, and exits with 1 if an entry is gone or hooks
/// are switched off.
#[test]
fn doctor_finds_what_would_not_hold() {
    let world = World::new();
    let doctor = || {
        let done = world.run(&["bridge", "doctor", "claude-code", "--json"]);
        let said: Value = serde_json::from_str(&done.stdout).unwrap();
        assert_eq!(
            done.code == Some(0),
            said["agents"][0]["obeys"] != false,
            "{said}"
        );
        (done.code, said.to_string())
    };
    assert_eq!(doctor().0, Some(1), "not installed");
    assert_eq!(
        world.run(&["bridge", "install", "claude-code"]).code,
        Some(0)
    );
    let (code, said) = doctor();
    assert_eq!(code, Some(0), "{said}");
    let project = world.sandbox.project().join(".claude");
    std::fs::create_dir_all(&project).unwrap();
    let switch = project.join("settings.json");
    std::fs::write(&switch, "{\"disableAllHooks\": true}").unwrap();
    let (code, said) = doctor();
    assert_eq!(code, Some(1));
    assert!(said.contains("disableAllHooks"), "{said}");
    std::fs::remove_file(switch).unwrap();
    let file = world.sandbox.home().join(".claude/settings.json");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("PreToolUse", "PostToolBatch")).unwrap();
    assert_eq!(doctor().0, Some(1));
}

/// BR-1, BR-3: doctor corrects the link that agents call, and says so; it names settings of the
/// person that can't be read, because of which each call is refused.
#[test]
#[cfg(unix)]
fn doctor_tells_what_it_put_right_and_what_refuses() {
    let world = World::new();
    let install = ["bridge", "install", "claude-code"];
    assert_eq!(world.run(&install).code, Some(0));
    let warnings = || {
        let done = world.run(&["bridge", "doctor", "claude-code", "--json"]);
        let said: Value = serde_json::from_str(&done.stdout).unwrap();
        let problems = said["agents"][0]["problems"].as_array().cloned();
        let texts: Vec<String> = problems
            .into_iter()
            .flatten()
            .map(|it| it.to_string())
            .collect();
        texts.join("\n")
    };
    let link = world
        .sandbox
        .home()
        .join(".local/share/hookloop/bin/hookloop");
    let program = std::fs::canonicalize(&link).unwrap();
    let before = warnings();
    assert!(!before.contains("/bin/hookloop"), "{before}");
    for other in ["/bin/sh", "/nowhere/at/all"] {
        std::fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(other, &link).unwrap();
        let said = warnings();
        assert!(said.contains("/bin/hookloop"), "{other}: {said}");
        assert_eq!(std::fs::canonicalize(&link).unwrap(), program, "{other}");
        assert_eq!(warnings(), before, "{other}");
    }
    let folder = world.sandbox.home().join(".gemini");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("settings.json"), "{\"hooks\": {").unwrap();
    let said = warnings();
    assert!(said.contains(".gemini/settings.json"), "{said}");
}

/// BR-3: if the person's settings turn hooks off, no guard works in any agent, and doctor says so.
#[test]
fn doctor_finds_that_our_own_hooks_are_off() {
    let world = World::new();
    let install = ["bridge", "install", "claude-code"];
    assert_eq!(world.run(&install).code, Some(0));
    let doctor = || {
        world
            .run(&["bridge", "doctor", "claude-code", "--json"])
            .code
    };
    let folder = world.sandbox.home().join(".gemini");
    std::fs::create_dir_all(&folder).unwrap();
    for (enabled, expected) in [(true, 0), (false, 1)] {
        let settings = serde_json::json!({"hooksConfig": {"enabled": enabled}, "hooks": {"BeforeTool":
            [{"hooks": [{"type": "command", "command": "exit 2"}]}]}});
        std::fs::write(folder.join("settings.json"), settings.to_string()).unwrap();
        assert_eq!(doctor(), Some(expected), "{enabled}");
    }
}

/// BR-3: what switches Gemini CLI's hooks off also switches the bridge off, completely or its entry
/// by name, in a project's file as in the person's; doctor says so.
#[test]
fn doctor_finds_what_switches_hooks_off_in_gemini_cli() {
    let world = World::new();
    let install = ["bridge", "install", "gemini-cli"];
    assert_eq!(world.run(&install).code, Some(0));
    let doctor = || {
        world
            .run(&["bridge", "doctor", "gemini-cli", "--json"])
            .code
    };
    assert_eq!(doctor(), Some(0));
    let person = world.sandbox.home().join(".gemini/settings.json");
    let installed = std::fs::read_to_string(&person).unwrap();
    let settings: serde_json::Value = serde_json::from_str(&installed).unwrap();
    let entry = &settings["hooks"]["BeforeTool"][0]["hooks"][0];
    let name = entry.get("name").unwrap_or(&entry["command"]);
    let project = world.sandbox.project().join(".gemini");
    std::fs::create_dir_all(&project).unwrap();
    for (file, text) in [
        (
            project.join("settings.json"),
            r#"{"hooksConfig": {"enabled": false}}"#.to_owned(),
        ),
        (
            project.join("settings.json"),
            serde_json::json!({"hooksConfig": {"disabled": [name]}}).to_string(),
        ),
        (
            project.join("settings.json"),
            r#"{"hooksConfig": {"disabled": ["another"]}}"#.to_owned(),
        ),
    ] {
        let is_off = !text.contains("another");
        std::fs::write(&file, &text).unwrap();
        assert_eq!(doctor(), Some(i32::from(is_off)), "{text}");
        std::fs::remove_file(file).unwrap();
    }
}

/// BR-3: a key that Codex doesn't know voids its file, and doctor says so.
#[test]
fn doctor_finds_what_voids_a_file() {
    let world = World::new();
    assert_eq!(world.run(&["bridge", "install", "codex"]).code, Some(0));
    let file = world.sandbox.home().join(".codex/hooks.json");
    let text = std::fs::read_to_string(&file).unwrap();
    let mut value: Value = serde_json::from_str(&text).unwrap();
    value["version"] = json!(1);
    std::fs::write(&file, value.to_string()).unwrap();
    let done = world.run(&["bridge", "doctor", "codex"]);
    assert_eq!(done.code, Some(1));
    assert!(done.stdout.contains("version"), "{done:?}");
}

/// BR-1: a version that is known to obey nothing is refused; for one that nobody observed there is
/// a warning.
#[test]
fn a_version_that_obeys_nothing_is_refused() {
    let world = World::new();
    let folder = world.file("bin");
    std::fs::create_dir(&folder).unwrap();
    let install = |version: &str| {
        let program = folder.join("goose");
        let text = format!("#!/bin/sh\necho ' {version}'\n");
        // A child process writes it: another test that forks now would keep it busy.
        let mut shell = Command::new("/bin/sh");
        shell.args([
            "-c",
            "printf '%s' \"$0\" > \"$1\" && chmod +x \"$1\"",
            &text,
        ]);
        assert!(shell.arg(&program).status().unwrap().success());
        let mut command = world.program(&["bridge", "install", "goose"]);
        command.env("PATH", format!("{}:/usr/bin:/bin", folder.display()));
        world.sandbox.run(&mut command, b"")
    };
    let refused = install("1.34.0");
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(!world.sandbox.home().join(".agents").exists());
    let unknown = install("9.9.9");
    assert_eq!(unknown.code, Some(0));
    assert!(unknown.stderr.contains("never tested"), "{unknown:?}");
    let known = install("1.52.0");
    assert_eq!((known.code, known.stderr.as_str()), (Some(0), ""));
}

/// BR-24: in Claude Code a change that removes the bridge, or switches hooks off, is refused.
#[test]
fn a_change_that_takes_the_bridge_away_is_refused() {
    let world = World::new();
    assert_eq!(
        world.run(&["bridge", "install", "claude-code"]).code,
        Some(0)
    );
    let file = world.sandbox.home().join(".claude/settings.json");
    let changed = |path: &Path| {
        let payload = json!({"session_id": "s", "source": "user_settings", "file_path": path});
        world.call("claude-code", "ConfigChange", &payload).code
    };
    assert_eq!(changed(&file), Some(0));
    let whole = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, whole.replacen('{', "{\"model\": \"x\",", 1)).unwrap();
    assert_eq!(changed(&file), Some(0), "other settings are the person's");
    std::fs::write(&file, "{}").unwrap();
    assert_eq!(changed(&file), Some(2));
    let other = world.sandbox.project().join("settings.local.json");
    std::fs::write(&other, "{\"disableAllHooks\": true}").unwrap();
    assert_eq!(changed(&other), Some(2));
}

/// BR-2: the list shows where the bridge is installed, and when it was called.
#[test]
fn the_list_tells_where_the_bridge_is() {
    let world = World::new();
    let listed = || {
        let done = world.run(&["bridge", "list", "--json"]);
        let said: Value = serde_json::from_str(&done.stdout).unwrap();
        said["agents"].as_array().unwrap().clone()
    };
    let of_kimi = || listed().into_iter().find(|it| it["agent"] == "kimi");
    assert!(of_kimi().is_none_or(|it| it["installed"] == false));
    assert_eq!(world.run(&["bridge", "install", "kimi"]).code, Some(0));
    let kimi = of_kimi().unwrap();
    assert_eq!(
        (&kimi["installed"], &kimi["scopes"]),
        (&json!(true), &json!(["user"]))
    );
    assert_eq!(kimi["last_called_at"], Value::Null);
    world.call(
        "kimi",
        "SessionStart",
        &json!({"session_id": "s", "source": "startup"}),
    );
    assert!(of_kimi().unwrap()["last_called_at"].is_u64());
}

/// BR-1, BR-2: a person's own script that calls the bridge stays as it is, and what is replaced or
/// removed without a record is kept in the state folder.
#[test]
fn what_a_person_wrote_is_never_lost() {
    let world = World::new();
    let home = world.sandbox.home();
    let run = |verb: &str, agent: &str| world.run(&["bridge", verb, agent]);
    assert_eq!(run("install", "cline").code, Some(0));
    let script = home.join(".cline/hooks/PreToolUse");
    let ours = std::fs::read_to_string(&script).unwrap();
    let call = ours.lines().last().unwrap();
    let own = format!("#!/bin/sh\n# mine\n./mine.sh >/dev/null\n{call}\n");
    std::fs::write(&script, &own).unwrap();
    // It is the person's, and still calls the bridge: that is reported.
    for (verb, code) in [("install", 0), ("uninstall", 1)] {
        let done = run(verb, "cline");
        assert_eq!(done.code, Some(code), "{done:?}");
        assert_eq!(std::fs::read_to_string(&script).unwrap(), own, "{verb}");
    }
    assert_eq!(run("install", "opencode").code, Some(0));
    let module = home.join(".config/opencode/plugin/hookloop.js");
    let text = std::fs::read_to_string(&module).unwrap() + "// and mine\n";
    std::fs::write(&module, text).unwrap();
    assert_eq!(run("uninstall", "opencode").code, Some(0));
    assert!(!module.exists());
    let kept = home.join(".local/state/hookloop/bridge/backups");
    let kept = std::fs::read_dir(kept).unwrap();
    let mut texts = kept.map(|it| std::fs::read_to_string(it.unwrap().path()).unwrap());
    assert!(texts.any(|it| it.ends_with("// and mine\n")));
}

/// BR-2: if a file can't be read, nothing is removed and nothing is forgotten.
#[test]
fn an_unreadable_file_is_an_error() {
    let world = World::new();
    let run = |verb: &str| world.run(&["bridge", verb, "claude-code"]);
    assert_eq!(run("install").code, Some(0));
    let file = world.sandbox.home().join(".claude/settings.json");
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, b"\xff\xfe").unwrap();
    let done = run("uninstall");
    assert_eq!(done.code, Some(1), "{done:?}");
    std::fs::write(&file, whole).unwrap();
    assert_eq!(run("uninstall").code, Some(0));
    assert!(!file.exists(), "it was remembered that there was none");
}

/// BR-1, BR-2: a link to a missing file stays a link, and the file is removed again.
#[test]
fn a_dangling_link_stays_a_link() {
    let world = World::new();
    let file = world.sandbox.home().join(".codex/hooks.json");
    let kept = world.file("dotfiles");
    std::fs::create_dir_all(&kept).unwrap();
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(kept.join("hooks.json"), &file).unwrap();
    assert_eq!(world.run(&["bridge", "install", "codex"]).code, Some(0));
    assert!(kept.join("hooks.json").is_file());
    assert!(file.is_symlink());
    assert_eq!(world.run(&["bridge", "uninstall", "codex"]).code, Some(0));
    assert!(file.is_symlink() && !file.exists());
}

/// BR-3: a script that isn't executable is never called: doctor says so, and installing again fixes
/// it.
#[test]
fn doctor_finds_a_script_that_cannot_be_run() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    let run = |verb: &str| world.run(&["bridge", verb, "cline"]).code;
    assert_eq!((run("install"), run("doctor")), (Some(0), Some(0)));
    let script = world.sandbox.home().join(".cline/hooks/PreToolUse");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(run("doctor"), Some(1));
    assert_eq!((run("install"), run("doctor")), (Some(0), Some(0)));
}

/// BR-3: Codex's hooks can be switched off in many spellings, and doctor finds each.
#[test]
fn doctor_finds_every_spelling_of_a_switch() {
    let world = World::new();
    assert_eq!(world.run(&["bridge", "install", "codex"]).code, Some(0));
    let file = world.sandbox.home().join(".codex/config.toml");
    let doctor = |text: &str| {
        std::fs::write(&file, text).unwrap();
        let done = world.run(&["bridge", "doctor", "codex"]);
        done.stdout.contains("disables all hooks")
    };
    for text in [
        "[features]\nhooks = false\n",
        "features.hooks = false\n",
        "features = { hooks = false }\n",
        "\"features\".\"hooks\" = false\n",
        "[ features ]\n'hooks'=false # off\n",
        "[profiles.work.features]\nhooks = false\n",
    ] {
        assert!(doctor(text), "{text}");
    }
    for text in ["", "[features]\nhooks = true\n", "[other]\nhooks = false\n"] {
        assert!(!doctor(text), "{text}");
    }
}

/// BR-1: a file that the agent may not be able to read stays as it is, and the cause is reported.
#[test]
fn a_byte_order_mark_is_named() {
    for (agent, name) in [
        ("claude-code", ".claude/settings.json"),
        ("codex", ".codex/hooks.json"),
    ] {
        let world = World::new();
        let file = world.sandbox.home().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "\u{feff}{\"hooks\": {}}").unwrap();
        let done = world.run(&["bridge", "install", agent]);
        assert_ne!(done.code, Some(0), "{done:?}");
        assert!(done.stderr.contains("byte order mark"), "{done:?}");
        assert_eq!(
            std::fs::read_to_string(&file).unwrap(),
            "\u{feff}{\"hooks\": {}}"
        );
    }
}

/// BR-12, FD-2: what `install` wrote is left out when that agent's hooks are adopted: it isn't a
/// hook, causes no warning, and is counted separately.
#[test]
fn adopting_leaves_the_bridge_out() {
    let world = World::new();
    assert_eq!(
        world.run(&["bridge", "install", "claude-code"]).code,
        Some(0)
    );
    let adopted = world.run(&["hooks", "adopt", "claude-code", "--json"]);
    let view: Value = serde_json::from_str(&adopted.stdout).unwrap();
    assert_eq!(view["found"].as_array().map(Vec::len), Some(0), "{view}");
    assert!(view["bridge_entries"].as_u64().unwrap() > 3, "{view}");
    let list = world.run(&["hooks", "list", "--json"]);
    let list: Value = serde_json::from_str(&list.stdout).unwrap();
    assert_eq!(list["hooks"].as_array().map(Vec::len), Some(0), "{list}");
    let check = world.run(&["hooks", "check", "--json"]);
    let check: Value = serde_json::from_str(&check.stdout).unwrap();
    assert_eq!(
        check["diagnostics"].as_array().map(Vec::len),
        Some(0),
        "{check}"
    );
}
