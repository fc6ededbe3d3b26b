//! The operating system's keyring, as used by extensions (EX-3).
//!
//! This is the port; the program contains the code that accesses the system. A file in the
//! extension's folder lists the settings that are in the keyring, to avoid unnecessary accesses.

use std::fmt;
use std::path::Path;
use std::time::Duration;

/// The file in an extension's folder that lists the settings in the keyring, one per line.
pub const KEYRING_FILE: &str = ".keyring";

/// A secret of an extension in the keyring.
///
/// The extension's folder is part of its identity: another extension with the same name, in another
/// home or in a project, doesn't get the secret.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SecretName {
    /// The label that the keyring shows to people.
    pub service: String,
    /// The folder and the variable.
    pub account: String,
}

impl SecretName {
    /// Creates the name of the secret for a variable of an extension.
    pub fn new(extension: &str, folder: &Path, variable: &str) -> Self {
        Self {
            service: format!("hookloop extension {extension}"),
            account: format!("{variable} of {}", folder.display()),
        }
    }
}

/// Stores secrets for extensions (EX-3). Its methods may wait for the system, but not forever.
pub trait Keyring: fmt::Debug + Send + Sync {
    /// Returns a secret; nothing if there is none of this name.
    fn read(&self, name: &SecretName) -> Result<Option<String>, KeyringError>;
    /// Keeps a secret in the place of an older one.
    fn write(&self, name: &SecretName, secret: &str) -> Result<(), KeyringError>;
    /// Removes a secret; none of this name is fine.
    fn remove(&self, name: &SecretName) -> Result<(), KeyringError>;
}

/// Why an operation of the keyring failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyringError {
    /// There isn't one.
    #[error("there is no keyring: {0}")]
    Absent(String),
    /// It didn't answer in time.
    #[error("the keyring didn't answer within {} ms; it may be locked", .0.as_millis())]
    TimedOut(Duration),
    /// It answered with an error.
    #[error("the keyring failed: {0}")]
    Failed(String),
}

/// Reads the names in [`KEYRING_FILE`].
pub(crate) fn names(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect()
}
