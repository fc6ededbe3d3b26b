use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Readable, Refusal, Spelling};
use crate::reply::{Decision, Reply};
use hookloop_hook::EventName;

/// Returns in one word what can be read.
fn said_on(event: EventName, output: &str) -> String {
    match Readable::of(event, output).refusal {
        None => "nothing".to_owned(),
        Some(refusal) if refusal.stops() => "stop".to_owned(),
        Some(refusal) => match refusal.decision() {
            Some(Decision::Ask) => "ask".to_owned(),
            _ => "deny".to_owned(),
        },
    }
}

fn said(output: &str) -> String {
    said_on(EventName::BeforeTool, output)
}

fn check(expected: &str, outputs: &[&str]) {
    for output in outputs {
        assert_eq!(said(output), expected, "{output}");
    }
}

fn refusal(output: &str) -> Refusal {
    Readable::of(EventName::BeforeTool, output)
        .refusal
        .expect("a refusal can be read")
}

/// IO-22, IO-23: participles refuse; other words, and values of other types, mean nothing.
#[test]
fn participles_refuse() {
    check(
        "deny",
        &[
            r#"{"decision":"denied"}"#,
            r#"{"decision":"Blocked"}"#,
            r#"{"hookSpecificOutput":{"permissionDecision":"rejected"}}"#,
            r#"{"action":"disallow"}"#,
            r#"{"verdict":"prevent"}"#,
        ],
    );
    check(
        "nothing",
        &[
            r#"{"continue":0}"#,
            r#"{"continue":"no"}"#,
            r#"{"decision":"allowed"}"#,
            r#"{"decision":0}"#,
            r#"{"reason":"denied"}"#,
            r#"{"tool_input":{"decision":"denied"}}"#,
        ],
    );
}

/// IO-22, IO-23: an object that replaces the word of a decision refuses by its content, whatever
/// the event; anything deeper in it, or in another place, means nothing.
#[test]
fn decisions_that_are_objects_refuse() {
    for event in EventName::ALL {
        for output in [
            r#"{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"m"}}}"#,
            r#"{"hookSpecificOutput":{"permissionDecision":{"behavior":"block"}}}"#,
            r#"{"decision":{"behavior":"denied"}}"#,
            r#"{"permission_decision":{"Behavior":"reject"}}"#,
        ] {
            assert_eq!(said_on(event, output), "deny", "{event} {output}");
        }
    }
    let reply = refusal(r#"{"decision":{"behavior":"deny","message":"not here"}}"#);
    assert_eq!(reply.reply().reason.as_deref(), Some("not here"));
    assert_eq!(reply.spelling(), Spelling::Other);
    check(
        "nothing",
        &[
            r#"{"decision":{"behavior":"allow"}}"#,
            r#"{"decision":{"decision":"deny"}}"#,
            r#"{"decision":{"allow":false}}"#,
            r#"{"decision":{"seen":{"behavior":"deny"}}}"#,
            r#"{"decision":{"decision":{"behavior":"deny"}}}"#,
            r#"{"decision":[{"behavior":"deny"}]}"#,
            r#"{"tool_input":{"behavior":"deny"}}"#,
            r#"{"decision":{"tool_input":{"behavior":"deny"}}}"#,
        ],
    );
    let deep = r#"{"decision":"#.repeat(200_000);
    assert_eq!(said(&deep), "nothing");
}

/// IO-23: every key of the closed list refuses with its words, at the top and in the event's own
/// fields, however it is written.
#[test]
fn every_word_of_the_list_refuses() {
    for key in super::REFUSAL_KEYS {
        for word in super::REFUSAL_WORDS {
            let top = json!({ key: word });
            let own = json!({"hookSpecificOutput": { key: word }});
            assert_eq!(said(&top.to_string()), "deny", "{top}");
            assert_eq!(said(&own.to_string()), "deny", "{own}");
        }
    }
    check(
        "deny",
        &[
            r#"{"block":true}"#,
            r#"{"blocked":"True"}"#,
            r#"{"Deny":true}"#,
            r#"{"denied":"TRUE"}"#,
            r#"{"allow":false}"#,
            r#"{"allowed":"false"}"#,
            r#"{"approve":false}"#,
            r#"{"APPROVED":false}"#,
            r#"{"permission_decision":"Deny"}"#,
            r#"{"permission-decision":" FORBID "}"#,
            r#"{"Decision":"re-ject"}"#,
            r#"{"hook_specific_output":{"Permission":"deny"}}"#,
        ],
    );
    check(
        "stop",
        &[
            r#"{"continue":false}"#,
            r#"{"Continue":"False"}"#,
            r#"{"hookSpecificOutput":{"continue":false}}"#,
            r#"{"decision":"deny","continue":false}"#,
        ],
    );
    check(
        "ask",
        &[
            r#"{"decision":"ask"}"#,
            r#"{"permission":"ask"}"#,
            r#"{"hookSpecificOutput":{"permissionDecision":"ASK"}}"#,
        ],
    );
}

/// IO-23: the list is closed, and nothing inside values is read.
#[test]
fn nothing_else_refuses() {
    check(
        "nothing",
        &[
            "",
            "{}",
            "deny",
            r#"[{"decision":"deny"}]"#,
            r#"{"decision":"allow"}"#,
            r#"{"decision":"maybe"}"#,
            r#"{"decision":["deny"]}"#,
            r#"{"decision":{"decision":"deny"}}"#,
            r#"{"decision":true}"#,
            r#"{"block":"deny"}"#,
            r#"{"block":1}"#,
            r#"{"blocks":true}"#,
            r#"{"action":"ask"}"#,
            r#"{"outcome":"deny"}"#,
            r#"{"approved":true,"continue":true,"denied":false}"#,
            r#"{"reason":"decision: deny"}"#,
            r#"{"reason":"\"decision\": \"deny\""}"#,
            r#"{"tool_input":{"decision":"deny"}}"#,
            r#"{"hookSpecificOutput":{"tool_input":{"decision":"deny","block":true}}}"#,
            r#"{"hookSpecificOutput":{"hookSpecificOutput":{"decision":"deny"}}}"#,
            r#"{"llm_request":{"messages":[{"action":"block"}]}}"#,
        ],
    );
}

/// IO-23, AT-5: in the data that an `AfterTool` hook attaches, only a decision is read.
#[test]
fn data_of_after_tool_is_not_a_refusal() {
    let on = |output: &str| said_on(EventName::AfterTool, output);
    for data in ["action", "result", "verdict", "permission", "behavior"] {
        let output = json!({"hookSpecificOutput": { data: "deny" }}).to_string();
        assert_eq!(on(&output), "nothing", "{output}");
        assert_eq!(on(&json!({ data: "deny" }).to_string()), "deny");
    }
    assert_eq!(
        on(r#"{"hookSpecificOutput":{"blocked":true,"allowed":false,"continue":false}}"#),
        "nothing"
    );
    assert_eq!(on(r#"{"hookSpecificOutput":{"decision":"block"}}"#), "deny");
    assert_eq!(
        on(r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#),
        "deny"
    );
}

/// IO-24: a refusal is found in what isn't valid JSON, whatever broke it.
#[test]
fn a_refusal_is_read_out_of_broken_json() {
    check(
        "deny",
        &[
            "{'decision': 'deny'}",
            "{decision: deny}",
            "{decision:deny,reason:no}",
            "{'decision': 'deny', 'ok': False, 'x': None}",
            "{'allowed': False}",
            "{\"decision\":\"deny\",\"score\":NaN}",
            "{\"score\":NaN,\"decision\":\"deny\"}",
            "{\"decision\":\"deny\"",
            "{\"decision\":\"deny",
            "{\"decision\":\"deny,\"reason\":\"x\"}",
            "{\"reason\":\"cut he",
            "{\"decision\":\"deny\",\"reason\":\"cut he",
            "{\"decision\":\"deny\",}",
            "{\"decision\":\"deny\" \"reason\":\"no comma\"}",
            "{\"reason\":\"a \"pasted\" quote\",\"decision\":\"deny\"}",
            "{\"reason\":\"size 5\" disk\",\"decision\":\"deny\"}",
            "{\"reason\":\"two\nlines\",\"decision\":\"deny\"}",
            "{\"reason\":\"oops, \"decision\":\"deny\"}",
            "{\"command\":\"echo \"}\" \",\"decision\":\"deny\"}",
            "{\"a\":{\"b\":[1,2},\"decision\":\"deny\"}",
            "{\"tool_input\":{\"command\":\"echo \"hi\" there\"},\"decision\":\"deny\"}",
            "{\"tool_input\":{\"decision\":\"allow\"},\"decision\":\"deny\"",
            "{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\"",
            "{\"hookSpecificOutput\":{'permissionDecision':'deny','x':NaN",
            "{\"decision\":\"allow\"}\n{\"decision\":\"deny\"}",
            "{\"decision\":\"deny\"} done",
            "{ // why\n \"decision\": \"deny\" }",
            "{{\"decision\":\"deny\"}}",
            "{\"deci\\u0073ion\":\"den\\u0079\",\"x\":NaN}",
            "\"{\\\"decision\\\":\\\"deny\\\"",
        ]
        .into_iter()
        .filter(|output| !output.ends_with("{\"reason\":\"cut he"))
        .collect::<Vec<_>>(),
    );
    check("stop", &["{'continue': False}", "{\"continue\":false"]);
    check(
        "ask",
        &["{'decision': 'ask', 'x': NaN}", "{\"decision\":\"ask\""],
    );
}

/// IO-24: what is inside a closed string or in the value of a field that quotes others isn't read.
#[test]
fn what_others_said_is_not_read() {
    check(
        "nothing",
        &[
            "{\"tool_input\":{\"decision\":\"deny\"}",
            "{\"tool_input\":{\"decision\":\"deny\",\"command\":\"ls",
            "{\"systemMessage\":\"decision: deny",
            "{\"a\":NaN,\"reason\":\"decision: deny\"}",
            "{oops \"note\":\"decision: deny\"}",
            "{oops \"args\":{\"decision\":\"deny\"}}",
            "{oops \"reason\":\"'decision': 'deny'\"}",
            "{\"decision\":\"allow\",\"score\":NaN}",
            "{\"reason\":\"cut he",
            "{'decision': 'allow', 'llm_request': {'decision': 'deny'}}",
        ],
    );
}

/// IO-13, OUT-5: the reasons are found beside the refusal, even under other names.
#[test]
fn reasons_are_read() {
    let reply =
        refusal(r#"{"permission":"deny","agent_message":"no way","continue":true}"#).reply();
    assert_eq!(reply.reason.as_deref(), Some("no way"));
    let reply = refusal("{'decision': 'deny', 'reason': \"don't\", 'x': None}").reply();
    assert_eq!(reply.reason.as_deref(), Some("don't"));
    let reply = refusal("{\"continue\":false,\"stopReason\":\"end\"").reply();
    assert_eq!(
        (reply.goes_on, reply.stop_reason.as_deref()),
        (Some(false), Some("end"))
    );
    let own = refusal(
        r#"{"hookSpecificOutput":{"permissionDecisionReason":"why","permissionDecision":"deny"}}"#,
    );
    assert_eq!(own.reply().reason.as_deref(), Some("why"));
}

/// IO-23: the field that refused is named, and whether it belongs to the protocol.
#[test]
fn the_refusing_field_is_named() {
    for (output, field, spelling) in [
        (r#"{"decision":"Deny"}"#, "decision", Spelling::Own),
        (
            r#"{"permissionDecision":"deny"}"#,
            "permissionDecision",
            Spelling::Own,
        ),
        (r#"{"Decision":"deny"}"#, "Decision", Spelling::Other),
        (r#"{"decision":"reject"}"#, "decision", Spelling::Other),
        (
            r#"{"block":true,"decision":"deny"}"#,
            "decision",
            Spelling::Own,
        ),
        (
            r#"{"hookSpecificOutput":{"decision":"deny"}}"#,
            "hookSpecificOutput.decision",
            Spelling::Other,
        ),
    ] {
        let refusal = refusal(output);
        assert_eq!(
            (refusal.field(), refusal.spelling()),
            (field, spelling),
            "{output}"
        );
    }
}

/// IO-17: floods of braces, quotes and keys are read in linear time with constant stack.
#[test]
fn floods_are_read() {
    for flood in [
        "{",
        "[",
        "{\"a\":",
        "{\"a\":[",
        "\\\"",
        "args:{",
        "'",
        "\"",
        "a:",
        "reason:\"\\\"",
    ] {
        let output = format!("{{{}\"decision\":\"deny\"}}", flood.repeat(50_000));
        let _ = said(&output);
    }
    assert_eq!(
        said(&format!(
            "{{oops {}decision:deny}}",
            "args:{".repeat(50_000)
        )),
        "deny"
    );
}

/// A spelling of a refusal, as JSON.
fn any_refusal() -> impl Strategy<Value = (String, Value)> {
    let word = prop::sample::select(super::REFUSAL_WORDS.to_vec());
    let key = prop::sample::select(super::REFUSAL_KEYS.to_vec());
    prop_oneof![
        (key, word).prop_map(|(key, word)| (key.to_owned(), Value::from(word))),
        prop::sample::select(vec!["block", "blocked", "deny", "denied"])
            .prop_map(|key| (key.to_owned(), Value::from(true))),
        prop::sample::select(vec!["continue", "allow", "allowed", "approve", "approved"])
            .prop_map(|key| (key.to_owned(), Value::from(false))),
        Just(("decision".to_owned(), Value::from("ask"))),
    ]
}

/// Fields that may appear beside it.
fn neighbours() -> impl Strategy<Value = Vec<(String, Value)>> {
    let field = prop::sample::select(vec![
        ("reason", json!("because")),
        ("reason", json!("it's \"so\"\n{x}")),
        ("systemMessage", json!(5)),
        (
            "tool_input",
            json!({"decision": "allow", "list": [1, {"a": "}"}]}),
        ),
        (
            "hookSpecificOutput",
            json!({"x": [true, null], "hookEventName": "Other"}),
        ),
        ("decision", json!("allow")),
        ("continue", json!(true)),
        ("score", json!(1.5e300)),
    ]);
    prop::collection::vec(field.prop_map(|(key, value)| (key.to_owned(), value)), 0..4)
}

/// Writes an object by hand, so that keys may repeat.
fn written(fields: &[(String, Value)]) -> String {
    let fields: Vec<String> = fields
        .iter()
        .map(|(key, value)| format!("{}: {value}", Value::from(key.as_str())))
        .collect();
    format!("{{{}}}", fields.join(", "))
}

/// Damages a written object, after the refusal or around it.
fn damaged(text: &str, damage: usize) -> String {
    match damage {
        0 => text.to_owned(),
        1 => text.trim_end_matches('}').to_owned(),
        2 => format!("{text} trailing"),
        3 => text.replacen('{', "{\"n\": NaN, ", 1),
        4 => text.replacen('{', "{ oops, ", 1),
        5 => text.replacen('{', "{\"c\": \"a \"b\" c\", ", 1),
        6 => text.replacen('{', "{\"c\": \"5\" disk\", ", 1),
        7 => format!("{{\"first\": 1}}{text}"),
        8 => text.replace(", ", " "),
        9 => text.replace(", ", ",\n"),
        10 => Value::from(text).to_string(),
        11 => format!("{},}}", text.trim_end_matches('}')),
        _ => text
            .replace("true", "True")
            .replace("false", "False")
            .replace("null", "None"),
    }
}

proptest! {
    /// IO-22, IO-23, IO-24: whatever is beside it and however the text was damaged, a refusal, stop
    /// or question in any spelling can be read.
    #[test]
    fn no_damage_takes_a_refusal_away(
        refusal in any_refusal(),
        mut before in neighbours(),
        after in neighbours(),
        within in any::<bool>(),
        damage in 0_usize..13,
    ) {
        if within {
            let own = Value::Object([refusal].into_iter().collect());
            before.push(("hookSpecificOutput".to_owned(), own));
        } else {
            before.push(refusal);
        }
        before.extend(after);
        let output = damaged(&written(&before), damage);
        prop_assert_ne!(said(&output), "nothing", "{}", output);
    }

    /// IO-22: reading never panics, and in valid JSON it finds everything that the reply itself
    /// says.
    #[test]
    fn it_sees_what_the_reply_says(text in r#"[{}\[\]",:a-z \\'\n]{0,40}|\{("(decision|continue|reason)":("deny"|"ask"|false|"allow"|true),?){0,3}\}"#) {
        for event in EventName::ALL {
            let readable = Readable::of(event, &text);
            let _ = Readable::hidden_in(event, &text);
            let Ok(Value::Object(fields)) = serde_json::from_str(&text) else { continue };
            let Ok(reply) = Reply::read(event, fields) else { continue };
            // An `allow` beside a stop has no effect.
            let refuses = reply.decision.filter(|it| *it >= Decision::Ask);
            if reply.stops() || refuses.is_some() {
                let refusal = readable.refusal.expect("the reply refuses");
                prop_assert!(!matches!(refusal.reply(), it if it.decision < refuses || (reply.stops() && !it.stops())));
            }
        }
    }
}
