//! The data that flows from one command to the next.

use crate::understood::{Input, RedirectKind, Word};

/// File descriptors of process substitutions are numbered from here, above all real ones.
pub(crate) const FIRST_SUBSTITUTION: usize = 63_000;

/// What a command prints, or reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stream {
    /// What the caller of the whole text gives.
    Inherited,
    /// This text.
    Text(String),
    /// Names of files, by patterns that match them.
    Names(Vec<String>),
    /// The output of a program.
    Output(String),
    /// A file.
    File(String),
}

impl Stream {
    pub(crate) fn nothing() -> Self {
        Self::Text(String::new())
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Appends what the next command prints.
    pub(crate) fn then(self, next: Self) -> Self {
        match (self, next) {
            (Self::Text(first), Self::Text(second)) => Self::Text(first + &second),
            (Self::Text(first), other) | (other, Self::Text(first)) if first.is_empty() => other,
            (Self::Names(mut first), Self::Names(second)) => {
                first.extend(second);
                Self::Names(first)
            }
            (Self::Output(program), _) | (_, Self::Output(program)) => Self::Output(program),
            _ => Self::Output(String::new()),
        }
    }

    pub(crate) fn as_input(&self) -> Input {
        match self {
            Self::Inherited => Input::Inherited,
            Self::Text(text) => Input::Text(text.clone()),
            Self::Names(names) => Input::Names(names.clone()),
            Self::Output(program) => Input::Output(program.clone()),
            Self::File(path) => Input::File(path.clone()),
        }
    }
}

/// Returns the text that is passed to a command.
pub(crate) fn text_or_output(word: &Word) -> Stream {
    if word.known {
        Stream::Text(word.text.clone())
    } else {
        Stream::Output(String::new())
    }
}

/// Returns what kind a redirect is.
pub(crate) fn kind_of(op: &str, target: &Word) -> RedirectKind {
    let is_descriptor = target.text == "-"
        || target.text.trim_end_matches('-').parse::<u32>().is_ok() && target.known;
    match op {
        "<<<" => RedirectKind::Text,
        ">&" | "<&" if is_descriptor || op == "<&" => RedirectKind::Descriptor,
        "<" => RedirectKind::Read,
        ">>" | "&>>" => RedirectKind::Append,
        _ => RedirectKind::Write,
    }
}
