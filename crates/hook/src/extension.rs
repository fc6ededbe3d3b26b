//! The extension that a hook belongs to.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;

/// The variable that contains an extension's folder for its own hooks, used if the folder's name
/// can't be part of an unquoted command (EX-2).
pub const EXTENSION_PATH_VARIABLE: &str = "HOOKLOOP_EXTENSION_PATH";

/// The variables that are set for every hook (ENV-1), and that are single words of a command in a
/// POSIX shell, whatever their values (ENV-2). The last one is set only for hooks of extensions
/// (EX-2).
pub const COMMAND_VARIABLES: [&str; 6] = [
    "GEMINI_PROJECT_DIR",
    "GEMINI_CWD",
    "GEMINI_SESSION_ID",
    "CLAUDE_PROJECT_DIR",
    "GEMINI_PLANS_DIR",
    EXTENSION_PATH_VARIABLE,
];

/// Where an extension was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExtensionScope {
    /// `~/.gemini/extensions`: the user consented to it at installation (TR-1).
    User,
    /// `.gemini/extensions` of the project: its hooks need trust, like the project's own (TR-1).
    Project,
}

impl ExtensionScope {
    /// Returns the name of the scope in listings.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// Whether an extension is enabled (EX-4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Enablement {
    /// It is enabled.
    #[default]
    Enabled,
    /// Its hooks are listed and don't run (`extension_disabled`).
    Disabled,
}

/// The extension that a hook belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtensionOrigin {
    /// Its name.
    pub name: Arc<str>,
    /// Its folder, absolute.
    pub path: PathBuf,
    /// Where it was found.
    pub scope: ExtensionScope,
    /// Whether it is enabled.
    pub enablement: Enablement,
    /// Its settings, for the environment of its own hooks only (EX-3, ENV-4).
    pub settings_env: Vec<(String, String)>,
    /// The variables whose values are in the keyring. The executor of its hooks requests them
    /// (EX-3).
    pub in_keyring: Vec<String>,
}
