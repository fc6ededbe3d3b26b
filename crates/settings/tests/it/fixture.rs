//! A home, a project and a system file, all in a temporary folder.

#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::path::{Path, PathBuf};

use hookloop_hook::{HookDeclaration, Problem, Source};
use hookloop_settings::{
    ExtensionChoice, FolderTrust, LoadRequest, RunTrust, Settings, SystemFiles, load,
};
use tempfile::TempDir;

pub(crate) struct Fixture {
    folder: TempDir,
    pub(crate) request: LoadRequest,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for sub in ["home/.gemini", "project/.gemini"] {
            std::fs::create_dir_all(root.join(sub)).unwrap();
        }
        let request = LoadRequest {
            project_root: root.join("project"),
            home: root.join("home"),
            system: SystemFiles::of(root.join("system.json")),
            folder: FolderTrust::Untold,
            run: RunTrust::NotGiven,
            extensions: ExtensionChoice::Enabled,
            agreed_words: Vec::new(),
            distrusted: Vec::new(),
        };
        Self { folder, request }
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let file = self.root().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, content).unwrap();
        file
    }

    pub(crate) fn project(self, content: impl AsRef<[u8]>) -> Self {
        self.write("project/.gemini/settings.json", content);
        self
    }

    pub(crate) fn user(self, content: impl AsRef<[u8]>) -> Self {
        self.write("home/.gemini/settings.json", content);
        self
    }

    pub(crate) fn system(self, content: impl AsRef<[u8]>) -> Self {
        self.write("system.json", content);
        self
    }

    pub(crate) fn file(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        self.write(path, content);
        self
    }

    pub(crate) fn trusted(mut self) -> Self {
        self.request.folder = FolderTrust::Trusted;
        self
    }

    pub(crate) fn do_not_trust(mut self) -> Self {
        let source = Source::of_file(self.root().join("trustedFolders.json"));
        self.request.folder = FolderTrust::DoNotTrust { source };
        self
    }

    pub(crate) fn load(&self) -> Settings {
        load(&self.request)
    }
}

/// A settings text with one command hook for each of the labels, without names.
pub(crate) fn hooks(event: &str, commands: &[&str]) -> String {
    let hooks: Vec<String> = commands
        .iter()
        .map(|command| format!(r#"{{"type": "command", "command": "{command}"}}"#))
        .collect();
    format!(
        r#"{{"hooks": {{"{event}": [{{"hooks": [{}]}}]}}}}"#,
        hooks.join(", ")
    )
}

pub(crate) fn labels(settings: &Settings) -> Vec<&str> {
    settings.hooks.iter().map(HookDeclaration::label).collect()
}

/// Each problem as `code line:column`.
pub(crate) fn told(problems: &[Problem]) -> Vec<String> {
    problems
        .iter()
        .map(|problem| match problem.source.position {
            Some(place) => format!("{} {}:{}", problem.code, place.line, place.column),
            None => problem.code.to_string(),
        })
        .collect()
}

/// Loads one text as the project's settings in a trusted folder.
pub(crate) fn load_text(content: impl AsRef<[u8]>) -> Settings {
    Fixture::new().trusted().project(content).load()
}
