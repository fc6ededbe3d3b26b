//! What a reply means at single events.

use hookloop_events::{
    AfterModel, AfterTool, BeforeAgent, BeforeTool, BeforeToolSelection, Ruling,
};

use super::{Remark, exit, others, verdict};

/// BT-5: only `BeforeTool` can ask; elsewhere a question is a refusal, and that is reported.
#[test]
fn a_question_elsewhere_is_a_refusal() {
    let asks = exit(0, r#"{"decision":"ask","reason":"sure?"}"#);
    assert_eq!(verdict(&asks.before_tool()), "ask sure? []");
    assert!(asks.before_tool().remarks.is_empty());
    let reading = asks.read::<AfterTool>();
    assert!(matches!(
        reading.answer.as_ref().unwrap().ruling,
        Ruling::Deny(..)
    ));
    assert_eq!(
        others(&reading),
        ["\"ask\" is a refusal on AfterTool: only BeforeTool can ask the user"]
    );
    assert!(matches!(
        asks.read::<BeforeAgent>().answer.unwrap().ruling,
        Ruling::Deny(..)
    ));
    assert!(matches!(
        asks.read::<AfterModel>().answer.unwrap().ruling,
        Ruling::Deny(..)
    ));
}

/// TS-3: decisions, stops and messages have no effect on the choice of tools, and that is reported.
#[test]
fn tool_selection_knows_no_decision() {
    let reply = r#"{"decision":"deny","continue":false,"systemMessage":"m",
        "hookSpecificOutput":{"toolConfig":{"mode":"NONE"}}}"#;
    let reading = exit(0, reply).read::<BeforeToolSelection>();
    let expected = ["decision", "continue", "systemMessage"]
        .map(|field| format!("`{field}` has no effect on BeforeToolSelection"));
    assert_eq!(others(&reading), expected);
    assert!(reading.answer.unwrap().tool_config.is_some());
}

/// TS-1, IO-22: a restriction that names neither a mode nor tools is malformed, not silently lost.
#[test]
fn an_empty_restriction_of_tools_is_malformed() {
    let has_failed = |config: &str| {
        let reply = format!(r#"{{"hookSpecificOutput":{{"toolConfig":{config}}}}}"#);
        let reading = exit(0, &reply).read::<BeforeToolSelection>();
        reading.failure.is_some()
    };
    for empty in ["{}", r#"{"allowedFunctionNames":null}"#, r#"{"mode":null}"#] {
        assert!(has_failed(empty), "{empty}");
    }
    for config in [r#"{"mode":"NONE"}"#, r#"{"allowedFunctionNames":[]}"#] {
        assert!(!has_failed(config), "{config}");
    }
}

/// OUT-7: a refusal in the words of Claude Code is one.
#[test]
fn a_refusal_in_other_words_refuses() {
    let ruling = |reply: &str| exit(0, reply).read::<BeforeTool>().answer.unwrap().ruling;
    for refusal in [
        r#"{"permissionDecision":"deny"}"#,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#,
        r#"{"permissionDecision":"deny","decision":"allow"}"#,
    ] {
        assert!(matches!(ruling(refusal), Ruling::Deny(..)), "{refusal}");
    }
    assert!(matches!(
        ruling(r#"{"permissionDecision":"ask"}"#),
        Ruling::Ask(_)
    ));
    let malformed = exit(0, r#"{"permissionDecision":7}"#).read::<BeforeTool>();
    assert!(malformed.failure.is_some());
}

/// IO-22, IO-23: a refusal in other words, misspelt or in the wrong place makes the reply
/// malformed, and counts.
#[test]
fn a_refusal_in_other_words_counts() {
    for reply in [
        r#"{"Decision":"deny","reason":"no"}"#,
        r#"{"decision ":"block","reason":"no"}"#,
        r#"{"decision":"reject","reason":"no"}"#,
        r#"{"permission":"deny","agentMessage":"no"}"#,
        r#"{"approved":false,"reason":"no"}"#,
        r#"{"decision":"allow","block":true,"reason":"no"}"#,
        r#"{"hookSpecificOutput":{"decision":"deny","reason":"no"}}"#,
    ] {
        for code in [0, 1] {
            let said = verdict(&exit(code, reply).before_tool());
            assert!(said.starts_with("deny no ["), "{code} {reply}: {said}");
        }
        let failure = exit(0, reply).before_tool().failure.unwrap();
        assert_eq!(failure.kind(), "malformed_reply", "{reply}");
    }
    for reply in [
        r#"{"Continue":false}"#,
        r#"{"hookSpecificOutput":{"continue":false}}"#,
    ] {
        let said = verdict(&exit(0, reply).before_tool());
        assert_eq!(
            said, "stop Stopped by hook \"guard\" [malformed_reply]",
            "{reply}"
        );
    }
    for reply in [
        r#"{"Decision":"allow"}"#,
        r#"{"Continue":true}"#,
        r#"{"hookSpecificOutput":{"tool_input":{"decision":"deny"}}}"#,
    ] {
        assert_eq!(
            verdict(&exit(0, reply).before_tool()),
            "silent []",
            "{reply}"
        );
    }
    let other = exit(0, r#"{"Decision":"deny"}"#).read::<BeforeToolSelection>();
    assert!(other.failure.is_none(), "nothing can be refused there");
}

/// IO-23: what the event doesn't know is reported, by its field.
#[test]
fn unknown_fields_are_reported() {
    let reading = exit(
        0,
        r#"{"additional_context":"c","block":false,"reason":"r"}"#,
    )
    .before_tool();
    assert_eq!(reading.unknown_fields, ["additional_context", "block"]);
    let is_unknown_field = |remark: &Remark| matches!(remark, Remark::UnknownField(_));
    assert_eq!(
        reading
            .remarks
            .iter()
            .filter(|it| is_unknown_field(it))
            .count(),
        3
    );
    let known = exit(0, r#"{"tool_input":{"a":1},"decision":"allow"}"#).before_tool();
    assert!(known.unknown_fields.is_empty());
    assert!(known.answer.unwrap().tool_input.is_some(), "OUT-7");
}

/// IO-23, AT-5: data that an `AfterTool` hook attaches is neither a refusal nor unknown.
#[test]
fn data_of_after_tool_stays_data() {
    let data = exit(0, r#"{"hookSpecificOutput":{"verdict":"block","score":7}}"#);
    let reading = data.read::<AfterTool>();
    assert!(reading.failure.is_none() && reading.unknown_fields.is_empty());
    assert_eq!(reading.answer.unwrap().data.len(), 2);
    let refusal = exit(0, r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#);
    assert!(matches!(
        refusal.read::<AfterTool>().answer.unwrap().ruling,
        Ruling::Deny(..)
    ));
}

/// OUT-7: a chunk's new text of a wrong type is a malformed reply: a redaction that doesn't happen
/// is reported.
#[test]
fn a_wrong_older_spelling_is_malformed() {
    let chunk = exit(0, r#"{"content":["redacted"]}"#).read::<AfterModel>();
    assert!(chunk.failure.is_some());
    let choice = exit(0, r#"{"toolConfig":{"functionCallingConfig":"NONE"}}"#);
    assert!(choice.read::<BeforeToolSelection>().failure.is_some());
}

/// TS-4: a comma-separated list of names is a choice of tools; other text is pollution.
#[test]
fn a_list_of_names_chooses_tools() {
    let names = |stdout: &str| {
        let answer = exit(0, stdout).read::<BeforeToolSelection>().answer?;
        answer.tool_config?.allowed_function_names
    };
    assert_eq!(names("glob, read_file\n").unwrap(), ["glob", "read_file"]);
    assert_eq!(names("mcp__git__log").unwrap(), ["mcp__git__log"]);
    assert_eq!(names("glob").unwrap(), ["glob"]);
    assert_eq!(names("ok"), None);
    assert_eq!(names("all tools are fine"), None);
    assert_eq!(names("glob,"), None);
    let polluted = exit(0, "ok").read::<BeforeToolSelection>();
    assert_eq!(polluted.remarks, [Remark::Polluted { lost: None }]);
    let strict = exit(0, "glob,read_file")
        .strict()
        .read::<BeforeToolSelection>();
    assert!(strict.failure.is_none(), "a list of names is a reply");
}
