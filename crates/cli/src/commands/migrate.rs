//! `hooks migrate`: takes over the hooks of another agent (CM-7).

mod view;
mod words;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::Args;
use hookloop_dialects::{
    Addition, Migration, SourceText, migrate_claude, migrate_codex, migrate_cursor,
};
use hookloop_hook::Grouping;
use hookloop_session::{RunOptions, Workspace};
use hookloop_settings::{EditError, NewHook, SettingsFile, SettingsText};
use serde_json::{Map, Value};

use crate::commands::failure::FailureCode;
use crate::commands::scope::Scope;
use crate::commands::{CommandFailure, Context, Format, text, views};
use crate::output::{Exit, Output};
use view::MigrationView;

/// Holds the arguments of `migrate` (CM-7).
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct MigrateArguments {
    #[command(flatten)]
    pub(crate) origin: MigrateOrigin,
    /// Say what would be done, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Whose hooks are taken over, into whose settings
    #[arg(long, value_enum, default_value = "project")]
    pub(crate) scope: Scope,
}

/// Says whose hooks are taken over.
#[derive(Debug, Clone, Copy, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct MigrateOrigin {
    /// Those of Claude Code
    #[arg(long)]
    pub(crate) from_claude: bool,
    /// Those of Codex
    #[arg(long)]
    pub(crate) from_codex: bool,
    /// Those of Cursor
    #[arg(long)]
    pub(crate) from_cursor: bool,
}

/// Holds what became of a migration.
#[derive(Debug)]
pub(crate) struct Migrated {
    /// Whether anything would have been written only.
    pub(crate) dry_run: bool,
    /// Whose settings get the hooks.
    pub(crate) scope: Scope,
    /// The file of these settings.
    pub(crate) target: PathBuf,
    /// The files that were read.
    pub(crate) sources: Vec<PathBuf>,
    /// What became of each hook.
    pub(crate) migration: Migration,
    /// The `hooks` object that was added.
    pub(crate) added: Map<String, Value>,
}

/// Takes over hooks; runs and trusts nothing (TR-7).
pub(crate) fn migrate(
    context: &Context<'_>,
    arguments: MigrateArguments,
) -> Result<Output, CommandFailure> {
    let workspace = Workspace::open(context.environment, &RunOptions::default());
    let scope = arguments.scope;
    let above = match scope {
        Scope::User => &context.environment.home,
        Scope::Project => &workspace.project_root,
    };
    let from = Foreign::of(arguments.origin);
    let files = read(above, from, scope)?;
    let texts: Vec<SourceText<'_>> = files
        .iter()
        .map(|(path, text)| SourceText { path, text })
        .collect();
    let mut migration = (from.migrate)(&texts);
    let target = scope.settings_file(&workspace, context.environment);
    if arguments.dry_run {
        let present = present(&target)?;
        migration.leave_out_present(&present);
    } else {
        write(&target, &mut migration)?;
    }
    let migrated = Migrated {
        dry_run: arguments.dry_run,
        scope,
        target,
        sources: files.into_iter().map(|(path, _)| path).collect(),
        added: migration.hooks(),
        migration,
    };
    show(context, &migrated)
}

/// Another agent: where its hooks stand, and how they are read.
#[derive(Clone, Copy)]
struct Foreign {
    name: &'static str,
    project_files: &'static [&'static str],
    user_files: &'static [&'static str],
    migrate: fn(&[SourceText<'_>]) -> Migration,
}

impl Foreign {
    fn of(origin: MigrateOrigin) -> Self {
        if origin.from_codex {
            Self {
                name: "Codex",
                project_files: &[".codex/hooks.json", ".codex/config.toml"],
                user_files: &[".codex/hooks.json", ".codex/config.toml"],
                migrate: migrate_codex,
            }
        } else if origin.from_cursor {
            Self {
                name: "Cursor",
                project_files: &[".cursor/hooks.json"],
                user_files: &[".cursor/hooks.json"],
                migrate: migrate_cursor,
            }
        } else {
            Self {
                name: "Claude Code",
                project_files: &[".claude/settings.json", ".claude/settings.local.json"],
                user_files: &[".claude/settings.json"],
                migrate: migrate_claude,
            }
        }
    }
}

/// Reads the files that exist.
fn read(
    above: &Path,
    from: Foreign,
    scope: Scope,
) -> Result<Vec<(PathBuf, String)>, CommandFailure> {
    let names = match scope {
        Scope::User => from.user_files,
        Scope::Project => from.project_files,
    };
    let mut files = Vec::new();
    for name in names {
        let path: PathBuf = above.join(name).components().collect();
        match std::fs::read(&path) {
            Ok(bytes) => files.push((path, String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) if is_missing(error.kind()) => {}
            Err(error) => {
                let message = format!("{} can't be read: {error}", path.display());
                return Err(CommandFailure::new(FailureCode::NoSource, message));
            }
        }
    }
    if files.is_empty() {
        let message = format!(
            "there are no hooks of {}: no {} in {}",
            from.name,
            names.join(", no "),
            above.display()
        );
        return Err(CommandFailure::new(FailureCode::NoSource, message));
    }
    Ok(files)
}

fn is_missing(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Adds what is not there yet, under the file's lock (ST-10).
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
        grouping: Grouping::Parallel,
        hook: addition.hook.clone(),
    }
}

/// Returns the hooks of a file without taking its lock; none of a missing one.
fn present(target: &Path) -> Result<Map<String, Value>, CommandFailure> {
    let text = match std::fs::read_to_string(target) {
        Ok(text) => text,
        Err(error) if is_missing(error.kind()) => String::new(),
        Err(error) => {
            let message = format!("{} can't be read: {error}", target.display());
            return Err(CommandFailure::new(FailureCode::InvalidSettings, message));
        }
    };
    let text = SettingsText::new(text.trim_start_matches('\u{FEFF}'));
    text.and_then(|text| text.hooks()).map_err(|fault| {
        let file = target.to_path_buf();
        CommandFailure::from(EditError::InvalidSettings { file, fault })
    })
}

fn show(context: &Context<'_>, migrated: &Migrated) -> Result<Output, CommandFailure> {
    // What the settings say now, with the hooks that were added.
    let workspace = Workspace::open(context.environment, &RunOptions::default());
    let problems = &workspace.problems;
    let (result, notices) = match context.format {
        Format::Json => {
            let view = MigrationView::new(migrated);
            let root = &workspace.project_root;
            (
                views::document(context.name, root, view, problems)?,
                String::new(),
            )
        }
        Format::Text { output, notices } => (
            words::migrated(migrated, output),
            text::diagnostics(problems, notices),
        ),
    };
    Ok(Output {
        result,
        notices,
        exit: Exit::Done,
    })
}
