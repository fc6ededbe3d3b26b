//! The keyrings of macOS (Keychain) and Windows (Credential Manager).

use std::sync::Arc;

use hookloop_settings::{Keyring, KeyringError, SecretName};
use keyring_core::api::CredentialStoreApi;
use keyring_core::{Entry, Error};

#[cfg(target_os = "macos")]
use apple_native_keyring_store::keychain::Store;
#[cfg(windows)]
use windows_native_keyring_store::Store;

/// Accesses the system's keyring.
#[derive(Debug)]
pub(super) struct NativeKeyring;

impl Keyring for NativeKeyring {
    fn read(&self, name: &SecretName) -> Result<Option<String>, KeyringError> {
        match entry(name)?.get_password() {
            Ok(secret) => Ok(Some(secret)),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(failed_error(&error)),
        }
    }

    fn write(&self, name: &SecretName, secret: &str) -> Result<(), KeyringError> {
        entry(name)?
            .set_password(secret)
            .map_err(|error| failed_error(&error))
    }

    fn remove(&self, name: &SecretName) -> Result<(), KeyringError> {
        match entry(name)?.delete_credential() {
            Ok(()) | Err(Error::NoEntry) => Ok(()),
            Err(error) => Err(failed_error(&error)),
        }
    }
}

fn entry(name: &SecretName) -> Result<Entry, KeyringError> {
    let store: Arc<Store> = Store::new().map_err(|error| absent_error(&error))?;
    store
        .build(&name.service, &name.account, None)
        .map_err(|error| failed_error(&error))
}

fn absent_error(error: &Error) -> KeyringError {
    KeyringError::Absent(error.to_string())
}

fn failed_error(error: &Error) -> KeyringError {
    KeyringError::Failed(error.to_string())
}
