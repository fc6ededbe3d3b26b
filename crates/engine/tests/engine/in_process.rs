//! Closures of the host as hooks obey the same rules as programs.

use hookloop_engine::events::EventName::BeforeTool as BeforeToolName;
use hookloop_engine::events::{
    BeforeTool, BeforeToolInput, BeforeToolOutcome, Cause, Decision, Reply,
};
use hookloop_engine::{Hooks, Registry, RunResult};
use serde_json::json;

use crate::support::{Host, Setting, accepted, call, hook, identity, says, silent};

fn refusing(reason: &str) -> Reply {
    Reply {
        decision: Some(Decision::Deny),
        reason: Some(reason.to_owned()),
        ..Reply::default()
    }
}

fn host_with(closure: impl Fn(&BeforeToolInput) -> Reply + Send + Sync + 'static) -> Host {
    Setting::default().host_with(|builder| builder.on::<BeforeTool>("own", closure))
}

/// AG-1: a closure's refusal counts like a program's, and it reads the typed input.
#[tokio::test]
async fn a_closure_can_refuse() {
    let host = Setting::default()
        .hook(
            hook(BeforeToolName, "allows"),
            says(&json!({"decision": "allow"})),
        )
        .host_with(|builder| {
            builder.on::<BeforeTool>("own", |input| match input.tool_name.as_str() {
                "glob" => refusing("not that"),
                _ => Reply::default(),
            })
        });
    let outcome = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap()
        .outcome;
    assert!(
        matches!(outcome, BeforeToolOutcome::Deny(reason, Cause::Policy) if reason.as_str() == "not that")
    );
    let outcome = host
        .session
        .before_tool(call("write_file"), accepted)
        .await
        .unwrap()
        .outcome;
    assert!(matches!(outcome, BeforeToolOutcome::Proceed(_)));
}

/// TR-6: the host's own hooks stay when the configured ones are replaced, and whatever the order
/// in which an engine is put together.
#[tokio::test]
async fn closures_survive_a_reload() {
    let hooks = Hooks::builder()
        .on::<BeforeTool>("own", |_| refusing("always"))
        .registry(Registry::default())
        .build();
    let session = hooks.session(identity());
    for _ in 0..2 {
        let outcome = session
            .before_tool(call("glob"), accepted)
            .await
            .unwrap()
            .outcome;
        assert!(matches!(outcome, BeforeToolOutcome::Deny(..)));
        hooks.replace(Registry::default());
    }
}

/// PL-7: two closures of one name are two hooks: the second puts the first one not out.
#[tokio::test]
async fn closures_of_one_name_both_run() {
    let hooks = Hooks::builder()
        .on::<BeforeTool>("own", |_| refusing("first"))
        .on::<BeforeTool>("own", |_| refusing("second"))
        .build();
    let outcome = hooks
        .session(identity())
        .before_tool(call("glob"), accepted)
        .await
        .unwrap()
        .outcome;
    assert!(
        matches!(outcome, BeforeToolOutcome::Deny(reason, _) if reason.as_str() == "first\nsecond")
    );
}

/// IO-22: a broken field takes nothing away from a closure's refusal.
#[tokio::test]
async fn a_broken_reply_still_refuses() {
    let host = host_with(|_| Reply {
        specific: json!({"tool_input": "no object"})
            .as_object()
            .unwrap()
            .clone(),
        ..refusing("no")
    });
    let outcome = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap()
        .outcome;
    assert!(matches!(outcome, BeforeToolOutcome::Deny(reason, _) if reason.as_str() == "no"));
    assert!(host.notices()[0].starts_with("malformed reply"));
}

/// IO-21: a closure that panics, or whose rewrite can't be read, has failed like a program.
#[tokio::test]
async fn a_closure_can_fail() {
    let broken = |_: &BeforeToolInput| Reply {
        specific: json!({"tool_input": 5}).as_object().unwrap().clone(),
        ..Reply::default()
    };
    for host in [host_with(broken), host_with(|_| panic!("on purpose"))] {
        let outcome = host
            .session
            .before_tool(call("glob"), accepted)
            .await
            .unwrap()
            .outcome;
        assert!(matches!(outcome, BeforeToolOutcome::Proceed(_)));
        assert_eq!(host.concluded().runs[0].result, RunResult::Failed);
        assert!(host.notices()[0].contains("malformed reply"));
    }
}

/// PL-6: closures come behind the configured hooks.
#[tokio::test]
async fn closures_come_last() {
    let host = Setting::default()
        .hook(hook(BeforeToolName, "configured"), silent())
        .host_with(|builder| builder.on::<BeforeTool>("own", |_| Reply::default()));
    host.session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    let runs = host.concluded().runs;
    let labels: Vec<&str> = runs.iter().map(|run| run.hook.label()).collect();
    assert_eq!(labels, ["configured", "own"]);
}
