//! The extension that a hook belongs to.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;

/// The variable that contains an extension's folder for its own hooks, used if the folder's name can't
/// be part of a command unquoted (EX-2).
pub const EXTENSION_PATH_VARIABLE: &str = "HOOKLOOP_EXTENSION_PATH";

/// The variables that are set for every hook (ENV-1) and are single words of its command for a shell of POSIX, whatever
/// they hold (ENV-2); the last one is set for hooks of extensions alone (EX-2).
pub const COMMAND_VARIABLES: [&str; 6] = [
    "GEMINI_PROJECT_DIR",
    "GEMINI_CWD",
    "GEMINI_SESSION_ID",
    "CLAUDE_PROJECT_DIR",
    "GEMINI_PLANS_DIR",
    EXTENSION_PATH_VARIABLE,
];

/// Says whose extension folder an extension was found in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExtensionScope {
    /// `~/.gemini/extensions`: it rests on the consent at install (TR-1).
    User,
    /// `.gemini/extensions` of the project: its hooks need trust like the project's own (TR-1).
    Project,
}

impl ExtensionScope {
    /// Returns the scope as listings spell it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// Says whether an extension is switched on (EX-4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Enablement {
    /// It takes part.
    #[default]
    Enabled,
    /// Its hooks are listed and do not run (`extension_disabled`).
    Disabled,
}

/// Describes the extension that a hook belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtensionOrigin {
    /// Its name.
    pub name: Arc<str>,
    /// Its folder, absolute.
    pub path: PathBuf,
    /// Whose folder it was found in.
    pub scope: ExtensionScope,
    /// Whether it is switched on.
    pub enablement: Enablement,
    /// Its settings, for the environment of its hooks and of nobody else's (EX-3, ENV-4).
    pub settings_env: Vec<(String, String)>,
    /// The variables whose values are in the keyring; the executor of its hooks asks for them (EX-3).
    pub in_keyring: Vec<String>,
}
