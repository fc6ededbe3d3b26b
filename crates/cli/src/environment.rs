//! Reads the environment, once; nobody else does.

use hookloop_session::{Environment, EnvironmentError, Surroundings};

/// Reads the environment of the program.
pub(crate) fn read() -> Result<Environment, EnvironmentError> {
    Environment::new(Surroundings {
        variables: std::env::vars_os().collect(),
        current_dir: std::env::current_dir().map_err(EnvironmentError::CurrentFolder)?,
        scratch_dir: std::env::temp_dir(),
        program: std::env::current_exe().ok(),
        version: env!("CARGO_PKG_VERSION"),
    })
}
