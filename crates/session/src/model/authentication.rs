//! The way of authenticating that the settings ask for (AG-CLI-7).

use hookloop_settings::Settings;

use crate::environment::Environment;
use crate::exit::SessionError;

/// The only way that requests are authenticated in here.
const BY_KEY: &str = "gemini-api-key";

/// The variables that ask Gemini CLI for another way, and what that is called.
const OTHERS: [(&str, &str); 2] = [
    ("GOOGLE_GENAI_USE_GCA", "oauth-personal"),
    ("GOOGLE_GENAI_USE_VERTEXAI", "vertex-ai"),
];

/// Refuses a session where the settings ask for a way of authenticating that there isn't: another
/// one in its place would not be what somebody decided. Neither is it where the environment asks for
/// another one than the settings enforce.
pub(crate) fn check(settings: &Settings, environment: &Environment) -> Result<(), SessionError> {
    for key in ["enforcedType", "selectedType"] {
        let Some(setting) = settings.lookup(&["security", "auth", key]) else {
            continue;
        };
        let wanted = setting.value.as_str().unwrap_or_default();
        if wanted.is_empty() {
            continue;
        }
        let place = setting.source.map(|it| format!("{it}: "));
        let place = place.unwrap_or_default();
        let is_set = |name: &str| {
            let mut variables = environment.variables.iter();
            variables.any(|(known, value)| known == name && value == "true")
        };
        let other = OTHERS.iter().find(|(name, _)| is_set(name));
        if let ("enforcedType", Some((name, other))) = (key, other)
            && *other != wanted
        {
            return Err(SessionError::OtherAuthentication(format!(
                "{place}The enforced authentication type is '{wanted}', but the current type is \
                 '{other}' ({name}). Unset the variable, or ask who enforces it."
            )));
        }
        if wanted != BY_KEY {
            return Err(SessionError::Authentication(format!(
                "{place}\"security.auth.{key}\" is \"{wanted}\", and only \"{BY_KEY}\" is known here"
            )));
        }
    }
    Ok(())
}
