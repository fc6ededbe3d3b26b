//! `hooks review`: what a person looks at before trusting (TR-4).

mod view;
mod words;

use std::collections::HashMap;

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use hookloop_engine::HookStatus;
use hookloop_hook::HookId;
use hookloop_manage::{CommandFailure, FailureCode, near_matches};
use hookloop_session::{RunOptions, Workspace};
use hookloop_trust::{ChangeKind, ReviewedFile, Reviewer, Standing, Vouched};

use crate::commands::{Context, Format, text, views};
use crate::names::hook_labels;
use crate::output::{Exit, Output};
use view::ReviewView;

/// Holds the arguments of `review` (TR-4).
#[derive(Debug, Clone, Args)]
pub(crate) struct ReviewArguments {
    /// The name of a hook, or the command of one without; all of the project without it
    #[arg(value_name = "NAME", add = ArgValueCompleter::new(hook_labels))]
    pub(crate) name: Option<String>,
}

/// Holds a hook with everything that is known of what it runs.
#[derive(Debug)]
pub(crate) struct Reviewed {
    /// The hook.
    pub(crate) status: HookStatus,
    /// It, with its fingerprint.
    pub(crate) vouched: Vouched,
    /// The files that its command names.
    pub(crate) files: Vec<ReviewedFile>,
    /// What changed since it was trusted.
    pub(crate) changes: Vec<ChangeKind>,
}

/// Shows hooks with the files that they run; runs and trusts nothing (TR-7).
pub(crate) fn review(context: &Context<'_>, name: Option<&str>) -> Result<Output, CommandFailure> {
    let workspace = Workspace::open(context.environment, &RunOptions::default());
    let reviewed = reviewed(&workspace, name);
    if let Some(name) = name.filter(|_| reviewed.is_empty()) {
        let known: Vec<&str> = workspace.vouched.iter().map(|it| it.hook.label()).collect();
        let message = format!("no hook is named \"{name}\"");
        return Err(CommandFailure::new(FailureCode::UnknownHook, message)
            .with_candidates(near_matches(name, &known)));
    }
    let problems = &workspace.problems;
    let (result, notices) = match context.format {
        Format::Json => {
            let root = &workspace.project_root;
            let view = ReviewView::new(root, &reviewed);
            (
                views::document(context.name, root, view, problems)?,
                String::new(),
            )
        }
        Format::Text { output, notices } => (
            words::review(&reviewed, output),
            text::diagnostics_of_sources(problems, notices),
        ),
    };
    Ok(Output {
        result,
        notices,
        exit: Exit::Done,
    })
}

/// Returns the hooks of a label, or all of the project, in the order of the list.
fn reviewed(workspace: &Workspace, name: Option<&str>) -> Vec<Reviewed> {
    let chosen = |status: &HookStatus| match name {
        Some(name) => status.hook.label() == name,
        None => status.hook.is_from_project(),
    };
    let listed = workspace.registry.list().into_iter().filter(chosen);
    let reviewer = workspace.store.reviewer(&workspace.project_root);
    let vouched: HashMap<&HookId, &Vouched> = workspace
        .vouched
        .iter()
        .map(|it| (&it.hook.id, it))
        .collect();
    listed
        .filter_map(|status| {
            let vouched = vouched.get(&status.hook.id)?;
            Some(one(&reviewer, status, (*vouched).clone()))
        })
        .collect()
}

fn one(reviewer: &Reviewer, status: HookStatus, vouched: Vouched) -> Reviewed {
    let mut changes: Vec<ChangeKind> = match &vouched.standing {
        Standing::Modified { changes, .. } => changes.iter().map(|change| change.kind).collect(),
        _ => Vec::new(),
    };
    changes.sort_unstable();
    changes.dedup();
    Reviewed {
        files: reviewer.files(&vouched),
        changes,
        status,
        vouched,
    }
}
