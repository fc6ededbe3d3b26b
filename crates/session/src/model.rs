//! Chooses the model client (MO-1…5).

use std::sync::Arc;

use hookloop_model::{ModelClient, NoModelConfigured, RecordingClient, Script, ScriptedClient};
use hookloop_settings::AgentSettings;

use crate::environment::Environment;
use crate::exit::SessionError;
use crate::model::named_by::NamedBy;
use crate::options::{Answers, Options};
#[cfg(feature = "http")]
use crate::unusable::{DependsOn, UnusableSetting};

pub(crate) mod authentication;
#[cfg(feature = "http")]
mod http;
mod named_by;
#[cfg(feature = "http")]
mod origin;
mod service;

pub(crate) use service::Service;
use service::Variable;
pub use service::model_variable;

/// The model that is used unless the options or settings name one.
const DEFAULT_MODEL: &str = "gemini-2.5-pro";

/// Builds the client that options, environment and settings select: a script first, then a model
/// service (MO-1…5). The client's messages while it works are passed on.
pub(crate) fn client(
    options: &Options,
    environment: &Environment,
    settings: &AgentSettings,
    tell: impl Fn(&str) + Send + Sync + 'static,
) -> Result<Arc<dyn ModelClient>, SessionError> {
    let client = match &options.answers {
        Some(Answers { file, matching }) => {
            let path = environment.current_dir.join(file);
            Arc::new(ScriptedClient::new(Script::load(&path, *matching)?))
        }
        None => service(options, environment, settings, tell)?,
    };
    match &options.record_responses {
        Some(file) => {
            let path = environment.current_dir.join(file);
            Ok(Arc::new(RecordingClient::append_to(&path, client)?))
        }
        None => Ok(client),
    }
}

fn service(
    options: &Options,
    environment: &Environment,
    settings: &AgentSettings,
    tell: impl Fn(&str) + Send + Sync + 'static,
) -> Result<Arc<dyn ModelClient>, SessionError> {
    let service = Service::choose(environment, settings)?;
    let service = service.ok_or(SessionError::NoModel(NoModelConfigured))?;
    #[cfg(feature = "http")]
    {
        let origins = origin::origins(chosen_model(options, environment, settings)?);
        http::client(service, environment, settings, origins, tell)
    }
    #[cfg(not(feature = "http"))]
    {
        drop((service, options, tell));
        Err(SessionError::Configuration(
            "this build has no clients of model services; use --fake-responses".to_owned(),
        ))
    }
}

/// Checks what the settings and the environment say about services, as a session that calls one
/// does. Connects to nothing.
pub(crate) fn check_service(
    environment: &Environment,
    settings: &AgentSettings,
) -> Result<(), SessionError> {
    service::api(settings.openai.api.as_ref())?;
    let Some(service) = Service::choose(environment, settings)? else {
        return Ok(());
    };
    #[cfg(feature = "http")]
    {
        let source = service.source(environment, settings)?;
        let origins = hookloop_model::ModelOrigins::default();
        let client = http::client(service, environment, settings, origins, |_| ());
        client.map(drop).map_err(|error| match error {
            SessionError::Service(why) => SessionError::Setting(UnusableSetting::new(
                source,
                DependsOn::Environment,
                why,
                "correct the address or the key; no session starts until then",
            )),
            other => other,
        })
    }
    #[cfg(not(feature = "http"))]
    {
        drop(service);
        Ok(())
    }
}

/// The model of a session.
pub(crate) struct ChosenModel {
    /// Its name as it was chosen, which may be an alias (MO-6).
    pub(crate) name: String,
    /// Its name at the service.
    pub(crate) served: String,
    /// Where its name was given.
    #[cfg_attr(
        not(feature = "http"),
        expect(dead_code, reason = "only services don't find one")
    )]
    pub(crate) named_by: NamedBy,
}

/// Returns the model that a session uses: of the options, a variable, the settings, or the usual
/// one.
pub(crate) fn chosen_model(
    options: &Options,
    environment: &Environment,
    settings: &AgentSettings,
) -> Result<ChosenModel, SessionError> {
    let given = options.model.as_ref();
    let mut found = given.map(|it| (it.clone(), NamedBy::Option));
    if found.is_none() {
        let variable = Variable::of(environment.models()?, settings);
        found = variable.map(|it| (it.model, it.named_by));
    }
    let set = settings.model_name.as_ref();
    let (name, named_by) = found
        .or_else(|| set.map(|it| (it.value.clone(), NamedBy::Settings(it.source.clone()))))
        .unwrap_or_else(|| (DEFAULT_MODEL.to_owned(), NamedBy::Nobody));
    let served = settings.models.profile(&name).model;
    Ok(ChosenModel {
        name,
        served,
        named_by,
    })
}
