//! The lines that report hooks, the same in every kind of session. They are not escaped yet:
//! whoever shows them does that.

use std::fmt::Display;

use hookloop_hook::quoted;

/// Words that a hook runs, the `number`th of `of`; hooks of the system stay unnamed (ST-8).
pub fn executing(shown_name: Option<&str>, number: usize, of: usize) -> String {
    match shown_name {
        Some(name) => format!("Executing hook: {name} ({number}/{of})"),
        None => format!("Executing hook ({number}/{of})"),
    }
}

/// Words what a hook says of itself while it runs (HT-3), with the name that is shown of it.
pub fn status(message: &str, shown_name: Option<&str>, number: usize, of: usize) -> String {
    match shown_name {
        Some(name) => format!("{message} (hook {name}, {number}/{of})"),
        None => format!("{message} (hook {number}/{of})"),
    }
}

/// Words a hook's message to the user (OUT-1).
pub fn system_message(text: &str) -> String {
    format!("Hook system message: {text}")
}

/// Words what a hook failed at, or what it said that had no effect, with its place.
pub fn notice(label: &str, source: &dyn Display, text: &str) -> String {
    format!("Hook {} ({source}): {text}", quoted(label))
}

/// Words that a configured hook does not run, with its place and the cause.
pub fn not_run(label: &str, source: &dyn Display, why: &str) -> String {
    format!("Hook {} ({source}) does not run: {why}", quoted(label))
}

/// Marks a line as a warning, in the words that scripts look for (AG-CLI-6).
pub fn warning(text: &str) -> String {
    format!("[WARNING] {text}")
}
