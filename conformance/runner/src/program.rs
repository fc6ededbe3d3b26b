//! Finds the program that the cases are played through.

use std::env;
use std::path::PathBuf;

/// The variable that names another program to play the cases through.
const CHOSEN: &str = "HOOKLOOP_PROGRAM";

/// Returns the program that somebody chose, or else the one that was built from the sources as they are.
pub(crate) fn hookloop() -> Result<PathBuf, String> {
    match env::var_os(CHOSEN) {
        Some(chosen) => Ok(PathBuf::from(chosen)),
        None => hookloop_testkit::program("hookloop").map_err(|unbuilt| unbuilt.to_string()),
    }
}
