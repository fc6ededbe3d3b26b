//! What keeps an agent from asking the bridge is found, wherever that agent looks (BR-3).

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::world::World;

impl World {
    fn installed(agent: &str) -> Self {
        let world = Self::new();
        assert_eq!(world.run(&["bridge", "install", agent]).code, Some(0));
        world
    }

    fn doctor(&self, agent: &str, variables: &[(&str, &Path)]) -> (Option<i32>, String) {
        let mut program = self.program(&["bridge", "doctor", agent]);
        program.envs(variables.iter().copied());
        let done = self.sandbox.run(&mut program, b"");
        (done.code, done.stdout)
    }

    fn home(&self, name: &str) -> PathBuf {
        self.sandbox.home().join(name)
    }

    fn project(&self, name: &str) -> PathBuf {
        self.sandbox.project().join(name)
    }
}

fn write(file: &Path, text: &str) {
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

/// BR-3: a file that switches the bridge off in an agent makes doctor fail and name it, including
/// the project's.
#[test]
fn each_file_that_switches_hooks_off_is_found() {
    let off = r#"{"hooks": {"hooksDisabled": true}}"#;
    let flat = r#"{"hooksDisabled": true}"#;
    let plugins = r#"{"disabledPlugins": ["hookloop"]}"#;
    let droid = World::installed("droid");
    let goose = World::installed("goose");
    for (agent, world, file, text) in [
        (
            "droid",
            &droid,
            droid.project(".factory/settings.json"),
            off,
        ),
        ("droid", &droid, droid.project(".factory/hooks.json"), flat),
        ("droid", &droid, droid.home(".factory/hooks.json"), flat),
        (
            "droid",
            &droid,
            droid.home(".factory/hooks/hooks.json"),
            flat,
        ),
        (
            "goose",
            &goose,
            goose.home(".config/goose/settings.json"),
            plugins,
        ),
        (
            "goose",
            &goose,
            goose.project(".config/goose/settings.json"),
            plugins,
        ),
        (
            "goose",
            &goose,
            goose.project(".config/goose/settings.local.json"),
            plugins,
        ),
    ] {
        assert_eq!(world.doctor(agent, &[]).0, Some(0), "{}", file.display());
        write(&file, text);
        let (code, said) = world.doctor(agent, &[]);
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains(&*file.to_string_lossy()), "{said}");
        std::fs::remove_file(file).unwrap();
    }
    // What goose doesn't read as hooks has no effect on them.
    write(
        &goose.home(".config/goose/config.yaml"),
        "GOOSE_MODE: auto\n",
    );
    let (code, said) = goose.doctor("goose", &[]);
    assert!(code == Some(0) && !said.contains("config.yaml"), "{said}");
    let further = droid.project("further.json");
    write(&further, off);
    let named = [("FACTORY_RUNTIME_SETTINGS_PATH", further.as_path())];
    assert_eq!(droid.doctor("droid", &named).0, Some(1));
}

/// BR-3: Droid reads an event's hooks only from `hooks.json` if that has some, and none from a file
/// with a wrong entry.
#[test]
fn what_takes_the_place_of_droids_hooks_is_found() {
    let world = World::installed("droid");
    let beside = world.home(".factory/hooks.json");
    let installed = || world.run(&["bridge", "install", "droid"]).code;
    let group = json!([{"hooks": [{"type": "command", "command": "true"}]}]);
    for (hooks, code) in [
        (json!({"PreToolUse": group}), 1),
        (json!({"PreToolUse": []}), 1),
        (json!({"SubagentStop": group}), 0),
        (json!({"hooks": {"PreToolUse": group}}), 0),
    ] {
        write(&beside, &hooks.to_string());
        let (found, said) = world.doctor("droid", &[]);
        assert_eq!(found, Some(code), "{hooks}: {said}");
        assert_eq!(installed(), Some(0));
        let (found, said) = world.doctor("droid", &[]);
        assert_eq!(found, Some(0), "{hooks}: {said}");
        let written = std::fs::read_to_string(&beside).unwrap();
        let expected = hooks.to_string();
        assert_eq!(code == 0, written == expected, "{written}");
    }
    std::fs::remove_file(&beside).unwrap();
    let settings = world.home(".factory/settings.json");
    let text = std::fs::read_to_string(&settings).unwrap();
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    // Droid copies them there itself.
    write(&beside, &value["hooks"].to_string());
    let (code, said) = world.doctor("droid", &[]);
    assert_eq!(code, Some(0), "{said}");
    std::fs::remove_file(beside).unwrap();
    value["hooks"]["SubagentStop"] = json!([{"hooks": [{"type": "prompt", "prompt": "x"}]}]);
    write(&settings, &value.to_string());
    let (code, said) = world.doctor("droid", &[]);
    assert!(code == Some(1) && said.contains("SubagentStop"), "{said}");
}

/// BR-3: if an agent is told to use another folder, or another home, the bridge is installed and
/// checked there.
#[test]
fn where_an_agent_is_told_to_look_counts() {
    for (agent, variable, file) in [
        ("droid", "FACTORY_HOME_OVERRIDE", ".factory/settings.json"),
        (
            "goose",
            "GOOSE_PATH_ROOT",
            ".agents/plugins/hookloop/hooks/hooks.json",
        ),
        ("cline", "CLINE_DIR", "hooks/PreToolUse"),
    ] {
        let world = World::installed(agent);
        let moved = world.file("moved");
        let named = [(variable, moved.as_path())];
        assert_eq!(world.doctor(agent, &named).0, Some(1), "{variable}");
        let mut install = world.program(&["bridge", "install", agent]);
        install.envs(named);
        assert_eq!(world.sandbox.run(&mut install, b"").code, Some(0));
        assert!(moved.join(file).is_file(), "{variable}");
        assert_eq!(world.doctor(agent, &named).0, Some(0), "{variable}");
    }
}

/// BR-3: a mode without hooks in the environment is found for each agent that has one.
#[test]
fn a_mode_without_hooks_makes_doctor_fail() {
    for (agent, variable) in [
        ("claude-code", "CLAUDE_CODE_SIMPLE"),
        ("qwen", "QWEN_CODE_SAFE_MODE"),
        ("opencode", "OPENCODE_PURE"),
    ] {
        let world = World::installed(agent);
        let on = [(variable, Path::new("1"))];
        assert_eq!(world.doctor(agent, &[]).0, Some(0), "{agent}");
        let (code, said) = world.doctor(agent, &on);
        assert!(code == Some(1) && said.contains(variable), "{said}");
    }
}

/// BR-3: Kimi is asked whether it accepts the file, on a copy: its objections to hooks are
/// reported.
#[test]
#[cfg(unix)]
fn what_kimi_says_against_its_file_is_told() {
    let world = World::installed("kimi");
    let folder = world.file("bin");
    let program = folder.join("kimi");
    let script = "#!/bin/sh\n[ \"$1\" = doctor ] || { echo 2.1.0; exit; }\n\
        grep -q Nope \"$KIMI_CODE_HOME/config.toml\" || { echo \"OK config.toml\"; exit; }\n\
        printf 'ERROR config.toml\\n  Validation issues:\\n    hooks[0].event: Invalid option\\n'\n";
    std::fs::create_dir(&folder).unwrap();
    // A child process writes it: another test that forks now would keep it busy.
    let mut shell = std::process::Command::new("/bin/sh");
    shell.args([
        "-c",
        "printf '%s' \"$0\" > \"$1\" && chmod +x \"$1\"",
        script,
    ]);
    assert!(shell.arg(&program).status().unwrap().success());
    let path = PathBuf::from(format!("{}:/usr/bin:/bin", folder.display()));
    let found = [("PATH", path.as_path())];
    let (code, said) = world.doctor("kimi", &found);
    assert_eq!(code, Some(0), "{said}");
    let file = world.home(".kimi-code/config.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let wrong = format!("{text}\n[[hooks]]\nevent = \"Nope\"\ncommand = \"true\"\n");
    write(&file, &wrong);
    let (code, said) = world.doctor("kimi", &found);
    assert!(code == Some(1) && said.contains("hooks[0].event"), "{said}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), wrong);
}

/// BR-3: whatever switches Copilot's hooks off is found: a repository's settings, including Claude
/// Code's, and hooks that its own server names as switched off.
#[test]
#[cfg(unix)]
fn each_way_to_switch_copilots_hooks_off_is_found() {
    let world = World::installed("copilot");
    let all = r#"{"disableAllHooks": true}"#;
    for name in [
        ".github/copilot/settings.json",
        ".github/copilot/settings.local.json",
        ".claude/settings.json",
        ".claude/settings.local.json",
    ] {
        let file = world.project(name);
        assert_eq!(world.doctor("copilot", &[]).0, Some(0), "{name}");
        write(&file, all);
        let (code, said) = world.doctor("copilot", &[]);
        assert!(code == Some(1) && said.contains(name), "{said}");
        std::fs::remove_file(file).unwrap();
    }
    let folder = world.file("bin");
    std::fs::create_dir(&folder).unwrap();
    let script = "#!/bin/sh\n[ \"$1\" = --headless ] || { echo 1.0.102; exit; }\n\
        body=$(cat \"${0%/*}/reply\")\nprintf 'Content-Length: %d\\r\\n\\r\\n%s' ${#body} \"$body\"\ncat > /dev/null\n";
    let mut shell = std::process::Command::new("/bin/sh");
    shell.args([
        "-c",
        "printf '%s' \"$0\" > \"$1\" && chmod +x \"$1\"",
        script,
    ]);
    assert!(
        shell
            .arg(folder.join("copilot"))
            .status()
            .unwrap()
            .success()
    );
    let path = PathBuf::from(format!("{}:/usr/bin:/bin", folder.display()));
    let found = [("PATH", path.as_path())];
    let ours = world.home(".copilot/hooks/hookloop.json");
    let hook = |source: &Path, enabled: bool| json!({"source": source, "enabled": enabled, "disableKey": "a712"});
    let others = world.home(".copilot/hooks/mine.json");
    for (hooks, code) in [
        (json!([hook(&ours, true), hook(&ours, true)]), 0),
        (json!([hook(&ours, true), hook(&others, false)]), 0),
        (json!([hook(&ours, true), hook(&ours, false)]), 1),
        (json!([hook(&others, true)]), 1),
        (json!([{"source": ours, "enabled": false}]), 1),
    ] {
        let reply = json!({"jsonrpc": "2.0", "id": 1, "result": {"hooks": hooks}});
        write(&folder.join("reply"), &reply.to_string());
        let (found, said) = world.doctor("copilot", &found);
        assert_eq!(found, Some(code), "{hooks}: {said}");
        let is_key_named = said.contains("a712");
        assert_eq!(
            is_key_named,
            hooks[1]["source"] == json!(ours) && code == 1,
            "{said}"
        );
    }
    // Without its program it isn't known which hooks are meant.
    let settings = world.home(".copilot/settings.json");
    write(&settings, r#"{"disabledHooks": ["a712"]}"#);
    let (code, said) = world.doctor("copilot", &[]);
    assert!(code == Some(0) && said.contains("disabledHooks"), "{said}");
}
