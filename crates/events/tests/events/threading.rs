//! What the next hook of a sequence reads: PL-8.

use hookloop_events::{
    AfterModel, AfterModelInput, AfterTool, BeforeAgent, BeforeModel, BeforeTool, Event,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{
    after_model, after_tool, answer, before_agent, before_model, before_tool, fields, merged,
};

fn thread<E: Event>(mut input: E::Input, replies: &[Value]) -> E::Input {
    for reply in replies {
        E::thread(&mut input, &answer::<E>("a", reply).answer);
    }
    input
}

/// PL-8: arguments are merged into the tool's input; a refusal adds none.
#[test]
fn arguments_are_handed_on() {
    let input = thread::<BeforeTool>(
        before_tool(),
        &[
            json!({"hookSpecificOutput": {"tool_input": {"path": "x"}}}),
            json!({"decision": "deny"}),
            json!({"hookSpecificOutput": {"tool_input": {"more": [1]}}}),
        ],
    );
    let expected = json!({"path": "x", "text": "b", "more": [1]});
    assert_eq!(json!(input.tool_input), expected);
}

/// PL-8: a patch is merged into the request, which stays unchanged for others that share it.
#[test]
fn requests_are_handed_on() {
    let before = before_model();
    let patch = json!({"config": {"topK": 1}, "messages": [
        {"role": "system", "content": [{"text": "be"}, " brief"]}]});
    let input = thread::<BeforeModel>(
        before.clone(),
        &[json!({"hookSpecificOutput": {"llm_request": patch}})],
    );
    assert_eq!(
        Value::Object(input.llm_request.config.clone()),
        json!({"temperature": 1.0, "topK": 1})
    );
    assert_eq!(input.llm_request.messages[0].content, "be brief");
    assert_eq!(input.llm_request.model, "large");
    assert_eq!(before, before_model());
}

/// PL-8: context is appended to the prompt after a blank line.
#[test]
fn prompts_are_handed_on() {
    let adds = |text: &str| json!({"hookSpecificOutput": {"additionalContext": text}});
    let input = thread::<BeforeAgent>(before_agent(), &[adds("one"), json!({}), adds("two")]);
    assert_eq!(input.prompt, "hello\n\none\n\ntwo");
}

/// PL-8: what no hook may change is passed on as it is.
#[test]
fn results_are_handed_on_unchanged() {
    let reply = json!({"decision": "deny", "hookSpecificOutput": {"additionalContext": "c"}});
    assert_eq!(thread::<AfterTool>(after_tool(), &[reply]), after_tool());
}

/// PL-8, AM-2: a rewritten chunk is what the next hook reads, everywhere in its input.
#[test]
fn chunks_are_handed_on() {
    let reply = json!({"hookSpecificOutput": {"llm_response": {"text": "****"}}});
    let input = thread::<AfterModel>(after_model(), &[reply]);
    assert_eq!(input.content, "****");
    assert_eq!(input.full_content, "hello ****");
    assert!(!serde_json::to_string(&input).unwrap().contains("world"));
}

proptest! {
    /// PL-8: threading and merging agree: the last hook of a sequence has changed what is left.
    #[test]
    fn threading_agrees_with_merging(
        rewrites in prop::collection::vec(prop::collection::btree_map("[a-c]", 0..3_u8, 0..3), 0..4),
    ) {
        let replies: Vec<Value> = rewrites
            .iter()
            .map(|rewrite| json!({"hookSpecificOutput": {"tool_input": rewrite}}))
            .collect();
        let threaded = thread::<BeforeTool>(before_tool(), &replies).tool_input;
        let merged = merged::<BeforeTool>(&before_tool(), &replies);
        let hookloop_events::BeforeToolOutcome::Proceed(arguments) = merged.outcome else {
            return Err(TestCaseError::fail("nobody objects"));
        };
        prop_assert_eq!(threaded, arguments);
    }

    /// PL-8: no chunk makes threading panic, even one whose texts don't fit together.
    #[test]
    fn any_chunk_can_be_handed_on(content in "[aé€]{0,3}", full in "[aé€]{0,5}", text in "[é]{0,2}") {
        let input = AfterModelInput {
            content: content.clone(),
            full_content: full.clone(),
            ..after_model()
        };
        let reply = Value::Object(fields(json!({"hookSpecificOutput": {"llm_response": {"text": text}}})));
        let threaded = thread::<AfterModel>(input, &[reply]);
        prop_assert!(threaded.full_content.ends_with(&text));
        prop_assert_eq!(&threaded.content, &text);
    }
}
