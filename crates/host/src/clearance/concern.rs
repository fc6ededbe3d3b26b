//! The concern about a call.

use std::path::PathBuf;

/// Why a call needs a person's consent (TR-8).
///
/// Deliberately exhaustive: a host must not let a call run because it doesn't know the concern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Concern {
    /// It would write, delete, move or change the permissions of this file or folder.
    Touches(PathBuf),
    /// It would run this command of this program, which changes files that guards depend on
    /// (TR-11).
    Changes(String),
    /// It might, because this part of it is opaque.
    Unclear(String),
}
