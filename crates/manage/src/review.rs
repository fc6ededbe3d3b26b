//! What a person reads before trusting (TR-4).

mod view;

use std::collections::HashMap;

use hookloop_engine::HookStatus;
use hookloop_hook::HookId;
use hookloop_session::Workspace;
use hookloop_trust::{ChangeKind, ReviewedFile, ReviewedState, Reviewer, Standing, Vouched};
use similar::TextDiff;

use crate::failure::CommandFailure;

pub use view::ReviewView;

/// A hook, with everything that it would run.
#[derive(Debug)]
pub struct ReviewedHook {
    /// The hook.
    pub status: HookStatus,
    /// The hook with its fingerprint and standing.
    pub vouched: Vouched,
    /// The files that its command names.
    pub files: Vec<ReviewedFile>,
    /// What changed since it was trusted.
    pub changes: Vec<ChangeKind>,
}

/// Returns the hooks with a label, or all hooks of the project, in listing order. Runs and trusts
/// nothing (TR-7).
pub fn review_hooks(
    workspace: &Workspace,
    name: Option<&str>,
) -> Result<Vec<ReviewedHook>, CommandFailure> {
    let reviewed = review_all(workspace, name);
    if let Some(name) = name.filter(|_| reviewed.is_empty()) {
        let known: Vec<&str> = workspace.vouched.iter().map(|it| it.hook.label()).collect();
        let message = format!("no hook is named \"{name}\"");
        return Err(CommandFailure::unknown_hook(message, name, &known));
    }
    Ok(reviewed)
}

/// Returns the difference between a file and its trusted version, if both are text.
pub fn unified_diff(file: &ReviewedFile) -> Option<String> {
    if file.state != ReviewedState::Changed {
        return None;
    }
    let (before, now) = (file.trusted_text.as_deref()?, file.text.as_deref()?);
    let diff = TextDiff::from_lines(before, now);
    let (from, to) = (format!("a/{}", file.path), format!("b/{}", file.path));
    Some(diff.unified_diff().header(&from, &to).to_string())
}

fn review_all(workspace: &Workspace, name: Option<&str>) -> Vec<ReviewedHook> {
    let chosen = |status: &HookStatus| match name {
        Some(name) => status.hook.label() == name,
        None => status.hook.is_from_project(),
    };
    let listed = workspace.listed().list().into_iter().filter(chosen);
    let reviewer = workspace.store.reviewer(&workspace.project_root);
    let vouched: HashMap<&HookId, &Vouched> = workspace
        .vouched
        .iter()
        .map(|it| (&it.hook.id, it))
        .collect();
    listed
        .filter_map(|status| {
            let vouched = vouched.get(&status.hook.id)?;
            Some(review_hook(&reviewer, status, (*vouched).clone()))
        })
        .collect()
}

fn review_hook(reviewer: &Reviewer, status: HookStatus, vouched: Vouched) -> ReviewedHook {
    let mut changes: Vec<ChangeKind> = match &vouched.standing {
        Standing::Modified { changes, .. } => changes.iter().map(|change| change.kind).collect(),
        _ => Vec::new(),
    };
    changes.sort_unstable();
    changes.dedup();
    ReviewedHook {
        files: reviewer.files(&vouched),
        changes,
        status,
        vouched,
    }
}
