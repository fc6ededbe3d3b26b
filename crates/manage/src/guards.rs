//! The guards that come with the program (HT-40, HT-41).

mod view;

use std::path::{Path, PathBuf};

use hookloop_events::EventName;
use hookloop_hook::Grouping;
use hookloop_rules::{
    CORPORA, Guard, GuardError, Judgement, Measured, RuleSet, guard, guards, judge_command, measure,
};
use hookloop_session::Workspace;
use hookloop_settings::{EditError, NewHook, Saved, SettingsFile};
use hookloop_trust::Vouched;
use serde_json::{Map, Value};

use crate::Task;
use crate::audit;
use crate::failure::{CommandFailure, FailureCode};
use crate::near_matches::near_matches;
use crate::scope::Scope;

pub use view::{AskedGuardsView, GuardView, GuardsView, MeasuredGuardsView, decision};

/// The judgement of a guard about a command.
#[derive(Debug)]
pub struct GuardJudgement {
    /// The guard.
    pub guard: Guard,
    /// The judgement of its rules.
    pub judgement: Judgement,
}

fn open(task: Task<'_>) -> Workspace {
    Workspace::open(task.environment, task.run)
}

fn find_guard(name: &str) -> Result<Guard, CommandFailure> {
    if let Some(guard) = guard(name)? {
        return Ok(guard);
    }
    let known = guards()?;
    let names: Vec<&str> = known.iter().map(|it| it.name.as_str()).collect();
    let message = format!("there is no guard \"{name}\"; `hookloop guards list` lists them all");
    Err(CommandFailure::bad_input(message).with_candidates(near_matches(name, &names)))
}

/// The result of adding a guard.
#[derive(Debug)]
pub struct AddedGuard {
    /// The guard.
    pub guard: Guard,
    /// The settings file that contains it.
    pub file: PathBuf,
    /// Whether it replaced an earlier entry.
    pub replaced: bool,
    /// Warnings for the person, each as a sentence.
    pub warnings: Vec<String>,
}

/// Adds a guard. An existing entry is replaced, so that options can be changed. `set` contains
/// `KEY=VALUE` for each option.
pub fn add_guard(
    task: Task<'_>,
    name: &str,
    scope: Scope,
    set: &[String],
) -> Result<AddedGuard, CommandFailure> {
    let guard = find_guard(name)?;
    let mut values = values(set)?;
    // A guard that runs this program names it by its path, because PATH may change.
    if guard.options.iter().any(|it| it.name == "program")
        && let Some(program) = &task.environment.program
    {
        let path = Value::from(program.to_string_lossy());
        values.entry("program").or_insert(path);
    }
    let entry = guard.entry(&values).map_err(|error| {
        let options: Vec<&str> = guard.options.iter().map(|it| it.name.as_str()).collect();
        let has = match options.as_slice() {
            [] => "it has no options".to_owned(),
            options => format!("its options are {}", options.join(", ")),
        };
        CommandFailure::bad_input(format!("{}: {error}; {has}", guard.name))
    })?;
    let new = hooks_of(&guard, &entry)?;
    let before = open(task);
    let file = scope.settings_file(&before, task.environment);
    let replaced = save(&file, |settings| {
        let replaced = settings.remove_hooks(&guard.hook_name());
        let replaced = replaced.map_err(|fault| settings.error(fault))?;
        for hook in &new {
            let added = settings.add_hook(hook);
            let _ = added.map_err(|fault| settings.error(fault))?;
        }
        Ok(replaced.is_yes())
    })?;
    let mut warnings = Vec::new();
    if scope == Scope::Project {
        warnings.extend(trust(task, &guard, &file).err());
    }
    if guard.name == "audit"
        && let Err(error) = audit::begin(task.environment)
    {
        warnings.push(format!("the audit can't be started: {error}"));
    }
    Ok(AddedGuard {
        guard,
        file,
        replaced,
        warnings,
    })
}

/// Returns the hooks of a guard: one for each event that it judges.
fn hooks_of(guard: &Guard, entry: &Map<String, Value>) -> Result<Vec<NewHook>, CommandFailure> {
    let no_fields = Map::new();
    let first = (&guard.event, guard.matcher.clone(), &no_fields);
    let others = guard.also.iter().map(|it| (&it.event, None, &it.with));
    let hook = |(event, matcher, with): (&String, Option<String>, &Map<String, Value>)| {
        let event: EventName = event.parse().map_err(|_| {
            CommandFailure::internal(format!("{} is for an unknown event", guard.name))
        })?;
        let mut hook = entry.clone();
        hook.extend(with.clone());
        Ok(NewHook {
            event,
            matcher,
            grouping: Grouping::Parallel,
            hook,
        })
    };
    std::iter::once(first).chain(others).map(hook).collect()
}

/// Trusts the added guard, because the person asked for it, as for a hook that `new` creates.
fn trust(task: Task<'_>, guard: &Guard, file: &Path) -> Result<(), String> {
    let mut workspace = open(task);
    let is_this =
        |it: &&Vouched| it.hook.label() == guard.hook_name() && *it.hook.source.file == *file;
    let added: Vec<Vouched> = workspace.vouched.iter().filter(is_this).cloned().collect();
    let added: Vec<&Vouched> = added.iter().collect();
    let root = workspace.project_root.clone();
    let trusted = workspace.store.trust_as_seen(&root, &added);
    trusted.map_err(|error| error.to_string())
}

/// The result of removing a guard.
#[derive(Debug)]
pub struct RemovedGuard {
    /// The guard.
    pub guard: Guard,
    /// The settings files that contained it.
    pub files: Vec<PathBuf>,
}

/// Removes a guard from the settings of a scope, or from all.
pub fn remove_guard(
    task: Task<'_>,
    name: &str,
    scope: Option<Scope>,
) -> Result<RemovedGuard, CommandFailure> {
    let guard = find_guard(name)?;
    let before = open(task);
    let scopes = match scope {
        Some(scope) => vec![scope],
        None => vec![Scope::Project, Scope::User],
    };
    let mut files = Vec::new();
    for scope in scopes {
        let file = scope.settings_file(&before, task.environment);
        if !file.exists() || files.contains(&file) {
            continue;
        }
        let removed = save(&file, |settings| {
            let removed = settings.remove_hooks(&guard.hook_name());
            Ok(removed.map_err(|fault| settings.error(fault))?.is_yes())
        })?;
        if removed {
            files.push(file);
        }
    }
    if files.is_empty() {
        let message = format!(
            "the guard \"{}\" isn't in these settings; `hookloop guards list` shows where it is used",
            guard.name
        );
        return Err(CommandFailure::new(FailureCode::UnknownHook, message));
    }
    Ok(RemovedGuard { guard, files })
}

/// Edits a settings file under its lock (ST-10), and returns what the edit returned.
fn save(
    file: &Path,
    edit: impl FnOnce(&mut SettingsFile) -> Result<bool, EditError>,
) -> Result<bool, EditError> {
    let mut settings = SettingsFile::open_for_edit(file)?;
    let is_edited = edit(&mut settings)?;
    let saved = settings.save()?;
    Ok(is_edited && saved == Saved::Written)
}

/// Parses `KEY=VALUE`. A value that isn't valid JSON counts as a string.
fn values(set: &[String]) -> Result<Map<String, Value>, CommandFailure> {
    let mut values = Map::new();
    for pair in set {
        let Some((key, value)) = pair.split_once('=') else {
            let message = format!("--set {pair}: write KEY=VALUE");
            return Err(CommandFailure::bad_input(message));
        };
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
        values.insert(key.to_owned(), value);
    }
    Ok(values)
}

/// The measurements of a guard.
#[derive(Debug)]
pub struct MeasuredGuard {
    /// The guard's name.
    pub name: &'static str,
    /// Its measurements.
    pub measured: Measured,
}

/// Measures one guard, or all.
pub fn measure_guards(name: Option<&str>) -> Result<Vec<MeasuredGuard>, CommandFailure> {
    if let Some(name) = name {
        find_guard(name)?;
    }
    let mut found = Vec::new();
    for corpus in CORPORA {
        if name.is_none_or(|it| it == corpus.guard) {
            found.push(MeasuredGuard {
                name: corpus.guard,
                measured: measure(&find_guard(corpus.guard)?, corpus)?,
            });
        }
    }
    if let Some(name) = name.filter(|_| found.is_empty()) {
        let message = format!("there is no corpus for the guard \"{name}\"");
        return Err(CommandFailure::bad_input(message));
    }
    Ok(found)
}

/// Evaluates every guard with rules for a command, with default options.
pub fn ask_guards(
    task: Task<'_>,
    workspace: &Workspace,
    command: &str,
) -> Result<Vec<GuardJudgement>, CommandFailure> {
    let variables = &task.environment.variables;
    let places = hookloop_exec::places_of(&workspace.project_root, variables);
    let mut judgements = Vec::new();
    for guard in guards()? {
        let rules = guard.rules_with(&Map::new())?;
        if rules.is_empty() {
            continue;
        }
        let rules = RuleSet::read(&rules).map_err(GuardError::from)?;
        let judgement = judge_command(&rules, command, &places);
        judgements.push(GuardJudgement { guard, judgement });
    }
    Ok(judgements)
}
