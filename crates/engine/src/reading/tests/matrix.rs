//! Every type of hook × every ending × every output × every event × every policy: no refusal
//! becomes anything else, nothing is granted by a failure, and nothing is silently dropped.

use std::time::Duration;

use hookloop_events::{
    AfterAgent, AfterModel, AfterTool, BeforeAgent, BeforeModel, BeforeTool, BeforeToolSelection,
    Event, Notification, PreCompress, Ruling, SessionEnd, SessionStart,
};
use hookloop_hook::{
    Handler, HookDeclaration, HttpRequest, McpCall, OnFailure, Plugin, PromptCall, Refusing, Rules,
};

use super::{Case, captured};
use crate::port::{Completion, Ending, Signal};
use crate::stop::StopCause;

/// What an output says, as far as anybody can read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    /// A refusal or a stop.
    No,
    /// A question.
    Ask,
    /// Nothing against it: an allow, a rewrite, or an object without opinion.
    Yes,
    /// Nothing.
    Nothing,
    /// Something that isn't a reply.
    Noise,
}

fn handlers() -> [Handler; 7] {
    let command = || "guard".to_owned();
    [
        Handler::Command {
            command: command(),
            args: None,
            shell: None,
        },
        Handler::Worker {
            command: command(),
            args: None,
            idle: Duration::from_mins(1),
        },
        Handler::Http(HttpRequest::default()),
        Handler::Plugin(Plugin::default()),
        Handler::Rule {
            rules: Rules::File("guards/a.json".to_owned()),
        },
        Handler::McpTool(McpCall::default()),
        Handler::Prompt(PromptCall::default()),
    ]
}

fn endings() -> [(Ending, Option<StopCause>); 10] {
    [
        (Ending::Exited(0), None),
        (Ending::Exited(1), None),
        (Ending::Exited(2), None),
        (Ending::Exited(3), None),
        (Ending::Exited(-1), None),
        (Ending::Signalled(Signal(9)), None),
        (Ending::Signalled(Signal(11)), None),
        (Ending::NotStarted("missing".to_owned()), None),
        (Ending::Stopped, Some(StopCause::TimedOut)),
        (Ending::Failed("it broke".to_owned()), None),
    ]
}

/// Outputs, and what they say. Whether a refusal among other text counts depends on the type
/// (IO-11), so none is among them.
fn outputs() -> Vec<(Vec<u8>, Says)> {
    let deep = format!(
        r#"{{"decision":"deny","reason":"r","x":{}{}}}"#,
        "[".repeat(500),
        "]".repeat(500)
    );
    let texts: &[(&str, Says)] = &[
        (r#"{"decision":"deny","reason":"r"}"#, Says::No),
        (r#"{"decision":"BLOCK"}"#, Says::No),
        (r#"{"continue":false,"stopReason":"r"}"#, Says::No),
        (r#"{"permissionDecision":"deny"}"#, Says::No),
        (
            r#"{"decision":"allow","decision":"deny","reason":"r"}"#,
            Says::No,
        ),
        (
            r#"{"decision":"deny","decision":"allow","reason":"r"}"#,
            Says::No,
        ),
        (r#"{"continue":false,"continue":true}"#, Says::No),
        (r#"{"decision":"deny","reason":7}"#, Says::No),
        (r#"{"decision":"deny","systemMessage":[]}"#, Says::No),
        (r#"{"decision":"deny","reason":"cut"#, Says::No),
        (r#"{"approved":false}"#, Says::No),
        (r#""{\"decision\":\"deny\"}""#, Says::No),
        (&deep, Says::No),
        (r#"{"decision":"ask","reason":"sure?"}"#, Says::Ask),
        (r#"{"decision":"allow"}"#, Says::Yes),
        (
            r#"{"hookSpecificOutput":{"tool_input":{"a":1},"additionalContext":"c"}}"#,
            Says::Yes,
        ),
        ("{}", Says::Nothing),
        ("", Says::Nothing),
        ("some words", Says::Noise),
        (r#"["deny"]"#, Says::Noise),
        ("null", Says::Noise),
        (r#"{"decision":"perhaps"}"#, Says::Noise),
        (r#"{"open": "#, Says::Noise),
    ];
    let mut outputs: Vec<(Vec<u8>, Says)> = texts
        .iter()
        .map(|(text, says)| (text.as_bytes().to_vec(), *says))
        .collect();
    let mut damaged = br#"{"decision":"deny","reason":"r"#.to_vec();
    damaged.extend([0xff, 0xfe, b'"', b'}']);
    outputs.push((damaged, Says::No));
    outputs.push((vec![0xff, 0x00, 0xfe], Says::Noise));
    outputs
}

/// The outcome of a reading.
#[expect(clippy::struct_excessive_bools, reason = "each is looked at by itself")]
#[derive(Debug)]
struct Read {
    ruling: Option<Ruling>,
    /// Whether the answer changes anything.
    changes: bool,
    /// Whether a failure or anything else is reported.
    is_reported: bool,
    has_answer: bool,
    has_failed: bool,
    refusing: Refusing,
}

fn read<E: Event>(
    case: &Case,
    handler: &Handler,
    ruling: impl Fn(&E::Answer) -> Option<Ruling>,
) -> Read {
    let reading = case.read_of::<E>(|hook: &mut HookDeclaration| hook.handler = handler.clone());
    Read {
        ruling: reading.answer.as_ref().and_then(&ruling),
        changes: reading.answer.as_ref().is_some_and(E::changes),
        is_reported: reading.failure.is_some() || !reading.remarks.is_empty(),
        has_answer: reading.answer.is_some() || reading.reply.is_some(),
        has_failed: reading.failure.is_some(),
        refusing: E::NAME.refusing(hookloop_hook::Dialect::Hookloop),
    }
}

fn read_everywhere(case: &Case, handler: &Handler) -> [Read; 11] {
    [
        read::<BeforeTool>(case, handler, |it| Some(it.ruling.clone())),
        read::<AfterTool>(case, handler, |it| Some(it.ruling.clone())),
        read::<BeforeAgent>(case, handler, |it| Some(it.ruling.clone())),
        read::<AfterAgent>(case, handler, |it| Some(it.ruling.clone())),
        read::<BeforeModel>(case, handler, |it| Some(it.ruling.clone())),
        read::<AfterModel>(case, handler, |it| Some(it.ruling.clone())),
        read::<BeforeToolSelection>(case, handler, |_| None),
        read::<SessionStart>(case, handler, |_| None),
        read::<SessionEnd>(case, handler, |_| None),
        read::<PreCompress>(case, handler, |_| None),
        read::<Notification>(case, handler, |_| None),
    ]
}

/// Returns which promise a reading breaks, if any.
fn broken_promise(case: &Case, says: Says, read: &Read) -> Option<&'static str> {
    let refuses = matches!(read.ruling, Some(Ruling::Deny(..) | Ruling::Stop(_)));
    let asks = matches!(read.ruling, Some(Ruling::Ask(_)));
    let can_refuse = read.refusing == Refusing::Always;
    let is_success = case.completion.ending == Ending::Exited(0);
    let is_exit_2 = case.completion.ending == Ending::Exited(2);
    let promises = [
        (
            !(can_refuse && (says == Says::No || is_exit_2)) || refuses,
            "a refusal is one, however the hook ended",
        ),
        (
            !(can_refuse && says == Says::Ask) || refuses || asks,
            "a question stays one",
        ),
        (
            !(can_refuse && read.has_failed && case.on_failure == OnFailure::Deny)
                || refuses
                || asks,
            "a failure refuses where it shall",
        ),
        (
            is_success || is_exit_2 || read.has_failed,
            "another ending is a failure",
        ),
        (
            !read.has_failed || !(read.changes || matches!(read.ruling, Some(Ruling::Allow(_)))),
            "a failure grants and changes nothing",
        ),
        (
            says == Says::Nothing || read.has_answer || read.is_reported,
            "nothing is silently dropped",
        ),
        (
            !(says == Says::Noise && is_success) || read.is_reported || read.has_answer,
            "what isn't a reply is reported",
        ),
    ];
    promises
        .into_iter()
        .find(|(holds, _)| !holds)
        .map(|(_, promise)| promise)
}

/// IO-10…24, AG-1: both promises, for each type of hook, ending, output, event and policy.
#[test]
fn no_ending_of_any_hook_loses_a_refusal() {
    let mut looked_at = 0;
    for handler in handlers() {
        for (ending, stop_cause) in endings() {
            for (output, says) in outputs() {
                for on_failure in [OnFailure::Default, OnFailure::Warn, OnFailure::Deny] {
                    let case = Case {
                        completion: Completion {
                            stdout: captured(&output),
                            ..Completion::ended(ending.clone())
                        },
                        stop_cause,
                        on_failure,
                    };
                    for is_cut in [false, true] {
                        let case = if is_cut {
                            case.clone().cut()
                        } else {
                            case.clone()
                        };
                        for read in read_everywhere(&case, &handler) {
                            looked_at += 1;
                            let broken = broken_promise(&case, says, &read);
                            let text = String::from_utf8_lossy(&output);
                            assert_eq!(broken, None, "{handler:?} {case:?} {text} {read:?}");
                        }
                    }
                }
            }
        }
    }
    assert_eq!(looked_at, 7 * 10 * 25 * 3 * 2 * 11);
}
