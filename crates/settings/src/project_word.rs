//! What a project says that could loosen hooks of others (ST-13).

use hookloop_hook::Source;
use jsonc_parser::ast::{Object, Value};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::file_text::FileText;
use crate::hook_read::is_null;
use crate::loosening::{Power, power_of};
use crate::syntax::{start, to_json};

/// One setting of a project that could loosen hooks of others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Claim {
    /// Its path, such as `hooksConfig.enabled`.
    pub key: String,
    /// What it says.
    pub value: serde_json::Value,
    /// Where.
    pub source: Source,
}

/// Everything in a project's settings that could loosen hooks of others. It counts for them after a
/// person has agreed to exactly this content in this folder (ST-13).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProjectWord {
    /// The settings, in the order of the file.
    pub claims: Vec<Claim>,
}

impl ProjectWord {
    /// Returns a fingerprint of the content, the same wherever it stands; nothing if there is none.
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

    fn collect(&mut self, text: &FileText, object: &Object<'_>, path: &str) {
        /// Deepest path of a key that has a power.
        const DEEPEST: usize = 2;
        for property in &object.properties {
            let name = property.name.as_str();
            let key = format!("{path}{name}");
            let value = &property.value;
            let says_something = !is_null(value) && !is_empty(value) && !switches_on(&key, value);
            if power_of(&key) == Some(Power::Loosens) && says_something {
                self.claims.push(Claim {
                    key,
                    value: to_json(value),
                    source: text.source_at(start(value)),
                });
            } else if let Value::Object(inner) = value
                && key.matches('.').count() < DEEPEST
            {
                self.collect(text, inner, &format!("{key}."));
            }
        }
    }
}

/// Switching hooks on loosens none, and is what holds where nobody says anything: no person is asked about it.
fn switches_on(key: &str, value: &Value<'_>) -> bool {
    matches!(key, "hooksConfig.enabled" | "hooks.enabled")
        && matches!(value, Value::BooleanLit(switch) if switch.value)
}

/// An empty list says nothing.
fn is_empty(value: &Value<'_>) -> bool {
    matches!(value, Value::Array(list) if list.elements.is_empty())
}
