//! How replies are read: OUT-3…6, IO-22.

use hookloop_events::refusal::Readable;
use hookloop_events::{Decision, EventName, Reply};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::fields;

fn read(reply: Value) -> Result<Reply, String> {
    Reply::read(EventName::BeforeTool, fields(reply)).map_err(|malformed| malformed.to_string())
}

/// IO-22: unknown fields and `null` are ignored; a wrong type makes the reply malformed, and the
/// error says where, what is expected and what was found.
#[test]
fn wrong_types_are_named() {
    let nothing = json!({"decision": null, "continue": null, "hookSpecificOutput": null, "x": 1});
    assert_eq!(read(nothing), Ok(Reply::default()));
    for (reply, expected) in [
        (
            json!({"continue": "no"}),
            "`continue` should be true or false, but is the text \"no\"",
        ),
        (
            json!({"decision": true}),
            "`decision` should be a string, but is true",
        ),
        (
            json!({"decision": "maybe"}),
            "`decision` should be \"allow\", \"deny\" or \"ask\", but is the text \"maybe\"",
        ),
        (
            json!({"reason": 5}),
            "`reason` should be a string, but is the number 5",
        ),
        (
            json!({"systemMessage": []}),
            "`systemMessage` should be a string, but is a list",
        ),
        (
            json!({"stopReason": {}}),
            "`stopReason` should be a string, but is an object with other fields",
        ),
        (
            json!({"suppressOutput": 1}),
            "`suppressOutput` should be true or false, but is the number 1",
        ),
        (
            json!({"hookSpecificOutput": "x"}),
            "`hookSpecificOutput` should be an object, but is the text \"x\"",
        ),
    ] {
        assert_eq!(read(reply), Err(expected.to_owned()));
    }
}

/// OUT-4: the words of a decision, in any case; OUT-6: a named event must be this one.
#[test]
fn decisions_and_events_are_read() {
    for (word, decision) in [
        ("allow", Decision::Allow),
        ("APPROVE", Decision::Allow),
        ("Deny", Decision::Deny),
        ("block", Decision::Deny),
        ("ASK", Decision::Ask),
    ] {
        assert_eq!(Decision::read(word), Some(decision));
    }
    assert_eq!(Decision::read("allowed"), None);
    let named = |name: &str| read(json!({"hookSpecificOutput": {"hookEventName": name, "a": 1}}));
    assert_eq!(
        Value::Object(named("BeforeTool").unwrap().specific),
        json!({"a": 1})
    );
    assert!(named("AfterTool").is_err());
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        prop::sample::select(vec!["deny", "allow", "ask", "x", ""]).prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let keys = vec![
            "decision",
            "continue",
            "reason",
            "hookSpecificOutput",
            "tool_input",
            "llm_request",
            "llm_response",
            "candidates",
            "content",
            "parts",
            "toolConfig",
            "mode",
            "messages",
        ];
        let key = prop::sample::select(keys);
        let object = prop::collection::vec((key, inner.clone()), 0..4).prop_map(|fields| {
            fields
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect()
        });
        prop_oneof![
            prop::collection::vec(inner, 0..3).prop_map(Value::Array),
            object.prop_map(Value::Object)
        ]
    })
}

proptest! {
    /// IO-22: no object causes a panic, and a refusal in it is found whatever else it contains.
    #[test]
    fn any_object_can_be_read(rest in any_value(), event in 0..11_usize) {
        let mut reply = json!({"hookSpecificOutput": rest.clone()});
        if let Value::Object(more) = rest {
            reply.as_object_mut().unwrap().extend(more);
        }
        let reply = fields(reply);
        let _ = Reply::read(EventName::ALL[event], reply.clone());
        let mut refusing = reply;
        refusing.insert("decision".to_owned(), json!("deny"));
        let text = Value::Object(refusing).to_string();
        prop_assert!(Readable::of(EventName::ALL[event], &text).refusal.is_some());
    }
}
