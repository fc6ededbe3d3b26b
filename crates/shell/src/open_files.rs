//! Names under which a program opens what a process has open already.

use crate::flow::FIRST_SUBSTITUTION;
use crate::{may_meet, normalize_path};

/// Names of the standard input of the program that opens them.
const STANDARD_INPUT: [&str; 4] = [
    "/dev/stdin",
    "/dev/fd/0",
    "/proc/self/fd/0",
    "/proc/thread-self/fd/0",
];

/// Returns whether an absolute path names the standard input of the program that opens it.
///
/// ```
/// use hookloop_shell::is_standard_input;
///
/// assert!(is_standard_input("/dev/stdin"));
/// assert!(is_standard_input("/dev/./fd/0"));
/// assert!(!is_standard_input("/dev/fd/1"));
/// ```
#[must_use]
pub fn is_standard_input(path: &str) -> bool {
    path.starts_with('/') && STANDARD_INPUT.contains(&normalize_path(path).as_str())
}

/// Returns whether a pattern of file names may match standard input.
pub(crate) fn may_be_standard_input(pattern: &str) -> bool {
    STANDARD_INPUT.iter().any(|it| may_meet(pattern, it))
}

/// Returns whether an absolute path goes through a process's open files or folders, so that it
/// doesn't show what is there. The output of a process substitution isn't such a file.
///
/// ```
/// use hookloop_shell::is_open_file;
///
/// assert!(is_open_file("/dev/fd/3"));
/// assert!(is_open_file("/proc/self/cwd/x"));
/// assert!(!is_open_file("/proc/self/status"));
/// ```
#[must_use]
pub fn is_open_file(path: &str) -> bool {
    if !path.starts_with('/') {
        return false;
    }
    let path = normalize_path(path);
    if STANDARD_INPUT.contains(&path.as_str()) {
        return true;
    }
    if let Some(rest) = path.strip_prefix("/dev/fd/") {
        let number = rest.parse::<usize>();
        return number.is_err()
            || number.is_ok_and(|it| it == 0 || (3..FIRST_SUBSTITUTION).contains(&it));
    }
    let Some((_, rest)) = path
        .strip_prefix("/proc/")
        .and_then(|it| it.split_once('/'))
    else {
        return false;
    };
    let rest = rest
        .strip_prefix("task/")
        .and_then(|it| Some(it.split_once('/')?.1))
        .unwrap_or(rest);
    let is_output = ["fd/1", "fd/2"].contains(&rest);
    !is_output
        && ["cwd", "root", "fd/", "map_files", "mem", "oom_"]
            .iter()
            .any(|it| rest.starts_with(it))
}
