//! The way of authenticating that the settings ask for (AG-CLI-7).

use hookloop_settings::Settings;

use crate::exit::SessionError;

/// The only way that requests are authenticated in here.
const BY_KEY: &str = "gemini-api-key";

/// Refuses a session where the settings ask for a way of authenticating that there isn't: another
/// one in its place would not be what somebody decided.
pub(crate) fn check(settings: &Settings) -> Result<(), SessionError> {
    for key in ["enforcedType", "selectedType"] {
        let Some(setting) = settings.lookup(&["security", "auth", key]) else {
            continue;
        };
        let wanted = setting.value.as_str().unwrap_or_default();
        if wanted != BY_KEY && !wanted.is_empty() {
            let place = setting.source.map(|it| format!("{it}: "));
            return Err(SessionError::Authentication(format!(
                "{}\"security.auth.{key}\" is \"{wanted}\", and only \"{BY_KEY}\" is known here",
                place.unwrap_or_default()
            )));
        }
    }
    Ok(())
}
