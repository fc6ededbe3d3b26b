//! Names in the current workspace, for shell completion (CM-2, EX-4).

use std::ffi::OsStr;

use clap_complete::engine::CompletionCandidate;
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
