use std::sync::Arc;

use hookloop_events::{EventName, Reply};
use hookloop_hook::HookDeclaration;
use serde_json::{Value, json};

use super::withhold;
use crate::record::{RunContent, RunEnding, RunRecord, RunResult, Suppression, Truncation};

fn record(input: &Value, stdout: String, reply: Option<Reply>) -> RunRecord {
    RunRecord {
        run_id: "run".to_owned(),
        session_id: "session".to_owned(),
        event: EventName::AfterTool,
        hook: Arc::new(HookDeclaration::in_process(EventName::AfterTool, "a")),
        started_at: String::new(),
        duration: std::time::Duration::ZERO,
        ending: RunEnding::Exited(0),
        result: RunResult::Proceed,
        failure: None,
        content: RunContent {
            input: input.to_string().into(),
            stdout,
            stderr: String::new(),
            truncation: Truncation::Whole,
            reply,
        },
        withheld_env: Vec::new(),
        unknown_fields: Vec::new(),
        lost_refusal: false,
        suppression: Suppression::Open,
    }
}

/// AT-1: short texts aren't traces: the hook's own words stay readable.
#[test]
fn short_texts_are_left() {
    let input = json!({"tool_response": {"llmContent": "ok\nlong secret"}, "other": "long"});
    let mut record = record(&input, "ok, no long secret here".to_owned(), None);
    withhold(std::slice::from_mut(&mut record), &["tool_response"], None);
    assert_eq!(record.content.stdout, "ok, no [withheld by a hook] here");
    assert!(record.content.input.text().contains("\"other\":\"long\""));
}

/// AT-1: a record whose input can't be read keeps nothing of it.
#[test]
fn an_unreadable_input_is_dropped() {
    let mut record = record(&json!({}), String::new(), None);
    record.content.input = "secret".into();
    withhold(std::slice::from_mut(&mut record), &["tool_response"], None);
    assert_eq!(record.content.input.text(), "{}");
}

/// AT-1: if searching for each line would take too long, the whole output is removed.
#[test]
fn too_much_to_compare_is_taken_out() {
    let lines: Vec<String> = (0..20_000)
        .map(|number| format!("line number {number}"))
        .collect();
    let input = json!({"tool_response": lines.join("\n")});
    let mut record = record(&input, "x".repeat(100_000), None);
    withhold(std::slice::from_mut(&mut record), &["tool_response"], None);
    assert_eq!(record.content.stdout, "[withheld by a hook]");
}

/// AM-2: the reply that replaces a text keeps its own text.
#[test]
fn the_given_text_is_kept() {
    let input = json!({"content": "first line\nsecret line"});
    let given = json!({"llm_response": {"text": "first line\n[gone]"}});
    let reply = Reply {
        specific: given.as_object().unwrap().clone(),
        system_message: Some("was: secret line".to_owned()),
        ..Reply::default()
    };
    let mut record = record(&input, String::new(), Some(reply));
    withhold(
        std::slice::from_mut(&mut record),
        &["content"],
        Some(&given["llm_response"]),
    );
    let reply = record.content.reply.unwrap();
    assert_eq!(Value::Object(reply.specific), given);
    assert_eq!(
        reply.system_message.as_deref(),
        Some("was: [withheld by a hook]")
    );
}

/// AT-1: a program that writes JSON in ASCII repeats a text in another spelling, and it is found.
#[test]
fn escaped_letters_are_found() {
    let input = json!({"tool_response": {"llmContent": "Pässwort: 🔑 geheim"}});
    let repeated = r#"{"copy": "P\u00e4sswort: \ud83d\udd11 geheim"}"#;
    let mut record = record(&input, repeated.to_owned(), None);
    withhold(std::slice::from_mut(&mut record), &["tool_response"], None);
    assert_eq!(record.content.stdout, r#"{"copy": "[withheld by a hook]"}"#);
}
