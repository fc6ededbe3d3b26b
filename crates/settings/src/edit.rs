//! Writes settings without losing comments, order or unknown keys (ST-10).
//!
//! [`SettingsText`] is the pure half: it finds the bytes that an edit affects in the syntax tree,
//! and replaces only those, so every other byte stays the same by construction. [`SettingsFile`] is
//! the other half: it holds a lock between reading and writing, and replaces the file as a whole.

mod container;
mod error;
mod file;
mod hook_entry;
mod leftovers;
mod list_entry;
mod lock;
mod render;
mod splice;
mod text;

pub use error::{EditError, EditFault};
pub use file::{Saved, SettingsFile};
pub use hook_entry::NewHook;
pub use list_entry::EntryPlace;
pub use lock::lock_within;
pub use text::{Changed, SettingsText};

#[cfg(test)]
mod tests;
