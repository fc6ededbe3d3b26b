//! Warnings about hooks that were enabled or disabled: what stays as it is, and why (CM-2).

use std::collections::HashSet;

use hookloop_engine::{HookStatus, SkipCause};
use hookloop_hook::{HookDeclaration, Source, quoted};
use hookloop_session::Workspace;
use hookloop_settings::Owner;

use super::is_off_by_name;

/// Returns warnings about hooks that run although their name was just disabled (ST-6, ST-13).
pub(super) fn still_on(workspace: &Workspace, name: &str) -> Vec<String> {
    let listed = workspace.listed().list();
    let meant = listed.iter().filter(|it| it.hook.label() == name);
    still_on_warnings(workspace, meant.filter(|it| !is_off_by_name(it)))
}

/// Returns warnings about hooks that run although all were just turned off (ST-6, ST-13).
pub(super) fn all_still_on(workspace: &Workspace) -> Vec<String> {
    let switches = &workspace.settings.switches;
    let listed = workspace.listed().list();
    let is_on = |status: &&HookStatus| switches.turned_off_by(&status.hook).is_none();
    still_on_warnings(workspace, listed.iter().filter(is_on))
}

fn still_on_warnings<'a>(
    workspace: &Workspace,
    hooks: impl Iterator<Item = &'a HookStatus>,
) -> Vec<String> {
    let line = |status: &HookStatus| {
        let hook = &status.hook;
        format!(
            "{} hook {} ({}) stays on: {}",
            hook.event,
            quoted(hook.label()),
            hook.source,
            out_of_reach(workspace, hook)
        )
    };
    hooks.map(line).collect()
}

/// Returns why the change doesn't apply to a hook (ST-13).
fn out_of_reach(workspace: &Workspace, hook: &HookDeclaration) -> &'static str {
    match Owner::of(hook) {
        Owner::System => "only the system's settings can disable hooks of the system",
        Owner::Project => "the project's own settings have the last word over its hooks",
        Owner::User | Owner::Extension if workspace.settings.workspace.is_trusted() => {
            "a project can disable other hooks only once somebody has agreed to what it says"
        }
        Owner::User | Owner::Extension => "a project that isn't trusted can't disable other hooks",
    }
}

/// Returns a warning that another layer overrides the change.
pub(super) fn override_warning(workspace: &Workspace) -> String {
    let switches = &workspace.settings.switches;
    let setting = &switches.enabled;
    let now = if setting.value { "on" } else { "off" };
    let by = match &setting.source {
        Some(source) => describe_source(source),
        None if switches.locked.iter().any(|it| it == "enabled") => {
            "the system, whose settings lock \"enabled\",".to_owned()
        }
        None => "the default, because no other settings apply here,".to_owned(),
    };
    format!("hooks stay {now}; {by} has the last word")
}

/// Returns what else keeps a hook from running, besides its name in a list.
pub fn still_off_warnings(workspace: &Workspace, name: &str) -> Vec<String> {
    let mut warnings = Vec::new();
    for status in workspace.listed().list() {
        let hook = &status.hook;
        for cause in status.causes.iter().filter(|_| hook.label() == name) {
            if !matches!(cause, SkipCause::DisabledByName(_)) {
                let message = cause.message();
                warnings.push(format!(
                    "{} hook {} ({}) doesn't run: {message}",
                    hook.event,
                    quoted(name),
                    hook.source
                ));
            }
        }
    }
    warnings
}

/// Returns warnings about hooks that stay disabled by name although hooks are on.
pub(super) fn disabled_by_name(workspace: &Workspace) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut reported = HashSet::new();
    for status in workspace.listed().list() {
        for cause in &status.causes {
            if let SkipCause::DisabledByName(source) = cause {
                let label = status.hook.label();
                let by = describe_source(source);
                let line = format!("hook {} stays disabled by its name: {by}", quoted(label));
                // Several hooks may have the name.
                if reported.insert(line.clone()) {
                    lines.push(line);
                }
            }
        }
    }
    lines
}

/// Describes whose settings a source is in, and where.
pub fn describe_source(source: &Source) -> String {
    match source.layer {
        Some(layer) => format!("the {layer}'s settings ({source})"),
        None => source.to_string(),
    }
}
