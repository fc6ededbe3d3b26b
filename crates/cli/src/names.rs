//! Names that the shell completes (CM-2, EX-4): those of the current workspace, and fixed ones.

use std::ffi::OsStr;

use clap_complete::engine::CompletionCandidate;
use hookloop_bridge::Agent;
use hookloop_dialects::Agent as Adoptable;
use hookloop_events::{EventName, tool_name};
use hookloop_rules::guards;
use hookloop_session::{RunOptions, Workspace};

use crate::environment;

/// Offers the names of hooks (CM-2).
pub(crate) fn hook_labels(current: &OsStr) -> Vec<CompletionCandidate> {
    candidates(current, labels_of)
}

/// Offers the names of extensions (EX-4).
pub(crate) fn extension_names(current: &OsStr) -> Vec<CompletionCandidate> {
    candidates(current, extensions_of)
}

/// Offers the events.
pub(crate) fn event_names(current: &OsStr) -> Vec<CompletionCandidate> {
    beginning_with(current, EventName::ALL.map(EventName::as_str))
}

/// Offers the tools that are built in.
pub(crate) fn tool_names(current: &OsStr) -> Vec<CompletionCandidate> {
    beginning_with(current, tool_name::built_in())
}

/// Offers the guards that come with the program, with what they do.
pub(crate) fn guard_names(current: &OsStr) -> Vec<CompletionCandidate> {
    let guards = guards().unwrap_or_default().into_iter();
    let begins = |name: &str| current.to_str().is_some_and(|it| name.starts_with(it));
    let offered = guards.filter(|it| begins(&it.name));
    offered
        .map(|it| CompletionCandidate::new(it.name).help(Some(it.description.into())))
        .collect()
}

/// Offers the agents that the bridge supports.
pub(crate) fn bridge_agents(current: &OsStr) -> Vec<CompletionCandidate> {
    beginning_with(current, Agent::ALL.map(Agent::word))
}

/// Offers the agents whose hooks can be adopted.
pub(crate) fn adoptable_agents(current: &OsStr) -> Vec<CompletionCandidate> {
    beginning_with(current, Adoptable::ALL.map(|it| it.dialect().as_str()))
}

fn beginning_with(
    current: &OsStr,
    names: impl IntoIterator<Item = &'static str>,
) -> Vec<CompletionCandidate> {
    let begins = |name: &&str| current.to_str().is_some_and(|it| name.starts_with(it));
    let offered = names.into_iter().filter(begins);
    offered.map(CompletionCandidate::new).collect()
}

/// Returns the names in the current workspace that begin with a word.
fn candidates(current: &OsStr, names: fn(&Workspace) -> Vec<String>) -> Vec<CompletionCandidate> {
    // The environment has been read already, and what looks like a secret has been erased.
    let variables = hookloop_environment::take(hookloop_environment::Exposure::Hidden);
    let (Some(current), Ok(environment)) = (current.to_str(), environment::read(variables)) else {
        return Vec::new();
    };
    let workspace = Workspace::open(&environment, &RunOptions::default());
    let mut names = names(&workspace);
    names.sort();
    names.dedup();
    names.retain(|name| name.starts_with(current));
    names.into_iter().map(CompletionCandidate::new).collect()
}

/// Returns the labels of all hooks, and the names in `disabled` lists.
fn labels_of(workspace: &Workspace) -> Vec<String> {
    let settings = &workspace.settings;
    let hooks = settings.hooks.iter().map(|hook| hook.label().to_owned());
    let disabled = settings.switches.disabled.iter().map(|it| it.name.clone());
    hooks.chain(disabled).collect()
}

/// Returns the names of all extensions.
fn extensions_of(workspace: &Workspace) -> Vec<String> {
    let extensions = workspace.settings.extensions.iter();
    extensions.map(|it| it.origin.name.to_string()).collect()
}
