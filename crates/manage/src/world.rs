//! A home and a project for a single test.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use hookloop_session::{Environment, RunOptions, Surroundings};
use serde_json::Value;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::Task;

/// A separate home and project, and the environment for work in them.
pub(crate) struct World {
    folder: TempDir,
    environment: Environment,
    run: RunOptions,
    stop: CancellationToken,
}

impl World {
    /// Creates empty ones.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let [home, project] = ["home", "project"].map(|it| folder.path().join(it));
        fs::create_dir_all(project.join(".git")).unwrap();
        fs::create_dir_all(&home).unwrap();
        let system = folder.path().join("system.json");
        let variables: Vec<(OsString, OsString)> = vec![
            ("HOME".into(), home.into()),
            ("GEMINI_CLI_SYSTEM_SETTINGS_PATH".into(), system.into()),
        ];
        let environment = Environment::new(Surroundings {
            variables,
            current_dir: project,
            scratch_dir: folder.path().to_path_buf(),
            program: None,
            version: "0.0.0",
        });
        Self {
            folder,
            environment: environment.unwrap(),
            run: RunOptions::default(),
            stop: CancellationToken::new(),
        }
    }

    /// Returns the environment for a piece of work.
    pub(crate) fn task(&self) -> Task<'_> {
        Task {
            environment: &self.environment,
            run: &self.run,
            stop: &self.stop,
        }
    }

    /// Returns the place of a file: below `home`, `project`, or `system.json`.
    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    /// Writes a file.
    pub(crate) fn write(&self, file: &str, content: &Value) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).unwrap();
        fs::write(path, content.to_string()).unwrap();
    }

    /// Reads a file; null if there is none.
    pub(crate) fn read(&self, file: &str) -> Value {
        let text = fs::read_to_string(self.path(file));
        text.map_or(Value::Null, |text| serde_json::from_str(&text).unwrap())
    }
}
