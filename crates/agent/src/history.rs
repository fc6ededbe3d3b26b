//! What the model is told of the session so far.

use std::sync::Arc;

use hookloop_model::{Content, Usage, estimate_tokens};

/// The conversation, oldest first. Requests share its contents instead of copying them.
#[derive(Debug, Clone, Default)]
pub(crate) struct History {
    contents: Vec<Arc<Content>>,
    /// What the model last said of the size.
    reported: Option<Reported>,
    /// The size at the last attempt to compress, in tokens.
    attempted: Option<u64>,
}

/// The size of a request and its answer as the model counted it, everything included that goes
/// with every request.
#[derive(Debug, Clone, Copy)]
struct Reported {
    tokens: u64,
    /// How many contents that was of.
    contents: usize,
}

impl History {
    pub(crate) fn push(&mut self, content: Content) -> Arc<Content> {
        let content = Arc::new(content);
        self.contents.push(Arc::clone(&content));
        content
    }

    pub(crate) fn contents(&self) -> &[Arc<Content>] {
        &self.contents
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn replace(&mut self, contents: Vec<Arc<Content>>) {
        *self = Self {
            contents,
            ..Self::default()
        };
    }

    /// Takes over how large the model says that the conversation is, its last answer included
    /// (PC-1).
    pub(crate) fn note_usage(&mut self, usage: &Usage) {
        let answer = usage.candidates_token_count.unwrap_or_default();
        if let Some(prompt) = usage.prompt_token_count.filter(|tokens| *tokens > 0) {
            self.reported = Some(Reported {
                tokens: prompt.saturating_add(answer),
                contents: self.contents.len(),
            });
        }
    }

    /// Estimates the size in tokens (LO-5).
    pub(crate) fn tokens(&self) -> u64 {
        estimate_tokens(self.contents.iter().map(|content| &**content))
    }

    /// Returns the size of what would be sent: what the model last counted, where it did, and
    /// estimates of the rest (PC-1). `beside` is what goes with every request.
    pub(crate) fn request_tokens(&self, beside: u64) -> u64 {
        match self.reported {
            Some(reported) => {
                let since = self.contents.get(reported.contents..).unwrap_or_default();
                let since = estimate_tokens(since.iter().map(|content| &**content));
                reported.tokens.saturating_add(since)
            }
            None => self.tokens().saturating_add(beside),
        }
    }

    /// Tells whether a compression is worth another attempt: not before the history has grown by
    /// a tenth since the last one (PC-1).
    pub(crate) fn has_grown(&self) -> bool {
        let tokens = self.tokens();
        self.attempted
            .is_none_or(|at| tokens > at && tokens >= at.saturating_add(at / 10))
    }

    /// Notes that there was an attempt to compress, whatever came of it.
    pub(crate) fn note_attempt(&mut self) {
        self.attempted = Some(self.tokens());
    }
}
