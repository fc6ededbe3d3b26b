//! The names of signals.

/// The numbers that are the same on Linux and macOS.
const NAMES: [(i32, &str); 12] = [
    (1, "SIGHUP"),
    (2, "SIGINT"),
    (3, "SIGQUIT"),
    (4, "SIGILL"),
    (5, "SIGTRAP"),
    (6, "SIGABRT"),
    (8, "SIGFPE"),
    (9, "SIGKILL"),
    (11, "SIGSEGV"),
    (13, "SIGPIPE"),
    (14, "SIGALRM"),
    (15, "SIGTERM"),
];

/// Returns the name of a signal, if its number means the same on Linux and macOS.
///
/// ```
/// assert_eq!(hookloop_text::signal_name(9), Some("SIGKILL"));
/// assert_eq!(hookloop_text::signal_name(7), None);
/// ```
pub fn signal_name(number: i32) -> Option<&'static str> {
    let named = NAMES.iter().find(|(known, _)| *known == number);
    named.map(|(_, name)| *name)
}
