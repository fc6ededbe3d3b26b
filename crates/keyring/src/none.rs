//! The keyring of a system or build that has none.

use hookloop_settings::{Keyring, KeyringError, SecretName};

/// Fails every call with the reason why there is no keyring.
#[derive(Debug, Clone, Copy)]
pub(super) struct NoKeyring(pub(super) &'static str);

impl NoKeyring {
    fn error(self) -> KeyringError {
        KeyringError::Absent(self.0.to_owned())
    }
}

impl Keyring for NoKeyring {
    fn read(&self, _name: &SecretName) -> Result<Option<String>, KeyringError> {
        Err(self.error())
    }

    fn write(&self, _name: &SecretName, _secret: &str) -> Result<(), KeyringError> {
        Err(self.error())
    }

    fn remove(&self, _name: &SecretName) -> Result<(), KeyringError> {
        Err(self.error())
    }
}
