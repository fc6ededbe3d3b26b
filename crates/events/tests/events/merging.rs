//! How individual answers are combined: AG-1…3, AG-6, PL-9.

use hookloop_events::{
    AfterAgent, AfterAgentOutcome, AfterModel, AfterModelOutcome, AfterTool, AfterToolOutcome,
    BeforeAgent, BeforeAgentOutcome, BeforeModel, BeforeModelOutcome, BeforeTool,
    BeforeToolOutcome, Cause, CompressTrigger, Conflict, Decision, Event, Memory, Notification,
    NotificationInput, NotificationType, PreCompress, PreCompressInput, PreCompressOutcome, Reason,
    Ruling, SessionSource, SessionStart, SessionStartInput, Verdict, merged_data,
};
use serde_json::{Value, json};

use crate::support::{
    after_agent, after_model, after_tool, answer, author, before_agent, before_model, before_tool,
    merged,
};

fn conflict(field: &str, winner: &str, loser: &str) -> Conflict {
    Conflict {
        field: field.to_owned(),
        winner: author(winner),
        loser: author(loser),
    }
}

fn deny(reason: &str) -> Value {
    json!({"decision": "deny", "reason": reason})
}

/// AG-2: reasons of refusing hooks are joined in order; those of allowing hooks are left out.
#[test]
fn reasons_of_refusals_are_joined() {
    let replies = [
        deny("first"),
        json!({"decision": "allow", "reason": "fine"}),
        json!({"decision": "ask", "reason": "sure?"}),
        deny(""),
        deny(" last "),
    ];
    let merged = merged::<BeforeTool>(&before_tool(), &replies);
    let BeforeToolOutcome::Deny(reason, Cause::Policy) = merged.outcome else {
        panic!("two refuse");
    };
    assert_eq!(reason.as_str(), "first\nBlocked by hook \"d\"\nlast");
    assert_eq!(merged.summary.decision, Some(Decision::Deny));
    assert_eq!(merged.summary.reason.as_deref(), Some(reason.as_str()));
    assert_eq!(merged.summary.verdict, Verdict::Refused);
}

/// AG-2: the reasons of stops are joined too, and nothing of weaker answers is in them.
#[test]
fn reasons_of_stops_are_joined() {
    let stop = |reason: &str| json!({"continue": false, "stopReason": reason});
    let replies = [stop("one"), deny("no"), stop("two")];
    let merged = merged::<AfterTool>(&after_tool(), &replies);
    assert!(
        matches!(merged.outcome, AfterToolOutcome::Stop(reason) if reason.as_str() == "one\ntwo")
    );
    assert_eq!(merged.summary.stop_reason.as_deref(), Some("one\ntwo"));
    assert_eq!(merged.summary.verdict, Verdict::Stopped);
}

/// AG-2: questions and permissions are joined among themselves.
#[test]
fn reasons_of_the_same_strength_are_joined() {
    let asks = |reason: &str| json!({"decision": "ask", "reason": reason});
    let asked = merged::<BeforeTool>(&before_tool(), &[asks("a?"), json!({}), asks("b?")]);
    assert!(
        matches!(asked.outcome, BeforeToolOutcome::Ask(_, reason) if reason.as_str() == "a?\nb?")
    );
    let allows = |reason: Value| json!({"decision": "allow", "reason": reason});
    let allowed = merged::<BeforeTool>(
        &before_tool(),
        &[allows(json!("x")), allows(Value::Null), allows(json!("y"))],
    );
    assert_eq!(allowed.summary.reason.as_deref(), Some("x\ny"));
    assert_eq!(allowed.summary.decision, Some(Decision::Allow));
}

/// AG-1: without an opinion there is no decision, and the action continues unchanged.
#[test]
fn silence_changes_nothing() {
    let merged = merged::<BeforeTool>(&before_tool(), &[json!({}), json!({})]);
    assert_eq!(
        merged.outcome,
        BeforeToolOutcome::Proceed(before_tool().tool_input)
    );
    assert_eq!(merged.summary.decision, None);
    assert!(merged.summary.changes.is_empty());
    assert!(merged.conflicts.is_empty());
}

/// IO-21: a refusal by failure stays one only as long as no hook decides so.
#[test]
fn a_decision_outweighs_a_failure() {
    let reason = |text| Reason::new(text).unwrap();
    let failed = || Ruling::Deny(reason("failed"), Cause::Failure);
    let denied = || Ruling::Deny(reason("denied"), Cause::Policy);
    let cause = |rulings: Vec<Ruling>| match Ruling::combine(rulings) {
        Ruling::Deny(_, cause) => cause,
        other => panic!("{other:?}"),
    };
    assert_eq!(cause(vec![failed(), failed()]), Cause::Failure);
    assert_eq!(cause(vec![failed(), denied()]), Cause::Policy);
    assert_eq!(cause(vec![denied(), failed()]), Cause::Policy);
}

/// BT-3, PL-9: arguments are merged key by key; the later one wins, and two different values for a
/// key are a conflict, equal ones aren't.
#[test]
fn arguments_are_merged_by_key() {
    let sets = |arguments: Value| json!({"hookSpecificOutput": {"tool_input": arguments}});
    let merged = merged::<BeforeTool>(
        &before_tool(),
        &[
            sets(json!({"path": "1", "same": true})),
            sets(json!({"path": "2", "same": true})),
            sets(json!({"path": "3", "deep": {"x": 1}})),
        ],
    );
    let BeforeToolOutcome::Proceed(arguments) = merged.outcome else {
        panic!("nobody objects");
    };
    let expected = json!({"path": "3", "text": "b", "same": true, "deep": {"x": 1}});
    assert_eq!(json!(arguments), expected);
    let expected = [
        conflict("tool_input.path", "b", "a"),
        conflict("tool_input.path", "c", "b"),
    ];
    assert_eq!(merged.conflicts, expected);
    assert_eq!(merged.summary.changes["tool_input"]["path"], "3");
}

/// AT-2, AT-3, AG-2: contexts are joined, the later chain wins and is reported, own fields are
/// merged.
#[test]
fn results_are_merged() {
    let reply = |context: &str, tool: &str, score: u8| {
        json!({"hookSpecificOutput": {"additionalContext": context, "score": score,
            "tailToolCallRequest": {"name": tool, "args": {}}}})
    };
    let replies = [reply("one", "glob", 1), reply("two", "read_file", 2)];
    let merged = merged::<AfterTool>(&after_tool(), &replies);
    assert_eq!(
        merged.conflicts,
        [conflict("tailToolCallRequest", "b", "a")]
    );
    assert_eq!(
        merged.summary.additional_context.as_deref(),
        Some("one\ntwo")
    );
    let AfterToolOutcome::Chain(call, Some(context)) = merged.outcome else {
        panic!("another tool runs");
    };
    assert_eq!(call.name, "read_file");
    assert_eq!(context.as_str(), "one\ntwo");
    let answers = [
        answer::<AfterTool>("a", &replies[0]),
        answer::<AfterTool>("b", &replies[1]),
    ];
    assert_eq!(Value::Object(merged_data(&answers)), json!({"score": 2}));
}

/// AT-1: a refusal withholds the result, and drops a chain; the context of others stays.
#[test]
fn a_withheld_result_chains_nothing() {
    let chain = json!({"hookSpecificOutput": {"tailToolCallRequest": {"name": "glob"},
        "additionalContext": "c"}});
    let merged = merged::<AfterTool>(&after_tool(), &[chain, deny("no")]);
    assert!(matches!(
        &merged.outcome,
        AfterToolOutcome::Withhold(reason, Cause::Policy, Some(_)) if reason.as_str() == "no"
    ));
    assert_eq!(
        AfterTool::withheld_fields(Ok(&merged.outcome)),
        ["tool_response"]
    );
}

/// BA-1, BA-2, BA-3: a prompt continues with context, is refused, or is stopped.
#[test]
fn prompts_are_merged() {
    let context = json!({"hookSpecificOutput": {"additionalContext": "c"}});
    let outcome = |replies: &[Value]| merged::<BeforeAgent>(&before_agent(), replies).outcome;
    assert!(matches!(
        outcome(std::slice::from_ref(&context)),
        BeforeAgentOutcome::Proceed(Some(_))
    ));
    assert!(matches!(
        outcome(&[context, deny("no")]),
        BeforeAgentOutcome::Refuse(..)
    ));
    assert!(matches!(
        outcome(&[deny("no"), json!({"continue": false})]),
        BeforeAgentOutcome::Stop(_)
    ));
    let blank = json!({"hookSpecificOutput": {"additionalContext": " \n"}});
    assert_eq!(outcome(&[blank]), BeforeAgentOutcome::Proceed(None));
}

/// AG-3, AA-4: one hook clears the memory, whatever the others decide.
#[test]
fn memory_is_cleared_by_any() {
    let clears = json!({"hookSpecificOutput": {"clearContext": true}});
    let keeps = json!({"hookSpecificOutput": {"clearContext": false}});
    let merged = merged::<AfterAgent>(&after_agent(), &[clears, keeps, deny("again")]);
    assert!(matches!(
        merged.outcome,
        AfterAgentOutcome::Retry(rejection, Memory::Cleared)
            if rejection.reason.as_str() == "again" && rejection.hooks == ["c"]
    ));
}

/// AG-6: rewrites of a request are merged field by field; the later one wins, and the conflict
/// names who set what.
#[test]
fn requests_are_merged_by_field() {
    let sets = |patch: Value| json!({"hookSpecificOutput": {"llm_request": patch}});
    let merged = merged::<BeforeModel>(
        &before_model(),
        &[
            sets(json!({"model": "x", "config": {"topK": 1, "topP": 0.5}})),
            sets(json!({"config": {"topK": 2}, "messages": []})),
            sets(json!({"model": "y", "config": {"topP": 0.5}})),
        ],
    );
    let BeforeModelOutcome::Send(patch) = merged.outcome else {
        panic!("nobody objects");
    };
    assert_eq!(patch.model.as_deref(), Some("y"));
    assert_eq!(patch.messages, Some(Vec::new()));
    assert_eq!(Value::Object(patch.config), json!({"topK": 2, "topP": 0.5}));
    let expected = [
        conflict("llm_request.config.topK", "b", "a"),
        conflict("llm_request.model", "c", "a"),
    ];
    assert_eq!(merged.conflicts, expected);
}

/// AG-6, BM-3: the response of the first hook in order counts; another one is a conflict.
#[test]
fn the_first_response_stands() {
    let gives = |text: &str| json!({"hookSpecificOutput": {"llm_response": {"text": text}}});
    let merged = merged::<BeforeModel>(&before_model(), &[json!({}), gives("one"), gives("two")]);
    assert!(
        matches!(merged.outcome, BeforeModelOutcome::Answer(response) if response.text.as_deref() == Some("one"))
    );
    assert_eq!(merged.conflicts, [conflict("llm_response", "b", "c")]);
}

/// BM-4, BM-5: a refusal and a stop keep a response that some hook gave.
#[test]
fn a_response_survives_a_refusal() {
    let gives = json!({"hookSpecificOutput": {"llm_response": {"text": "sorry"}}});
    let refused = merged::<BeforeModel>(&before_model(), &[gives.clone(), deny("no")]).outcome;
    assert!(matches!(
        refused,
        BeforeModelOutcome::Refuse {
            response: Some(_),
            ..
        }
    ));
    let stop = json!({"continue": false});
    let stopped = merged::<BeforeModel>(&before_model(), &[gives, stop]).outcome;
    assert!(matches!(
        stopped,
        BeforeModelOutcome::Stop {
            response: Some(_),
            ..
        }
    ));
}

/// AM-2, AM-3, PL-9: the later rewrite of a chunk wins; a refusal discards the chunk.
#[test]
fn chunks_are_merged() {
    let gives = |text: &str| json!({"hookSpecificOutput": {"llm_response": {"text": text}}});
    let replies = [gives("one"), gives("two")];
    let replaced = merged::<AfterModel>(&after_model(), &replies);
    // The second has read what the first left: nothing is lost without its knowledge (AG-6).
    assert_eq!(replaced.conflicts, []);
    assert!(!AfterModel::withheld_fields(Ok(&replaced.outcome)).is_empty());
    assert!(matches!(
        replaced.outcome,
        AfterModelOutcome::Replace(response) if response.text.as_deref() == Some("two")
    ));
    let refused = merged::<AfterModel>(&after_model(), &[gives("one"), deny("no")]);
    assert!(matches!(refused.outcome, AfterModelOutcome::Refuse(..)));
    let kept = merged::<AfterModel>(&after_model(), &[json!({"decision": "allow"})]);
    assert_eq!(kept.outcome, AfterModelOutcome::Keep);
    assert!(AfterModel::withheld_fields(Ok(&kept.outcome)).is_empty());
}

/// BM-3, AM-2: a response is read from its first candidate, or from `text` and `functionCalls`.
#[test]
fn responses_are_read_in_all_shapes() {
    let given = |response: Value| {
        let reply = json!({"hookSpecificOutput": {"llm_response": response}});
        answer::<BeforeModel>("a", &reply).answer.response.unwrap()
    };
    let short = given(json!({"text": "hi", "functionCalls": [{"name": "glob"}]}));
    assert_eq!(short.text.as_deref(), Some("hi"));
    assert_eq!(short.function_calls[0].name, "glob");
    let long = given(
        json!({"candidates": [{"finishReason": "STOP", "content": {"role": "model",
        "parts": ["a", {"text": "b"}, {"functionCall": {"name": "glob", "args": {"p": 1}}}]}}]}),
    );
    assert_eq!(long.text.as_deref(), Some("ab"));
    assert_eq!(long.finish_reason.as_deref(), Some("STOP"));
    assert_eq!(long.function_calls[0].args["p"], 1);
}

/// SS-1, AG-2: contexts of a start are joined; SS-2: decisions are ignored.
#[test]
fn a_start_joins_contexts() {
    let input = SessionStartInput {
        source: SessionSource::Startup,
    };
    let context = |text: &str| json!({"hookSpecificOutput": {"additionalContext": text}});
    let merged = merged::<SessionStart>(&input, &[context("a"), deny("no"), context("b")]);
    assert_eq!(merged.outcome.context.unwrap().as_str(), "a\nb");
    assert_eq!(merged.outcome.stop, None);
    assert_eq!(merged.summary.verdict, Verdict::Proceed);
    assert!(SessionStart::refusal(Reason::new("r").unwrap(), Cause::Policy).is_none());
}

/// SS-4: a hook that ends the run stops a start, whatever others say; only the context of a hook
/// that may not counts.
#[test]
fn a_stop_at_the_start_counts() {
    let input = SessionStartInput {
        source: SessionSource::Startup,
    };
    let stop = json!({"continue": false, "stopReason": "frozen",
        "hookSpecificOutput": {"additionalContext": "a"}});
    let merged = merged::<SessionStart>(&input, &[json!({}), stop.clone()]);
    assert_eq!(merged.outcome.stop.unwrap().as_str(), "frozen");
    assert_eq!(merged.summary.verdict, Verdict::Stopped);
    let alone = SessionStart::advice_alone(answer::<SessionStart>("a", &stop).answer);
    assert_eq!(alone.stop, None);
    assert!(alone.context.is_some());
}

/// PC-3, AG-1: the strictest decision about a compression counts, whatever the order.
#[test]
fn a_refused_compression_stays_refused() {
    let input = PreCompressInput {
        trigger: CompressTrigger::Auto,
    };
    let stop = json!({"continue": false, "stopReason": "later"});
    for (replies, verdict) in [
        (
            vec![json!({}), json!({"decision": "allow"})],
            Verdict::Proceed,
        ),
        (
            vec![deny("no"), json!({"decision": "allow"})],
            Verdict::Refused,
        ),
        (
            vec![json!({"decision": "ask"}), json!({})],
            Verdict::Refused,
        ),
        (vec![stop, deny("no")], Verdict::Stopped),
    ] {
        let merged = merged::<PreCompress>(&input, &replies);
        assert_eq!(merged.summary.verdict, verdict, "{replies:?}");
        let proceeds = merged.outcome == PreCompressOutcome::Proceed;
        assert_eq!(proceeds, verdict == Verdict::Proceed, "{replies:?}");
    }
}

/// NO-1: an alert is shown whatever hooks say.
#[test]
fn an_alert_is_always_shown() {
    let input = NotificationInput {
        notification_type: NotificationType::ToolPermission,
        message: String::new(),
        details: Value::Null,
    };
    let replies = [deny("no"), json!({"continue": false})];
    let merged = merged::<Notification>(&input, &replies);
    assert_eq!(merged.summary.verdict, Verdict::Proceed);
}
