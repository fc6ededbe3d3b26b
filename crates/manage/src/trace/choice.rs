//! Which runs a command refers to.

use hookloop_hook::quoted;
use hookloop_session::{Environment, Workspace, recording};
use hookloop_trace::{Loss, QueryError, RunFilter, StoredRun, TraceStore};
use serde_json::{Map, Value};

use super::Recorded;
use crate::failure::{CommandFailure, FailureCode};
use crate::near_matches::near_matches;
use crate::subject::event;

/// The minimum length of an abbreviated id.
const MIN_PREFIX: usize = 4;

/// How many of the latest runs are considered for suggestions.
const MAX_RUNS: u32 = 1000;

/// The maximum number of candidates.
const CANDIDATES: usize = 3;

/// The engine's replacement for content that a hook withheld (AT-1, AM-2).
const WITHHELD: &str = "[withheld by a hook]";

/// Selects runs, as the user specifies them; all by default.
#[derive(Debug, Clone, Copy, Default)]
pub struct RunWishes<'a> {
    /// Only runs of this session.
    pub session: Option<&'a str>,
    /// Only runs of this other agent's sessions.
    pub agent: Option<&'a str>,
    /// Only runs at this event.
    pub event: Option<&'a str>,
    /// Only runs of hooks with this label.
    pub label: Option<&'a str>,
    /// Only the last runs, this many.
    pub last: Option<u32>,
}

/// Parses the selection of runs.
pub fn run_filter(
    wishes: RunWishes<'_>,
    workspace: &Workspace,
    store: Option<&TraceStore>,
) -> Result<RunFilter, CommandFailure> {
    let filter = RunFilter {
        session: wishes.session.map(str::to_owned),
        event: wishes.event.map(event).transpose()?,
        agent: wishes.agent.map(str::to_owned),
        hook: None,
        label: wishes.label.map(str::to_owned),
        last: wishes.last,
    };
    if let Some(label) = &filter.label {
        check_label(label, workspace, store)?;
    }
    Ok(filter)
}

/// Returns an error for a label that neither a configured nor a recorded hook has: it is mistyped.
fn check_label(
    label: &str,
    workspace: &Workspace,
    store: Option<&TraceStore>,
) -> Result<(), CommandFailure> {
    let ran = store.map(TraceStore::labels).transpose()?;
    let ran = ran.unwrap_or_default();
    let configured = workspace.vouched.iter().map(|it| it.hook.label());
    let known: Vec<&str> = configured.chain(ran.iter().map(String::as_str)).collect();
    if known.contains(&label) {
        return Ok(());
    }
    let message = format!(
        "no hook is named {}, and none of that name has ever run",
        quoted(label)
    );
    Err(CommandFailure::new(FailureCode::UnknownHook, message)
        .with_candidates(near_matches(label, &known)))
}

/// Finds a run by its id, or by an unambiguous beginning of it.
pub fn find_run(store: Option<&TraceStore>, beginning: &str) -> Result<StoredRun, CommandFailure> {
    let Some(store) = store else {
        let message =
            format!("there is no run \"{beginning}\": no hook of this project has ever run");
        return Err(CommandFailure::new(FailureCode::UnknownRun, message));
    };
    if let Some(run) = store.run(beginning)? {
        return Ok(run);
    }
    let mut meant = Vec::new();
    if beginning.len() >= MIN_PREFIX {
        let most = u32::try_from(CANDIDATES).unwrap_or(u32::MAX);
        meant = store.run_ids_from(beginning, most)?;
    }
    if let [only] = meant.as_slice()
        && let Some(run) = store.run(only)?
    {
        return Ok(run);
    }
    if meant.is_empty() {
        return Err(unknown_run(store, beginning)?);
    }
    let message = format!("more than one run begins with \"{beginning}\"");
    Err(CommandFailure::new(FailureCode::UnknownRun, message).with_candidates(meant))
}

fn unknown_run(store: &TraceStore, beginning: &str) -> Result<CommandFailure, QueryError> {
    let latest = store.latest_run_ids(MAX_RUNS)?;
    let known: Vec<&str> = latest.iter().map(String::as_str).collect();
    let mut candidates = near_matches(beginning, &known);
    if candidates.is_empty() {
        // If nothing is similar to the id, the latest runs are suggested.
        candidates = latest.into_iter().take(CANDIDATES).collect();
    }
    let message = format!("there is no run \"{beginning}\" in the trace");
    Ok(CommandFailure::new(FailureCode::UnknownRun, message).with_candidates(candidates))
}

/// Returns the payload that an event was fired with: the input of the first hook with a known
/// input, because in a sequence, later hooks read what earlier ones changed (PL-8).
pub(super) fn input_of(
    run: &StoredRun,
    firing: &[StoredRun],
) -> Result<Map<String, Value>, CommandFailure> {
    let missing = |why: &str| {
        let message = format!("run {} can't be fired again: {why}", run.run_id);
        CommandFailure::bad_input(message)
    };
    let inputs = firing
        .iter()
        .chain([run])
        .filter_map(|it| it.input.as_ref());
    let Some(input) = inputs.into_iter().next() else {
        return Err(missing(if run.suppressed {
            "its hook keeps its input out of the trace (suppressOutput)"
        } else {
            "its input was too large for the trace (hooksConfig.trace.maxBytes)"
        }));
    };
    match serde_json::from_str(input.get()) {
        Ok(Value::Object(input)) => match input.iter().find(|(_, value)| *value == WITHHELD) {
            None => Ok(input),
            Some((field, _)) => Err(missing(&format!(
                "a hook withheld `{field}`, so the trace doesn't contain it"
            ))),
        },
        _ => Err(missing("its input in the trace isn't an object")),
    }
}

/// Finds a recorded firing by one of its runs.
pub(crate) fn find_recorded(
    workspace: &Workspace,
    environment: &Environment,
    run_id: &str,
) -> Result<Recorded, CommandFailure> {
    let store = recording::open(workspace, environment)?;
    let run = find_run(store.as_ref(), run_id)?;
    let firing = match &store {
        Some(store) => store.firing(&run)?,
        None => Vec::new(),
    };
    let as_json = |run: &StoredRun| serde_json::to_value(run).unwrap_or_default();
    Ok(Recorded {
        event: run.event,
        input: input_of(&run, &firing)?,
        runs: firing.iter().map(as_json).collect(),
    })
}

/// Returns what other agents couldn't do in the selected sessions; empty if no hook ever ran.
pub fn recorded_losses(
    store: Option<&TraceStore>,
    filter: &RunFilter,
) -> Result<Vec<Loss>, CommandFailure> {
    match store {
        Some(store) => Ok(store.losses(filter)?),
        None => Ok(Vec::new()),
    }
}

/// Returns the selected runs; none if no hook ever ran.
pub fn recorded_runs(
    store: Option<&TraceStore>,
    filter: &RunFilter,
) -> Result<Vec<StoredRun>, CommandFailure> {
    match store {
        Some(store) => Ok(store.runs(filter)?),
        None => Ok(Vec::new()),
    }
}

/// Returns the session of the last selected run.
pub(super) fn last_session(
    store: Option<&TraceStore>,
    filter: &RunFilter,
) -> Result<Option<String>, CommandFailure> {
    let last = RunFilter {
        last: Some(1),
        ..filter.clone()
    };
    let last = recorded_runs(store, &last)?;
    Ok(last.into_iter().next().map(|run| run.session_id))
}
