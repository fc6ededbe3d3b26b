//! Commands that a person types (`!command`), and those whose output becomes part of a prompt
//! (TU-5, EV-4).

use hookloop_agent::{ApprovalMode, Consent, TurnEnd};
use hookloop_events::ToolArguments;
use serde_json::json;

use super::stage::{
    Act, Plot, Screen, Shown, Stage, StubTool, adds, asks, chains, denies, rewrites, stops, text,
};

fn shell() -> Plot {
    Plot::of([text("I see"), text("more")]).tool(StubTool::executing("run_shell_command"))
}

fn with_guard(act: Act) -> Plot {
    shell().hook("BeforeTool", "guard", act)
}

fn rewrite() -> Act {
    rewrites(&json!({"command": "rm x"}))
}

fn commands(stage: &Stage) -> Vec<String> {
    let ran = stage.ran_with().into_iter();
    ran.map(|it| it["command"].as_str().unwrap().to_owned())
        .collect()
}

/// TU-5, EV-4, LO-1: a typed command has its own hooks, and none of a prompt's; the model isn't
/// called, and reads command and output with the next prompt, where none of it counts as the
/// model's.
#[tokio::test]
async fn a_typed_command_is_a_call_of_its_own() {
    let mut plot = shell().hook("AfterTool", "note", adds("a remark"));
    for event in ["BeforeAgent", "BeforeModel", "BeforeTool", "AfterAgent"] {
        plot = plot.hook(event, "watch", Act::silent());
    }
    let mut stage = plot.stage().await;
    assert_eq!(stage.shell("touch x").await, TurnEnd::Completed);
    assert_eq!(stage.order(), ["BeforeTool", "ran", "AfterTool"]);
    assert!(stage.screen.reasons().is_empty());
    stage.prompt("go").await;
    let request = &stage.model.requests()[0];
    assert_eq!(request.contents.len(), 2);
    for part in ["touch x", "run_shell_command ran", "a remark"] {
        assert!(request.contents[0].contains(part), "{request:?}");
    }
    assert!(request.contents[0].starts_with("user: "));
    stage.assert_whole();
}

/// TU-5, BT-1, BT-5, BT-7, TO-6: what refuses a call of the model refuses a typed command, and the
/// history says that it has no output; after a stop, too, the session continues.
#[tokio::test]
async fn what_refuses_calls_refuses_typed_commands() {
    let in_plan = || {
        let mut plot = shell();
        plot.policy.mode = ApprovalMode::Plan;
        plot
    };
    let headless = |mut plot: Plot| {
        plot.screen = Screen::headless();
        plot
    };
    for (name, plot, is_stopped) in [
        ("denied", with_guard(denies("no")), false),
        ("exit 2", with_guard(Act::exits(2, "no")), false),
        ("stopped", with_guard(stops("halt")), true),
        ("plan mode", in_plan(), false),
        ("nobody to ask", headless(with_guard(asks("sure?"))), false),
        ("nobody to ask of", headless(with_guard(rewrite())), false),
    ] {
        let mut stage = plot.stage().await;
        let end = stage.shell("touch x").await;
        assert_eq!(matches!(end, TurnEnd::Stopped(_)), is_stopped, "{name}");
        assert!(stage.ran().is_empty(), "{name}");
        let sent = stage.history_lines();
        assert_eq!(sent.len(), 1, "{name}");
        assert!(sent[0].contains("touch x"), "{name}: {sent:?}");
        assert!(!sent[0].contains("run_shell_command ran"), "{sent:?}");
        assert_eq!(stage.prompt("go").await, TurnEnd::Completed, "{name}");
        stage.assert_whole();
    }
}

/// TU-5, BT-9: a person who types a command agreed to that command: if hooks change it, the person
/// is asked again, and then the changed command runs; an automatic answer doesn't count as the
/// person's.
#[tokio::test]
async fn typing_is_consent_to_what_was_typed() {
    for (consent, ran) in [
        (Consent::Given, vec!["rm x"]),
        (Consent::GivenForSession, vec!["rm x"]),
        (Consent::Declined, vec![]),
    ] {
        let mut plot = with_guard(rewrite());
        plot.screen = Screen::answering([consent]);
        let mut stage = plot.stage().await;
        stage.shell("touch x").await;
        assert_eq!(commands(&stage), ran);
        assert_eq!(stage.confirmed_with(), [json!({"command": "rm x"})]);
        assert!(stage.screen.typed().is_empty());
    }
}

/// TU-5, TO-6: typing a command grants nothing: the model's call of the same command still needs
/// consent.
#[tokio::test]
async fn typing_grants_nothing() {
    let mut plot = shell();
    let again = super::stage::call("run_shell_command", json!({"command": "touch x"}));
    plot.answers = vec![super::stage::calls(&[again]), text("done")];
    plot.screen = Screen::answering([Consent::Declined]);
    let mut stage = plot.stage().await;
    stage.shell("touch x").await;
    stage.prompt("go").await;
    assert_eq!(commands(&stage), ["touch x"]);
    assert_eq!(stage.screen.reasons().len(), 1);
    assert_eq!(stage.screen.typed().len(), 1, "the model typed nothing");
}

/// AT-1, TU-5: what hooks withhold of a typed command's output is in no record, and the model never
/// reads it.
#[tokio::test]
async fn output_of_a_typed_command_is_withheld() {
    for (act, is_stopped) in [
        (denies("private"), false),
        (Act::exits(2, "private"), false),
        (stops("private"), true),
    ] {
        let mut stage = shell().hook("AfterTool", "guard", act).stage().await;
        let end = stage.shell("touch x").await;
        assert_eq!(matches!(end, TurnEnd::Stopped(_)), is_stopped);
        stage.prompt("go").await;
        assert_eq!(stage.ran().len(), 1);
        stage.assert_nowhere("run_shell_command ran");
    }
}

/// AT-3, TU-5: nobody consented to a call that a hook chains to a typed command: the person is
/// asked.
#[tokio::test]
async fn a_chain_behind_a_typed_command_is_asked_about() {
    let chain = chains("change", 1);
    for (consent, ran) in [(Consent::Given, 2), (Consent::Declined, 1)] {
        let mut plot = shell().tool(StubTool::editing("change")).hook(
            "AfterTool",
            "chain",
            Act::in_turn(vec![chain.clone(), Act::silent()]),
        );
        plot.screen = Screen::answering([consent]);
        let mut stage = plot.stage().await;
        stage.shell("touch x").await;
        assert_eq!(stage.confirmed_with(), [json!({"n": 1})]);
        assert_eq!(stage.ran().len(), ran);
    }
}

/// LO-4, EV-5: a typed command that was cancelled while its hooks ran doesn't run; the next one
/// does.
#[tokio::test]
async fn a_cancelled_command_does_not_run() {
    let plot = with_guard(Act::silent());
    let cancel = plot.cancel.clone();
    let cancels = Act::decides(move |_| {
        cancel.cancel();
        Act::Hangs
    });
    let mut stage = plot
        .hook(
            "BeforeTool",
            "slow",
            Act::in_turn(vec![cancels, Act::silent()]),
        )
        .stage()
        .await;
    assert_eq!(stage.shell("touch x").await, TurnEnd::Cancelled);
    assert!(stage.ran().is_empty());
    assert!(stage.screen.shown().contains(&Shown::Cancelled));
    stage.cancel = tokio_util::sync::CancellationToken::new();
    assert_eq!(stage.shell("touch y").await, TurnEnd::Completed);
    assert_eq!(commands(&stage), ["touch y"]);
    stage.assert_whole();
}

/// TU-5, EV-4, TO-6: nobody typed a command whose output goes into a prompt: the person is asked,
/// hooks and policy judge it, and it enters the history only with the prompt.
#[tokio::test]
async fn a_command_for_a_prompt_is_asked_about() {
    let run = |plot: Plot| async move {
        let mut stage = plot.stage().await;
        let cancel = stage.cancel.clone();
        let came = stage.session.run_for_prompt("date", cancel).await;
        (stage, came)
    };
    let answering = |mut plot: Plot, consent: Consent| {
        plot.screen = Screen::answering([consent]);
        plot
    };
    let edited = || {
        let arguments = [("command".to_owned(), json!("time"))];
        Consent::Edited(ToolArguments::from_iter(arguments))
    };
    for (name, plot, asked, ran) in [
        (
            "agreed",
            answering(shell(), Consent::Given),
            1,
            vec!["date"],
        ),
        ("declined", answering(shell(), Consent::Declined), 1, vec![]),
        ("edited", answering(shell(), edited()), 2, vec!["time"]),
        ("denied", with_guard(denies("no")), 0, vec![]),
        ("rewritten", with_guard(rewrite()), 1, vec!["rm x"]),
    ] {
        let (stage, came) = run(plot).await;
        assert_eq!(commands(&stage), ran, "{name}");
        assert_eq!(stage.screen.reasons().len(), asked, "{name}");
        assert_eq!(came.unwrap().is_ok(), !ran.is_empty(), "{name}");
        assert!(stage.history_lines().is_empty(), "{name}");
        assert!(stage.screen.typed().is_empty(), "{name}");
    }
    let (stage, came) = run(with_guard(stops("halt"))).await;
    assert!(matches!(came, Err(TurnEnd::Stopped(_))));
    assert!(stage.ran().is_empty());
    let mut withheld = shell().hook("AfterTool", "guard", denies("private"));
    withheld.policy.mode = ApprovalMode::Yolo;
    let (stage, came) = run(withheld).await;
    let why = came.unwrap().unwrap_err();
    assert!(why.contains("private"), "{why}");
    stage.assert_nowhere("run_shell_command ran");
}
