//! Who a prompt is from, and which hooks judge it accordingly (FD-11).

use hookloop_agent::TurnEnd;
use hookloop_hook::Dialect;
use tokio_util::sync::CancellationToken;

use super::stage::{Act, Plot, Stage, denies, hook, text};

/// The agents whose prompt event only fires for what a person wrote.
const OF_PERSONS: [Dialect; 4] = [
    Dialect::ClaudeCode,
    Dialect::Codex,
    Dialect::Cursor,
    Dialect::Copilot,
];

/// A session with a guard that refuses prompts containing `SECRET`, and a judge of responses.
async fn guarded(dialect: Dialect, judge: Act) -> Stage {
    let answers = ["one", "two", "three", "four", "five", "six"];
    let mut plot = Plot::of(answers.map(text)).hook("AfterAgent", "judge", judge);
    plot.limits.retries = 1;
    let mut guard = hook("BeforeAgent", "guard");
    guard.dialect = dialect;
    let decide = Act::decides(|input| {
        if input.to_string().contains("SECRET") {
            Act::exits(2, "not this")
        } else {
            Act::silent()
        }
    });
    plot.hooks.add(guard, decide);
    plot.stage().await
}

/// Expects that a person's prompt is judged as the first one would be, and refused.
async fn refuses_the_next(stage: &mut Stage, what: &str) {
    let before = stage.read_by("BeforeAgent").len();
    let asked = stage.model.requests().len();
    let prompt = stage.session.prompt("a SECRET", CancellationToken::new());
    let end = prompt.await;
    assert_eq!(stage.read_by("BeforeAgent").len(), before + 1, "{what}");
    assert!(matches!(end, TurnEnd::Refused(..)), "{what}: {end:?}");
    assert_eq!(stage.model.requests().len(), asked, "{what}");
}

/// FD-11: a person's prompt is judged after a turn that hooks rejected until the limit, and the
/// prompt of the retry isn't.
#[tokio::test]
async fn a_prompt_is_judged_after_the_limit_of_retries() {
    for dialect in OF_PERSONS {
        let mut stage = guarded(dialect, denies("SECRET is missing")).await;
        assert_eq!(stage.prompt("go").await, TurnEnd::Completed);
        let read = stage.read_by("BeforeAgent");
        assert_eq!(read.len(), 1, "{dialect:?}: {read:?}");
        assert_eq!(stage.model.requests().len(), 2, "{dialect:?}");
        refuses_the_next(&mut stage, &format!("{dialect:?}")).await;
    }
}

/// FD-11, EV-5: it is also judged after a turn that was cancelled before its retry began.
#[tokio::test]
async fn a_prompt_is_judged_after_a_retry_that_never_began() {
    for dialect in OF_PERSONS {
        let cancel = CancellationToken::new();
        let cancels = cancel.clone();
        let judge = Act::decides(move |_| {
            cancels.cancel();
            denies("again")
        });
        let mut stage = guarded(dialect, judge).await;
        let end = stage.session.prompt("go", cancel).await;
        assert_eq!(end, TurnEnd::Cancelled);
        assert_eq!(stage.model.requests().len(), 1);
        refuses_the_next(&mut stage, &format!("{dialect:?}")).await;
    }
}

/// FD-11, FD-22: it is also judged after a turn that a hook began, however that turn ended: the
/// turn's own prompt isn't a person's.
#[tokio::test]
async fn a_prompt_is_judged_after_a_turn_of_a_hook() {
    for dialect in OF_PERSONS {
        for (judge, is_cancelled) in [
            (Act::silent(), false),
            (Act::silent(), true),
            (denies("again"), false),
        ] {
            let mut stage = guarded(dialect, judge).await;
            let cancel = CancellationToken::new();
            if is_cancelled {
                cancel.cancel();
            }
            let prompt = stage.session.prompt_of_hook("the SECRET of a hook", cancel);
            prompt.await;
            assert!(stage.read_by("BeforeAgent").is_empty(), "{dialect:?}");
            refuses_the_next(&mut stage, &format!("{dialect:?}, {is_cancelled}")).await;
        }
    }
}

/// FD-11: our hooks, and those of agents whose event fires for every prompt, judge them all.
#[tokio::test]
async fn other_dialects_judge_every_prompt() {
    for dialect in [Dialect::Hookloop, Dialect::GeminiCli, Dialect::Qwen] {
        let mut stage = guarded(dialect, denies("again")).await;
        stage.prompt("go").await;
        assert_eq!(stage.read_by("BeforeAgent").len(), 2, "{dialect:?}");
        let prompt = stage
            .session
            .prompt_of_hook("a SECRET", CancellationToken::new());
        assert!(matches!(prompt.await, TurnEnd::Refused(..)), "{dialect:?}");
    }
}
