//! Tells the user which of the project's hooks run, and which wait for trust (TR-2, TR-3).

use hookloop_engine::{RunSwitch, SkipCause};
use hookloop_hook::Layer;
use hookloop_settings::WorkspaceTrust;
use hookloop_trust::{Acceptance, Standing, Vouched};

use crate::notices;
use crate::workspace::Workspace;

/// Announces hooks that are skipped because nobody trusted them (TR-2), and those that run
/// though nobody did, because the workspace is trusted for this run (TR-3).
pub(crate) fn announce(workspace: &Workspace) {
    if workspace.switch == RunSwitch::Off {
        if !workspace.vouched.is_empty() {
            notices::print("warning: no hook runs, because of --no-hooks");
        }
        return;
    }
    announce_switched_off(workspace);
    let by_standing = |accepted: Acceptance| {
        workspace
            .vouched
            .iter()
            .filter(move |vouched| vouched.accepted == accepted)
    };
    for skipped in by_standing(Acceptance::No) {
        notices::print(&format!("warning: {}", skipped_line(skipped)));
    }
    let new: Vec<&Vouched> = by_standing(Acceptance::ThisRun)
        .filter(|vouched| matches!(vouched.standing, Standing::New | Standing::Modified { .. }))
        .collect();
    if !new.is_empty() {
        let why = trusted_by(&workspace.settings.workspace);
        notices::print(&format!(
            "warning: the workspace is trusted for this run ({why}); these hooks of the project \
             run though nobody has agreed to them yet:"
        ));
        for vouched in new {
            notices::print(&format!("  {}", place(vouched)));
        }
    }
}

/// Announces hooks of others that the project's settings switch off, where the workspace is
/// trusted and they count (ST-7): a guard must not be off without a word.
fn announce_switched_off(workspace: &Workspace) {
    for status in workspace.registry.list() {
        if status.hook.is_from_project() {
            continue;
        }
        let by_project = |cause: &&SkipCause| {
            let switches = matches!(cause, SkipCause::HooksOff(_) | SkipCause::DisabledByName(_));
            let layer = cause.source().and_then(|source| source.layer);
            switches && layer == Some(Layer::Project)
        };
        if let Some(cause) = status.causes.iter().find(by_project) {
            let hook = &status.hook;
            notices::print(&format!(
                "warning: {} hook \"{}\" ({}) does not run: {}",
                hook.event,
                hook.label(),
                hook.source,
                cause.message()
            ));
        }
    }
}

/// Reports matchers that are compared as exact text because they are no pattern (PL-1).
pub(crate) fn announce_matchers(workspace: &Workspace) {
    notices::print_problems(&hookloop_engine::lint_patterns(&workspace.registry));
}

/// Remembers the scripts of hooks that upstream's list trusts, as they first run (TR-4).
pub(crate) fn record_baselines(workspace: &mut Workspace) {
    if let Err(error) = workspace.record_baselines(|_| true) {
        notices::print(&format!(
            "warning: what is trusted could not be recorded: {error}"
        ));
    }
}

fn skipped_line(vouched: &Vouched) -> String {
    let place = place(vouched);
    match &vouched.standing {
        Standing::FolderUntrusted { source } => {
            format!("{place} is skipped: its folder is marked DO_NOT_TRUST at {source}")
        }
        Standing::Modified { message, .. } => format!(
            "{place} is skipped: {message}; look at it and run `hookloop hooks trust` to let it \
             run again"
        ),
        _ => format!(
            "{place} is skipped: nobody has agreed to it yet; look at it and run `hookloop hooks \
             trust`, or trust everything for one run with --skip-trust"
        ),
    }
}

fn place(vouched: &Vouched) -> String {
    let hook = &vouched.hook;
    format!("{} hook \"{}\" ({})", hook.event, hook.label(), hook.source)
}

fn trusted_by(trust: &WorkspaceTrust) -> &'static str {
    match trust {
        WorkspaceTrust::FolderTrustOff { .. } => "security.folderTrust.enabled is false",
        _ => "--skip-trust or GEMINI_CLI_TRUST_WORKSPACE",
    }
}
