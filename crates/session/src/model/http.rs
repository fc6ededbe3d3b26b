//! The clients of model services (MO-1, MO-2).

use std::sync::Arc;

use hookloop_model::{
    AnthropicClient, AnthropicOptions, ApiKey, GeminiClient, GeminiOptions, ModelClient,
    ModelOrigins, OpenAiClient, OpenAiOptions, ResponsesClient, RetryObserver, Transport,
    UnsentObserver,
};
use hookloop_settings::AgentSettings;

use crate::environment::Environment;
use crate::exit::SessionError;
use crate::model::service::{OpenAiApi, Service};

/// Builds the client of a service.
pub(super) fn client(
    service: Service,
    environment: &Environment,
    settings: &AgentSettings,
    model_origins: ModelOrigins,
    tell: impl Fn(&str) + Send + Sync + 'static,
) -> Result<Arc<dyn ModelClient>, SessionError> {
    let tell: Arc<dyn Fn(&str) + Send + Sync> = Arc::new(tell);
    let transport = Transport {
        model_origins,
        ..transport(environment, settings, Arc::clone(&tell))
    };
    Ok(match service {
        Service::Gemini { key, base_url } => {
            let mut options = GeminiOptions::new(ApiKey::new(key));
            if let Some(address) = base_url {
                options.base_url = address;
            }
            options.transport = transport;
            Arc::new(GeminiClient::new(options).map_err(SessionError::Service)?)
        }
        Service::OpenAi { base_url, key, api } => {
            let options = OpenAiOptions {
                api_key: key.map(ApiKey::new),
                transport,
                on_unsent: UnsentObserver::new(move |notice| tell(&notice.to_string())),
                ..OpenAiOptions::new(base_url)
            };
            match api {
                OpenAiApi::Chat => {
                    Arc::new(OpenAiClient::new(options).map_err(SessionError::Service)?)
                }
                OpenAiApi::Responses => {
                    Arc::new(ResponsesClient::new(options).map_err(SessionError::Service)?)
                }
            }
        }
        Service::Anthropic { base_url, key } => {
            let options = AnthropicOptions {
                api_key: key.map(ApiKey::new),
                transport,
                on_unsent: UnsentObserver::new(move |notice| tell(&notice.to_string())),
                ..AnthropicOptions::new(base_url)
            };
            Arc::new(AnthropicClient::new(options).map_err(SessionError::Service)?)
        }
    })
}

/// Returns how to connect; a wait for another attempt is reported, so that it doesn't look like a
/// hang.
fn transport(
    environment: &Environment,
    settings: &AgentSettings,
    tell: Arc<dyn Fn(&str) + Send + Sync>,
) -> Transport {
    let usual = Transport::default();
    Transport {
        idle_timeout: settings
            .idle_timeout
            .as_ref()
            .map_or(usual.idle_timeout, |it| it.value),
        proxies: environment.proxies(),
        on_retry: RetryObserver::new(move |notice| tell(&notice.to_string())),
        ..usual
    }
}
