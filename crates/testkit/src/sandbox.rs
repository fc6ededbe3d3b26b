//! An isolated world for one test.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use tempfile::TempDir;

/// A home, a project and an environment that contain nothing but what the test puts there.
#[derive(Debug)]
pub struct Sandbox {
    folder: TempDir,
    home: PathBuf,
    project: PathBuf,
}

/// What a program that ran in a [`Sandbox`] did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// Its exit code, or nothing if a signal killed it.
    pub code: Option<i32>,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
}

impl Default for Sandbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Sandbox {
    /// Creates an empty home and an empty project, side by side; they vanish with the value.
    pub fn new() -> Self {
        Self::of(TempDir::new().expect("a temporary folder"))
    }

    /// Creates a sandbox below a folder: its paths are of one length on every machine, for tests of
    /// text that is wrapped.
    pub fn below(parent: &Path) -> Self {
        Self::of(TempDir::new_in(parent).expect("a temporary folder"))
    }

    fn of(folder: TempDir) -> Self {
        let root = folder
            .path()
            .canonicalize()
            .expect("the folder was just made");
        let (home, project) = (root.join("home"), root.join("project"));
        for path in [&home, &project] {
            fs::create_dir(path).expect("a new folder");
        }
        // Marks the project root: nothing above it is looked at.
        fs::create_dir(project.join(".git")).expect("a new folder");
        Self {
            folder,
            home,
            project,
        }
    }

    /// Returns the folder that contains home and project, for files that belong to neither.
    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the home folder.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Returns the project's root.
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// Writes the project's `.gemini/settings.json`, and returns its path.
    pub fn project_settings(&self, text: &str) -> PathBuf {
        write(self.project.join(".gemini/settings.json"), text)
    }

    /// Writes the user's `.gemini/settings.json`, and returns its path.
    pub fn user_settings(&self, text: &str) -> PathBuf {
        write(self.home.join(".gemini/settings.json"), text)
    }

    /// Writes a file of the project, and returns its path.
    pub fn file(&self, path: impl AsRef<Path>, text: &str) -> PathBuf {
        write(self.project.join(path), text)
    }

    /// Writes a program of the project that may be executed, and returns its path.
    pub fn script(&self, path: impl AsRef<Path>, text: &str) -> PathBuf {
        let path = write(self.project.join(path), text);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::Permissions::from_mode(0o755);
            fs::set_permissions(&path, mode).expect("the file was just written");
        }
        path
    }

    /// Builds the run of a program in the project, with a clean environment: a PATH of system
    /// folders, the sandbox's home, nothing of the user's.
    pub fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command
            .env_clear()
            .current_dir(&self.project)
            .envs(self.variables());
        command
    }

    /// Returns the environment that programs of this sandbox see.
    pub fn variables(&self) -> Vec<(String, String)> {
        let home = self.home.to_string_lossy().into_owned();
        let path = "/usr/local/bin:/usr/bin:/bin".to_owned();
        let mut variables = vec![
            ("PATH".into(), path),
            ("HOME".into(), home.clone()),
            // Tests must not use the keyring of whoever runs them.
            ("GEMINI_FORCE_FILE_STORAGE".into(), "true".into()),
        ];
        if cfg!(windows) {
            // Windows programs don't start without these.
            for name in ["PATH", "SYSTEMROOT", "TEMP"] {
                variables.extend(std::env::var(name).map(|value| (name.into(), value)));
            }
            variables.push(("USERPROFILE".into(), home));
        }
        variables
    }

    /// Runs a command to its end, with the given input.
    pub fn run(&self, command: &mut Command, input: &[u8]) -> Finished {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let stdin = child.stdin.take();
        let output = thread::scope(|scope| {
            // A program that doesn't read its input closes the pipe.
            scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input)));
            child.wait_with_output().expect("a child can be waited for")
        });
        Finished {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

fn write(path: PathBuf, text: &str) -> PathBuf {
    let folder = path.parent().expect("the path is inside the sandbox");
    fs::create_dir_all(folder).expect("a folder of the sandbox");
    fs::write(&path, text).expect("a file of the sandbox");
    path
}
