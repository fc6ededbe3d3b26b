//! Sub-agents: what they may use, what limits and ends them, what their hooks see and decide, and
//! what they return (TO-4, EV-4).

use std::path::PathBuf;
use std::sync::Arc;

use hookloop_agent::{ApprovalMode, Session, TurnEnd};
use hookloop_tools::{AgentFolders, DelegateToAgent, SubAgents, Tool};
use serde_json::{Value, json};

use super::desk::{Desk, FIRST, counted, history, history_lines_of};
use super::stage::{Act, Answer, Plot, Shown, StubTool, call, calls, chunk, denies, says, text};

/// Agents with these names and front matters.
fn agents(all: &[(&str, &str)]) -> Arc<dyn Tool> {
    let folder = tempfile::tempdir().unwrap();
    for (name, front) in all {
        let text = format!("---\nname: {name}\ndescription: Works.\n{front}---\nYou are {name}.\n");
        std::fs::write(folder.path().join(format!("{name}.md")), text).unwrap();
    }
    let (agents, problems) = SubAgents::discover(&AgentFolders {
        used: vec![folder.path().to_owned()],
        untrusted: Vec::<PathBuf>::new(),
    });
    assert!(problems.is_empty(), "{problems:?}");
    Arc::new(DelegateToAgent::new(Arc::new(agents)))
}

fn task(agent: &str, objective: &str) -> Value {
    let args = json!({"agent_name": agent, "objective": objective});
    call("delegate_to_agent", args)
}

pub(crate) fn delegates(agent: &str) -> Answer {
    calls(&[task(agent, "find it")])
}

fn look(n: u64) -> Answer {
    calls(&[call("look", json!({"n": n}))])
}

/// A session with these agents, a tool that reads and one that changes.
pub(crate) fn plot_with(all: &[(&str, &str)], answers: impl IntoIterator<Item = Answer>) -> Plot {
    Plot {
        other_tools: vec![agents(all)],
        ..Plot::of(answers)
    }
    .tool(StubTool::reading("look"))
    .tool(StubTool::editing("change"))
}

const ONE: [(&str, &str); 1] = [("finder", "")];

/// Does this in a sub-agent, and nothing outside.
fn inside(act: Act) -> Act {
    Act::decides(move |read| {
        if read["agent_name"].is_string() {
            act.clone()
        } else {
            Act::silent()
        }
    })
}

/// Returns what the delegating call gave the model.
fn result(session: &Session) -> String {
    history_lines_of(session)[2].clone()
}

/// TO-4, PL-5: a sub-agent is offered the tools in its list that the session's policy lets run; a
/// call of another one fails, and runs nothing.
#[tokio::test]
async fn a_list_is_all_that_a_sub_agent_may_use() {
    let table = [
        ("", vec!["change", "look"]),
        ("tools: [look]\n", vec!["look"]),
        ("tools: ['l*', no_such_tool]\n", vec!["look"]),
        ("tools: ['*']\n", vec!["change", "look"]),
        ("tools: [delegate_to_agent]\n", vec![]),
        ("tools: []\n", vec![]),
    ];
    for (front, tools) in table {
        let answers = [
            delegates("worker"),
            calls(&[
                call("change", json!({"n": 1})),
                task("worker", "go on for ever"),
            ]),
            text("here"),
            text("thanks"),
        ];
        let desk = Desk::of(plot_with(&[("worker", front)], answers));
        let (session, end) = desk.play().await;
        assert_eq!(end, TurnEnd::Completed, "{front}");
        let asked = desk.model.requests();
        assert_eq!(asked[1].tools, tools, "{front}");
        let outcomes: Vec<bool> = asked[2].contents[2]
            .split("; ")
            .map(|it| it.contains("says output"))
            .collect();
        assert_eq!(outcomes, [tools.contains(&"change"), false], "{front}");
        assert_eq!(result(&session), "delegate_to_agent says output: here");
        assert_eq!(asked.len(), 4, "nobody delegates within");
    }
}

/// TO-4, TO-6: the session's approval mode applies inside: in plan mode a sub-agent changes
/// nothing.
#[tokio::test]
async fn the_approval_mode_holds_inside() {
    let answers = [
        delegates("finder"),
        calls(&[
            call("change", json!({"n": 1})),
            call("look", json!({"n": 2})),
        ]),
        text("here"),
        text("thanks"),
    ];
    let mut plot = plot_with(&ONE, answers);
    plot.policy.mode = ApprovalMode::Plan;
    let desk = Desk::of(plot);
    let (session, end) = desk.play().await;
    assert_eq!(end, TurnEnd::Completed);
    assert_eq!(desk.model.requests()[1].tools, ["look"]);
    let by_name = &session.stats().tools.by_name;
    assert_eq!((by_name["change"].success, by_name["look"].success), (0, 1));
}

/// TO-4, LO-3: the model calls of a sub-agent count towards the limit of the turn that delegated.
/// Reaching it is an error of the call, and then ends that turn, too.
#[tokio::test]
async fn a_turn_and_its_sub_agents_share_a_limit() {
    let answers = [delegates("finder"), look(1), look(2), look(3)];
    let mut plot = plot_with(&ONE, answers);
    plot.limits.model_calls = 3;
    let desk = Desk::of(plot);
    let (session, end) = desk.play().await;
    assert_eq!(end, TurnEnd::LimitReached(3));
    let sent = result(&session);
    assert!(
        sent.contains("says error") && sent.contains("limit"),
        "{sent}"
    );
    assert_eq!(desk.model.requests().len(), 3);
    let turns = desk.spans.named("hookloop.turn");
    assert_eq!(turns.len(), 2);
    assert!(turns.iter().all(|it| it.error.is_some()), "{turns:?}");
}

/// LO-3: however often a turn delegates, it calls the model no more often than it may, and the next
/// turn begins to count anew.
#[tokio::test]
async fn no_number_of_delegations_gets_around_the_limit() {
    let errand = || [delegates("finder"), look(1), text("here")];
    let answers = (0..9).flat_map(|_| errand());
    let mut plot = plot_with(&ONE, answers);
    plot.limits.model_calls = 7;
    let desk = Desk::of(plot);
    let (_, end) = desk.play().await;
    assert_eq!(end, TurnEnd::LimitReached(7));
    assert_eq!(desk.model.requests().len(), 7);
}

/// AA-1, AA-2: a sub-agent's final answer is judged by its hooks, which send it back a bounded
/// number of times; the call gets the result.
#[tokio::test]
async fn its_answer_is_judged_and_sent_back() {
    for (rejections, expected) in [(1, "second"), (9, "third")] {
        let mut acts = vec![denies("do better"); rejections];
        acts.push(Act::silent());
        let next = Act::in_turn(acts);
        let answers = ["first", "second", "third"].map(text);
        let mut all = vec![delegates("finder")];
        all.extend(
            answers
                .into_iter()
                .take(if rejections == 1 { 2 } else { 3 }),
        );
        all.push(text("thanks"));
        let mut plot = plot_with(&ONE, all).hook("AfterAgent", "judge", inside(next));
        plot.limits.retries = 2;
        let desk = Desk::of(plot);
        let (session, end) = desk.play().await;
        assert_eq!(end, TurnEnd::Completed);
        assert_eq!(
            result(&session),
            format!("delegate_to_agent says output: {expected}")
        );
        let judged = desk.read_by("AfterAgent");
        assert!(
            judged
                .iter()
                .take(judged.len() - 1)
                .all(|it| it["prompt"] == "find it")
        );
        assert_eq!(judged.last().unwrap()["prompt"], "go");
        assert_eq!(judged[1]["stop_hook_active"], true);
    }
}

/// LO-4, EV-5: a turn that is cancelled while a sub-agent works ends at once, inside and outside;
/// each call has its result, and the session continues.
#[tokio::test(start_paused = true)]
async fn cancelling_ends_the_turn_within_too() {
    let hangs = || inside(Act::Hangs);
    let events = [
        "BeforeAgent",
        "BeforeModel",
        "AfterModel",
        "BeforeTool",
        "AfterTool",
        "AfterAgent",
    ];
    for event in events {
        let answers = [delegates("finder"), look(1), text("here"), text("after")];
        let desk = Desk::of(plot_with(&ONE, answers).hook(event, "hang", hangs()));
        let mut session = desk.start().await;
        let cancel = desk.cancel.child_token();
        let end = {
            let turn = session.prompt("go", cancel.clone());
            tokio::pin!(turn);
            tokio::select! {
                end = &mut turn => panic!("{event}: it ended by itself: {end:?}"),
                () = tokio::time::sleep(std::time::Duration::from_secs(1)) => cancel.cancel(),
            }
            turn.await
        };
        assert_eq!(end, TurnEnd::Cancelled, "{event}");
        let sent = history_lines_of(&session);
        assert_eq!(sent.len(), 3, "{event}: {sent:?}");
        assert!(
            sent[2].starts_with("delegate_to_agent says error"),
            "{event}: {sent:?}"
        );
        assert_eq!(desk.stored(FIRST), history(&session), "{event}");
        assert!(desk.spans.all().iter().all(|it| it.ends == 1), "{event}");
        desk.model.then([text("spare"), text("spare")]);
        let again = desk.prompt(&mut session, "again").await;
        assert_eq!(again, TurnEnd::Completed, "{event}");
    }

    let answers = [
        delegates("finder"),
        calls(&[call("cancel", json!({}))]),
        text("never"),
    ];
    let desk = Desk::of(plot_with(&ONE, answers).tool(StubTool::cancelling("cancel")));
    let (session, end) = desk.play().await;
    assert_eq!(end, TurnEnd::Cancelled, "a tool inside");
    assert_eq!(desk.model.requests().len(), 2);
    assert_eq!(desk.stored(FIRST), history(&session));
}

/// TO-4: its own model is used if it names one; requests, tokens, calls, spans and events are
/// counted and named as its own.
#[tokio::test]
async fn what_it_uses_is_told_as_its_own() {
    let usage = |total: u64| json!({"promptTokenCount": total, "totalTokenCount": total});
    let answers = [
        delegates("finder"),
        look(1),
        counted("here", usage(30)),
        counted("thanks", usage(500)),
    ];
    let plot = plot_with(&[("finder", "model: small-model\n")], answers);
    let desk = Desk::of(plot.hook("BeforeTool", "watch", Act::silent()));
    let (session, _) = desk.play().await;
    let stats = session.stats();
    let of = |model: &str| {
        let it = &stats.models[model];
        (it.api.total_requests, it.tokens.total)
    };
    assert_eq!(
        (of("small-model"), of("gemini-2.5-pro")),
        ((2, 30), (2, 500))
    );
    assert_eq!(stats.tools.total_calls, 2);

    let requests = desk.telemetry_of("api_request");
    let roles: Vec<_> = requests
        .iter()
        .map(|it| (&it["role"], &it["model"]))
        .collect();
    let (sub, main) = (json!("subagent"), json!("main"));
    let (small, own) = (json!("small-model"), json!("gemini-2.5-pro"));
    assert_eq!(
        roles,
        [(&main, &own), (&sub, &small), (&sub, &small), (&main, &own)]
    );
    let id = requests[1]["agent_id"].as_str().unwrap().to_owned();
    assert!(requests[0].get("agent_id").is_none());
    let read = desk.read_by("BeforeTool");
    assert_eq!(read[1]["agent_id"], *id);
    assert!(
        read[0].get("agent_id").is_none(),
        "the call that delegates is the session's"
    );

    let named = |name: &str| -> Vec<bool> {
        let spans = desk.spans.named(name).into_iter();
        let named = spans.map(|it| it.says.get("gen_ai.agent.id") == Some(&json!(id)));
        named.collect()
    };
    assert_eq!(named("hookloop.turn"), [false, true]);
    assert_eq!(named("hookloop.tool_call"), [false, true]);
    let inner = desk.spans.named("hookloop.tool_call")[1].clone();
    assert_eq!(
        desk.spans.way_to(&inner),
        [
            "hookloop.turn",
            "hookloop.tool_call",
            "hookloop.turn",
            "hookloop.tool_call"
        ]
    );
}

/// TO-4: two delegations in one response are two agents: each has its own id and conversation, and
/// the results go back in the order of the calls.
#[tokio::test]
async fn each_errand_is_an_agent_of_its_own() {
    let answers = [
        calls(&[task("finder", "the first"), task("finder", "the second")]),
        text("found one"),
        text("found two"),
        text("thanks"),
    ];
    let desk = Desk::of(plot_with(&ONE, answers).hook("BeforeAgent", "watch", Act::silent()));
    let (session, _) = desk.play().await;
    assert_eq!(
        result(&session),
        "delegate_to_agent says output: found one; delegate_to_agent says output: found two"
    );
    let read = desk.read_by("BeforeAgent");
    let prompts: Vec<&Value> = read.iter().map(|it| &it["prompt"]).collect();
    assert_eq!(prompts, ["go", "the first", "the second"]);
    assert_ne!(read[1]["agent_id"], read[2]["agent_id"]);
    let asked = desk.model.requests();
    assert_eq!(asked[1].contents, ["user: the first"]);
    assert_eq!(asked[2].contents, ["user: the second"]);
    let entries = desk.entries(FIRST);
    for (agent, objective) in [(1, "the first"), (2, "the second")] {
        let own = entries
            .iter()
            .filter(|it| it["agent_id"] == read[agent]["agent_id"]);
        let own: Vec<&Value> = own.collect();
        assert_eq!(own.len(), 2, "its prompt and its answer: {own:?}");
        assert_eq!(own[0]["content"]["parts"][0]["text"], objective);
        assert_eq!(own[0]["agent_name"], "finder");
    }
}

/// TO-4, BA-1, SS-1, SE-11: context of hooks goes with the objective inside, and that of the
/// session's start doesn't; a resumed session contains only its own conversation.
#[tokio::test]
async fn contexts_inside_stay_inside() {
    let context = |text: &str| says(&json!({"hookSpecificOutput": {"additionalContext": text}}));
    let answers = [
        delegates("finder"),
        text("here"),
        text("thanks"),
        text("more"),
    ];
    let desk = Desk::of(
        plot_with(&ONE, answers)
            .hook("SessionStart", "greet", context("from the start"))
            .hook("SessionEnd", "part", Act::silent())
            .hook("BeforeAgent", "add", inside(context("for agents"))),
    );
    let (session, _) = desk.play().await;
    let asked = desk.model.requests();
    assert!(asked[1].json.contains("for agents") && !asked[1].json.contains("from the start"));
    assert!(!asked[2].json.contains("for agents"));
    assert_eq!(desk.read_by("SessionStart").len(), 1);
    assert_eq!(desk.read_by("SessionEnd").len(), 0);
    let before = history(&session);
    drop(session);
    let mut resumed = desk.resume(FIRST).await;
    assert_eq!(history(&resumed), before);
    desk.prompt(&mut resumed, "on").await;
    assert!(!desk.model.requests()[3].json.contains("for agents"));
}

/// EV-4, BT-3, AT-1, AM-2: what a sub-agent was asked and what it returns pass through hooks like
/// any call and result: they change its objective, redact its answer, and withhold it.
#[tokio::test]
async fn hooks_are_on_both_sides_of_an_errand() {
    let reworded = json!({"hookSpecificOutput": {"tool_input":
        {"agent_name": "finder", "objective": "find less"}}});
    let redacted = json!({"hookSpecificOutput": {"llm_response": {"text": "it is ***"}}});
    for (event, act, objective, output) in [
        (
            "BeforeTool",
            says(&reworded),
            "find less",
            "says output: it is SECRET",
        ),
        (
            "AfterModel",
            inside(says(&redacted)),
            "find it",
            "says output: it is ***",
        ),
        (
            "AfterTool",
            denies("not for you"),
            "find it",
            "says error: Tool result blocked: not for you",
        ),
    ] {
        let answers = [delegates("finder"), text("it is SECRET"), text("thanks")];
        let desk = Desk::of(plot_with(&ONE, answers).hook(event, "guard", act));
        let (session, end) = desk.play().await;
        assert_eq!(end, TurnEnd::Completed, "{event}");
        let asked = desk.model.requests();
        assert_eq!(asked[1].contents, [format!("user: {objective}")], "{event}");
        let sent = result(&session);
        assert!(
            sent.starts_with(&format!("delegate_to_agent {output}")),
            "{event}: {sent}"
        );
        let withholds = event != "BeforeTool";
        assert_eq!(asked[2].json.contains("SECRET"), !withholds, "{event}");
        assert_eq!(desk.stored(FIRST), history(&session), "{event}");
        if event == "AfterModel" {
            assert!(!desk.records().contains("SECRET"), "{event}");
        }
    }
}

/// TO-4: a sub-agent returns what it said last; if it said nothing about its last results, what it
/// said before; if it never said anything, a note about that. None of it is the session's response.
#[tokio::test]
async fn what_it_said_last_comes_back() {
    let says_and_looks = || {
        let parts = json!([{"text": "looking"}, call("look", json!({"n": 1}))]);
        Answer::Chunks(vec![chunk(parts, Some("STOP"))])
    };
    let nothing = || Answer::Chunks(vec![chunk(json!([]), Some("STOP"))]);
    let table = [
        (vec![says_and_looks(), text("the end")], Some("the end")),
        (vec![says_and_looks(), nothing()], Some("looking")),
        (vec![says_and_looks(), look(2), nothing()], Some("looking")),
        (vec![look(1), nothing()], None),
    ];
    for (inner, expected) in table {
        let all = [vec![delegates("finder")], inner, vec![text("thanks")]].concat();
        let desk = Desk::of(plot_with(&ONE, all).hook("AfterAgent", "judge", Act::silent()));
        let (session, end) = desk.play().await;
        assert_eq!(end, TurnEnd::Completed);
        let sent = result(&session);
        match expected {
            Some(words) => assert_eq!(sent, format!("delegate_to_agent says output: {words}")),
            None => assert!(
                sent.len() > "delegate_to_agent says output: ".len(),
                "{sent}"
            ),
        }
        assert_eq!(desk.screen.text(), "thanks");
        let outer = desk.read_by("AfterAgent").pop().unwrap();
        assert_eq!(outer["prompt_response"], "thanks");
        let shown = desk.screen.shown();
        let inside = |it: &&Shown| matches!(it, Shown::OfAgent(name, _) if name == "finder");
        assert!(
            shown.iter().any(|it| inside(&it)),
            "its calls are shown as its own"
        );
    }
}
