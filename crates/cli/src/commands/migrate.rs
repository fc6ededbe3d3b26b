//! `hooks migrate`: takes over the hooks of another agent (CM-7).

mod view;
mod words;

use std::path::{Path, PathBuf};

use clap::Args;
use hookloop_dialects::{
    Addition, Agent, Manner, Migration, MigrationResult, SourceText, migrate as migrate_texts,
};
use hookloop_manage::{CommandFailure, FailureCode, Scope};
use hookloop_session::{RunOptions, Workspace};
use hookloop_settings::{EditError, NewHook, SettingsFile, SettingsText};
use serde_json::{Map, Value};

use crate::commands::scope::ScopeArgument;
use crate::commands::{Context, Format, text, views};
use crate::output::{Exit, Output};
use view::MigrationView;

/// Holds the arguments of `migrate` (CM-7).
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct MigrateArguments {
    #[command(flatten)]
    pub(crate) origin: MigrateOrigin,
    /// Write everything in our words; scripts have to be rewritten, too
    #[arg(long)]
    pub(crate) rewrite: bool,
    /// Say what would be done, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Whose hooks are taken over, into whose settings
    #[arg(long, value_enum, default_value = "project")]
    pub(crate) scope: ScopeArgument,
}

/// Says whose hooks are taken over.
#[derive(Debug, Clone, Copy, Args)]
#[group(required = true, multiple = false)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of the command line, and only one can be given"
)]
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
    /// Those of Copilot
    #[arg(long)]
    pub(crate) from_copilot: bool,
    /// Those of Qwen Code
    #[arg(long)]
    pub(crate) from_qwen: bool,
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
    let scope = arguments.scope.into();
    let above = match scope {
        Scope::User => &context.environment.home,
        Scope::Project => &workspace.project_root,
    };
    let from = arguments.origin.agent();
    let files = read(above, &context.environment.home, from, scope)?;
    let texts: Vec<SourceText<'_>> = files
        .iter()
        .map(|(path, text)| SourceText { path, text })
        .collect();
    let manner = if arguments.rewrite {
        Manner::Rewritten
    } else {
        Manner::InDialect
    };
    let mut migration = migrate_texts(from, manner, &texts);
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

impl MigrateOrigin {
    const fn agent(self) -> Agent {
        match self {
            Self {
                from_codex: true, ..
            } => Agent::Codex,
            Self {
                from_cursor: true, ..
            } => Agent::Cursor,
            Self {
                from_copilot: true, ..
            } => Agent::Copilot,
            Self {
                from_qwen: true, ..
            } => Agent::Qwen,
            _ => Agent::ClaudeCode,
        }
    }
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
            message.push_str("; with `--scope user` those of your own are taken over");
        }
        return Err(CommandFailure::new(FailureCode::NoSource, message));
    }
    Ok(files)
}

/// Returns the files that a name below a folder stands for: `*.json` are all such, in order.
pub(crate) fn files_named(above: &Path, name: &str) -> Vec<PathBuf> {
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
        grouping: addition.grouping,
        hook: addition.hook.clone(),
    }
}

/// Returns the hooks of a file without taking its lock; none of a missing one.
fn present(target: &Path) -> Result<Map<String, Value>, CommandFailure> {
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

fn show(context: &Context<'_>, migrated: &Migrated) -> Result<Output, CommandFailure> {
    // What the settings say now, with the hooks that were added.
    let workspace = Workspace::open(context.environment, &RunOptions::default());
    let problems = &workspace.problems;
    let mut items = migrated.migration.items.iter();
    let exit = if items.any(|item| item.result == MigrationResult::WillNotWork) {
        Exit::Failed
    } else {
        Exit::Done
    };
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
            text::diagnostics_of_sources(problems, notices),
        ),
    };
    Ok(Output {
        result,
        notices,
        exit,
    })
}
