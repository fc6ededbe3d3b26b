//! Settings that switch off an agent's hooks, including the person's own, and the bridge with them
//! (BR-3).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hookloop_bridge::{Agent, InstallScope};
use hookloop_dialects::calls_bridge;
use serde_json::Value;

use super::{CheckedAgent, Finding, codex};
use crate::files;
use crate::hosting::{obeyed_by_gemini_cli, switched_off};
use crate::setting::SCOPES;

/// Where an administrator's settings of Claude Code are: a file, and further ones in a folder.
const MANAGED: &str = "/etc/claude-code/managed-settings.json";
const MANAGED_FOLDER: &str = "/etc/claude-code/managed-settings.d";

/// The variables that say where Qwen Code's system settings are, and their default locations.
const QWEN_SYSTEM: [(&str, &str); 2] = [
    (
        "QWEN_CODE_SYSTEM_SETTINGS_PATH",
        "/etc/qwen-code/settings.json",
    ),
    (
        "QWEN_CODE_SYSTEM_DEFAULTS_PATH",
        "/etc/qwen-code/system-defaults.json",
    ),
];

/// goose's name for the plugin with the bridge.
const PLUGIN: &str = "hookloop";

/// Finds what switches hooks off.
pub(super) fn all(patient: &CheckedAgent<'_>) -> Vec<Finding> {
    let setting = patient.setting;
    let own = || {
        let agent = patient.agent;
        let of = move |scope| {
            let files = setting.switching_files_of(agent, scope).into_iter();
            files.map(move |file| (scope, file))
        };
        let files = SCOPES.into_iter().flat_map(of);
        let files = files.filter(|(_, it)| it.extension().is_some_and(|it| it == "json"));
        files.filter_map(move |(scope, file)| {
            judge_file(&file, |value| keyed(agent, scope, &file, value))
        })
    };
    match patient.agent {
        Agent::ClaudeCode => {
            let folder = std::fs::read_dir(MANAGED_FOLDER);
            let further = folder.into_iter().flatten().flatten().map(|it| it.path());
            let further = further.filter(|it| it.extension().is_some_and(|it| it == "json"));
            let files: BTreeSet<PathBuf> = further.chain([PathBuf::from(MANAGED)]).collect();
            let managed = files
                .iter()
                .filter_map(|file| judge_file(file, |value| check_managed(file, value)));
            let environment = setting.environment;
            own()
                .chain(managed)
                .chain(modes(patient.agent, |name| environment.variable(name)))
                .collect()
        }
        Agent::Qwen => {
            let of_system = QWEN_SYSTEM.into_iter().filter_map(|(name, usual)| {
                let named = setting.environment.variable(name);
                let named = named.filter(|it| !it.is_empty());
                let file = named.map_or_else(|| PathBuf::from(usual), PathBuf::from);
                judge_file(&file, |value| {
                    keyed(patient.agent, InstallScope::User, &file, value)
                })
            });
            own()
                .chain(of_system)
                .chain(modes(patient.agent, |name| {
                    setting.environment.variable(name)
                }))
                .collect()
        }
        Agent::Goose | Agent::Copilot => own().collect(),
        Agent::Opencode => modes(patient.agent, |name| setting.environment.variable(name)),
        Agent::Codex => codex::switches(patient),
        Agent::GeminiCli => check_gemini_cli(patient),
        _ => Vec::new(),
    }
}

/// Judges a settings file. What can't be read may switch hooks off: an agent may be able to read
/// it.
pub(super) fn judge_file(
    path: &Path,
    judge: impl FnOnce(&Value) -> Option<Finding>,
) -> Option<Finding> {
    match settings(path) {
        Ok(value) => judge(&value),
        Err(why) => Some(Finding::warning(format!(
            "{} can't be read, so whether it disables hooks isn't known: {why}",
            path.display()
        ))),
    }
}

/// Reads settings with comments; a missing file is empty.
pub(super) fn settings(path: &Path) -> Result<Value, String> {
    let Some(text) = files::read(path).map_err(|error| error.to_string())? else {
        return Ok(Value::Null);
    };
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    let text = hookloop_settings::SettingsText::new(text);
    text.and_then(|it| it.to_value())
        .map_err(|error| error.to_string())
}

/// Judges the keys of a settings file that switch all hooks off, or the bridge.
fn keyed(agent: Agent, whose: InstallScope, file: &Path, value: &Value) -> Option<Finding> {
    let setting = value.get("disableAllHooks");
    let is_said = setting.is_some_and(|it| !matches!(it, Value::Null | Value::Bool(false)));
    let file = file.display();
    match agent {
        Agent::Goose => {
            let off = value.get("disabledPlugins").and_then(Value::as_array);
            let is_off = off.is_some_and(|it| it.iter().any(|it| it == PLUGIN));
            return is_off.then(|| {
                Finding::error(format!(
                    "{file} disables the bridge: remove \"{PLUGIN}\" from `disabledPlugins`"
                ))
            });
        }
        // According to its documentation, this also applies in the person's files; in observation,
        // hooks still ran.
        Agent::Copilot if whose == InstallScope::User => {
            return is_said.then(|| {
                Finding::warning(format!(
                    "{file} sets `disableAllHooks`, which disables all hooks according to \
                     Copilot's documentation: remove it"
                ))
            });
        }
        _ => {}
    }
    if is_said {
        return Some(Finding::error(format!(
            "{file} disables all hooks, including the user's: remove `disableAllHooks`"
        )));
    }
    let old = value.pointer("/hooksConfig/enabled");
    (agent == Agent::Qwen && old == Some(&Value::Bool(false))).then(|| {
        Finding::warning(format!(
            "{file} says `hooksConfig.enabled: false`, with which older versions disable all \
             hooks: remove it"
        ))
    })
}

/// Judges an administrator's setting that only allows the administrator's own hooks.
fn check_managed(file: &Path, value: &Value) -> Option<Finding> {
    let keys = [
        "disableAllHooks",
        "allowManagedHooksOnly",
        "strictPluginOnlyCustomization",
    ];
    // The last one may be a list of what only plugins may provide.
    let restricts = |value: &Value| match value {
        Value::Array(kinds) => kinds.iter().any(|it| it == "hooks"),
        other => *other == Value::Bool(true),
    };
    let key = keys
        .into_iter()
        .find(|key| value.get(key).is_some_and(restricts))?;
    Some(Finding::error(format!(
        "{} keeps the user's hooks from running (`{key}`): only the administrator of this machine can change that",
        file.display()
    )))
}

/// Returns the variables that start an agent without anybody's hooks.
const fn without_hooks(agent: Agent) -> &'static [&'static str] {
    match agent {
        Agent::ClaudeCode => &["CLAUDE_CODE_SAFE_MODE", "CLAUDE_CODE_SIMPLE"],
        Agent::Qwen => &["QWEN_CODE_SAFE_MODE", "QWEN_CODE_SIMPLE"],
        Agent::Opencode => &["OPENCODE_PURE"],
        _ => &[],
    }
}

/// Judges the environment: what is started from here has it, too.
fn modes(agent: Agent, variable: impl Fn(&str) -> Option<String>) -> Vec<Finding> {
    let is_on = |name: &&str| {
        let value = variable(name).unwrap_or_default().to_ascii_lowercase();
        !["", "0", "false", "no", "off"]
            .iter()
            .any(|it| value == *it)
    };
    let on = without_hooks(agent).iter().copied().filter(is_on);
    on.map(|name| {
        Finding::error(format!(
            "{name} in the environment disables all hooks in agents started from here: unset it"
        ))
    })
    .collect()
}

/// Finds files of Gemini CLI that switch all hooks off, or the bridge's entries by their names.
fn check_gemini_cli(patient: &CheckedAgent<'_>) -> Vec<Finding> {
    let setting = patient.setting;
    let entries: BTreeSet<String> = patient
        .scopes
        .iter()
        .flat_map(|scope| setting.files(patient.agent, *scope))
        .filter_map(|file| settings(&file.path).ok())
        .flat_map(|value| entries_in(&value))
        .collect();
    let files: BTreeSet<PathBuf> = obeyed_by_gemini_cli(setting).into_iter().collect();
    let judged = files.into_iter().filter_map(|file| {
        let shown = file.display();
        match switched_off(&file) {
            None => Some(Finding::error(format!(
                "{shown} disables all hooks there, including the bridge, or can't be read: remove \
                 `hooksConfig.enabled`"
            ))),
            Some(off) => off.iter().any(|it| entries.contains(it)).then(|| {
                Finding::error(format!(
                    "{shown} disables the bridge by name: remove it from `hooksConfig.disabled`"
                ))
            }),
        }
    });
    judged.collect()
}

/// Returns what entries of the bridge are called in settings: their names and commands.
fn entries_in(value: &Value) -> Vec<String> {
    let events = value.get("hooks").and_then(Value::as_object);
    let groups = events.into_iter().flat_map(|it| it.values());
    let groups = groups.filter_map(Value::as_array).flatten();
    let hooks = groups
        .filter_map(|it| it.get("hooks")?.as_array())
        .flatten();
    let text = |hook: &Value, name: &str| hook.get(name).and_then(Value::as_str).map(str::to_owned);
    let ours = hooks.filter(|it| text(it, "command").is_some_and(|it| calls_bridge(&it)));
    ours.flat_map(|it| [text(it, "name"), text(it, "command")])
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// BR-3: each agent's own setting is found, and no other agent's.
    #[test]
    fn each_agents_own_word_switches_its_hooks_off() {
        let found_in = |whose, agent, value: &Value| {
            keyed(agent, whose, Path::new("/f"), value).map(|it| it.level)
        };
        let found = |agent, value: &Value| found_in(InstallScope::User, agent, value);
        let all = json!({"disableAllHooks": true});
        let plugin = json!({"disabledPlugins": ["other", "hookloop"]});
        let old = json!({"hooksConfig": {"enabled": false}});
        let error = Some(super::super::Level::Error);
        assert_eq!(found(Agent::ClaudeCode, &all), error);
        assert_eq!(found(Agent::Qwen, &all), error);
        assert_eq!(found(Agent::Goose, &plugin), error);
        assert_eq!(
            found(Agent::Copilot, &all),
            Some(super::super::Level::Warning)
        );
        // A repository's switch is obeyed.
        assert_eq!(found_in(InstallScope::Project, Agent::Copilot, &all), error);
        assert_eq!(found(Agent::Qwen, &old), Some(super::super::Level::Warning));
        for (agent, value) in [
            (Agent::Goose, &all),
            (Agent::Goose, &json!({"disabledPlugins": ["other"]})),
            (Agent::ClaudeCode, &plugin),
            (Agent::ClaudeCode, &old),
            (Agent::ClaudeCode, &json!({"disableAllHooks": false})),
        ] {
            assert_eq!(found(agent, value), None, "{agent:?} {value}");
        }
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("settings.json");
        let level = || judge_file(&file, |_| None).map(|it| it.level);
        assert_eq!(level(), None, "none is there");
        for (text, expected) in [
            ("", None),
            ("{\"hooks\": {}}", None),
            (
                "{\"disableAllHooks\": true",
                Some(super::super::Level::Warning),
            ),
        ] {
            std::fs::write(&file, text).expect("a file");
            assert_eq!(level(), expected, "{text}");
        }
        std::fs::write(&file, [0xff, 0xfe]).expect("a file");
        assert_eq!(level(), Some(super::super::Level::Warning));
    }

    /// BR-3: an administrator's settings count in each of their spellings.
    #[test]
    fn an_administrators_words_are_found_in_each_spelling() {
        let found = |value: &Value| check_managed(Path::new("/f"), value).is_some();
        let keys = [
            "disableAllHooks",
            "allowManagedHooksOnly",
            "strictPluginOnlyCustomization",
        ];
        for key in keys {
            assert!(found(&json!({ key: true })), "{key}");
            assert!(!found(&json!({ key: false })), "{key}");
        }
        let only = |kinds: Value| json!({"strictPluginOnlyCustomization": kinds});
        assert!(found(&only(json!(["skills", "hooks"]))));
        assert!(!found(&only(json!(["skills"]))));
    }

    /// BR-3: modes without hooks are found if the environment sets them.
    #[test]
    fn a_mode_without_hooks_is_found_in_the_environment() {
        let agents = [Agent::ClaudeCode, Agent::Qwen, Agent::Opencode];
        let named = |agent| without_hooks(agent).iter().map(move |name| (agent, *name));
        for (agent, name) in agents.into_iter().flat_map(named) {
            let found = |value: &'static str| {
                let variable = |asked: &str| (asked == name).then(|| value.to_owned());
                modes(agent, variable).len()
            };
            let elsewhere = modes(Agent::Goose, |asked| {
                (asked == name).then(|| "1".to_owned())
            });
            assert!(elsewhere.is_empty(), "{name}");
            for (value, expected) in [
                ("1", 1),
                ("TRUE", 1),
                ("yes", 1),
                ("", 0),
                ("0", 0),
                ("False", 0),
            ] {
                assert_eq!(found(value), expected, "{name}={value}");
            }
        }
    }
}
