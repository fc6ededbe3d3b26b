//! What a host may do with what it passed in: BT-1…8, BA-1…3, AA-1…4, AG-1.

use hookloop_engine::events::EventName::{AfterAgent, BeforeAgent, BeforeTool, SessionStart};
use hookloop_engine::events::{
    AfterAgentInput, AfterAgentOutcome, BeforeAgentOutcome, BeforeToolOutcome, Decision, Memory,
    SessionSource, Verdict,
};
use hookloop_engine::{PromptOrigin, UserConsent};
use hookloop_hook::{Dialect, HookDeclaration};
use serde_json::{Value, json};

use crate::support::{Setting, accepted, call, denies, hook, says};

fn rewrite(arguments: &Value) -> Value {
    json!({"hookSpecificOutput": {"tool_input": arguments}})
}

/// BT-3, BT-4: rewritten arguments are laid over those of the call, and the changed ones are
/// named in order; a value that stays the same isn't.
#[tokio::test]
async fn a_rewrite_names_what_changed() {
    let host = Setting::default()
        .hook(
            hook(BeforeTool, "a"),
            says(&rewrite(&json!({"text": "new", "path": "a", "extra": [1]}))),
        )
        .host();
    let BeforeToolOutcome::Proceed(cleared) = host
        .session
        .before_tool(call("write_file"), accepted)
        .await
        .unwrap()
        .outcome
    else {
        panic!("nobody objects");
    };
    let call = cleared.into_inner();
    assert_eq!(call.changed_arguments, ["text", "extra"]);
    let expected = json!({"path": "a", "text": "new", "extra": [1]});
    assert_eq!(json!(call.arguments), expected);
    assert_eq!(
        host.concluded().summary.changes["tool_input"]["text"],
        "new"
    );
}

/// BT-5: a question leaves the call pending, with the rewritten arguments; only the user's
/// consent clears it.
#[tokio::test]
async fn a_question_needs_the_users_consent() {
    let mut reply = rewrite(&json!({"text": "new"}));
    reply["decision"] = json!("ask");
    reply["reason"] = json!("sure?");
    reply["systemMessage"] = json!("look at it");
    let host = Setting::default()
        .hook(hook(BeforeTool, "a"), says(&reply))
        .host();
    let concluded = host
        .session
        .before_tool(call("write_file"), accepted)
        .await
        .unwrap();
    let BeforeToolOutcome::Ask(pending, reason) = concluded.outcome else {
        panic!("the user is to be asked");
    };
    assert_eq!(reason.as_str(), "sure?");
    assert_eq!(concluded.messages[0].text, "look at it");
    assert_eq!(pending.changed_arguments, ["text"]);
    let cleared = pending.approved(UserConsent::given_by_user());
    assert_eq!(cleared.arguments["text"], "new");
    let summary = host.concluded().summary;
    assert_eq!(
        summary.verdict,
        Verdict::Refused,
        "nobody is there to answer"
    );
    assert_eq!(summary.decision, Some(Decision::Ask));
}

/// BT-6, AG-1: an allow is weaker than a question, and that than a refusal, in any order.
#[tokio::test]
async fn an_allow_softens_nothing() {
    let allows = says(&json!({"decision": "allow"}));
    let asks = says(&json!({"decision": "ask"}));
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let acts = [allows.clone(), asks.clone(), denies("no")];
        let host = order
            .iter()
            .fold(Setting::default(), |setting, index| {
                setting.hook(hook(BeforeTool, &format!("{index}")), acts[*index].clone())
            })
            .host();
        let outcome = host
            .session
            .before_tool(call("glob"), accepted)
            .await
            .unwrap()
            .outcome;
        assert!(matches!(outcome, BeforeToolOutcome::Deny(..)), "{order:?}");
    }
}

/// BT-7, OUT-3: a stop wins over everything.
#[tokio::test]
async fn a_stop_wins() {
    let host = Setting::default()
        .hook(hook(BeforeTool, "a"), denies("no"))
        .hook(
            hook(BeforeTool, "b"),
            says(&json!({"continue": false, "stopReason": "enough", "decision": "allow"})),
        )
        .host();
    let outcome = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap()
        .outcome;
    assert!(matches!(outcome, BeforeToolOutcome::Stop(reason) if reason.as_str() == "enough"));
    let summary = host.concluded().summary;
    assert_eq!(summary.verdict, Verdict::Stopped);
    assert_eq!(
        summary.decision,
        Some(Decision::Deny),
        "the refusal stays visible"
    );
    assert_eq!(summary.reason.as_deref(), Some("no"));
    assert_eq!(summary.stop_reason.as_deref(), Some("enough"));
}

/// BA-2, BA-3: a refused prompt isn't a stopped one.
#[tokio::test]
async fn prompts_are_refused_or_stopped() {
    let refused = Setting::default()
        .hook(hook(BeforeAgent, "a"), denies("not this"))
        .host();
    let outcome = refused
        .session
        .before_agent("hello", PromptOrigin::Person)
        .await
        .unwrap()
        .outcome;
    assert!(
        matches!(outcome, BeforeAgentOutcome::Refuse(reason, _) if reason.as_str() == "not this")
    );
    let stopped = Setting::default()
        .hook(hook(BeforeAgent, "a"), says(&json!({"continue": false})))
        .host();
    let outcome = stopped
        .session
        .before_agent("hello", PromptOrigin::Person)
        .await
        .unwrap()
        .outcome;
    assert!(
        matches!(outcome, BeforeAgentOutcome::Stop(reason) if reason.as_str() == "Stopped by hook \"a\"")
    );
}

/// AA-1, AA-3, AA-4: a response is accepted, retried or stopped; the memory is cleared with any.
#[tokio::test]
async fn responses_are_judged() {
    let clear = json!({"clearContext": true});
    let cases = [
        (json!({"hookSpecificOutput": clear}), "accept"),
        (
            json!({"decision": "block", "reason": "r", "hookSpecificOutput": clear}),
            "retry",
        ),
        (
            json!({"continue": false, "hookSpecificOutput": clear}),
            "stop",
        ),
    ];
    for (reply, expected) in cases {
        let host = Setting::default()
            .hook(hook(AfterAgent, "a"), says(&reply))
            .host();
        let input = AfterAgentInput {
            prompt: "p".to_owned(),
            prompt_response: "r".to_owned(),
            stop_hook_active: false,
        };
        let (word, memory) = match host.session.after_agent(&input).await.unwrap().outcome {
            AfterAgentOutcome::Accept(memory) => ("accept", memory),
            AfterAgentOutcome::Retry(_, memory) => ("retry", memory),
            AfterAgentOutcome::Stop(_, memory) => ("stop", memory),
        };
        assert_eq!(word, expected);
        assert_eq!(memory, Memory::Cleared, "{expected}");
    }
}

/// SS-4: a hook of another agent that ends the run stops the session at its start; its decision
/// alone doesn't.
#[tokio::test]
async fn a_start_is_stopped_by_hooks_of_other_agents() {
    let stop = json!({"continue": false, "stopReason": "frozen"});
    for (dialect, reply, stops) in [
        (Dialect::Codex, &stop, true),
        (Dialect::ClaudeCode, &stop, true),
        (Dialect::GeminiCli, &stop, false),
        (
            Dialect::Codex,
            &json!({"decision": "block", "reason": "no"}),
            false,
        ),
    ] {
        let start = HookDeclaration {
            dialect,
            ..hook(SessionStart, "a")
        };
        let host = Setting::default().hook(start, says(reply)).host();
        let started = host.session.session_start(SessionSource::Startup).await;
        let stop = started.unwrap().outcome.stop;
        assert_eq!(stop.is_some(), stops, "{dialect}: {reply}");
        // It is reported that it has no effect, and what counts only here.
        let is_obeyed = stops && dialect == Dialect::Codex;
        assert_eq!(host.notices().is_empty(), is_obeyed, "{dialect}: {reply}");
    }
}

/// SS-1, SS-2: a start accepts context but can't be refused.
#[tokio::test]
async fn a_start_takes_context() {
    let reply = json!({"decision": "deny", "continue": false, "systemMessage": "hi",
        "hookSpecificOutput": {"additionalContext": "rules"}});
    let host = Setting::default()
        .hook(hook(SessionStart, "a"), says(&reply))
        .host();
    let concluded = host
        .session
        .session_start(SessionSource::Startup)
        .await
        .unwrap();
    assert_eq!(concluded.outcome.stop, None);
    let context = concluded.outcome.context.expect("there is context");
    assert_eq!(context.wrapped(), "<hook_context>rules</hook_context>");
    assert_eq!(concluded.messages[0].text, "hi");
    assert_eq!(host.notices().len(), 2);
}
