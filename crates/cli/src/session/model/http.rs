//! The clients of model services, from what the environment says (MO-1, MO-2).

use std::sync::Arc;

use hookloop_model::{
    ApiKey, GeminiClient, GeminiOptions, ModelClient, OpenAiClient, OpenAiOptions, Proxies,
    RetryObserver, Transport,
};

use crate::environment::{Environment, ModelVariables};
use crate::session::exit::SessionError;
use crate::session::notices;

/// Where a key alone leads to (MO-2).
const OPENAI_URL: &str = "https://api.openai.com/v1";

/// Builds the client of the service that the environment names; nothing if it names none.
pub(super) fn service(
    environment: &Environment,
) -> Result<Option<Arc<dyn ModelClient>>, SessionError> {
    let models = environment.models();
    if let Some(key) = &models.gemini_key {
        return Ok(Some(gemini(key, &models)?));
    }
    let address = models.openai_base_url.as_deref();
    let key = models.openai_key.as_deref();
    match (address, key) {
        (None, None) => Ok(None),
        (address, key) => Ok(Some(openai(address.unwrap_or(OPENAI_URL), key, &models)?)),
    }
}

fn gemini(key: &str, models: &ModelVariables) -> Result<Arc<dyn ModelClient>, SessionError> {
    let mut options = GeminiOptions::new(ApiKey::new(key));
    if let Some(address) = &models.gemini_base_url {
        options.base_url.clone_from(address);
    }
    options.transport = transport(models);
    Ok(Arc::new(
        GeminiClient::new(options).map_err(SessionError::Service)?,
    ))
}

fn openai(
    address: &str,
    key: Option<&str>,
    models: &ModelVariables,
) -> Result<Arc<dyn ModelClient>, SessionError> {
    let mut options = OpenAiOptions::new(address);
    options.api_key = key.map(ApiKey::new);
    options.transport = transport(models);
    Ok(Arc::new(
        OpenAiClient::new(options).map_err(SessionError::Service)?,
    ))
}

/// Says how to connect; a wait for another attempt is told, so that it does not look like a
/// hang.
fn transport(models: &ModelVariables) -> Transport {
    Transport {
        proxies: Proxies {
            http: models.http_proxy.clone(),
            https: models.https_proxy.clone(),
            all: models.all_proxy.clone(),
            none_for: models.no_proxy.clone(),
        },
        on_retry: RetryObserver::new(|notice| notices::print(&notice.to_string())),
        ..Transport::default()
    }
}
