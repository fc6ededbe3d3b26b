//! The translator between a request and what hooks see of it (BM-1, BM-2, TS-1).
//!
//! Hooks see one message for each content with text. Their changes are found by comparing their
//! messages with those that they received ([`align`]), and merged into the contents ([`rebuild`]),
//! which keep everything that isn't visible text. All of this happens in a separate request: the
//! history shares its contents with the request and never changes (BM-6).

mod align;
mod rebuild;

use std::sync::Arc;

use hookloop_engine::ModelRequest;
use hookloop_events::llm::{LlmMessage, LlmRequest, LlmRequestPatch, Role};
use hookloop_events::{SharedRequest, ToolChoice};

use crate::content::Content;
use crate::request::{Request, RequestParts};

/// The separator between two system messages in one instruction.
const BETWEEN_INSTRUCTIONS: &str = "\n\n";

impl ModelRequest for Request {
    fn view(&self) -> SharedRequest {
        self.view_once(|parts| SharedRequest::new(parts.visible()))
    }

    fn patched(self, patch: &LlmRequestPatch) -> Self {
        let mut parts = self.into_parts();
        if let Some(model) = &patch.model {
            parts.model.clone_from(model);
        }
        if let Some(messages) = &patch.messages {
            parts.rewrite_messages(messages);
        }
        for (key, value) in &patch.config {
            // `null` restores the model's default.
            if value.is_null() {
                parts.config.shift_remove(key);
            } else {
                parts.config.insert(key.clone(), value.clone());
            }
        }
        if let Some(tool_config) = &patch.tool_config {
            parts.set_tool_config(tool_config.clone());
        }
        Self::from(parts)
    }

    fn with_tools(self, choice: &ToolChoice) -> Self {
        let Some(config) = choice.tool_config() else {
            return self;
        };
        let mut parts = self.into_parts();
        parts.narrow_tool_config(config);
        Self::from(parts)
    }
}

impl RequestParts {
    /// Returns what hooks see: the conversation. The system instruction isn't part of it, so that a
    /// hook which writes all messages again can't lose it (BM-2).
    fn visible(&self) -> LlmRequest {
        LlmRequest {
            model: self.model.clone(),
            messages: self
                .contents
                .iter()
                .filter_map(|content| message(content))
                .collect(),
            config: self.config.clone(),
            tool_config: self.tool_config.clone(),
        }
    }

    /// Applies rewritten messages to the contents (BM-2).
    fn rewrite_messages(&mut self, messages: &[LlmMessage]) {
        // A message without text is one whose text was removed.
        let (instructions, turns): (Vec<_>, Vec<_>) = messages
            .iter()
            .filter(|message| !message.content.is_empty())
            .partition(|message| message.role == Role::System);
        self.extend_instruction(&instructions);

        let seen: Vec<(usize, LlmMessage)> = self
            .contents
            .iter()
            .enumerate()
            .filter_map(|(index, content)| Some((index, message(content)?)))
            .collect();
        let old: Vec<&LlmMessage> = seen.iter().map(|(_, message)| message).collect();
        let places: Vec<usize> = seen.iter().map(|(index, _)| *index).collect();
        let steps = align::align(&old, &turns);
        self.contents = rebuild::rebuild(&self.contents, &places, &turns, &steps);
    }

    /// Adds the system messages of hooks to the system instruction.
    fn extend_instruction(&mut self, added: &[&LlmMessage]) {
        if added.is_empty() {
            return;
        }
        let earlier = self.system_instruction.take();
        let mut instruction = earlier.map_or_else(|| Content::system(""), Arc::unwrap_or_clone);
        let earlier = instruction.visible_text();
        let texts = std::iter::once(earlier.as_str())
            .chain(added.iter().map(|message| message.content.as_str()))
            .filter(|text| !text.is_empty());
        let text = texts.collect::<Vec<_>>().join(BETWEEN_INSTRUCTIONS);
        instruction.replace_text(&text);
        self.system_instruction = Some(Arc::new(instruction));
    }
}

/// Returns what hooks see of a content, if it contains any text.
fn message(content: &Content) -> Option<LlmMessage> {
    let text = content.visible_text();
    (!text.is_empty()).then(|| LlmMessage {
        role: content.role.as_role(),
        content: text,
    })
}

#[cfg(test)]
mod tests;
