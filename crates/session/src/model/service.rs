//! Which model service is asked (MO-1, MO-2).

use hookloop_settings::{OpenAiSettings, Provided};

use crate::environment::{Environment, ModelVariables};
use crate::exit::SessionError;

/// Where a key alone leads to (MO-2).
const OPENAI_URL: &str = "https://api.openai.com/v1";

/// A model service, with what is needed to ask it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Service {
    /// The Gemini API (MO-1).
    Gemini {
        key: String,
        base_url: Option<String>,
    },
    /// A service that speaks `OpenAI`'s protocol (MO-2).
    OpenAi {
        base_url: String,
        key: Option<String>,
    },
}

impl Service {
    /// Chooses the service; nothing if none is configured (MO-4).
    ///
    /// An address in the settings was written down on purpose, so it counts before a key that
    /// happens to be in the environment; without one, a key of Gemini counts before the rest. The
    /// environment replaces address and key of the settings.
    pub(crate) fn choose(
        environment: &Environment,
        settings: &OpenAiSettings,
    ) -> Result<Option<Self>, SessionError> {
        let models = environment.models()?;
        let written = settings.base_url.as_ref().map(|it| it.value.clone());
        if written.is_none()
            && let Some(key) = models.gemini_key
        {
            return Ok(Some(Self::Gemini {
                key,
                base_url: models.gemini_base_url,
            }));
        }
        let key = match (models.openai_key, &settings.api_key) {
            (Some(key), _) => Some(key),
            (None, Some(written)) => Some(key_of(written, environment)?),
            (None, None) => None,
        };
        let base_url = models.openai_base_url.or(written);
        if base_url.is_none() && key.is_none() {
            return Ok(None);
        }
        Ok(Some(Self::OpenAi {
            base_url: base_url.unwrap_or_else(|| OPENAI_URL.to_owned()),
            key,
        }))
    }
}

/// Returns the name of a model that the environment gives for the service that would be asked.
pub fn model_variable(models: ModelVariables, settings: &OpenAiSettings) -> Option<String> {
    let speaks_openai = models.openai_base_url.is_some()
        || models.openai_key.is_some()
        || settings.api_key.is_some();
    let is_openai = settings.base_url.is_some() || (models.gemini_key.is_none() && speaks_openai);
    if is_openai {
        models.openai_model
    } else {
        models.gemini_model
    }
}

/// Returns a key as it is written, or from the variable that it names.
fn key_of(written: &Provided<String>, environment: &Environment) -> Result<String, SessionError> {
    let Some(name) = written.value.strip_prefix('$') else {
        return Ok(written.value.clone());
    };
    let name = name
        .strip_prefix('{')
        .and_then(|name| name.strip_suffix('}'))
        .unwrap_or(name);
    environment.variable(name).ok_or_else(|| {
        let place = written.source.as_ref().map(ToString::to_string);
        SessionError::Configuration(format!(
            "{}: \"openai.apiKey\" names the environment variable {name}, which is not set",
            place.unwrap_or_default()
        ))
    })
}

#[cfg(test)]
mod tests {
    use hookloop_settings::Provided;

    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        Environment::of_variables(variables)
    }

    fn settings(base_url: Option<&str>, api_key: Option<&str>) -> OpenAiSettings {
        let provided = |text: &str| Provided::default_of(text.to_owned());
        OpenAiSettings {
            base_url: base_url.map(provided),
            api_key: api_key.map(provided),
        }
    }

    fn openai(base_url: &str, key: Option<&str>) -> Service {
        Service::OpenAi {
            base_url: base_url.to_owned(),
            key: key.map(str::to_owned),
        }
    }

    fn chosen(variables: &[(&str, &str)], settings: &OpenAiSettings) -> Option<Service> {
        Service::choose(&environment(variables), settings).unwrap_or(None)
    }

    /// MO-2: address and key come from the settings; the environment replaces them.
    #[test]
    fn the_environment_replaces_the_settings() {
        let written = settings(Some("http://s/v1"), Some("k"));
        assert!(chosen(&[], &written) == Some(openai("http://s/v1", Some("k"))));
        let variables = [("OPENAI_BASE_URL", "http://e/v1"), ("OPENAI_API_KEY", "e")];
        assert!(chosen(&variables, &written) == Some(openai("http://e/v1", Some("e"))));
        assert!(
            chosen(&variables[1..], &settings(None, None)) == Some(openai(OPENAI_URL, Some("e")))
        );
    }

    /// MO-1, MO-2: an address that somebody wrote down counts before a key of Gemini in the
    /// environment, and the model's name goes with the service.
    #[test]
    fn an_address_in_the_settings_is_a_choice() {
        let variables = [
            ("GEMINI_API_KEY", "g"),
            ("GEMINI_MODEL", "gemini-x"),
            ("OPENAI_MODEL", "llama"),
        ];
        let none = settings(None, None);
        let written = settings(Some("http://s/v1"), None);
        assert!(matches!(
            chosen(&variables, &none),
            Some(Service::Gemini { .. })
        ));
        assert!(chosen(&variables, &written) == Some(openai("http://s/v1", None)));
        let model = |settings| {
            model_variable(
                environment(&variables).models().expect("variables"),
                settings,
            )
        };
        assert_eq!(model(&none).as_deref(), Some("gemini-x"));
        assert_eq!(model(&written).as_deref(), Some("llama"));
    }

    /// MO-2: a key is taken from the variable that the settings name; that it is missing is an
    /// error, not a request without a key.
    #[test]
    fn a_key_may_stand_in_a_variable() {
        for written in ["$MY_KEY", "${MY_KEY}"] {
            let settings = settings(Some("http://s/v1"), Some(written));
            let found = chosen(&[("MY_KEY", "m")], &settings);
            assert!(found == Some(openai("http://s/v1", Some("m"))));
            let missing = Service::choose(&environment(&[]), &settings);
            assert!(missing.is_err_and(|error| error.to_string().contains("MY_KEY")));
        }
    }

    /// MO-4: without address and key there is no service.
    #[test]
    fn nothing_configured_is_no_service() {
        assert!(chosen(&[], &settings(None, None)).is_none());
    }
}
