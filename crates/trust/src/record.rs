//! What the store remembers about a trusted hook.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hookloop_hook::{HookDeclaration, OnFailure};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::fields::Fields;
use crate::fingerprint::Fingerprint;
use crate::named_file::{NamedFile, NamedPart};
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
    /// The parts that decided in files that also contain other things.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) parts: Vec<PartRecord>,
    pub(crate) fingerprint: String,
    /// The rules that made the fingerprint (TR-12); version 0.1 wrote none.
    #[serde(default = "first_rules")]
    pub(crate) rules: u32,
    /// Every field that counts; version 0.1 wrote only those above.
    #[serde(default)]
    pub(crate) fields: Fields,
}

const fn first_rules() -> u32 {
    1
}

/// Remembers one file as it was trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileRecord {
    pub(crate) path: String,
    pub(crate) sha256: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<Arc<str>>,
}

/// Remembers a part of a file as it was trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PartRecord {
    pub(crate) path: String,
    pub(crate) part: String,
    pub(crate) sha256: String,
}

impl TrustRecord {
    pub(crate) fn new(hook: &HookDeclaration, fingerprint: &Fingerprint) -> Self {
        let file = |file: &NamedFile| FileRecord {
            path: file.path.clone(),
            sha256: file.state.mark(),
            text: file.text.clone(),
        };
        let part = |part: &NamedPart| PartRecord {
            path: part.path.clone(),
            part: part.part.clone(),
            sha256: part.mark(),
        };
        Self {
            event: hook.event.as_str().to_owned(),
            matcher: hook.matcher.clone(),
            name: hook.name.clone(),
            command: hook.command().to_owned(),
            env: hook.env.clone(),
            extension_settings: fingerprint.extension_settings.clone(),
            files: fingerprint.files.iter().map(file).collect(),
            parts: fingerprint.parts.iter().map(part).collect(),
            fingerprint: fingerprint.digest.clone(),
            rules: fingerprint.rules,
            fields: fingerprint.fields.clone(),
        }
    }

    /// Returns whether version 0.1 wrote it.
    pub(crate) const fn is_of_first_rules(&self) -> bool {
        self.rules == first_rules()
    }

    /// Returns how a hook without a name is called.
    pub(crate) fn label(&self) -> String {
        let fields = ["command", "url", "plugin", "rules", "tool", "prompt"];
        let said = fields
            .iter()
            .find_map(|field| self.fields.get(*field)?.as_str());
        // Inline rules are named after the first of them.
        let rule = || self.fields.get("rules")?.get(0);
        let of_rule = || {
            let (name, when) = (rule()?.get("name"), rule()?.get("when"));
            name.and_then(Value::as_str).or(when?.as_str())
        };
        said.or_else(of_rule).unwrap_or(&self.command).to_owned()
    }

    /// Returns what the entry that was agreed to said about failures (TR-8). Version 0.1 didn't
    /// record that.
    pub(crate) fn on_failure(&self) -> OnFailure {
        let word = self.fields.get("onFailure").and_then(|it| it.as_str());
        word.and_then(OnFailure::from_word).unwrap_or_default()
    }

    /// Returns the differences from the current hook.
    pub(crate) fn changes(&self, hook: &HookDeclaration, now: &Fingerprint) -> Vec<Change> {
        let mut changes = Vec::new();
        if self.is_of_first_rules() {
            // Version 0.1 recorded only these fields.
            let differences = [
                ("event", self.event != hook.event.as_str()),
                ("matcher", self.matcher != hook.matcher),
                ("name", self.name != hook.name),
                ("command", self.command != hook.command()),
                ("env", self.env != hook.env),
            ];
            for (field, _) in differences.into_iter().filter(|(_, differs)| *differs) {
                changes.push(Change {
                    kind: ChangeKind::from_field(field),
                    message: format!("its {} changed since it was trusted", field_label(field)),
                });
            }
        } else {
            let names: BTreeSet<&String> = self.fields.keys().chain(now.fields.keys()).collect();
            for name in names {
                let (then, is) = (self.fields.get(name), now.fields.get(name));
                if then != is {
                    let kind = ChangeKind::from_field(name);
                    let message = field_change(name, then, is);
                    changes.push(Change { kind, message });
                }
            }
        }
        if self.extension_settings != now.extension_settings {
            changes.push(Change {
                kind: ChangeKind::Env,
                message: "the settings of its extension changed since it was trusted".to_owned(),
            });
        }
        changes.extend(self.file_changes(hook, now));
        changes.extend(self.part_changes(now));
        if changes.is_empty() {
            // The record was edited, or written by another version.
            let message = "the record of its trust has a different fingerprint".to_owned();
            changes.push(Change {
                kind: ChangeKind::Files,
                message,
            });
        }
        changes
    }

    /// Returns whether a file that existed is still named, but gone.
    pub(crate) fn has_lost_files(&self, now: &Fingerprint) -> bool {
        let mut named = now.files.iter();
        named.any(|file| {
            let is_missing = file.state.mark() == "missing";
            let mut known = self.files.iter();
            is_missing && known.any(|it| it.path == file.path && it.sha256 != "missing")
        })
    }

    /// Returns the files that were watched, by their paths from the project's root.
    pub(crate) fn watched_files(&self) -> Vec<String> {
        let parts = self.parts.iter().map(|it| &it.path);
        let files = self.files.iter().map(|it| &it.path);
        files.chain(parts).cloned().collect()
    }

    fn part_changes(&self, now: &Fingerprint) -> Vec<Change> {
        let known = self.parts.iter().map(|it| (&it.path, &it.part));
        let there = now.parts.iter().map(|it| (&it.path, &it.part));
        let all: BTreeSet<(&String, &String)> = known.chain(there).collect();
        let differs = |(path, part): &(&String, &String)| {
            let mut known = self.parts.iter();
            let known = known.find(|it| it.path == **path && it.part == **part);
            let mut there = now.parts.iter();
            let there = there.find(|it| it.path == **path && it.part == **part);
            known.map(|it| it.sha256.clone()) != there.map(NamedPart::mark)
        };
        let changed = all.into_iter().filter(differs);
        let said = changed.map(|(path, part)| {
            let what = match part.strip_prefix("scripts ") {
                Some(names) => format!("scripts of {path} that it runs ({names})"),
                None => format!("{part} of {path}"),
            };
            Change {
                kind: ChangeKind::Files,
                message: format!("the {what} changed since it was trusted"),
            }
        });
        said.collect()
    }

    fn file_changes(&self, hook: &HookDeclaration, now: &Fingerprint) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut add = |path: &str, verb: &str| {
            let hint = if ["changed", "was created"].contains(&verb) {
                data_hint(hook, path)
            } else {
                String::new()
            };
            let message = match verb {
                "left" => format!("{path} was one of its files when it was trusted, and isn't now"),
                verb => format!("{path} {verb} since it was trusted{hint}"),
            };
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
                Some(known) if known.sha256 == "missing" => add(&file.path, "was created"),
                Some(_) => add(&file.path, "changed"),
                None if mark == "missing" => {}
                None => add(&file.path, "became one of its files"),
            }
        }
        for known in &self.files {
            let gone = now.files.iter().all(|file| file.path != known.path);
            if gone && known.sha256 != "missing" {
                add(&known.path, "left");
            }
        }
        changes
    }
}

/// Returns what to write if a hook itself changes a file that it names and whose extension isn't
/// that of a program.
fn data_hint(hook: &HookDeclaration, path: &str) -> String {
    const DATA: [&str; 16] = [
        "cache", "csv", "db", "json", "jsonl", "lock", "log", "md", "ndjson", "out", "pid",
        "sqlite", "state", "tmp", "tsv", "txt",
    ];
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        // Another agent's file has no field for this.
        Some((_, ending)) if DATA.contains(&ending) && hook.in_their_file => format!(
            " (if the hook itself writes it, make it keep the file outside the project, or use `hookloop \
             hooks migrate` instead of `adopt` and write \"data\": [{}] in its entry)",
            Value::from(path)
        ),
        Some((_, ending)) if DATA.contains(&ending) => format!(
            " (if the hook itself writes it, declare that in its entry: \"data\": [{}])",
            Value::from(path)
        ),
        _ => String::new(),
    }
}

/// Returns the word that people use for a field.
fn field_label(field: &str) -> String {
    match field {
        "env" => "environment".to_owned(),
        "event" | "matcher" | "name" | "command" => field.to_owned(),
        other => format!("\"{other}\""),
    }
}

/// Returns how a field of the entry changed, with its values if they are short and not secret.
fn field_change(name: &str, then: Option<&Value>, now: Option<&Value>) -> String {
    const MAX_LENGTH: usize = 40;
    const UNSHOWN: [&str; 3] = ["env", "headers", "command"];
    let shown = |value: Option<&Value>| {
        let text = value
            .filter(|it| !it.is_object() && !it.is_array())?
            .to_string();
        (text.len() <= MAX_LENGTH && !UNSHOWN.contains(&name)).then_some(text)
    };
    let what = field_label(name);
    match (then.is_some(), shown(then), now.is_some(), shown(now)) {
        (true, Some(then), true, Some(now)) => {
            format!("its {what} changed since it was trusted, from {then} to {now}")
        }
        (false, _, _, Some(now)) => format!("its {what} was added since it was trusted: {now}"),
        (false, ..) => format!("its {what} was added since it was trusted"),
        (_, Some(then), false, _) => {
            format!("its {what} was removed since it was trusted: it was {then}")
        }
        (_, _, false, _) => format!("its {what} was removed since it was trusted"),
        _ => format!("its {what} changed since it was trusted"),
    }
}
