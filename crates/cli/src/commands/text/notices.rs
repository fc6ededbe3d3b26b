//! Notices and warnings on standard error: what did not run, or not as configured, and why.

use hookloop_engine::{Concluded, Explanation, RunSwitch, SkipCause};
use hookloop_hook::Source;
use hookloop_session::Workspace;
use hookloop_settings::{RunTrust, WorkspaceTrust};
use hookloop_text::{shell_argument, visible};
use hookloop_trust::Acceptance;

/// Returns a warning.
pub(crate) fn warning(message: &str) -> String {
    format!("warning: {}\n", visible(message))
}

/// Says that hooks stay off although they are trusted (TR-5).
pub(crate) fn folder_notice(source: &Source) -> String {
    warning(&format!(
        "the folder is marked DO_NOT_TRUST at {source}: its hooks don't run"
    ))
}

/// Warns of the hooks of an event that trust keeps from running, and of those that run without
/// it (TR-2, TR-3).
pub(crate) fn trust_notices(workspace: &Workspace, explanation: &Explanation) -> String {
    let mut text = String::new();
    for status in &explanation.hooks {
        let hook = &status.hook;
        for cause in &status.causes {
            let why = match cause {
                SkipCause::UntrustedNew => "it is not trusted yet".to_owned(),
                SkipCause::UntrustedModified(what) => what.clone(),
                _ => continue,
            };
            let label = hook.label();
            text.push_str(&warning(&format!(
                "hook \"{label}\" ({}) does not run: {why}; to trust it: hookloop hooks trust {}",
                hook.source,
                shell_argument(label)
            )));
        }
    }
    text + &trusted_for_run(workspace, explanation)
}

fn trusted_for_run(workspace: &Workspace, explanation: &Explanation) -> String {
    if workspace.switch == RunSwitch::Off {
        return String::new();
    }
    let by = match &workspace.settings.workspace {
        WorkspaceTrust::ThisRun(RunTrust::Environment) => "GEMINI_CLI_TRUST_WORKSPACE".to_owned(),
        WorkspaceTrust::ThisRun(_) => "--skip-trust".to_owned(),
        WorkspaceTrust::FolderTrustOff {
            source: Some(source),
        } => source.to_string(),
        WorkspaceTrust::FolderTrustOff { source: None } => "the settings".to_owned(),
        _ => return String::new(),
    };
    let accepted = workspace
        .vouched
        .iter()
        .filter(|it| it.accepted == Acceptance::ThisRun);
    let runs = |it: &&hookloop_trust::Vouched| {
        explanation
            .planned()
            .any(|status| status.hook.id == it.hook.id)
    };
    let hooks: Vec<String> = accepted
        .filter(runs)
        .map(|it| format!("\"{}\" ({})", it.hook.label(), it.hook.source))
        .collect();
    if hooks.is_empty() {
        return String::new();
    }
    let hooks = hooks.join(", ");
    warning(&format!(
        "the workspace is trusted for this run by {by}; nobody has trusted: {hooks}"
    ))
}

/// Tells of failures, answers without effect, and conflicts.
pub(crate) fn engine_notices(concluded: Option<&Concluded>) -> String {
    let notices = concluded.map_or(&[][..], |concluded| concluded.notices.as_slice());
    notices
        .iter()
        .map(|it| {
            warning(&format!(
                "hook \"{}\" ({}): {}",
                it.hook, it.source, it.text
            ))
        })
        .collect()
}
