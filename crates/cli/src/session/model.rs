//! Chooses the model client (MO-1…5).

use std::sync::Arc;

use hookloop_model::{
    Matching, ModelClient, NoModelConfigured, RecordingClient, Script, ScriptedClient,
};

use crate::arguments::SessionOptions;
use crate::environment::Environment;
use crate::session::exit::SessionError;

#[cfg(feature = "http")]
mod http;

/// Builds the client that the options and the environment ask for: a script first, then a
/// model service (MO-1…5).
pub(crate) fn client(
    options: &SessionOptions,
    environment: &Environment,
) -> Result<Arc<dyn ModelClient>, SessionError> {
    let client = match &options.fake_responses {
        Some(file) => {
            let matching = if options.fake_responses_non_strict {
                Matching::ByMethod
            } else {
                Matching::Strict
            };
            let path = environment.current_dir.join(file);
            Arc::new(ScriptedClient::new(Script::load(&path, matching)?))
        }
        None => service(environment)?,
    };
    match &options.record_responses {
        Some(file) => {
            let path = environment.current_dir.join(file);
            Ok(Arc::new(RecordingClient::append_to(&path, client)?))
        }
        None => Ok(client),
    }
}

#[cfg(feature = "http")]
fn service(environment: &Environment) -> Result<Arc<dyn ModelClient>, SessionError> {
    http::service(environment)?.ok_or(SessionError::NoModel(NoModelConfigured))
}

#[cfg(not(feature = "http"))]
fn service(_environment: &Environment) -> Result<Arc<dyn ModelClient>, SessionError> {
    Err(SessionError::NoModel(NoModelConfigured))
}
