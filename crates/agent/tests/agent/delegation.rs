//! Sub-agents: turns within a call, with all hooks (TO-4, EV-4).

use std::path::PathBuf;
use std::sync::Arc;

use hookloop_agent::{Consent, TurnEnd};
use hookloop_tools::{AgentFolders, DelegateToAgent, SubAgents, Tool};
use serde_json::{Value, json};

use super::stage::{
    Act, Answer, Plot, Screen, Shown, StubTool, call, calls, denies, says, text, unfinished,
};

fn agents() -> Arc<dyn Tool> {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, front: &str| {
        let text =
            format!("---\nname: {name}\ndescription: Finds things.\n{front}---\nYou find.\n");
        std::fs::write(folder.path().join(format!("{name}.md")), text).unwrap();
    };
    write("finder", "");
    write("reader", "tools: [look, nonsense]\n");
    let (agents, problems) = SubAgents::discover(&AgentFolders {
        used: vec![folder.path().to_owned()],
        untrusted: Vec::<PathBuf>::new(),
    });
    assert!(problems.is_empty(), "{problems:?}");
    Arc::new(DelegateToAgent::new(Arc::new(agents)))
}

fn delegates(agent: &str) -> Answer {
    let args = json!({"agent_name": agent, "objective": "find it"});
    calls(&[call("delegate_to_agent", args)])
}

fn plot(answers: impl IntoIterator<Item = Answer>) -> Plot {
    Plot {
        other_tools: vec![agents()],
        ..Plot::of(answers)
    }
    .tool(StubTool::reading("look"))
    .tool(StubTool::editing("change"))
}

/// TO-4: a sub-agent works in its own conversation, through all hooks, under its name; the call
/// gets its last words.
#[tokio::test]
async fn a_sub_agent_works_through_hooks() {
    let events = [
        "BeforeAgent",
        "BeforeModel",
        "BeforeTool",
        "AfterTool",
        "AfterModel",
        "AfterAgent",
    ];
    let watched = events.iter().fold(
        plot([
            delegates("finder"),
            calls(&[call("change", json!({"n": 1}))]),
            text("it is here"),
            text("thanks"),
        ]),
        |plot, event| plot.hook(event, "watch", Act::silent()),
    );
    let played = watched.play().await;
    assert_eq!(played.end, TurnEnd::Completed);
    let stage = played.stage;
    assert_eq!(
        stage.history_lines(),
        [
            "user: go",
            "model calls delegate_to_agent",
            "delegate_to_agent says output: it is here",
            "model: thanks"
        ]
    );
    assert_eq!(stage.resumed(), stage.history());
    for event in events {
        let of_agent = |input: &&Value| input["agent_name"] == "finder";
        assert!(
            stage.read_by(event).iter().any(|it| of_agent(&it)),
            "{event}"
        );
    }
    let objective = &stage.read_by("BeforeAgent")[1];
    assert_eq!(objective["prompt"], "find it");
    assert_eq!(
        stage.screen.text(),
        "thanks",
        "its words aren't an answer to the user"
    );
    let progress = Shown::Progress("it is here".to_owned());
    assert!(stage.screen.shown().contains(&progress));
    assert_eq!(stage.screen.reasons().len(), 1, "its calls are asked about");
    assert_eq!(stage.telemetry_of("api_request")[1]["role"], "subagent");
    assert!(
        !stage.model.requests()[1].json.contains("\"go\""),
        "it knows its objective alone"
    );
}

/// TO-4: a sub-agent has the tools of its list, never the one that delegates; a name that matches
/// none is reported.
#[tokio::test]
async fn a_sub_agent_has_its_own_tools() {
    for (agent, tools) in [("finder", vec!["change", "look"]), ("reader", vec!["look"])] {
        let played = plot([delegates(agent), text("here"), text("thanks")])
            .play()
            .await;
        assert_eq!(played.end, TurnEnd::Completed);
        assert_eq!(played.stage.model.requests()[1].tools, tools);
        let warned = played.stage.screen.warnings();
        assert_eq!(
            warned.iter().any(|it| it.contains("nonsense")),
            agent == "reader"
        );
    }
}

/// OUT-3, BA-2, BM-4: what hooks decide inside is the call's error; a stop ends the whole loop.
#[tokio::test]
async fn what_hooks_decide_inside_is_the_calls_error() {
    let inside = |act: Act| {
        Act::decides(move |input| {
            if input["agent_name"] == "finder" {
                act.clone()
            } else {
                Act::silent()
            }
        })
    };
    for event in ["BeforeAgent", "BeforeModel", "AfterModel"] {
        let played = plot([delegates("finder"), text("thanks"), text("thanks")])
            .hook(event, "guard", inside(denies("not here")))
            .play()
            .await;
        assert_eq!(played.end, TurnEnd::Completed, "{event}");
        let sent = &played.stage.history_lines()[2];
        assert!(
            sent.contains("the agent \"finder\" was refused: not here"),
            "{sent}"
        );
        let stop = says(&json!({"continue": false, "stopReason": "halt"}));
        let played = plot([delegates("finder"), text("thanks"), text("thanks")])
            .hook(event, "brake", inside(stop))
            .play()
            .await;
        assert!(matches!(&played.end, TurnEnd::Stopped(reason) if reason.as_str() == "halt"));
        assert_eq!(
            played.stage.history_lines()[2],
            "delegate_to_agent says error: no result: agent execution stopped: halt"
        );
    }
}

/// LO-3, LO-4: a sub-agent that gives no complete answer, or reaches its limit, is an error of the
/// call; one that is cancelled cancels the turn.
#[tokio::test]
async fn a_sub_agent_that_fails_is_an_error_of_the_call() {
    let mut answers = vec![delegates("finder")];
    answers.extend((0..4).map(|_| unfinished("hal")));
    answers.push(text("thanks"));
    let played = plot(answers).play().await;
    assert_eq!(played.end, TurnEnd::Completed);
    let sent = &played.stage.history_lines()[2];
    assert!(
        sent.contains("says error") && sent.contains("no complete answer"),
        "{sent}"
    );
    assert_eq!(played.stage.screen.text(), "thanks");
    let dropped = played.stage.screen.shown().into_iter();
    let dropped = dropped.filter(|it| matches!(it, Shown::Dropped(..)));
    assert_eq!(dropped.count(), 0, "its answers aren't the user's");

    let played = plot([delegates("finder"), Answer::Cancels]).play().await;
    assert_eq!(played.end, TurnEnd::Cancelled);
    assert_eq!(played.stage.resumed(), played.stage.history());
}

/// TO-6: what the user allows for the session applies inside and outside of sub-agents.
#[tokio::test]
async fn a_grant_holds_inside_and_outside() {
    let change = || calls(&[call("change", json!({"n": 1}))]);
    let mut plot = plot([
        delegates("finder"),
        change(),
        text("here"),
        change(),
        text("thanks"),
    ]);
    plot.screen = Screen::answering([Consent::GivenForSession]);
    let played = plot.play().await;
    assert_eq!(played.end, TurnEnd::Completed);
    assert_eq!(played.stage.ran(), ["change", "change"]);
    assert_eq!(played.stage.screen.reasons().len(), 1);
}
