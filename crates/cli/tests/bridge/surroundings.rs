//! What an agent's environment may set, and what is left to the agent (BR-12, BR-25).

use std::process::Command;

use hookloop_bridge::Agent;
use hookloop_testkit::{Finished, wait_until};
use serde_json::{Value, json};

use crate::world::World;

const LINK: &str = ".local/share/hookloop/bin/hookloop";

/// A call of Claude Code through a program, in an environment with additional variables.
fn call_by(world: &World, program: &str, variables: &[(&str, &str)]) -> Finished {
    let payload = json!({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}});
    let mut command: Command = world.sandbox.command(program);
    command.args(["hooks", "bridge", "claude-code", "PreToolUse"]);
    command.envs(variables.iter().copied());
    let input = payload.to_string();
    world.sandbox.run(&mut command, input.as_bytes())
}

fn call(world: &World, variables: &[(&str, &str)]) -> Finished {
    call_by(world, env!("CARGO_BIN_EXE_hookloop"), variables)
}

/// A call by the link that `install` makes.
fn call_installed(world: &World, variables: &[(&str, &str)]) -> Finished {
    let link = world.sandbox.home().join(LINK);
    call_by(world, &link.to_string_lossy(), variables)
}

fn install(world: &World) {
    let done = world.run(&["bridge", "install", "claude-code"]);
    assert_eq!(done.code, Some(0), "{done:?}");
}

fn guarded() -> World {
    World::with_hook("BeforeTool", "echo never >&2; exit 2")
}

/// BR-25: whatever the agent's environment says about homes, records, system settings and trust,
/// the guards of the person for whom the bridge was installed decide, and the person is told.
#[test]
fn the_environment_moves_no_guards() {
    let world = guarded();
    install(&world);
    world
        .sandbox
        .project_settings(r#"{"hooksConfig": {"disabled": ["mine"]}}"#);
    assert_eq!(call_installed(&world, &[]).code, Some(2));
    let elsewhere = world.file("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let elsewhere = elsewhere.to_string_lossy();
    for (name, value) in [
        ("HOME", &*elsewhere),
        ("GEMINI_CLI_HOME", &elsewhere),
        ("GEMINI_CLI_HOME", "."),
        ("XDG_STATE_HOME", &elsewhere),
        ("GEMINI_CLI_SYSTEM_SETTINGS_PATH", "/nowhere/settings.json"),
        ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
        ("HOOKLOOP_OWNER_CHECK", "off"),
    ] {
        let said = call_installed(&world, &[(name, value)]);
        assert_eq!(said.code, Some(2), "{name}={value}: {said:?}");
        assert!(said.stderr.contains(name), "{name}={value}: {said:?}");
    }
    assert_eq!(std::fs::read_dir(&*elsewhere).unwrap().count(), 0);
}

/// BR-25: the person's environment at the time of the installation applies to the person's calls.
#[test]
fn what_was_said_at_the_installation_counts() {
    let world = World::new();
    let moved = world.file("moved");
    let settings = moved.join(".gemini/settings.json");
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    let hooks =
        json!({"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}});
    std::fs::write(settings, hooks.to_string()).unwrap();
    let moved = moved.to_string_lossy();
    let mut command = world.program(&["bridge", "install", "claude-code"]);
    command.env("GEMINI_CLI_HOME", &*moved);
    let done = world.sandbox.run(&mut command, b"");
    assert_eq!(done.code, Some(0), "{done:?}");
    let said = call_installed(&world, &[("GEMINI_CLI_HOME", &moved)]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(!said.stderr.contains("GEMINI_CLI_HOME"), "{said:?}");
    let said = call_installed(&world, &[]);
    assert_eq!(said.code, Some(2), "{said:?}");
}

/// BR-25: a bridge that was installed before there were records keeps its guards; what can't be
/// known is reported. A record that can't be read refuses.
#[test]
fn an_older_installation_keeps_its_guards() {
    let world = guarded();
    install(&world);
    let noted = world
        .sandbox
        .home()
        .join(".local/share/hookloop/surroundings.json");
    std::fs::remove_file(&noted).unwrap();
    for name in ["HOME", "GEMINI_CLI_HOME", "XDG_STATE_HOME"] {
        let said = call_installed(&world, &[(name, "/nowhere")]);
        assert_eq!(said.code, Some(2), "{name}: {said:?}");
        assert!(said.stderr.contains(name), "{name}: {said:?}");
    }
    let system = [("GEMINI_CLI_SYSTEM_SETTINGS_PATH", "/nowhere/settings.json")];
    let said = call_installed(&world, &system);
    assert!(said.stderr.contains(system[0].0), "{said:?}");
    world.settings(&json!({}));
    assert_eq!(call_installed(&world, &[]).code, Some(0));
    std::fs::write(&noted, "{").unwrap();
    assert_eq!(call_installed(&world, &[]).code, Some(2));
}

/// BR-25: variables that make a shell run or omit code at startup reach no hook.
#[test]
fn no_variable_begins_the_shell_of_a_hook() {
    let world = World::with_hook("BeforeTool", "bash -c 'exit 2'");
    let script = world.file("begin.sh");
    std::fs::write(&script, "exit 0\n").unwrap();
    let script = script.to_string_lossy();
    for (name, value) in [
        ("SHELLOPTS", "noexec"),
        ("BASH_ENV", &*script),
        ("ENV", &script),
        ("BASH_FUNC_exit%%", "() { builtin exit 0; }"),
    ] {
        let said = call(&world, &[(name, value)]);
        assert_eq!(said.code, Some(2), "{name}: {said:?}");
    }
}

/// BR-25: only the project's own hooks get what a project's settings of the agent set.
#[test]
fn what_a_project_sets_reaches_its_own_hooks_alone() {
    let world = World::with_hook("BeforeTool", "[ \"$GUARD\" = off ] || exit 2");
    let hook = json!({"type": "command", "name": "theirs", "command": "echo $GUARD > ../said"});
    let hooks = json!({"hooks": {"BeforeTool": [{"hooks": [hook]}]}});
    world.sandbox.project_settings(&hooks.to_string());
    assert_eq!(world.run(&["hooks", "trust"]).code, Some(0));
    let off = [("GUARD", "off")];
    assert_eq!(call(&world, &off).code, Some(0), "the person set it");
    world
        .sandbox
        .file(".claude/settings.json", r#"{"env": {"GUARD": "off"}}"#);
    std::fs::remove_file(world.file("said")).unwrap();
    let said = call(&world, &off);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert_eq!(world.read("said"), "off\n");
}

/// BR-25: only the project's own hooks get what a project's file of variables may set, however the
/// agent reads the file; this also applies to a hook that nobody waits for, wherever the agent is.
#[test]
fn however_a_file_sets_variables_only_the_projects_hooks_get_them() {
    let world = World::with_hook("BeforeTool", "[ \"$GUARD\" = off ] || exit 2");
    let payload = json!({"session_id": "s", "tool_name": "Shell", "tool_input": {"command": "ls"}});
    let call = || {
        let mut command = world.program(&["hooks", "bridge", "qwen", "PreToolUse"]);
        command.env("GUARD", "off");
        world
            .sandbox
            .run(&mut command, payload.to_string().as_bytes())
    };
    let is_refused = || Agent::Qwen.is_refused_by(call().code, &call().stdout);
    assert!(!is_refused(), "the person set it");
    for text in [
        "GUARD=off",
        "  export   GUARD = `off`",
        "GUARD: off",
        "A=1\rGUARD=\"off\"",
        "\u{feff}GUARD=o${X}ff",
    ] {
        world.sandbox.file(".env", text);
        assert!(is_refused(), "{text:?}");
    }
    world.sandbox.file(".env", "# GUARD\nGUARDS=off\n");
    assert!(!is_refused());
}

/// BR-25: what an agent reads counts though it isn't UTF-8, and settings that can't be parsed and
/// may set variables refuse with their name.
#[test]
fn settings_that_nobody_understands_refuse() {
    let world = World::with_hook("BeforeTool", "[ \"$GUARD\" = off ] || exit 2");
    let file = world.sandbox.project().join(".claude/settings.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let off = [("GUARD", "off")];
    std::fs::write(
        &file,
        b"{\"note\": \"\xff\", \"env\": {\"GUARD\": \"off\"}}",
    )
    .unwrap();
    assert_eq!(call(&world, &off).code, Some(2));
    for text in ["{\"env\": {\"GUARD\" \"off\"}}", "{\"\\u0065nv\": {}} }"] {
        std::fs::write(&file, text).unwrap();
        let said = call(&world, &off);
        assert_eq!(said.code, Some(2), "{text}: {said:?}");
        assert!(said.stderr.contains("settings.json"), "{text}: {said:?}");
    }
    std::fs::write(&file, "{ nothing that sets ").unwrap();
    assert_eq!(call(&world, &off).code, Some(0));
}

/// BR-25, FD-22: a hook that nobody waits for has the environment of its call.
#[test]
fn a_hook_that_nobody_waits_for_has_the_surroundings_of_its_call() {
    let world = World::new();
    let marker = world.file("said");
    let hook = |name: &str, file: &str| {
        let command = format!("echo \"$GUARD $HOME\" > '{}'", world.file(file).display());
        json!({"type": "command", "name": name, "command": command, "async": true})
    };
    let hooks = |hook: Value| json!({"hooks": {"BeforeTool": [{"hooks": [hook]}]}});
    world.settings(&hooks(hook("mine", "said")));
    world
        .sandbox
        .project_settings(&hooks(hook("theirs", "theirs")).to_string());
    assert_eq!(world.run(&["hooks", "trust"]).code, Some(0));
    install(&world);
    world
        .sandbox
        .file(".claude/settings.json", r#"{"env": {"GUARD": "off"}}"#);
    let elsewhere = world.file("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let moved = [
        ("GUARD", "off"),
        ("HOME", &*elsewhere.to_string_lossy()),
        (
            "CLAUDE_PROJECT_DIR",
            &*world.sandbox.project().to_string_lossy(),
        ),
    ];
    let said = call_installed(&world, &moved);
    assert_eq!(said.code, Some(0), "{said:?}");
    wait_until("both ran", || {
        marker.exists() && world.file("theirs").exists()
    });
    let home = world.sandbox.home().to_string_lossy().into_owned();
    wait_until("the own one has no variable", || {
        world.read("said") == format!(" {home}\n")
    });
    wait_until("the project's one has it", || {
        world.read("theirs") == format!("off {home}\n")
    });
    assert_eq!(std::fs::read_dir(elsewhere).unwrap().count(), 0);
}

/// BR-2, BR-25: an agent's record is removed with its installation; those of others, and the link
/// that they call, stay, wherever their installation is recorded.
#[test]
fn the_notes_of_other_agents_stay() {
    let world = guarded();
    install(&world);
    let moved = world.file("records");
    let mut other = world.program(&["bridge", "install", "codex"]);
    other.env("XDG_STATE_HOME", &moved);
    assert_eq!(world.sandbox.run(&mut other, b"").code, Some(0));
    let noted = || {
        let file = world
            .sandbox
            .home()
            .join(".local/share/hookloop/surroundings.json");
        std::fs::read_to_string(file).unwrap_or_default()
    };
    let done = world.run(&["bridge", "uninstall", "claude-code"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(noted().contains("codex") && !noted().contains("claude"));
    assert!(world.sandbox.home().join(LINK).exists());
    let mut other = world.program(&["bridge", "uninstall", "codex"]);
    other.env("XDG_STATE_HOME", &moved);
    assert_eq!(world.sandbox.run(&mut other, b"").code, Some(0));
    assert_eq!(noted(), "");
    assert!(!world.sandbox.home().join(LINK).exists());
}

/// BR-25: if a project decides whose guards apply, and it isn't known what would be right, the call
/// is refused with the place; the search path of the installation is used instead of the project's.
#[test]
fn a_project_that_decides_whose_guards_hold_refuses() {
    let world = World::with_hook("BeforeTool", "cat /dev/null && exit 2");
    for name in [
        "GEMINI_CLI_HOME",
        "HOME",
        "XDG_STATE_HOME",
        "CLAUDE_CONFIG_DIR",
        "PATH",
    ] {
        let value = "/nowhere";
        let env = json!({"env": {name: value}}).to_string();
        world
            .sandbox
            .file(".claude/settings.json", &format!("\n{env}"));
        let said = call(&world, &[(name, value)]);
        assert_eq!(said.code, Some(2), "{name}: {said:?}");
        assert!(said.stderr.contains("settings.json:2"), "{name}: {said:?}");
    }
    install(&world);
    let said = call_installed(&world, &[("PATH", "/nowhere")]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(
        !said.stderr.contains("hookloop refuses"),
        "a hook does: {said:?}"
    );
}

/// BR-25: a project that makes itself, or one of its folders, the home doesn't hide the file that
/// does so; through the link of the installation nothing is moved at all.
#[test]
fn a_project_that_makes_itself_the_home_refuses() {
    let world = guarded();
    let project = world.sandbox.project().to_owned();
    let below = project.join("below");
    std::fs::create_dir_all(&below).unwrap();
    // Agents search upward from below.
    std::fs::create_dir_all(project.join(".git")).unwrap();
    let moved = |name: &str, to: &std::path::Path| {
        let to = to.to_string_lossy().into_owned();
        let env = json!({"env": {name: to}}).to_string();
        world.sandbox.file(".claude/settings.json", &env);
        to
    };
    for name in ["HOME", "GEMINI_CLI_HOME"] {
        for (to, from) in [(&project, &project), (&below, &project), (&below, &below)] {
            let value = moved(name, to);
            let said = call_from(&world, from, &[(name, &value)]);
            assert_eq!(said.code, Some(2), "{name}={value}: {said:?}");
            let is_named = said.stderr.contains("settings.json:1");
            assert!(is_named, "{name}={value}: {said:?}");
        }
    }
    install(&world);
    let value = moved("HOME", &project);
    let said = call_installed(&world, &[("HOME", &value)]);
    assert_eq!(said.code, Some(2), "{said:?}");
    let is_guards = !said.stderr.contains("hookloop refuses");
    assert!(is_guards, "the guard does: {said:?}");
}

/// A call of Claude Code from a folder, not through the link.
fn call_from(world: &World, folder: &std::path::Path, variables: &[(&str, &str)]) -> Finished {
    let payload = json!({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}});
    let mut command = world.program(&["hooks", "bridge", "claude-code", "PreToolUse"]);
    command.current_dir(folder).envs(variables.iter().copied());
    let input = payload.to_string();
    world.sandbox.run(&mut command, input.as_bytes())
}

/// BR-25: what a person's own settings of an agent set is the person's, even if the person works in
/// the home folder.
#[test]
fn what_a_person_sets_at_home_is_no_projects() {
    let world = World::with_hook("BeforeTool", "[ \"$GUARD\" = off ] || exit 2");
    let home = world.sandbox.home().to_owned();
    let settings = home.join(".claude/settings.json");
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    let state = home.join("state").to_string_lossy().into_owned();
    let env = json!({"env": {"GUARD": "off", "XDG_STATE_HOME": state}});
    std::fs::write(settings, env.to_string()).unwrap();
    let set = [("GUARD", "off"), ("XDG_STATE_HOME", &*state)];
    let below = home.join("below");
    std::fs::create_dir(&below).unwrap();
    for folder in [&home, &below] {
        let said = call_from(&world, folder, &set);
        assert_eq!(said.code, Some(0), "{said:?}");
    }
}

/// BR-25: a value that an agent may read differently is in force whatever it became.
#[test]
fn a_value_that_an_agent_makes_something_of_is_in_force() {
    let world = World::with_hook("BeforeTool", "[ \"$GUARD\" = \"$OFF\" ] || exit 2");
    for (written, is) in [
        (json!("off"), "off"),
        (json!("o${NOPE}ff"), "off"),
        (json!("$WHAT"), "off"),
        (json!("%WHAT%"), "off"),
        (json!("~/off"), "/home/off"),
        (json!(" off "), "off"),
        (json!(1e3), "1000"),
        (json!(-0.0), "0"),
        (json!(10), "10"),
        (json!(true), "true"),
    ] {
        let env = json!({"env": {"GUARD": written}}).to_string();
        world.sandbox.file(".claude/settings.json", &env);
        let said = call(&world, &[("GUARD", is), ("OFF", is)]);
        // With GUARD removed the two differ.
        assert_eq!(said.code, Some(2), "{written} = {is}: {said:?}");
    }
    let env = json!({"env": {"GUARD": "on"}}).to_string();
    world.sandbox.file(".claude/settings.json", &env);
    let said = call(&world, &[("GUARD", "off"), ("OFF", "off")]);
    assert_eq!(said.code, Some(0), "the person set it: {said:?}");
}

/// BR-3, BR-25: `doctor` names what files set for everything that an agent runs, and what was never
/// recorded.
#[test]
fn doctor_names_variables_that_files_set() {
    let world = guarded();
    install(&world);
    let doctor = || world.run(&["bridge", "doctor", "claude-code"]);
    let before = doctor();
    assert!(!before.stdout.contains(" sets "), "{before:?}");
    let file = ".claude/settings.local.json";
    world.sandbox.file(
        file,
        r#"{"env": {"BASH_ENV": "x.sh", "HOME": "/x", "FINE": "1"}}"#,
    );
    let said = doctor();
    assert_eq!(said.code, Some(1), "{said:?}");
    for name in ["BASH_ENV", "HOME"] {
        let place = format!("{file}:1 sets {name}");
        assert!(said.stdout.replace('\n', " ").contains(&place), "{said:?}");
    }
    assert!(!said.stdout.contains("FINE"), "{said:?}");
    let noted = world
        .sandbox
        .home()
        .join(".local/share/hookloop/surroundings.json");
    std::fs::remove_file(noted).unwrap();
    assert!(
        doctor().stdout.contains("weren't recorded"),
        "{:?}",
        doctor()
    );
}

/// BR-12: a hook that a project switches off in Gemini CLI, by its name or with all others, is run
/// by the bridge.
#[test]
fn what_a_project_switches_off_in_gemini_cli_runs_here() {
    let world = guarded();
    let payload =
        json!({"session_id": "s", "tool_name": "write_file", "tool_input": {"file_path": "x"}});
    let call = || world.call("gemini-cli", "BeforeTool", &payload);
    assert_eq!(call().code, Some(0), "Gemini CLI runs it");
    for off in [
        json!({"hooks": {"disabled": ["mine"]}}),
        json!({"hooksConfig": {"disabled": ["mine"]}}),
        json!({"hooksConfig": {"enabled": false}}),
        json!({"tools": {"enableHooks": false}}),
    ] {
        world.sandbox.project_settings(&off.to_string());
        let said = call();
        assert_eq!(said.code, Some(2), "{off}: {said:?}");
    }
    world
        .sandbox
        .project_settings(r#"{"hooksConfig": {"disabled": ["other"]}}"#);
    assert_eq!(call().code, Some(0), "nothing switches it off");
}

/// BR-12: a project's hook is left to Claude Code only where that was started in the folder of its
/// file.
#[test]
fn a_hook_above_the_folder_of_the_agent_runs_here() {
    let world = World::new();
    world.settings(&json!({"hooksConfig": {"adopt": ["claude-code"]}}));
    let hook = json!({"type": "command", "command": "echo never >&2; exit 2"});
    let hooks: Value = json!({"hooks": {"PreToolUse": [{"hooks": [hook]}]}});
    world
        .sandbox
        .file(".claude/settings.json", &hooks.to_string());
    assert_eq!(world.run(&["hooks", "trust"]).code, Some(0));
    let inner = world.sandbox.project().join("inner");
    std::fs::create_dir(&inner).unwrap();
    let started = |folder: &std::path::Path| {
        call(&world, &[("CLAUDE_PROJECT_DIR", &folder.to_string_lossy())])
    };
    assert_eq!(
        started(world.sandbox.project()).code,
        Some(0),
        "Claude Code runs it"
    );
    let said = started(&inner);
    assert_eq!(said.code, Some(2), "{said:?}");
}
