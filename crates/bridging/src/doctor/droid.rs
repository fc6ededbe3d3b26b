//! Checks for Droid only: a second file of hooks beside its settings, whose events replace those in
//! the settings, and one wrong value that voids all hooks of a file.

use std::path::Path;

use hookloop_bridge::InstallScope;
use serde_json::Value;

use super::switches::judge_file;
use super::{CheckedAgent, Finding};
use crate::setting::SCOPES;

/// The key that switches all hooks off.
const SWITCH: &str = "hooksDisabled";

/// The variable that names an additional settings file.
const SETTINGS_VARIABLE: &str = "FACTORY_RUNTIME_SETTINGS_PATH";

/// The events for which Droid reads hooks; it ignores others.
const EVENTS: [&str; 9] = [
    "PreToolUse",
    "PostToolUse",
    "Notification",
    "UserPromptSubmit",
    "Stop",
    "SubagentStop",
    "PreCompact",
    "SessionStart",
    "SessionEnd",
];

/// Finds what switches hooks off, or replaces ours.
pub(super) fn switches(patient: &CheckedAgent<'_>) -> Vec<Finding> {
    let mut found: Vec<Finding> = SCOPES
        .into_iter()
        .flat_map(|scope| in_folder(patient, scope))
        .collect();
    let environment = patient.setting.environment;
    if let Some(named) = environment
        .variable(SETTINGS_VARIABLE)
        .filter(|it| !it.is_empty())
    {
        let file = environment.current_dir.join(named);
        found.extend(judge_file(&file, |value| {
            switched_off(&file, &format!("/hooks/{SWITCH}"), value)
        }));
    }
    found
}

/// Judges the files of a scope.
fn in_folder(patient: &CheckedAgent<'_>, scope: InstallScope) -> Vec<Finding> {
    let (setting, agent) = (patient.setting, patient.agent);
    let mut files = setting.files(agent, scope).into_iter();
    let Some(in_settings) = files.next().map(|it| it.path) else {
        return Vec::new();
    };
    let is_in = patient.scopes.contains(&scope);
    let mut found = Vec::new();
    found.extend(judge_file(&in_settings, |value| {
        let off = switched_off(&in_settings, &format!("/hooks/{SWITCH}"), value);
        off.or_else(|| {
            let wrong = value.get("hooks").and_then(wrong)?;
            is_in.then(|| {
                Finding::error(format!(
                    "Droid runs none of the hooks in {}, including the bridge's: {wrong}",
                    in_settings.display()
                ))
            })
        })
    }));
    let Some(beside) = setting.file_beside(agent, scope).map(|it| it.path) else {
        return found;
    };
    found.extend(judge_file(&beside, |value| {
        // If anything in it is wrong, Droid ignores the whole file.
        if wrong(value).is_some() {
            return None;
        }
        switched_off(&beside, &format!("/{SWITCH}"), value).or_else(|| {
            let ours = agent.registered_events().iter();
            // When a person adds a hook, Droid copies its settings there, and our entries work
            // there, too.
            let is_without_us = |event: &&str| {
                let hooks = value.get(*event);
                hooks.is_some_and(|it| !agent.is_installed_in(&it.to_string()))
            };
            let theirs: Vec<&str> = ours.copied().filter(is_without_us).collect();
            (is_in && !theirs.is_empty()).then(|| {
                Finding::error(format!(
                    "{} has hooks for {}, and Droid runs only those: hookloop bridge install droid{}",
                    beside.display(),
                    theirs.join(", "),
                    if scope == InstallScope::Project {
                        " --scope project"
                    } else {
                        ""
                    }
                ))
            })
        })
    }));
    found
}

fn switched_off(file: &Path, at: &str, value: &Value) -> Option<Finding> {
    (value.pointer(at) == Some(&Value::Bool(true))).then(|| {
        Finding::error(format!(
            "{} disables all hooks, including the user's: remove `{SWITCH}`",
            file.display()
        ))
    })
}

/// Returns what is wrong with hooks, so that Droid loads none of them.
fn wrong(hooks: &Value) -> Option<String> {
    let Some(hooks) = hooks.as_object() else {
        return Some("`hooks` isn't an object".to_owned());
    };
    for name in [SWITCH, "showHookOutput"] {
        if hooks.get(name).is_some_and(|it| !it.is_boolean()) {
            return Some(format!("`{name}` is neither `true` nor `false`"));
        }
    }
    EVENTS.into_iter().find_map(|event| {
        let groups = hooks.get(event)?;
        let Some(groups) = groups.as_array() else {
            return Some(format!("`{event}` isn't a list"));
        };
        let wrong = groups.iter().find_map(wrong_group);
        wrong.map(|wrong| format!("in `{event}`, {wrong}"))
    })
}

fn wrong_group(group: &Value) -> Option<&'static str> {
    let is_text = |name: &str| group.get(name).is_none_or(Value::is_string);
    if !is_text("matcher") || !is_text("commandRegex") {
        return Some("a `matcher` or `commandRegex` isn't a string");
    }
    let Some(handlers) = group.get("hooks").and_then(Value::as_array) else {
        return Some("an entry has no list of `hooks`");
    };
    let is_right = |handler: &Value| {
        handler.get("type").is_some_and(|it| it == "command")
            && handler.get("command").is_some_and(Value::is_string)
            && handler.get("timeout").is_none_or(Value::is_number)
    };
    (!handlers.iter().all(is_right)).then_some(
        "a hook isn't of the type \"command\" with a string as its `command` and a number as its \
         `timeout`",
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// BR-3: what Droid's reader rejects is found, and nothing that it accepts.
    #[test]
    fn what_voids_hooks_is_found() {
        let hook = json!({"type": "command", "command": "true"});
        for right in [
            json!({}),
            json!({"hooksDisabled": true, "showHookOutput": false}),
            json!({"Unknown": 5}),
            json!({"Stop": [{"matcher": "", "hooks": [hook]}]}),
            json!({"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": 5, "more": 1}]}]}),
        ] {
            assert_eq!(wrong(&right), None, "{right}");
        }
        for bad in [
            json!([]),
            json!({"hooksDisabled": "yes"}),
            json!({"Stop": "x"}),
            json!({"Stop": [hook]}),
            json!({"Stop": [{"matcher": 5, "hooks": []}]}),
            json!({"Stop": [{"hooks": [{"type": "command"}]}]}),
            json!({"Stop": [{"hooks": [{"type": "prompt", "prompt": "x"}]}]}),
            json!({"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": "5"}]}]}),
        ] {
            assert!(wrong(&bad).is_some(), "{bad}");
        }
    }
}
