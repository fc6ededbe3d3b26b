//! What the model is told of the session so far.

use std::sync::Arc;

use hookloop_model::{Content, estimate_tokens};

/// The conversation, oldest first. Requests share its contents instead of copying them.
#[derive(Debug, Clone, Default)]
pub(crate) struct History(Vec<Arc<Content>>);

impl History {
    pub(crate) fn push(&mut self, content: Content) -> Arc<Content> {
        let content = Arc::new(content);
        self.0.push(Arc::clone(&content));
        content
    }

    pub(crate) fn contents(&self) -> &[Arc<Content>] {
        &self.0
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn replace(&mut self, contents: Vec<Arc<Content>>) {
        self.0 = contents;
    }

    /// Estimates the size in tokens (LO-5).
    pub(crate) fn tokens(&self) -> u64 {
        estimate_tokens(self.0.iter().map(|content| &**content))
    }
}
