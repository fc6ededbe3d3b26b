//! How hooks run together: EV-1, PL-6, PL-8, PL-9.

use std::sync::{Arc, Mutex};

use hookloop_engine::events::EventName::{
    BeforeAgent, BeforeModel, BeforeTool, BeforeToolSelection,
};
use hookloop_engine::events::llm::{LlmRequest, LlmRequestPatch, ToolMode};
use hookloop_engine::events::{
    BeforeAgentOutcome, BeforeModelOutcome, BeforeToolOutcome, EventName, SharedRequest, ToolChoice,
};
use hookloop_engine::{Ending, Lifecycle, ModelRequest, PromptOrigin, RunResult};
use hookloop_hook::{Grouping, HookDeclaration};
use serde_json::{Value, json};

use crate::support::{
    Act, Setting, accepted, call, completion, denies, ends, hook, says, says_after, silent,
};

fn in_sequence(event: EventName, command: &str) -> HookDeclaration {
    HookDeclaration {
        grouping: Grouping::Sequential,
        ..hook(event, command)
    }
}

fn rewrites(after: u64, arguments: &Value) -> Act {
    says_after(
        after,
        &json!({"hookSpecificOutput": {"tool_input": arguments}}),
    )
}

/// A host's request that remembers how it was changed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Request(LlmRequest);

impl ModelRequest for Request {
    fn view(&self) -> SharedRequest {
        SharedRequest::new(self.0.clone())
    }

    fn patched(mut self, patch: &LlmRequestPatch) -> Self {
        patch.apply_to(&mut self.0);
        self
    }

    fn with_tools(mut self, choice: &ToolChoice) -> Self {
        self.0.tool_config = choice.tool_config();
        self
    }
}

pub(crate) fn request() -> Request {
    Request(LlmRequest {
        model: "large".to_owned(),
        messages: Vec::new(),
        config: json!({"topK": 9}).as_object().unwrap().clone(),
        tool_config: None,
    })
}

/// PL-8: an executor knows whether other hooks of the event run beside a hook. It may keep its
/// thread waiting for that hook only if none do.
#[tokio::test(start_paused = true)]
async fn a_hook_is_alone_unless_others_run_beside_it() {
    for (hooks, alone) in [
        (vec![hook(BeforeTool, "a")], true),
        (vec![hook(BeforeTool, "a"), hook(BeforeTool, "b")], false),
        (
            vec![in_sequence(BeforeTool, "a"), hook(BeforeTool, "b")],
            true,
        ),
    ] {
        let setting = hooks
            .into_iter()
            .fold(Setting::default(), |it, hook| it.hook(hook, silent()));
        let host = setting.host();
        let concluded = host.session.before_tool(call("glob"), accepted).await;
        assert!(concluded.is_ok());
        let invocations = host.invocations();
        assert!(!invocations.is_empty());
        assert!(
            invocations.iter().all(|it| it.is_alone == alone),
            "{:?}",
            host.executed()
        );
    }
}

/// EV-1: the host waits for all hooks of the event, the slowest included.
#[tokio::test(start_paused = true)]
async fn the_slowest_hook_is_waited_for() {
    let host = Setting::default()
        .hook(hook(BeforeTool, "fast"), silent())
        .hook(
            hook(BeforeTool, "slow"),
            says_after(30_000, &json!({"decision": "deny", "reason": "late"})),
        )
        .host();
    let outcome = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap()
        .outcome;
    assert!(matches!(outcome, BeforeToolOutcome::Deny(reason, _) if reason.as_str() == "late"));
}

/// PL-6: answers are combined in the order of the plan, whichever hook ends first.
#[tokio::test(start_paused = true)]
async fn answers_keep_the_order_of_the_plan() {
    let refusal = |after, reason: &str| {
        let reply = json!({"decision": "deny", "reason": reason, "systemMessage": reason});
        says_after(after, &reply)
    };
    let host = Setting::default()
        .hook(hook(BeforeTool, "a"), refusal(300, "first"))
        .hook(hook(BeforeTool, "b"), refusal(200, "second"))
        .hook(hook(BeforeTool, "c"), refusal(100, "third"))
        .host();
    let concluded = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    let BeforeToolOutcome::Deny(reason, _) = concluded.outcome else {
        panic!("all refuse");
    };
    assert_eq!(reason.as_str(), "first\nsecond\nthird");
    let messages: Vec<String> = concluded.messages.into_iter().map(|it| it.text).collect();
    assert_eq!(messages, ["first", "second", "third"]);
    let ended: Vec<String> = host
        .observed()
        .iter()
        .filter_map(|it| match it {
            Lifecycle::Finished { hook, .. } => Some(hook.command().to_owned()),
            _ => None,
        })
        .collect();
    assert_eq!(ended, ["c", "b", "a"], "they did end in another order");
    let runs = host.concluded().runs;
    let recorded: Vec<&str> = runs.iter().map(|run| run.hook.command()).collect();
    assert_eq!(recorded, ["a", "b", "c"]);
}

/// PL-8: in a sequence, each hook reads the tool's input as changed by those before, and starts
/// when the one before has ended.
#[tokio::test(start_paused = true)]
async fn a_sequence_hands_on_the_tools_input() {
    let host = Setting::default()
        .hook(
            in_sequence(BeforeTool, "a"),
            rewrites(200, &json!({"path": "x"})),
        )
        .hook(hook(BeforeTool, "b"), rewrites(100, &json!({"more": 1})))
        .hook(hook(BeforeTool, "c"), silent())
        .host();
    let outcome = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap()
        .outcome;
    // Two made the final value, so that both read it again; `c` has read it (BT-10).
    assert_eq!(host.executed(), ["a", "b", "c", "a", "b"]);
    let read = |command| host.input_of(command)["tool_input"].clone();
    assert_eq!(read("a"), json!({"path": "a", "text": "b"}));
    assert_eq!(read("b"), json!({"path": "x", "text": "b"}));
    assert_eq!(read("c"), json!({"path": "x", "text": "b", "more": 1}));
    let BeforeToolOutcome::Proceed(cleared) = outcome else {
        panic!("nobody objects");
    };
    let arguments = json!(cleared.into_inner().arguments);
    assert_eq!(arguments, json!({"path": "x", "text": "b", "more": 1}));
}

/// PL-8: in a sequence, each `BeforeModel` hook reads the request as merged so far.
#[tokio::test]
async fn a_sequence_hands_on_the_request() {
    let patch = |patch: &Value| says(&json!({"hookSpecificOutput": {"llm_request": patch}}));
    let host = Setting::default()
        .hook(
            in_sequence(BeforeModel, "a"),
            patch(&json!({"model": "small", "config": {"topK": 3}})),
        )
        .hook(
            hook(BeforeModel, "b"),
            patch(&json!({"config": {"temperature": 0.5}})),
        )
        .hook(hook(BeforeModel, "c"), silent())
        .host();
    let outcome = host.session.before_model(request()).await.unwrap().outcome;
    let read = host.input_of("c")["llm_request"].clone();
    assert_eq!(read["model"], "small");
    assert_eq!(read["config"], json!({"topK": 3, "temperature": 0.5}));
    let BeforeModelOutcome::Send(sent) = outcome else {
        panic!("nobody objects");
    };
    assert_eq!(sent.0.model, "small");
    assert_eq!(Value::Object(sent.0.config.clone()), read["config"]);
}

/// PL-8: in a sequence, context is appended to the prompt after a blank line; the turn gets the
/// contexts of all, once each.
#[tokio::test]
async fn a_sequence_hands_on_the_prompt() {
    let adds = |text: &str| says(&json!({"hookSpecificOutput": {"additionalContext": text}}));
    let host = Setting::default()
        .hook(in_sequence(BeforeAgent, "a"), adds("one"))
        .hook(hook(BeforeAgent, "b"), adds("two"))
        .hook(hook(BeforeAgent, "c"), silent())
        .host();
    let outcome = host
        .session
        .before_agent("hello", PromptOrigin::Person)
        .await
        .unwrap()
        .outcome;
    assert_eq!(host.input_of("a")["prompt"], "hello");
    assert_eq!(host.input_of("b")["prompt"], "hello\n\none");
    assert_eq!(host.input_of("c")["prompt"], "hello\n\none\n\ntwo");
    let BeforeAgentOutcome::Proceed(Some(context)) = outcome else {
        panic!("the turn begins with context");
    };
    assert_eq!(context.as_str(), "one\ntwo");
}

/// PL-8: a refusal doesn't keep later hooks from running, and they can't take it back.
#[tokio::test]
async fn a_refusal_does_not_end_a_sequence() {
    let host = Setting::default()
        .hook(in_sequence(BeforeTool, "a"), denies("no"))
        .hook(hook(BeforeTool, "b"), says(&json!({"decision": "allow"})))
        .host();
    let outcome = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap()
        .outcome;
    assert_eq!(host.executed(), ["a", "b"]);
    assert!(matches!(outcome, BeforeToolOutcome::Deny(..)));
    let results: Vec<RunResult> = host.concluded().runs.iter().map(|it| it.result).collect();
    assert_eq!(results, [RunResult::Refused, RunResult::Proceed]);
}

/// PL-9: in parallel every hook reads the original input; the later one in order wins a conflict,
/// even if it ends first, and the conflict is reported at the hook that lost.
#[tokio::test(start_paused = true)]
async fn conflicts_are_decided_by_order_and_reported() {
    let host = Setting::default()
        .hook(
            hook(BeforeTool, "a"),
            rewrites(200, &json!({"path": "of a", "text": "same"})),
        )
        .hook(
            hook(BeforeTool, "b"),
            rewrites(100, &json!({"path": "of b", "text": "same"})),
        )
        .host();
    let outcome = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap()
        .outcome;
    for command in ["a", "b"] {
        assert_eq!(host.input_of(command)["tool_input"]["path"], "a");
    }
    let BeforeToolOutcome::Proceed(cleared) = outcome else {
        panic!("nobody objects");
    };
    assert_eq!(cleared.arguments["path"], "of b");
    let notices = host.concluded().notices;
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert_eq!(notices[0].hook, "a");
    assert!(
        notices[0].text.contains("tool_input.path"),
        "{}",
        notices[0].text
    );
    assert!(notices[0].text.contains("\"b\""), "{}", notices[0].text);
}

/// PL-9: what a later hook of a sequence changes, it changed knowingly: that isn't a conflict.
#[tokio::test]
async fn a_sequence_has_no_conflicts() {
    let host = Setting::default()
        .hook(
            in_sequence(BeforeTool, "a"),
            rewrites(0, &json!({"path": "of a"})),
        )
        .hook(hook(BeforeTool, "b"), rewrites(0, &json!({"path": "of b"})))
        .host();
    let _ = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    assert!(host.notices().is_empty());
}

/// TS-1, TS-3, TS-4, AG-5: the choice of tools goes into the request that is cleared; messages and
/// decisions of its hooks have no effect.
#[tokio::test]
async fn tools_are_chosen_for_a_cleared_request() {
    let decides = json!({"decision": "deny", "systemMessage": "not shown"});
    let host = Setting::default()
        .hook(
            hook(BeforeModel, "rewrites"),
            says(&json!({"modifiedRequest": {"model": "small"}})),
        )
        .hook(hook(BeforeToolSelection, "decides"), says(&decides))
        .hook(
            hook(BeforeToolSelection, "lists"),
            ends(Ending::Exited(0), "glob,read_file", ""),
        )
        .host();
    let BeforeModelOutcome::Send(cleared) =
        host.session.before_model(request()).await.unwrap().outcome
    else {
        panic!("nobody objects");
    };
    let chosen = host.session.before_tool_selection(cleared).await.unwrap();
    let config = chosen.0.tool_config.clone().expect("tools are chosen");
    assert_eq!(config.mode, Some(ToolMode::Any));
    let names = config.allowed_function_names.unwrap();
    assert_eq!(names, ["glob", "read_file"]);
    assert_eq!(host.input_of("lists")["llm_request"]["model"], "small");
    let concluded = host.concluded();
    assert!(concluded.messages.is_empty());
    assert_eq!(concluded.notices.len(), 2, "{:?}", concluded.notices);
}

/// EV-2, TS-1: without a choice the request stays as it is.
#[tokio::test]
async fn without_a_choice_the_request_stays() {
    let host = Setting::default()
        .hook(hook(BeforeToolSelection, "silent"), silent())
        .host();
    let BeforeModelOutcome::Send(cleared) =
        host.session.before_model(request()).await.unwrap().outcome
    else {
        panic!("nobody objects");
    };
    let chosen = host.session.before_tool_selection(cleared).await.unwrap();
    assert_eq!(chosen.into_inner(), request());
}

/// FD-22, IO-21: a hook that runs once a session has run when it has answered. Whatever keeps it
/// from an answer, it is asked again, and a guard among them refuses again.
#[tokio::test]
async fn a_hook_that_runs_once_has_run_when_it_has_answered() {
    let failures = [
        Ending::NotStarted("it isn't there".to_owned()),
        Ending::Signalled(hookloop_engine::Signal(9)),
        Ending::Failed("the answer broke off".to_owned()),
        Ending::Exited(1),
    ];
    for failure in failures {
        let mut guard = hook(BeforeTool, "guard");
        guard.once = true;
        guard.on_failure = hookloop_hook::OnFailure::Deny;
        let done = || completion(Ending::Exited(0), "", "");
        let acts = vec![
            completion(failure.clone(), "", ""),
            completion(failure.clone(), "", ""),
            done(),
        ];
        let act = Act::InTurn(Arc::new(Mutex::new(acts)));
        let host = Setting::default().hook(guard, act).host();
        let mut refused = Vec::new();
        for _ in 0..4 {
            let fired = host.session.before_tool(call("glob"), accepted).await;
            let outcome = fired.unwrap().outcome;
            refused.push(matches!(outcome, BeforeToolOutcome::Deny(..)));
        }
        assert_eq!(refused, [true, true, false, false], "{failure:?}");
        assert_eq!(host.executed().len(), 3, "{failure:?}");
    }
}
