//! Hooks first, then policy, then the user; the stricter always wins (BT-5…9, NO-*, TO-6).

use std::sync::Arc;

use hookloop_agent::{AllowAlways, ApprovalMode, Consent, Policy, ToolPattern, TurnEnd};
use hookloop_tools::{EnterPlanMode, ExitPlanMode};
use serde_json::{Map, Value, json};

use super::stage::{Act, Played, Plot, Screen, StubTool, call, calls, says, text};

fn asks() -> Act {
    says(&json!({"decision": "ask", "reason": "sure?"}))
}

fn allows() -> Act {
    says(&json!({"decision": "allow"}))
}

fn change() -> Plot {
    Plot::of([calls(&[call("change", json!({"n": 1}))]), text("done")])
        .tool(StubTool::editing("change"))
        .tool(StubTool::reading("look"))
}

fn in_mode(mode: ApprovalMode, plot: Plot) -> Plot {
    Plot {
        policy: Policy {
            mode,
            ..plot.policy
        },
        ..plot
    }
}

async fn play(plot: Plot) -> Played {
    let played = plot.play().await;
    assert_eq!(played.end, TurnEnd::Completed);
    played
}

/// BT-5: a hook's question is put to the user in every mode, with its reason.
#[tokio::test]
async fn a_question_is_asked_in_every_mode() {
    for mode in [
        ApprovalMode::Default,
        ApprovalMode::AutoEdit,
        ApprovalMode::Yolo,
    ] {
        for (consent, ran) in [(Consent::Given, 1), (Consent::Declined, 0)] {
            let mut plot = in_mode(mode, change()).hook("BeforeTool", "ask", asks());
            plot.screen = Screen::answering([consent]);
            let played = play(plot).await;
            assert_eq!(played.stage.ran().len(), ran, "{mode}");
            assert_eq!(played.stage.screen.reasons(), [Some("sure?".to_owned())]);
        }
    }
}

/// BT-5, TO-6: if nobody is there, a question is a refusal, and so is what would need a
/// confirmation; each is reported.
#[tokio::test]
async fn nobody_there_is_a_refusal() {
    for (act, mode, words) in [
        (asks(), ApprovalMode::Yolo, "nobody is there"),
        (asks(), ApprovalMode::Default, "nobody is there"),
        (
            Act::silent(),
            ApprovalMode::Default,
            "Tool \"change\" needs confirmation",
        ),
        (
            allows(),
            ApprovalMode::Default,
            "Tool \"change\" needs confirmation",
        ),
    ] {
        let mut plot = in_mode(mode, change()).hook("BeforeTool", "guard", act);
        plot.screen = Screen::headless();
        let played = play(plot).await;
        assert!(played.stage.ran().is_empty());
        let sent = &played.stage.history_lines()[2];
        assert!(sent.contains(words), "{sent}");
    }
}

/// BT-6: an allow of a hook skips no confirmation, and a question doesn't weaken a refusal of the
/// policy.
#[tokio::test]
async fn a_hook_grants_nothing() {
    let played = play(change().hook("BeforeTool", "allow", allows())).await;
    assert_eq!(played.stage.screen.reasons(), [None]);
    for act in [asks(), allows()] {
        let mut plot = change().hook("BeforeTool", "hook", act);
        plot.policy.excluded = vec![ToolPattern::from("change(rm)"), ToolPattern::from("change")];
        let played = play(plot).await;
        assert!(played.stage.ran().is_empty());
        assert!(played.stage.screen.reasons().is_empty(), "nobody is asked");
    }
}

/// TO-6: "allow always" applies to the session, but not to a hook's question.
#[tokio::test]
async fn a_grant_holds_for_the_session() {
    let three = || {
        let one = || calls(&[call("change", json!({"n": 1}))]);
        Plot::of([one(), one(), one(), text("done")]).tool(StubTool::editing("change"))
    };
    let mut plot = three();
    plot.screen = Screen::answering([Consent::GivenForSession]);
    let played = play(plot).await;
    assert_eq!(played.stage.ran().len(), 3);
    assert_eq!(played.stage.screen.reasons(), [None]);
    let mut plot = three().hook("BeforeTool", "ask", asks());
    plot.screen = Screen::answering([Consent::GivenForSession, Consent::Declined]);
    let played = play(plot).await;
    assert_eq!(played.stage.screen.reasons().len(), 3);
    assert_eq!(played.stage.ran().len(), 2);
}

/// AG-CLI-9: if nothing may be allowed for the session, it isn't offered, and such an answer
/// applies only to its call.
#[tokio::test]
async fn nothing_is_granted_where_that_is_forbidden() {
    let two = || {
        calls(&[
            call("change", json!({"n": 1})),
            call("change", json!({"n": 2})),
        ])
    };
    let mut plot = Plot::of([two(), text("done")]).tool(StubTool::editing("change"));
    plot.policy.allow_always = AllowAlways::Forbidden;
    plot.screen = Screen::answering([Consent::GivenForSession, Consent::Declined]);
    let played = play(plot).await;
    assert_eq!(played.stage.screen.reasons().len(), 2);
    assert_eq!(played.stage.ran().len(), 1);
}

/// BT-8: arguments that the user edited go through the hooks again, and through the checks.
#[tokio::test]
async fn edited_arguments_go_through_the_hooks() {
    let edited = |value: Value| Consent::Edited(Map::from_iter([("n".to_owned(), value)]));
    let mut plot = change().hook("BeforeTool", "watch", Act::silent());
    plot.screen = Screen::answering([edited(json!(2)), Consent::Given]);
    let played = play(plot).await;
    let read = played.stage.read_by("BeforeTool");
    assert_eq!(read.len(), 2);
    assert_eq!(read[1]["tool_input"], json!({"n": 2}));
    assert!(played.stage.history_lines()[2].contains("{\"n\":2}"));

    let guard = Act::decides(|input| match input["tool_input"]["n"].as_u64() {
        Some(2) => super::stage::denies("not two"),
        _ => Act::silent(),
    });
    for (value, words) in [(json!(2), "not two"), (json!("two"), "n")] {
        let mut plot = change().hook("BeforeTool", "guard", guard.clone());
        plot.screen = Screen::answering([edited(value)]);
        let played = play(plot).await;
        assert!(played.stage.ran().is_empty());
        assert!(played.stage.history_lines()[2].contains(words));
    }
}

/// NO-1, NO-2: the alert is announced to hooks before the user is asked, about what would run; they
/// grant nothing and refuse nothing.
#[tokio::test]
async fn hooks_hear_of_the_alert() {
    let mut plot = change().hook(
        "Notification",
        "bell",
        says(&json!({"decision": "deny", "reason": "x", "systemMessage": "look here"})),
    );
    plot.screen = Screen::answering([Consent::Given]);
    let played = play(plot).await;
    let read = played.stage.read_by("Notification");
    assert_eq!(read[0]["notification_type"], "ToolPermission");
    assert_eq!(read[0]["details"]["tool_name"], "change");
    assert_eq!(played.stage.ran(), ["change"]);
}

/// TO-6: if nobody is there, tools that could never run are hidden from the model; one that some
/// setting may allow isn't, and if somebody is there, all are offered.
#[tokio::test]
async fn what_can_never_run_is_hidden() {
    let offered = |plot: Plot| async move {
        let played = plot.play().await;
        played.stage.model.requests()[0].tools.clone()
    };
    let both = ["change", "look"];
    assert_eq!(offered(change()).await, both);
    let headless = || Plot {
        screen: Screen::headless(),
        ..change()
    };
    assert_eq!(offered(headless()).await, ["look"]);
    let auto_edit = in_mode(ApprovalMode::AutoEdit, headless());
    assert_eq!(offered(auto_edit).await, both);
    let mut allowed = headless();
    allowed.policy.allowed = vec![ToolPattern::from("change(git)")];
    assert_eq!(offered(allowed).await, both);
    for mode in [ApprovalMode::Plan] {
        assert_eq!(offered(in_mode(mode, change())).await, ["look"]);
        assert_eq!(offered(in_mode(mode, headless())).await, ["look"]);
    }
}

/// TO-6: a changed mode of the session counts from the next call on.
#[tokio::test]
async fn the_mode_changes_between_calls() {
    let one = || calls(&[call("change", json!({"n": 1}))]);
    let mut stage = Plot::of([one(), text("a"), one(), text("b"), one(), text("c")])
        .tool(StubTool::editing("change"))
        .stage()
        .await;
    stage.prompt("one").await;
    assert_eq!(stage.screen.reasons().len(), 1);
    stage.session.set_approval_mode(ApprovalMode::AutoEdit);
    assert_eq!(stage.session.approval_mode(), ApprovalMode::AutoEdit);
    stage.prompt("two").await;
    assert_eq!(stage.screen.reasons().len(), 1, "not asked again");
    stage.session.set_approval_mode(ApprovalMode::Plan);
    stage.prompt("three").await;
    assert_eq!(stage.ran().len(), 2, "plan mode refuses it");
}

/// TO-6: plan mode ends with consent to the plan, which the question shows, and returns to the mode
/// before it; a no leaves it as it is.
#[tokio::test]
async fn a_yes_to_the_plan_ends_plan_mode() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.md"), "first, second").unwrap();
    for (consent, ran) in [(Consent::Given, 1), (Consent::Declined, 0)] {
        let plot = Plot::of([
            calls(&[call("enter_plan_mode", json!({}))]),
            calls(&[call("change", json!({"n": 1}))]),
            calls(&[call("exit_plan_mode", json!({"plan_filename": "a.md"}))]),
            calls(&[call("change", json!({"n": 2}))]),
            text("done"),
        ]);
        let mut plot = in_mode(ApprovalMode::Yolo, plot).tool(StubTool::editing("change"));
        plot.other_tools = vec![
            Arc::new(EnterPlanMode::new(folder.path().to_owned())),
            Arc::new(ExitPlanMode::new(folder.path().to_owned())),
        ];
        plot.screen = Screen::answering([consent]);
        let played = play(plot).await;
        assert_eq!(played.stage.ran().len(), ran);
        assert_eq!(
            played.stage.screen.for_session(),
            [None],
            "each plan is shown"
        );
        let sent = played.stage.history_lines();
        assert!(
            sent.iter()
                .any(|it| it.contains("the approval mode is \"plan\""))
        );
    }
}

/// TU-5, EV-4: a command that the user types goes through hooks and policy; typing it is consent,
/// but not to what a hook asks about or changed.
#[tokio::test]
async fn a_typed_command_goes_through_its_hooks() {
    let silent = || Plot::of([]).tool(StubTool::executing("run_shell_command"));
    let excluded = Policy {
        excluded: vec![ToolPattern::from("run_shell_command(touch)")],
        ..Policy::default()
    };
    let with_policy = |policy| Plot { policy, ..silent() };
    let rewrite = says(&json!({"hookSpecificOutput": {"tool_input": {"command": "rm x"}}}));
    let denies = says(&json!({"decision": "deny", "reason": "no"}));
    for (plot, consents, ran) in [
        (silent(), vec![], 1),
        (with_policy(excluded), vec![], 0),
        (silent().hook("BeforeTool", "guard", denies), vec![], 0),
        (
            silent().hook("BeforeTool", "guard", asks()),
            vec![Consent::Declined],
            0,
        ),
        (
            silent().hook("BeforeTool", "guard", asks()),
            vec![Consent::Given],
            1,
        ),
        (
            silent().hook("BeforeTool", "guard", rewrite),
            vec![Consent::Declined],
            0,
        ),
    ] {
        let mut plot = plot;
        let asked = consents.len();
        plot.screen = Screen::answering(consents);
        let mut stage = plot.stage().await;
        let cancel = stage.cancel.clone();
        stage.session.shell("touch x", cancel).await;
        assert_eq!(
            (stage.ran().len(), stage.screen.reasons().len()),
            (ran, asked)
        );
        // The person didn't type what hooks changed.
        let typed = stage.screen.typed();
        assert!(typed.iter().all(|it| it == "touch x"), "{typed:?}");
        assert!(ran == 0 || typed.len() == 1, "{typed:?}");
        let sent = stage.history_lines();
        assert!(
            sent.last().is_some_and(|it| it.contains("touch x")),
            "{sent:?}"
        );
    }
}
