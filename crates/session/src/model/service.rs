//! Which model service is used (MO-1, MO-2).

#[cfg(feature = "http")]
use hookloop_hook::Source;
use hookloop_settings::{AgentSettings, Provided};

use crate::environment::{Environment, ModelVariables};
use crate::exit::SessionError;
use crate::model::named_by::NamedBy;
use crate::unusable::{DependsOn, UnusableSetting};

/// The address if only a key of `OpenAI` is set (MO-2).
const OPENAI_URL: &str = "https://api.openai.com/v1";

/// The address if only a key of Anthropic is set (MO-2).
const ANTHROPIC_URL: &str = "https://api.anthropic.com";

/// The model of Anthropic that is used unless one is named.
const CLAUDE: &str = "claude-sonnet-4-5";

/// A model service, with what is needed to call it.
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
        api: OpenAiApi,
    },
    /// A service that speaks Anthropic's messages (MO-2).
    Anthropic {
        base_url: String,
        key: Option<String>,
    },
}

/// Which of `OpenAI`'s interfaces a service speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OpenAiApi {
    /// Chat completions.
    Chat,
    /// Responses.
    Responses,
}

/// Which kind of service is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The Gemini API.
    Gemini,
    /// One that speaks `OpenAI`'s protocol.
    OpenAi,
    /// One that speaks Anthropic's messages.
    Anthropic,
}

impl Kind {
    /// Chooses the kind of service; nothing if none is configured (MO-4).
    ///
    /// An address in the settings was written down on purpose, so it counts before a key that
    /// happens to be in the environment; without one, a key of Gemini counts before the rest, and
    /// `OpenAI`'s before Anthropic's.
    fn choose(models: &ModelVariables, settings: &AgentSettings) -> Option<Self> {
        let (openai, anthropic) = (&settings.openai, &settings.anthropic);
        let choices = [
            (openai.base_url.is_some(), Self::OpenAi),
            (anthropic.base_url.is_some(), Self::Anthropic),
            (models.gemini_key.is_some(), Self::Gemini),
            (
                models.openai_base_url.is_some()
                    || models.openai_key.is_some()
                    || openai.api_key.is_some(),
                Self::OpenAi,
            ),
            (
                models.anthropic_base_url.is_some()
                    || models.anthropic_key.is_some()
                    || anthropic.api_key.is_some(),
                Self::Anthropic,
            ),
        ];
        let chosen = choices.into_iter().find(|(is_there, _)| *is_there);
        chosen.map(|(_, kind)| kind)
    }
}

impl Service {
    /// Chooses the service; nothing if none is configured (MO-4). The environment replaces address
    /// and key of the settings.
    pub(crate) fn choose(
        environment: &Environment,
        settings: &AgentSettings,
    ) -> Result<Option<Self>, SessionError> {
        let models = environment.models()?;
        let key = |own: Option<String>, written: &Option<Provided<String>>, name: &str| match (
            own, written,
        ) {
            (Some(key), _) => Ok(Some(key)),
            (None, Some(written)) => key_of(written, name, environment).map(Some),
            (None, None) => Ok(None),
        };
        let written = |it: &Option<Provided<String>>| it.as_ref().map(|it| it.value.clone());
        let (openai, anthropic) = (&settings.openai, &settings.anthropic);
        Ok(match Kind::choose(&models, settings) {
            None => None,
            Some(Kind::Gemini) => models.gemini_key.map(|key| Self::Gemini {
                key,
                base_url: models.gemini_base_url,
            }),
            Some(Kind::OpenAi) => Some(Self::OpenAi {
                key: key(models.openai_key, &openai.api_key, "openai.apiKey")?,
                base_url: models
                    .openai_base_url
                    .or(written(&openai.base_url))
                    .unwrap_or_else(|| OPENAI_URL.to_owned()),
                api: api(openai.api.as_ref())?,
            }),
            Some(Kind::Anthropic) => Some(Self::Anthropic {
                key: key(models.anthropic_key, &anthropic.api_key, "anthropic.apiKey")?,
                base_url: models
                    .anthropic_base_url
                    .or(written(&anthropic.base_url))
                    .unwrap_or_else(|| ANTHROPIC_URL.to_owned()),
            }),
        })
    }
}

#[cfg(feature = "http")]
impl Service {
    /// Returns where settings name the service's address or key, unless the environment replaces
    /// them.
    pub(super) fn source(
        &self,
        environment: &Environment,
        settings: &AgentSettings,
    ) -> Result<Option<Source>, SessionError> {
        let models = environment.models()?;
        let (is_replaced, address, key) = match self {
            Self::Gemini { .. } => return Ok(None),
            Self::OpenAi { .. } => (
                models.openai_base_url.is_some(),
                &settings.openai.base_url,
                &settings.openai.api_key,
            ),
            Self::Anthropic { .. } => (
                models.anthropic_base_url.is_some(),
                &settings.anthropic.base_url,
                &settings.anthropic.api_key,
            ),
        };
        let address = address.as_ref().filter(|_| !is_replaced);
        Ok(address.or(key.as_ref()).and_then(|it| it.source.clone()))
    }
}

/// Reads which interface is spoken.
pub(super) fn api(setting: Option<&Provided<String>>) -> Result<OpenAiApi, SessionError> {
    let Some(setting) = setting else {
        return Ok(OpenAiApi::Chat);
    };
    match setting.value.as_str() {
        "chat" => Ok(OpenAiApi::Chat),
        "responses" => Ok(OpenAiApi::Responses),
        other => Err(SessionError::Setting(UnusableSetting::new(
            setting.source.clone(),
            DependsOn::Itself,
            format_args!("\"openai.api\" is \"{other}\"; it must be \"chat\" or \"responses\""),
            "write one of them, or leave it out; no session starts until then",
        ))),
    }
}

/// Returns the name of a model that the environment gives for the service that would be called.
pub fn model_variable(models: ModelVariables, settings: &AgentSettings) -> Option<String> {
    Variable::of(models, settings).map(|it| it.model)
}

/// A model that the environment gives.
pub(super) struct Variable {
    /// Its name.
    pub(super) model: String,
    /// What names it.
    pub(super) named_by: NamedBy,
}

impl Variable {
    /// Finds the one for the service that would be called.
    pub(super) fn of(models: ModelVariables, settings: &AgentSettings) -> Option<Self> {
        let kind = Kind::choose(&models, settings);
        let (model, variable) = match kind {
            Some(Kind::OpenAi) => (models.openai_model, "OPENAI_MODEL"),
            Some(Kind::Anthropic) => (models.anthropic_model, "ANTHROPIC_MODEL"),
            Some(Kind::Gemini) | None => (models.gemini_model, "GEMINI_MODEL"),
        };
        let given = model.map(|model| Self {
            model,
            named_by: NamedBy::Variable(variable),
        });
        // Without any name, a service has a usual model of its own.
        given.or_else(|| {
            let is_unnamed = kind == Some(Kind::Anthropic) && settings.model_name.is_none();
            is_unnamed.then(|| Self {
                model: CLAUDE.to_owned(),
                named_by: NamedBy::Nobody,
            })
        })
    }
}

/// Returns a key as it is written, or from the variable that it names.
fn key_of(
    written: &Provided<String>,
    setting: &str,
    environment: &Environment,
) -> Result<String, SessionError> {
    let Some(name) = written.value.strip_prefix('$') else {
        return Ok(written.value.clone());
    };
    let name = name
        .strip_prefix('{')
        .and_then(|name| name.strip_suffix('}'))
        .unwrap_or(name);
    environment.variable(name).ok_or_else(|| {
        SessionError::Setting(UnusableSetting::new(
            written.source.clone(),
            DependsOn::Environment,
            format_args!(
                "\"{setting}\" names the environment variable {name}, which isn't set"
            ),
            "set the variable where sessions start, or name another one; no session starts without it",
        ))
    })
}

#[cfg(test)]
mod tests {
    use hookloop_settings::{AnthropicSettings, OpenAiSettings};

    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        Environment::from_variables(variables)
    }

    fn settings(base_url: Option<&str>, api_key: Option<&str>) -> AgentSettings {
        let provided = |text: &str| Provided::default_of(text.to_owned());
        AgentSettings {
            openai: OpenAiSettings {
                base_url: base_url.map(provided),
                api_key: api_key.map(provided),
                api: None,
            },
            ..AgentSettings::default()
        }
    }

    fn openai(base_url: &str, key: Option<&str>) -> Service {
        Service::OpenAi {
            base_url: base_url.to_owned(),
            key: key.map(str::to_owned),
            api: OpenAiApi::Chat,
        }
    }

    fn chosen(variables: &[(&str, &str)], settings: &AgentSettings) -> Option<Service> {
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

    /// MO-1, MO-2: an explicit address takes precedence over a Gemini key in the environment, and
    /// the model's name belongs to the service.
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

    /// MO-2: a key is read from the variable that the settings name; if it is missing, that is an
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

    /// MO-2: Anthropic is chosen like the others, by an explicit address or by a key, and
    /// `OpenAI`'s responses by a word in the settings.
    #[test]
    fn anthropic_and_responses_are_chosen_like_the_others() {
        let provided = |text: &str| Some(Provided::default_of(text.to_owned()));
        let key = [("ANTHROPIC_API_KEY", "a")];
        let service = |base_url: &str, key: Option<&str>| Service::Anthropic {
            base_url: base_url.to_owned(),
            key: key.map(str::to_owned),
        };
        let none = AgentSettings::default();
        assert!(chosen(&key, &none) == Some(service(ANTHROPIC_URL, Some("a"))));
        let written = AgentSettings {
            anthropic: AnthropicSettings {
                base_url: provided("http://s"),
                api_key: None,
            },
            ..AgentSettings::default()
        };
        let both = [("GEMINI_API_KEY", "g"), ("ANTHROPIC_MODEL", "claude-x")];
        assert!(chosen(&both, &written) == Some(service("http://s", None)));
        let models = environment(&both).models().expect("variables");
        assert_eq!(
            model_variable(models, &written).as_deref(),
            Some("claude-x")
        );
        let mut responses = settings(Some("http://s/v1"), None);
        responses.openai.api = provided("responses");
        assert!(matches!(
            chosen(&[], &responses),
            Some(Service::OpenAi {
                api: OpenAiApi::Responses,
                ..
            })
        ));
        responses.openai.api = provided("grpc");
        let wrong = Service::choose(&environment(&[]), &responses);
        assert!(wrong.is_err_and(|error| error.to_string().contains("responses")));
    }
}
