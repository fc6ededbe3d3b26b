//! The world of one case: a home, a project, settings, hooks, and an environment without
//! anything of the user's.

use std::fs;
use std::path::{Path, PathBuf};

use hookloop_testkit::{component, mcp_puppet, puppet};
use serde_json::{Value, json};

use crate::case::{Setup, joined};
use crate::{hook_script, program};

/// Where programs of the system are.
pub(crate) const SYSTEM_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Whether the agent writes telemetry: that is how the cases see what was sent to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Telemetry {
    Written,
    None,
}

/// The folders of one case; they are deleted with the value.
pub(crate) struct World {
    folder: tempfile::TempDir,
    pub(crate) root: PathBuf,
    pub(crate) project: PathBuf,
    pub(crate) home: PathBuf,
    pub(crate) environment: Vec<(String, String)>,
}

impl World {
    /// Creates empty folders.
    pub(crate) fn new(project_name: &str) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let root = folder
            .path()
            .canonicalize()
            .map_err(|error| error.to_string())?;
        let (project, home) = (root.join(project_name), root.join("home"));
        // `.git` marks the project's root.
        for path in [
            project.join(".git"),
            home.clone(),
            root.join("inputs"),
            root.join("system"),
        ] {
            fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(Self {
            folder,
            root,
            project,
            home,
            environment: Vec::new(),
        })
    }

    /// Replaces `@project@`, `@home@`, `@root@`, `@puppet@`, `@mcp-puppet@` and `@hookloop@`;
    /// `escape` makes them fit.
    pub(crate) fn fill(&self, text: &str, escape: fn(&str) -> String) -> String {
        let mut filled = text.to_owned();
        let folders = [
            ("@project@", &self.project),
            ("@home@", &self.home),
            ("@root@", &self.root),
        ];
        for (name, path) in folders {
            filled = filled.replace(name, &escape(&path.to_string_lossy()));
        }
        if filled.contains("@hookloop@")
            && let Ok(program) = program::hookloop()
        {
            filled = filled.replace("@hookloop@", &escape(&program.to_string_lossy()));
        }
        if filled.contains("@puppet@") {
            filled = filled.replace("@puppet@", &escape(&puppet().to_string_lossy()));
        }
        if filled.contains("@mcp-puppet@") {
            filled = filled.replace("@mcp-puppet@", &escape(&mcp_puppet().to_string_lossy()));
        }
        filled
    }

    /// Returns a path of a case: in the project, in the home folder (`~/`), or as it is.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        match name.strip_prefix("~/") {
            Some(rest) => self.home.join(rest),
            None => self.project.join(name),
        }
    }

    /// Creates everything.
    pub(crate) fn furnish(
        &mut self,
        folder: &Path,
        setup: &Setup,
        telemetry: Telemetry,
    ) -> Result<(), String> {
        for (from, to) in [
            ("project", self.project.clone()),
            ("home", self.home.clone()),
        ] {
            self.copy(&folder.join(from), &to)?;
        }
        let layers = [
            (
                self.project.join(".gemini/settings.json"),
                setup.project.clone(),
            ),
            (self.home.join(".gemini/settings.json"), setup.user.clone()),
            (self.system_settings(), self.system_layer(setup, telemetry)),
        ];
        for (path, settings) in layers {
            if let Some(settings) = settings {
                write(&path, &settings_text(&settings))?;
            }
        }
        // The file named as the system's settings exists.
        if !self.system_settings().exists() {
            write(&self.system_settings(), "{}\n")?;
        }
        for (name, text) in &setup.files {
            write(&self.path(name), &text.text())?;
        }
        for (name, does) in &setup.components {
            write_bytes(&self.path(name), &component(does))?;
        }
        for (name, hook) in &setup.hooks {
            let program = hook_script::program(name, hook);
            write(&self.project.join("hooks").join(name), &program)?;
        }
        fs::create_dir_all(self.project.join(&setup.cwd)).map_err(|error| error.to_string())?;
        self.environment = self.variables(setup);
        Ok(())
    }

    pub(crate) fn telemetry_file(&self) -> PathBuf {
        self.root.join("telemetry.jsonl")
    }

    fn system_settings(&self) -> PathBuf {
        self.root.join("system/settings.json")
    }

    /// Adds telemetry to the system's settings if requested.
    fn system_layer(&self, setup: &Setup, telemetry: Telemetry) -> Option<Value> {
        let mut settings = setup.system.clone();
        if telemetry == Telemetry::Written && settings.as_ref().is_none_or(Value::is_object) {
            let settings = settings.get_or_insert_with(|| json!({}));
            if settings.get("telemetry").is_none() {
                settings["telemetry"] = json!({"enabled": true, "outfile": self.telemetry_file()});
            }
        }
        settings
    }

    fn variables(&self, setup: &Setup) -> Vec<(String, String)> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let mut variables = vec![
            ("PATH".to_owned(), SYSTEM_PATH.to_owned()),
            ("HOME".to_owned(), text(&self.home)),
            ("GEMINI_CLI_HOME".to_owned(), text(&self.home)),
            (
                "GEMINI_CLI_SYSTEM_SETTINGS_PATH".to_owned(),
                text(&self.system_settings()),
            ),
            ("LC_ALL".to_owned(), "C.UTF-8".to_owned()),
        ];
        if setup.trusted {
            variables.push(("GEMINI_CLI_TRUST_WORKSPACE".to_owned(), "true".to_owned()));
        }
        variables.retain(|(name, _)| !setup.env.contains_key(name));
        variables.extend(setup.env.clone());
        variables
    }

    fn copy(&self, from: &Path, to: &Path) -> Result<(), String> {
        for entry in fs::read_dir(from).into_iter().flatten().flatten() {
            let (source, target) = (entry.path(), to.join(entry.file_name()));
            if source.is_dir() {
                self.copy(&source, &target)?;
            } else {
                let bytes = fs::read(&source).map_err(|error| error.to_string())?;
                match String::from_utf8(bytes) {
                    Ok(text) => write(&target, &self.fill(&text, str::to_owned))?,
                    Err(error) => write_bytes(&target, error.as_bytes())?,
                }
            }
        }
        Ok(())
    }

    /// Keeps the folders for inspection.
    pub(crate) fn keep(self) -> PathBuf {
        self.folder.keep()
    }
}

fn settings_text(settings: &Value) -> String {
    match settings {
        Value::String(text) => text.clone(),
        Value::Array(lines) => joined(lines.iter().map(|line| line.as_str().unwrap_or_default())),
        object => format!("{object:#}\n"),
    }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    write_bytes(path, text.as_bytes())?;
    #[cfg(unix)]
    if hook_script::is_program(text) {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(path, mode).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let named = |error| format!("{}: {error}", path.display());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(named)?;
    }
    fs::write(path, bytes).map_err(named)
}
