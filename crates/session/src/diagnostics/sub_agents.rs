//! Other agents' hooks that wait for the end of a sub-agent that doesn't exist (FD-12, CM-3).

use hookloop_dialects::{HookDialect, is_due};
use hookloop_events::EventName;
use hookloop_hook::{HookDeclaration, Problem, ProblemCode};
use serde_json::{Map, Value, json};

use crate::assets;
use crate::environment::Environment;
use crate::workspace::Workspace;

/// Returns a problem for each hook of the project whose matcher matches no sub-agent of the
/// workspace. Those of the user may be for the sub-agents of another project.
pub(super) fn diagnostics(
    workspace: &Workspace,
    environment: &Environment,
    hooks: &[&HookDeclaration],
) -> Vec<Problem> {
    let concerned = hooks.iter().filter(|it| waits_for_one(it));
    let concerned: Vec<&&HookDeclaration> = concerned.collect();
    if concerned.is_empty() {
        return Vec::new();
    }
    let names = assets::agent_names(environment, workspace);
    let unfit = concerned.into_iter().filter(|hook| {
        let fits = |name: &String| is_due(HookDialect::of(hook), &end_of(name));
        !names.iter().any(fits)
    });
    unfit.map(|hook| problem(hook, &names)).collect()
}

fn waits_for_one(hook: &HookDeclaration) -> bool {
    let ends = hook
        .dialect_event
        .as_deref()
        .is_some_and(|it| it.eq_ignore_ascii_case("subagentStop"));
    let is_of_project = hook.is_from_project() && hook.extension.is_none();
    ends && is_of_project
        && hook.event == EventName::AfterAgent
        && matcher(hook).is_some_and(|it| !matches!(it, "" | "*" | ".*"))
}

/// Returns the matcher of a hook, which is in its condition.
fn matcher(hook: &HookDeclaration) -> Option<&str> {
    let condition = hook.condition.as_deref()?;
    condition.strip_prefix("Agent(")?.strip_suffix(')')
}

/// Returns the payload for the end of a sub-agent's turn.
fn end_of(name: &str) -> Map<String, Value> {
    let ours = json!({
        "hook_event_name": EventName::AfterAgent.as_str(),
        "agent_id": name,
        "agent_name": name,
    });
    ours.as_object().cloned().unwrap_or_default()
}

fn problem(hook: &HookDeclaration, names: &[String]) -> Problem {
    let matcher = matcher(hook).unwrap_or_default();
    let (message, help) = if names.is_empty() {
        (
            format!("\"{matcher}\" matches no sub-agent: none is defined here"),
            "define it in .gemini/agents, or remove the hook if nobody here uses it".to_owned(),
        )
    } else {
        (
            format!("\"{matcher}\" matches no sub-agent that is defined here"),
            format!("write the name of one: {}", names.join(", ")),
        )
    };
    let place = hook.source_of(hook.places.matcher);
    let mut problem = Problem::new(ProblemCode::MatcherNoTool, place, message, help);
    problem.event = Some(hook.event);
    problem.hook_id = Some(hook.id.clone());
    problem
}
