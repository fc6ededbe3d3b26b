use std::io::Write;
use std::path::Path;

use hookloop_events::AgentIdentity;
use hookloop_model::{FunctionCall, Part, PartData, Speaker};

use super::*;
use crate::transcript::{Entry, ToolCallEntry, Transcript};

fn now() -> String {
    "2026-01-02T03:04:05.678Z".to_owned()
}

fn begin(path: &Path) -> Transcript {
    let transcript = Transcript::open(path.to_owned()).unwrap();
    let project_root = Path::new("/p");
    transcript.append(&Entry::Session {
        session_id: "s",
        project_root,
        timestamp: now(),
    });
    transcript
}

fn say(transcript: &mut Transcript, content: &Content) {
    transcript.append(&Entry::Message {
        timestamp: now(),
        content,
        model: None,
        usage: None,
    });
}

fn texts(session: &StoredSession) -> Vec<String> {
    session
        .history
        .iter()
        .map(|content| content.visible_text())
        .collect()
}

/// SE-11: a session is read as it was said.
#[test]
fn a_session_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let mut transcript = begin(&path);
    say(&mut transcript, &Content::user("one"));
    say(&mut transcript, &Content::model("two"));
    let session = read_transcript(&path).unwrap();
    assert_eq!(session.session_id, "s");
    assert_eq!(session.first_prompt.as_deref(), Some("one"));
    assert_eq!(texts(&session), ["one", "two"]);
}

/// AA-4: a resumed session doesn't remember what was cleared, except for its first words in
/// listings.
#[test]
fn a_cleared_context_stays_cleared() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let mut transcript = begin(&path);
    say(&mut transcript, &Content::user("secret"));
    transcript.append(&Entry::ContextCleared { timestamp: now() });
    say(&mut transcript, &Content::user("after"));
    let session = read_transcript(&path).unwrap();
    assert_eq!(texts(&session), ["after"]);
}

/// LO-5: a resumed session continues with the compressed history.
#[test]
fn a_compressed_history_stays_compressed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let mut transcript = begin(&path);
    say(&mut transcript, &Content::user("long"));
    let notes = Content::user("notes");
    transcript.append(&Entry::Compressed {
        timestamp: now(),
        history: vec![&notes],
    });
    assert_eq!(texts(&read_transcript(&path).unwrap()), ["notes"]);
}

/// SE-10: if a crash cut the last line, only that line is lost, and the next one is complete again.
#[test]
fn a_cut_last_line_is_tolerated() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    say(&mut begin(&path), &Content::user("kept"));
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .open(&path)
        .unwrap();
    file.write_all(br#"{"type":"message","content":{"role":"us"#)
        .unwrap();
    assert_eq!(texts(&read_transcript(&path).unwrap()), ["kept"]);
    say(
        &mut Transcript::open(path.clone()).unwrap(),
        &Content::user("next"),
    );
    assert_eq!(texts(&read_transcript(&path).unwrap()), ["kept", "next"]);
}

/// SE-10: a line that lacks only its end is complete, now and later.
#[test]
fn a_line_without_its_end_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    // Longer than the blocks that are read to find its beginning.
    let long = "x".repeat(200_000);
    say(&mut begin(&path), &Content::user(long.clone()));
    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(file.metadata().unwrap().len() - 1).unwrap();
    let kept = texts(&read_transcript(&path).unwrap());
    assert!(kept.iter().eq([&long]), "the line is lost");
    say(
        &mut Transcript::open(path.clone()).unwrap(),
        &Content::user("next"),
    );
    let next = "next".to_owned();
    assert_eq!(texts(&read_transcript(&path).unwrap()), [long, next]);
}

/// SE-10: a line in the middle that can't be read is an error that names it.
#[test]
fn a_broken_line_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    drop(begin(&path));
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .open(&path)
        .unwrap();
    file.write_all(b"broken\n{\"type\":\"context_cleared\"}\n")
        .unwrap();
    let error = read_transcript(&path).unwrap_err();
    assert!(error.to_string().contains("line 2"), "{error}");
}

/// SE-11: a call that never got its result is answered, so that the model accepts the history.
#[test]
fn open_calls_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let call = FunctionCall::new("glob", Map::new());
    let part = Part::new(PartData::FunctionCall(call));
    say(&mut begin(&path), &Content::new(Speaker::Model, vec![part]));
    let session = read_transcript(&path).unwrap();
    let answered: Vec<_> = session.history[1].function_responses().collect();
    assert_eq!(answered.len(), 1);
    assert_eq!(answered[0].name, "glob");
}

/// TO-4, SE-11: what a sub-agent said, cleared or compressed is in the file under its id, and isn't
/// part of the session's own conversation.
#[test]
fn sub_agents_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let mut transcript = begin(&path);
    let mut within = transcript.for_agent(AgentIdentity {
        agent_id: "4711".to_owned(),
        agent_name: "helper".to_owned(),
    });
    say(&mut within, &Content::user("objective"));
    say(&mut transcript, &Content::user("one"));
    within.append(&Entry::ContextCleared { timestamp: now() });
    let notes = Content::user("notes");
    within.append(&Entry::Compressed {
        timestamp: now(),
        history: vec![&notes],
    });
    say(&mut transcript, &Content::model("two"));
    let session = read_transcript(&path).unwrap();
    assert_eq!(texts(&session), ["one", "two"]);
    assert_eq!(session.first_prompt.as_deref(), Some("one"));
    let text = std::fs::read_to_string(&path).unwrap();
    let named = r#""agent_id":"4711","agent_name":"helper""#;
    assert_eq!(text.matches(named).count(), 3, "{text}");
}

/// SE-11: a session that was continued after its end had left a call open can be continued again:
/// the call is answered where it is.
#[test]
fn a_call_that_was_left_open_long_ago_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let part = Part::new(PartData::FunctionCall(FunctionCall::new(
        "glob",
        Map::new(),
    )));
    let mut transcript = begin(&path);
    say(&mut transcript, &Content::new(Speaker::Model, vec![part]));
    say(&mut transcript, &Content::user("again"));
    let session = read_transcript(&path).unwrap();
    assert_eq!(session.history[1].function_responses().count(), 1);
    assert_eq!(session.history[2].visible_text(), "again");
}

/// SE-10: results that existed when the session ended are sent to the model.
#[test]
fn results_before_the_end_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let calls = ["glob", "replace"].map(|name| FunctionCall::new(name, Map::new()));
    let output = Map::from_iter([("output".to_owned(), Value::from("found"))]);
    let response = calls[0].respond(output);
    let parts = calls.map(|call| Part::new(PartData::FunctionCall(call)));
    let mut transcript = begin(&path);
    say(&mut transcript, &Content::new(Speaker::Model, parts.into()));
    transcript.append(&Entry::ToolCall(ToolCallEntry {
        timestamp: now(),
        tool_call_id: "1",
        name: "glob",
        args: &Map::new(),
        success: true,
        hook_messages: &[],
        hook_data: &Map::new(),
        response: Some(&response),
    }));
    let session = read_transcript(&path).unwrap();
    let answered: Vec<_> = session.history[1].function_responses().collect();
    assert_eq!(answered[0], &response);
    assert_eq!(answered[1].name, "replace");
    assert!(answered[1].response.contains_key("error"));
}
