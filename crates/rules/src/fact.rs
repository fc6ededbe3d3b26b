//! The values of conditions, including values that can't be known.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

/// A value of a condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Fact {
    /// `null`.
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number.
    Double(f64),
    /// A text.
    Text(Arc<str>),
    /// A list.
    List(Arc<List>),
    /// A map.
    Map(Arc<BTreeMap<String, Fact>>),
    /// A value that can't be known, with the reason. Reading it is an error.
    Unknown(Arc<str>),
}

/// A value, or why there isn't one.
pub(crate) type Known = Result<Fact, Unknown>;

/// The elements of a list.
#[derive(Debug, PartialEq)]
pub struct List {
    /// The elements that are known.
    pub known: Vec<Fact>,
    /// Why there may be more elements; `None` if the list is complete.
    pub more: Option<Arc<str>>,
}

/// Why a condition can't be evaluated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unknown(pub String);

/// What is wrong with a condition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {message}")]
pub struct ConditionError {
    /// What is wrong.
    pub message: String,
    /// The column, in characters from one.
    pub column: usize,
    /// The name that doesn't exist, if that is the error.
    pub unknown: Option<UnknownName>,
}

/// A name in a condition that doesn't exist, with the names that do (HT-1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    /// The name as written.
    pub name: String,
    /// Whether it is called as a function or read as a value.
    pub use_of: UseOfName,
    /// The names that exist.
    pub known: &'static [&'static str],
}

/// How a name is used in a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UseOfName {
    /// It is called.
    Function,
    /// It is read.
    Value,
}

impl Fact {
    /// Creates a text.
    pub fn text(text: impl AsRef<str>) -> Self {
        Self::Text(Arc::from(text.as_ref()))
    }

    /// Creates a complete list.
    pub fn list(known: Vec<Self>) -> Self {
        Self::List(Arc::new(List { known, more: None }))
    }

    /// Creates a map.
    pub fn map<const N: usize>(entries: [(&str, Self); N]) -> Self {
        let entries = entries
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value));
        Self::Map(Arc::new(entries.collect()))
    }

    /// Returns the value, or an error if it can't be known.
    pub(crate) fn read(self) -> Result<Self, Unknown> {
        match self {
            Self::Unknown(why) => Err(Unknown(why.to_string())),
            known => Ok(known),
        }
    }

    pub(crate) const fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a truth value",
            Self::Int(_) | Self::Double(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
            Self::Unknown(_) => "unknown",
        }
    }

    /// Formats a value for reasons: texts as they are, everything else as JSON.
    pub fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.to_string(),
            Self::Unknown(why) => format!("(unknown: {why})"),
            other => other.to_json().to_string(),
        }
    }

    /// Converts to JSON.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Null | Self::Unknown(_) => Value::Null,
            Self::Bool(value) => Value::from(*value),
            Self::Int(value) => Value::from(*value),
            Self::Double(value) => Value::from(*value),
            Self::Text(text) => Value::from(&**text),
            Self::List(list) => list.known.iter().map(Self::to_json).collect(),
            Self::Map(map) => Value::Object(
                map.iter()
                    .map(|(key, value)| (key.clone(), value.to_json()))
                    .collect(),
            ),
        }
    }
}

impl From<&Value> for Fact {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => number.as_i64().map_or_else(
                || Self::Double(number.as_f64().unwrap_or(f64::NAN)),
                Self::Int,
            ),
            Value::String(text) => Self::text(text),
            Value::Array(items) => Self::list(items.iter().map(Self::from).collect()),
            Value::Object(entries) => Self::Map(Arc::new(
                entries
                    .iter()
                    .map(|(key, value)| (key.clone(), Self::from(value)))
                    .collect(),
            )),
        }
    }
}
