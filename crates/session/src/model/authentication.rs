//! The authentication method that the settings require (AG-CLI-7).

use hookloop_settings::Settings;

use crate::environment::Environment;
use crate::exit::SessionError;

/// The only way that requests are authenticated in here.
const BY_KEY: &str = "gemini-api-key";

/// The variables that select another method in Gemini CLI, and its name.
const OTHERS: [(&str, &str); 2] = [
    ("GOOGLE_GENAI_USE_GCA", "oauth-personal"),
    ("GOOGLE_GENAI_USE_VERTEXAI", "vertex-ai"),
];

/// Refuses a session if the settings require an authentication method that doesn't exist here, because
/// another one wouldn't be what somebody decided. It also refuses one if the environment selects another
/// method than the settings enforce.
pub(crate) fn check(settings: &Settings, environment: &Environment) -> Result<(), SessionError> {
    let restrictions = &settings.agent.restrictions;
    let is_set = |name: &str| {
        let mut variables = environment.variables.iter();
        variables.any(|(known, value)| known == name && value == "true")
    };
    if let Some((name, other)) = OTHERS.iter().find(|(name, _)| is_set(name))
        && let Some((setting, wanted)) = restrictions.of_authentication(other)
    {
        let place = &setting.source;
        return Err(SessionError::OtherAuthentication(format!(
            "{place}: The enforced authentication type is '{wanted}', but the current type is \
             '{other}' ({name}). Unset the variable, or ask who enforces it."
        )));
    }
    if let Some((setting, wanted)) = restrictions.of_authentication(BY_KEY) {
        let place = setting.place();
        return Err(SessionError::Authentication(format!(
            "{place} is \"{wanted}\", but only \"{BY_KEY}\" is supported"
        )));
    }
    let selected = settings.lookup(&["security", "auth", "selectedType"]);
    let selected = selected.as_ref().map(|it| (it.place(), it.value.as_str()));
    match selected {
        Some((place, Some(wanted))) if !matches!(wanted, "" | BY_KEY) => {
            Err(SessionError::Authentication(format!(
                "{place}\"security.auth.selectedType\" is \"{wanted}\", but only \"{BY_KEY}\" is \
                 supported"
            )))
        }
        _ => Ok(()),
    }
}
