//! Which extensions are enabled: `extension-enablement.json`, as Gemini CLI writes it (EX-4).

use std::path::PathBuf;

use hookloop_extensions::{check_known, extensions_folder};
use hookloop_hook::{Enablement, Source};
use hookloop_session::{Environment, Workspace};
use hookloop_settings::{EditError, Saved, SettingsFile};
use serde_json::{Value, json};

use crate::Task;
use crate::failure::CommandFailure;
use crate::scope::Scope;

/// An extension that was enabled or disabled.
#[derive(Debug)]
pub struct SwitchedExtension {
    /// The files that were written.
    pub files: Vec<PathBuf>,
    /// What keeps it disabled anyway, as a sentence.
    pub stays_disabled: Option<String>,
}

/// Enables an extension, in a project or everywhere.
pub fn enable_extension(
    task: Task<'_>,
    name: &str,
    scope: Scope,
) -> Result<SwitchedExtension, CommandFailure> {
    let workspace = Workspace::open(task.environment, task.run);
    check_extension(&workspace, name)?;
    let pattern = pattern(scope, &workspace);
    let mut files = Vec::new();
    files.extend(add_rule(task.environment, name, &pattern)?);
    let user = Scope::User.settings_file(&workspace, task.environment);
    let listed = workspace.settings.lookup(&["extensions", "disabled"]);
    if listed.is_some_and(|it| it.source.is_some_and(|source| *source.file == *user)) {
        files.extend(take_out(user, name)?);
    }
    let after = Workspace::open(task.environment, task.run);
    let stays_disabled = is_disabled(&after, name)
        .then(|| format!("\"{name}\" stays disabled{}", by_whom(&after, name)));
    Ok(SwitchedExtension {
        files,
        stays_disabled,
    })
}

/// Disables an extension, in a project or everywhere.
pub fn disable_extension(
    task: Task<'_>,
    name: &str,
    scope: Scope,
) -> Result<SwitchedExtension, CommandFailure> {
    let workspace = Workspace::open(task.environment, task.run);
    check_extension(&workspace, name)?;
    let pattern = format!("!{}", pattern(scope, &workspace));
    let file = add_rule(task.environment, name, &pattern)?;
    Ok(SwitchedExtension {
        files: file.into_iter().collect(),
        stays_disabled: None,
    })
}

/// Removes the rules of an extension that no longer exists.
pub(super) fn forget(environment: &Environment, name: &str) -> Result<(), EditError> {
    let path = rules_file(environment);
    if !path.exists() {
        return Ok(());
    }
    let mut file = SettingsFile::open_for_edit(&path)?;
    let rules = rules(&file, name).map_err(|fault| file.error(fault))?;
    if rules.is_empty() {
        return Ok(());
    }
    let changed = file.set(&[name, "overrides"], &json!([]));
    let _ = changed.map_err(|fault| file.error(fault))?;
    file.save().map(drop)
}

/// Checks that an extension of the workspace has this name.
fn check_extension(workspace: &Workspace, name: &str) -> Result<(), CommandFailure> {
    let extensions = workspace.settings.extensions.iter();
    let names: Vec<&str> = extensions.map(|it| &*it.origin.name).collect();
    Ok(check_known(name, &names)?)
}

fn rules_file(environment: &Environment) -> PathBuf {
    extensions_folder(&environment.home).join("extension-enablement.json")
}

/// Returns the pattern for the folders of a scope.
fn pattern(scope: Scope, workspace: &Workspace) -> String {
    match scope {
        // The user's projects may be outside the home folder.
        Scope::User => "/*".to_owned(),
        Scope::Project => {
            let root = workspace.project_root.to_string_lossy().replace('\\', "/");
            format!("{}/*", root.trim_end_matches('/'))
        }
    }
}

/// Appends a rule, and removes those that it makes meaningless. Returns the file if it was written.
fn add_rule(
    environment: &Environment,
    name: &str,
    rule: &str,
) -> Result<Option<PathBuf>, EditError> {
    let path = rules_file(environment);
    let mut file = SettingsFile::open_for_edit(&path)?;
    let before = rules(&file, name).map_err(|fault| file.error(fault))?;
    let above = rule.trim_start_matches('!').trim_end_matches('*');
    let mut now: Vec<String> = before.clone();
    now.retain(|it| !it.trim_start_matches('!').starts_with(above));
    // Without a rule, an extension is enabled.
    if rule.starts_with('!') || !now.is_empty() {
        now.push(rule.to_owned());
    }
    if now == before {
        return Ok(None);
    }
    let changed = file.set(&[name, "overrides"], &json!(now));
    let _ = changed.map_err(|fault| file.error(fault))?;
    Ok((file.save()? == Saved::Written).then_some(path))
}

fn rules(file: &SettingsFile, name: &str) -> Result<Vec<String>, hookloop_settings::EditFault> {
    let value = file.to_value()?;
    let rules = value.get(name).and_then(|it| it.get("overrides"));
    let rules = rules.and_then(Value::as_array).into_iter().flatten();
    Ok(rules
        .filter_map(|it| it.as_str().map(str::to_owned))
        .collect())
}

/// Removes a name from `extensions.disabled` in the user's settings.
fn take_out(file: PathBuf, name: &str) -> Result<Option<PathBuf>, EditError> {
    let mut settings = SettingsFile::open_for_edit(&file)?;
    let listed = settings.to_value().map_err(|fault| settings.error(fault))?;
    let listed = listed
        .pointer("/extensions/disabled")
        .and_then(Value::as_array);
    let listed: Vec<String> = listed
        .into_iter()
        .flatten()
        .filter_map(|it| it.as_str())
        // This list ignores case.
        .filter(|it| it.eq_ignore_ascii_case(name))
        .map(str::to_owned)
        .collect();
    let listed: Vec<&str> = listed.iter().map(String::as_str).collect();
    let changed = settings.remove_texts(&["extensions", "disabled"], &listed);
    let _ = changed.map_err(|fault| settings.error(fault))?;
    Ok((settings.save()? == Saved::Written).then_some(file))
}

fn is_disabled(workspace: &Workspace, name: &str) -> bool {
    let extensions = workspace.settings.extensions.iter();
    extensions
        .filter(|it| &*it.origin.name == name)
        .any(|it| it.origin.enablement == Enablement::Disabled)
}

fn by_whom(workspace: &Workspace, name: &str) -> String {
    let found = workspace.settings.lookup(&["extensions", "disabled"]);
    let lists_it = |value: &Value| {
        let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
        list.iter()
            .filter_map(Value::as_str)
            .any(|it| it.eq_ignore_ascii_case(name))
    };
    let source: Option<Source> = found
        .filter(|it| lists_it(&it.value))
        .and_then(|it| it.source);
    match source {
        Some(source) => format!(" by {source}"),
        None => " by settings that can't be changed here".to_owned(),
    }
}
