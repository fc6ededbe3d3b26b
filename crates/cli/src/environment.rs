//! Reads the environment, once; nobody else does.

use std::ffi::OsString;

use hookloop_session::{Environment, EnvironmentError, Surroundings};

/// Reads the environment of the program; its variables were taken over already (ENV-3).
pub(crate) fn read(variables: Vec<(OsString, OsString)>) -> Result<Environment, EnvironmentError> {
    Environment::new(Surroundings {
        variables,
        current_dir: std::env::current_dir().map_err(EnvironmentError::CurrentFolder)?,
        scratch_dir: std::env::temp_dir(),
        program: std::env::current_exe().ok(),
        version: env!("CARGO_PKG_VERSION"),
    })
}
