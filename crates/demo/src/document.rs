//! The demo as JSON (`demo --json`): every field is always there.

use std::path::Path;

use hookloop_agent::TurnEnd;
use serde::Serialize;

use crate::Performance;
use crate::timeline::{Effect, FiredEvent, Reading, Step, ToolReturn, Turn, events};
use crate::totals::Totals;

/// The version of the schema.
const SCHEMA_VERSION: u32 = 1;

#[derive(Debug, Serialize)]
struct Document<'a> {
    schema_version: u32,
    command: &'static str,
    project_dir: Option<String>,
    session_start: Vec<&'a FiredEvent>,
    turns: Vec<TurnView<'a>>,
    session_end: Vec<&'a FiredEvent>,
    totals: &'a Totals,
    differences: &'a [String],
}

#[derive(Debug, Serialize)]
struct TurnView<'a> {
    title: &'static str,
    prompt: &'static str,
    events: Vec<&'a FiredEvent>,
    tools: Vec<&'a ToolReturn>,
    model_reads: Vec<&'a Reading>,
    retries: Vec<&'a str>,
    notices: Vec<&'a str>,
    response: String,
    end: &'static str,
    end_reason: Option<String>,
    effects: &'a [Effect],
}

/// Returns the JSON object of a demo, with a newline; `kept` is the project, if it was kept.
pub(crate) fn document(
    performance: &Performance,
    kept: Option<&Path>,
) -> serde_json::Result<String> {
    let document = Document {
        schema_version: SCHEMA_VERSION,
        command: "demo",
        project_dir: kept.map(|path| path.to_string_lossy().into_owned()),
        session_start: events(&performance.opening).collect(),
        turns: performance.turns.iter().map(TurnView::new).collect(),
        session_end: events(&performance.closing).collect(),
        totals: &performance.totals(),
        differences: &performance.differences(),
    };
    Ok(serde_json::to_string(&document)? + "\n")
}

impl<'a> TurnView<'a> {
    fn new(turn: &'a Turn) -> Self {
        let (mut tools, mut model_reads, mut retries, mut notices) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for step in &turn.steps {
            match step {
                Step::Returned(tool) => tools.push(tool),
                Step::Asked(reading) => model_reads.push(reading),
                Step::Retried(reason) => retries.push(reason.as_str()),
                Step::Noticed(text) => notices.push(text.as_str()),
                Step::Event(_) | Step::HookReply(_) | Step::Called(_) => {}
            }
        }
        let (end, end_reason) = end(&turn.end);
        Self {
            title: turn.title,
            prompt: turn.prompt,
            events: events(&turn.steps).collect(),
            tools,
            model_reads,
            retries,
            notices,
            response: turn.response(),
            end,
            end_reason,
            effects: &turn.effects,
        }
    }
}

/// Returns the word for how a turn ended, and the reason.
pub(crate) fn end(end: &TurnEnd) -> (&'static str, Option<String>) {
    match end {
        TurnEnd::Completed => ("completed", None),
        TurnEnd::Refused(reason, _) => ("refused", Some(reason.to_string())),
        TurnEnd::Stopped(reason) => ("stopped", Some(reason.to_string())),
        TurnEnd::Cancelled => ("cancelled", None),
        TurnEnd::LimitReached(limit) => ("limit_reached", Some(format!("{limit} model calls"))),
        TurnEnd::EndedEarly(reason) => ("ended_early", Some(reason.clone())),
        TurnEnd::Failed(why) => ("failed", Some(why.clone())),
    }
}
