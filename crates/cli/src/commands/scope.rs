//! Whose settings a command writes.

use clap::{Args, ValueEnum};
use hookloop_manage::Scope;

/// Says whose settings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeArgument {
    /// The user's: `~/.gemini/settings.json`
    User,
    /// The project's: `.gemini/settings.json`
    #[value(alias = "workspace")]
    Project,
}

/// Says whose settings are written, by default the user's.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct ScopeArguments {
    /// Whose settings are written
    #[arg(long, value_enum, default_value = "user")]
    pub(crate) scope: ScopeArgument,
}

impl From<ScopeArgument> for Scope {
    fn from(scope: ScopeArgument) -> Self {
        match scope {
            ScopeArgument::User => Self::User,
            ScopeArgument::Project => Self::Project,
        }
    }
}
