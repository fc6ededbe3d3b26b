//! Hooks of Claude Code that say in their first line that nobody needs to wait for them.

use hookloop_testkit::{Finished, wait_until};
use serde_json::{Value, json};

use crate::world::World;

/// A world with one hook of Claude Code for an event.
fn announcing(event: &str, behind: &str) -> World {
    let world = World::new();
    let command = format!("echo '{{\"async\": true}}'; {behind}");
    world.settings(&json!({"hooks": {event: [{"hooks": [{
        "type": "command", "name": "going", "command": command, "dialect": "claude-code"
    }]}]}}));
    world
}

fn after_tool(world: &World, further: &[&str]) -> Finished {
    let payload = json!({
        "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"},
        "tool_response": {"stdout": "x"}, "tool_use_id": "t"
    });
    let arguments = [
        &["hooks", "bridge", "claude-code", "PostToolUse"][..],
        further,
    ];
    world.call_with(&arguments.concat(), payload.to_string().as_bytes())
}

fn losses(world: &World) -> String {
    let trace = world.run(&["hooks", "trace", "--json"]);
    let trace: Value = serde_json::from_str(&trace.stdout).unwrap();
    trace["losses"].to_string()
}

/// FD-22, BR-14: no agent waits for such a hook: it continues to its end after the call is
/// answered, and what it says is sent with the session's next call, once.
#[test]
fn a_hook_that_says_so_holds_up_no_agent() {
    let behind = "until [ -e ../go ] || ! [ -d \"$PWD\" ]; do sleep 0.02; done; echo said-too-late";
    let world = announcing("AfterTool", behind);
    let first = after_tool(&world, &[]);
    assert_eq!(first.code, Some(0), "{first:?}");
    assert_eq!((first.stdout.as_str(), first.stderr.as_str()), ("", ""));
    let early = after_tool(&world, &[]);
    assert!(!early.stdout.contains("said-too-late"), "{early:?}");
    std::fs::write(world.file("go"), "").unwrap();
    let mut reported = early;
    wait_until("the next call is told", || {
        reported = after_tool(&world, &[]);
        reported.stdout.contains("said-too-late")
    });
    assert_eq!(losses(&world), "[]");
    let trace = world.run(&["hooks", "trace", "--json"]);
    assert!(trace.stdout.contains("said-too-late"), "{trace:?}");
}

/// FD-22: the same applies to one that announces it in a script, and another hook of the event is
/// waited for and answers.
#[test]
fn a_script_that_says_so_holds_up_no_agent_and_keeps_no_other_hook_from_answering() {
    let world = World::new();
    let script =
        "echo '{\"async\": true}'\nuntil [ -e ../go ] || ! [ -d \"$PWD\" ]; do sleep 0.02; done\n";
    std::fs::write(world.file("going.sh"), script).unwrap();
    let hook = |name: &str, command: &str| json!({"type": "command", "name": name, "command": command, "dialect": "claude-code"});
    let answer = r#"sleep 0.3; echo '{"decision": "block", "reason": "look again"}'"#;
    world.settings(&json!({"hooks": {"AfterTool": [{"hooks": [
        hook("going", "sh ../going.sh"), hook("judge", answer)
    ]}]}}));
    let said = after_tool(&world, &[]);
    std::fs::write(world.file("go"), "").unwrap();
    assert!(said.stdout.contains("look again"), "{said:?}");
    assert!(!said.stderr.contains("was waited for"), "{said:?}");
}

/// FD-22, BR-21: one that couldn't be recognised in advance is waited for, which is reported and is
/// in the trace; from then on it isn't.
#[test]
fn one_that_nothing_tells_of_is_waited_for_once() {
    let world = World::new();
    let command = "printf '{\"as%snc\": true}\\n' y; sleep 0.2; [ ! -e ../begun ] || until [ -e ../go ] || ! [ -d \"$PWD\" ]; do sleep 0.02; \
        done; touch ../begun";
    world.settings(&json!({"hooks": {"AfterTool": [{"hooks": [{
        "type": "command", "name": "going", "command": command, "dialect": "claude-code"
    }]}]}}));
    let first = after_tool(&world, &[]);
    assert!(world.file("begun").exists());
    assert!(first.stderr.contains("was waited for"), "{first:?}");
    assert!(losses(&world).contains("was waited for"));
    let second = after_tool(&world, &[]);
    std::fs::write(world.file("go"), "").unwrap();
    assert!(!second.stderr.contains("was waited for"), "{second:?}");
}

/// FD-22, BR-14: if the process of one was ended, that is reported with the next call.
#[test]
fn one_whose_process_is_killed_is_reported() {
    let behind =
        "echo $PPID > ../pid; until [ -e ../go ] || ! [ -d \"$PWD\" ]; do sleep 0.02; done";
    let world = announcing("AfterTool", behind);
    assert_eq!(after_tool(&world, &[]).code, Some(0));
    wait_until("the hook runs", || world.read("pid").ends_with('\n'));
    let process = rustix::process::Pid::from_raw(world.read("pid").trim().parse().unwrap());
    let kill = rustix::process::Signal::KILL;
    rustix::process::kill_process(process.unwrap(), kill).unwrap();
    std::fs::write(world.file("go"), "").unwrap();
    let mut reported = String::new();
    wait_until("the next call is told", || {
        reported += &after_tool(&world, &[]).stderr;
        reported.contains("were ended")
    });
    assert!(reported.contains("\"going\""), "{reported}");
}

/// FD-22: before a tool the announcement has no effect, and the refusal after it counts.
#[test]
fn no_announcement_loosens_a_refusal() {
    let world = announcing("BeforeTool", "echo never >&2; exit 2");
    let said = world.before_shell("ls");
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.stderr.contains("never"), "{said:?}");
    let denial = r#"echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "never"}}'"#;
    let world = announcing("BeforeTool", denial);
    assert_eq!(world.before_shell("ls").code, Some(2));
}

/// FD-22: entries are distinguished: one with `async` is started separately, and its announcement
/// changes nothing about that.
#[test]
fn an_entry_that_says_so_holds_up_nobody() {
    let world = World::new();
    let command = "echo '{\"async\": true}'; until [ -e ../go ] || ! [ -d \"$PWD\" ]; do sleep 0.02; done; echo > ../done";
    world.settings(&json!({"hooks": {"AfterTool": [{"hooks": [{
        "type": "command", "name": "going", "command": command, "dialect": "claude-code",
        "async": true
    }]}]}}));
    let said = after_tool(&world, &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(!said.stderr.contains("was waited for"), "{said:?}");
    assert!(!world.file("done").exists());
    std::fs::write(world.file("go"), "").unwrap();
    wait_until("it goes on to its end", || world.file("done").exists());
}
