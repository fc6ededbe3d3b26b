//! A setting with which no session starts: the session's error and the diagnostic of `hooks check`
//! are one thing (CM-3).

use std::fmt;
use std::path::Path;

use hookloop_hook::{Problem, ProblemCode, Severity, Source};

/// A setting that can't be used.
#[derive(Debug)]
pub struct UnusableSetting(Box<Refusal>);

/// Why it can't be used.
#[derive(Debug)]
struct Refusal {
    source: Option<Source>,
    /// The session's error message, which begins with the place.
    message: String,
    /// What to do, if the message doesn't say it.
    help: &'static str,
    depends_on: DependsOn,
}

/// Whether a setting can be used anywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DependsOn {
    /// It can't be used as it is written.
    Itself,
    /// It can be used where the environment is another one: that of a service that checks settings
    /// needn't have the keys of a person.
    Environment,
}

impl UnusableSetting {
    /// Creates the error. Its message begins with the place, if there is one.
    pub(crate) fn new(
        source: Option<Source>,
        depends_on: DependsOn,
        what: impl fmt::Display,
        help: &'static str,
    ) -> Self {
        let place = source.as_ref().map(|it| format!("{it}: "));
        Self(Box::new(Refusal {
            message: format!("{}{what}", place.unwrap_or_default()),
            source,
            help,
            depends_on,
        }))
    }

    /// Turns the error into a diagnostic.
    pub(crate) fn into_problem(self) -> Problem {
        let Refusal {
            source,
            message,
            help,
            depends_on,
        } = *self.0;
        let place = source.as_ref().map(|it| format!("{it}: "));
        let message_alone = message.strip_prefix(&place.unwrap_or_default());
        let mut problem = Problem::new(
            ProblemCode::InvalidValue,
            source.unwrap_or_else(|| Source::of_file(Path::new("the environment"))),
            message_alone.unwrap_or(&message),
            help,
        );
        if depends_on == DependsOn::Environment {
            problem.severity = Severity::Warning;
        }
        problem
    }
}

impl fmt::Display for UnusableSetting {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.message)
    }
}

impl std::error::Error for UnusableSetting {}
