//! What became of switches, for people (CM-2).

use std::collections::HashSet;

use hookloop_engine::{HookStatus, SkipCause};
use hookloop_hook::{HookDeclaration, Source};
use hookloop_session::Workspace;
use hookloop_settings::Owner;
use hookloop_text::visible;

use super::Turn;
use crate::commands::text::warning;

/// Says that a hook is enabled, or what still disables it.
pub(crate) fn enabled(name: &str, still: &[Source], is_changed: bool) -> String {
    let name = visible(name);
    let mut text = match (still, is_changed) {
        ([], true) => format!("enabled: {name}\n"),
        ([], false) => format!("nothing disables it: {name}\n"),
        _ => format!("still disabled: {name}\n"),
    };
    for source in still {
        let source = visible(&place(source));
        text.extend([format!("  by {source}, which can't be written here\n")]);
    }
    text
}

/// Says that a hook is disabled, or that only its name was noted down.
pub(crate) fn disabled(workspace: &Workspace, name: &str, is_changed: bool) -> String {
    let listed = workspace.registry.list();
    let mut meant = listed.iter().filter(|it| it.hook.label() == name);
    let verb = match (meant.any(is_off_by_name), is_changed) {
        (true, true) => "disabled",
        (true, false) => "disabled already",
        (false, true) => "noted as disabled, without effect",
        (false, false) => "noted as disabled already, without effect",
    };
    format!("{verb}: {}\n", visible(name))
}

fn is_off_by_name(status: &HookStatus) -> bool {
    let is_name = |cause: &SkipCause| matches!(cause, SkipCause::DisabledByName(_));
    status.causes.iter().any(is_name)
}

/// Warns of hooks that run although their name was just disabled (ST-6, ST-13).
pub(crate) fn still_on(workspace: &Workspace, name: &str) -> String {
    let listed = workspace.registry.list();
    let meant = listed.iter().filter(|it| it.hook.label() == name);
    stays_on(workspace, meant.filter(|it| !is_off_by_name(it)))
}

/// Warns of hooks that run although all were just turned off (ST-6, ST-13).
pub(crate) fn all_still_on(workspace: &Workspace) -> String {
    let switches = &workspace.settings.switches;
    let listed = workspace.registry.list();
    let is_on = |status: &&HookStatus| switches.turned_off_by(&status.hook).is_none();
    stays_on(workspace, listed.iter().filter(is_on))
}

fn stays_on<'a>(workspace: &Workspace, hooks: impl Iterator<Item = &'a HookStatus>) -> String {
    let line = |status: &HookStatus| {
        let hook = &status.hook;
        warning(&format!(
            "{} hook \"{}\" ({}) stays on: {}",
            hook.event,
            hook.label(),
            hook.source,
            out_of_reach(workspace, hook)
        ))
    };
    hooks.map(line).collect()
}

/// Says why what was just written doesn't reach a hook (ST-13).
fn out_of_reach(workspace: &Workspace, hook: &HookDeclaration) -> &'static str {
    match Owner::of(hook) {
        Owner::System => "only the system's settings have a say over hooks of the system",
        Owner::Project => "the project's own settings have the last word over its hooks",
        Owner::User | Owner::Extension if workspace.settings.workspace.is_trusted() => {
            "a project has a say over hooks of others once somebody has agreed to what it says"
        }
        Owner::User | Owner::Extension => {
            "a project that is not trusted has no say over hooks of others"
        }
    }
}

/// Says that the system's settings keep hooks as they are (ST-6).
pub(crate) fn locked() -> String {
    "nothing was changed: the system's settings lock \"enabled\"\n".to_owned()
}

/// Says that all hooks are on or off.
pub(crate) fn turned_all(turn: Turn, is_changed: bool) -> String {
    let what = match turn {
        Turn::On => "hooks are turned on",
        Turn::Off => "hooks are turned off",
    };
    if is_changed {
        format!("{what}\n")
    } else {
        format!("nothing was changed: {what} here already\n")
    }
}

/// Warns that another layer has the last word.
pub(crate) fn overridden(workspace: &Workspace) -> String {
    let switches = &workspace.settings.switches;
    let setting = &switches.enabled;
    let now = if setting.value { "on" } else { "off" };
    let by = match &setting.source {
        Some(source) => place(source),
        None if switches.locked.iter().any(|it| it == "enabled") => {
            "the system, whose settings lock \"enabled\",".to_owned()
        }
        None => "the default, as no other settings have a say here,".to_owned(),
    };
    warning(&format!("hooks stay {now}; {by} has the last word"))
}

/// Says what keeps a hook from running, other than its name in a list.
pub(crate) fn still_off(workspace: &Workspace, name: &str) -> String {
    let mut text = String::new();
    for status in workspace.registry.list() {
        let hook = &status.hook;
        for cause in status.causes.iter().filter(|_| hook.label() == name) {
            if !matches!(cause, SkipCause::DisabledByName(_)) {
                let message = cause.message();
                text.push_str(&warning(&format!(
                    "{} hook \"{name}\" ({}) does not run: {message}",
                    hook.event, hook.source
                )));
            }
        }
    }
    text
}

/// Warns of hooks that their names in a list keep from running although hooks are on.
pub(crate) fn disabled_by_name(workspace: &Workspace) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut told = HashSet::new();
    for status in workspace.registry.list() {
        for cause in &status.causes {
            if let SkipCause::DisabledByName(source) = cause {
                let label = status.hook.label();
                let by = place(source);
                let line = warning(&format!(
                    "hook \"{label}\" stays disabled by its name: {by}"
                ));
                // Several hooks may have the name.
                if told.insert(line.clone()) {
                    lines.push(line);
                }
            }
        }
    }
    lines.concat()
}

fn place(source: &Source) -> String {
    match source.layer {
        Some(layer) => format!("the {layer}'s settings ({source})"),
        None => source.to_string(),
    }
}
