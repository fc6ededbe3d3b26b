//! What `check` reports because no session starts with it (CM-3).

use hookloop_hook::{Problem, ProblemCode, Source};

use crate::environment::{Environment, EnvironmentError};
use crate::exit::SessionError;
use crate::model::{authentication, check_service};
use crate::policy::{allowed_mode, configured_mode};
use crate::telling;
use crate::workspace::Workspace;

/// Returns what keeps sessions from starting, besides files and policies: modes, services,
/// telemetry. Each is found by the function that the session calls. Changes nothing (TR-7).
pub(super) fn of_settings(workspace: &Workspace, environment: &Environment) -> Vec<Problem> {
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
