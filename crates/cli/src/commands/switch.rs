//! `hooks enable`, `disable`, `enable-all` and `disable-all` (CM-2, ST-6, ST-7).

mod words;

pub(super) use words::still_off;

use std::path::Path;

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use hookloop_engine::SkipCause;
use hookloop_hook::{HookDeclaration, Layer, Source};
use hookloop_manage::{CommandFailure, FailureCode, Scope, near_matches};
use hookloop_session::{RunOptions, Workspace};
use hookloop_settings::{EditError, Provided, Saved, SettingsFile, SettingsText};

use crate::commands::change::Change;
use crate::commands::scope::ScopeArgument;
use crate::commands::scope::ScopeArguments;
use crate::commands::{Context, text};
use crate::names::hook_labels;
use crate::output::Output;

/// Holds the arguments of `enable` and `disable` (CM-2).
#[derive(Debug, Clone, Args)]
pub(crate) struct SwitchArguments {
    /// The name of the hook, or its command if it has none
    #[arg(value_name = "NAME", add = ArgValueCompleter::new(hook_labels))]
    pub(crate) name: String,
    /// Whose settings are written: those that the hook comes from without it; `enable` takes the
    /// name out of both
    #[arg(long, value_enum)]
    pub(crate) scope: Option<ScopeArgument>,
}

/// Says which way all hooks are turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// They may run.
    On,
    /// None runs.
    Off,
}

/// Takes a name out of every `disabled` list that may be written, and says which one is left.
pub(crate) fn enable(context: &Context<'_>, name: &str) -> Result<Output, CommandFailure> {
    let before = open(context);
    let mut known = labels(&before);
    known.extend(
        before
            .settings
            .switches
            .disabled
            .iter()
            .map(|it| it.name.as_str()),
    );
    let qualified = qualified(&before, name);
    let names = [name, qualified.as_str()];
    let mut change = Change {
        labels: vec![name.to_owned()],
        ..Change::default()
    };
    let mut obstacle = None;
    let mut is_listed = known.contains(&name);
    for scope in [Scope::Project, Scope::User] {
        let file = scope.settings_file(&before, context.environment);
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
        return Err(unknown(name, &known));
    }
    let after = open(context);
    let left = after.settings.switches.disabled.iter();
    change.still_disabled_by = left
        .filter(|entry| names.contains(&entry.name.as_str()))
        .map(|entry| entry.source.clone())
        .collect();
    match obstacle {
        Some(error) if change.still_disabled_by.is_empty() => return Err(error.into()),
        Some(error) => change.notices.push_str(&text::warning(&error.to_string())),
        None => {}
    }
    change.told = words::enabled(name, &change.still_disabled_by, !change.files.is_empty());
    change.notices.push_str(&words::still_off(&after, name));
    change.report(context, &after)
}

/// Adds a name to the `disabled` list of a scope.
pub(crate) fn disable(
    context: &Context<'_>,
    arguments: &SwitchArguments,
) -> Result<Output, CommandFailure> {
    let name = arguments.name.as_str();
    let before = open(context);
    let known = labels(&before);
    let hooks: Vec<&HookDeclaration> = before
        .settings
        .hooks
        .iter()
        .filter(|hook| hook.label() == name)
        .collect();
    if hooks.is_empty() {
        return Err(unknown(name, &known));
    }
    let of_system = |hook: &&HookDeclaration| hook.source.layer == Some(Layer::System);
    if hooks.iter().all(of_system) {
        let message = format!(
            "\"{name}\" can't be disabled here: only the system's settings have a say over hooks \
             of the system"
        );
        return Err(CommandFailure::new(FailureCode::Locked, message));
    }
    let is_project = |hook: &&HookDeclaration| hook.is_from_project();
    let (of_project, others) = (hooks.iter().any(is_project), !hooks.iter().all(is_project));
    let qualified = qualified(&before, name);
    let entries: &[(Scope, &str)] = match (arguments.scope.map(Scope::from), of_project, others) {
        (Some(Scope::Project), _, _) | (None, true, false) => &[(Scope::Project, name)],
        // The user's list is about all projects: it says which hook it means.
        (Some(Scope::User), true, false) => &[(Scope::User, &qualified)],
        (Some(Scope::User), _, _) | (None, false, _) => &[(Scope::User, name)],
        (None, true, true) => &[(Scope::Project, name), (Scope::User, name)],
    };
    let mut change = Change {
        labels: vec![name.to_owned()],
        ..Change::default()
    };
    for (scope, entry) in entries {
        let file = scope.settings_file(&before, context.environment);
        if edit(&file, |text| text.disable([*entry]))? == Saved::Written {
            change.files.push(file);
        }
    }
    let after = open(context);
    change.told = words::disabled(&after, name, !change.files.is_empty());
    change.notices = words::still_on(&after, name);
    change.report(context, &after)
}

/// Turns all hooks on or off in a scope, and says when a higher layer has the last word.
pub(crate) fn switch_all(
    context: &Context<'_>,
    arguments: ScopeArguments,
    turn: Turn,
) -> Result<Output, CommandFailure> {
    let before = open(context);
    let wanted = turn == Turn::On;
    let mut change = Change {
        labels: owned(labels(&before)),
        ..Change::default()
    };
    let now = &before.settings.switches.enabled;
    if is_locked(&before, "enabled") && now.value != wanted {
        if turn == Turn::Off {
            let message = "hooks can't be turned off: the system's settings lock \"enabled\"";
            return Err(CommandFailure::new(FailureCode::Locked, message));
        }
        change.still_disabled_by.extend(now.source.clone());
        change.told = words::locked();
        change.notices = words::overridden(&before);
        return change.report(context, &before);
    }
    let file = Scope::from(arguments.scope).settings_file(&before, context.environment);
    let saved = edit(&file, |text| text.set_hooks_config("enabled", wanted))?;
    if saved == Saved::Written {
        change.files.push(file.clone());
    }
    let after = open(context);
    let now = &after.settings.switches.enabled;
    change.told = words::turned_all(turn, saved == Saved::Written);
    match turn {
        Turn::Off => change.notices = words::all_still_on(&after),
        Turn::On if !now.value && !is_of(now, &file) => {
            change.notices = words::overridden(&after);
        }
        Turn::On => {}
    }
    if turn == Turn::On {
        let off = [
            now.source.as_ref().filter(|_| !now.value),
            after.settings.switches.project_off(),
        ];
        change.still_disabled_by = off.into_iter().flatten().cloned().collect();
        for status in after.registry.list() {
            for cause in &status.causes {
                if let SkipCause::DisabledByName(source) = cause
                    && !change.still_disabled_by.contains(source)
                {
                    change.still_disabled_by.push(source.clone());
                }
            }
        }
        change.notices.push_str(&words::disabled_by_name(&after));
    }
    change.report(context, &after)
}

/// Opens the workspace as the settings have it, whatever holds for this run.
fn open(context: &Context<'_>) -> Workspace {
    Workspace::open(context.environment, &RunOptions::default())
}

/// Returns the entry of the user's list that means a hook of this project alone (CM-2).
fn qualified(workspace: &Workspace, name: &str) -> String {
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

fn owned(labels: Vec<&str>) -> Vec<String> {
    labels.into_iter().map(str::to_owned).collect()
}

fn unknown(name: &str, known: &[&str]) -> CommandFailure {
    let message = format!("no hook is named \"{name}\"");
    CommandFailure::new(FailureCode::UnknownHook, message)
        .with_candidates(near_matches(name, known))
}

fn is_locked(workspace: &Workspace, key: &str) -> bool {
    let locked = &workspace.settings.switches.locked;
    locked.iter().any(|it| it == key)
}

fn is_of(setting: &Provided<bool>, file: &Path) -> bool {
    let source: Option<&Source> = setting.source.as_ref();
    source.is_some_and(|source| *source.file == *file)
}

/// Tells whether a file disables a name. One that can't be read disables nothing, and is
/// reported by whoever loads it (ST-5).
fn disables(file: &Path, searched: &[&str]) -> bool {
    let Ok(text) = std::fs::read_to_string(file) else {
        return false;
    };
    let text = SettingsText::new(text.trim_start_matches('\u{FEFF}'));
    text.and_then(|text| text.disabled_names())
        .is_ok_and(|names| names.iter().any(|it| searched.contains(&it.as_str())))
}

/// Edits a settings file under its lock (ST-10).
fn edit(
    file: &Path,
    change: impl FnOnce(
        &mut SettingsText,
    ) -> Result<hookloop_settings::Changed, hookloop_settings::EditFault>,
) -> Result<Saved, EditError> {
    let mut settings = SettingsFile::open_for_edit(file)?;
    let changed = change(&mut settings).map_err(|fault| settings.error(fault))?;
    if changed.is_yes() {
        settings.save()
    } else {
        Ok(Saved::Unchanged)
    }
}
