use std::sync::{Arc, Mutex};

use hookloop_events::{Decision, Reply, SessionIdentity};
use hookloop_settings::HookSwitches;
use hookloop_trust::Vouched;
use serde_json::json;

use super::*;
use crate::port::Ending;
use crate::port::{Completion, Executor, Invocation};
use crate::{AsyncHooks, Hooks, Registry, RunSwitch, WithheldContent};

/// Notes what hooks read.
#[derive(Clone, Default)]
struct Noting(Arc<Mutex<Vec<Value>>>);

impl Executor for Noting {
    fn execute(&self, invocation: Invocation) -> BoxFuture<'_, Completion> {
        let read = serde_json::from_str(&invocation.input.text()).unwrap();
        self.0.lock().unwrap().push(read);
        Box::pin(async { Completion::ended(Ending::Exited(0)) })
    }
}

fn session(hooks: &Hooks) -> SessionHooks {
    hooks.session(SessionIdentity {
        session_id: "s".to_owned(),
        transcript_path: "/t".into(),
        cwd: "/c".into(),
        agent: None,
    })
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        other => panic!("{other}"),
    }
}

fn call(more: &Value) -> Map<String, Value> {
    let mut call = object(json!({ "tool_name": "glob", "tool_input": {}, "tool_call_id": "1" }));
    call.extend(object(more.clone()));
    call
}

/// CM-5: hooks, and the record of their run, have every key as it was given.
#[tokio::test]
async fn every_key_is_laid_over_the_payload() {
    let noting = Noting::default();
    let hook = hookloop_hook::HookDeclaration::in_process(EventName::BeforeTool, "noting");
    let vouched = vec![Vouched::by_host(hook)];
    let root = std::path::Path::new("/");
    let registry = Registry::new(
        vouched,
        &HookSwitches::default(),
        RunSwitch::AsConfigured,
        root,
    );
    let hooks = Hooks::builder()
        .registry(registry)
        .executor(noting.clone())
        .build();
    let given = json!({ "session_id": "mine", "unheard": [1], "mcp_context": null });
    let concluded = session(&hooks)
        .fire_payload(EventName::BeforeTool, call(&given))
        .await
        .unwrap()
        .unwrap();
    let read = noting.0.lock().unwrap()[0].clone();
    for (key, value) in object(given) {
        assert_eq!(read[&key], value);
    }
    assert_eq!(
        (&read["cwd"], &read["tool_name"]),
        (&json!("/c"), &json!("glob"))
    );
    let recorded: Value = serde_json::from_str(&concluded.runs[0].content.input.text()).unwrap();
    assert_eq!(recorded, read);
}

/// FD-22: hooks that nobody waits for decide nothing when a host fires; the host says whether they
/// run with the others, apart from them, or not at all, and gets what they say, except what others
/// withheld.
#[tokio::test]
async fn a_host_says_what_becomes_of_hooks_that_nobody_waits_for() {
    let declared = |name: &str, asynchronous| {
        let mut hook = hookloop_hook::HookDeclaration::in_process(EventName::AfterTool, name);
        hook.id = hookloop_hook::HookId::from_text(name);
        hook.handler = hookloop_hook::Handler::command(name.to_owned());
        hook.asynchronous = asynchronous;
        Vouched::by_host(hook)
    };
    let vouched = vec![declared("now", false), declared("late", true)];
    let (switches, root) = (HookSwitches::default(), std::path::Path::new("/"));
    let registry = Registry::new(vouched, &switches, RunSwitch::AsConfigured, root);
    let hooks = Hooks::builder()
        .registry(registry)
        .executor(Repeating)
        .build();
    let both = ["now", "late"];
    for (unawaited, ran, late) in [
        (AsyncHooks::WaitedFor, &both[..], Some("the secret")),
        (AsyncHooks::LeftOut, &both[..1], None),
        (
            AsyncHooks::Alone(WithheldContent::Nothing),
            &both[1..],
            Some("the secret"),
        ),
        (
            AsyncHooks::Alone(WithheldContent::Content),
            &both[1..],
            None,
        ),
    ] {
        let result = json!({ "tool_response": { "llmContent": "the secret" } });
        let fired = session(&hooks)
            .fire_payload_with(EventName::AfterTool, call(&result), unawaited)
            .await;
        let concluded = fired.unwrap().unwrap();
        let labels: Vec<&str> = concluded.runs.iter().map(|it| it.hook.label()).collect();
        assert_eq!(labels, ran, "{unawaited:?}");
        let said = concluded.late.first().map(|it| it.text.as_str());
        assert_eq!(said, late, "{unawaited:?}");
        assert_eq!(concluded.summary.verdict, hookloop_events::Verdict::Proceed);
        let shows = concluded.runs.iter().any(|it| {
            let (content, secret) = (&it.content, "the secret");
            let input = content.input.text();
            it.hook.asynchronous && (input.contains(secret) || content.stderr.contains(secret))
        });
        assert_eq!(shows, late.is_some(), "{unawaited:?}");
    }
}

/// Makes each hook that nobody waits for refuse with what it read.
struct Repeating;

impl Executor for Repeating {
    fn execute(&self, invocation: Invocation) -> BoxFuture<'_, Completion> {
        let code = if invocation.hook.asynchronous { 2 } else { 0 };
        let mut completion = Completion::ended(Ending::Exited(code));
        if code == 2 {
            completion.stderr.bytes = b"the secret".to_vec();
            completion.stderr.total = 10;
        }
        Box::pin(async { completion })
    }
}

/// CM-5: a payload that doesn't fit its event runs nothing, and the error says what is wrong.
#[tokio::test]
async fn a_bad_payload_runs_nothing() {
    let hooks = Hooks::builder()
        .on::<BeforeTool>("no")
        .reply(|_| panic!("it must not run"))
        .build();
    let bad = [
        json!({ "tool_name": 5 }),
        json!({ "tool_input": [] }),
        json!({ "cwd": 5 }),
    ];
    for more in bad {
        let error = session(&hooks)
            .fire_payload(EventName::BeforeTool, call(&more))
            .await;
        assert!(!error.unwrap_err().message.is_empty(), "{more}");
    }
    let missing = session(&hooks)
        .fire_payload(EventName::BeforeTool, Map::new())
        .await;
    assert!(missing.unwrap_err().to_string().contains("tool_name"));
}

/// CM-5, EV-2: what hooks say is combined; nothing is returned if none runs.
#[tokio::test]
async fn the_answers_are_combined() {
    let hooks = Hooks::builder()
        .on::<BeforeTool>("no")
        .reply(|_| Reply {
            decision: Some(Decision::Deny),
            reason: Some("no".to_owned()),
            ..Reply::default()
        })
        .build();
    let session = session(&hooks);
    let fired = session
        .fire_payload(EventName::BeforeTool, call(&json!({})))
        .await;
    assert_eq!(
        fired.unwrap().unwrap().summary.reason.as_deref(),
        Some("no")
    );
    let prompt = object(json!({ "prompt": "hi" }));
    let idle = session.fire_payload(EventName::BeforeAgent, prompt).await;
    assert!(idle.unwrap().is_none());
}
