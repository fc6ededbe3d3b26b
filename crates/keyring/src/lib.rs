//! The operating system's keyring, where extensions keep their secret settings (EX-3), and how
//! hooks get them from there.
//!
//! The port is `hookloop_settings::Keyring`. Each way to it is a keyring of its own: that of Linux
//! speaks to the Secret Service over D-Bus, those of macOS and Windows are the system's. All of
//! them stand behind `Bounded`, because a keyring may wait for a person who is not there.

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

/// How long a keyring may take for one answer.
const LIMIT: Duration = Duration::from_secs(2);

/// Says whether a keyring is used, and how it is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// None is used, because somebody wants secrets in files.
    Files,
    /// That of the system.
    System {
        /// The address of the session's bus, where keyrings are reached over one.
        session_bus: Option<String>,
    },
}

/// Returns the keyring of this system and build. Nothing is asked of it yet.
pub fn open(access: Access) -> Arc<dyn Keyring> {
    match access {
        Access::Files => Arc::new(NoKeyring("GEMINI_FORCE_FILE_STORAGE is set")),
        Access::System { session_bus } => of_system(session_bus),
    }
}

#[cfg(all(feature = "system", unix, not(target_os = "macos")))]
fn of_system(session_bus: Option<String>) -> Arc<dyn Keyring> {
    let service = secret_service::SecretService::new(session_bus, LIMIT);
    Arc::new(Bounded::new(service, LIMIT))
}

#[cfg(all(feature = "system", any(target_os = "macos", windows)))]
fn of_system(_session_bus: Option<String>) -> Arc<dyn Keyring> {
    Arc::new(Bounded::new(native::NativeKeyring, LIMIT))
}

#[cfg(not(all(feature = "system", any(unix, windows))))]
fn of_system(_session_bus: Option<String>) -> Arc<dyn Keyring> {
    Arc::new(Bounded::new(NoKeyring("this build knows none"), LIMIT))
}
