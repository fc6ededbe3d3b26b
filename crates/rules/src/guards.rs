//! The guards that come with the program: `guards/*.json` (HT-40).

use hookloop_hook::Rule;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::rules::{RuleError, RuleSet};

/// A guard: a hook with rules, as data.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Guard {
    /// Its name.
    pub name: String,
    /// What it guards against, in a sentence.
    pub description: String,
    /// The event that its hook is for.
    pub event: String,
    /// The tools that it judges.
    #[serde(default)]
    pub matcher: Option<String>,
    /// The other events that it judges.
    #[serde(default)]
    pub also: Vec<AlsoAt>,
    /// The options that can be set when it is added.
    #[serde(default)]
    pub options: Vec<GuardOption>,
    /// Its rules; `{{option}}` in conditions is replaced by the option's value as JSON.
    #[serde(default)]
    pub rules: Vec<Rule>,
    /// The fields of a hook, instead of rules; `{{option}}` in texts is replaced by the option's
    /// value as text.
    #[serde(default)]
    pub hook: Option<Map<String, Value>>,
}

/// Another event that a guard judges, with the same rules.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AlsoAt {
    /// The event.
    pub event: String,
    /// Additional fields of the hook at this event.
    #[serde(default)]
    pub with: Map<String, Value>,
}

/// What is wrong with a guard that comes with the program, or with the values of its options.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GuardError {
    /// Its file can't be read: the program was built with a broken file.
    #[error("the built-in guards can't be read: {0}")]
    Unreadable(String),
    /// It has no such option.
    #[error("it has no option \"{0}\"")]
    NoOption(String),
    /// With these values, its conditions can't be parsed.
    #[error("{0}")]
    Rules(#[from] RuleError),
}

/// An option that can be set when a guard is added.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GuardOption {
    /// Its name.
    pub name: String,
    /// What it means.
    pub description: String,
    /// The value if it isn't set.
    pub default: Value,
}

const TEXTS: &[&str] = &[
    include_str!("../guards/dangerous-commands.json"),
    include_str!("../guards/env-files.json"),
    include_str!("../guards/secrets.json"),
    include_str!("../guards/branch-policy.json"),
    include_str!("../guards/protected-paths.json"),
    include_str!("../guards/package-install.json"),
    include_str!("../guards/network.json"),
    include_str!("../guards/format-after-edit.json"),
    include_str!("../guards/test-gate.json"),
    include_str!("../guards/notify.json"),
    include_str!("../guards/audit.json"),
    include_str!("../guards/cost-meter.json"),
];

/// Returns all guards, in listing order. None is left out silently.
pub fn guards() -> Result<Vec<Guard>, GuardError> {
    let read = |text: &&str| {
        serde_json::from_str(text).map_err(|error| GuardError::Unreadable(error.to_string()))
    };
    TEXTS.iter().map(read).collect()
}

/// Returns a guard by its name.
pub fn guard(name: &str) -> Result<Option<Guard>, GuardError> {
    Ok(guards()?.into_iter().find(|it| it.name == name))
}

impl Guard {
    /// Returns the rules with the values of the options inserted.
    pub fn rules_with(&self, values: &Map<String, Value>) -> Result<Vec<Rule>, GuardError> {
        let mut rules = self.rules.clone();
        for (mark, value) in self.values(values)? {
            for rule in &mut rules {
                rule.when = rule.when.replace(&mark, &value.to_string());
            }
        }
        RuleSet::read(&rules)?;
        Ok(rules)
    }

    /// Returns the placeholder of each option, and its value.
    fn values(&self, values: &Map<String, Value>) -> Result<Vec<(String, Value)>, GuardError> {
        let is_option = |name: &String| self.options.iter().any(|option| option.name == *name);
        if let Some(name) = values.keys().find(|it| !is_option(it)) {
            return Err(GuardError::NoOption(name.clone()));
        }
        let value = |option: &GuardOption| {
            let value = values.get(&option.name).unwrap_or(&option.default);
            (format!("{{{{{}}}}}", option.name), value.clone())
        };
        Ok(self.options.iter().map(value).collect())
    }

    /// Returns the name of the guard's hook in settings.
    pub fn hook_name(&self) -> String {
        format!("guard-{}", self.name)
    }

    /// Returns the guard's entry for settings.
    pub fn entry(&self, values: &Map<String, Value>) -> Result<Map<String, Value>, GuardError> {
        let mut entry = Map::new();
        entry.insert("name".to_owned(), json!(self.hook_name()));
        entry.insert("description".to_owned(), json!(self.description));
        if let Some(hook) = &self.hook {
            let values = self.values(values)?;
            entry.extend(
                hook.iter()
                    .map(|(key, value)| (key.clone(), substitute_options(value, &values))),
            );
            return Ok(entry);
        }
        entry.insert("type".to_owned(), json!("rule"));
        entry.insert("rules".to_owned(), json!(self.rules_with(values)?));
        entry.insert("onFailure".to_owned(), json!("deny"));
        Ok(entry)
    }
}

/// Inserts the values of options into the texts of a hook.
fn substitute_options(value: &Value, values: &[(String, Value)]) -> Value {
    match value {
        Value::String(text) => {
            let mut text = text.clone();
            for (mark, value) in values {
                let value = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                text = text.replace(mark, &value);
            }
            Value::String(text)
        }
        Value::Array(items) => items
            .iter()
            .map(|it| substitute_options(it, values))
            .collect(),
        Value::Object(entries) => Value::Object(
            entries
                .iter()
                .map(|(key, it)| (key.clone(), substitute_options(it, values)))
                .collect(),
        ),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::{GuardError, TEXTS, guard, guards};
    use crate::rules::RuleSet;

    /// HT-41: every guard that comes with the program can be read, and so can its conditions.
    #[test]
    fn guards_are_readable() {
        let guards = guards().unwrap();
        assert_eq!(guards.len(), TEXTS.len());
        for guard in guards {
            let rules = guard.rules_with(&Map::new()).unwrap();
            assert!(RuleSet::read(&rules).is_ok(), "{}", guard.name);
            assert_eq!(guard.hook.is_some(), rules.is_empty(), "{}", guard.name);
        }
    }

    /// HT-40: options are inserted, and one that doesn't exist is reported.
    #[test]
    fn options_are_put_in() {
        let guard = guard("branch-policy").unwrap().unwrap();
        let set = |json: serde_json::Value| guard.entry(json.as_object().unwrap());
        let entry = set(json!({"protected": ["stable"]})).unwrap();
        let text = json!(entry).to_string();
        assert!(text.contains("stable") && !text.contains("{{"), "{text}");
        assert_eq!(
            set(json!({"protect": []})),
            Err(GuardError::NoOption("protect".to_owned()))
        );
    }
}
