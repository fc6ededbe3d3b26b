//! Records which service each thought came from: a service rejects signatures of another one, and a
//! conversation may continue with another service than it started with (MO-1).

use crate::part::Part;

/// A service that marks its signatures, since Gemini's have no mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signer {
    /// Thoughts of Anthropic's API.
    Anthropic,
    /// Thoughts of Anthropic's API that only it can read.
    AnthropicRedacted,
    /// Thoughts of `OpenAI`'s responses: the item's id, a colon, and the encrypted data.
    OpenAi,
}

impl Signer {
    const ALL: [Self; 3] = [Self::Anthropic, Self::AnthropicRedacted, Self::OpenAi];

    /// The mark; Base64 has no colon, so no signature begins with one.
    const fn mark(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic:",
            Self::AnthropicRedacted => "anthropic-redacted:",
            Self::OpenAi => "openai:",
        }
    }

    /// Marks a signature.
    pub(crate) fn sign(self, signature: &str) -> String {
        format!("{}{signature}", self.mark())
    }

    /// Returns the signature of a part, if it belongs to this service.
    pub(crate) fn signature(self, part: &Part) -> Option<&str> {
        part.thought_signature.as_deref()?.strip_prefix(self.mark())
    }
}

/// Returns whether a part is the thought of a service that marks its own.
pub(crate) fn is_marked(part: &Part) -> bool {
    let signs = |signer: &Signer| signer.signature(part).is_some();
    part.thought && Signer::ALL.iter().any(signs)
}
