//! A project and a store in a temporary folder.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that can't be set up fails"
)]

use std::path::{Path, PathBuf};

use hookloop_hook::HookDeclaration;
use hookloop_settings::{
    ExtensionChoice, FolderTrust, LoadRequest, RunTrust, SystemFiles, WorkspaceTrust, load,
};
use hookloop_trust::{Belonging, Standing, Surroundings, TrustStore, Vouched};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) struct Fixture {
    folder: TempDir,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        Self::of(tempfile::tempdir().unwrap())
    }

    /// Lies in a folder whose name a shell would split.
    pub(crate) fn in_odd_folder() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("it's a \"test\" $HOME *")
            .tempdir();
        Self::of(folder.unwrap())
    }

    fn of(folder: TempDir) -> Self {
        for sub in ["home/.gemini", "project/.gemini"] {
            std::fs::create_dir_all(folder.path().join(sub)).unwrap();
        }
        Self { folder }
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.path("project")
    }

    pub(crate) fn store_file(&self) -> PathBuf {
        self.path("home/.gemini/trusted_hooks.json")
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let file = self.path(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, content).unwrap();
        file
    }

    /// Makes a link; where it leads is told as `ln -s` is.
    #[cfg(unix)]
    pub(crate) fn link(&self, path: &str, target: &str) {
        let link = self.path(path);
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, link).unwrap();
    }

    pub(crate) fn store(&self) -> TrustStore {
        let (store, problems) = TrustStore::open(self.store_file());
        assert!(problems.is_empty(), "{problems:?}");
        store
    }

    /// Configures one hook in the project's settings and returns it as loaded.
    pub(crate) fn hook(&self, hook: &Value) -> HookDeclaration {
        self.hook_of("BeforeTool", hook)
    }

    pub(crate) fn hook_of(&self, event: &str, hook: &Value) -> HookDeclaration {
        let matcher = hook.get("matcher").cloned();
        let mut hook = hook.clone();
        let fields = hook.as_object_mut().unwrap();
        fields.remove("matcher");
        fields.entry("type").or_insert_with(|| "command".into());
        let group = json!({"hooks": [hook], "matcher": matcher});
        self.write(
            "project/.gemini/settings.json",
            json!({"hooks": {event: [group]}}).to_string(),
        );
        self.load().remove(0)
    }

    pub(crate) fn command(&self, command: &str) -> HookDeclaration {
        self.hook(&json!({"command": command}))
    }

    /// Configures one hook in the user's settings and returns it as loaded.
    pub(crate) fn users(&self, command: &str) -> HookDeclaration {
        self.users_entry(&json!({"command": command}))
    }

    pub(crate) fn users_entry(&self, entry: &Value) -> HookDeclaration {
        let mut entry = entry.clone();
        entry["type"] = "command".into();
        let group = json!({"hooks": [entry]});
        self.write(
            "home/.gemini/settings.json",
            json!({"hooks": {"BeforeTool": [group]}}).to_string(),
        );
        self.load().remove(0)
    }

    pub(crate) fn surroundings(&self) -> Surroundings {
        Surroundings {
            home: Some(self.path("home")),
            search_path: vec!["/usr/bin".into(), "/bin".into()],
            ..Surroundings::default()
        }
    }

    /// Returns what belongs to a hook in given surroundings.
    pub(crate) fn belonging(&self, hook: &HookDeclaration, around: Surroundings) -> Belonging {
        let (store, root) = (self.store().with_surroundings(around), self.project());
        store.examine(&root, &root).of(hook).belonging()
    }

    /// Returns where a path of the fixture really is.
    pub(crate) fn real(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    pub(crate) fn load(&self) -> Vec<HookDeclaration> {
        let settings = load(&LoadRequest {
            project_root: self.project(),
            home: self.path("home"),
            system: SystemFiles::of(self.path("system.json")),
            folder: FolderTrust::Untold,
            run: RunTrust::NotGiven,
            extensions: ExtensionChoice::Enabled,
            agreed_words: Vec::new(),
            distrusted: Vec::new(),
        });
        assert!(settings.problems.is_empty(), "{:?}", settings.problems);
        settings.hooks
    }

    pub(crate) fn vouch(&self, hook: &HookDeclaration) -> Vouched {
        self.vouch_in(hook, &WorkspaceTrust::Untold)
    }

    pub(crate) fn vouch_in(&self, hook: &HookDeclaration, workspace: &WorkspaceTrust) -> Vouched {
        self.store()
            .vouch(&self.project(), vec![hook.clone()], workspace)
            .remove(0)
    }

    pub(crate) fn trust(&self, hook: &HookDeclaration) {
        self.store().trust(&self.project(), &[hook]).unwrap();
        assert_eq!(self.vouch(hook).standing, Standing::Trusted);
    }

    /// Returns what changed, each as its kind and message.
    pub(crate) fn changes(&self, hook: &HookDeclaration) -> Vec<String> {
        match self.vouch(hook).standing {
            Standing::Modified { changes, .. } => changes
                .iter()
                .map(|it| format!("{}: {}", it.kind.as_str(), it.message))
                .collect(),
            other => panic!("{other:?}"),
        }
    }
}

pub(crate) fn read(file: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
}
