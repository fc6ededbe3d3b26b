//! The port to a model that looks things up itself.

use std::sync::Arc;

use crate::{BoxFuture, ErrorKind, Output, RunContext, ToolError};

/// Says what the model's own tool shall do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GroundingKind {
    /// Read the pages whose addresses are in the prompt (`web_fetch`).
    Fetch,
    /// Search the web (`google_web_search`).
    Search,
}

/// Says why the web could not be asked; the text is for the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct GroundingUnavailable(pub String);

/// Answers prompts from the web: the port to the Gemini API's own tools (`agent.md` §4).
pub trait Grounding: Send + Sync {
    /// Answers a prompt, with its sources; the future is dropped when the call is cancelled.
    fn answer<'a>(
        &'a self,
        kind: GroundingKind,
        prompt: &'a str,
    ) -> BoxFuture<'a, Result<String, GroundingUnavailable>>;
}

/// Answers a prompt, or says clearly that nothing can.
pub(crate) async fn answer(
    grounding: Option<&Arc<dyn Grounding>>,
    kind: GroundingKind,
    prompt: &str,
    context: RunContext<'_>,
) -> Output {
    let Some(grounding) = grounding else {
        let what = match kind {
            GroundingKind::Fetch => "read web pages",
            GroundingKind::Search => "search the web",
        };
        return Output::failed(ToolError::new(
            ErrorKind::Unavailable,
            format!(
                "the model of this session can't {what}: only Gemini models have a tool for it"
            ),
        ));
    };
    let answered = tokio::select! {
        biased;
        () = context.cancel.cancelled() => return Output::failed(ToolError::cancelled()),
        answered = grounding.answer(kind, prompt) => answered,
    };
    match answered {
        Ok(text) if text.trim().is_empty() => Output::new("The web gave no answer.", "No answer"),
        Ok(text) => Output::new(text.clone(), text),
        Err(why) => Output::failed(ToolError::new(ErrorKind::Unavailable, why.to_string())),
    }
}
