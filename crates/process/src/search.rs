//! Finds programs.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::platform::is_executable;

/// Finds a program in the absolute folders of `PATH`. Relative folders are ignored, because they
/// would depend on the host's current directory.
///
/// ```
/// use hookloop_process::find_program;
///
/// # #[cfg(unix)] {
/// let variables = [("PATH".into(), "bin:/bin:/usr/bin".into())];
/// // `bin` is relative, and is passed over.
/// let shell = find_program(&variables, "sh");
/// assert!(shell.is_some_and(|it| it.is_absolute()));
/// # }
/// ```
pub fn find_program(variables: &[(OsString, OsString)], name: &str) -> Option<PathBuf> {
    std::env::split_paths(path_of(variables))
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|program| is_executable(program))
}

fn path_of(variables: &[(OsString, OsString)]) -> &OsStr {
    let is_path = |name: &OsStr| {
        if cfg!(windows) {
            name.eq_ignore_ascii_case("PATH")
        } else {
            name == "PATH"
        }
    };
    variables
        .iter()
        .rfind(|(name, _)| is_path(name))
        .map_or(OsStr::new(""), |(_, path)| path)
}
