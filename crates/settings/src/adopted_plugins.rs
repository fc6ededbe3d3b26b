//! Plugins that Claude Code enables in adopted files. Claude Code reads their hooks from its own
//! installation; here, nothing reads them unless the plugins are installed here as well (FD-2,
//! FD-3).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hookloop_dialects::Agent;
use hookloop_hook::{Layer, Problem, ProblemCode, Severity, Source};
use jsonc_parser::ast::Value;
use serde_json::Value as Json;

use crate::read_file::read_bytes;
use crate::settings::Settings;
use crate::syntax::{key_start, member, parse};

/// A plugin in a list of those that are enabled.
struct Listed {
    /// Which of several files counts: the greater one.
    rank: u8,
    is_enabled: bool,
    source: Source,
}

/// What is known about a plugin's hooks.
enum Hooks {
    /// This folder of it has some.
    In(PathBuf),
    /// It has none.
    None,
    /// Nobody installed it here.
    Unknown,
}

/// Reports the plugins that adopted files enable, and whose hooks run nowhere here. One that is
/// installed here is an extension, and its own file says whether its hooks run.
pub(crate) fn plugins_left_out(settings: &Settings, home: &Path) -> Vec<Problem> {
    let listed = listed_plugins(settings);
    if listed.is_empty() {
        return Vec::new();
    }
    let installed = read_installed(home);
    let enabled = listed.into_iter().filter(|(_, it)| it.is_enabled);
    let problems = enabled.filter_map(|(plugin, listed)| {
        let name = plugin.split('@').next().unwrap_or_default();
        let mut extensions = settings.extensions.iter();
        if extensions.any(|it| it.origin.name.eq_ignore_ascii_case(name)) {
            return None;
        }
        let (message, help, severity) = match hooks_of(&installed, &plugin) {
            Hooks::None => return None,
            Hooks::In(folder) => (
                format!("the plugin \"{plugin}\" has hooks, but they aren't read here"),
                format!(
                    "run `hookloop extensions install {}` to run them here, too",
                    folder.display()
                ),
                Severity::Warning,
            ),
            Hooks::Unknown => (
                format!(
                    "the plugin \"{plugin}\" isn't installed on this machine; if it has hooks, \
                     they don't run here"
                ),
                "install it with `hookloop extensions install`, from its folder or repository"
                    .to_owned(),
                Severity::Info,
            ),
        };
        let mut problem = settings.problem(ProblemCode::Lossy, listed.source, message, help);
        problem.severity = severity;
        Some(problem)
    });
    problems.collect()
}

/// Returns the plugins that adopted files of Claude Code list; of several files that do, the most
/// particular one counts, as there.
fn listed_plugins(settings: &Settings) -> BTreeMap<String, Listed> {
    let mut listed: BTreeMap<String, Listed> = BTreeMap::new();
    for adopted in settings
        .adopted
        .iter()
        .filter(|it| it.agent == Agent::ClaudeCode)
    {
        let Some(text) = settings.documents.get(&adopted.file) else {
            continue;
        };
        let Ok(Value::Object(root)) = parse(text.text()) else {
            continue;
        };
        let Some(Value::Object(plugins)) = member(&root, "enabledPlugins").map(|it| &it.value)
        else {
            continue;
        };
        let is_local = adopted
            .file
            .file_name()
            .is_some_and(|it| it == "settings.local.json");
        let rank = u8::from(adopted.layer == Layer::Project) + u8::from(is_local);
        for property in &plugins.properties {
            let is_off = matches!(&property.value, Value::BooleanLit(it) if !it.value)
                || matches!(property.value, Value::NullKeyword(_));
            let entry = Listed {
                rank,
                is_enabled: !is_off,
                source: text.source_at(key_start(property)),
            };
            let name = property.name.as_str().to_owned();
            if listed.get(&name).is_none_or(|known| known.rank <= rank) {
                listed.insert(name, entry);
            }
        }
    }
    listed
}

/// Returns what Claude Code recorded about the plugins that it installed; null without such a
/// record.
fn read_installed(home: &Path) -> Json {
    let file = home.join(".claude/plugins/installed_plugins.json");
    let bytes = read_bytes(&file).ok().flatten().unwrap_or_default();
    let noted: Json = serde_json::from_slice(&bytes).unwrap_or_default();
    noted.get("plugins").cloned().unwrap_or_default()
}

/// Returns what is known about the hooks of a plugin. It may be installed for several projects, in
/// several versions.
fn hooks_of(installed: &Json, plugin: &str) -> Hooks {
    let noted = match installed.get(plugin) {
        Some(Json::Array(several)) => several.iter().collect(),
        Some(one @ Json::Object(_)) => vec![one],
        _ => Vec::new(),
    };
    let folders = noted
        .into_iter()
        .filter_map(|it| it.get("installPath")?.as_str());
    let folders: Vec<&Path> = folders.map(Path::new).filter(|it| it.is_dir()).collect();
    match folders.iter().find(|folder| has_hooks(folder)) {
        Some(folder) => Hooks::In(folder.to_path_buf()),
        None if folders.is_empty() => Hooks::Unknown,
        None => Hooks::None,
    }
}

/// Returns whether a plugin's folder has hooks, or can't be listed.
fn has_hooks(folder: &Path) -> bool {
    if folder.join("hooks/hooks.json").exists() {
        return true;
    }
    let manifest = read_bytes(&folder.join(".claude-plugin/plugin.json"));
    let Ok(Some(manifest)) = manifest else {
        return manifest.is_err();
    };
    let manifest: Result<Json, _> = serde_json::from_slice(&manifest);
    manifest.map_or(true, |it| it.get("hooks").is_some())
}
