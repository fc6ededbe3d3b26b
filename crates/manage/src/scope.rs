//! The files of a scope.

use std::path::PathBuf;

use hookloop_session::{Environment, Workspace};

/// The settings that a command writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Scope {
    /// Yours, in your home folder.
    User,
    /// The project's, in its folder.
    #[cfg_attr(feature = "clap", value(alias = "workspace"))]
    Project,
}

impl Scope {
    /// Returns the `.gemini` folder of the scope.
    pub fn folder(self, workspace: &Workspace, environment: &Environment) -> PathBuf {
        let above = match self {
            Self::User => &environment.home,
            Self::Project => &workspace.project_root,
        };
        above.join(".gemini")
    }

    /// Returns its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }

    /// Returns the settings file of the scope (ST-1).
    pub fn settings_file(self, workspace: &Workspace, environment: &Environment) -> PathBuf {
        self.folder(workspace, environment).join("settings.json")
    }
}
