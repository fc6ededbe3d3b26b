//! A world for one test: files, and the program that is run in it.

use std::path::{Path, PathBuf};
use std::process::Command;

use hookloop_testkit::{Finished, Sandbox};
use serde_json::{Value, json};

pub(crate) struct World {
    pub(crate) sandbox: Sandbox,
}

/// What the program printed as JSON, with its exit code.
pub(crate) struct Printed {
    pub(crate) code: i32,
    pub(crate) json: Value,
    pub(crate) stderr: String,
}

impl World {
    pub(crate) fn new() -> Self {
        let sandbox = Sandbox::new();
        std::fs::create_dir(sandbox.root().join("tmp")).unwrap();
        Self { sandbox }
    }

    pub(crate) fn project(&self) -> &Path {
        self.sandbox.project()
    }

    /// Configures hooks of the user, who needs no trust.
    pub(crate) fn user_hooks(&self, hooks: &Value) -> PathBuf {
        self.sandbox
            .user_settings(&json!({ "hooks": hooks }).to_string())
    }

    pub(crate) fn project_hooks(&self, hooks: &Value) -> PathBuf {
        self.sandbox
            .project_settings(&json!({ "hooks": hooks }).to_string())
    }

    /// Configures one hook of the user for an event.
    pub(crate) fn user_command(&self, event: &str, command: &str) -> PathBuf {
        self.user_hooks(
            &json!({ event: [{ "hooks": [{ "type": "command", "command": command }] }] }),
        )
    }

    pub(crate) fn system_file(&self) -> PathBuf {
        self.sandbox.root().join("system.json")
    }

    /// Writes a file of the user's `.gemini`.
    pub(crate) fn home_file(&self, path: &str, text: &str) -> PathBuf {
        let path = self.sandbox.home().join(".gemini").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Marks the project's folder in `trustedFolders.json`.
    pub(crate) fn mark_folder(&self, word: &str) -> PathBuf {
        let project = self.project().to_str().unwrap();
        self.home_file("trustedFolders.json", &json!({ project: word }).to_string())
    }

    /// Writes an extension with one hook, in the user's `.gemini`.
    pub(crate) fn extension(&self, name: &str, command: &str) {
        let folder = self.sandbox.home().join(".gemini/extensions").join(name);
        std::fs::create_dir_all(folder.join("hooks")).unwrap();
        let manifest = json!({ "name": name, "version": "1.0.0" });
        std::fs::write(folder.join("gemini-extension.json"), manifest.to_string()).unwrap();
        let hooks = json!({ "hooks": { "BeforeTool": [{ "hooks": [
            { "type": "command", "command": command }
        ] }] } });
        std::fs::write(folder.join("hooks/hooks.json"), hooks.to_string()).unwrap();
    }

    /// Builds the run of `hookloop …`.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
        command
            .args(arguments)
            .env("GEMINI_CLI_SYSTEM_SETTINGS_PATH", self.system_file())
            .env("TMPDIR", self.sandbox.root().join("tmp"));
        command
    }

    pub(crate) fn run_with(
        &self,
        arguments: &[&str],
        variables: &[(&str, &str)],
        input: &str,
    ) -> Finished {
        let mut command = self.command(arguments);
        command.envs(variables.iter().copied());
        self.sandbox.run(&mut command, input.as_bytes())
    }

    /// Runs `hookloop hooks …`.
    pub(crate) fn hooks(&self, arguments: &[&str]) -> Finished {
        self.run_with(&[&["hooks"], arguments].concat(), &[], "")
    }

    /// Runs `hookloop hooks … --json`: one object, and a newline at the end.
    pub(crate) fn json(&self, arguments: &[&str]) -> Printed {
        printed(&self.hooks(&[arguments, &["--json"]].concat()))
    }
}

pub(crate) fn printed(finished: &Finished) -> Printed {
    let text = finished.stdout.strip_suffix('\n').expect(&finished.stderr);
    assert!(!text.contains('\n'), "{text}");
    Printed {
        code: finished.code.unwrap(),
        json: serde_json::from_str(text).unwrap(),
        stderr: finished.stderr.clone(),
    }
}

/// Returns the names of an object's fields, in order.
pub(crate) fn fields(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap_or_else(|| panic!("{value}"))
        .keys()
        .map(String::as_str)
        .collect()
}

/// Returns one field of every element of a list.
pub(crate) fn each<'a>(list: &'a Value, field: &str) -> Vec<&'a Value> {
    list.as_array()
        .unwrap_or_else(|| panic!("{list}"))
        .iter()
        .map(|it| &it[field])
        .collect()
}

/// Returns the causes of a hook.
pub(crate) fn cause_codes(hook: &Value) -> Vec<&str> {
    each(&hook["causes"], "code")
        .into_iter()
        .map(|code| code.as_str().unwrap())
        .collect()
}
