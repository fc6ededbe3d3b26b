//! Where the name of a session's model was given.

use std::fmt;

use hookloop_hook::Source;

/// Where the name of a model was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NamedBy {
    /// The option `--model`.
    Option,
    /// A variable.
    Variable(&'static str),
    /// `model.name` in settings.
    Settings(Option<Source>),
    /// Nobody: it is the usual one.
    Nobody,
}

impl fmt::Display for NamedBy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Option => formatter.write_str("the option --model names it"),
            Self::Variable(name) => write!(
                formatter,
                "the variable {name} names it, of the environment or ~/.gemini/.env"
            ),
            Self::Settings(Some(source)) => {
                write!(formatter, "\"model.name\" at {source} names it")
            }
            Self::Settings(None) => formatter.write_str("\"model.name\" names it"),
            Self::Nobody => formatter.write_str("it is used because nothing names another one"),
        }
    }
}
