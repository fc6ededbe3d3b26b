//! Calls of other agents.

use std::time::{Duration, Instant};

use hookloop_testkit::{Finished, wait_until};
use serde_json::{Value, json};

use crate::world::World;

fn refuses(finished: &Finished) -> bool {
    finished.code == Some(2) && finished.stdout.contains("\"deny\"") && !finished.stderr.is_empty()
}

/// BR-10, BR-20: a hook reads our words whatever agent calls, and its refusal is written in the
/// agent's own words; without an opinion nothing is written.
#[test]
fn a_hook_of_ours_decides_in_another_agent() {
    let world = World::with_hook(
        "BeforeTool",
        "cat > ../seen; grep -q BLOCK ../seen && { echo 'not here' >&2; exit 2; }; exit 0",
    );
    let quiet = world.before_shell("echo hello");
    assert_eq!((quiet.code, quiet.stdout.as_str()), (Some(0), ""));
    let seen: Value = serde_json::from_str(&world.read("seen")).unwrap();
    assert_eq!(seen["tool_name"], "run_shell_command");
    assert_eq!(seen["tool_input"]["command"], "echo hello");
    assert_eq!(seen["bridge"]["agent"], "claude-code");
    let refused = world.before_shell("echo BLOCK");
    assert!(refuses(&refused), "{refused:?}");
    assert!(refused.stderr.contains("not here"));
}

/// BR-10: a call that does more than hooks are asked about is refused only if a hook would have to
/// know the rest: without hooks, and with hooks for other tools and events, none is affected.
#[test]
fn a_call_of_many_things_is_refused_for_hooks_alone() {
    let paths: Vec<String> = (0..300).map(|it| format!("f{it}")).collect();
    let payload = json!({"session_id": "s", "tool_name": "mcp__fs__read_files", "tool_use_id": "t",
        "tool_input": {"paths": paths}});
    let hook = |event: &str, matcher: &str| {
        json!({"hooks": {event: [{"matcher": matcher, "hooks": [
            {"type": "command", "command": "true"}]}]}})
    };
    for (settings, is_refused) in [
        (json!({}), false),
        (hook("AfterTool", "*"), false),
        (hook("BeforeTool", "google_web_search"), false),
        (hook("BeforeTool", "*"), true),
        (hook("BeforeTool", "read_file"), true),
        (hook("BeforeTool", "write_file"), true),
        (hook("BeforeTool", "mcp__fs__.*"), true),
    ] {
        let world = World::new();
        world.settings(&settings);
        for agent in ["claude-code", "codex"] {
            let said = world.call(agent, "PreToolUse", &payload);
            assert_eq!(refuses(&said), is_refused, "{agent} {settings} {said:?}");
        }
    }
}

/// BR-10, TR-8: a guard that has changed since it was agreed to counts as one that would have to
/// know the rest, as the guard did before it changed. None of the parts that hooks are asked about
/// is one that it guards.
#[test]
fn a_changed_guard_would_have_to_know_the_rest() {
    let paths: Vec<String> = (0..300).map(|it| format!("f{it}")).collect();
    let payload = json!({"session_id": "s", "tool_name": "mcp__fs__read_files", "tool_use_id": "t",
        "tool_input": {"paths": paths}});
    let world = World::new();
    let guard = json!({"type": "command", "name": "guard", "command": "sh ./guard.sh",
        "onFailure": "deny"});
    let settings = json!({"hooks": {"BeforeTool": [{"matcher": "write_file", "hooks": [guard]}]}});
    world.sandbox.project_settings(&settings.to_string());
    world.sandbox.script("guard.sh", "exit 0");
    let trusted = world.run(&["hooks", "trust"]);
    assert_eq!(trusted.code, Some(0), "{trusted:?}");
    let call = || world.call("claude-code", "PreToolUse", &payload);
    assert!(refuses(&call()));
    world.sandbox.script("guard.sh", "exit 0 # changed");
    let said = call();
    assert!(refuses(&said), "{said:?}");
}

/// BR-22: any failure before a tool or a prompt refuses: a payload that can't be read, an unknown
/// event or agent, broken settings that may contain a guard.
#[test]
fn every_failure_refuses() {
    let world = World::with_hook("BeforeTool", "true");
    let nameless = r#"{"session_id": "s", "tool_name": " ", "tool_input": {}}"#;
    for input in [
        "",
        "{",
        "[]",
        "nonsense",
        "{\"session_id\":\"s\"}",
        nameless,
    ] {
        let said = world.call_with(
            &["hooks", "bridge", "codex", "PreToolUse"],
            input.as_bytes(),
        );
        assert!(refuses(&said), "{input}: {said:?}");
    }
    let prompt = world.call_with(
        &["hooks", "bridge", "claude-code", "UserPromptSubmit"],
        b"{",
    );
    assert_eq!(prompt.code, Some(2));
    for (agent, event) in [("codex", "PreToolUsee"), ("nobody", "PreToolUse")] {
        let said = world.call(agent, event, &json!({}));
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(!said.stderr.is_empty());
    }
    // If nothing waits for the answer, a failure is reported and blocks nothing.
    let end = world.call_with(&["hooks", "bridge", "codex", "Stop"], b"{");
    assert_eq!((end.code, end.stdout.as_str()), (Some(0), ""));
    assert!(!end.stderr.is_empty());
    world.sandbox.user_settings("{ \"hooks\": { broken");
    assert!(refuses(&world.before_shell("ls")));
}

/// BR-22: a hook that hasn't answered when the registered timeout is nearly over refuses, whatever
/// its `onFailure`.
#[test]
fn a_late_hook_refuses() {
    let world = World::with_hook("BeforeTool", "sleep 600");
    let payload = json!({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}});
    let started = Instant::now();
    let arguments = [
        "hooks",
        "bridge",
        "claude-code",
        "PreToolUse",
        "--timeout",
        "5",
    ];
    let said = world.call_with(&arguments, payload.to_string().as_bytes());
    assert!(refuses(&said), "{said:?}");
    assert!(started.elapsed() < Duration::from_mins(1));
}

/// BR-14, BR-20: a turn continues because of hooks as often as `maxRetries` says and no more; a new
/// prompt resets the count, and the reason of a retry isn't a new prompt. A hook in whose dialect
/// prompts are a person's judges every prompt that the agent reports (FD-11).
#[test]
fn retries_are_bounded() {
    let world = World::new();
    let deny = "cat > ../seen; echo '{\"decision\":\"deny\",\"reason\":\"not done yet\"}'";
    world.settings(&json!({
        "hooksConfig": {"maxRetries": 2},
        "hooks": {
            "AfterAgent": [{"hooks": [{"type": "command", "command": deny}]}],
            "BeforeAgent": [{"hooks": [
                {"type": "command", "command": "echo x >> ../judged", "dialect": "claude-code"}
            ]}]
        }
    }));
    let prompt = |text: &str| {
        let payload = json!({"session_id": "s", "prompt": text});
        assert_eq!(
            world.call("codex", "UserPromptSubmit", &payload).code,
            Some(0)
        );
    };
    let end = || {
        let payload = json!({
            "session_id": "s", "stop_hook_active": false, "last_assistant_message": "answer"
        });
        world
            .call("codex", "Stop", &payload)
            .stdout
            .contains("block")
    };
    prompt("do it");
    assert!(end());
    let seen: Value = serde_json::from_str(&world.read("seen")).unwrap();
    assert_eq!(seen["prompt"], "do it");
    assert_eq!(seen["prompt_response"], "answer");
    assert_eq!(seen["stop_hook_active"], false);
    prompt("not done yet");
    assert!(end());
    let seen: Value = serde_json::from_str(&world.read("seen")).unwrap();
    assert_eq!(
        (&seen["prompt"], &seen["stop_hook_active"]),
        (&json!("do it"), &json!(true))
    );
    assert!(!end(), "the last answer is shown");
    prompt("next");
    assert_eq!(world.read("judged").lines().count(), 3);
    assert!(end());
}

/// BR-13: a project's hook that nobody agreed to doesn't run, and the person is told once per
/// session, also in the reason of the next refusal.
#[test]
fn an_untrusted_hook_is_reported_once() {
    let world = World::with_hook(
        "BeforeTool",
        "grep -q BLOCK && { echo no >&2; exit 2; }; exit 0",
    );
    world.sandbox.project_settings(
        &json!({"hooks": {"BeforeTool": [{"hooks": [
            {"type": "command", "name": "theirs", "command": "touch ../ran"}
        ]}]}})
        .to_string(),
    );
    let first = world.before_shell("ls");
    assert!(first.stderr.contains("theirs"), "{first:?}");
    let message: Value = serde_json::from_str(&first.stdout).unwrap();
    assert!(
        message["systemMessage"]
            .as_str()
            .unwrap()
            .contains("theirs")
    );
    let second = world.before_shell("ls");
    assert_eq!((second.stdout.as_str(), second.stderr.as_str()), ("", ""));
    let refused = world.before_shell("echo BLOCK");
    assert!(refused.stdout.contains("theirs"), "{refused:?}");
    assert!(!world.file("ran").exists());
}

/// BR-12: `agents` narrows where a hook runs, and an entry that calls the bridge is never run by
/// it.
#[test]
fn hooks_of_other_agents_are_left_out() {
    let world = World::new();
    let hook = |name: &str, agents: &[&str]| json!({"type": "command", "name": name, "command": format!("touch ../{name}"), "agents": agents});
    let program = env!("CARGO_BIN_EXE_hookloop");
    let bridge = format!("{program} hooks bridge claude-code PreToolUse");
    world.settings(&json!({"hooks": {"BeforeTool": [{"hooks": [
        hook("claude", &["claude-code"]), hook("codex", &["codex"]),
        {"type": "command", "name": "bridge", "command": bridge}
    ]}]}}));
    assert_eq!(world.before_shell("ls").code, Some(0));
    assert!(world.file("claude").exists());
    assert!(!world.file("codex").exists());
    let why = world.run(&["hooks", "why", "BeforeTool", "--json"]);
    let why: Value = serde_json::from_str(&why.stdout).unwrap();
    let causes: Vec<&Value> = why["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["causes"][0]["code"])
        .collect();
    assert_eq!(causes, ["other_agent"; 3], "{why}");
}

/// BR-11: a sub-agent's end isn't that of the turn, and is determined by counting if the agent
/// doesn't report it.
#[test]
fn ends_of_sub_agents_are_counted() {
    let world = World::with_hook("AfterAgent", "echo x >> ../ends");
    world.kimi_ends([
        ("SubagentStart", 0),
        ("Stop", 0),
        ("SubagentStop", 0),
        ("Stop", 1),
    ]);
}

/// BR-21: text for the model that has no place before a tool is sent with its result; in goose a
/// refused prompt refuses every tool of its turn.
#[test]
fn what_has_no_place_is_not_dropped() {
    let world = World::with_hook(
        "BeforeTool",
        "echo '{\"hookSpecificOutput\":{\"additionalContext\":\"know this\"}}'",
    );
    let call = json!({
        "session_id": "s", "tool_name": "Execute", "tool_input": {"command": "ls"}, "tool_response": "x"
    });
    let before = world.call("droid", "PreToolUse", &call);
    assert!(!before.stdout.contains("know this"), "{before:?}");
    let after = world.call("droid", "PostToolUse", &call);
    assert!(after.stdout.contains("know this"), "{after:?}");
    let world = World::with_hook(
        "BeforeAgent",
        "grep -q BAD && { echo 'bad prompt' >&2; exit 2; }; exit 0",
    );
    let tool = json!({"session_id": "s", "tool_name": "shell", "tool_input": {"command": "ls"}});
    let prompt = |text: &str| {
        world.call(
            "goose",
            "UserPromptSubmit",
            &json!({"session_id": "s", "message": text}),
        )
    };
    prompt("BAD");
    let refused = world.call("goose", "PreToolUse", &tool);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("bad prompt"), "{refused:?}");
    prompt("good");
    assert_eq!(world.call("goose", "PreToolUse", &tool).code, Some(0));
}

/// BR-21: what an agent can't do is reported once per session, and is in the trace of the session,
/// in its JSON and on its page: a rewrite that refuses, and a hook whose event the agent doesn't
/// have.
#[test]
fn losses_are_reported_once_and_are_in_the_trace() {
    let world = World::new();
    let rewrite = r#"printf '{"hookSpecificOutput":{"tool_input":{"command":"true"}}}'"#;
    let hook = |name: &str, command: &str| json!([{"hooks": [{"type": "command", "name": name, "command": command}]}]);
    world.settings(&json!({"hooks": {
        "BeforeTool": hook("rewriter", rewrite), "AfterModel": hook("reader", "true"),
    }}));
    let payload = json!({
        "event": "PreToolUse", "session_id": "s", "tool_name": "shell", "tool_input": {"command": "ls"}
    });
    let call = || world.call("goose", "PreToolUse", &payload);
    let (first, second) = (call(), call());
    for said in [
        "can't run this call with other arguments",
        "\"reader\"",
        "no event for AfterModel",
    ] {
        assert!(first.stderr.contains(said), "{said}: {first:?}");
        assert!(!second.stderr.contains(said), "{said}: {second:?}");
    }
    for refused in [&first, &second] {
        let said = format!("{}{}", refused.stdout, refused.stderr);
        assert!(said.contains("call the tool again with"), "{refused:?}");
    }
    let trace = world.run(&["hooks", "trace", "--session", "s", "--json"]);
    let trace: Value = serde_json::from_str(&trace.stdout).unwrap();
    let losses = trace["losses"].as_array().unwrap();
    assert_eq!(losses.len(), 2, "{losses:?}");
    for loss in losses {
        assert_eq!(
            (&loss["agent"], &loss["session_id"]),
            (&json!("goose"), &json!("s"))
        );
        assert_eq!(loss["event"], "BeforeTool");
    }
    let text = world.run(&["hooks", "trace"]).stdout;
    assert!(text.contains("Lost in other agents"), "{text}");
    let page = world.run(&["hooks", "trace", "--html", "page.html"]);
    assert_eq!(page.code, Some(0), "{page:?}");
    let page = std::fs::read_to_string(world.sandbox.project().join("page.html")).unwrap();
    assert!(page.contains("never runs in goose"), "{page}");
}

/// BR-21: a hook for an event that the agent doesn't have is reported once, even if no hook runs
/// for the current event; one that isn't meant for this agent isn't.
#[test]
fn a_hook_that_never_runs_is_told_of_without_others() {
    let world = World::new();
    let entry = |agents: &[&str]| json!([{"hooks": [{"type": "command", "name": agents.join("-"), "command": "true", "agents": agents}]}]);
    world.settings(&json!({"hooks": {
        "AfterModel": entry(&["claude-code", "hookloop"]), "BeforeModel": entry(&["hookloop"]),
    }}));
    let (first, second) = (world.before_shell("ls"), world.before_shell("ls"));
    assert_eq!((first.code, second.code), (Some(0), Some(0)));
    assert!(first.stderr.contains("claude-code-hookloop"), "{first:?}");
    assert!(!first.stderr.contains("BeforeModel"), "{first:?}");
    assert_eq!((second.stdout.as_str(), second.stderr.as_str()), ("", ""));
}

/// BR-23: a person's hooks get the person's variables, but the agent's own keys are withheld.
#[test]
fn the_agents_own_keys_are_kept_back() {
    let world = World::with_hook("BeforeTool", "env > ../env");
    let payload = json!({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}});
    let mut command = world.program(&["hooks", "bridge", "claude-code", "PreToolUse"]);
    command
        .env("ANTHROPIC_API_KEY", "theirs-1")
        .env("CLAUDE_CODE_MESSAGING_TOKEN", "theirs-2")
        .env("MY_API_KEY", "mine-3");
    let said = world
        .sandbox
        .run(&mut command, payload.to_string().as_bytes());
    assert_eq!(said.code, Some(0), "{said:?}");
    let env = world.read("env");
    assert!(!env.contains("theirs-"), "{env}");
    assert!(env.contains("MY_API_KEY=mine-3"), "{env}");
}

/// BR-30: runs are in the same trace, with the agent that called, its session and turn.
#[test]
fn runs_are_in_the_trace_with_their_agent() {
    let world = World::with_hook("BeforeTool", "true");
    let payload = json!({
        "session_id": "s-1", "turn_id": "turn-7", "tool_name": "Bash", "tool_input": {"command": "ls"}
    });
    assert_eq!(world.call("codex", "PreToolUse", &payload).code, Some(0));
    let trace = world.run(&["hooks", "trace", "--agent", "codex", "--json"]);
    let trace: Value = serde_json::from_str(&trace.stdout).unwrap();
    let text = trace.to_string();
    for word in ["codex", "s-1"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    let runs = trace["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 1);
    let id = runs[0]["run_id"].as_str().unwrap();
    let run = world.run(&["hooks", "trace", id, "--json"]);
    assert!(run.stdout.contains("turn-7"), "{run:?}");
}

/// TR-6, BR-14: a guard of the project that changed after it ran in a session refuses in that
/// session.
#[test]
fn a_guard_that_changed_refuses() {
    let world = World::new();
    let guard = world.sandbox.project().join("guard.sh");
    std::fs::write(&guard, "#!/bin/sh\nexit 0\n").unwrap();
    world.sandbox.project_settings(
        &json!({"hooks": {"BeforeTool": [{"hooks": [
            {"type": "command", "name": "guard", "command": "sh guard.sh"}
        ]}]}})
        .to_string(),
    );
    let trusted = world.run(&["hooks", "trust"]);
    assert_eq!(trusted.code, Some(0), "{trusted:?}");
    assert_eq!(world.before_shell("ls").code, Some(0));
    std::fs::write(&guard, "#!/bin/sh\nexit 0 # weaker\n").unwrap();
    assert!(refuses(&world.before_shell("ls")));
}

/// TR-8: a call that would change files that guards depend on needs a person's consent.
#[test]
fn guards_are_not_taken_away_through_the_bridge() {
    let world = World::with_hook("BeforeTool", "true");
    let settings = world.sandbox.home().join(".gemini/settings.json");
    let payload = json!({"session_id": "s", "tool_name": "Write", "tool_input": {
        "file_path": settings, "content": "{}"
    }});
    let asked = world.call("claude-code", "PreToolUse", &payload);
    assert!(asked.stdout.contains("\"ask\""), "{asked:?}");
    let command = format!("rm {}", settings.display());
    let payload =
        json!({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": command}});
    assert!(refuses(&world.call("codex", "PreToolUse", &payload)));
}

/// BR-31: standard input is read to its end in any case, and without hooks nothing is written.
#[test]
fn without_hooks_nothing_is_said() {
    let world = World::new();
    let content = "x".repeat(2_000_000);
    let payload = json!({"session_id": "s", "tool_name": "Write", "tool_input": {
        "file_path": "/a", "content": content
    }});
    let said = world.call("claude-code", "PreToolUse", &payload);
    assert_eq!(
        (said.code, said.stdout.as_str(), said.stderr.as_str()),
        (Some(0), "", "")
    );
}

/// A guard that nobody waits for, and a hook after each call.
fn with_unawaited(command: &str) -> World {
    let world = World::new();
    world.settings(&json!({"hooks": {
        "BeforeTool": [{"hooks": [{
            "type": "command", "name": "late", "command": command, "async": true, "asyncRewake": true
        }]}],
        "AfterTool": [{"hooks": [{"type": "command", "name": "now", "command": "true"}]}],
    }}));
    world
}

fn after_shell(world: &World, agent: &str) -> Finished {
    let payload = json!({
        "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"},
        "tool_response": {"stdout": "x"}, "tool_use_id": "t"
    });
    world.call(agent, "PostToolUse", &payload)
}

/// FD-22, BR-14, BR-21: no agent waits for a hook that nobody waits for, and it refuses nothing;
/// what it says is sent with the session's next call, the loss of its refusal is reported, and its
/// run is in the trace. What the agent can't do with it is reported once.
#[test]
fn a_hook_that_nobody_waits_for_holds_up_no_agent() {
    let said = "until [ -e ../go ]; do sleep 0.02; done; echo 'seen too late' >&2; exit 2";
    let world = with_unawaited(said);
    let first = world.before_shell("ls");
    assert_eq!(first.code, Some(0), "{first:?}");
    assert!(first.stderr.contains("asyncRewake"), "{first:?}");
    let early = after_shell(&world, "claude-code");
    assert!(!early.stdout.contains("seen too late"), "{early:?}");
    std::fs::write(world.file("go"), "").unwrap();
    let mut reported = early;
    wait_until("the next call is told", || {
        reported = after_shell(&world, "claude-code");
        reported.stdout.contains("seen too late")
    });
    assert!(
        reported.stderr.contains("its refusal is lost"),
        "{reported:?}"
    );
    let again = after_shell(&world, "claude-code");
    assert_eq!((again.stdout.as_str(), again.stderr.as_str()), ("", ""));
    let trace = world.run(&["hooks", "trace", "--json"]);
    let trace: Value = serde_json::from_str(&trace.stdout).unwrap();
    let runs = trace["runs"].as_array().unwrap();
    let late = runs.iter().find(|it| it["label"] == "late").unwrap();
    assert_eq!(late["stderr"].as_str().unwrap().trim(), "seen too late");
    assert_eq!(late["lost_refusal"], true);
}

/// FD-22, BR-21: the failure of such a hook is reported with the next call, in every agent; if the
/// model can't be told what it said, the person is.
#[test]
fn what_becomes_of_a_hook_that_nobody_waits_for_is_reported() {
    for (agent, command, told) in [
        (
            "claude-code",
            "echo 'out of order' >&2; exit 1",
            "out of order",
        ),
        ("goose", "exit 3", "code 3"),
    ] {
        let world = with_unawaited(command);
        let tool = json!({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}});
        assert_eq!(world.call(agent, "PreToolUse", &tool).code, Some(0));
        let mut said = String::new();
        wait_until("the next call is told", || {
            said += &after_shell(&world, agent).stderr;
            said.contains(told)
        });
        assert!(said.contains("hook \"late\""), "{said}");
    }
}

/// FD-22, AT-1: what other hooks withheld of a result isn't passed on by a hook that nobody waits
/// for.
#[test]
fn what_hooks_took_back_no_late_hook_hands_over() {
    let world = World::new();
    let hook = |name: &str, command: &str, unawaited: bool| json!({"type": "command", "name": name, "command": command, "async": unawaited});
    world.settings(&json!({"hooks": {"AfterTool": [{"hooks": [
        hook("censor", "[ -e ../over ] || { echo no >&2; exit 2; }", false),
        hook("late", "grep -o the-secret-of-it; touch ../over", true),
    ]}]}}));
    let payload = json!({
        "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"},
        "tool_response": {"stdout": "the-secret-of-it"}, "tool_use_id": "t"
    });
    world.call("claude-code", "PostToolUse", &payload);
    let mut said = String::new();
    wait_until("the next call is told", || {
        let next = after_shell(&world, "claude-code");
        said += &(next.stdout + &next.stderr);
        said.contains("withheld")
    });
    assert!(!said.contains("the-secret-of-it"), "{said}");
    let trace = world.run(&["hooks", "trace", "--json"]);
    assert!(
        !trace.stdout.contains("the-secret-of-it"),
        "{}",
        trace.stdout
    );
}

/// FD-22, BR-14: if somebody ended the process of such hooks, that is reported with the next call.
#[test]
fn a_late_hook_whose_process_is_killed_is_reported() {
    let world = with_unawaited("echo $PPID > ../pid; until [ -e ../go ]; do sleep 0.02; done");
    assert_eq!(world.before_shell("ls").code, Some(0));
    wait_until("the hook runs", || world.read("pid").ends_with('\n'));
    let quiet = after_shell(&world, "claude-code");
    assert!(!quiet.stderr.contains("were ended"), "{quiet:?}");
    let process = rustix::process::Pid::from_raw(world.read("pid").trim().parse().unwrap());
    let kill = rustix::process::Signal::KILL;
    rustix::process::kill_process(process.unwrap(), kill).unwrap();
    std::fs::write(world.file("go"), "").unwrap();
    let mut reported = quiet;
    wait_until("the next call is told", || {
        reported = after_shell(&world, "claude-code");
        reported.stderr.contains("were ended")
    });
    assert!(reported.stderr.contains("\"late\""), "{reported:?}");
    let again = after_shell(&world, "claude-code");
    assert!(!again.stderr.contains("were ended"), "{again:?}");
}

/// BR-3, BR-21: `doctor` names what an agent can't do with hooks that nobody waits for.
#[test]
fn doctor_names_what_becomes_of_hooks_that_nobody_waits_for() {
    let world = with_unawaited("true");
    world.run(&["bridge", "install", "claude-code"]);
    let said = world.run(&["bridge", "doctor", "claude-code"]);
    assert!(said.stdout.contains("\"asyncRewake\""), "{said:?}");
}
