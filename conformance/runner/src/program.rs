//! Finds the program with which the cases are run.

use std::env;
use std::path::PathBuf;

/// The variable that names another program for the cases.
const CHOSEN: &str = "HOOKLOOP_PROGRAM";

/// Returns the chosen program, or otherwise the one that was built from the current sources.
pub(crate) fn hookloop() -> Result<PathBuf, String> {
    match env::var_os(CHOSEN) {
        Some(chosen) => Ok(PathBuf::from(chosen)),
        None => hookloop_testkit::program("hookloop").map_err(|unbuilt| unbuilt.to_string()),
    }
}
