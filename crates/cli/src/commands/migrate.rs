//! `hooks migrate`: copies the hooks of another agent (CM-7).

mod words;

use clap::Args;
use hookloop_dialects::{Agent, Manner, MigrationResult};
use hookloop_manage::{
    CommandFailure, MigrationView, MigrationWishes, Scope, Writing, migrate_hooks,
};

use crate::commands::context::{AdditionalReport, Context};
use crate::output::{Exit, Output};

/// Contains the arguments of `migrate` (CM-7).
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct MigrateArguments {
    #[command(flatten)]
    pub(crate) origin: MigrateOrigin,
    /// Write everything in Hookloop's own dialect; scripts have to be rewritten, too
    #[arg(long)]
    pub(crate) rewrite: bool,
    /// Show what would be done, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Whose hooks to copy, into whose settings
    #[arg(long, value_enum, default_value = "project")]
    pub(crate) scope: Scope,
}

/// Whose hooks are migrated.
#[derive(Debug, Clone, Copy, Args)]
#[group(required = true, multiple = false)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of the command line, and only one can be given"
)]
pub(crate) struct MigrateOrigin {
    /// Copy the hooks of Claude Code
    #[arg(long)]
    pub(crate) from_claude: bool,
    /// Copy the hooks of Codex
    #[arg(long)]
    pub(crate) from_codex: bool,
    /// Copy the hooks of Cursor
    #[arg(long)]
    pub(crate) from_cursor: bool,
    /// Copy the hooks of Copilot
    #[arg(long)]
    pub(crate) from_copilot: bool,
    /// Copy the hooks of Qwen Code
    #[arg(long)]
    pub(crate) from_qwen: bool,
}

/// Migrates hooks; runs and trusts nothing (TR-7).
pub(crate) fn migrate(
    context: &Context<'_>,
    arguments: MigrateArguments,
) -> Result<Output, CommandFailure> {
    let wishes = MigrationWishes {
        from: arguments.origin.agent(),
        manner: if arguments.rewrite {
            Manner::Rewritten
        } else {
            Manner::InDialect
        },
        scope: arguments.scope,
        writing: if arguments.dry_run {
            Writing::Nothing
        } else {
            Writing::Settings
        },
    };
    let migrated = migrate_hooks(context.task(), wishes)?;
    let mut items = migrated.migration.items.iter();
    let exit = if items.any(|item| item.result == MigrationResult::WillNotWork) {
        Exit::Failed
    } else {
        Exit::Done
    };
    let beside = AdditionalReport::for_sources(&migrated.workspace);
    let output = context.say(beside, MigrationView::new(&migrated), |output| {
        words::migrated(&migrated, output)
    })?;
    Ok(output.ending(exit))
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
