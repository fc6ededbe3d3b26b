//! What a transcript stores, and what a session that is resumed from it continues with (SE-10,
//! SE-11).

use std::fs;
use std::path::Path;

use hookloop_agent::{Transcript, TurnEnd, read_transcript};
use serde_json::{Value, json};

use super::desk::{Desk, FIRST, counted, history, history_lines_of, pieces};
use super::stage::{Act, Answer, Plot, StubTool, call, calls, chunk, denies, says, text};

fn session_line() -> Value {
    json!({"type": "session", "session_id": "s", "project_root": "/p", "timestamp": "2026-01-02T03:04:05Z"})
}

fn message(role: &str, words: &str) -> Value {
    json!({"type": "message", "timestamp": "t", "content": {"role": role, "parts": [{"text": words}]}})
}

/// Writes lines to a transcript, and reads the texts of the history back.
fn read(lines: &[Value]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(&path, lines.concat()).unwrap();
    texts(&path)
}

fn texts(path: &Path) -> Vec<String> {
    let stored = read_transcript(path).unwrap();
    stored.history.iter().map(|it| it.visible_text()).collect()
}

/// SE-10, SE-11: everything that a turn adds to the history is read back exactly as it was:
/// thoughts with their signatures, calls with their ids, responses, contexts of hooks, unknown
/// fields.
#[tokio::test]
async fn every_kind_of_content_comes_back_as_it_was() {
    let signed = json!([
        {"text": "hm", "thought": true},
        {"text": "I look", "thoughtSignature": "c2lnbmVk"},
        {"functionCall": {"id": "call-7", "name": "look", "args": {"n": 1}}, "thoughtSignature": "bW9yZQ=="},
        {"functionCall": {"name": "nothing_like_it", "args": {}}},
        {"executableCode": {"language": "PYTHON", "code": "1 + 1"}},
    ]);
    let context = says(&json!({"hookSpecificOutput": {"additionalContext": "<mind> this"}}));
    let desk = Desk::of(
        Plot::of([
            Answer::Chunks(vec![chunk(signed, Some("STOP"))]),
            text("done\nä\u{2028}\u{1f980}"),
        ])
        .tool(StubTool::reading("look"))
        .hook("SessionStart", "greet", context.clone())
        .hook("BeforeAgent", "add", context.clone())
        .hook("AfterTool", "note", context),
    );
    let (session, end) = desk.play().await;
    assert_eq!(end, TurnEnd::Completed);
    let kept = json!(history(&session)).to_string();
    for part in [
        "c2lnbmVk",
        "bW9yZQ==",
        "call-7",
        "executableCode",
        "&lt;mind",
    ] {
        assert!(kept.contains(part), "{part} is missing: {kept}");
    }
    let before = history(&session);
    assert_eq!(desk.stored(FIRST), before);
    drop(session);

    let resumed = desk.resume(FIRST).await;
    assert_eq!(history(&resumed), before);
}

/// SE-10, AT-5: a call is stored as it ran, with whether it succeeded, and what hooks said about
/// it; a message names the model that said it and what its service counted, but not if a hook or a
/// person said it.
#[tokio::test]
async fn entries_tell_where_they_come_from() {
    let usage = json!({"promptTokenCount": 40, "candidatesTokenCount": 2, "totalTokenCount": 42});
    let note = says(&json!({"systemMessage": "seen", "hookSpecificOutput": {"ticket": 4711}}));
    let given = json!({"hookSpecificOutput": {"llm_response": {"text": "from a hook"}}});
    let desk = Desk::of(
        Plot::of([
            calls(&[call("look", json!({"n": 1})), call("fail", json!({}))]),
            counted("done", usage),
        ])
        .tool(StubTool::reading("look"))
        .tool(StubTool::failing("fail", "broken"))
        .hook("AfterTool", "note", note)
        .hook(
            "BeforeModel",
            "answer",
            Act::decides(move |read| {
                if read["llm_request"].to_string().contains("second") {
                    says(&given)
                } else {
                    Act::silent()
                }
            }),
        ),
    );
    let (mut session, _) = desk.play().await;
    desk.prompt(&mut session, "second").await;

    let kept = desk.entries_of(FIRST, "tool_call");
    let outcomes: Vec<_> = kept
        .iter()
        .map(|it| (&it["name"], &it["success"]))
        .collect();
    assert_eq!(
        outcomes,
        [
            (&json!("look"), &json!(true)),
            (&json!("fail"), &json!(false))
        ]
    );
    assert_eq!(kept[0]["args"], json!({"n": 1}));
    assert_eq!(kept[0]["hookMessages"], json!(["seen"]));
    assert_eq!(kept[0]["hookData"], json!({"ticket": 4711}));
    assert_ne!(kept[0]["tool_call_id"], kept[1]["tool_call_id"]);

    let messages = desk.entries_of(FIRST, "message");
    let origins: Vec<_> = messages
        .iter()
        .map(|it| {
            (
                it["model"].as_str(),
                it["usage"]["totalTokenCount"].as_u64(),
            )
        })
        .collect();
    let model = Some("gemini-2.5-pro");
    assert_eq!(
        origins,
        [
            (None, None),
            (model, None),
            (None, None),
            (model, Some(42)),
            (None, None),
            (None, None),
        ]
    );
}

/// SE-10, BM-1: the model that a message names is the one that said it, even if a hook let another
/// one answer than the session's.
#[tokio::test]
async fn a_message_names_the_model_that_said_it() {
    let other =
        says(&json!({"hookSpecificOutput": {"llm_request": {"model": "gemini-2.5-flash"}}}));
    let desk = Desk::of(Plot::of([text("one"), text("two")]).hook(
        "BeforeModel",
        "route",
        Act::in_turn(vec![other, Act::silent()]),
    ));
    let (mut session, _) = desk.play().await;
    desk.prompt(&mut session, "again").await;
    let messages = desk.entries_of(FIRST, "message");
    let models: Vec<_> = messages
        .iter()
        .filter_map(|it| it["model"].as_str())
        .collect();
    assert_eq!(models, ["gemini-2.5-flash", "gemini-2.5-pro"]);
    let counted: Vec<_> = session.stats().models.into_keys().collect();
    assert_eq!(counted, ["gemini-2.5-flash", "gemini-2.5-pro"]);
}

/// SE-10: wherever a crash cuts the last line, everything before it is kept, and what is said
/// afterwards is complete.
#[test]
fn a_last_line_may_be_cut_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let whole = format!("{}\n{}\n", session_line(), message("user", "kept"));
    let last = message("model", "ä\u{1f980} \"quoted\"").to_string();
    for cut in 1..last.len() {
        let mut bytes = whole.clone().into_bytes();
        bytes.extend(&last.as_bytes()[..cut]);
        fs::write(&path, bytes).unwrap();
        assert_eq!(texts(&path), ["kept"], "cut after {cut} bytes");
        drop(Transcript::open(path.clone()).unwrap());
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            whole,
            "cut after {cut} bytes"
        );
    }
}

/// SE-10: a transcript whose very first line was cut has no session; whoever opens it begins it
/// again.
#[test]
fn a_cut_beginning_is_begun_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    fs::write(&path, &session_line().to_string()[..20]).unwrap();
    assert!(read_transcript(&path).is_err());
    let transcript = Transcript::open(path.clone()).unwrap();
    transcript.begin("s", Path::new("/p"));
    transcript.begin("other", Path::new("/p"));
    let stored = read_transcript(&path).unwrap();
    assert_eq!(stored.session_id, "s");
    assert_eq!(stored.first_prompt, None);
    assert!(stored.history.is_empty());
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 1);
}

/// SE-10, SE-11: entries and fields of a later version are skipped, wherever they are.
#[test]
fn entries_of_unknown_kinds_are_passed_over() {
    let unknown =
        json!({"type": "hologram", "content": {"role": 7}, "history": "none", "agent_id": null});
    let mut known = message("user", "one");
    known["mood"] = json!({"deep": [1, 2]});
    let read = read(&[
        unknown.clone(),
        session_line(),
        unknown.clone(),
        known,
        unknown.clone(),
        message("model", "two"),
        unknown,
    ]);
    assert_eq!(read, ["one", "two"]);
}

/// SE-10: anything before the last line that can't be read is an error that names its line: a
/// history with a gap can't be continued.
#[test]
fn what_can_not_be_read_is_named() {
    let broken = [
        "{\"type\":\"message\"}",
        "{}",
        "",
        "null",
        "{\"type\":\"message\",\"content\":{\"parts\":\"none\"}}",
        "{\"type\":\"rewound\",\"messages\":-1}",
    ];
    for line in broken {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        let after = message("user", "after");
        fs::write(&path, format!("{}\n{line}\n{after}\n", session_line())).unwrap();
        let error = read_transcript(&path).unwrap_err();
        assert!(error.to_string().contains("line 2"), "{line}: {error}");
    }
}

/// SE-10, SE-11, TU-5: going back, clearing and compressing count in the order in which they
/// happened, and going back too far changes nothing.
#[test]
fn what_changed_the_history_counts_in_its_order() {
    let cleared = json!({"type": "context_cleared", "timestamp": "t"});
    let rewound =
        |messages: usize| json!({"type": "rewound", "timestamp": "t", "messages": messages});
    let compressed = json!({"type": "compressed", "timestamp": "t", "history": [
        {"role": "user", "parts": [{"text": "notes"}]},
        {"role": "model", "parts": [{"text": "yes"}]},
    ]});
    let (one, two, three) = (
        message("user", "1"),
        message("model", "2"),
        message("user", "3"),
    );
    let (to_0, to_1, to_9) = (rewound(0), rewound(1), rewound(9));
    let table: [(Vec<&Value>, Vec<&str>); 7] = [
        (vec![&one, &two, &to_0], vec![]),
        (vec![&one, &two, &to_1, &three], vec!["1", "3"]),
        (vec![&one, &to_9, &two], vec!["1", "2"]),
        (
            vec![&one, &two, &compressed, &three],
            vec!["notes", "yes", "3"],
        ),
        (vec![&one, &compressed, &to_1, &three], vec!["notes", "3"]),
        (vec![&one, &compressed, &cleared, &three], vec!["3"]),
        (vec![&cleared, &one, &to_1, &two], vec!["1", "2"]),
    ];
    for (entries, expected) in table {
        let beginning = [session_line()].into_iter();
        let lines: Vec<Value> = beginning.chain(entries.into_iter().cloned()).collect();
        assert_eq!(read(&lines), expected, "{lines:?}");
    }
}

/// SE-10, SE-11: anyone who goes back in a session and continues with it later continues from
/// there.
#[tokio::test]
async fn a_session_that_went_back_is_resumed_there() {
    let desk = Desk::of(Plot::of([text("a"), text("b"), text("c"), text("d")]));
    let (mut session, _) = desk.play().await;
    desk.prompt(&mut session, "wrong way").await;
    session.go_back(2);
    assert_eq!(desk.stored(FIRST), history(&session));
    desk.prompt(&mut session, "better").await;
    session.end(hookloop_engine::events::EndReason::Exit).await;

    let mut resumed = desk.resume(FIRST).await;
    assert_eq!(
        history_lines_of(&resumed),
        ["user: go", "model: a", "user: better", "model: c"]
    );
    desk.prompt(&mut resumed, "more").await;
    let asked = &desk.model.requests()[3];
    assert_eq!(
        asked.contents,
        [
            "user: go",
            "model: a",
            "user: better",
            "model: c",
            "user: more"
        ]
    );
    assert!(!asked.json.contains("wrong way"));
    assert_eq!(desk.stored(FIRST), history(&resumed));
}

/// SE-10, AT-1, AM-2, AM-3, BA-2: what hooks withheld is in no transcript, so no resumed session
/// brings it back.
#[tokio::test]
async fn what_hooks_withheld_does_not_come_back() {
    let masked = json!({"hookSpecificOutput": {"llm_response": {"text": "masked"}}});
    let refuses_secrets = Act::decides(|read| {
        if read.to_string().contains("SECRET") {
            denies("no secrets")
        } else {
            Act::silent()
        }
    });
    let answer = || pieces(&["SECRET one", " and more"]);
    let table = [
        ("AfterTool", refuses_secrets.clone(), "look"),
        ("AfterModel", refuses_secrets.clone(), "answer"),
        ("AfterModel", says(&masked), "answer"),
        ("BeforeAgent", refuses_secrets, "prompt"),
    ];
    for (event, act, secret) in table {
        let answers = match secret {
            "look" => vec![calls(&[call("look", json!({}))]), text("fine")],
            "answer" => vec![answer()],
            _ => vec![],
        };
        let desk = Desk::of(
            Plot::of(answers)
                .tool(StubTool::saying("look", "SECRET result"))
                .hook(event, "guard", act),
        );
        let mut session = desk.start().await;
        let prompt = if secret == "prompt" { "a SECRET" } else { "go" };
        desk.prompt(&mut session, prompt).await;
        let text = fs::read_to_string(desk.path_of(FIRST)).unwrap();
        assert!(!text.contains("SECRET"), "{event}: {text}");
        let before = history(&session);
        drop(session);
        let resumed = desk.resume(FIRST).await;
        assert_eq!(history(&resumed), before, "{event}");
        let kept = json!(history(&resumed)).to_string();
        assert!(!kept.contains("SECRET"), "{event}: {kept}");
    }
}

/// SE-10, LO-2: a session that is killed while the second of two calls runs has the first one's
/// result, and continues with an answer to both.
#[tokio::test]
async fn a_result_is_kept_before_the_next_call_runs() {
    let desk = Desk::of(
        Plot::of([
            calls(&[
                call("change", json!({"n": 1})),
                call("change", json!({"n": 2})),
            ]),
            text("done"),
        ])
        .tool(StubTool::editing("change")),
    );
    let (session, _) = desk.play().await;
    let lines: Vec<Value> = desk.entries(FIRST);
    let second = lines
        .iter()
        .rposition(|it| it["type"] == "tool_call")
        .unwrap();
    let results = |contents: &[hookloop_model::Content]| -> Vec<bool> {
        let responses = contents[2].function_responses();
        responses
            .map(|it| it.response.contains_key("output"))
            .collect()
    };
    assert_eq!(results(&history(&session)), [true, true]);
    drop(session);

    // What was on disk when the second call began.
    let kept: Vec<String> = lines[..second].iter().map(|it| format!("{it}\n")).collect();
    fs::write(desk.path_of(FIRST), kept.concat()).unwrap();
    assert_eq!(results(&desk.stored(FIRST)), [true, false]);
    let mut resumed = desk.resume(FIRST).await;
    desk.model.then([text("on we go")]);
    assert_eq!(desk.prompt(&mut resumed, "more").await, TurnEnd::Completed);
    let sent = history_lines_of(&resumed);
    assert_eq!(sent[1], "model calls change; model calls change");
    assert!(
        sent[2].contains("says output") && sent[2].contains("says error"),
        "{sent:?}"
    );
}

/// SE-11: a session is listed by what its user said first, not by context of hooks.
#[tokio::test]
async fn a_session_is_listed_by_the_users_words() {
    let context = says(&json!({"hookSpecificOutput": {"additionalContext": "of a hook"}}));
    for start_context in [
        hookloop_agent::StartContext::BeforePrompt,
        hookloop_agent::StartContext::FirstTurn,
    ] {
        let mut plot = Plot::of([text("a"), text("b")])
            .hook("SessionStart", "greet", context.clone())
            .hook("BeforeAgent", "add", context.clone());
        plot.start_context = start_context;
        let desk = Desk::of(plot);
        let (mut session, _) = desk.play().await;
        desk.prompt(&mut session, "later").await;
        session.go_back(0);
        let stored = read_transcript(&desk.path_of(FIRST)).unwrap();
        assert_eq!(
            stored.first_prompt.as_deref(),
            Some("go"),
            "{start_context:?}"
        );
        assert_eq!(stored.session_id, FIRST);
        assert_eq!(
            json!(stored.started_at),
            desk.entries(FIRST)[0]["timestamp"]
        );
    }
}
