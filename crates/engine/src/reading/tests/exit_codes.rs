//! Exit codes other than 0.

use hookloop_events::{
    AfterAgent, BeforeModel, BeforeToolSelection, Event, Memory, Notification, PreCompress, Ruling,
    SessionEnd, SessionStart,
};

use super::{Remark, case, check, exit, others};
use crate::port::Ending;
use crate::stop::StopCause;

/// IO-13, BT-2: exit 2 refuses; the reason is found in the order of the specification.
#[test]
fn exit_2_refuses() {
    let two = |stdout: &str, stderr: &str| case(Ending::Exited(2), stdout, stderr);
    check(&[
        ("standard error", two("", " no way \n"), "deny no way []"),
        (
            "an object on standard error",
            two("", r#"{"reason":"why"}"#),
            "deny why []",
        ),
        (
            "an object without reason there",
            two("", r#"{"a":1}"#),
            "deny {\"a\":1} []",
        ),
        (
            "an object on standard output",
            two(r#"{"reason":"why"}"#, ""),
            "deny why []",
        ),
        (
            "standard error first",
            two(r#"{"reason":"out"}"#, "err"),
            "deny err []",
        ),
        ("text on standard output", two("why", ""), "deny why []"),
        ("nothing", two("", ""), "deny Blocked by hook \"guard\" []"),
        (
            "an object that says nothing",
            two("{}", ""),
            "deny Blocked by hook \"guard\" []",
        ),
    ]);
}

/// IO-13: what is beside exit 2 may strengthen the refusal, and never weakens it.
#[test]
fn exit_2_is_never_weakened() {
    let two = |stdout: &str, stderr: &str| case(Ending::Exited(2), stdout, stderr);
    check(&[
        (
            "an allow doesn't weaken it",
            two(r#"{"decision":"allow","reason":"fine"}"#, ""),
            "deny fine []",
        ),
        (
            "a stop strengthens it",
            two(r#"{"continue":false,"stopReason":"end"}"#, "err"),
            "stop end []",
        ),
        (
            "a stop without reason",
            two(r#"{"continue":false}"#, "err"),
            "stop err []",
        ),
        (
            "a stop on standard error",
            two("", r#"{"continue":false,"reason":"r"}"#),
            "stop r []",
        ),
        (
            "a wrong type",
            two(r#"{"continue":"no","reason":"why"}"#, ""),
            "deny why []",
        ),
        (
            "a stop beside a broken field",
            two(
                r#"{"continue":false,"hookSpecificOutput":{"tool_input":1}}"#,
                "err",
            ),
            "stop err []",
        ),
        (
            "a cut stream",
            two(r#"{"continue":false}"#, "err").cut(),
            "stop err []",
        ),
        (
            "after a timeout",
            two("", "late").stopped(StopCause::TimedOut),
            "deny late []",
        ),
        (
            "whatever the policy",
            two("", "err").strict(),
            "deny err []",
        ),
    ]);
}

/// IO-13: exit 2 may come with a message, but not with a rewrite.
#[test]
fn exit_2_brings_a_message_and_no_rewrite() {
    let stdout = r#"{"systemMessage":"look","hookSpecificOutput":{"tool_input":{"a":1}}}"#;
    let reading = case(Ending::Exited(2), stdout, "no").before_tool();
    assert_eq!(reading.answer.unwrap().tool_input, None);
    assert_eq!(
        reading.reply.unwrap().system_message.as_deref(),
        Some("look")
    );
}

/// IO-13, TS-3, SS-2, SE-3, NO-1: where nothing can be refused, exit 2 is a warning, and a message
/// is still shown.
#[test]
fn exit_2_is_a_warning_where_nothing_can_be_refused() {
    fn on<E: Event>() {
        let case = case(Ending::Exited(2), r#"{"systemMessage":"look"}"#, "no way").strict();
        let reading = case.read::<E>();
        assert!(reading.answer.is_none(), "{}", E::NAME);
        assert!(reading.failure.is_none(), "{}", E::NAME);
        let expected = format!("exit code 2 has no effect on {}: no way", E::NAME);
        assert_eq!(reading.remarks, [Remark::Other(expected)]);
        assert_eq!(
            reading.reply.unwrap().system_message.as_deref(),
            Some("look")
        );
    }
    on::<SessionStart>();
    on::<SessionEnd>();
    on::<PreCompress>();
    on::<Notification>();
    on::<BeforeToolSelection>();
}

/// IO-14, IO-20: another exit code is a failure: it may refuse, and grants nothing.
#[test]
fn another_exit_code_may_only_refuse() {
    check(&[
        ("nothing", exit(1, ""), "none [exit_code]"),
        ("text", exit(1, "deny"), "none [exit_code]"),
        (
            "an allow",
            exit(1, r#"{"decision":"allow"}"#),
            "none [exit_code]",
        ),
        (
            "a question",
            exit(1, r#"{"decision":"ask","reason":"sure?"}"#),
            "ask sure? [exit_code]",
        ),
        (
            "a refusal",
            exit(1, r#"{"decision":"deny","reason":"no"}"#),
            "deny no [exit_code]",
        ),
        (
            "the other word",
            exit(255, r#"{"decision":"BLOCK"}"#),
            "deny Blocked by hook \"guard\" [exit_code]",
        ),
        (
            "a stop",
            exit(3, r#"{"continue":false,"stopReason":"end"}"#),
            "stop end [exit_code]",
        ),
        (
            "a refusal on standard error",
            case(Ending::Exited(1), "", r#"{"decision":"deny"}"#),
            "none [exit_code]",
        ),
        (
            "a strict one",
            case(Ending::Exited(1), "", "boom\nmore").strict(),
            "fail exit code 1: boom [exit_code]",
        ),
        (
            "a strict one on standard output",
            exit(7, "\n out \n").strict(),
            "fail exit code 7: out [exit_code]",
        ),
        (
            "a strict one with a refusal",
            exit(1, r#"{"decision":"deny","reason":"no"}"#).strict(),
            "deny no [exit_code]",
        ),
        (
            "a refusal in a text",
            exit(1, r#""{\"decision\":\"deny\",\"reason\":\"no\"}""#),
            "deny no [exit_code]",
        ),
        (
            "a refusal after pollution",
            exit(1, "log {\"decision\":\"deny\"}"),
            "none [exit_code]",
        ),
    ]);
}

/// IO-14: rewrites, context and messages of a failing hook are dropped, and that is reported.
#[test]
fn a_failing_hook_grants_nothing() {
    let stdout = r#"{"decision":"deny","reason":"no","systemMessage":"m",
        "hookSpecificOutput":{"tool_input":{"a":1}}}"#;
    let reading = exit(1, stdout).before_tool();
    assert_eq!(reading.answer.unwrap().tool_input, None);
    assert_eq!(reading.reply.unwrap().system_message, None);

    let stdout = r#"{"systemMessage":"m","hookSpecificOutput":{"tool_input":{"a":1}}}"#;
    let reading = exit(1, stdout).before_tool();
    assert!(reading.answer.is_none() && reading.reply.is_none());
    assert_eq!(
        others(&reading),
        ["its reply was ignored, because a hook that failed can only refuse"]
    );
}

/// BM-4: a response stays beside a refusal by exit code 2, and nothing else does.
#[test]
fn exit_2_keeps_the_given_response() {
    let reply =
        r#"{"hookSpecificOutput":{"llm_response":{"text":"hi"},"llm_request":{"model":"x"}}}"#;
    let answer = case(Ending::Exited(2), reply, "no")
        .read::<BeforeModel>()
        .answer
        .unwrap();
    assert!(matches!(answer.ruling, Ruling::Deny(reason, _) if reason.as_str() == "no"));
    assert_eq!(answer.response.unwrap().text.as_deref(), Some("hi"));
    assert_eq!(answer.patch, None);
}

/// IO-13: a broken response beside exit 2 adds nothing, and removes no stop.
#[test]
fn exit_2_keeps_a_stop_beside_a_broken_response() {
    let reply = r#"{"continue":false,"hookSpecificOutput":{"llm_response":5}}"#;
    let reading = case(Ending::Exited(2), reply, "no").read::<BeforeModel>();
    let answer = reading.answer.unwrap();
    assert!(matches!(answer.ruling, Ruling::Stop(reason) if reason.as_str() == "no"));
    assert_eq!(answer.response, None);
    assert!(reading.reply.unwrap().stops());
}

/// AA-4: the memory is cleared also by a refusal with exit code 2.
#[test]
fn exit_2_can_clear_the_memory() {
    let reply = r#"{"hookSpecificOutput":{"clearContext":true}}"#;
    let answer = case(Ending::Exited(2), reply, "again")
        .read::<AfterAgent>()
        .answer
        .unwrap();
    assert!(matches!(answer.ruling, Ruling::Deny(reason, _) if reason.as_str() == "again"));
    assert_eq!(answer.memory, Memory::Cleared);
}
