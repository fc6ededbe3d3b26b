//! AG-1 and AG-4 for all lists of answers: the strongest answer decides, whatever the order, and
//! adding a hook never weakens the outcome.

use hookloop_events::{
    AfterAgent, AfterAgentOutcome, AfterModel, AfterModelOutcome, AfterTool, AfterToolOutcome,
    BeforeAgent, BeforeAgentOutcome, BeforeModel, BeforeModelOutcome, BeforeTool,
    BeforeToolOutcome, BeforeToolSelection, Event, ToolChoice, Verdict,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{
    after_agent, after_model, after_tool, before_agent, before_model, before_tool,
    before_tool_selection, merged,
};

/// Proceed < Ask < Deny < Stop.
fn of_before_tool(outcome: &BeforeToolOutcome) -> u8 {
    match outcome {
        BeforeToolOutcome::Proceed(_) => 0,
        BeforeToolOutcome::Ask(..) => 1,
        BeforeToolOutcome::Deny(..) => 2,
        BeforeToolOutcome::Stop(_) => 3,
    }
}

fn of_after_tool(outcome: &AfterToolOutcome) -> u8 {
    match outcome {
        AfterToolOutcome::Keep(_) | AfterToolOutcome::Chain(..) => 0,
        AfterToolOutcome::Withhold(..) => 2,
        AfterToolOutcome::Stop(_) => 3,
    }
}

fn of_before_agent(outcome: &BeforeAgentOutcome) -> u8 {
    match outcome {
        BeforeAgentOutcome::Proceed(_) => 0,
        BeforeAgentOutcome::Refuse(..) => 2,
        BeforeAgentOutcome::Stop(_) => 3,
    }
}

fn of_after_agent(outcome: &AfterAgentOutcome) -> u8 {
    match outcome {
        AfterAgentOutcome::Accept(_) => 0,
        AfterAgentOutcome::Retry(..) => 2,
        AfterAgentOutcome::Stop(..) => 3,
    }
}

fn of_before_model(outcome: &BeforeModelOutcome) -> u8 {
    match outcome {
        BeforeModelOutcome::Send(_) | BeforeModelOutcome::Answer(_) => 0,
        BeforeModelOutcome::Refuse { .. } => 2,
        BeforeModelOutcome::Stop { .. } => 3,
    }
}

fn of_after_model(outcome: &AfterModelOutcome) -> u8 {
    match outcome {
        AfterModelOutcome::Keep | AfterModelOutcome::Replace(_) => 0,
        AfterModelOutcome::Refuse(..) => 2,
        AfterModelOutcome::Stop(_) => 3,
    }
}

/// Any reply, with the own fields of all events that have some.
fn reply() -> impl Strategy<Value = Value> {
    let decision = prop::sample::select(vec!["", "allow", "approve", "ask", "deny", "block"]);
    let goes_on = prop::sample::select(vec![Value::Null, json!(true), json!(false)]);
    let reason = prop::option::of("[a-z ]{0,6}");
    let specific = prop::sample::select(vec![
        json!({}),
        json!({"tool_input": {"path": "x"}, "additionalContext": "more"}),
        json!({"tool_input": {"path": "y", "new": 1}, "clearContext": true}),
        json!({"llm_request": {"model": "m"}, "tailToolCallRequest": {"name": "glob"}}),
        json!({"llm_request": {"config": {"topK": 1}}}),
        json!({"llm_response": {"text": "instead"}}),
        json!({"toolConfig": {"mode": "AUTO"}}),
    ]);
    let parts = (decision, goes_on, reason.clone(), reason, specific);
    parts.prop_map(|(decision, goes_on, reason, stop_reason, specific)| {
        json!({
            "decision": (!decision.is_empty()).then_some(decision),
            "continue": goes_on,
            "reason": reason,
            "stopReason": stop_reason,
            "hookSpecificOutput": specific,
        })
    })
}

fn replies() -> impl Strategy<Value = Vec<Value>> {
    prop::collection::vec(reply(), 0..5)
}

fn holds<E: Event>(
    input: &E::Input,
    replies: &[Value],
    added: &Value,
    at: prop::sample::Index,
    strength: fn(&E::Outcome) -> u8,
) -> Result<(), TestCaseError> {
    let of = |replies: &[Value]| strength(&merged::<E>(input, replies).outcome);
    let alone = replies.iter().map(|reply| of(std::slice::from_ref(reply)));
    let before = of(replies);
    prop_assert_eq!(before, alone.max().unwrap_or(0), "the strongest decides");

    let mut more = replies.to_vec();
    more.insert(at.index(replies.len() + 1), added.clone());
    prop_assert!(of(&more) >= before, "adding weakens");

    let mut reversed = replies.to_vec();
    reversed.reverse();
    prop_assert_eq!(of(&reversed), before, "the order changes the strength");

    let verdict = merged::<E>(input, replies).summary.verdict;
    let expected = match before {
        0 => Verdict::Proceed,
        3 => Verdict::Stopped,
        _ => Verdict::Refused,
    };
    prop_assert_eq!(verdict, expected, "the summary says something else");
    Ok(())
}

fn added() -> impl Strategy<Value = (Value, prop::sample::Index)> {
    (reply(), any::<prop::sample::Index>())
}

proptest! {
    /// AG-1, AG-4: on BeforeTool.
    #[test]
    fn before_tool_is_never_weakened(replies in replies(), (added, at) in added()) {
        holds::<BeforeTool>(&before_tool(), &replies, &added, at, of_before_tool)?;
    }

    /// AG-1, AG-4: on AfterTool.
    #[test]
    fn after_tool_is_never_weakened(replies in replies(), (added, at) in added()) {
        holds::<AfterTool>(&after_tool(), &replies, &added, at, of_after_tool)?;
    }

    /// AG-1, AG-4: on BeforeAgent.
    #[test]
    fn before_agent_is_never_weakened(replies in replies(), (added, at) in added()) {
        holds::<BeforeAgent>(&before_agent(), &replies, &added, at, of_before_agent)?;
    }

    /// AG-1, AG-4: on AfterAgent.
    #[test]
    fn after_agent_is_never_weakened(replies in replies(), (added, at) in added()) {
        holds::<AfterAgent>(&after_agent(), &replies, &added, at, of_after_agent)?;
    }

    /// AG-1, AG-4: on BeforeModel.
    #[test]
    fn before_model_is_never_weakened(replies in replies(), (added, at) in added()) {
        holds::<BeforeModel>(&before_model(), &replies, &added, at, of_before_model)?;
    }

    /// AG-1, AG-4: on AfterModel.
    #[test]
    fn after_model_is_never_weakened(replies in replies(), (added, at) in added()) {
        holds::<AfterModel>(&after_model(), &replies, &added, at, of_after_model)?;
    }

    /// AG-4, AG-5: `NONE` stays `NONE` whatever is added, and no hook makes a stronger mode weaker.
    #[test]
    fn a_choice_of_tools_is_never_weakened(
        modes in prop::collection::vec(mode(), 0..5),
        added in (mode(), any::<prop::sample::Index>()),
    ) {
        let strength = |modes: &[Value]| {
            match merged::<BeforeToolSelection>(&before_tool_selection(), modes).outcome {
                ToolChoice::Unchanged => 0,
                ToolChoice::Offered(_) => 1,
                ToolChoice::Required(_) => 2,
                ToolChoice::Forbidden => 3,
            }
        };
        let before = strength(&modes);
        let mut more = modes.clone();
        more.insert(added.1.index(modes.len() + 1), added.0);
        prop_assert!(strength(&more) >= before);
    }

    /// AG-3: one hook is enough to clear the memory.
    #[test]
    fn clearing_the_memory_is_never_taken_back(replies in replies(), added in added()) {
        let clears = |replies: &[Value]| {
            let merged = merged::<AfterAgent>(&after_agent(), replies);
            merged.summary.changes.contains_key("clearContext")
        };
        let mut more = replies.clone();
        more.insert(added.1.index(replies.len() + 1), added.0);
        prop_assert!(clears(&more) >= clears(&replies));
    }
}

fn mode() -> impl Strategy<Value = Value> {
    let modes = vec![
        json!({}),
        json!({"decision": "allow"}),
        json!({"hookSpecificOutput": {"toolConfig": {"mode": "AUTO"}}}),
        json!({"hookSpecificOutput": {"toolConfig": {"mode": "ANY", "allowedFunctionNames": ["a"]}}}),
        json!({"hookSpecificOutput": {"toolConfig": {"allowedFunctionNames": ["b", "a"]}}}),
        json!({"hookSpecificOutput": {"toolConfig": {"mode": "NONE"}}}),
    ];
    prop::sample::select(modes)
}
