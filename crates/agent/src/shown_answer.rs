//! The model's response in a conversation, as it is shown and stored.

use std::sync::Arc;

use hookloop_model::{Chunk, Content, Part, PartData, Speaker};

use crate::exchange::{Sink, Unfinished, WordsOf};
use crate::frontend::{Frontend, SessionEvent};
use crate::half::Half;
use crate::turn_end::TurnEnd;

/// Shows a response chunk by chunk, and collects it for the history.
pub(crate) struct ShownAnswer {
    frontend: Arc<dyn Frontend>,
    content: Content,
    text: String,
}

impl ShownAnswer {
    pub(crate) fn new(frontend: Arc<dyn Frontend>) -> Self {
        Self {
            frontend,
            content: Content::new(Speaker::Model, Vec::new()),
            text: String::new(),
        }
    }

    /// Returns the whole response, with the calls that the model made.
    pub(crate) fn into_content(self) -> Content {
        self.content
    }

    /// Returns what was shown of a response whose calls nobody will answer.
    pub(crate) fn into_words(self) -> Content {
        words_of(self.content)
    }

    /// Tells the screen that the response is complete.
    pub(crate) fn end(&self) {
        if !self.text.is_empty() {
            self.frontend.show(&SessionEvent::ResponseEnded);
        }
    }

    /// Removes what was shown: the response doesn't count, because of `why` (LO-3).
    pub(crate) fn take_back(self, why: &str) {
        self.frontend.show(&SessionEvent::AnswerDropped {
            text: &self.text,
            why,
        });
    }
}

/// Returns why what was shown isn't all of a response, if it isn't (LO-3).
pub(crate) fn half_of(unfinished: &Unfinished) -> Option<Half> {
    match (unfinished.words, &unfinished.end) {
        (WordsOf::Hook, _) => None,
        (WordsOf::Model, TurnEnd::Cancelled) => Some(Half::Cancelled),
        (WordsOf::Model, TurnEnd::Refused(..) | TurnEnd::Stopped(_)) => Some(Half::StoppedByHook),
        (WordsOf::Model, TurnEnd::EndedEarly(reason)) => Some(Half::EndedEarly(reason.clone())),
        (WordsOf::Model, TurnEnd::Completed | TurnEnd::Failed(_) | TurnEnd::LimitReached(_)) => {
            Some(Half::CutOff)
        }
    }
}

/// Returns the parts of a response that aren't calls.
pub(crate) fn words_of(mut content: Content) -> Content {
    let is_call = |part: &Part| matches!(part.data, PartData::FunctionCall(_));
    content.parts.retain(|part| !is_call(part));
    content
}

impl Sink for ShownAnswer {
    fn take(&mut self, chunk: &Chunk) {
        let text = chunk.visible_text();
        if !text.is_empty() {
            self.frontend.show(&SessionEvent::ModelText(&text));
            self.text.push_str(&text);
        }
        let parts = chunk.content().map(|content| content.parts.as_slice());
        let says_something =
            |part: &&Part| part.visible_text() != Some("") || part.thought_signature.is_some();
        for part in parts.unwrap_or_default().iter().filter(says_something) {
            self.content.push_streamed(part.clone());
        }
    }

    fn text(&self) -> &str {
        &self.text
    }
}
