//! The operating system's keyring, in which extensions store their secret settings (EX-3), and
//! which supplies them to hooks.
//!
//! The port is `hookloop_settings::Keyring`. On Linux, it is implemented with the Secret Service
//! over D-Bus; on macOS and Windows, with the system's own keyring. `Bounded` wraps every
//! implementation, because a keyring may wait for a person who isn't there.

mod bounded;
#[cfg(all(feature = "system", any(target_os = "macos", windows)))]
mod native;
mod none;
#[cfg(all(feature = "system", unix, not(target_os = "macos")))]
mod secret_service;
mod secrets;

use std::sync::Arc;
use std::time::Duration;

use bounded::Bounded;
use hookloop_settings::Keyring;
use none::NoKeyring;

pub use secrets::KeyringSecrets;

/// The time limit for one answer of a keyring.
const LIMIT: Duration = Duration::from_secs(2);

/// Whether a keyring is used, and how it is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// No keyring: secrets are stored in files, as the user wants.
    Files,
    /// The system's keyring.
    System {
        /// The address of the session bus, on systems whose keyring uses one.
        session_bus: Option<String>,
    },
}

/// Returns the keyring of this system and build, without contacting it.
pub fn open(access: Access) -> Arc<dyn Keyring> {
    match access {
        Access::Files => Arc::new(NoKeyring("GEMINI_FORCE_FILE_STORAGE is set")),
        Access::System { session_bus } => system_keyring(session_bus),
    }
}

#[cfg(all(feature = "system", unix, not(target_os = "macos")))]
fn system_keyring(session_bus: Option<String>) -> Arc<dyn Keyring> {
    let service = secret_service::SecretService::new(session_bus, LIMIT);
    Arc::new(Bounded::new(service, LIMIT))
}

#[cfg(all(feature = "system", any(target_os = "macos", windows)))]
fn system_keyring(_session_bus: Option<String>) -> Arc<dyn Keyring> {
    Arc::new(Bounded::new(native::NativeKeyring, LIMIT))
}

#[cfg(not(all(feature = "system", any(unix, windows))))]
fn system_keyring(_session_bus: Option<String>) -> Arc<dyn Keyring> {
    Arc::new(Bounded::new(NoKeyring("this build knows none"), LIMIT))
}
