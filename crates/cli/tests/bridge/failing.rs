//! Failures while an agent waits.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use hookloop_testkit::Finished;
use serde_json::{Value, json};

use crate::world::World;

/// The folder with the state of an agent's sessions.
fn state(world: &World, agent: &str) -> PathBuf {
    let folder = world.sandbox.home().join(".local/state/hookloop/bridge");
    folder.join(agent)
}

fn memory(world: &World, agent: &str) -> PathBuf {
    let entries = std::fs::read_dir(state(world, agent)).unwrap();
    let mut paths = entries.map(|it| it.unwrap().path());
    paths
        .find(|it| it.extension().is_some_and(|it| it == "json"))
        .unwrap()
}

/// Replaces the link that agents call by a program.
fn replace_link(world: &World, text: &str) {
    let link = world
        .sandbox
        .home()
        .join(".local/share/hookloop/bin/hookloop");
    std::fs::remove_file(&link).unwrap();
    // A child process writes it: another test that forks now would keep it busy.
    let script = "printf '#!/bin/sh\\n%s\\n' \"$0\" > \"$1\" && chmod +x \"$1\"";
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", script, text]).arg(&link);
    assert!(shell.status().unwrap().success());
}

/// BR-22: if exit codes don't count, any ending but a clean one with an answer is the refusal that
/// the agent reads, alone on standard output.
#[test]
fn only_a_clean_answer_passes_where_exit_codes_count_for_nothing() {
    let world = World::new();
    for agent in ["cline", "copilot"] {
        assert_eq!(world.run(&["bridge", "install", agent]).code, Some(0));
    }
    let home = world.sandbox.home();
    let script = std::fs::read_to_string(home.join(".cline/hooks/PreToolUse")).unwrap();
    let file = std::fs::read_to_string(home.join(".copilot/hooks/hookloop.json")).unwrap();
    let file: Value = serde_json::from_str(&file).unwrap();
    let prompt = &file["hooks"]["userPromptSubmitted"][0]["bash"];
    let run = |command: &str| {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", command]);
        world.sandbox.run(&mut shell, b"nonsense")
    };
    let refuses = |said: &Finished, field: &str, value: &Value| {
        let object: Value = serde_json::from_str(&said.stdout).unwrap_or_default();
        assert_eq!(object.get(field), Some(value), "{said:?}");
    };
    let both = || {
        refuses(&run(&script), "cancel", &json!(true));
        refuses(&run(prompt.as_str().unwrap()), "decision", &json!("block"));
    };
    both();
    for program in [
        "exit 2",
        "echo '{\"a\":'; exit 3",
        "echo garbage",
        "echo garbage; exit 2",
        "kill -9 $$",
    ] {
        replace_link(&world, program);
        both();
    }
    replace_link(&world, "exit 0");
    assert_eq!(run(&script).stdout, "");
    replace_link(&world, "echo '{\"contextModification\":\"x\"}'");
    assert_eq!(run(&script).stdout, "{\"contextModification\":\"x\"}");
}

/// BR-14, BR-21: goose runs a prompt that was refused, so if it isn't known what hooks said about
/// it, every tool of the turn is refused, until the next prompt is judged.
#[test]
fn a_refused_prompt_is_not_forgotten() {
    let world = World::with_hook(
        "BeforeAgent",
        "case $(cat) in *KILL*) kill -9 $PPID;; *BAD*) echo 'bad prompt' >&2; exit 2;; esac; exit 0",
    );
    let prompt = |text: &str| {
        let payload = json!({"session_id": "s", "message": text});
        world.call("goose", "UserPromptSubmit", &payload)
    };
    let tool = || {
        let payload =
            json!({"session_id": "s", "tool_name": "shell", "tool_input": {"command": "ls"}});
        world.call("goose", "PreToolUse", &payload).code
    };
    prompt("good");
    assert_eq!(tool(), Some(0));
    // It is broken, gone, and can't be written.
    prompt("BAD");
    std::fs::write(memory(&world, "goose"), "{").unwrap();
    assert_eq!((tool(), tool()), (Some(2), Some(2)));
    prompt("BAD");
    std::fs::remove_file(memory(&world, "goose")).unwrap();
    assert_eq!((tool(), tool()), (Some(2), Some(2)));
    prompt("good");
    assert_eq!(tool(), Some(0));
    let folder = state(&world, "goose");
    let aside = world.file("aside");
    std::fs::rename(&folder, &aside).unwrap();
    std::fs::write(&folder, "not a folder").unwrap();
    prompt("BAD");
    assert_eq!(tool(), Some(2));
    std::fs::remove_file(&folder).unwrap();
    std::fs::rename(&aside, &folder).unwrap();
    // A call that was killed has judged nothing.
    assert_eq!(prompt("KILL").code, None);
    assert_eq!(tool(), Some(2));
    // A prompt that couldn't be judged counts, too.
    prompt("good");
    assert_eq!(tool(), Some(0));
    let broken = world.call_with(
        &["hooks", "bridge", "goose", "UserPromptSubmit"],
        b"{\"session_id\": \"s\"}",
    );
    assert!(broken.stderr.contains("refuse"), "{broken:?}");
    assert_eq!(tool(), Some(2));
}

/// BR-22, BR-14: a lock that another process keeps isn't waited for without end: the call refuses
/// in time. A pipe in the place of what is remembered isn't waited for at all: it counts as a
/// broken file, and is replaced.
#[test]
fn nothing_is_waited_for_without_end() {
    let world = World::with_hook("BeforeTool", "true");
    let call = |seconds: &str| {
        let payload =
            json!({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}});
        let arguments = [
            "hooks",
            "bridge",
            "claude-code",
            "PreToolUse",
            "--timeout",
            seconds,
        ];
        world.call_with(&arguments, payload.to_string().as_bytes())
    };
    assert_eq!(call("600").code, Some(0));
    let file = memory(&world, "claude-code");
    std::fs::remove_file(&file).unwrap();
    let lock = std::fs::File::options()
        .write(true)
        .open(state(&world, "claude-code").join("lock"))
        .unwrap();
    lock.lock().unwrap();
    let started = Instant::now();
    let said = call("4");
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.stdout.contains("\"deny\""), "{said:?}");
    lock.unlock().unwrap();
    let mut fifo = Command::new("mkfifo");
    assert!(fifo.arg(&file).status().unwrap().success());
    let said = call("60");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(file.metadata().unwrap().is_file());
    assert!(started.elapsed() < Duration::from_mins(2));
}

/// BR-22: hooks that are left when the time is up aren't started, and the call refuses.
#[test]
fn nothing_is_begun_when_the_time_is_over() {
    let world = World::with_hook("BeforeTool", "echo x >> ../begun; sleep 600");
    let payload = json!({
        "taskId": "t",
        "tool_call": {"name": "run_commands", "input": {"commands": ["one", "two", "three"]}}
    });
    let arguments = ["hooks", "bridge", "cline", "PreToolUse", "--timeout", "5"];
    let said = world.call_with(&arguments, payload.to_string().as_bytes());
    assert!(said.stdout.contains("\"cancel\":true"), "{said:?}");
    assert_eq!(world.read("begun").lines().count(), 1);
}

/// BR-14: only the reason itself counts as a retry, not a prompt that happens to contain it.
#[test]
fn a_prompt_that_holds_the_reason_is_a_prompt() {
    let world = World::with_hook(
        "AfterAgent",
        "cat > ../seen; echo '{\"decision\":\"deny\",\"reason\":\"no\"}'",
    );
    let prompt = |text: &str| {
        let payload = json!({"session_id": "s", "prompt": text});
        let said = world.call("codex", "UserPromptSubmit", &payload);
        assert_eq!(said.code, Some(0));
    };
    let seen = || {
        let payload = json!({"session_id": "s", "last_assistant_message": "answer"});
        world.call("codex", "Stop", &payload);
        let seen: Value = serde_json::from_str(&world.read("seen")).unwrap();
        seen["prompt"].as_str().unwrap().to_owned()
    };
    prompt("do it");
    assert_eq!(seen(), "do it");
    prompt("there is nothing here");
    assert_eq!(seen(), "there is nothing here");
    prompt("Stop hook feedback:\nno");
    assert_eq!(seen(), "there is nothing here");
}

/// BR-11: what looks like the end of a background agent is judged, and doesn't begin a turn; Kimi's
/// sub-agents whose end was never reported don't outlast the next prompt.
#[test]
fn what_can_be_forged_is_judged() {
    let world = World::with_hook(
        "BeforeAgent",
        "grep -q BAD && { echo 'bad prompt' >&2; exit 2; }; exit 0",
    );
    let payload =
        json!({"session_id": "s", "prompt": "<task-notification>BAD</task-notification>"});
    for agent in ["claude-code", "qwen"] {
        let said = world.call(agent, "UserPromptSubmit", &payload);
        assert!(said.stdout.contains("bad prompt"), "{agent}: {said:?}");
    }
    let payload = json!({"session_id": "s", "prompt": [{"type": "text", "text": "BAD"}]});
    let said = world.call("qwen", "UserPromptSubmit", &payload);
    assert!(said.stdout.contains("bad prompt"), "{said:?}");
    let world = World::with_hook("AfterAgent", "echo x >> ../ends");
    world.kimi_ends([
        ("SubagentStart", 0),
        ("Stop", 0),
        ("UserPromptSubmit", 0),
        ("Stop", 1),
    ]);
}

/// BR-20: a character of an answer that arrives in parts reaches opencode complete. Without
/// Node.js, which runs the module, the test is skipped, which is reported.
#[test]
fn a_letter_in_parts_stays_a_letter_in_opencode() {
    let world = World::new();
    assert_eq!(world.run(&["bridge", "install", "opencode"]).code, Some(0));
    let module = world
        .sandbox
        .home()
        .join(".config/opencode/plugin/hookloop.js");
    let copy = world.file("hookloop.mjs");
    std::fs::copy(module, &copy).unwrap();
    replace_link(
        &world,
        "cat > /dev/null; printf \x27{\"output\":\"a\\303\x27; sleep 0.3; printf \x27\\244b\"}\x27",
    );
    let run = world.file("run.mjs");
    let text = "import { Hookloop } from './hookloop.mjs';\n\
        const hooks = await Hookloop({ directory: process.cwd() });\n\
        const output = { output: '' };\n\
        await hooks['tool.execute.after']({ tool: 'bash' }, output);\n\
        console.log(output.output);\n";
    std::fs::write(&run, text).unwrap();
    let mut node = world.sandbox.command("node");
    match node.arg("--version").output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("skipped: there is no `node` to run the module for opencode");
            return;
        }
        other => assert!(other.unwrap().status.success()),
    }
    let mut node = world.sandbox.command("node");
    let said = world.sandbox.run(node.arg(&run), b"");
    assert_eq!(said.stdout, "a\u{e4}b\n", "{said:?}");
}
