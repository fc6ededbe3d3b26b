//! A conversation with a model: its history, and what the model can use.

use std::sync::Arc;

use hookloop_engine::{Clock, SessionHooks, SystemClock};
use hookloop_events::{HookContext, Reason};
use hookloop_model::{Content, InlineData, Part, PartData, Request, Usage};
use hookloop_tools::{MAX_MEDIA_BYTES, Media};
use serde_json::Map;

use crate::approval::WaysToRun;
use crate::frontend::SessionEvent;
use crate::history::History;
use crate::offer::Offer;
use crate::scope::Services;
use crate::transcript::Entry;

/// The origin of what was said, if known.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Origin<'a> {
    /// The model that said it.
    pub(crate) model: Option<&'a str>,
    /// What its service counted for it.
    pub(crate) usage: Option<&'a Usage>,
}

/// A conversation: the session's own, or that of a sub-agent.
pub(crate) struct Conversation {
    pub(crate) offer: Offer,
    pub(crate) history: History,
    /// Context of `SessionStart` hooks that no prompt has carried yet (SS-1).
    pub(crate) start_context: Option<HookContext>,
    /// Why no turn of the session runs, if a hook stopped it at its start (SS-4).
    pub(crate) stopped: Option<Reason>,
}

impl Conversation {
    pub(crate) fn new(offer: Offer) -> Self {
        Self {
            offer,
            history: History::default(),
            start_context: None,
            stopped: None,
        }
    }

    /// Adds to the conversation, for the model and in the transcript.
    pub(crate) fn say(&mut self, services: &Services, content: Content) {
        self.add_answer(services, content, Origin::default());
    }

    /// Adds what a model said to the conversation, with what its service reported about it.
    pub(crate) fn add_answer(&mut self, services: &Services, content: Content, origin: Origin<'_>) {
        let content = self.history.push(content);
        services.transcript.append(&Entry::Message {
            timestamp: SystemClock.now(),
            content: &content,
            model: origin.model,
            usage: origin.usage,
        });
        drop(content);
        let left_out = self.history.leave_out_media();
        if left_out > 0 {
            let what = if left_out == 1 {
                "the oldest image or document".to_owned()
            } else {
                format!("the oldest {left_out} images and documents")
            };
            services.frontend.show(&SessionEvent::Warning(&format!(
                "{what} of this conversation exceeded the {} MiB that can be sent with each \
                 request, so the model no longer sees them; it can read them again",
                MAX_MEDIA_BYTES / 1024 / 1024
            )));
        }
    }

    /// Clears what is sent to the model; what the user sees stays (AA-4).
    pub(crate) fn forget(&mut self, services: &Services) {
        self.history.clear();
        services.transcript.append(&Entry::ContextCleared {
            timestamp: SystemClock.now(),
        });
    }

    /// Continues with a shorter history (LO-5).
    pub(crate) fn shorten(&mut self, services: &Services, contents: Vec<Arc<Content>>) {
        services.transcript.append(&Entry::Compressed {
            timestamp: SystemClock.now(),
            history: contents.iter().map(|content| &**content).collect(),
        });
        self.history.replace(contents);
    }

    /// Goes back to the first messages.
    pub(crate) fn go_back(&mut self, services: &Services, kept: usize) {
        let contents = self.history.contents();
        let kept = kept.min(contents.len());
        let earlier = contents[..kept].to_vec();
        services.transcript.append(&Entry::Rewound {
            timestamp: SystemClock.now(),
            messages: kept,
        });
        self.history.replace(earlier);
    }

    /// Declares the tools that are available now (TO-3, TO-6).
    pub(crate) fn declare_tools(&mut self, services: &Services, hooks: &SessionHooks) {
        let ways = WaysToRun {
            audience: services.frontend.audience(),
            hooks_consent: &|tool| hooks.may_skip_confirmation(tool),
        };
        self.offer.declare(
            &services.policy,
            services.mode.get(),
            ways,
            &*services.model,
        );
    }

    /// Builds the request that continues with the conversation.
    pub(crate) fn request(&self) -> Request {
        self.offer.request(self.history.contents())
    }

    /// Returns the size of what would be sent, in tokens (PC-1).
    pub(crate) fn request_tokens(&self) -> u64 {
        self.history.request_tokens(self.offer.tokens())
    }
}

/// Makes a part of an image or a document (TO-1).
pub(crate) fn inline(media: Media) -> Part {
    Part::new(PartData::InlineData(InlineData {
        mime_type: media.mime_type.to_owned(),
        data: media.data,
        extra: Map::new(),
    }))
}
