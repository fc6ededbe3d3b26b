//! The history that is sent to the model.

use std::sync::Arc;

use hookloop_model::{Content, Part, PartData, Usage, estimate_tokens};
use hookloop_tools::MAX_MEDIA_BYTES;

use crate::said_by_user::LEFT_OUT;

/// The conversation, oldest first. Requests share its contents instead of copying them.
#[derive(Debug, Clone, Default)]
pub(crate) struct History {
    contents: Vec<Arc<Content>>,
    /// What the model last reported about the size.
    reported: Option<Reported>,
    /// The size at the last attempt to compress, in tokens.
    attempted: Option<u64>,
}

/// The size of a request and its response as the model counted it, including everything that goes
/// with every request.
#[derive(Debug, Clone, Copy)]
struct Reported {
    tokens: u64,
    /// The number of contents that it covers.
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
        self.leave_out_media();
    }

    /// Leaves out the oldest images and documents if there are too many, with a note for the model
    /// instead of each, and returns their number.
    pub(crate) fn leave_out_media(&mut self) -> usize {
        let size = |part: &Part| match &part.data {
            PartData::InlineData(media) => media.data.len(),
            _ => 0,
        };
        let of_content = |content: &Content| content.parts.iter().map(size).sum::<usize>();
        let mut total: usize = self.contents.iter().map(|it| of_content(it)).sum();
        let mut left_out = 0;
        for content in &mut self.contents {
            if total <= MAX_MEDIA_BYTES {
                break;
            }
            if of_content(content) == 0 {
                continue;
            }
            for part in &mut Arc::make_mut(content).parts {
                let PartData::InlineData(media) = &part.data else {
                    continue;
                };
                if total <= MAX_MEDIA_BYTES {
                    break;
                }
                total -= media.data.len();
                left_out += 1;
                let kind = &media.mime_type;
                let word = format!("{LEFT_OUT}{kind}: there is no more room for it]");
                *part = Part::text(word);
            }
        }
        left_out
    }

    /// Adopts the size of the conversation that the model reports, including its last response
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

    /// Returns the size of what would be sent: what the model last counted, if it did, and
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

    /// Returns whether a compression is worth another attempt: not before the history has grown by
    /// a tenth since the last one (PC-1).
    pub(crate) fn has_grown(&self) -> bool {
        let tokens = self.tokens();
        self.attempted
            .is_none_or(|at| tokens > at && tokens >= at.saturating_add(at / 10))
    }

    /// Records that there was an attempt to compress, whatever its result.
    pub(crate) fn note_attempt(&mut self) {
        self.attempted = Some(self.tokens());
    }
}

#[cfg(test)]
mod tests {
    use hookloop_model::{InlineData, Speaker};
    use serde_json::Map;

    use super::*;

    fn seen(bytes: usize) -> Content {
        let media = InlineData {
            mime_type: "image/png".to_owned(),
            data: "A".repeat(bytes),
            extra: Map::new(),
        };
        let parts = vec![Part::text("look"), Part::new(PartData::InlineData(media))];
        Content::new(Speaker::User, parts)
    }

    /// TO-1: a conversation carries as much media as services accept; the oldest is left out, and
    /// the model is told.
    #[test]
    fn media_are_bounded_over_a_conversation() {
        let mut history = History::default();
        let third = MAX_MEDIA_BYTES / 3;
        for _ in 0..3 {
            history.push(seen(third));
            assert_eq!(history.leave_out_media(), 0);
        }
        history.push(seen(third));
        assert_eq!(history.leave_out_media(), 1);
        history.push(seen(MAX_MEDIA_BYTES));
        assert_eq!(history.leave_out_media(), 3);
        let left_out = |content: &Arc<Content>| {
            let word = content.parts[1].visible_text();
            word.is_some_and(|it| it.starts_with(LEFT_OUT))
        };
        let which: Vec<bool> = history.contents().iter().map(left_out).collect();
        assert_eq!(which, [true, true, true, true, false]);
        history.push(seen(MAX_MEDIA_BYTES + 1));
        assert_eq!(history.leave_out_media(), 2, "nothing larger than all fits");
    }
}
