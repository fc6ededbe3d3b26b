//! The arguments of the commands that change hooks (CM-2, CM-7, CM-8).

use clap::{Args, ValueEnum};
use clap_complete::engine::ArgValueCompleter;

use crate::names::hook_labels;

/// Says whose settings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scope {
    /// The user's: `~/.gemini/settings.json`
    User,
    /// The project's: `.gemini/settings.json`
    #[value(alias = "workspace")]
    Project,
}

/// Holds the arguments of `enable` and `disable` (CM-2).
#[derive(Debug, Clone, Args)]
pub(crate) struct SwitchArguments {
    /// The name of the hook, or its command if it has none
    #[arg(value_name = "NAME", add = ArgValueCompleter::new(hook_labels))]
    pub(crate) name: String,
    /// Whose settings are written: those that the hook comes from without it; `enable` takes the
    /// name out of both
    #[arg(long, value_enum)]
    pub(crate) scope: Option<Scope>,
}

/// Says whose settings are written, by default the user's.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct ScopeArguments {
    /// Whose settings are written
    #[arg(long, value_enum, default_value = "user")]
    pub(crate) scope: Scope,
}

/// Holds the arguments of `new` (CM-8).
#[derive(Debug, Clone, Args)]
pub(crate) struct NewArguments {
    /// Its name: letters, digits, "-", "_" and "."
    pub(crate) name: String,
    /// The event, such as `BeforeTool`
    #[arg(long)]
    pub(crate) event: String,
    /// The language it is written in
    #[arg(long, value_enum)]
    pub(crate) lang: Language,
    /// Which tools, sources, reasons or triggers it is for; all without it
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) matcher: Option<String>,
    /// Whose settings it is added to
    #[arg(long, value_enum, default_value = "project")]
    pub(crate) scope: Scope,
}

/// Names the language of a new hook (CM-8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// A shell script
    Bash,
    /// A Python 3 script
    Python,
    /// A script for Node.js
    Node,
}

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
