//! Fires an event through the real engine, with a realistic payload (CM-5).

mod payload;
mod project_file;
mod scene;
mod staged;
mod tool_samples;
mod view;

use std::sync::Arc;

use hookloop_engine::{Concluded, Explanation, Registry, RunEnding, RunRecord};
use hookloop_events::EventName;
use hookloop_exec::CommandExecutor;
use hookloop_hook::{Problem, quoted};
use hookloop_session::recording::Recorder;
use hookloop_session::{OutcomeView, Workspace, diagnostics_of_event};
use serde_json::{Map, Value};

use crate::Task;
use crate::engine::{Engine, Interruption, subject as subject_of};
use crate::failure::CommandFailure;
use crate::warnings;

pub use staged::{Staged, Wishes};
pub use view::FiredView;

/// The result of firing an event.
pub struct Fired {
    /// The configuration.
    pub workspace: Workspace,
    /// Problems with the configuration, including those that concern the event.
    pub problems: Vec<Problem>,
    /// The event.
    pub event: EventName,
    /// The payload.
    pub input: Map<String, Value>,
    /// Which hooks run, and why the others don't.
    pub explanation: Explanation,
    /// The hooks' decisions; `None` if no hook is configured.
    pub concluded: Option<Concluded>,
    /// The outcome.
    pub outcome: OutcomeView,
    /// Whether a signal ended the hooks.
    pub interruption: Interruption,
    /// Other warnings for the person, each as a sentence.
    pub warnings: Vec<String>,
}

/// Fires an event at the hooks of the project, or only at those with one label (CM-5).
pub fn fire(
    task: Task<'_>,
    event: EventName,
    wishes: Wishes<'_>,
    only: Option<&str>,
) -> Result<Fired, CommandFailure> {
    // Only events about a prompt have one.
    if wishes.prompt.is_some() && event.subject_field().is_some() {
        let message = format!("--prompt has no effect on {event}");
        return Err(CommandFailure::bad_input(message));
    }
    let workspace = task.workspace();
    let mut registry = workspace.registry();
    if let Some(label) = only {
        check_known(&workspace, event, label)?;
        registry.select_only(label);
    }
    let staged = Staged::new(task.environment, &workspace, event, wishes)?;
    let unknown = unknown_keys(event, &staged);
    let input = staged.payload.clone();
    let explanation = explain_payload(task, &workspace, &registry, event, &input);
    let recorder = Recorder::for_fire(&workspace, task.environment);
    let observer = Some(recorder.observer());
    let engine =
        Engine::new(&workspace, registry, task.environment, observer)?.until_cancelled(task.stop);
    let (concluded, interruption) = engine.fire(staged.session, event, staged.payload)?;
    let mut warnings = warnings::trust_warnings(&workspace, &explanation);
    warnings.extend(warnings::engine_warnings(concluded.as_ref()));
    warnings.extend(unknown);
    warnings.extend(recorder.finish());
    let mut problems = workspace.problems.clone();
    problems.extend(diagnostics_of_event(&workspace, task.environment, event));
    Ok(Fired {
        problems,
        outcome: OutcomeView::new(concluded.as_ref()),
        workspace,
        event,
        input,
        explanation,
        concluded,
        interruption,
        warnings,
    })
}

impl Fired {
    /// Returns the warnings that the runs don't contain: why a hook couldn't start is part of its
    /// run.
    pub fn warnings_beside_runs(&self) -> Vec<String> {
        let mut runs = self.runs().iter().collect::<Vec<_>>();
        runs.retain(|run| run.ending == RunEnding::NotStarted);
        let failures = runs.into_iter().filter_map(|run| run.failure.as_ref());
        let failures: Vec<String> = failures.map(ToString::to_string).collect();
        let is_new = |warning: &&String| failures.iter().all(|it| !warning.contains(it));
        self.warnings.iter().filter(is_new).cloned().collect()
    }

    /// Returns the runs, in plan order.
    pub fn runs(&self) -> &[Arc<RunRecord>] {
        self.concluded.as_ref().map_or(&[], |it| it.runs.as_slice())
    }
}

/// Returns warnings about given keys that no payload of the event has: a hook doesn't see what was
/// meant by them (CM-5).
fn unknown_keys(event: EventName, staged: &Staged) -> Vec<String> {
    let of_tool = staged.payload.get("tool_input").and_then(Value::as_object);
    let remarks = staged.unknown.iter().map(|key| {
        let advice = if of_tool.is_some() {
            format!("; if it is an argument of the tool, give {{\"tool_input\": {{\"{key}\": …}}}}")
        } else {
            String::new()
        };
        format!("payloads of {event} have no field \"{key}\"{advice}")
    });
    remarks.collect()
}

/// Checks that an event has a hook with this label.
fn check_known(workspace: &Workspace, event: EventName, label: &str) -> Result<(), CommandFailure> {
    let of_event = workspace.vouched.iter().filter(|it| it.hook.event == event);
    let known: Vec<&str> = of_event.map(|it| it.hook.label()).collect();
    if !known.contains(&label) {
        let message = format!("no hook of {event} is named {}", quoted(label));
        return Err(CommandFailure::unknown_hook(message, label, &known));
    }
    Ok(())
}

/// Explains which hooks of an event run for a payload, including their conditions (HT-26).
pub fn explain_payload(
    task: Task<'_>,
    workspace: &Workspace,
    registry: &Registry,
    event: EventName,
    payload: &Map<String, Value>,
) -> Explanation {
    let mut explanation = registry.explain(event, subject_of(event, payload));
    let conditions = CommandExecutor::new(workspace.surroundings(task.environment));
    explanation.decide(&conditions, payload);
    explanation
}
