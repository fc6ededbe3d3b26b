//! Chooses the model client.

use std::sync::Arc;

use hookloop_model::{
    Matching, ModelClient, NoModelConfigured, RecordingClient, Script, ScriptedClient,
};

use crate::arguments::SessionOptions;
use crate::environment::Environment;
use crate::session::exit::SessionError;

/// Builds the client that the options and the environment ask for (MO-3…5).
pub(crate) fn client(
    options: &SessionOptions,
    environment: &Environment,
) -> Result<Arc<dyn ModelClient>, SessionError> {
    let client: Arc<dyn ModelClient> = match &options.fake_responses {
        Some(file) => {
            let matching = match options.fake_responses_non_strict {
                true => Matching::ByMethod,
                false => Matching::Strict,
            };
            let path = environment.current_dir.join(file);
            Arc::new(ScriptedClient::new(Script::load(&path, matching)?))
        }
        None => return Err(SessionError::NoModel(NoModelConfigured)),
    };
    match &options.record_responses {
        Some(file) => {
            let path = environment.current_dir.join(file);
            Ok(Arc::new(RecordingClient::append_to(&path, client)?))
        }
        None => Ok(client),
    }
}
