//! The operating system's keyring, where extensions keep their secret settings (EX-3).
//!
//! The port is `hookloop_settings::Keyring`. Each way to it is a keyring of its own: that of Linux
//! speaks to the Secret Service over D-Bus, those of macOS and Windows are the system's. All of
//! them stand behind [`Bounded`], because a keyring may wait for a person who is not there.

mod bounded;
#[cfg(all(feature = "keyring", any(target_os = "macos", windows)))]
mod native;
mod none;
#[cfg(all(feature = "keyring", unix, not(target_os = "macos")))]
mod secret_service;

use std::sync::Arc;
use std::time::Duration;

use hookloop_settings::Keyring;

use crate::environment::Environment;
use bounded::Bounded;
use none::NoKeyring;

/// How long a keyring may take for one answer.
const LIMIT: Duration = Duration::from_secs(2);

/// Returns the keyring of this system and build. Nothing is asked of it yet.
pub(crate) fn keyring(environment: &Environment) -> Arc<dyn Keyring> {
    if environment.keeps_secrets_in_files() {
        return Arc::new(NoKeyring("GEMINI_FORCE_FILE_STORAGE is set"));
    }
    #[cfg(all(feature = "keyring", unix, not(target_os = "macos")))]
    {
        let service = secret_service::SecretService::new(environment.session_bus(), LIMIT);
        Arc::new(Bounded::new(service, LIMIT))
    }
    #[cfg(all(feature = "keyring", any(target_os = "macos", windows)))]
    {
        Arc::new(Bounded::new(native::NativeKeyring, LIMIT))
    }
    #[cfg(not(all(feature = "keyring", any(unix, windows))))]
    {
        Arc::new(Bounded::new(NoKeyring("this build knows none"), LIMIT))
    }
}
