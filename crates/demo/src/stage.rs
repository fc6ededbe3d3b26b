//! The demo's temporary project and home, so that nothing of the user's is read or written.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fs, io};

use hookloop_session::{Environment, RunOptions, Workspace};
use hookloop_trust::{StoreError, Vouched};
use tempfile::TempDir;

use crate::files::write_project;

/// Prefixes of variables that refer to the user's own settings and state.
const LEFT_BEHIND: [&str; 2] = ["GEMINI_", "XDG_STATE_HOME"];

/// The name of a missing file, used as the system's settings.
const NO_SYSTEM_SETTINGS: &str = "no-system-settings.json";

/// The programs that the hooks need.
const REQUIRED_PROGRAMS: [&str; 2] = ["bash", "python3"];

/// A project and a home, which are deleted when the value is dropped.
#[derive(Debug)]
pub(crate) struct Stage {
    folder: TempDir,
    /// The project's folder.
    pub(crate) project: PathBuf,
    /// The folder that contains the demo's own `.gemini`.
    pub(crate) home: PathBuf,
    /// The environment of the session.
    pub(crate) environment: Environment,
}

/// Why the demo's folders couldn't be created.
#[derive(Debug, thiserror::Error)]
pub enum StageError {
    /// A file or folder can't be written.
    #[error("the demo's project can't be written to {}: {source}", .folder.display())]
    Write {
        /// Where.
        folder: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The trust store can't be written.
    #[error("the demo's hooks can't be trusted: {0}")]
    Trust(#[from] StoreError),
}

impl Stage {
    /// Writes the project into a new temporary folder.
    pub(crate) fn set_up(environment: &Environment) -> Result<Self, StageError> {
        let scratch_dir = &environment.scratch_dir;
        let failed = |source| StageError::Write {
            folder: scratch_dir.clone(),
            source,
        };
        let folder = tempfile::Builder::new()
            .prefix("hookloop-demo-")
            .tempdir_in(scratch_dir)
            .map_err(failed)?;
        // Hooks see the real path too, if the temporary folder is reached through a link. On
        // Windows it must not begin with `\\?\`, in which `cmd` doesn't start.
        let root = dunce::canonicalize(folder.path()).map_err(failed)?;
        let (project, home) = (root.join("project"), root.join("home"));
        fs::create_dir(&home).map_err(failed)?;
        write_project(&project).map_err(failed)?;
        fs::write(root.join(NO_SYSTEM_SETTINGS), "{}\n").map_err(failed)?;
        let environment = demo_environment(environment, &root, &project, &home);
        Ok(Self {
            folder,
            project,
            home,
            environment,
        })
    }

    /// Loads the project, and trusts its hooks: the person who started the demo asked for them.
    /// The trust is kept in the temporary home.
    pub(crate) fn open(&self) -> Result<Workspace, StageError> {
        let options = RunOptions::default();
        let mut workspace = Workspace::open(&self.environment, &options);
        let hooks = workspace.vouched.clone();
        let hooks: Vec<&Vouched> = hooks.iter().collect();
        workspace.store.trust_as_seen(&self.project, &hooks)?;
        Ok(Workspace::open(&self.environment, &options))
    }

    /// Returns the programs that the hooks need but that aren't in the search path.
    pub(crate) fn missing_programs(&self) -> Vec<&'static str> {
        let endings = self.environment.program_endings();
        let folders = self.environment.search_path();
        let is_there = |program: &str| {
            let names = endings.iter().map(|ending| format!("{program}{ending}"));
            let mut names = names.chain([program.to_owned()]);
            names.any(|name| folders.iter().any(|folder| folder.join(&name).is_file()))
        };
        REQUIRED_PROGRAMS
            .into_iter()
            .filter(|program| !is_there(program))
            .collect()
    }

    /// Keeps the folders for inspection.
    pub(crate) fn keep(self) {
        // The path was shown, and is in the system's temporary folder.
        let _ = self.folder.keep();
    }
}

/// Returns the environment with the demo's folders.
fn demo_environment(
    environment: &Environment,
    root: &Path,
    project: &Path,
    home: &Path,
) -> Environment {
    let is_left_behind = |name: &OsString| {
        let name = name.to_string_lossy();
        LEFT_BEHIND.iter().any(|start| name.starts_with(start))
    };
    let kept = environment
        .variables
        .iter()
        .filter(|(name, _)| !is_left_behind(name));
    let system_settings = root.join(NO_SYSTEM_SETTINGS).into_os_string();
    let added = ("GEMINI_CLI_SYSTEM_SETTINGS_PATH".into(), system_settings);
    Environment {
        variables: kept.cloned().chain([added]).collect(),
        current_dir: project.to_owned(),
        home: home.to_owned(),
        ..environment.clone()
    }
}
