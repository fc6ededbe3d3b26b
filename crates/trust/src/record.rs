//! What the store remembers of a trusted hook.

use std::collections::BTreeMap;
use std::sync::Arc;

use hookloop_hook::HookDeclaration;
use serde::{Deserialize, Serialize};

use crate::fingerprint::Fingerprint;
use crate::named_files::NamedFile;
use crate::standing::{Change, ChangeKind};

/// Remembers one hook as it was trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TrustRecord {
    pub(crate) event: String,
    pub(crate) matcher: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) command: String,
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) extension_settings: Option<String>,
    #[serde(default)]
    pub(crate) files: Vec<FileRecord>,
    pub(crate) fingerprint: String,
}

/// Remembers one file as it was trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileRecord {
    pub(crate) path: String,
    pub(crate) sha256: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<Arc<str>>,
}

impl TrustRecord {
    pub(crate) fn new(hook: &HookDeclaration, fingerprint: &Fingerprint) -> Self {
        let file = |file: &NamedFile| FileRecord {
            path: file.path.clone(),
            sha256: file.state.mark(),
            text: file.text.clone(),
        };
        Self {
            event: hook.event.as_str().to_owned(),
            matcher: hook.matcher.clone(),
            name: hook.name.clone(),
            command: hook.command().to_owned(),
            env: hook.env.clone(),
            extension_settings: fingerprint.extension_settings.clone(),
            files: fingerprint.files.iter().map(file).collect(),
            fingerprint: fingerprint.digest.clone(),
        }
    }

    /// Tells whether this is an earlier state of a hook: same event, and same name or command.
    pub(crate) fn is_earlier_state_of(&self, hook: &HookDeclaration) -> bool {
        let same_name = self.name.is_some() && self.name == hook.name;
        self.event == hook.event.as_str() && (same_name || self.command == hook.command())
    }

    /// Tells whether this is about a hook of that event and label.
    pub(crate) fn is_named_like(&self, hook: &HookDeclaration) -> bool {
        self.event == hook.event.as_str()
            && self.name == hook.name
            && (self.name.is_some() || self.command == hook.command())
    }

    /// Returns what tells hooks apart of which one may have become the other: event, name (else
    /// command) and matcher.
    pub(crate) fn name_and_matcher(&self) -> (&str, Option<&str>, Option<&str>, Option<&str>) {
        let command = self.name.is_none().then_some(self.command.as_str());
        let (name, matcher) = (self.name.as_deref(), self.matcher.as_deref());
        (&self.event, name, command, matcher)
    }

    /// Tells whether upstream, which knows neither event nor matcher, takes the two for one hook.
    pub(crate) fn has_same_upstream_key(&self, hook: &HookDeclaration) -> bool {
        self.name == hook.name && self.command == hook.command()
    }

    /// Tells whether environment and files are those of the hook now.
    pub(crate) fn runs_the_same(&self, hook: &HookDeclaration, now: &Fingerprint) -> bool {
        self.env == hook.env
            && self.extension_settings == now.extension_settings
            && self.file_changes(now).is_empty()
    }

    /// Says what is different from the hook now.
    pub(crate) fn changes(&self, hook: &HookDeclaration, now: &Fingerprint) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut add = |kind: ChangeKind, what: &str, differs: bool| {
            if differs {
                let message = format!("the {what} changed since it was trusted");
                changes.push(Change { kind, message });
            }
        };
        add(
            ChangeKind::Event,
            "event",
            self.event != hook.event.as_str(),
        );
        add(ChangeKind::Matcher, "matcher", self.matcher != hook.matcher);
        add(ChangeKind::Name, "name", self.name != hook.name);
        add(
            ChangeKind::Command,
            "command",
            self.command != hook.command(),
        );
        add(ChangeKind::Env, "environment", self.env != hook.env);
        let settings_differ = self.extension_settings != now.extension_settings;
        add(
            ChangeKind::Env,
            "settings of the extension",
            settings_differ,
        );
        changes.extend(self.file_changes(now));
        if changes.is_empty() {
            // A record that was edited, or written by another version.
            let message = "the record of its trust is of another fingerprint".to_owned();
            changes.push(Change {
                kind: ChangeKind::Files,
                message,
            });
        }
        changes
    }

    fn file_changes(&self, now: &Fingerprint) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut add = |path: &str, verb: &str| {
            let message = format!("{path} {verb} since it was trusted");
            changes.push(Change {
                kind: ChangeKind::Files,
                message,
            });
        };
        for file in &now.files {
            let mark = file.state.mark();
            match self.files.iter().find(|known| known.path == file.path) {
                Some(known) if known.sha256 == mark => {}
                Some(_) if mark == "missing" => add(&file.path, "disappeared"),
                Some(known) if known.sha256 == "missing" => add(&file.path, "appeared"),
                Some(_) => add(&file.path, "changed"),
                None if mark == "missing" => {}
                None => add(&file.path, "was added"),
            }
        }
        for known in &self.files {
            let gone = now.files.iter().all(|file| file.path != known.path);
            if gone && known.sha256 != "missing" {
                add(&known.path, "went away");
            }
        }
        changes
    }
}
