//! The files that a scope stands for.

use std::path::PathBuf;

use hookloop_session::{Environment, Workspace};

use crate::arguments::Scope;

impl Scope {
    /// Returns the `.gemini` folder of the scope.
    pub(crate) fn folder(self, workspace: &Workspace, environment: &Environment) -> PathBuf {
        let above = match self {
            Self::User => &environment.home,
            Self::Project => &workspace.project_root,
        };
        above.join(".gemini")
    }

    /// Returns the settings file of the scope (ST-1).
    pub(crate) fn settings_file(self, workspace: &Workspace, environment: &Environment) -> PathBuf {
        self.folder(workspace, environment).join("settings.json")
    }
}
