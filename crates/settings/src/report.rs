//! Collects the problems of one file.

use hookloop_text::shorten::excerpt;
use std::sync::Arc;

use hookloop_events::EventName;
use jsonc_parser::ast::{Object, ObjectProp, Value};

use crate::file_text::FileText;
use crate::near::{look_alikes, nearest};
use crate::provided::Provided;
use crate::syntax::{key_start, kind_of, members, start};
use hookloop_hook::Source;
use hookloop_hook::{Broken, Problem, ProblemCode, Severity};

/// The most problems that are kept for one file; a file with more isn't a settings file. Further
/// ones are counted, and the count is reported.
const MAX_PROBLEMS: usize = 1000;

/// What to write instead of a field, and its name if only that is wrong.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Correction {
    pub(crate) help: String,
    pub(crate) suggestion: Option<&'static str>,
}

/// Collects the problems of one file, with places and snippets.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    pub(crate) text: &'a FileText,
    /// The event that is being read.
    pub(crate) event: Option<EventName>,
    problems: Vec<Problem>,
    beyond: usize,
}

impl<'a> Report<'a> {
    pub(crate) fn new(text: &'a FileText) -> Self {
        Self {
            text,
            event: None,
            problems: Vec::new(),
            beyond: 0,
        }
    }

    /// Adds a problem at a byte of the text.
    pub(crate) fn add(
        &mut self,
        code: ProblemCode,
        offset: usize,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.add_suggesting(code, offset, message, help, None);
    }

    /// Adds something worth knowing, with which nothing is wrong.
    pub(crate) fn note(
        &mut self,
        code: ProblemCode,
        offset: usize,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let before = self.problems.len();
        self.add(code, offset, message, help);
        for problem in &mut self.problems[before..] {
            problem.severity = Severity::Info;
        }
    }

    /// Adds a problem together with the right value.
    pub(crate) fn add_suggesting(
        &mut self,
        code: ProblemCode,
        offset: usize,
        message: impl Into<String>,
        help: impl Into<String>,
        suggestion: Option<&str>,
    ) {
        if self.problems.len() >= MAX_PROBLEMS {
            self.beyond += 1;
            return;
        }
        let source = self.text.source_at(offset);
        let snippet = source
            .position
            .and_then(|position| self.text.snippet(position));
        let mut problem = Problem::new(code, source, message, help);
        problem.suggestion = suggestion.map(str::to_owned);
        problem.snippet = snippet;
        problem.event = self.event;
        self.problems.push(problem);
    }

    /// Reports a problem that keeps something from being built, and returns it as the cause
    /// (IO-21).
    pub(crate) fn fault(
        &mut self,
        code: ProblemCode,
        offset: usize,
        message: impl Into<String>,
        help: impl Into<String>,
        suggestion: Option<&str>,
    ) -> Arc<Broken> {
        let broken = Broken {
            cause: message.into(),
            help: help.into(),
            source: self.text.source_at(offset),
        };
        self.add_suggesting(code, offset, &broken.cause, &broken.help, suggestion);
        Arc::new(broken)
    }

    /// Reports the keys of an object that appear twice: of those that a filter names all values are
    /// read, of others the last (ST-5).
    pub(crate) fn report_repeated(
        &mut self,
        object: &Object<'_>,
        are_all_read: impl Fn(&str) -> bool,
    ) {
        for repetition in members(object).1 {
            let name = repetition.later.name.as_str();
            let help = if are_all_read(name) {
                "merge the two; both are read, one after the other"
            } else {
                "remove one of the two; the last one counts"
            };
            let earlier = self.text.position(key_start(repetition.earlier));
            let message = format!(
                "the key \"{}\" occurs twice, first in line {}",
                excerpt(name),
                earlier.line
            );
            let code = ProblemCode::DuplicateKey;
            self.add(code, key_start(repetition.later), message, help);
        }
    }

    /// Returns the members of an object, the last of each name, and reports repeated keys (ST-5).
    pub(crate) fn members<'v, 't>(&mut self, object: &'v Object<'t>) -> Vec<&'v ObjectProp<'t>> {
        self.report_repeated(object, |_| false);
        members(object).0
    }

    /// Reports a value of the wrong type.
    pub(crate) fn wrong_type(&mut self, what: &str, value: &Value<'_>, wanted: &str) {
        self.add(
            ProblemCode::WrongType,
            start(value),
            format!("{what} is {}, not {wanted}", kind_of(value)),
            format!("write {wanted} here"),
        );
    }

    /// Reports a key that has no meaning where it is.
    pub(crate) fn unknown_field(
        &mut self,
        property: &ObjectProp<'_>,
        place: &str,
        known: &[&'static str],
    ) {
        let name = property.name.as_str();
        let meant = nearest(name, known.iter().copied());
        let help = match meant {
            Some(meant) => match look_alikes(name) {
                Some(letters) => format!("write \"{meant}\": {letters}"),
                None => format!("did you mean \"{meant}\"?"),
            },
            None => format!("remove it; {place} has {}", known.join(", ")),
        };
        let message = format!("{place} has no field \"{}\"", excerpt(name));
        self.add_suggesting(
            ProblemCode::UnknownField,
            key_start(property),
            message,
            help,
            meant,
        );
    }

    /// Reports a key that has no meaning where it is, and what to write instead.
    pub(crate) fn report_misplaced_field(
        &mut self,
        property: &ObjectProp<'_>,
        place: &str,
        meant: Correction,
    ) {
        let name = excerpt(property.name.as_str());
        let message = format!("{place} has no field \"{name}\"");
        let code = ProblemCode::UnknownField;
        self.add_suggesting(
            code,
            key_start(property),
            message,
            meant.help,
            meant.suggestion,
        );
    }

    /// Returns a text, or reports that the value isn't one.
    pub(crate) fn text_of<'v>(&mut self, what: &str, value: &'v Value<'_>) -> Option<&'v str> {
        if let Value::StringLit(text) = value {
            Some(&text.value)
        } else {
            self.wrong_type(what, value, "a string");
            None
        }
    }

    /// Returns a boolean with its place, or reports that the value isn't one.
    pub(crate) fn boolean_of(&mut self, what: &str, value: &Value<'_>) -> Option<Provided<bool>> {
        if let Value::BooleanLit(boolean) = value {
            Some(self.provided(boolean.value, value))
        } else {
            self.wrong_type(what, value, "true or false");
            None
        }
    }

    /// Returns the texts of a list with their places, and reports whatever isn't one.
    pub(crate) fn texts_of(&mut self, what: &str, value: &Value<'_>) -> Vec<Provided<String>> {
        let Value::Array(list) = value else {
            self.wrong_type(what, value, "a list of strings");
            return Vec::new();
        };
        let mut texts = Vec::with_capacity(list.elements.len());
        for element in &list.elements {
            if let Some(text) = self.text_of(&format!("an entry of {what}"), element) {
                texts.push(self.provided(text.to_owned(), element));
            }
        }
        texts
    }

    pub(crate) fn provided<T>(&self, value: T, node: &Value<'_>) -> Provided<T> {
        Provided {
            value,
            source: Some(self.source_of(node)),
        }
    }

    pub(crate) fn source_of(&self, node: &Value<'_>) -> Source {
        self.text.source_at(start(node))
    }

    /// Returns the problems, with a last one that counts those that weren't kept.
    pub(crate) fn finish(mut self) -> Vec<Problem> {
        self.problems.sort_by_key(|problem| problem.source.position);
        if self.beyond > 0
            && let Some(last) = self.problems.last()
        {
            let mut summary = last.clone();
            summary.message = format!("{} further problems in this file", self.beyond);
            "correct those that are listed, then look again".clone_into(&mut summary.help);
            summary.suggestion = None;
            self.problems.push(summary);
        }
        self.problems
    }
}
