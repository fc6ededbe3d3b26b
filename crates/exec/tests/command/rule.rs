//! Hooks that are rules, and what they have in common (HT-25).

use std::sync::Arc;

use hookloop_engine::{Executor as _, Invocation};
use hookloop_exec::CommandExecutor;
use hookloop_hook::{Handler, Rule, Rules};
use serde_json::json;

use crate::support::Stage;

/// An event that a hook with one rule judges.
fn judged(stage: &Stage, when: &str, command: &str) -> Invocation {
    let rules = json!([{"when": when, "then": "deny", "reason": "no"}]);
    let rules: Vec<Rule> = serde_json::from_value(rules).unwrap();
    let mut invocation = stage.invocation("");
    Arc::make_mut(&mut invocation.hook).handler = Handler::Rule {
        rules: Rules::Inline(rules),
    };
    let payload = json!({
        "hook_event_name": "BeforeTool",
        "cwd": stage.sandbox.project(),
        "tool_name": "run_shell_command",
        "tool_input": {"command": command},
    });
    invocation.input = payload.to_string().into();
    invocation
}

async fn refuses(executor: &CommandExecutor, invocation: &Invocation) -> bool {
    let completion = executor.execute(invocation.clone()).await;
    !completion.stdout.bytes.is_empty()
}

const REMOVES: &str = "shell.commands.exists(c, c.program == 'rm')";
const DELETES: &str = "paths.exists(p, p.use == 'delete')";

/// HT-25: an executor that judges many events judges each by its own payload, whichever rules read
/// it, and a hook whose rules have changed by those that it has now.
#[tokio::test]
async fn each_event_is_judged_by_its_own_payload() {
    let stage = Stage::new();
    let executor = stage.executor();
    for round in 0..3 {
        for (command, expected) in [("rm x", true), ("ls x", false)] {
            let event = judged(&stage, REMOVES, command);
            assert_eq!(
                refuses(&executor, &event).await,
                expected,
                "{round} {command}"
            );
            let other = Invocation {
                hook: judged(&stage, DELETES, command).hook,
                ..event.clone()
            };
            assert_eq!(
                refuses(&executor, &other).await,
                expected,
                "{round} {command}"
            );
            assert_eq!(
                refuses(&executor, &event).await,
                expected,
                "{round} {command}"
            );
        }
    }
}

/// HT-1, HT-25: where a link leads is looked up for each event.
#[tokio::test]
async fn each_event_sees_the_files_of_its_time() {
    let stage = Stage::new();
    let executor = stage.executor();
    let when = "paths.exists(p, p.name == 'secret.txt')";
    for (target, expected) in [
        ("plain.txt", false),
        ("secret.txt", true),
        ("plain.txt", false),
    ] {
        std::fs::write(stage.path(target), "").unwrap();
        let _ = std::fs::remove_file(stage.path("link"));
        std::os::unix::fs::symlink(target, stage.path("link")).unwrap();
        let event = judged(&stage, when, "cat link");
        assert_eq!(refuses(&executor, &event).await, expected, "{target}");
    }
}

/// HT-1, HT-25: a hook that is asked late sees what others of its event have changed meanwhile.
#[tokio::test]
async fn a_late_hook_sees_what_was_changed_meanwhile() {
    let stage = Stage::new();
    let executor = stage.executor();
    let event = judged(
        &stage,
        "paths.exists(p, p.name == 'secret.txt')",
        "cat link",
    );
    assert!(!refuses(&executor, &event).await);
    std::fs::write(stage.path("secret.txt"), "").unwrap();
    std::os::unix::fs::symlink("secret.txt", stage.path("link")).unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    assert!(refuses(&executor, &event).await);
}
