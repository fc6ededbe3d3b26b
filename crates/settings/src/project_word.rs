//! Project settings that could loosen other layers' hooks (ST-13).

use hookloop_hook::Source;
use jsonc_parser::ast::{Object, Value};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::file_text::FileText;
use crate::loosening::{Power, power_of};
use crate::provided::Provided;
use crate::syntax::{is_null, start, to_json};

/// A project setting that could loosen other layers' hooks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Claim {
    /// Its path, such as `hooksConfig.enabled`.
    pub key: String,
    /// Its value.
    pub value: serde_json::Value,
    /// Its place.
    pub source: Source,
}

impl Claim {
    /// Returns whether it switches hooks on (ST-13).
    pub fn switches_on(&self) -> bool {
        let is_switch = matches!(
            self.key.as_str(),
            "hooksConfig.enabled" | "hooks.enabled" | "tools.enableHooks"
        );
        is_switch && self.value == serde_json::Value::Bool(true)
    }
}

/// All project settings that could loosen other layers' hooks. They apply to those hooks after a
/// person has agreed to exactly this content in this folder (ST-13).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProjectWord {
    /// The settings, in the order of the file.
    pub claims: Vec<Claim>,
}

impl ProjectWord {
    /// Returns a fingerprint of the content, independent of the folder, or `None` if it is empty.
    pub fn fingerprint(&self) -> Option<String> {
        if self.claims.is_empty() {
            return None;
        }
        let mut claims: Vec<String> = self
            .claims
            .iter()
            .map(|claim| serde_json::json!([claim.key, claim.value]).to_string())
            .collect();
        claims.sort();
        Some(format!("1:{:x}", Sha256::digest(claims.join("\n"))))
    }

    /// Collects the claims of a project's settings.
    pub(crate) fn of(text: &FileText, root: &Object<'_>) -> Self {
        let mut word = Self::default();
        word.collect(text, root, "");
        word
    }

    /// Leaves out what changes nothing: hooks are on unless somebody switched them off. If a person
    /// or the administrator did, switching them on again needs consent (ST-13).
    pub(crate) fn without_redundant(mut self, others: [Option<&Provided<bool>>; 2]) -> Self {
        let is_off = others.into_iter().flatten().any(|it| !it.value);
        self.claims.retain(|claim| is_off || !claim.switches_on());
        self
    }

    fn collect(&mut self, text: &FileText, object: &Object<'_>, path: &str) {
        /// Deepest path of a key that has a power.
        const MAX_DEPTH: usize = 2;
        for property in &object.properties {
            let name = property.name.as_str();
            let key = format!("{path}{name}");
            let value = &property.value;
            let says_something = !is_null(value) && !is_empty(value);
            if power_of(&key) == Some(Power::Loosens) && says_something {
                self.claims.push(Claim {
                    key,
                    value: to_json(value),
                    source: text.source_at(start(value)),
                });
            } else if let Value::Object(inner) = value
                && key.matches('.').count() < MAX_DEPTH
            {
                self.collect(text, inner, &format!("{key}."));
            }
        }
    }
}

/// An empty list says nothing.
fn is_empty(value: &Value<'_>) -> bool {
    matches!(value, Value::Array(list) if list.elements.is_empty())
}
