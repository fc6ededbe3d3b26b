//! Checks for Codex only: trust for each hook, and files that one unknown key voids.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookloop_bridge::InstallScope;
use hookloop_process::Question;
use serde_json::{Value, json};

use super::{CheckedAgent, Finding};
use crate::files;
use crate::program::{self, Program};

/// The ending of the names of profiles' files.
const PROFILE: &str = ".config.toml";

/// The time limit for its server.
const TIMEOUT: Duration = Duration::from_secs(15);

/// The keys that Codex knows at the top of `hooks.json`.
const KNOWN_KEYS: [&str; 2] = ["description", "hooks"];

/// Unknown keys, which void the whole file.
pub(super) fn unknown_keys(path: &Path, text: &str) -> Vec<Finding> {
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => {
            return vec![Finding::error(format!(
                "{} isn't valid JSON ({error}), so Codex runs none of its hooks",
                path.display()
            ))];
        }
    };
    let keys = value.as_object().into_iter().flat_map(|it| it.keys());
    let unknown = keys.filter(|key| !KNOWN_KEYS.contains(&key.as_str()));
    unknown
        .map(|key| {
            Finding::error(format!(
                "{} has the key \"{key}\", which Codex doesn't know: it runs none of the file's hooks",
                path.display()
            ))
        })
        .collect()
}

/// `features.hooks = false`, of the person or the project.
pub(super) fn switches(patient: &CheckedAgent<'_>) -> Vec<Finding> {
    let files = patient.setting.switching_files(patient.agent).into_iter();
    let files = files.filter(|it| it.extension().is_some_and(|it| it == "toml"));
    let judged = files.filter_map(|file| {
        let text = match files::read(&file) {
            Ok(text) => text?,
            Err(error) => {
                let text = format!("{} can't be read: {error}", file.display());
                return Some(Finding::error(text));
            }
        };
        match hookloop_bridge::codex_switch(&text) {
            Ok(None) => None,
            Ok(Some(key)) => Some(Finding::error(format!(
                "{} disables all hooks: remove `{key}`",
                file.display()
            ))),
            Err(error) => Some(Finding::warning(format!(
                "{} isn't valid TOML: {error}",
                file.display()
            ))),
        }
    });
    judged.chain(profiles(patient)).collect()
}

/// Profiles, which have their own files beside the person's: they count for a person who names them
/// when starting Codex.
fn profiles(patient: &CheckedAgent<'_>) -> Vec<Finding> {
    let user = InstallScope::User;
    let files = patient.setting.switching_files_of(patient.agent, user);
    let folders: BTreeSet<PathBuf> = files
        .iter()
        .filter_map(|it| Some(it.parent()?.to_owned()))
        .collect();
    let entries = folders.iter().filter_map(|it| fs::read_dir(it).ok());
    let paths = entries.flatten().flatten().map(|it| it.path());
    let named = paths.filter_map(|path| {
        let name = path.file_name()?.to_str()?;
        let profile = name.strip_suffix(PROFILE)?.to_owned();
        Some((path, profile))
    });
    let judged = named.filter_map(|(path, profile)| {
        let shown = path.display();
        let text = match files::read(&path) {
            Ok(text) => text?,
            Err(error) => return Some(Finding::warning(format!("{shown} can't be read: {error}"))),
        };
        let key = hookloop_bridge::codex_switch(&text).ok()??;
        Some(Finding::warning(format!(
            "{shown} disables all hooks of `codex --profile {profile}`: remove `{key}`"
        )))
    });
    judged.collect()
}

/// Asks Codex's own server whether our hooks are trusted.
pub(super) fn trust(patient: &CheckedAgent<'_>, found: Option<&Program>) -> Vec<Finding> {
    let setting = patient.setting;
    let Some(found) = found else {
        return Vec::new();
    };
    let messages = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "clientInfo": {"name": "hookloop", "version": setting.environment.version}
        }}),
        json!({"jsonrpc": "2.0", "method": "initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "hooks/list", "params": {
            "cwds": [setting.project.to_string_lossy()]
        }}),
    ];
    let lines = messages.iter().map(Value::to_string);
    let input = lines.collect::<Vec<_>>().join("\n") + "\n";
    let question = Question {
        program: &found.path,
        arguments: &["app-server"],
        variables: &setting.environment.variables,
        folder: &setting.project,
        input: &input,
        longest: TIMEOUT,
    };
    // The program exits at the end of its input, without answering pending requests.
    let output_of_codex = program::answered(&question, |output| parse_hooks(output).is_some());
    let reply = output_of_codex.and_then(|it| parse_hooks(it.stdout.as_bytes()));
    let Some(reply) = reply.as_ref().and_then(|it| it.get("result")) else {
        return vec![Finding::warning(
            "Codex didn't say whether it trusts the hooks: start it, and look at /hooks",
        )];
    };
    let mut ours = Vec::new();
    collect(reply, &mut ours);
    if ours.is_empty() {
        return vec![Finding::error(
            "Codex lists no hook of the bridge: its hooks are disabled, or the file isn't read",
        )];
    }
    let untrusted = ours.iter().filter(|it| {
        let state = it.get("trustStatus").and_then(Value::as_str);
        let enabled = it.get("enabled") != Some(&Value::Bool(false));
        state != Some("trusted") || !enabled
    });
    match untrusted.count() {
        0 => vec![Finding::good("Codex trusts every hook of the bridge")],
        count => vec![Finding::error(format!(
            "Codex silently skips {count} of {} hooks of the bridge, because nobody trusted them \
             or somebody disabled them: start `codex`, open /hooks, and trust them",
            ours.len()
        ))],
    }
}

/// Finds the answer about its hooks among the complete lines.
fn parse_hooks(output: &[u8]) -> Option<Value> {
    let mut lines = output.split_inclusive(|byte| *byte == b'\n');
    lines.find_map(|line| {
        let value: Value = serde_json::from_slice(line.strip_suffix(b"\n")?).ok()?;
        (value.get("id") == Some(&json!(2))).then_some(value)
    })
}

/// Finds the hooks that call the bridge, anywhere in the answer.
fn collect<'v>(value: &'v Value, found: &mut Vec<&'v Value>) {
    match value {
        Value::Array(all) => all.iter().for_each(|it| collect(it, found)),
        Value::Object(fields) => {
            let is_hook = fields.contains_key("trustStatus");
            if is_hook && value.to_string().contains("hooks bridge codex") {
                found.push(value);
            } else {
                fields.values().for_each(|it| collect(it, found));
            }
        }
        _ => {}
    }
}
