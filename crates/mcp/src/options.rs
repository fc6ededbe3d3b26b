//! Reads single options of a server's configuration, and notes those that are ignored.

use std::ffi::OsString;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::expansion::expand;

/// A server's configuration, while it is being read.
pub(crate) struct Options<'a> {
    pub(crate) fields: &'a Map<String, Value>,
    pub(crate) environment: &'a [(OsString, OsString)],
    /// The options that are ignored, and why.
    pub(crate) notes: Vec<String>,
}

impl Options<'_> {
    /// Returns an option that is present and not `null`.
    fn value(&self, name: &str) -> Option<&Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    /// Returns whether an option is present.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    fn wrong(&mut self, name: &str, expected: &str) {
        self.notes
            .push(format!("\"{name}\" isn't {expected}, so it is ignored"));
    }

    /// Returns a string, without replacing variables.
    pub(crate) fn text(&mut self, name: &str) -> Option<String> {
        match self.value(name)? {
            Value::String(text) if !text.is_empty() => Some(text.clone()),
            _ => {
                self.wrong(name, "a string");
                None
            }
        }
    }

    /// Returns a list of strings, without replacing variables.
    pub(crate) fn texts(&mut self, name: &str) -> Option<Vec<String>> {
        let texts = self.value(name)?.as_array().and_then(|list| {
            list.iter()
                .map(|text| text.as_str().map(str::to_owned))
                .collect()
        });
        if texts.is_none() {
            self.wrong(name, "a list of strings");
        }
        texts
    }

    /// Returns an object of strings, with variables replaced.
    pub(crate) fn pairs(&mut self, name: &str) -> Vec<(String, String)> {
        let Some(value) = self.value(name) else {
            return Vec::new();
        };
        let Some(object) = value.as_object().cloned() else {
            self.wrong(name, "an object");
            return Vec::new();
        };
        let mut pairs = Vec::new();
        for (key, value) in object {
            let text = match value {
                Value::String(text) => self.expand(&text),
                Value::Number(_) | Value::Bool(_) => value.to_string(),
                Value::Null | Value::Array(_) | Value::Object(_) => {
                    self.wrong(&format!("{name}.{key}"), "a string");
                    continue;
                }
            };
            pairs.push((key, text));
        }
        pairs
    }

    /// Returns whether an option is `true`.
    pub(crate) fn is_true(&mut self, name: &str) -> bool {
        match self.value(name) {
            None => false,
            Some(Value::Bool(is_true)) => *is_true,
            Some(_) => {
                self.wrong(name, "true or false");
                false
            }
        }
    }

    /// Returns a time that is given in milliseconds.
    pub(crate) fn milliseconds(&mut self, name: &str) -> Option<Duration> {
        let number = self.value(name)?.as_u64().filter(|number| *number > 0);
        if number.is_none() {
            self.wrong(name, "a positive number of milliseconds");
        }
        number.map(Duration::from_millis)
    }

    /// Replaces variables in a text.
    pub(crate) fn expand(&mut self, text: &str) -> String {
        let mut missing = Vec::new();
        let expanded = expand(text, self.environment, &mut missing);
        for name in missing {
            self.notes.push(format!(
                "the variable {name} isn't set, and stays as written"
            ));
        }
        expanded
    }
}
