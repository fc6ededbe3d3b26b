//! Replies that would change what is judged, and can't.

use hookloop_events::{
    AfterModel, AfterTool, BeforeModel, BeforeTool, BeforeToolSelection, Cause, Event, Ruling,
};

use super::{Case, Remark, exit};
use crate::reading::Reading;
use crate::unknown::UnknownField;

/// Returns how a reply is judged: its failure, and whether that refuses, else what is reported
/// about it.
fn said<E: Event>(case: &Case, ruling: fn(&E::Answer) -> &Ruling) -> String {
    let Reading {
        answer,
        failure,
        remarks,
        ..
    } = case.read::<E>();
    let refuses = answer
        .as_ref()
        .is_some_and(|it| matches!(ruling(it), Ruling::Deny(_, Cause::Failure)));
    let reported = remarks.iter().find_map(|it| match it {
        Remark::UnknownField(UnknownField { field, meant }) => Some(format!(
            "told: `{field}` changes nothing; write {}",
            meant.as_deref()?
        )),
        _ => None,
    });
    match (refuses, failure) {
        (true, Some(failure)) => format!("refused: {failure}"),
        (false, Some(failure)) => format!("warned: {failure}"),
        (_, None) => reported.unwrap_or_else(|| "read".to_owned()),
    }
}

fn after_model(case: &Case) -> String {
    said::<AfterModel>(case, |it| &it.ruling)
}

fn before_model(case: &Case) -> String {
    said::<BeforeModel>(case, |it| &it.ruling)
}

fn after_tool(case: &Case) -> String {
    said::<AfterTool>(case, |it| &it.ruling)
}

fn before_tool(case: &Case) -> String {
    said::<BeforeTool>(case, |it| &it.ruling)
}

fn of_own(own: &str) -> Case {
    exit(0, &format!(r#"{{"hookSpecificOutput":{own}}}"#))
}

/// What a reply to an event would change, how it is judged, and what is reported about it.
type Lost = (&'static str, fn(&Case) -> String, &'static str);

const LOST: [Lost; 20] = [
    (
        r#"{"llm_response":{"candidates":[{"text":"***"}]}}"#,
        after_model,
        "in `candidates[0].content.parts`, or in `text`",
    ),
    (
        r#"{"llm_response":{"candidates":[]}}"#,
        after_model,
        "or in `text`",
    ),
    (
        r#"{"llm_response":{"candidates":[{"content":{"text":"***"}}]}}"#,
        after_model,
        "candidates[0].content.parts",
    ),
    (
        r#"{"llm_response":{"choices":[{"message":{"content":"***"}}]}}"#,
        after_model,
        "or in `text`",
    ),
    (
        r#"{"llm_response":{"candidates":[{"text":"***","finishReason":"STOP"}]}}"#,
        after_model,
        "llm_response.candidates[].content.parts`",
    ),
    (r#"{"llm_response":{}}"#, after_model, "or in `text`"),
    (
        r#"{"llm_response":"***"}"#,
        after_model,
        "should be an object",
    ),
    (
        r#"{"llmResponse":{"text":"***"}}"#,
        after_model,
        "write `hookSpecificOutput.llm_response`",
    ),
    (
        r#"{"text":"***"}"#,
        after_model,
        "`hookSpecificOutput.llm_response`",
    ),
    (
        r#"{"llm_request":{"contents":[{"role":"user","parts":[{"text":"x"}]}]}}"#,
        before_model,
        "write `hookSpecificOutput.llm_request.messages`",
    ),
    (
        r#"{"llm_request":{"tools":[]}}"#,
        before_model,
        "write `hookSpecificOutput.llm_request.toolConfig`",
    ),
    (
        r#"{"llm_request":{"messages":"x"}}"#,
        before_model,
        "a list of messages",
    ),
    (
        r#"{"modifiedRequest":{"model":"m"}}"#,
        before_model,
        "write `hookSpecificOutput.llm_request`",
    ),
    (
        r#"{"tool_response":{"llmContent":"***"}}"#,
        after_tool,
        "with the new text as `reason`",
    ),
    (r#"{"updatedToolOutput":"***"}"#, after_tool, "as `reason`"),
    (
        r#"{"updatedMCPToolOutput":"***"}"#,
        after_tool,
        "as `reason`",
    ),
    (r#"{"tool_output":"***"}"#, after_tool, "as `reason`"),
    (r#"{"tool_input":"ls"}"#, before_tool, "should be an object"),
    (
        r#"{"toolInput":{"command":"ls"}}"#,
        before_tool,
        "write `hookSpecificOutput.tool_input`",
    ),
    (
        r#"{"hookEventName":"AfterTool","tool_input":{"command":"ls"}}"#,
        before_tool,
        "should be \"BeforeTool\"",
    ),
];

/// IO-26: a change that can't be applied is reported with its right spelling, and keeps what it
/// would have changed from continuing if the hook says that its failures refuse.
#[test]
fn a_change_that_cannot_be_applied_is_reported() {
    for (own, judged, expected) in LOST {
        let by_default = judged(&of_own(own));
        let is_told = by_default.starts_with("told: ") || by_default.starts_with("warned: ");
        assert!(
            is_told && by_default.contains(expected),
            "{own}: {by_default}"
        );
        let strict = judged(&of_own(own).strict());
        assert!(strict.starts_with("refused: malformed"), "{own}: {strict}");
        assert!(strict.contains(expected), "{own}: {strict}");
    }
}

/// BM-3: even an empty response keeps the request from the model.
#[test]
fn an_empty_response_is_one() {
    for own in [
        r#"{"llm_response":{}}"#,
        r#"{"llm_response":{"candidates":[]}}"#,
        r#"{"llm_response":{"candidates":[{"finishReason":"STOP"}]}}"#,
    ] {
        for case in [of_own(own), of_own(own).strict()] {
            let reading = case.read::<BeforeModel>();
            assert_eq!(reading.failure, None, "{own}");
            assert!(
                reading.answer.is_some_and(|it| it.response.is_some()),
                "{own}"
            );
        }
    }
}

/// IO-26: what else a reply says has its effect.
#[test]
fn a_lost_change_takes_nothing_along() {
    let own = r#"{"tool_response":{"llmContent":"***"},"additionalContext":"c"}"#;
    let reading = of_own(own).read::<AfterTool>();
    assert!(reading.answer.is_some_and(|it| it.context.is_some()));
}

/// IO-26, IO-22: so is a change beside a field of a wrong type, and one in an object that a quoted
/// text broke.
#[test]
fn a_change_in_a_malformed_reply_fails() {
    for (reply, judged) in [
        (
            r#"{"continue":"no","hookSpecificOutput":{"tool_input":{"a":1}}}"#,
            before_tool as fn(&Case) -> String,
        ),
        (
            r#"{"hookSpecificOutput":{"llm_response":{"text":"she said "no" to it"}}}"#,
            after_model,
        ),
        (r#"{"systemMessage":7,"content":"***"}"#, after_model),
    ] {
        let strict = judged(&exit(0, reply).strict());
        assert!(
            strict.starts_with("refused: malformed"),
            "{reply}: {strict}"
        );
        let lenient = judged(&exit(0, reply).lenient());
        assert!(
            lenient.starts_with("warned: malformed"),
            "{reply}: {lenient}"
        );
    }
}

/// IO-26: a change that is applied or empty, or a returned payload, isn't a failure.
#[test]
fn other_replies_are_read() {
    for (reply, judged) in [
        (
            r#"{"hookSpecificOutput":{"llm_response":{"text":"***","finish_reason":"STOP"}}}"#,
            after_model as fn(&Case) -> String,
        ),
        (
            r#"{"hookSpecificOutput":{"llm_response":{"candidates":[{"finishReason":"STOP"}]}}}"#,
            after_model,
        ),
        (
            r#"{"full_content":"a","llm_request":{"model":"m"}}"#,
            after_model,
        ),
        (r#"{"hookSpecificOutput":{"llm_request":{}}}"#, before_model),
        (
            r#"{"hookSpecificOutput":{"llm_request":{"model":"m","contents":[]}}}"#,
            before_model,
        ),
        (
            r#"{"hookSpecificOutput":{"llm_response":{"text":"t","finish_reason":"STOP"}}}"#,
            before_model,
        ),
        (r#"{"tool_response":{"llmContent":"a"}}"#, after_tool),
        (
            r#"{"hookSpecificOutput":{"score":7,"result":"ok"}}"#,
            after_tool,
        ),
        (
            r#"{"hookSpecificOutput":{"tool_input":{"a":1},"args":{}}}"#,
            before_tool,
        ),
        (r#"{"input":"looked at it"}"#, before_tool),
    ] {
        let judged = judged(&exit(0, reply).strict());
        let is_read = judged == "read" || judged.starts_with("told: ");
        assert!(is_read, "{reply}: {judged}");
    }
    let denied = exit(
        0,
        r#"{"decision":"deny","reason":"no","hookSpecificOutput":{"tool_output":"***"}}"#,
    );
    let answer = denied.read::<AfterTool>().answer.unwrap();
    assert!(matches!(answer.ruling, Ruling::Deny(_, Cause::Policy)));
}

/// IO-23: a key that isn't read inside an event's own field is reported, with its place and what
/// was meant.
#[test]
fn unread_parts_are_reported() {
    fn told<E: Event>(own: &str) -> Vec<(String, String)> {
        let reading = of_own(own).read::<E>();
        let fields = reading
            .remarks
            .into_iter()
            .filter_map(|remark| match remark {
                Remark::UnknownField(field) => Some((field.field, field.meant.unwrap_or_default())),
                _ => None,
            });
        fields.collect()
    }
    let one = |field: &str, meant: &str| vec![(field.to_owned(), meant.to_owned())];
    for own in [
        r#"{"toolConfig":{"mode":"AUTO","allowedTools":["read_file"]}}"#,
        r#"{"toolConfig":{"functionCallingConfig":{"allowedTools":["read_file"]}}}"#,
    ] {
        assert_eq!(
            told::<BeforeToolSelection>(own),
            one(
                "hookSpecificOutput.toolConfig.allowedTools",
                "`hookSpecificOutput.toolConfig.allowedFunctionNames`"
            )
        );
    }
    assert_eq!(
        told::<BeforeToolSelection>(r#"{"toolConfig":{"disallowedFunctionNames":["x"]}}"#),
        one(
            "hookSpecificOutput.toolConfig.disallowedFunctionNames",
            "`hookSpecificOutput.toolConfig.allowedFunctionNames`"
        )
    );
    assert_eq!(
        told::<BeforeModel>(
            r#"{"llm_request":{"config":{"temprature":0,"topA":1,"thinkingConfig":{"a":1}}}}"#
        ),
        one(
            "hookSpecificOutput.llm_request.config.temprature",
            "`hookSpecificOutput.llm_request.config.temperature`"
        )
    );
    assert_eq!(
        told::<BeforeModel>(
            r#"{"llm_request":{"model":"m","toolConfig":{"mode":"ANY","xyzzy":1}}}"#
        ),
        one(
            "hookSpecificOutput.llm_request.toolConfig.xyzzy",
            "one of `mode`, `allowedFunctionNames`"
        )
    );
    assert_eq!(
        told::<AfterTool>(r#"{"addtionalContext":"c","score":7,"status":"ok"}"#),
        one(
            "hookSpecificOutput.addtionalContext",
            "`hookSpecificOutput.additionalContext`"
        )
    );
    assert_eq!(
        told::<AfterTool>(r#"{"continue":false}"#),
        one("hookSpecificOutput.continue", "`continue`")
    );
}

/// IO-26: a change in a misspelt place changes nothing, and anything else there isn't a change.
#[test]
fn a_change_in_a_misspelt_place_is_lost() {
    for (reply, judged, is_lost) in [
        (
            r#"{"HookSpecificOutput":{"tool_input":{"command":"ls"}}}"#,
            before_tool as fn(&Case) -> String,
            true,
        ),
        (
            r#"{"hook_specific_output":{"toolInput":{"command":"ls"}}}"#,
            before_tool,
            true,
        ),
        (
            r#"{"hook-specific-output":{"llm_response":{"text":"***"}}}"#,
            after_model,
            true,
        ),
        (
            r#"{"hookSpecificOutput":{"parameters":{"command":"ls"}}}"#,
            before_tool,
            true,
        ),
        (
            r#"{"hook_specific_output":{"additionalContext":"c"}}"#,
            before_tool,
            false,
        ),
        (
            r#"{"hook_specific_output":{"tool_input":null}}"#,
            before_tool,
            false,
        ),
        (
            r#"{"hook_specific_output":{"tool_input":{"a":1}},"hookSpecificOutput":{"tool_input":{"a":1}}}"#,
            before_tool,
            false,
        ),
    ] {
        let strict = judged(&exit(0, reply).strict());
        let refuses = strict.starts_with("refused: malformed");
        assert_eq!(refuses, is_lost, "{reply}: {strict}");
        let lenient = judged(&exit(0, reply).lenient());
        assert!(!lenient.starts_with("refused"), "{reply}: {lenient}");
    }
}
