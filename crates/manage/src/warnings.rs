//! Warnings for the user: what didn't run, or not as configured, and why. Each is a sentence, not
//! escaped.

use hookloop_engine::{Concluded, Explanation, RunSwitch, SkipCause};
use hookloop_hook::quoted;
use hookloop_session::Workspace;
use hookloop_settings::{RunTrust, WorkspaceTrust};
use hookloop_text::shell_argument;
use hookloop_trust::Acceptance;

/// Returns a warning that hooks stay off although they are trusted (TR-5).
pub(crate) fn folder_warning(workspace: &Workspace) -> Option<String> {
    match &workspace.settings.workspace {
        WorkspaceTrust::DoNotTrust { source } => Some(format!(
            "the folder is marked DO_NOT_TRUST at {source}: its hooks don't run"
        )),
        _ => None,
    }
}

/// Returns warnings about the hooks of an event that don't run for lack of trust, and about those
/// that run without it (TR-2, TR-3).
pub(crate) fn trust_warnings(workspace: &Workspace, explanation: &Explanation) -> Vec<String> {
    let mut warnings = Vec::new();
    for status in &explanation.hooks {
        let hook = &status.hook;
        for cause in &status.causes {
            let why = match cause {
                SkipCause::UntrustedNew => "it isn't trusted yet".to_owned(),
                SkipCause::UntrustedModified(what) => what.clone(),
                _ => continue,
            };
            let label = hook.label();
            warnings.push(format!(
                "hook {} ({}) doesn't run: {why}; to trust it: hookloop hooks trust {}",
                quoted(label),
                hook.source,
                shell_argument(label)
            ));
        }
    }
    warnings.extend(trusted_for_run(workspace, explanation));
    warnings
}

fn trusted_for_run(workspace: &Workspace, explanation: &Explanation) -> Option<String> {
    if workspace.switch == RunSwitch::Off {
        return None;
    }
    let by = match &workspace.settings.workspace {
        WorkspaceTrust::ThisRun(RunTrust::Environment) => "GEMINI_CLI_TRUST_WORKSPACE".to_owned(),
        WorkspaceTrust::ThisRun(_) => "--skip-trust".to_owned(),
        WorkspaceTrust::FolderTrustOff {
            source: Some(source),
        } => source.to_string(),
        WorkspaceTrust::FolderTrustOff { source: None } => "the settings".to_owned(),
        _ => return None,
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
        .map(|it| format!("{} ({})", quoted(it.hook.label()), it.hook.source))
        .collect();
    let hooks = hooks.join(", ");
    (!hooks.is_empty()).then(|| {
        format!("the workspace is trusted for this run by {by}; nobody has trusted: {hooks}")
    })
}

/// Returns warnings about failures, answers without effect, and conflicts.
pub(crate) fn engine_warnings(concluded: Option<&Concluded>) -> impl Iterator<Item = String> {
    let notices = concluded.map_or(&[][..], |concluded| concluded.notices.as_slice());
    notices
        .iter()
        .map(|it| format!("hook {} ({}): {}", quoted(&it.hook), it.source, it.text))
}
