//! Deadlines, cancellation and parting, in virtual time: IO-31…33, SE-2, PC-2.

use std::time::Duration;

use hookloop_engine::events::EventName::{AfterTool, BeforeTool, PreCompress, SessionEnd};
use hookloop_engine::events::{
    BeforeToolOutcome, Cause, CompressTrigger, EndReason, PreCompressOutcome, Reason, ToolResponse,
    Verdict,
};
use hookloop_engine::{Cancelled, Ending, Failure, Lifetime, RunEnding, StopCause, Unsettled};
use hookloop_hook::{Dialect, Grouping, HookDeclaration, OnFailure};
use serde_json::json;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::support::{Act, Setting, accepted, call, completion, hook, says, says_after, silent};

fn quick_to_time_out(command: &str) -> HookDeclaration {
    HookDeclaration {
        timeout: Duration::from_millis(500),
        ..hook(BeforeTool, command)
    }
}

fn stopped(stdout: &str) -> Act {
    Act::UntilStopped(completion(Ending::Stopped, stdout, ""))
}

/// IO-31: at its timeout a hook is asked to end, with the cause; the action continues.
#[tokio::test(start_paused = true)]
async fn a_hook_is_stopped_at_its_timeout() {
    let host = Setting::default()
        .hook(quick_to_time_out("slow"), stopped(""))
        .host();
    let begin = Instant::now();
    let outcome = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap()
        .outcome;
    assert_eq!(begin.elapsed(), Duration::from_millis(500));
    assert!(matches!(outcome, BeforeToolOutcome::Proceed(_)));
    assert_eq!(
        host.invocations()[0].stop.cause(),
        Some(StopCause::TimedOut)
    );
    let run = &host.concluded().runs[0];
    assert_eq!(run.ending, RunEnding::TimedOut);
    assert_eq!(
        run.failure,
        Some(Failure::TimedOut(Duration::from_millis(500)))
    );
    assert!(host.notices()[0].starts_with("timed out after 500 ms"));
}

/// IO-31: an executor that never returns is let go soon after the timeout.
#[tokio::test(start_paused = true)]
async fn an_executor_that_never_returns_is_abandoned() {
    let host = Setting::default()
        .hook(quick_to_time_out("stuck"), Act::Never)
        .host();
    let begin = Instant::now();
    let _ = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    let expected = Duration::from_millis(500 + 1_400);
    assert_eq!(begin.elapsed(), expected);
    let run = &host.concluded().runs[0];
    assert_eq!(run.ending, RunEnding::TimedOut);
    assert_eq!(run.duration, expected);
}

/// IO-31, IO-21: with `onFailure: "deny"` a timeout refuses; without, a refusal that was printed
/// before the timeout is still honoured.
#[tokio::test(start_paused = true)]
async fn a_timeout_can_refuse() {
    let strict = HookDeclaration {
        on_failure: OnFailure::Deny,
        ..quick_to_time_out("strict")
    };
    let host = Setting::default().hook(strict, stopped("")).host();
    let outcome = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap()
        .outcome;
    let BeforeToolOutcome::Deny(reason, Cause::Failure) = outcome else {
        panic!("the failure refuses");
    };
    assert_eq!(reason.as_str(), "timed out after 500 ms");

    let printed = stopped(r#"{"decision":"deny","reason":"seen enough"}"#);
    let host = Setting::default()
        .hook(quick_to_time_out("printed"), printed)
        .host();
    let outcome = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap()
        .outcome;
    assert!(
        matches!(outcome, BeforeToolOutcome::Deny(reason, Cause::Policy) if reason.as_str() == "seen enough")
    );
}

/// IO-31: what a hook says by its exit code after it was asked to end counts only if it refuses.
#[tokio::test(start_paused = true)]
async fn a_stopped_hook_can_still_refuse_and_nothing_else() {
    let late =
        |code, stdout: &str| Act::UntilStopped(completion(Ending::Exited(code), stdout, "why"));
    let host = Setting::default()
        .hook(
            quick_to_time_out("allows"),
            late(0, r#"{"decision":"allow","systemMessage":"fine"}"#),
        )
        .host();
    let concluded = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    assert!(matches!(concluded.outcome, BeforeToolOutcome::Proceed(_)));
    assert!(concluded.messages.is_empty());
    assert_eq!(host.concluded().runs[0].ending, RunEnding::TimedOut);

    let host = Setting::default()
        .hook(quick_to_time_out("refuses"), late(2, ""))
        .host();
    let outcome = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap()
        .outcome;
    assert!(matches!(outcome, BeforeToolOutcome::Deny(reason, _) if reason.as_str() == "why"));
}

/// IO-33: cancelling the turn ends running hooks at once; what they said doesn't matter.
#[tokio::test(start_paused = true)]
async fn cancelling_ends_running_hooks() {
    let host = Setting::default()
        .hook(hook(BeforeTool, "a"), stopped(r#"{"decision":"deny"}"#))
        .hook(hook(BeforeTool, "b"), Act::Never)
        .host();
    let cancel = CancellationToken::new();
    let session = host.session.with_cancel(cancel.clone());
    let begin = Instant::now();
    let (_, ()) = tokio::join!(session.before_tool(call("glob"), accepted), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        cancel.cancel();
    });
    assert_eq!(begin.elapsed(), Duration::from_millis(100 + 1_400));
    for run in host.concluded().runs {
        assert_eq!(run.ending, RunEnding::Cancelled);
        assert_eq!(run.failure, Some(Failure::Cancelled));
    }
    for invocation in host.invocations() {
        assert_eq!(invocation.stop.cause(), Some(StopCause::Cancelled));
    }
}

/// EV-5, AT-1: a result that a hook was still judging when the turn was cancelled goes nowhere:
/// there is no outcome for it, and no record shows it.
#[tokio::test(start_paused = true)]
async fn a_result_that_nobody_judged_has_no_outcome() {
    for policy in [OnFailure::Warn, OnFailure::Deny] {
        let judge = HookDeclaration {
            on_failure: policy,
            ..hook(AfterTool, "judge")
        };
        let echo = completion(Ending::Exited(1), "", "read: unjudged secret");
        let host = Setting::default()
            .hook(judge, stopped(""))
            .hook(hook(AfterTool, "echo"), Act::Ends(Duration::ZERO, echo))
            .host();
        let cancel = CancellationToken::new();
        let session = host.session.with_cancel(cancel.clone());
        let response = ToolResponse {
            llm_content: json!("unjudged secret"),
            return_display: json!(""),
            error: None,
        };
        let tool = call("read_file");
        let (concluded, ()) = tokio::join!(session.after_tool(&tool, response), async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            cancel.cancel();
        });
        assert_eq!(concluded, Err(Cancelled));
        let concluded = host.concluded();
        assert_eq!(concluded.summary.verdict, Verdict::Cancelled);
        for run in &concluded.runs {
            assert!(!run.content.input.text().contains("unjudged"));
        }
        let notices = host.notices();
        assert_eq!(
            notices[0],
            "cancelled; it decided nothing, and nothing that waited for it happens"
        );
        assert!(!notices[1].contains("unjudged"), "{}", notices[1]);
    }
}

/// EV-5: an event that fires in an already cancelled turn asks no hook, and nothing is decided; a
/// hook of a sequence whose turn doesn't come any more counts as cancelled, whatever those before
/// it said.
#[tokio::test(start_paused = true)]
async fn silence_of_the_cancelled_clears_nothing() {
    let sequential = |command| HookDeclaration {
        grouping: Grouping::Sequential,
        ..hook(BeforeTool, command)
    };
    let host = Setting::default()
        .hook(sequential("first"), stopped(r#"{"decision":"allow"}"#))
        .hook(sequential("second"), silent())
        .host();
    let cancel = CancellationToken::new();
    let session = host.session.with_cancel(cancel.clone());
    let (concluded, ()) = tokio::join!(session.before_tool(call("glob"), accepted), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        cancel.cancel();
    });
    assert_eq!(concluded, Err(Unsettled::Cancelled(Cancelled)));
    assert_eq!(host.executed(), ["first"]);
    let again = session.before_tool(call("glob"), accepted).await;
    assert_eq!(again, Err(Unsettled::Cancelled(Cancelled)));
    assert_eq!(host.executed(), ["first"]);
}

/// IO-34, SE-2: only the hooks that may outlive the host are told so, with their timeout.
#[tokio::test]
async fn only_parting_hooks_may_outlive_the_host() {
    let host = Setting::default()
        .hook(hook(BeforeTool, "tool"), silent())
        .hook(hook(SessionEnd, "end"), silent())
        .hook(hook(PreCompress, "compress"), silent())
        .host();
    let _ = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap();
    host.session.session_end(EndReason::Exit).await;
    let compress = host
        .session
        .pre_compress(CompressTrigger::Auto, CancellationToken::new());
    compress.expect("there is a hook").await;
    let lifetimes: Vec<Lifetime> = host.invocations().iter().map(|it| it.lifetime).collect();
    let timeout = hook(SessionEnd, "end").timeout;
    let detached = Lifetime::Detached { timeout };
    assert_eq!(lifetimes, [Lifetime::Bound, detached, detached]);
}

/// SE-2: a hanging hook delays the exit for a second at most; the messages of those that ended are
/// shown, and it is reported that the other one continues.
#[tokio::test(start_paused = true)]
async fn a_hanging_hook_does_not_hold_up_the_exit() {
    let host = Setting::default()
        .hook(hook(SessionEnd, "hangs"), Act::Never)
        .hook(
            hook(SessionEnd, "says"),
            says_after(900, &json!({"systemMessage": "bye"})),
        )
        .host();
    let begin = Instant::now();
    host.session.session_end(EndReason::Exit).await;
    assert_eq!(begin.elapsed(), Duration::from_secs(1));
    let concluded = host.concluded();
    assert_eq!(concluded.messages[0].text, "bye");
    assert_eq!(concluded.runs.len(), 1);
    let notice = &concluded.notices[0];
    assert_eq!(notice.hook, "hangs");
    assert!(notice.text.starts_with("still running"), "{}", notice.text);
    assert_eq!(
        host.invocations()[0].stop.cause(),
        None,
        "it wasn't stopped"
    );
}

/// FD-22, SE-2: a hook that nobody waits for and that still runs when the session ends is reported,
/// even if no hook waits for that end; one that ends in time is reported as what it is.
#[tokio::test(start_paused = true)]
async fn what_nobody_waited_for_is_told_at_the_end() {
    let asynchronous = |name: &str| HookDeclaration {
        asynchronous: true,
        ..hook(BeforeTool, name)
    };
    let host = Setting::default()
        .hook(asynchronous("hangs"), Act::Never)
        .hook(
            asynchronous("refuses"),
            says_after(900, &json!({"decision": "deny"})),
        )
        .host();
    let clearance = host.session.before_tool(call("glob"), accepted).await;
    assert!(clearance.is_ok());
    let begin = Instant::now();
    host.session.session_end(EndReason::Exit).await;
    assert_eq!(begin.elapsed(), Duration::from_secs(1));
    let notices = host.all_notices();
    assert_eq!(notices.len(), 2, "{notices:?}");
    assert!(notices[0].contains("refusal is lost"), "{notices:?}");
    assert!(notices[1].contains("still running"), "{notices:?}");
}

/// HT-1, FD-22: a hook whose condition can't be evaluated runs, and that is reported, even if
/// nobody waits for any hook of the event; one that has run its only time isn't named again.
#[tokio::test(start_paused = true)]
async fn a_condition_that_cannot_be_evaluated_is_reported_for_every_hook_that_runs() {
    // The executor of these tests evaluates no conditions.
    let conditional = |asynchronous, once| HookDeclaration {
        asynchronous,
        once,
        condition: Some("tool == 'glob'".to_owned()),
        ..hook(BeforeTool, "logs")
    };
    for (asynchronous, once, expected) in [
        (false, false, 2),
        (true, false, 2),
        (false, true, 1),
        (true, true, 1),
    ] {
        let host = Setting::default()
            .hook(conditional(asynchronous, once), silent())
            .host();
        for _ in 0..2 {
            let clearance = host.session.before_tool(call("glob"), accepted).await;
            assert!(clearance.is_ok());
        }
        let what = format!("asynchronous: {asynchronous}, once: {once}");
        assert_eq!(host.executed().len(), expected, "{what}");
        let notices = host.all_notices();
        assert_eq!(notices.len(), expected, "{what}: {notices:?}");
        assert!(notices[0].contains("can't be evaluated"), "{notices:?}");
    }
}

/// SE-2: without a hanging hook the exit is as fast as the hooks are.
#[tokio::test(start_paused = true)]
async fn a_quick_end_is_not_delayed() {
    let host = Setting::default()
        .hook(hook(SessionEnd, "quick"), says_after(20, &json!({})))
        .host();
    let begin = Instant::now();
    host.session.session_end(EndReason::Clear).await;
    assert_eq!(begin.elapsed(), Duration::from_millis(20));
    assert_eq!(host.input_of("quick")["reason"], "clear");
}

/// SE-2: a hook whose turn in a sequence doesn't come is reported.
#[tokio::test(start_paused = true)]
async fn a_hook_that_was_not_started_is_reported() {
    let first = HookDeclaration {
        grouping: Grouping::Sequential,
        ..hook(SessionEnd, "hangs")
    };
    let host = Setting::default()
        .hook(first, Act::Never)
        .hook(hook(SessionEnd, "late"), silent())
        .host();
    host.session.session_end(EndReason::Exit).await;
    assert_eq!(host.executed(), ["hangs"]);
    let notices = host.concluded().notices;
    assert_eq!(notices[1].hook, "late");
    assert!(
        notices[1].text.starts_with("didn't run"),
        "{}",
        notices[1].text
    );
}

/// SE-3: what a hook says about the flow has no effect at the end, and that is reported.
#[tokio::test]
async fn the_end_can_not_be_refused() {
    let host = Setting::default()
        .hook(
            hook(SessionEnd, "a"),
            says(&json!({"decision": "deny", "continue": false})),
        )
        .host();
    host.session.session_end(EndReason::Exit).await;
    let expected = [
        "`decision` has no effect on SessionEnd",
        "`continue` has no effect on SessionEnd",
    ];
    assert_eq!(host.notices(), expected);
}

/// PC-2: compression doesn't wait: the hooks are a future to spawn; without hooks there is none.
#[tokio::test(start_paused = true)]
async fn compression_does_not_wait() {
    let host = Setting::default()
        .hook(
            hook(PreCompress, "slow"),
            says_after(5_000, &json!({"systemMessage": "saved"})),
        )
        .host();
    let begin = Instant::now();
    let future = host
        .session
        .pre_compress(CompressTrigger::Manual, CancellationToken::new());
    let task = tokio::spawn(future.expect("there is a hook"));
    assert_eq!(begin.elapsed(), Duration::ZERO);
    task.await.unwrap();
    assert_eq!(host.concluded().messages[0].text, "saved");
    assert_eq!(host.input_of("slow")["trigger"], "manual");

    let idle = Setting::default().host();
    assert!(
        idle.session
            .pre_compress(CompressTrigger::Auto, CancellationToken::new())
            .is_none()
    );
}

/// PC-2, PC-3: compression waits for the hooks of other agents, which may refuse it, and for no
/// others; each is asked once.
#[tokio::test(start_paused = true)]
async fn compression_waits_for_those_that_may_refuse_it() {
    let refusal = json!({"decision": "block", "reason": "not yet"});
    let foreign = |command: &str| HookDeclaration {
        dialect: Dialect::ClaudeCode,
        ..hook(PreCompress, command)
    };
    let unawaited = HookDeclaration {
        asynchronous: true,
        ..foreign("unawaited")
    };
    for (deciding, expected) in [
        (
            foreign("guard"),
            PreCompressOutcome::Refuse(Reason::new("not yet").unwrap()),
        ),
        (unawaited, PreCompressOutcome::Proceed),
        (hook(PreCompress, "ours"), PreCompressOutcome::Proceed),
    ] {
        let host = Setting::default()
            .hook(hook(PreCompress, "slow"), says_after(9_000, &refusal))
            .hook(deciding, says_after(100, &refusal))
            .host();
        let begin = Instant::now();
        let telling = host
            .session
            .pre_compress(CompressTrigger::Auto, CancellationToken::new());
        let telling = tokio::spawn(telling.expect("there is a hook"));
        let outcome = host.session.may_compress(CompressTrigger::Auto).await;
        assert_eq!(outcome, Ok(expected));
        assert!(begin.elapsed() < Duration::from_secs(1));
        telling.await.unwrap();
        let mut executed = host.executed();
        executed.sort_unstable();
        assert_eq!(executed.len(), 2, "{executed:?}");
    }
}

/// EV-5, PC-3: hooks that are cancelled have let nothing be compressed.
#[tokio::test(start_paused = true)]
async fn a_cancelled_hook_lets_nothing_be_compressed() {
    let guard = HookDeclaration {
        dialect: Dialect::ClaudeCode,
        ..hook(PreCompress, "guard")
    };
    let host = Setting::default().hook(guard, stopped("")).host();
    let cancel = CancellationToken::new();
    let session = host.session.with_cancel(cancel.clone());
    cancel.cancel();
    let outcome = session.may_compress(CompressTrigger::Manual).await;
    assert_eq!(outcome, Err(Cancelled));
}

/// PC-2, SE-2: at the end of the host a hook that still runs is named, and the messages of those
/// that ended are shown.
#[tokio::test(start_paused = true)]
async fn a_compression_hook_that_is_left_behind_is_named() {
    let host = Setting::default()
        .hook(hook(PreCompress, "hangs"), Act::Never)
        .hook(
            hook(PreCompress, "says"),
            says_after(900, &json!({"systemMessage": "saved"})),
        )
        .host();
    let departure = CancellationToken::new();
    let firing = host
        .session
        .pre_compress(CompressTrigger::Auto, departure.clone());
    let begin = Instant::now();
    let task = tokio::spawn(firing.expect("there is a hook"));
    departure.cancel();
    task.await.unwrap();
    assert_eq!(begin.elapsed(), Duration::from_secs(1));
    let concluded = host.concluded();
    assert_eq!(concluded.messages[0].text, "saved");
    assert!(
        concluded
            .notices
            .iter()
            .any(|notice| notice.hook == "hangs")
    );
}

/// PL-8, IO-31: of many hooks 64 run at once. The time of one that waits for its turn hasn't begun,
/// and what the last one says counts.
#[tokio::test(start_paused = true)]
async fn a_hook_that_waits_for_its_turn_has_all_of_its_time() {
    let mut setting = Setting::default();
    for number in 0..129 {
        let reply = match number {
            128 => json!({"decision": "deny", "reason": "the last one"}),
            _ => json!({}),
        };
        let command = format!("number {number}");
        setting = setting.hook(quick_to_time_out(&command), says_after(400, &reply));
    }
    let host = setting.host();
    let begin = Instant::now();
    let outcome = host
        .session
        .before_tool(call("glob"), accepted)
        .await
        .unwrap()
        .outcome;
    assert!(
        matches!(outcome, BeforeToolOutcome::Deny(reason, _) if reason.as_str() == "the last one")
    );
    assert_eq!(begin.elapsed(), Duration::from_millis(3 * 400));
    assert_eq!(host.notices(), Vec::<String>::new());
    let expected = (0..129).map(|number| format!("number {number}"));
    assert_eq!(host.executed(), expected.collect::<Vec<_>>());
}

/// PL-8, IO-33: when the turn is cancelled, no hook that waits for its turn is started.
#[tokio::test(start_paused = true)]
async fn a_hook_that_waits_for_its_turn_is_cancelled_with_it() {
    let mut setting = Setting::default();
    for number in 0..100 {
        let command = format!("number {number}");
        setting = setting.hook(hook(BeforeTool, &command), stopped(""));
    }
    let host = setting.host();
    let cancel = CancellationToken::new();
    let session = host.session.with_cancel(cancel.clone());
    let cancelling = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        cancel.cancel();
    };
    let (result, ()) = tokio::join!(session.before_tool(call("glob"), accepted), cancelling);
    assert!(result.is_err());
    assert_eq!(host.executed().len(), 64);
}
