//! The lines that report about hooks, the same in every kind of session. They aren't escaped; the
//! caller must do that.

use std::fmt::Display;

use hookloop_hook::quoted;

/// Formats that a hook is running, as number `number` of `of`. Hooks of the system aren't named
/// (ST-8).
pub fn executing(shown_name: Option<&str>, number: usize, of: usize) -> String {
    match shown_name {
        Some(name) => format!("Executing hook: {name} ({number}/{of})"),
        None => format!("Executing hook ({number}/{of})"),
    }
}

/// Formats a hook's own status message (HT-3), with the name to show.
pub fn status(message: &str, shown_name: Option<&str>, number: usize, of: usize) -> String {
    match shown_name {
        Some(name) => format!("{message} (hook {name}, {number}/{of})"),
        None => format!("{message} (hook {number}/{of})"),
    }
}

/// Formats a hook's message to the user (OUT-1).
pub fn system_message(text: &str) -> String {
    format!("Hook system message: {text}")
}

/// Formats what a hook says to the user (OUT-1), with its name.
pub fn said(label: &str, text: &str) -> String {
    format!("Hook {} says: {text}", quoted(label))
}

/// Formats a notice about a hook, with its place: a failure, or output without effect.
pub fn notice(label: &str, source: &dyn Display, text: &str) -> String {
    format!("Hook {} ({source}): {text}", quoted(label))
}

/// Formats that a configured hook doesn't run, with its place and the cause.
pub fn not_run(label: &str, source: &dyn Display, why: &str) -> String {
    format!("Hook {} ({source}) doesn't run: {why}", quoted(label))
}

/// Marks a line as a warning, with the prefix that scripts look for (AG-CLI-6).
pub fn warning(text: &str) -> String {
    format!("[WARNING] {text}")
}
