//! Runs the current hooks on a recorded input (CM-6).

use std::path::PathBuf;

use hookloop_engine::Explanation;
use hookloop_events::SessionIdentity;
use hookloop_session::recording::{self, Recorder};
use hookloop_session::{OutcomeView, Workspace};
use hookloop_trace::replay::{Change, changes};
use hookloop_trace::{Origin, StoredRun};
use serde_json::{Map, Value};

use super::choice::{find_run, input_of};
use crate::Task;
use crate::engine::{Engine, Interruption, subject};
use crate::failure::CommandFailure;
use crate::warnings;

/// The result of a replay.
pub struct Replayed {
    /// The current configuration.
    pub workspace: Workspace,
    /// The recorded run.
    pub recorded: StoredRun,
    /// The current runs.
    pub today: Vec<StoredRun>,
    /// The differences.
    pub changes: Vec<Change>,
    /// Which of the current hooks run, and why the others don't.
    pub explanation: Explanation,
    /// Their combined outcome.
    pub outcome: OutcomeView,
    /// Whether a signal ended the hooks.
    pub interruption: Interruption,
    /// Warnings for the person, each as a sentence.
    pub warnings: Vec<String>,
}

/// Runs all current hooks for a recorded run's event, on the payload that it was fired with.
pub fn replay(task: Task<'_>, run_id: &str) -> Result<Replayed, CommandFailure> {
    let environment = task.environment;
    let workspace = task.workspace();
    let registry = workspace.registry();
    let store = recording::open(&workspace, environment)?;
    let recorded = find_run(store.as_ref(), run_id)?;
    let before = match &store {
        Some(store) => store.firing(&recorded)?,
        None => Vec::new(),
    };
    let payload = input_of(&recorded, &before)?;
    let explanation = registry.explain(recorded.event, subject(recorded.event, &payload));
    let mut of_session = Vec::new();
    let session = session(task, &recorded, &payload, &mut of_session);
    let writer = Recorder::for_replay(&workspace, environment);
    let observer = Some(writer.observer());
    let engine =
        Engine::new(&workspace, registry, environment, observer)?.until_cancelled(task.stop);
    let (concluded, interruption) = engine.fire(session, recorded.event, payload)?;
    let mut warnings = warnings::trust_warnings(&workspace, &explanation);
    warnings.extend(warnings::engine_warnings(concluded.as_ref()));
    warnings.extend(of_session);
    warnings.extend(writer.finish());
    let records = concluded.iter().flat_map(|it| &it.runs);
    let today: Vec<StoredRun> = records
        .map(|run| StoredRun::from_record(run, Origin::Replay))
        .collect();
    Ok(Replayed {
        workspace,
        recorded,
        changes: changes(&before, &today),
        today,
        explanation,
        outcome: OutcomeView::new(concluded.as_ref()),
        interruption,
        warnings,
    })
}

/// Returns the session of the recorded event, if it still exists.
fn session(
    task: Task<'_>,
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
    let current_dir = &task.environment.current_dir;
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
