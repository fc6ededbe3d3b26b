//! Every cell of the measured matrix of replies that is used: what is written to each agent, to the
//! byte (BR-20, BR-21, BR-40).

use hookloop_bridge::{
    Agent, Answer, AnswerRequest, Conclusion, Fitted, Moment, Rewrite, RewritePolicy, Ruling,
    answer, fit,
};
use serde_json::{Map, Value, json};

/// The agent's event for a moment.
fn event_of(agent: Agent, moment: Moment) -> &'static str {
    let mut events = agent.events().iter();
    let found = events.find(|(_, it)| *it == moment);
    found.map_or("", |(event, _)| event)
}

fn fitted(agent: Agent, moment: Moment, conclusion: Conclusion) -> Fitted {
    fit(agent, moment, conclusion, RewritePolicy::Refuse)
}

fn said(agent: Agent, moment: Moment, conclusion: Conclusion) -> Answer {
    let fitted = fitted(agent, moment, conclusion);
    answer(&AnswerRequest {
        agent,
        event: event_of(agent, moment),
        moment,
        conclusion: &fitted.conclusion,
        payload: None,
    })
}

fn ruled(ruling: Ruling) -> Conclusion {
    Conclusion {
        ruling,
        ..Conclusion::default()
    }
}

fn refused() -> Conclusion {
    ruled(Ruling::Refuse("no".to_owned()))
}

fn with_context() -> Conclusion {
    Conclusion {
        context: Some("know".to_owned()),
        ..Conclusion::default()
    }
}

fn rewritten() -> Conclusion {
    let arguments = Map::from_iter([("command".to_owned(), json!("safe"))]);
    Conclusion {
        rewrite: Some(Rewrite {
            theirs: Some(arguments.clone()),
            ours: arguments,
        }),
        ..Conclusion::default()
    }
}

/// What an agent gets, for each in a row: exit code, standard output.
type Row = (Agent, u8, &'static str);

fn check(moment: Moment, conclusion: impl Fn() -> Conclusion, rows: &[Row]) {
    for (agent, exit, stdout) in rows {
        let said = said(*agent, moment, conclusion());
        assert_eq!(
            (said.exit, said.stdout.as_str()),
            (*exit, *stdout),
            "{} {moment:?}",
            agent.name()
        );
    }
}

const DENIED: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#;

/// BR-20, BR-40: a refusal before a tool is written as each agent was measured to obey it, with a
/// reason on standard error.
#[test]
fn a_refusal_is_obeyed() {
    let rows: [Row; 11] = [
        (Agent::ClaudeCode, 2, DENIED),
        (Agent::Codex, 2, DENIED),
        (Agent::Droid, 2, DENIED),
        (Agent::Kimi, 2, DENIED),
        (
            Agent::Qwen,
            0,
            r#"{"continue":false,"stopReason":"no","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#,
        ),
        (
            Agent::Copilot,
            2,
            r#"{"permissionDecision":"deny","permissionDecisionReason":"no"}"#,
        ),
        (Agent::Goose, 2, r#"{"decision":"block","reason":"no"}"#),
        (Agent::Opencode, 2, r#"{"refuse":"no"}"#),
        (Agent::Cline, 0, r#"{"cancel":true,"errorMessage":"no"}"#),
        (Agent::GeminiCli, 2, r#"{"decision":"deny","reason":"no"}"#),
        (
            Agent::Cursor,
            2,
            r#"{"permission":"deny","user_message":"no","agent_message":"no"}"#,
        ),
    ];
    check(Moment::BeforeTool, refused, &rows);
    for agent in Agent::ALL {
        assert_eq!(said(agent, Moment::BeforeTool, refused()).stderr, "no\n");
        // Codex lets the tool run if there is no text.
        let silent = said(
            agent,
            Moment::BeforeTool,
            ruled(Ruling::Refuse(String::new())),
        );
        assert!(!silent.stderr.trim().is_empty(), "{}", agent.name());
    }
}

/// BR-20: no opinion is nothing at all, at every moment; consent is never written.
#[test]
fn no_opinion_is_nothing() {
    let moments = [
        Moment::SessionStart,
        Moment::Prompt,
        Moment::BeforeTool,
        Moment::AfterTool,
        Moment::End,
        Moment::Alert,
        Moment::ConfigChange,
    ];
    for agent in Agent::ALL {
        for moment in moments {
            let said = said(agent, moment, Conclusion::default());
            assert_eq!(said, Answer::default(), "{} {moment:?}", agent.name());
        }
    }
}

/// BR-20, BR-21: what only hooks of other agents refuse, a compression and what follows the start
/// of a session, is passed on to the agents that obey it, and is a loss in the others.
#[test]
fn what_few_agents_obey_is_a_loss_in_the_others() {
    let compress = || ruled(Ruling::Refuse("no".to_owned()));
    let stop = || ruled(Ruling::Stop("no".to_owned()));
    check(Moment::Compress, compress, &[(Agent::ClaudeCode, 2, "")]);
    let obeyed = r#"{"continue":false,"stopReason":"no"}"#;
    check(Moment::SessionStart, stop, &[(Agent::Codex, 0, obeyed)]);
    let obeying = [
        (Moment::Compress, Agent::ClaudeCode),
        (Moment::SessionStart, Agent::Codex),
    ];
    for (moment, obeys) in obeying {
        for agent in Agent::ALL {
            let what = || ruled(Ruling::Stop("no".to_owned()));
            let losses = fitted(agent, moment, what()).losses.len();
            assert_eq!(losses, usize::from(agent != obeys), "{}", agent.name());
            if agent != obeys {
                assert_eq!(said(agent, moment, what()), Answer::default());
            }
        }
    }
}

/// BR-20, BR-40: with context beside a refusal the object contains both, if the agent reads it so.
#[test]
fn context_is_beside_a_refusal() {
    let both = || Conclusion {
        context: Some("know".to_owned()),
        ..refused()
    };
    let denied = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no","additionalContext":"know"}}"#;
    let rows: [Row; 3] = [
        (Agent::ClaudeCode, 0, denied),
        (Agent::Codex, 0, denied),
        (
            Agent::Copilot,
            0,
            r#"{"permissionDecision":"deny","permissionDecisionReason":"no","additionalContext":"know"}"#,
        ),
    ];
    check(Moment::BeforeTool, both, &rows);
    // Where there is no place for it, the reason carries it.
    for agent in [Agent::Goose, Agent::Kimi, Agent::Droid, Agent::Qwen] {
        let said = said(agent, Moment::BeforeTool, both());
        assert!(said.stderr.contains("know"), "{}", agent.name());
    }
}

/// BR-20, BR-21, BR-40: arguments are rewritten in the field that keeps the permission question; if
/// an agent can't, the call is refused with the arguments as advice.
#[test]
fn a_rewrite_is_what_runs_or_is_refused() {
    let rows: [Row; 7] = [
        (
            Agent::ClaudeCode,
            0,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"safe"}}}"#,
        ),
        (
            Agent::Codex,
            0,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"safe"}}}"#,
        ),
        (
            Agent::Droid,
            0,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"safe"}}}"#,
        ),
        (Agent::Copilot, 0, r#"{"modifiedArgs":{"command":"safe"}}"#),
        (Agent::Cline, 0, r#"{"overrideInput":{"command":"safe"}}"#),
        (Agent::Opencode, 0, r#"{"args":{"command":"safe"}}"#),
        (
            Agent::GeminiCli,
            0,
            r#"{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"command":"safe"}}}"#,
        ),
    ];
    check(Moment::BeforeTool, rewritten, &rows);
    for agent in [Agent::Qwen, Agent::Goose, Agent::Kimi] {
        let refused = fitted(agent, Moment::BeforeTool, rewritten());
        let Ruling::Refuse(reason) = &refused.conclusion.ruling else {
            panic!("{} must refuse", agent.name())
        };
        assert!(reason.contains(r#"{"command":"safe"}"#), "{reason}");
        assert_eq!(refused.losses.len(), 1);
        let dropped = fit(agent, Moment::BeforeTool, rewritten(), RewritePolicy::Drop);
        assert_eq!(dropped.conclusion.ruling, Ruling::Silent);
        assert_eq!(dropped.losses.len(), 1, "what is dropped is told");
    }
    let impossible = Conclusion {
        rewrite: Some(Rewrite {
            theirs: None,
            ours: Map::new(),
        }),
        ..Conclusion::default()
    };
    let refused = fitted(Agent::ClaudeCode, Moment::BeforeTool, impossible);
    assert!(refused.conclusion.ruling.is_refusal());
}

/// BR-20, BR-40: a question is asked if that is enforced, and otherwise is a refusal that says so.
#[test]
fn a_question_is_asked_or_refused() {
    let asks = || ruled(Ruling::Ask("why".to_owned()));
    let asked = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"why"}}"#;
    let rows: [Row; 3] = [
        (Agent::ClaudeCode, 0, asked),
        (Agent::Qwen, 0, asked),
        (
            Agent::Copilot,
            0,
            r#"{"permissionDecision":"ask","permissionDecisionReason":"why"}"#,
        ),
    ];
    check(Moment::BeforeTool, asks, &rows);
    for agent in [
        Agent::Codex,
        Agent::Goose,
        Agent::Kimi,
        Agent::Droid,
        Agent::Cline,
        Agent::Opencode,
    ] {
        let fitted = fitted(agent, Moment::BeforeTool, asks());
        let expected = Ruling::Refuse("needs approval: why".to_owned());
        assert_eq!(fitted.conclusion.ruling, expected, "{}", agent.name());
    }
}

/// BR-20, BR-40: a stop comes with a refusal, since alone it lets the tool run.
#[test]
fn a_stop_refuses_too() {
    let stops = || ruled(Ruling::Stop("end".to_owned()));
    let claude = said(Agent::ClaudeCode, Moment::BeforeTool, stops());
    assert_eq!(claude.exit, 2);
    assert_eq!(
        claude.stdout,
        r#"{"continue":false,"stopReason":"end","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"end"},"systemMessage":"end"}"#
    );
    for agent in Agent::ALL {
        let said = said(agent, Moment::BeforeTool, stops());
        let refuses = said.exit == 2
            || said.stdout.contains("\"deny\"")
            || said.stdout.contains("\"cancel\":true");
        assert!(refuses, "{}: {said:?}", agent.name());
    }
    // `continue` voids a refusal there.
    for agent in [Agent::Codex, Agent::Copilot, Agent::Goose, Agent::Kimi] {
        let said = said(agent, Moment::BeforeTool, stops());
        assert!(!said.stdout.contains("continue"), "{}", agent.name());
    }
}

/// BR-20, BR-40: text for the model is written where it reaches the model.
#[test]
fn context_reaches_the_model() {
    let hso = |event: &str| {
        json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": "know"}})
            .to_string()
    };
    for (agent, moment, stdout) in [
        (Agent::ClaudeCode, Moment::SessionStart, hso("SessionStart")),
        (Agent::ClaudeCode, Moment::Prompt, hso("UserPromptSubmit")),
        (Agent::ClaudeCode, Moment::BeforeTool, hso("PreToolUse")),
        (Agent::ClaudeCode, Moment::AfterTool, hso("PostToolUse")),
        (Agent::Codex, Moment::SessionStart, hso("SessionStart")),
        (Agent::Codex, Moment::Prompt, hso("UserPromptSubmit")),
        (Agent::Codex, Moment::BeforeTool, hso("PreToolUse")),
        (Agent::Codex, Moment::AfterTool, hso("PostToolUse")),
        (Agent::Qwen, Moment::SessionStart, hso("SessionStart")),
        (Agent::Qwen, Moment::Prompt, hso("UserPromptSubmit")),
        (Agent::Qwen, Moment::AfterTool, hso("PostToolUse")),
        (Agent::Droid, Moment::SessionStart, hso("SessionStart")),
        (Agent::Droid, Moment::AfterTool, hso("PostToolUse")),
        (
            Agent::Copilot,
            Moment::Prompt,
            r#"{"additionalContext":"know"}"#.to_owned(),
        ),
        (
            Agent::Copilot,
            Moment::BeforeTool,
            r#"{"additionalContext":"know"}"#.to_owned(),
        ),
        (
            Agent::Copilot,
            Moment::SessionStart,
            r#"{"additionalContext":"know"}"#.to_owned(),
        ),
        (
            Agent::Cline,
            Moment::BeforeTool,
            r#"{"contextModification":"know"}"#.to_owned(),
        ),
        (
            Agent::Cline,
            Moment::AfterTool,
            r#"{"contextModification":"know"}"#.to_owned(),
        ),
        // What is written there is pasted as it is.
        (Agent::Kimi, Moment::Prompt, "know".to_owned()),
        (
            Agent::Opencode,
            Moment::Prompt,
            r#"{"context":"know"}"#.to_owned(),
        ),
    ] {
        let said = said(agent, moment, with_context());
        assert_eq!(
            (said.exit, said.stdout),
            (0, stdout),
            "{} {moment:?}",
            agent.name()
        );
    }
}

/// BR-21: text for the model that has no place waits for one, or its loss is reported.
#[test]
fn context_without_a_place_waits_or_its_loss_is_reported() {
    for (agent, moment) in [
        (Agent::Qwen, Moment::BeforeTool),
        (Agent::Droid, Moment::BeforeTool),
        (Agent::Kimi, Moment::BeforeTool),
        (Agent::Kimi, Moment::AfterTool),
        (Agent::Opencode, Moment::BeforeTool),
    ] {
        let waits = fitted(agent, moment, with_context());
        assert_eq!(
            waits.carried.as_deref(),
            Some("know"),
            "{} {moment:?}",
            agent.name()
        );
        assert_eq!(waits.losses.len(), 1);
    }
    for (agent, moment) in [
        (Agent::Goose, Moment::BeforeTool),
        (Agent::Droid, Moment::Prompt),
    ] {
        let lost = fitted(agent, moment, with_context());
        assert_eq!(
            (lost.carried, lost.losses.len()),
            (None, 1),
            "{}",
            agent.name()
        );
    }
}

/// BR-20, BR-40: a refused prompt is dropped; in goose, which can't, every tool of the turn is
/// refused.
#[test]
fn a_refused_prompt_is_dropped() {
    let block = r#"{"decision":"block","reason":"no"}"#;
    let rows: [Row; 8] = [
        (Agent::ClaudeCode, 2, block),
        (Agent::Codex, 2, block),
        (Agent::Droid, 2, block),
        (
            Agent::Qwen,
            0,
            r#"{"continue":false,"stopReason":"no","decision":"block","reason":"no"}"#,
        ),
        (Agent::Copilot, 0, block),
        (Agent::Kimi, 2, ""),
        (Agent::Opencode, 2, r#"{"refuse":"no"}"#),
        (Agent::GeminiCli, 2, r#"{"decision":"deny","reason":"no"}"#),
    ];
    check(Moment::Prompt, refused, &rows);
    let goose = fitted(Agent::Goose, Moment::Prompt, refused());
    assert!(goose.refuses_turn.is_some_and(|it| it.contains("no")));
    assert_eq!(goose.losses.len(), 1);
}

/// BR-20, BR-40: a turn continues with the words that each agent obeys.
#[test]
fn a_turn_goes_on() {
    let block = r#"{"decision":"block","reason":"no"}"#;
    let rows: [Row; 8] = [
        (Agent::ClaudeCode, 0, block),
        (Agent::Codex, 0, block),
        (Agent::Qwen, 0, block),
        (Agent::Droid, 0, block),
        (Agent::Goose, 0, block),
        (Agent::Copilot, 0, block),
        (Agent::Kimi, 2, ""),
        (Agent::GeminiCli, 0, r#"{"decision":"deny","reason":"no"}"#),
    ];
    check(Moment::End, refused, &rows);
    for agent in [Agent::Cline, Agent::Opencode] {
        let stays = fitted(agent, Moment::End, refused());
        assert_eq!(stays.conclusion.ruling, Ruling::Silent);
        assert_eq!(stays.losses.len(), 1, "{}", agent.name());
    }
}

/// BR-20, BR-21, BR-40: a withheld result is replaced where an agent does that, and its loss is
/// reported where it doesn't.
#[test]
fn a_result_is_withheld_or_the_loss_is_reported() {
    let block = r#"{"decision":"block","reason":"no"}"#;
    let rows: [Row; 3] = [
        (Agent::ClaudeCode, 0, block),
        (Agent::Codex, 0, block),
        (Agent::Copilot, 0, block),
    ];
    check(Moment::AfterTool, refused, &rows);
    for agent in [
        Agent::Qwen,
        Agent::Droid,
        Agent::Goose,
        Agent::Kimi,
        Agent::Cline,
    ] {
        let lost = fitted(agent, Moment::AfterTool, refused());
        assert_eq!(lost.losses.len(), 1, "{}", agent.name());
    }
    for agent in [Agent::Qwen, Agent::Droid] {
        let said = said(agent, Moment::AfterTool, refused());
        assert!(
            said.stdout.contains(r#""additionalContext":"no""#),
            "{said:?}"
        );
    }
}

/// BR-20: whatever is answered, standard output is one JSON object or nothing; only Kimi's prompts
/// are text.
#[test]
fn standard_output_is_one_object_or_nothing() {
    let conclusions: [fn() -> Conclusion; 5] = [
        refused,
        with_context,
        rewritten,
        || ruled(Ruling::Stop("end".to_owned())),
        || ruled(Ruling::Ask("why".to_owned())),
    ];
    let moments = [
        Moment::SessionStart,
        Moment::Prompt,
        Moment::BeforeTool,
        Moment::AfterTool,
        Moment::End,
    ];
    for agent in Agent::ALL {
        for moment in moments {
            for conclusion in conclusions {
                let mut conclusion = conclusion();
                conclusion.messages = vec!["one \"message\"\nfor you".to_owned()];
                let said = said(agent, moment, conclusion);
                let is_text = agent == Agent::Kimi && moment == Moment::Prompt;
                if !said.stdout.is_empty() && !is_text {
                    let value: Result<Value, _> = serde_json::from_str(&said.stdout);
                    assert!(value.is_ok_and(|it| it.is_object()), "{}", said.stdout);
                }
                assert!(said.exit == 0 || said.exit == 2);
            }
        }
    }
}

/// BR-20: of several answers the strictest counts, with all its reasons.
#[test]
fn the_strictest_counts() {
    let refuse = |text: &str| Ruling::Refuse(text.to_owned());
    assert_eq!(refuse("a").or_stricter(refuse("b")), refuse("a\nb"));
    assert_eq!(refuse("a").or_stricter(refuse("a")), refuse("a"));
    assert_eq!(
        Ruling::Ask("q".to_owned()).or_stricter(refuse("b")),
        refuse("b")
    );
    assert_eq!(refuse("a").or_stricter(Ruling::Silent), refuse("a"));
    let stop = || Ruling::Stop("s".to_owned());
    assert_eq!(refuse("a").or_stricter(stop()), stop());
}
