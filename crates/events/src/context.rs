//! Text that hooks add for the model.

use serde::{Serialize, Serializer};

/// Non-empty context from hooks. It is wrapped for the model, so that it can't pass for the user's
/// or the agent's own words (OUT-8).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookContext(String);

impl HookContext {
    /// Creates a context, or returns `None` if the text contains no visible character.
    pub fn new(text: &str) -> Option<Self> {
        (!text.trim().is_empty()).then(|| Self(text.to_owned()))
    }

    /// Joins the contexts of several hooks with newlines, in order (AG-2).
    pub fn join<'a>(contexts: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        contexts.into_iter().cloned().reduce(|mut joined, next| {
            joined.0.push('\n');
            joined.0.push_str(&next.0);
            joined
        })
    }

    /// Returns the text, as the hooks wrote it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the text for the model: between `<hook_context>` tags, with all characters escaped
    /// that could close them (OUT-8).
    pub fn wrapped(&self) -> String {
        let escaped = self.0.replace('<', "&lt;").replace('>', "&gt;");
        format!("<hook_context>{escaped}</hook_context>")
    }
}

impl Serialize for HookContext {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}
