//! The guards that come with the program: `guards/*.json` (HT-40).

use hookloop_hook::Rule;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// A guard: a hook of rules, as data.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Guard {
    /// Its name.
    pub name: String,
    /// What it guards against, in a sentence.
    pub description: String,
    /// The event that it listens to.
    pub event: String,
    /// The tools that it is asked about.
    #[serde(default)]
    pub matcher: Option<String>,
    /// What can be set when it is added.
    #[serde(default)]
    pub options: Vec<GuardOption>,
    /// Its rules; `{{option}}` in conditions stands for the value of an option, as JSON.
    pub rules: Vec<Rule>,
}

/// Something that can be set when a guard is added.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GuardOption {
    /// Its name.
    pub name: String,
    /// What it means.
    pub description: String,
    /// What holds when it isn't set.
    pub default: Value,
}

const TEXTS: &[&str] = &[
    include_str!("../../../guards/dangerous-commands.json"),
    include_str!("../../../guards/env-files.json"),
    include_str!("../../../guards/secrets.json"),
    include_str!("../../../guards/branch-policy.json"),
    include_str!("../../../guards/protected-paths.json"),
    include_str!("../../../guards/package-install.json"),
    include_str!("../../../guards/network.json"),
];

/// Returns all guards, in the order of listings.
pub fn guards() -> Vec<Guard> {
    let read = TEXTS
        .iter()
        .filter_map(|text| serde_json::from_str(text).ok());
    read.collect()
}

/// Returns a guard by its name.
pub fn guard(name: &str) -> Option<Guard> {
    guards().into_iter().find(|it| it.name == name)
}

impl Guard {
    /// Returns the rules with the values of options put in; a name that is no option is given back.
    pub fn rules_with(&self, values: &Map<String, Value>) -> Result<Vec<Rule>, String> {
        if let Some(name) = values
            .keys()
            .find(|it| !self.options.iter().any(|option| option.name == **it))
        {
            return Err(name.clone());
        }
        let mut rules = self.rules.clone();
        for option in &self.options {
            let value = values
                .get(&option.name)
                .unwrap_or(&option.default)
                .to_string();
            let mark = format!("{{{{{}}}}}", option.name);
            for rule in &mut rules {
                rule.when = rule.when.replace(&mark, &value);
            }
        }
        Ok(rules)
    }

    /// Returns the entry that stands for the guard in settings.
    pub fn entry(&self, values: &Map<String, Value>) -> Result<Value, String> {
        let rules = self.rules_with(values)?;
        Ok(json!({
            "type": "rule",
            "name": format!("guard-{}", self.name),
            "description": self.description,
            "rules": rules,
            "onFailure": "deny",
        }))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::{TEXTS, guards};
    use crate::rules::RuleSet;

    /// HT-41: every guard that comes with the program can be read, and so can its conditions.
    #[test]
    fn guards_are_readable() {
        let guards = guards();
        assert_eq!(guards.len(), TEXTS.len());
        for guard in guards {
            let rules = guard.rules_with(&Map::new()).unwrap();
            assert!(
                RuleSet::read(&rules).is_ok(),
                "{}: {:?}",
                guard.name,
                RuleSet::read(&rules)
            );
        }
    }
}
