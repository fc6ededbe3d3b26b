//! The tools that access the web through the model's own tools.

mod addresses;
mod google_web_search;
mod web_fetch;

pub use google_web_search::GoogleWebSearch;
pub use web_fetch::WebFetch;

use crate::{GroundingKind, Output, RunContext};

/// Answers a prompt from the web.
async fn answer(kind: GroundingKind, prompt: &str, context: RunContext<'_>) -> Output {
    match context.services.ground(kind, prompt).await {
        Ok(text) if text.trim().is_empty() => {
            Output::new("The web returned no answer.", "No answer")
        }
        Ok(text) => Output::new(text.clone(), text),
        Err(error) => Output::failed(error),
    }
}
