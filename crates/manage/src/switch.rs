//! Enables and disables hooks (CM-2, ST-6, ST-7).

mod warnings;

use std::path::Path;

use hookloop_engine::{HookStatus, SkipCause};
use hookloop_hook::{HookDeclaration, Layer};
use hookloop_session::{RunOptions, Workspace};
use hookloop_settings::bounded::read_text;
use hookloop_settings::{Provided, Saved, SettingsText};

use crate::Task;
use crate::change::{Change, edit};
use crate::failure::{CommandFailure, FailureCode};
use crate::scope::Scope;

pub use warnings::{describe_source, still_off_warnings};

/// Whether all hooks are turned on or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// They may run.
    On,
    /// None runs.
    Off,
}

/// The result of enabling or disabling hooks.
pub struct Switched {
    /// The change.
    pub change: Change,
    /// Whether it has the intended effect.
    pub effect: SwitchEffect,
    /// The resulting configuration.
    pub workspace: Workspace,
}

/// Whether a change has an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SwitchEffect {
    /// It has the intended effect.
    Effective,
    /// The name was recorded, but other settings override it for its hook.
    Noted,
    /// Nothing could be changed: the system's settings lock it (ST-6).
    Locked,
}

/// Removes a name from every `disabled` list that may be written, and reports lists that still
/// contain it.
pub fn enable_hook(task: Task<'_>, name: &str) -> Result<Switched, CommandFailure> {
    let before = open(task);
    let mut known = labels(&before);
    known.extend(
        before
            .settings
            .switches
            .disabled
            .iter()
            .map(|it| it.name.as_str()),
    );
    let qualified = qualified_name(&before, name);
    let names = [name, qualified.as_str()];
    let mut change = Change {
        labels: vec![name.to_owned()],
        ..Change::default()
    };
    let mut obstacle = None;
    let mut is_listed = known.contains(&name);
    for scope in [Scope::Project, Scope::User] {
        let file = scope.settings_file(&before, task.environment);
        if !disables(&file, &names) || change.files.contains(&file) {
            continue;
        }
        is_listed = true;
        match edit(&file, |text| text.enable(names)) {
            Ok(Saved::Written) => change.files.push(file),
            Ok(Saved::Unchanged) => {}
            Err(error) => obstacle = Some(error),
        }
    }
    if !is_listed {
        return Err(unknown_hook(name, &known));
    }
    let after = open(task);
    let left = after.settings.switches.disabled.iter();
    change.still_disabled_by = left
        .filter(|entry| names.contains(&entry.name.as_str()))
        .map(|entry| entry.source.clone())
        .collect();
    match obstacle {
        Some(error) if change.still_disabled_by.is_empty() => return Err(error.into()),
        Some(error) => change.warnings.push(error.to_string()),
        None => {}
    }
    change.warnings.extend(still_off_warnings(&after, name));
    Ok(to_switched(change, SwitchEffect::Effective, after))
}

/// Adds a name to the `disabled` list of a scope.
pub fn disable_hook(
    task: Task<'_>,
    name: &str,
    scope: Option<Scope>,
) -> Result<Switched, CommandFailure> {
    let before = open(task);
    let known = labels(&before);
    let hooks: Vec<&HookDeclaration> = before
        .settings
        .hooks
        .iter()
        .filter(|hook| hook.label() == name)
        .collect();
    if hooks.is_empty() {
        return Err(unknown_hook(name, &known));
    }
    let of_system = |hook: &&HookDeclaration| hook.source.layer == Some(Layer::System);
    if hooks.iter().all(of_system) {
        let message = format!(
            "\"{name}\" can't be disabled here: only the system's settings can disable hooks of \
             the system"
        );
        return Err(CommandFailure::new(FailureCode::Locked, message));
    }
    let is_project = |hook: &&HookDeclaration| hook.is_from_project();
    let (of_project, others) = (hooks.iter().any(is_project), !hooks.iter().all(is_project));
    let qualified = qualified_name(&before, name);
    let entries: &[(Scope, &str)] = match (scope, of_project, others) {
        (Some(Scope::Project), _, _) | (None, true, false) => &[(Scope::Project, name)],
        // The user's list applies to all projects, so the entry names the project.
        (Some(Scope::User), true, false) => &[(Scope::User, &qualified)],
        (Some(Scope::User), _, _) | (None, false, _) => &[(Scope::User, name)],
        (None, true, true) => &[(Scope::Project, name), (Scope::User, name)],
    };
    let mut change = Change {
        labels: vec![name.to_owned()],
        ..Change::default()
    };
    for (scope, entry) in entries {
        let file = scope.settings_file(&before, task.environment);
        if edit(&file, |text| text.disable([*entry]))? == Saved::Written {
            change.files.push(file);
        }
    }
    let after = open(task);
    let listed = after.listed().list();
    let mut meant = listed.iter().filter(|it| it.hook.label() == name);
    let effect = if meant.any(is_off_by_name) {
        SwitchEffect::Effective
    } else {
        SwitchEffect::Noted
    };
    change.warnings = warnings::still_on(&after, name);
    Ok(to_switched(change, effect, after))
}

/// Turns all hooks on or off in a scope, and reports if a higher layer overrides that.
pub fn switch_all_hooks(
    task: Task<'_>,
    scope: Scope,
    turn: Turn,
) -> Result<Switched, CommandFailure> {
    let before = open(task);
    let wanted = turn == Turn::On;
    let mut change = Change {
        labels: to_owned_labels(labels(&before)),
        ..Change::default()
    };
    let now = &before.settings.switches.enabled;
    if is_locked(&before, "enabled") && now.value != wanted {
        if turn == Turn::Off {
            let message = "hooks can't be turned off: the system's settings lock \"enabled\"";
            return Err(CommandFailure::new(FailureCode::Locked, message));
        }
        change.still_disabled_by.extend(now.source.clone());
        change.warnings.push(warnings::override_warning(&before));
        return Ok(to_switched(change, SwitchEffect::Locked, before));
    }
    let file = scope.settings_file(&before, task.environment);
    let saved = edit(&file, |text| text.set_hooks_config("enabled", wanted))?;
    if saved == Saved::Written {
        change.files.push(file.clone());
    }
    let after = open(task);
    let now = &after.settings.switches.enabled;
    match turn {
        Turn::Off => change.warnings = warnings::all_still_on(&after),
        Turn::On if !now.value && !is_of(now, &file) => {
            change.warnings.push(warnings::override_warning(&after));
        }
        Turn::On => {}
    }
    if turn == Turn::On {
        let off = [
            now.source.as_ref().filter(|_| !now.value),
            after.settings.switches.project_off(),
        ];
        change.still_disabled_by = off.into_iter().flatten().cloned().collect();
        for status in after.listed().list() {
            for cause in &status.causes {
                if let SkipCause::DisabledByName(source) = cause
                    && !change.still_disabled_by.contains(source)
                {
                    change.still_disabled_by.push(source.clone());
                }
            }
        }
        change.warnings.extend(warnings::disabled_by_name(&after));
    }
    Ok(to_switched(change, SwitchEffect::Effective, after))
}

fn to_switched(mut change: Change, effect: SwitchEffect, workspace: Workspace) -> Switched {
    change.warn_of_folder(&workspace);
    Switched {
        change,
        effect,
        workspace,
    }
}

/// Returns whether a hook doesn't run because of its name.
fn is_off_by_name(status: &HookStatus) -> bool {
    let is_name = |cause: &SkipCause| matches!(cause, SkipCause::DisabledByName(_));
    status.causes.iter().any(is_name)
}

/// Opens the workspace according to the settings, without the options of this run.
fn open(task: Task<'_>) -> Workspace {
    Workspace::open(task.environment, &RunOptions::default())
}

/// Returns the entry in the user's list that applies only to a hook of this project (CM-2).
fn qualified_name(workspace: &Workspace, name: &str) -> String {
    format!("{name}@{}", workspace.project_root.display())
}

/// Returns the labels of all hooks, each once.
fn labels(workspace: &Workspace) -> Vec<&str> {
    let mut labels = Vec::new();
    for hook in &workspace.settings.hooks {
        if !labels.contains(&hook.label()) {
            labels.push(hook.label());
        }
    }
    labels
}

fn to_owned_labels(labels: Vec<&str>) -> Vec<String> {
    labels.into_iter().map(str::to_owned).collect()
}

fn unknown_hook(name: &str, known: &[&str]) -> CommandFailure {
    let message = format!("no hook is named \"{name}\"");
    CommandFailure::unknown_hook(message, name, known)
}

fn is_locked(workspace: &Workspace, key: &str) -> bool {
    let locked = &workspace.settings.switches.locked;
    locked.iter().any(|it| it == key)
}

fn is_of(setting: &Provided<bool>, file: &Path) -> bool {
    let source = setting.source.as_ref();
    source.is_some_and(|source| *source.file == *file)
}

/// Returns whether a file disables a name. An unreadable file disables nothing, and is reported
/// when it is loaded (ST-5).
fn disables(file: &Path, searched: &[&str]) -> bool {
    let Ok(text) = read_text(file) else {
        return false;
    };
    let text = SettingsText::new(text.trim_start_matches('\u{FEFF}'));
    text.and_then(|text| text.disabled_names())
        .is_ok_and(|names| names.iter().any(|it| searched.contains(&it.as_str())))
}

#[cfg(test)]
mod tests;
