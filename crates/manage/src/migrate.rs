//! Migrates another agent's hooks (CM-7).

mod view;

use std::path::{Path, PathBuf};

use hookloop_dialects::{Addition, Agent, Manner, Migration, SourceText, migrate as migrate_texts};
use hookloop_hook::Layer;
use hookloop_session::{RunOptions, Workspace};
use hookloop_settings::{EditError, NewHook, SettingsFile, SettingsText, folder_of_hooks};
use serde_json::{Map, Value};

use crate::Task;
use crate::failure::{CommandFailure, FailureCode};
use crate::scope::Scope;

pub use view::{MigrationView, item_source};

/// Which hooks are migrated, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MigrationWishes {
    /// The agent.
    pub from: Agent,
    /// How they are written.
    pub manner: Manner,
    /// The scope of its settings, and of ours.
    pub scope: Scope,
    /// Whether anything is written.
    pub writing: Writing,
}

/// Whether anything is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writing {
    /// Settings are written.
    Settings,
    /// Nothing is written; the result only describes the changes.
    Nothing,
}

/// The result of a migration.
pub struct Migrated {
    /// The request.
    pub wishes: MigrationWishes,
    /// The settings file that gets the hooks.
    pub target: PathBuf,
    /// The files that were read.
    pub sources: Vec<PathBuf>,
    /// What happened to each hook.
    pub migration: Migration,
    /// The `hooks` object that was added.
    pub added: Map<String, Value>,
    /// The configuration, with the added hooks.
    pub workspace: Workspace,
}

/// Migrates hooks; runs and trusts nothing (TR-7).
pub fn migrate_hooks(task: Task<'_>, wishes: MigrationWishes) -> Result<Migrated, CommandFailure> {
    let MigrationWishes {
        from,
        manner,
        scope,
        writing,
    } = wishes;
    let workspace = Workspace::open(task.environment, &RunOptions::default());
    let above = match scope {
        Scope::User => &task.environment.home,
        Scope::Project => &workspace.project_root,
    };
    let files = read(above, &task.environment.home, from, scope)?;
    let layer = match scope {
        Scope::User => Layer::User,
        Scope::Project => Layer::Project,
    };
    let folder = folder_of_hooks(from, layer, above);
    let texts: Vec<SourceText<'_>> = files
        .iter()
        .map(|(path, text)| SourceText {
            path,
            text,
            runs_in: folder.as_deref(),
        })
        .collect();
    let mut migration = migrate_texts(from, manner, &texts);
    let target = scope.settings_file(&workspace, task.environment);
    match writing {
        Writing::Nothing => migration.leave_out_present(&read_hooks(&target)?),
        Writing::Settings => write(&target, &mut migration)?,
    }
    Ok(Migrated {
        wishes,
        target,
        sources: files.into_iter().map(|(path, _)| path).collect(),
        added: migration.hooks(),
        migration,
        workspace: Workspace::open(task.environment, &RunOptions::default()),
    })
}

/// Reads the files that exist.
fn read(
    above: &Path,
    home: &Path,
    from: Agent,
    scope: Scope,
) -> Result<Vec<(PathBuf, String)>, CommandFailure> {
    let names = match scope {
        Scope::User => from.user_files(),
        Scope::Project => from.project_files(),
    };
    let mut files = Vec::new();
    for path in names.iter().flat_map(|name| files_named(above, name)) {
        match hookloop_settings::read_bytes(&path) {
            Ok(Some(bytes)) => files.push((path, String::from_utf8_lossy(&bytes).into_owned())),
            Ok(None) => {}
            Err(reason) => {
                let message = format!("{} can't be read: {reason}", path.display());
                return Err(CommandFailure::new(FailureCode::NoSource, message));
            }
        }
    }
    if files.is_empty() {
        let mut message = format!(
            "there are no hooks of {}: no {} in {}",
            from.name(),
            names.join(", no "),
            above.display()
        );
        let of_user = from.user_files().iter();
        let mut of_user = of_user.flat_map(|it| files_named(home, it));
        if scope == Scope::Project && of_user.any(|it| it.is_file()) {
            message.push_str("; with `--scope user`, your own are migrated");
        }
        return Err(CommandFailure::new(FailureCode::NoSource, message));
    }
    Ok(files)
}

/// Returns the files below a folder that match a name: `*.json` matches all such files, in order.
fn files_named(above: &Path, name: &str) -> Vec<PathBuf> {
    let Some(folder) = name.strip_suffix("/*.json") else {
        return vec![above.join(name).components().collect()];
    };
    let entries = std::fs::read_dir(above.join(folder)).into_iter().flatten();
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|it| it == "json"))
        .collect();
    files.sort();
    files
}

/// Adds what is missing, under the file's lock (ST-10).
fn write(target: &Path, migration: &mut Migration) -> Result<(), EditError> {
    let mut file = SettingsFile::open_for_edit(target)?;
    let present = file.hooks().map_err(|fault| file.error(fault))?;
    migration.leave_out_present(&present);
    for addition in migration.additions() {
        let added = file.add_hook(&new_hook(addition));
        let _ = added.map_err(|fault| file.error(fault))?;
    }
    file.save().map(drop)
}

fn new_hook(addition: &Addition) -> NewHook {
    NewHook {
        event: addition.event,
        matcher: addition.matcher.clone(),
        grouping: addition.grouping,
        hook: addition.hook.clone(),
    }
}

/// Returns the hooks of a file, without taking its lock; a missing file has none.
fn read_hooks(target: &Path) -> Result<Map<String, Value>, CommandFailure> {
    let unread = |reason: String| {
        let message = format!("{} can't be read: {reason}", target.display());
        CommandFailure::new(FailureCode::InvalidSettings, message)
    };
    let bytes = hookloop_settings::read_bytes(target).map_err(unread)?;
    let text = String::from_utf8(bytes.unwrap_or_default());
    let text = text.map_err(|_| unread("it isn't UTF-8 text".to_owned()))?;
    let text = SettingsText::new(text.trim_start_matches('\u{FEFF}'));
    text.and_then(|text| text.hooks()).map_err(|fault| {
        let file = target.to_path_buf();
        CommandFailure::from(EditError::InvalidSettings { file, fault })
    })
}

#[cfg(test)]
mod tests;
