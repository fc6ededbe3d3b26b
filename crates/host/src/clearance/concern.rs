//! The objection to a call.

use std::path::PathBuf;

/// Why a call needs a person's yes (TR-8).
///
/// It is exhaustive on purpose: a call isn't let through for a concern that its host doesn't know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Concern {
    /// It would write, delete, move or re-mode this file or folder.
    Touches(PathBuf),
    /// It would run this command of this program, which changes files that guards depend on (TR-11).
    Changes(String),
    /// It could, and this part of it can't be seen through.
    Unclear(String),
}
