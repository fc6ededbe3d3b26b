//! `hooks replay`: today's hooks on a recorded input (CM-6).

use std::path::PathBuf;

use hookloop_engine::{Concluded, Explanation};
use hookloop_events::SessionIdentity;
use hookloop_session::recording::{self, Recorder};
use hookloop_session::{OutcomeView, Workspace};
use hookloop_trace::replay::changes;
use hookloop_trace::{Origin, StoredRun};
use serde_json::{Map, Value};

use super::choice::{find, input_of};
use super::view::ReplayView;
use super::{ReplayArguments, words};
use crate::commands::engine::{Engine, Interruption, subject};
use crate::commands::views::{self, ExplanationView};
use crate::commands::{CommandFailure, Context, Format, text};
use crate::output::{Exit, Output};

/// Runs all of today's hooks of a run's event on what it was fired with, and shows what changed.
pub(crate) fn replay(
    context: &Context<'_>,
    arguments: &ReplayArguments,
) -> Result<Output, CommandFailure> {
    let environment = context.environment;
    let mut workspace = Workspace::open(environment, context.run);
    let store = recording::open(&workspace, environment)?;
    let recorded = find(store.as_ref(), &arguments.run_id)?;
    let before = match &store {
        Some(store) => store.firing(&recorded)?,
        None => Vec::new(),
    };
    let payload = input_of(&recorded, &before)?;
    let explanation = workspace
        .registry
        .explain(recorded.event, subject(recorded.event, &payload));
    let mut warnings = Vec::new();
    let session = session(context, &recorded, &payload, &mut warnings);
    let writer = Recorder::of_replay(&workspace, environment);
    let engine =
        Engine::new(&mut workspace, environment, Some(writer.observer()))?.until(&context.stop);
    let (concluded, interruption) = engine.fire(session, recorded.event, payload)?;
    warnings.extend(writer.finish());
    let replayed = Replayed {
        recorded,
        before,
        explanation,
        concluded,
    };
    let mut output = show(context, &workspace, &replayed)?;
    output
        .notices
        .extend(warnings.iter().map(|it| text::warning(it)));
    if matches!(interruption, Interruption::Interrupted) {
        output.exit = Exit::Cancelled;
    }
    Ok(output)
}

/// Everything that a replay came to.
struct Replayed {
    recorded: StoredRun,
    before: Vec<StoredRun>,
    explanation: Explanation,
    concluded: Option<Concluded>,
}

/// Returns the session that the event belonged to, as far as it still exists.
fn session(
    context: &Context<'_>,
    recorded: &StoredRun,
    payload: &Map<String, Value>,
    warnings: &mut Vec<String>,
) -> SessionIdentity {
    let path = |field: &str| {
        payload
            .get(field)
            .and_then(Value::as_str)
            .map(PathBuf::from)
    };
    let current_dir = &context.environment.current_dir;
    let recorded_in = path("cwd").unwrap_or_else(|| current_dir.clone());
    let cwd = if recorded_in.is_dir() {
        recorded_in
    } else {
        warnings.push(format!(
            "the folder of the recorded run is gone ({}); its hooks run in {}",
            recorded_in.display(),
            current_dir.display()
        ));
        current_dir.clone()
    };
    SessionIdentity {
        session_id: recorded.session_id.clone(),
        transcript_path: path("transcript_path").unwrap_or_default(),
        cwd,
        agent: None,
    }
}

fn show(
    context: &Context<'_>,
    workspace: &Workspace,
    replayed: &Replayed,
) -> Result<Output, CommandFailure> {
    let concluded = replayed.concluded.as_ref();
    let records = concluded.map_or(&[][..], |it| it.runs.as_slice());
    let today: Vec<StoredRun> = records
        .iter()
        .map(|run| StoredRun::of_record(run, Origin::Replay))
        .collect();
    let changes = changes(&replayed.before, &today);
    let outcome = OutcomeView::new(concluded);
    let mut told = text::trust_notices(workspace, &replayed.explanation);
    told += &text::engine_notices(concluded);
    let view = ReplayView {
        recorded: &replayed.recorded,
        runs: &today,
        outcome: &outcome,
        changed: !changes.is_empty(),
        changes: &changes,
        explanation: ExplanationView::new(&replayed.explanation),
    };
    let problems = &workspace.problems;
    let (result, notices) = match context.format {
        Format::Json => (
            views::document(context.name, &workspace.project_root, view, problems)?,
            told,
        ),
        Format::Text { output, notices } => (
            words::replayed(&view, &replayed.explanation, output),
            text::diagnostics(problems, notices) + &told,
        ),
    };
    Ok(Output {
        result,
        notices,
        exit: Exit::Done,
    })
}
