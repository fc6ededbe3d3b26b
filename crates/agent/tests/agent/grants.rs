//! What "Allow always" allows, and what it doesn't (TO-6).

use hookloop_agent::{ApprovalMode, Consent, ToolPattern};
use serde_json::{Map, json};

use super::stage::{
    Act, Plot, Screen, Stage, StubTool, asks, call, calls, denies, numbered, rewrites, text,
};

/// Runs these commands one after another; the user allows the first for the session and declines
/// all others. Returns which ran.
async fn after_a_grant(plot: Plot, lines: &[&str]) -> Stage {
    let one = |line: &&str| calls(&[call("run_shell_command", json!({"command": line}))]);
    let mut answers: Vec<_> = lines.iter().map(one).collect();
    answers.push(text("done"));
    let declines = vec![Consent::Declined; lines.len()];
    let mut plot = plot.tool(StubTool::executing("run_shell_command"));
    plot.answers = answers;
    plot.screen = Screen::answering([Consent::GivenForSession].into_iter().chain(declines));
    plot.play().await.stage
}

fn ran(stage: &Stage) -> Vec<String> {
    let ran = stage.ran_with().into_iter();
    ran.map(|it| it["command"].as_str().unwrap().to_owned())
        .collect()
}

/// TO-6: allowing a command for the session allows its prefix, but no line that does more.
#[tokio::test]
async fn a_granted_command_is_its_prefix() {
    for (granted, covered, others) in [
        (
            "git status",
            vec!["git status -s", "git status && git status"],
            vec!["git push", "git status; rm x", "git status $(rm x)", "git"],
        ),
        ("touch a", vec!["touch b"], vec!["touchy a", "rm a"]),
        (
            "touch a && rm b",
            vec!["touch a && rm b"],
            vec!["touch a", "rm b", "touch a && rm c"],
        ),
        (
            "bash x.sh",
            vec!["bash x.sh"],
            vec!["bash y.sh", "bash -c id"],
        ),
    ] {
        let lines = [&[granted][..], &covered, &others].concat();
        let stage = after_a_grant(Plot::default(), &lines).await;
        assert_eq!(ran(&stage), [&[granted][..], &covered].concat());
        let asked = stage.screen.reasons().len();
        assert_eq!(asked, 1 + others.len(), "{granted}");
    }
}

/// TO-6, BT-9: what a hook turns a granted command into needs its own consent, and if consent was
/// given after a hook's change, the changed command is what was granted.
#[tokio::test]
async fn a_grant_is_about_what_ran() {
    let rewrite = |from: &'static str, to: &'static str| {
        Act::decides(move |input| match input["tool_input"]["command"].as_str() {
            Some(command) if command == from => rewrites(&json!({"command": to})),
            _ => Act::silent(),
        })
    };
    for (from, to, lines, expected) in [
        (
            "touch b",
            "rm b",
            ["touch a", "touch b", "touch c"],
            vec!["touch a", "touch c"],
        ),
        (
            "touch a",
            "rm a",
            ["touch a", "touch b", "rm c"],
            vec!["rm a", "rm c"],
        ),
    ] {
        let plot = Plot::default().hook("BeforeTool", "rewrite", rewrite(from, to));
        let stage = after_a_grant(plot, &lines).await;
        assert_eq!(ran(&stage), expected);
        assert_eq!(stage.screen.reasons().len(), 2);
    }
}

/// TO-6, BT-1, BT-5, BT-6: a grant outweighs no hook, no exclusion, no required confirmation and no
/// plan mode; it only satisfies a rule that asks.
#[tokio::test]
async fn a_grant_outweighs_the_approval_mode_alone() {
    let at_second = |act: Act| Act::in_turn(vec![Act::silent(), act]);
    let lines = ["touch a", "touch b"];
    for (act, asked, runs) in [
        (Act::silent(), 1, 2),
        (denies("no"), 1, 1),
        (asks("sure?"), 2, 1),
    ] {
        let plot = Plot::default().hook("BeforeTool", "guard", at_second(act));
        let stage = after_a_grant(plot, &lines).await;
        assert_eq!(stage.screen.reasons().len(), asked);
        assert_eq!(ran(&stage).len(), runs);
    }
    let pattern = || vec![ToolPattern::from("run_shell_command(touch b)")];
    let mut excluded = Plot::default();
    excluded.policy.excluded = pattern();
    assert_eq!(ran(&after_a_grant(excluded, &lines).await), ["touch a"]);
    let mut required = Plot::default();
    required.policy.confirmation_required = pattern();
    let stage = after_a_grant(required, &lines).await;
    assert_eq!(ran(&stage), ["touch a"]);
    assert_eq!(stage.screen.reasons().len(), 2);
}

/// TO-6: a grant applies to its tool, from the next call of the same response on, and in later
/// turns; plan mode still refuses.
#[tokio::test]
async fn a_grant_is_for_its_tool_and_session() {
    let batch = numbered(&[("change", 1), ("change", 2), ("other", 3)]);
    let mut plot = Plot::of([batch, text("a"), numbered(&[("change", 4)]), text("b")])
        .tool(StubTool::editing("change"))
        .tool(StubTool::editing("other"));
    plot.screen = Screen::answering([Consent::GivenForSession, Consent::Declined]);
    let mut stage = plot.stage().await;
    stage.prompt("one").await;
    assert_eq!(stage.ran_numbers(), [1, 2]);
    assert_eq!(stage.confirmed_with(), [json!({"n": 1}), json!({"n": 3})]);
    stage.prompt("two").await;
    assert_eq!(stage.ran_numbers(), [1, 2, 4]);
    assert_eq!(stage.screen.reasons().len(), 2);
    stage.session.set_approval_mode(ApprovalMode::Plan);
    stage.model.then([numbered(&[("change", 5)]), text("c")]);
    stage.prompt("three").await;
    assert_eq!(stage.ran_numbers(), [1, 2, 4]);
}

/// TO-6, BT-8: neither a plain yes, nor a no, nor an edit grants anything for the next call.
#[tokio::test]
async fn other_answers_grant_nothing() {
    let edited = || Consent::Edited(Map::from_iter([("n".to_owned(), json!(7))]));
    for (answers, asked, ran) in [
        (vec![Consent::Given, Consent::Declined], 2, vec![1]),
        (vec![Consent::Declined, Consent::Given], 2, vec![2]),
        (
            vec![edited(), Consent::Given, Consent::Declined],
            3,
            vec![7],
        ),
        (vec![edited(), Consent::GivenForSession], 2, vec![7, 2]),
    ] {
        let batch = numbered(&[("change", 1), ("change", 2)]);
        let mut plot = Plot::of([batch, text("done")]).tool(StubTool::editing("change"));
        plot.screen = Screen::answering(answers);
        let stage = plot.play().await.stage;
        assert_eq!(stage.screen.reasons().len(), asked);
        assert_eq!(stage.ran_numbers(), ran);
    }
}

/// TO-6, BT-5: "Allow always" is only offered where it would count: not for what is always asked
/// about. A hook may still ask.
#[tokio::test]
async fn allow_always_is_offered_where_it_counts() {
    let required = |plot: Plot| {
        let mut plot = plot;
        plot.policy.confirmation_required = vec![ToolPattern::from("change")];
        plot
    };
    let in_mode = |mode, plot: Plot| {
        let mut plot = plot;
        plot.policy.mode = mode;
        plot
    };
    let hook = |plot: Plot| plot.hook("BeforeTool", "guard", asks("sure?"));
    let every = Some("every change".to_owned());
    let plot = || Plot::of([numbered(&[("change", 1)]), text("done")]);
    for (plot, offered) in [
        (plot(), every.clone()),
        (hook(plot()), every.clone()),
        (in_mode(ApprovalMode::Yolo, hook(plot())), every),
        (required(plot()), None),
        (required(hook(plot())), None),
    ] {
        let stage = plot.tool(StubTool::editing("change")).play().await.stage;
        assert_eq!(stage.screen.for_session(), [offered]);
    }
}
