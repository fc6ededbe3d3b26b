//! What may be recorded of a run: OUT-2, AT-1, AM-2, AM-3.

use hookloop_engine::events::EventName::{AfterModel, AfterTool, BeforeTool};
use hookloop_engine::events::llm::{LlmRequest, LlmRequestPatch, LlmResponse};
use hookloop_engine::events::{
    AfterModelOutcome, AfterToolOutcome, BeforeModelOutcome, SharedRequest, ToolChoice,
    ToolResponse,
};
use hookloop_engine::{
    ArrivedChunk, Cleared, Ending, Hooks, ModelRequest, RunRecord, Suppression, Truncation,
};
use serde_json::{Value, json};

use crate::support::{Host, Setting, accepted, call, denies, ends, hook, identity, says, silent};

/// OUT-2: a hook that suppresses its output leaves that it ran, and nothing of its content.
#[tokio::test]
async fn suppressed_content_is_not_recordable() {
    let reply = json!({"suppressOutput": true, "systemMessage": "still shown",
        "decision": "deny", "reason": "still told"});
    let host = Setting::default()
        .hook(hook(BeforeTool, "quiet"), says(&reply))
        .hook(hook(BeforeTool, "open"), silent())
        .host();
    let concluded = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    assert_eq!(concluded.messages[0].text, "still shown");
    let ended = host.concluded();
    assert_eq!(ended.summary.reason.as_deref(), Some("still told"));
    assert_eq!(ended.runs[0].suppression, Suppression::Suppressed);
    assert!(ended.runs[0].recordable_content().is_none());
    assert!(ended.runs[1].recordable_content().is_some());
}

/// OUT-2, IO-13: exit code 2 keeps a hook's wish for silence.
#[tokio::test]
async fn a_refusal_by_exit_code_can_be_suppressed() {
    let host = Setting::default()
        .hook(
            hook(BeforeTool, "quiet"),
            ends(Ending::Exited(2), r#"{"suppressOutput":true}"#, "no"),
        )
        .host();
    let _ = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    assert!(host.concluded().runs[0].recordable_content().is_none());
}

/// OUT-2: a hook that fails keeps its wish for silence, too.
#[tokio::test]
async fn a_failing_hook_can_be_suppressed() {
    let reply = r#"{"suppressOutput":true,"continue":"no"}"#;
    let host = Setting::default()
        .hook(
            hook(BeforeTool, "quiet"),
            ends(Ending::Exited(0), reply, "secret"),
        )
        .host();
    let _ = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    assert!(host.concluded().runs[0].recordable_content().is_none());
}

/// OUT-2: what a hook suppresses isn't shown with its failure either.
#[tokio::test]
async fn a_suppressed_failure_repeats_nothing() {
    for (stdout, stderr) in [
        (r#"{"suppressOutput":true}"#, "secret"),
        (r#"{"suppressOutput":true,"decision":"secret"}"#, ""),
    ] {
        let ending = Ending::Exited(i32::from(!stderr.is_empty()));
        let host = Setting::default()
            .hook(hook(BeforeTool, "quiet"), ends(ending, stdout, stderr))
            .host();
        let _ = host
            .session
            .before_tool(call("glob"), accepted)
            .await
            .unwrap();
        let failure = host.concluded().runs[0].failure.clone().unwrap();
        assert!(!failure.to_string().contains("secret"), "{failure}");
        assert!(!host.notices()[0].contains("secret"), "{stdout}");
    }
}

/// IO-15: standard error is recorded as it is, whatever the hook said by other means.
#[tokio::test]
async fn standard_error_is_recorded() {
    let host = Setting::default()
        .hook(
            hook(BeforeTool, "a"),
            ends(Ending::Exited(0), "", r#"{"decision":"deny"}"#),
        )
        .host();
    let _ = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    let run = &host.concluded().runs[0];
    assert_eq!(run.content.stderr, r#"{"decision":"deny"}"#);
    assert_eq!(run.content.truncation, Truncation::Whole);
    assert!(run.content.reply.is_none());
    assert_eq!(run.session_id, identity().session_id);
}

fn everything_in(run: &RunRecord) -> String {
    let content = &run.content;
    let reply = serde_json::to_string(&content.reply).unwrap();
    let failure = serde_json::to_string(&run.failure).unwrap();
    [
        &content.input.text(),
        content.stdout.as_str(),
        &content.stderr,
        &reply,
        &failure,
    ]
    .join("\n")
}

fn secret_response() -> ToolResponse {
    ToolResponse {
        llm_content: json!("header\nPASSWORD=hunter22\nfooter"),
        return_display: json!({"shown": "PASSWORD=hunter22"}),
        error: None,
    }
}

/// AT-1: a result that a hook withholds is in no run's record, whichever hook repeated it, and
/// whole or in part.
#[tokio::test]
async fn a_withheld_result_is_in_no_record() {
    let echo = "line: PASSWORD=hunter22";
    let repeats = json!({"systemMessage": echo, "hookSpecificOutput": {"seen": {"all": echo}}});
    let host = Setting::default()
        .hook(hook(AfterTool, "repeats"), says(&repeats))
        .hook(hook(AfterTool, "logs"), ends(Ending::Exited(0), "", echo))
        .hook(hook(AfterTool, "fails"), ends(Ending::Exited(1), "", echo))
        .hook(
            hook(AfterTool, "quotes"),
            ends(
                Ending::Exited(0),
                "{\"x\":\"header\\nPASSWORD=hunter22\\nfooter\"}",
                "",
            ),
        )
        .hook(hook(AfterTool, "withholds"), denies("holds a password"))
        .host();
    let concluded = host
        .session
        .after_tool(&call("read_file"), secret_response())
        .await
        .unwrap();
    assert!(matches!(
        concluded.outcome,
        AfterToolOutcome::Withhold(reason, ..) if reason.as_str() == "holds a password"
    ));
    for run in host.concluded().runs {
        let all = everything_in(&run);
        assert!(!all.contains("hunter22"), "{}: {all}", run.hook.label());
        let input: Value = serde_json::from_str(&run.content.input.text()).unwrap();
        assert_eq!(input["tool_response"], "[withheld by a hook]");
        assert_eq!(input["tool_name"], "read_file");
    }
    assert_eq!(
        host.input_of("logs")["tool_response"]["returnDisplay"]["shown"],
        "PASSWORD=hunter22"
    );
}

/// AT-1: a withheld result reaches model and transcript in no other way either: not by another
/// hook's context, message or fields. The user has already seen the message.
#[tokio::test]
async fn a_withheld_result_takes_no_other_way() {
    let echo = "seen: PASSWORD=hunter22";
    let repeats = json!({"systemMessage": echo, "hookSpecificOutput":
        {"seen": [echo], "additionalContext": echo}});
    let host = Setting::default()
        .hook(hook(AfterTool, "repeats"), says(&repeats))
        .hook(hook(AfterTool, "withholds"), denies("no"))
        .host();
    let concluded = host
        .session
        .after_tool(&call("read_file"), secret_response())
        .await
        .unwrap();
    let AfterToolOutcome::Withhold(_, _, Some(context)) = &concluded.outcome else {
        panic!("the result is withheld");
    };
    assert_eq!(context.as_str(), "seen: [withheld by a hook]");
    assert_eq!(concluded.messages, ["seen: [withheld by a hook]"]);
    assert_eq!(
        concluded.data["seen"],
        json!(["seen: [withheld by a hook]"])
    );
    assert_eq!(host.concluded().messages[0].text, echo);
}

/// AT-1, AT-4: a stop outweighs the refusal, and the result still stays withheld.
#[tokio::test]
async fn a_stop_lets_nothing_out() {
    let echo = "seen: PASSWORD=hunter22";
    let repeats = json!({"systemMessage": echo, "hookSpecificOutput": {"seen": [echo]}});
    let host = Setting::default()
        .hook(hook(AfterTool, "repeats"), says(&repeats))
        .hook(hook(AfterTool, "withholds"), denies("no"))
        .hook(hook(AfterTool, "stops"), says(&json!({"continue": false})))
        .host();
    let concluded = host
        .session
        .after_tool(&call("read_file"), secret_response())
        .await
        .unwrap();
    assert!(matches!(concluded.outcome, AfterToolOutcome::Stop(_)));
    assert_eq!(concluded.messages, ["seen: [withheld by a hook]"]);
    assert_eq!(
        concluded.data["seen"],
        json!(["seen: [withheld by a hook]"])
    );
    for run in &host.concluded().runs {
        assert!(!everything_in(run).contains("hunter22"), "{:?}", run.hook);
    }
}

/// AT-1: what isn't withheld is recorded as it is.
#[tokio::test]
async fn an_open_result_is_recorded() {
    let host = Setting::default()
        .hook(hook(AfterTool, "a"), silent())
        .host();
    let _ = host
        .session
        .after_tool(&call("read_file"), secret_response())
        .await
        .unwrap();
    assert!(
        host.concluded().runs[0]
            .content
            .input
            .text()
            .contains("hunter22")
    );
}

/// AT-2, AT-3, AT-5: context, chain, messages and own fields come back for the result's record.
#[tokio::test]
async fn a_result_gets_its_context_and_data() {
    let reply = json!({"systemMessage": "m", "hookSpecificOutput": {"additionalContext": "c",
        "tailToolCallRequest": {"name": "glob", "args": {"pattern": "*"}}, "score": 3}});
    let host = Setting::default()
        .hook(hook(AfterTool, "a"), says(&reply))
        .host();
    let concluded = host
        .session
        .after_tool(&call("read_file"), secret_response())
        .await
        .unwrap();
    let AfterToolOutcome::Chain(next, Some(context)) = concluded.outcome else {
        panic!("another tool runs");
    };
    assert_eq!(next.name, "glob");
    assert_eq!(context.as_str(), "c");
    assert_eq!(concluded.messages, ["m"]);
    assert_eq!(Value::Object(concluded.data), json!({"score": 3}));
}

struct Request;

impl ModelRequest for Request {
    fn view(&self) -> SharedRequest {
        SharedRequest::new(LlmRequest {
            model: "m".to_owned(),
            messages: Vec::new(),
            config: serde_json::Map::new(),
            tool_config: None,
        })
    }

    fn patched(self, _patch: &LlmRequestPatch) -> Self {
        self
    }

    fn with_tools(self, _choice: &ToolChoice) -> Self {
        self
    }
}

async fn cleared() -> Cleared<Request> {
    let session = Hooks::none().session(identity());
    match session.before_model(Request).await.unwrap().outcome {
        BeforeModelOutcome::Send(request) => request,
        _ => panic!("nobody objects"),
    }
}

async fn chunk(host: &Host, text: &str) -> AfterModelOutcome {
    let response = LlmResponse::of_text(text);
    let chunk = ArrivedChunk {
        response: &response,
        text_before: "before ",
    };
    host.session
        .after_model(&cleared().await, chunk)
        .await
        .unwrap()
        .outcome
}

/// AM-2: the text that a hook replaced is in no record; what it kept of it is.
#[tokio::test]
async fn a_replaced_chunk_is_in_no_record() {
    let host = Setting::default()
        .hook(
            hook(AfterModel, "logs"),
            ends(Ending::Exited(0), "", "saw: the code is 4711"),
        )
        .hook(
            hook(AfterModel, "redacts"),
            says(&json!({"hookSpecificOutput": {"llm_response": {"text": "the code is ****"}}})),
        )
        .host();
    let outcome = chunk(&host, "the code is 4711").await;
    assert!(matches!(
        outcome,
        AfterModelOutcome::Replace(given) if given.text.as_deref() == Some("the code is ****")
    ));
    assert_eq!(host.input_of("logs")["content"], "the code is 4711");
    assert_eq!(
        host.input_of("logs")["full_content"],
        "before the code is 4711"
    );
    let runs = host.concluded().runs;
    for run in &runs {
        assert!(
            !everything_in(run).contains("4711"),
            "{}",
            everything_in(run)
        );
    }
    assert!(everything_in(&runs[1]).contains("the code is ****"));
}

/// AM-2, AM-3: a rewrite that didn't last is in no record either: a later one replaced it, or
/// the chunk was refused.
#[tokio::test]
async fn a_rewrite_that_did_not_last_is_in_no_record() {
    let gives = |text: &str| says(&json!({"hookSpecificOutput": {"llm_response": {"text": text}}}));
    for last in [gives("****"), denies("no secrets")] {
        let host = Setting::default()
            .hook(hook(AfterModel, "keeps"), gives("the code is 4711"))
            .hook(hook(AfterModel, "last"), last)
            .host();
        chunk(&host, "the code is 4711").await;
        for run in host.concluded().runs {
            assert!(
                !everything_in(&run).contains("4711"),
                "{}",
                everything_in(&run)
            );
        }
    }
}

/// AM-3: a refused chunk is in no record.
#[tokio::test]
async fn a_refused_chunk_is_in_no_record() {
    let host = Setting::default()
        .hook(
            hook(AfterModel, "a"),
            ends(Ending::Exited(2), "", "no secrets"),
        )
        .host();
    let outcome = chunk(&host, "the code is 4711").await;
    assert!(
        matches!(outcome, AfterModelOutcome::Refuse(reason, _) if reason.as_str() == "no secrets")
    );
    assert!(!everything_in(&host.concluded().runs[0]).contains("4711"));
}
