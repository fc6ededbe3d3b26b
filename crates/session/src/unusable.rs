//! Settings with which no session starts: the session's error and the diagnostic of `hooks check` are one thing (CM-3).

use std::fmt;
use std::path::Path;

use hookloop_hook::{Problem, ProblemCode, Source};

use crate::environment::{Environment, EnvironmentError};
use crate::exit::SessionError;
use crate::model::{authentication, check_service};
use crate::policy::{allowed_mode, configured_mode};
use crate::telling;
use crate::workspace::Workspace;

/// A setting that can't be used.
#[derive(Debug)]
pub struct UnusableSetting {
    source: Option<Source>,
    /// What the session says, which begins with the place.
    said: String,
    /// What to do, if the session's words don't say it.
    help: &'static str,
    depends_on: DependsOn,
}

/// Whether a setting can be used anywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DependsOn {
    /// It can't be used as it is written.
    Itself,
    /// It can be used where the environment is another one: that of a service that checks settings needn't have the
    /// keys of a person.
    Environment,
}

impl UnusableSetting {
    /// Creates the error. What is said begins with the place, if there is one.
    pub(crate) fn new(
        source: Option<Source>,
        depends_on: DependsOn,
        what: impl fmt::Display,
        help: &'static str,
    ) -> Box<Self> {
        let place = source.as_ref().map(|it| format!("{it}: "));
        Box::new(Self {
            said: format!("{}{what}", place.unwrap_or_default()),
            source,
            help,
            depends_on,
        })
    }

    fn into_problem(self) -> Problem {
        let place = self.source.as_ref().map(|it| format!("{it}: "));
        let message = self.said.strip_prefix(&place.unwrap_or_default());
        let source = self.source.clone();
        let mut problem = Problem::new(
            ProblemCode::InvalidValue,
            source.unwrap_or_else(|| Source::of_file(Path::new("the environment"))),
            message.unwrap_or(&self.said),
            self.help,
        );
        if self.depends_on == DependsOn::Environment {
            problem.severity = hookloop_hook::Severity::Warning;
        }
        problem
    }
}

impl fmt::Display for UnusableSetting {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.said)
    }
}

impl std::error::Error for UnusableSetting {}

/// Returns what keeps sessions from starting, besides files and policies: modes, services, telemetry. Each is found by
/// the function that the session calls. Changes nothing (TR-7).
pub(crate) fn diagnostics(workspace: &Workspace, environment: &Environment) -> Vec<Problem> {
    let settings = &workspace.settings;
    let (mode, unknown) = match configured_mode(&settings.agent) {
        Ok(mode) => (allowed_mode(mode, settings).map(drop), None),
        Err(unknown) => (Ok(()), Some(*unknown)),
    };
    let checks = [
        mode,
        authentication::check(settings, environment),
        check_service(environment, &settings.agent),
        telling::outfile(environment, workspace).and_then(|it| match it {
            Some(it) => it.try_out(),
            None => Ok(()),
        }),
    ];
    let refused = checks.into_iter().filter_map(Result::err);
    unknown
        .into_iter()
        .chain(refused.filter_map(problem_of))
        .collect()
}

/// Returns the diagnostic of an error with which no session starts.
fn problem_of(error: SessionError) -> Option<Problem> {
    match error {
        SessionError::Setting(it)
        | SessionError::Authentication(it)
        | SessionError::OtherAuthentication(it) => Some(it.into_problem()),
        SessionError::Environment(EnvironmentError::Variables { file, source }) => {
            Some(Problem::new(
                ProblemCode::UnreadableFile,
                Source::of_file(file),
                format!("the variables of models can't be read: {source}"),
                "make it readable, or remove it: no session starts until then",
            ))
        }
        _ => None,
    }
}
