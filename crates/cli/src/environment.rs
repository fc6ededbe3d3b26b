//! Reads the environment once; no other code reads it.

use std::ffi::OsString;

use hookloop_session::{Environment, EnvironmentError, Surroundings};

/// Reads the environment of the program from variables that were captured earlier (ENV-3).
pub(crate) fn read(variables: Vec<(OsString, OsString)>) -> Result<Environment, EnvironmentError> {
    Environment::new(Surroundings {
        variables,
        current_dir: std::env::current_dir().map_err(EnvironmentError::CurrentFolder)?,
        scratch_dir: std::env::temp_dir(),
        program: std::env::current_exe().ok(),
        version: env!("CARGO_PKG_VERSION"),
    })
}
