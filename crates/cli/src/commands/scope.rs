//! Whose settings a command writes.

use clap::{Args, ValueEnum};
use hookloop_manage::Scope;

/// Whose settings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeArgument {
    /// Yours, in your home folder
    User,
    /// The project's, in its folder
    #[value(alias = "workspace")]
    Project,
}

/// Whose settings are written; by default, the user's.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct ScopeArguments {
    /// Whose settings to write
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
