//! Failures, and the parts of a reply that survive them.

use hookloop_events::{
    AfterAgent, AfterModel, AfterTool, BeforeAgent, BeforeModel, BeforeTool, Notification,
};
use hookloop_hook::{Dialect, Handler, HookDeclaration, HttpRequest, OnFailure};

use super::{Remark, captured, case, check, exit, others, verdict};
use crate::port::{Captured, Ending, Leak, Signal};
use crate::stop::StopCause;

/// IO-20, IO-22: a broken object is a failure; a refusal that can be read in it is honoured.
#[test]
fn a_broken_reply_can_still_refuse() {
    let deep = format!(
        r#"{{"decision":"deny","reason":"deep","x":{}{}}}"#,
        "[".repeat(200),
        "]".repeat(200)
    );
    check(&[
        (
            "cut off",
            exit(0, r#"{"decision":"deny""#),
            "deny Blocked by hook \"guard\" [malformed_reply]",
        ),
        (
            "a trailing word",
            exit(0, r#"{"decision":"deny","reason":"no"} done"#),
            "deny no [malformed_reply]",
        ),
        (
            "an allow and a word",
            exit(0, r#"{"decision":"allow"} done"#),
            "none [malformed_reply]",
        ),
        (
            "two objects",
            exit(
                0,
                r#"{"decision":"allow"}{"decision":"deny","reason":"no"}"#,
            ),
            "deny no [malformed_reply]",
        ),
        (
            "nested too deeply",
            exit(0, &deep),
            "deny deep [malformed_reply]",
        ),
        (
            "a number out of range",
            exit(0, r#"{"decision":"deny","reason":"no","score":1e999}"#),
            "deny no [malformed_reply]",
        ),
    ]);
}

/// IO-22: a wrong type in one field spoils the whole reply, except a refusal in it.
#[test]
fn a_wrong_type_can_still_refuse() {
    check(&[
        (
            "wrong type beside a refusal",
            exit(0, r#"{"continue":"no","decision":"deny","reason":"no"}"#),
            "deny no [malformed_reply]",
        ),
        (
            "wrong type beside a stop",
            exit(0, r#"{"continue":false,"systemMessage":5}"#),
            "stop Stopped by hook \"guard\" [malformed_reply]",
        ),
        (
            "wrong type of the reason",
            exit(0, r#"{"decision":"deny","reason":["a"]}"#),
            "deny Blocked by hook \"guard\" [malformed_reply]",
        ),
        (
            "a question",
            exit(0, r#"{"decision":"ask","reason":"r","systemMessage":5}"#),
            "ask r [malformed_reply]",
        ),
        (
            "wrong type alone",
            exit(0, r#"{"continue":"no"}"#),
            "none [malformed_reply]",
        ),
        (
            "wrong type of the event's field",
            exit(
                0,
                r#"{"decision":"deny","reason":"no","hookSpecificOutput":{"tool_input":3}}"#,
            ),
            "deny no [malformed_reply]",
        ),
        (
            "wrong type of the event's fields",
            exit(
                0,
                r#"{"decision":"block","reason":"no","hookSpecificOutput":[]}"#,
            ),
            "deny no [malformed_reply]",
        ),
        (
            "strict",
            exit(0, r#"{"continue":"no"}"#).strict(),
            "fail malformed reply: `continue` should be true or false, but is the text \"no\" \
             [malformed_reply]",
        ),
        (
            "strict, misspelt",
            exit(0, r#"{"desicion":"deny","reason":"no"}"#).strict(),
            "fail malformed reply: `desicion` isn't how a reply refuses; write `\"decision\": \"deny\"` and `reason` at its top [malformed_reply]",
        ),
        (
            "unknown fields are none of it",
            exit(0, r#"{"descision":"deny","decision":null}"#),
            "silent []",
        ),
    ]);
}

/// IO-17, IO-20: of output that was cut, only a refusal counts; without one, it still refuses
/// before an action, unless somebody said that it doesn't.
#[test]
fn a_cut_reply_refuses_before_an_action() {
    let refusal = r#"{"decision":"deny","reason":"no"}"#;
    check(&[
        (
            "a refusal",
            exit(0, refusal).cut(),
            "deny no [output_over_cap]",
        ),
        (
            "strict",
            exit(0, refusal).cut().strict(),
            "deny no [output_over_cap]",
        ),
        (
            "an allow",
            exit(0, r#"{"decision":"allow","reason":"wo"#).cut(),
            "fail output over the cap of 64 bytes [output_over_cap]",
        ),
        (
            "an allow that may fail",
            exit(0, r#"{"decision":"allow","reason":"wo"#)
                .cut()
                .lenient(),
            "none [output_over_cap]",
        ),
        (
            "a refusal that may fail",
            exit(0, refusal).cut().lenient(),
            "deny no [output_over_cap]",
        ),
        (
            "another exit code",
            exit(1, refusal).cut(),
            "deny no [output_over_cap]",
        ),
    ]);
    let reading = exit(0, "1234").cut().before_tool();
    assert_eq!(
        others(&reading),
        ["standard output was cut: 4 of 5 bytes were kept"]
    );
    let after = exit(0, "1234").cut().read::<AfterTool>();
    assert!(after.answer.is_none(), "the tool ran already");
    let mut on_stderr = exit(0, refusal);
    on_stderr.completion.stderr.total = 9;
    let reading = on_stderr.before_tool();
    assert_eq!(
        verdict(&reading),
        "deny no []",
        "a cut of standard error spoils no reply"
    );
    assert_eq!(
        others(&reading),
        ["standard error was cut: 0 of 9 bytes were kept"]
    );
}

/// IO-17, IO-20: what was cut may have refused, however the hook ended; one that was cancelled or
/// couldn't start stays that.
#[test]
fn a_cut_refuses_before_an_action_whatever_the_ending() {
    let flood = r#"{"systemMessage":"wo"#;
    let over = "fail output over the cap of 64 bytes [output_over_cap]";
    let endings = || {
        let killed = case(Ending::Signalled(Signal(9)), flood, "");
        let broken = case(Ending::Failed("it broke".to_owned()), flood, "");
        let late = case(Ending::Stopped, flood, "").stopped(StopCause::TimedOut);
        [exit(9, flood), killed, broken, late]
    };
    for ended in endings() {
        check(&[("cut", ended.cut(), over)]);
    }
    for ended in endings() {
        check(&[("may fail", ended.cut().lenient(), "none [output_over_cap]")]);
    }
    for ended in endings() {
        let after = ended.cut().read::<AfterTool>();
        assert!(after.answer.is_none(), "the tool ran already");
    }
    let cancelled = case(Ending::Stopped, flood, "").stopped(StopCause::Cancelled);
    check(&[("cancelled", cancelled.cut(), "none [cancelled]")]);
}

/// IO-20: signals, timeouts, cancelling and missing programs are failures; a refusal that was
/// printed before is honoured, unless the turn was cancelled.
#[test]
fn other_endings_are_failures() {
    let refusal = r#"{"decision":"deny","reason":"no"}"#;
    let killed = |stdout| case(Ending::Signalled(Signal(9)), stdout, "");
    let stopped = |cause, stdout| case(Ending::Stopped, stdout, "").stopped(cause);
    let missing = |stdout| case(Ending::NotStarted("not found".to_owned()), stdout, "");
    check(&[
        ("killed", killed(""), "none [signalled]"),
        (
            "killed and strict",
            killed("").strict(),
            "fail killed by SIGKILL [signalled]",
        ),
        (
            "killed with a refusal",
            killed(refusal),
            "deny no [signalled]",
        ),
        (
            "killed with an allow",
            killed(r#"{"decision":"allow"}"#),
            "none [signalled]",
        ),
        (
            "timed out",
            stopped(StopCause::TimedOut, ""),
            "none [timed_out]",
        ),
        (
            "timed out and strict",
            stopped(StopCause::TimedOut, "").strict(),
            "fail timed out after 700 ms [timed_out]",
        ),
        (
            "timed out with a refusal",
            stopped(StopCause::TimedOut, refusal),
            "deny no [timed_out]",
        ),
        (
            "cancelled",
            stopped(StopCause::Cancelled, ""),
            "none [cancelled]",
        ),
        (
            "cancelled with a refusal",
            stopped(StopCause::Cancelled, refusal),
            "none [cancelled]",
        ),
        (
            "cancelled and strict",
            stopped(StopCause::Cancelled, "").strict(),
            "none [cancelled]",
        ),
        (
            "not started",
            missing(""),
            "fail couldn't start: not found [not_started]",
        ),
        (
            "not started and lenient",
            missing("").lenient(),
            "none [not_started]",
        ),
        (
            "not started and strict",
            missing("").strict(),
            "fail couldn't start: not found [not_started]",
        ),
        (
            "not started with a refusal",
            missing(refusal),
            "deny no [not_started]",
        ),
    ]);
}

/// IO-21: a hook that couldn't start has looked at nothing: that refuses before an action, and
/// nowhere else.
#[test]
fn a_hook_that_could_not_start_refuses_before_an_action() {
    let missing = case(Ending::NotStarted("not found".to_owned()), "", "");
    assert!(missing.before_tool().answer.is_some());
    assert!(missing.read::<BeforeAgent>().answer.is_some());
    assert!(missing.read::<BeforeModel>().answer.is_some());
    assert!(missing.read::<AfterTool>().answer.is_none());
    assert!(missing.read::<AfterAgent>().answer.is_none());
    assert!(missing.read::<AfterModel>().answer.is_none());
    let lenient = missing.lenient();
    assert!(lenient.read::<BeforeAgent>().answer.is_none());
    assert!(lenient.read::<BeforeModel>().answer.is_none());
}

/// HT-15: what an executor says about guards is reported once per hook, where the answer could
/// refuse.
#[test]
fn what_is_said_of_guards_is_reported_where_they_could_refuse() {
    let mut silent = case(Ending::Exited(0), "", "");
    silent.completion.remarks_on_guards = vec!["it answered with nothing".to_owned()];
    let is_reported = |remarks: Vec<Remark>| {
        let once =
            |it: &Remark| matches!(it, Remark::OncePerHook(text) if text.contains("nothing"));
        remarks.iter().any(once)
    };
    assert!(is_reported(silent.before_tool().remarks));
    assert!(is_reported(silent.read::<AfterModel>().remarks));
    assert!(!is_reported(silent.read::<Notification>().remarks));
}

/// IO-25: standard error without a reply is reported if the hook ends with 0: all of it if the hook
/// can refuse, otherwise a step that failed.
#[test]
fn what_stands_on_standard_error_alone_is_reported() {
    let reported = |code, stdout: &str, stderr: &str| {
        let reading = case(Ending::Exited(code), stdout, stderr).before_tool();
        let step = |remark| match remark {
            Remark::StderrNote(reported) => Some(reported.line),
            _ => None,
        };
        reading.remarks.into_iter().find_map(step)
    };
    let missing = "g.sh: line 2: jq: command not found";
    assert_eq!(reported(0, "", missing).as_deref(), Some(missing));
    assert_eq!(reported(0, "{}", missing), None);
    assert_eq!(reported(1, "", missing), None);
    assert_eq!(
        reported(0, "", "ERROR:root:no").as_deref(),
        Some("ERROR:root:no")
    );
    assert_eq!(reported(0, "{}", "ERROR:root:no"), None);
    assert_eq!(reported(0, "", " \n"), None);
    let afterwards = |stderr: &str| {
        let reading = case(Ending::Exited(0), "", stderr).read::<Notification>();
        reading.remarks.len()
    };
    assert_eq!(afterwards("ERROR:root:no"), 0);
    assert_eq!(afterwards(missing), 1);
}

/// IO-25: a plugin logs there and answers by another way: nothing of it is a step that failed.
#[test]
fn what_a_plugin_logs_is_not_a_failed_step() {
    let logs = case(Ending::Exited(0), "", "asked about BeforeTool");
    assert_eq!(logs.before_tool().remarks.len(), 1);
    let plugin = Handler::Plugin(hookloop_hook::Plugin::default());
    let of_plugin = logs.read_of::<BeforeTool>(|hook| hook.handler = plugin);
    assert_eq!(of_plugin.remarks.len(), 0);
}

/// IO-16: bytes that aren't UTF-8 are replaced and reported; a character that the cap cut isn't.
#[test]
fn invalid_bytes_are_replaced_and_reported() {
    let mut reply = exit(0, "");
    reply.completion.stdout = captured(b"{\"decision\":\"deny\",\"reason\":\"caf\xE9\"}");
    reply.completion.stderr = captured(b"\xFF");
    let reading = reply.before_tool();
    assert_eq!(verdict(&reading), "deny caf\u{fffd} []");
    assert_eq!(
        others(&reading),
        [
            "standard output wasn't valid UTF-8; the invalid bytes were replaced",
            "standard error wasn't valid UTF-8; the invalid bytes were replaced",
        ]
    );
    let mut half = exit(0, "{}");
    half.completion.stderr = Captured {
        bytes: "é".as_bytes()[..1].to_vec(),
        total: 2,
    };
    let remarks = half.before_tool().remarks;
    let expected = "standard error was cut: 1 of 2 bytes were kept".to_owned();
    assert_eq!(remarks, [Remark::Other(expected)]);
}

/// IO-32: a process that the hook left behind is reported, and the reply counts.
#[test]
fn a_leak_is_reported() {
    let mut leaking = exit(0, r#"{"decision":"deny","reason":"no"}"#);
    leaking.completion.leak = Leak::Leaked;
    let reading = leaking.before_tool();
    assert_eq!(verdict(&reading), "deny no []");
    assert_eq!(
        others(&reading),
        ["it exited but left a process running that keeps its output open"]
    );
}

/// IO-14: text isn't a decision, and a refusal in it isn't silently lost.
#[test]
fn a_refusal_in_the_text_of_a_failure_is_reported() {
    let lost = "the refusal in its output had no effect: standard output should be a JSON object \
                and nothing else";
    for (stdout, expected) in [
        ("log {\"decision\":\"deny\"}", vec![lost]),
        ("log {\"decision\":\"allow\"}", vec![]),
        ("log", vec![]),
    ] {
        let reading = exit(1, stdout).before_tool();
        assert_eq!(verdict(&reading), "none [exit_code]", "{stdout}");
        assert_eq!(others(&reading), expected, "{stdout}");
    }
    let mut refuses = exit(1, "log {\"decision\":\"deny\"}");
    refuses.on_failure = OnFailure::Deny;
    let reading = refuses.before_tool();
    let refuses = verdict(&reading);
    assert!(refuses.starts_with("fail "), "{refuses}");
    assert!(!reading.lost_refusal, "the failure refuses");
    assert_eq!(others(&reading), [""; 0]);
}

/// FD-21, HT-15: that a refusal among other text has no effect is an exception for our own
/// commands: of hooks in other dialects and of services it counts, however they end.
#[test]
fn a_refusal_among_text_counts_elsewhere() {
    let text = "checked: {\"permission\":\"deny\"}";
    let ends = [
        exit(1, text),
        case(
            Ending::Failed("what isn't a JSON object".to_owned()),
            text,
            "",
        ),
        case(
            Ending::NotStarted("the service answered 403".to_owned()),
            text,
            "",
        )
        .lenient(),
        case(Ending::Stopped, text, "").stopped(StopCause::TimedOut),
    ];
    let of: [fn(&mut HookDeclaration); 3] = [
        |hook| hook.dialect = Dialect::Cursor,
        |hook| hook.dialect = Dialect::ClaudeCode,
        |hook| hook.handler = Handler::Http(HttpRequest::default()),
    ];
    for end in &ends {
        for change in &of {
            let reading = end.read_of::<BeforeTool>(change);
            assert!(
                verdict(&reading).starts_with("deny"),
                "{end:?}: {reading:?}"
            );
        }
        assert!(verdict(&end.before_tool()).starts_with("none"), "{end:?}");
    }
}

/// FD-20: to Copilot any failure before a tool refuses but a timeout, a service's, too.
#[test]
fn a_failing_service_refuses_in_copilot() {
    let copilot = |hook: &mut HookDeclaration| hook.dialect = Dialect::Copilot;
    let failed = case(Ending::Failed("it broke off".to_owned()), "", "");
    assert!(verdict(&failed.read_of::<BeforeTool>(copilot)).starts_with("fail"));
    assert!(verdict(&failed.before_tool()).starts_with("none"));
    assert!(failed.read_of::<AfterTool>(copilot).answer.is_none());
    let said = failed.lenient().read_of::<BeforeTool>(copilot);
    assert!(verdict(&said).starts_with("none"));
    let late = case(Ending::Stopped, "", "").stopped(StopCause::TimedOut);
    assert!(verdict(&late.read_of::<BeforeTool>(copilot)).starts_with("none"));
}

/// IO-15: a reply on standard error decides nothing; one that would have refused is reported, if
/// nothing on standard output replaces it.
#[test]
fn a_refusal_on_standard_error_is_reported() {
    let refusal = r#"{"decision":"deny","reason":"no"}"#;
    let lost = "the refusal on standard error had no effect: a reply belongs on standard output";
    for (code, stdout, stderr, told) in [
        (0, " \n", refusal, true),
        (0, "{}\n", refusal, true),
        (1, "", refusal, true),
        (0, "", r#"{"continue":false}"#, true),
        (0, r#"{"decision":"allow"}"#, refusal, false),
        (0, "", r#"{"decision":"allow"}"#, false),
        (0, "", "it said {\"decision\":\"deny\"}", false),
        (2, "", refusal, false),
    ] {
        let case = case(Ending::Exited(code), stdout, stderr);
        let remarks = case.before_tool();
        let expected: &[&str] = if told { &[lost] } else { &[] };
        assert_eq!(others(&remarks), expected, "{code} {stdout} {stderr}");
    }
    let notification = case(Ending::Exited(0), "", refusal).read::<Notification>();
    assert!(others(&notification).is_empty(), "nothing to refuse there");
}
