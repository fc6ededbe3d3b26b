//! What requests to the model are for.

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To go on with the conversation.
    Conversation,
    /// To summarise it.
    Compression,
    /// To answer a tool from the web.
    Web,
}

impl Purpose {
    /// Returns the word for it, for records.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Conversation => "conversation",
            Self::Compression => "compression",
            Self::Web => "web",
        }
    }
}
