//! Files that guards depend on, from the point of view of other agents.

use std::path::{Path, PathBuf};
use std::process::Command;

use hookloop_bridge::Agent;
use hookloop_testkit::Finished;
use serde_json::{Value, json};

use crate::world::World;

const PROGRAM: &str = env!("CARGO_BIN_EXE_hookloop");

/// A call of a tool before it runs.
fn before(world: &World, agent: &str, tool: &str, input: &Value) -> Finished {
    let payload = json!({"session_id": "s", "tool_name": tool, "tool_input": input});
    world.call(agent, "PreToolUse", &payload)
}

fn shell(world: &World, agent: &str, command: &str) -> Finished {
    before(world, agent, "Bash", &json!({ "command": command }))
}

fn install(world: &World, agent: &str) {
    let done = world.run(&["bridge", "install", agent]);
    assert_eq!(done.code, Some(0), "{agent}: {done:?}");
}

/// TR-8, BR-14: only a person may change what makes any agent call the bridge, what could switch
/// its hooks off, and what the bridge remembers, even if no hook is configured.
#[test]
fn what_the_bridge_is_made_of_is_held_in_every_agent() {
    let world = World::new();
    for agent in ["claude-code", "kimi", "cline"] {
        install(&world, agent);
    }
    let (home, project) = (world.sandbox.home(), world.sandbox.project());
    let state = home.join(".local/state/hookloop/bridge");
    let protected: Vec<PathBuf> = [
        state.join("goose/s.json"),
        state.join("installed/claude-code-user.json"),
        state.join("codex/lock"),
        home.join(".local/share/hookloop/bin/hookloop"),
        home.join(".claude/settings.json"),
        home.join(".kimi-code/config.toml"),
        home.join(".cline/hooks/PreToolUse"),
        home.join(".codex/config.toml"),
        project.join(".claude/settings.json"),
        project.join(".claude/settings.local.json"),
        project.join(".qwen/settings.json"),
        project.join(".codex/config.toml"),
        project.join(".github/hooks/hookloop.json"),
    ]
    .into();
    for path in &protected {
        let shown = path.display();
        let asked = before(
            &world,
            "claude-code",
            "Write",
            &json!({"file_path": path, "content": "{}"}),
        );
        assert!(asked.stdout.contains("\"ask\""), "{shown}: {asked:?}");
        let refused = shell(&world, "codex", &format!("echo '{{}}' > {shown}"));
        assert_eq!(refused.code, Some(2), "{shown}: {refused:?}");
        let refused = shell(&world, "kimi", &format!("rm -rf {shown}"));
        assert_eq!(refused.code, Some(2), "{shown}: {refused:?}");
    }
    let whole = shell(&world, "codex", &format!("rm -r {}", state.display()));
    assert_eq!(whole.code, Some(2), "{whole:?}");
    for free in [project.join("src/main.rs"), home.join("notes.txt")] {
        let said = shell(&world, "codex", &format!("echo x > {}", free.display()));
        assert_eq!((said.code, said.stdout.as_str()), (Some(0), ""), "{said:?}");
    }
}

/// TR-8: an agent's own folder may be elsewhere; both places are protected.
#[test]
fn moved_folders_are_held() {
    let world = World::new();
    let moved = world.file("moved");
    for path in [
        moved.join("settings.json"),
        world.sandbox.home().join(".claude/settings.json"),
    ] {
        let command = format!("echo x > {}", path.display());
        let payload =
            json!({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": command}});
        let mut called = world.program(&["hooks", "bridge", "codex", "PreToolUse"]);
        called.env("CLAUDE_CONFIG_DIR", &moved);
        let said = world
            .sandbox
            .run(&mut called, payload.to_string().as_bytes());
        assert_eq!(said.code, Some(2), "{said:?}");
    }
}

/// TR-11: a command that changes files that guards depend on needs a person's consent before it
/// runs, however it is started; if the agent can't ask, it is refused. One that reads is allowed.
#[test]
fn commands_that_loosen_guards_need_a_person() {
    let world = World::new();
    let absolute = format!("{PROGRAM} bridge uninstall codex");
    for command in [
        absolute.as_str(),
        "hookloop bridge uninstall codex",
        "hookloop hooks disable-all",
        "hookloop guards remove secrets",
        "hookloop mcp remove x",
        "hookloop extensions uninstall x",
        "hookloop --no-hooks -p 'rm it'",
        "hookloop --skip-trust -p hello",
        "setsid -f hookloop bridge uninstall codex",
        "nohup hookloop bridge uninstall codex &",
        "echo 'hookloop bridge uninstall codex' | at now",
        "systemd-run --user hookloop bridge uninstall codex",
        "env -i sh -c 'hookloop bridge uninstall codex'",
        "echo '{\"session_id\":\"s\"}' | hookloop hooks bridge kimi SubagentStart",
    ] {
        let asked = shell(&world, "claude-code", command);
        assert!(asked.stdout.contains("\"ask\""), "{command}: {asked:?}");
        let refused = shell(&world, "codex", command);
        assert_eq!(refused.code, Some(2), "{command}: {refused:?}");
    }
    for command in [
        "hookloop hooks list",
        "hookloop bridge doctor",
        "hookloop hooks check --json",
        "hookloop --version",
        "echo hookloop bridge uninstall codex",
    ] {
        let said = shell(&world, "claude-code", command);
        assert_eq!((said.code, said.stdout.as_str()), (Some(0), ""), "{said:?}");
    }
}

/// TR-11: below each agent that the bridge knows, a command that changes guards does nothing
/// without a person's answer.
#[cfg(target_os = "linux")]
#[test]
fn no_agent_of_the_bridge_is_a_person() {
    let world = World::new();
    let folder = world.file("bin");
    std::fs::create_dir(&folder).unwrap();
    for agent in Agent::ALL {
        let program = folder.join(agent.program());
        // A child process copies it: another test that forks now would keep it busy.
        let mut copy = Command::new("/bin/cp");
        assert!(
            copy.arg("/bin/sh")
                .arg(&program)
                .status()
                .unwrap()
                .success()
        );
        let mut command = world.sandbox.command(&program);
        let inner = format!("{PROGRAM} bridge install codex; exit $?");
        let done = world.sandbox.run(command.args(["-c", &inner]), b"");
        assert_eq!(done.code, Some(1), "{}: {done:?}", agent.name());
    }
    assert!(!world.sandbox.home().join(".codex").exists());
}

/// BR-24: a change that removes the bridge is refused whatever the payload says about it, and even
/// if it is no longer known what was installed; a person's `uninstall` isn't.
#[test]
fn a_change_of_settings_is_judged_by_what_is_there() {
    let world = World::new();
    install(&world, "claude-code");
    let (home, project) = (world.sandbox.home(), world.sandbox.project());
    let file = home.join(".claude/settings.json");
    let changed = |payload: &Value| world.call("claude-code", "ConfigChange", payload);
    let named = |path: &Path| changed(&json!({"session_id": "s", "file_path": path}));
    let whole = std::fs::read_to_string(&file).unwrap();
    assert_eq!(named(&file).code, Some(0));
    assert_eq!(changed(&json!({"session_id": "s"})).code, Some(0));
    // A failure refuses like before an action.
    let broken = world.call_with(&["hooks", "bridge", "claude-code", "ConfigChange"], b"{");
    assert_eq!(broken.code, Some(2), "{broken:?}");
    std::fs::write(&file, "{}").unwrap();
    let dotted = home.join(".claude/../.claude/./settings.json");
    let link = world.file("link.json");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    for said in [
        named(&file),
        named(&dotted),
        named(&link),
        changed(&json!({"session_id": "s"})),
        changed(&json!({"session_id": "s", "file_path": "../home/.claude/settings.json"})),
        named(&world.file("nowhere.json")),
    ] {
        assert_eq!(said.code, Some(2), "{said:?}");
    }
    std::fs::remove_file(&file).unwrap();
    assert_eq!(named(&file).code, Some(2), "it is gone");
    std::fs::write(&file, "{}").unwrap();
    // The record of the installation is gone.
    std::fs::remove_dir_all(home.join(".local/state/hookloop/bridge")).unwrap();
    assert_eq!(named(&file).code, Some(2));
    std::fs::write(&file, whole).unwrap();
    assert_eq!(named(&file).code, Some(0));
    let local = project.join(".claude/settings.local.json");
    std::fs::create_dir_all(local.parent().unwrap()).unwrap();
    std::fs::write(&local, "{\"disableAllHooks\": true}").unwrap();
    assert_eq!(changed(&json!({"session_id": "s"})).code, Some(2));
    std::fs::remove_file(local).unwrap();
    let done = world.run(&["bridge", "uninstall", "claude-code"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(named(&file).code, Some(0), "a person took it out");
}

/// TR-6: a guard of the project without a name also counts: if another command replaces it, that
/// refuses in the session in which it ran.
#[test]
fn a_nameless_guard_that_changed_refuses() {
    let world = World::new();
    let entry = |command: &str| {
        world.sandbox.project_settings(
            &json!({"hooks": {"BeforeTool": [{"hooks": [
                {"type": "command", "command": command}
            ]}]}})
            .to_string(),
        );
    };
    entry("exit 0");
    assert_eq!(world.run(&["hooks", "trust"]).code, Some(0));
    assert_eq!(world.before_shell("ls").code, Some(0));
    entry("true");
    assert_eq!(world.before_shell("ls").code, Some(2));
    assert_eq!(world.run(&["hooks", "trust"]).code, Some(0));
    assert_eq!(world.before_shell("ls").code, Some(0), "a person agreed");
    world.sandbox.project_settings("{}");
    assert_eq!(world.before_shell("ls").code, Some(2));
    let named = world.run(&["hooks", "untrust", "true"]);
    assert_eq!(named.code, Some(0), "{named:?}");
    assert!(
        named.stdout.contains("no longer trusted: true"),
        "{named:?}"
    );
    assert_eq!(world.run(&["hooks", "untrust"]).code, Some(0));
    assert_eq!(world.before_shell("ls").code, Some(0));
}

/// BR-12: a hook in a file that Claude Code doesn't read, since its folder is elsewhere, runs
/// through the bridge; one in the file that it reads is left to it.
#[test]
fn a_hook_that_the_agent_does_not_read_runs_here() {
    let world = World::new();
    let file = world.sandbox.home().join(".claude/settings.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let text = json!({"hooks": {"PreToolUse": [{"hooks": [
        {"type": "command", "command": "echo 'not here' >&2; exit 2"}
    ]}]}});
    std::fs::write(&file, text.to_string()).unwrap();
    let adopted = world.run(&["hooks", "adopt", "claude-code", "--scope", "user"]);
    assert_eq!(adopted.code, Some(0), "{adopted:?}");
    let call = |moved: Option<&str>| {
        let payload =
            json!({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}});
        let mut command = world.program(&["hooks", "bridge", "claude-code", "PreToolUse"]);
        command.envs(moved.map(|it| ("CLAUDE_CONFIG_DIR", it)));
        world
            .sandbox
            .run(&mut command, payload.to_string().as_bytes())
    };
    assert_eq!(call(None).code, Some(0), "Claude Code runs it");
    let said = call(Some("/nowhere"));
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.stderr.contains("not here"), "{said:?}");
}

/// BR-12: a hook that runs through the bridge, though the agent may run it by itself, is reported
/// once per session.
#[test]
fn a_hook_that_may_run_twice_is_told_of_once() {
    let world = World::new();
    let file = world.sandbox.home().join(".codex/hooks.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let text = json!({"hooks": {"PreToolUse": [{"hooks": [
        {"type": "command", "command": "echo x >> ../ran"}
    ]}]}});
    std::fs::write(&file, text.to_string()).unwrap();
    let adopted = world.run(&["hooks", "adopt", "codex", "--scope", "user"]);
    assert_eq!(adopted.code, Some(0), "{adopted:?}");
    let first = shell(&world, "codex", "ls");
    assert!(first.stderr.contains("may run twice"), "{first:?}");
    let second = shell(&world, "codex", "ls");
    assert_eq!((second.code, second.stderr.as_str()), (Some(0), ""));
    assert_eq!(world.read("ran").lines().count(), 2);
    // In another agent nothing is doubled.
    let other = shell(&world, "claude-code", "ls");
    assert_eq!(other.stderr, "", "{other:?}");
}

/// TR-8, BR-10, BR-21: what is opaque needs a person's consent if guards are configured and the
/// agent can ask; an agent that can't lets it run and reports that once; without guards nothing is
/// reported.
#[test]
fn what_nobody_can_see_through_needs_a_person() {
    let opaque = "base64 -d blob | sh";
    let world = World::with_hook("BeforeTool", "true");
    let asked = world.before_shell(opaque);
    assert!(
        asked.stdout.contains("\"permissionDecision\":\"ask\""),
        "{asked:?}"
    );
    assert!(asked.stdout.contains("plain commands"), "{asked:?}");
    let plain = world.before_shell("printf hi | sort");
    assert_eq!(plain.stdout, "", "{plain:?}");
    let codex = |world: &World| shell(world, "codex", opaque);
    let (first, second) = (codex(&world), codex(&world));
    assert_eq!((first.code, second.code), (Some(0), Some(0)), "{first:?}");
    assert!(first.stderr.contains("can't ask"), "{first:?}");
    assert_eq!(second.stderr, "", "{second:?}");
    let unguarded = World::new();
    for said in [unguarded.before_shell(opaque), codex(&unguarded)] {
        assert_eq!(
            (said.code, said.stdout.as_str(), said.stderr.as_str()),
            (Some(0), "", "")
        );
    }
}

/// BR-10: an unlisted tool is judged by the guards for what its arguments say that it does.
#[test]
fn a_tool_that_no_table_knows_meets_the_guards() {
    let hook = json!({"type": "command", "command": "echo never >&2; exit 2"});
    for (matcher, agent, event, tool, input) in [
        (
            "replace",
            "goose",
            "PreToolUse",
            "text_editor",
            json!({"command": "str_replace", "path": "f", "old_str": "a", "new_str": "b"}),
        ),
        (
            "run_shell_command",
            "cursor",
            "preToolUse",
            "Delete",
            json!({"file_path": "f"}),
        ),
        (
            "write_file",
            "kimi",
            "PreToolUse",
            "WriteMany",
            json!({"files": [{"path": "f", "content": "x"}]}),
        ),
        (
            "Lint",
            "kimi",
            "PreToolUse",
            "Lint",
            json!({"command": "make lint"}),
        ),
    ] {
        let world = World::new();
        let groups = json!([{"matcher": matcher, "hooks": [hook]}]);
        world.settings(&json!({"hooks": {"BeforeTool": groups}}));
        let payload = json!({"session_id": "s", "tool_name": tool, "tool_input": input});
        let said = world.call(agent, event, &payload);
        assert_eq!(said.code, Some(2), "{agent}'s {tool}: {said:?}");
        world.settings(&json!({}));
        assert_eq!(world.call(agent, event, &payload).code, Some(0), "{tool}");
    }
}

/// BR-3: if the agent isn't found, it isn't known whether it would obey.
#[test]
fn doctor_says_what_is_not_known() {
    let world = World::new();
    assert_eq!(
        world.run(&["bridge", "install", "claude-code"]).code,
        Some(0)
    );
    let doctor = world.run(&["bridge", "doctor", "claude-code", "--json"]);
    let said: Value = serde_json::from_str(&doctor.stdout).unwrap();
    let agent = &said["agents"][0];
    if agent["version"].is_null() {
        assert!(agent["obeys"].is_null(), "{said}");
        assert_eq!(doctor.code, Some(0), "what isn't known is no error");
    }
}
