//! What failures mean to the host: IO-11, IO-20, IO-21.

use std::time::Duration;

use hookloop_engine::events::EventName::{BeforeTool, SessionStart};
use hookloop_engine::events::{BeforeToolOutcome, Cause, SessionSource};
use hookloop_engine::{Captured, Completion, Ending, Failure, RunResult, Signal};
use hookloop_hook::{HookDeclaration, OnFailure};
use serde_json::json;

use crate::support::{Act, Setting, accepted, call, completion, ends, ends_in_turn, hook, says};

fn strict(hook: HookDeclaration) -> HookDeclaration {
    HookDeclaration {
        on_failure: OnFailure::Deny,
        ..hook
    }
}

/// Every kind of failure that a completion alone shows, by its word.
fn failures() -> Vec<(&'static str, Completion)> {
    let over_cap = Completion {
        stdout: Captured {
            bytes: b"{}".to_vec(),
            total: 100,
        },
        ..Completion::ended(Ending::Exited(0))
    };
    vec![
        ("not_started", Completion::not_started("no such file")),
        ("signalled", Completion::ended(Ending::Signalled(Signal(9)))),
        ("malformed_reply", completion(Ending::Exited(0), "{", "")),
        ("malformed_reply", completion(Ending::Exited(0), "[1]", "")),
        ("output_over_cap", over_cap),
        ("exit_code", completion(Ending::Exited(1), "", "Traceback")),
        ("exit_code", completion(Ending::Exited(-1), "", "")),
    ]
}

/// IO-20, IO-21: each kind of failure is named to the user, and with `warn` the action continues,
/// whatever it was.
#[tokio::test]
async fn a_failure_warns_and_the_action_goes_on() {
    for (kind, completion) in failures() {
        let act = Act::Ends(Duration::ZERO, completion);
        let mut lenient = hook(BeforeTool, "a");
        lenient.on_failure = OnFailure::Warn;
        let host = Setting::default().hook(lenient, act).host();
        let outcome = host
            .session
            .before_tool(call("glob"), accepted)
            .await
            .unwrap()
            .outcome;
        assert!(matches!(outcome, BeforeToolOutcome::Proceed(_)), "{kind}");
        let run = &host.concluded().runs[0];
        assert_eq!(run.failure.as_ref().map(Failure::kind), Some(kind));
        assert_eq!(run.result, RunResult::Failed, "{kind}");
        let notice = &host.concluded().notices[0];
        assert!(
            notice.text.contains("continues without it"),
            "{}",
            notice.text
        );
        assert_eq!(notice.source, hook(BeforeTool, "a").source);
    }
}

/// IO-26: a rewrite that sets nothing but arguments which the tool doesn't know changes nothing, so
/// that a hook whose failures refuse has refused.
#[tokio::test]
async fn a_rewrite_of_unknown_arguments_fails() {
    for (tool, reply, expected) in [
        ("glob", json!({"Pattern": "x"}), None),
        ("glob", json!({"cmd": "x", "Path": "y"}), None),
        ("glob", json!({"pattern": "x", "cmd": "y"}), Some(())),
        ("glob", json!({}), Some(())),
        ("mcp_server_tool", json!({"Pattern": "x"}), Some(())),
    ] {
        let reply = json!({"hookSpecificOutput": {"tool_input": reply}});
        for (guard, expected) in [
            (strict(hook(BeforeTool, "a")), expected),
            (hook(BeforeTool, "a"), Some(())),
        ] {
            let host = Setting::default().hook(guard, says(&reply)).host();
            let concluded = host.session.before_tool(call(tool), accepted).await;
            let outcome = concluded.unwrap().outcome;
            let goes_on = matches!(outcome, BeforeToolOutcome::Proceed(_)).then_some(());
            assert_eq!(goes_on, expected, "{tool} {reply}: {outcome:?}");
        }
    }
}

/// IO-21: by default, a hook that couldn't start or wrote too much refuses before an action; other
/// failures only warn.
#[tokio::test]
async fn who_looked_at_nothing_refuses_before_an_action() {
    for (kind, completion) in failures() {
        let act = Act::Ends(Duration::ZERO, completion);
        let host = Setting::default().hook(hook(BeforeTool, "a"), act).host();
        let outcome = host
            .session
            .before_tool(call("glob"), accepted)
            .await
            .unwrap()
            .outcome;
        let refused = matches!(outcome, BeforeToolOutcome::Deny(_, Cause::Failure));
        assert_eq!(
            refused,
            matches!(kind, "not_started" | "output_over_cap"),
            "{kind}"
        );
    }
}

/// IO-14: for exit code 1 or -1, the message says how a hook refuses; other endings don't get it.
#[tokio::test]
async fn exit_code_1_is_explained() {
    for (code, explained) in [(1, true), (255, true), (3, false)] {
        let act = Act::Ends(
            Duration::ZERO,
            completion(Ending::Exited(code), "", "no secrets"),
        );
        let host = Setting::default().hook(hook(BeforeTool, "a"), act).host();
        let _ = host
            .session
            .before_tool(call("glob"), accepted)
            .await
            .unwrap();
        let notice = &host.concluded().notices[0];
        assert_eq!(notice.text.contains("exits with 2"), explained, "{code}");
    }
}

/// IO-21: with `onFailure: "deny"` each kind of failure refuses, with the failure as the reason.
#[tokio::test]
async fn a_failure_refuses_where_it_is_wanted() {
    for (kind, completion) in failures() {
        let act = Act::Ends(Duration::ZERO, completion);
        let host = Setting::default()
            .hook(strict(hook(BeforeTool, "a")), act)
            .host();
        let outcome = host
            .session
            .before_tool(call("glob"), accepted)
            .await
            .unwrap()
            .outcome;
        let BeforeToolOutcome::Deny(reason, Cause::Failure) = outcome else {
            panic!("{kind} should refuse");
        };
        let run = &host.concluded().runs[0];
        assert_eq!(
            Some(reason.to_string()),
            run.failure.as_ref().map(ToString::to_string)
        );
        assert_eq!(run.result, RunResult::Refused);
        assert!(host.notices()[0].contains("counts as a refusal"));
    }
}

/// IO-21, SS-2: on an event that can't refuse, a failure is a warning whatever the hook wants.
#[tokio::test]
async fn a_failure_can_not_refuse_the_start() {
    for (kind, completion) in failures() {
        let act = Act::Ends(Duration::ZERO, completion);
        let host = Setting::default()
            .hook(strict(hook(SessionStart, "a")), act)
            .host();
        let outcome = host
            .session
            .session_start(SessionSource::Startup)
            .await
            .unwrap()
            .outcome;
        assert_eq!((outcome.context, outcome.stop), (None, None), "{kind}");
        assert_eq!(host.concluded().runs[0].result, RunResult::Failed, "{kind}");
        assert!(!host.notices().is_empty());
    }
}

/// IO-21: one hook's failure says nothing about another one's answer.
#[tokio::test]
async fn a_failure_hides_no_refusal() {
    let host = Setting::default()
        .hook(hook(BeforeTool, "crashes"), ends(Ending::Exited(1), "", ""))
        .hook(
            hook(BeforeTool, "refuses"),
            ends(Ending::Exited(2), "", "no"),
        )
        .host();
    let outcome = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap()
        .outcome;
    assert!(matches!(outcome, BeforeToolOutcome::Deny(_, Cause::Policy)));
}

/// IO-11: polluted output is shown to the user each time, and reported once per hook.
#[tokio::test]
async fn pollution_is_reported_once_per_hook() {
    let host = Setting::default()
        .hook(hook(BeforeTool, "a"), ends(Ending::Exited(0), "hello", ""))
        .hook(
            hook(BeforeTool, "b"),
            ends(Ending::Exited(0), "log\n{\"decision\":\"deny\"}", ""),
        )
        .host();
    let concluded = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    assert!(matches!(concluded.outcome, BeforeToolOutcome::Proceed(_)));
    assert_eq!(concluded.messages[0].text, "hello");
    let notices = host.notices();
    assert_eq!(notices.len(), 2);
    assert!(!notices[0].contains("refusal"));
    assert!(notices[1].contains("the refusal in the text had no effect"));
    let again = host
        .session
        .before_tool(call("write_file"), accepted)
        .await
        .unwrap();
    assert_eq!(again.messages[0].text, "hello");
    assert!(host.notices().is_empty());
}

/// IO-11: a refusal that is lost in the pollution is reported, also if the hook's output was
/// polluted before and had none in it.
#[tokio::test]
async fn a_lost_refusal_is_reported_whatever_came_before() {
    let outputs = ["hello", "hello {\"decision\":\"deny\"}"];
    let host = Setting::default()
        .hook(hook(BeforeTool, "a"), ends_in_turn(&outputs))
        .host();
    let _ = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    assert!(!host.notices()[0].contains("refusal"));
    let _ = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    assert!(host.notices()[0].contains("the refusal in the text had no effect"));
}

/// ENV-3: a failing hook's warning names what was withheld from its environment.
#[tokio::test]
async fn a_failure_names_what_was_withheld() {
    let failed = Completion {
        withheld_env: vec!["API_KEY".to_owned(), "TOKEN".to_owned()],
        ..completion(Ending::Exited(1), "", "no key")
    };
    let host = Setting::default()
        .hook(hook(BeforeTool, "a"), Act::Ends(Duration::ZERO, failed))
        .host();
    let _ = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    let notice = &host.notices()[0];
    assert!(notice.starts_with("exit code 1: no key"), "{notice}");
    assert!(
        notice.ends_with("withheld from its environment: API_KEY, TOKEN"),
        "{notice}"
    );
}
