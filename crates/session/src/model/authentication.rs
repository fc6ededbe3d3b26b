//! The authentication method that the settings require (AG-CLI-7).

use hookloop_settings::Settings;
use serde_json::Value;

use crate::environment::Environment;
use crate::exit::SessionError;
use crate::unusable::{DependsOn, UnusableSetting};

/// The only way that requests are authenticated in here.
const BY_KEY: &str = "gemini-api-key";

/// What to do.
const HELP: &str = "leave it out, or ask who enforces it; no session starts until then";

/// The variables that select another method in Gemini CLI, and its name.
const OTHERS: [(&str, &str); 2] = [
    ("GOOGLE_GENAI_USE_GCA", "oauth-personal"),
    ("GOOGLE_GENAI_USE_VERTEXAI", "vertex-ai"),
];

/// Refuses a session if the settings require an authentication method that doesn't exist here,
/// because another one wouldn't be what somebody decided. It also refuses one if the environment
/// selects another method than the settings enforce.
pub(crate) fn check(settings: &Settings, environment: &Environment) -> Result<(), SessionError> {
    let restrictions = &settings.agent.restrictions;
    let is_set = |name: &str| {
        let mut variables = environment.variables.iter();
        variables.any(|(known, value)| known == name && value == "true")
    };
    if let Some((name, other)) = OTHERS.iter().find(|(name, _)| is_set(name))
        && let Some((setting, wanted)) = restrictions.of_authentication(other)
    {
        return Err(SessionError::OtherAuthentication(UnusableSetting::new(
            Some(setting.source.clone()),
            DependsOn::Environment,
            format_args!(
                "The enforced authentication type is '{wanted}', but the current type is \
                 '{other}' ({name}). Unset the variable, or ask who enforces it."
            ),
            HELP,
        )));
    }
    if let Some((setting, wanted)) = restrictions.of_authentication(BY_KEY) {
        return Err(SessionError::Authentication(UnusableSetting::new(
            Some(setting.source.clone()),
            DependsOn::Itself,
            format_args!(
                "\"{}\" is \"{wanted}\", but only \"{BY_KEY}\" is supported",
                setting.key
            ),
            HELP,
        )));
    }
    let selected = settings.lookup(&["security", "auth", "selectedType"]);
    let selected = selected.map(|it| (it.source, it.value));
    match selected {
        Some((source, Value::String(wanted))) if !matches!(&*wanted, "" | BY_KEY) => {
            Err(SessionError::Authentication(UnusableSetting::new(
                source,
                DependsOn::Itself,
                format_args!(
                    "\"security.auth.selectedType\" is \"{wanted}\", but only \"{BY_KEY}\" is \
                     supported"
                ),
                HELP,
            )))
        }
        _ => Ok(()),
    }
}
