//! Answers that ended before they were complete (LO-3).

use std::fmt;

use hookloop_model::{Content, Part};

/// What precedes a note in what is kept.
const GAP: &str = "\n\n";
const OPENING: &str = "[This answer is incomplete: ";
const CLOSING: &str = "]";

/// Why only a part of a response is kept (LO-3). A hook's reason isn't part of it: the history goes
/// to the model, from which the reason may withhold something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Half {
    /// The user cancelled.
    Cancelled,
    /// A hook refused the rest, or ended the loop (AM-3, AM-4).
    StoppedByHook,
    /// The connection broke, or the model didn't end it.
    CutOff,
    /// The model ended it for this reason.
    EndedEarly(String),
}

impl fmt::Display for Half {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled => formatter.write_str("the user cancelled it here"),
            Self::StoppedByHook => formatter.write_str("a hook stopped it here"),
            Self::CutOff => formatter.write_str("it was cut off"),
            Self::EndedEarly(reason) => write!(formatter, "it ended early: {reason}"),
        }
    }
}

impl Half {
    /// Returns whether nothing else that is shown says that the response is incomplete: the other
    /// ways end the turn with words that do.
    pub const fn needs_words(&self) -> bool {
        matches!(self, Self::StoppedByHook)
    }

    /// Returns the line that marks such a response, for the history and for people.
    pub fn note(&self) -> String {
        format!("{OPENING}{self}{CLOSING}")
    }

    /// Marks what is kept of a response.
    pub(crate) fn mark(&self, content: &mut Content) {
        let note = format!("{GAP}{}", self.note());
        content.parts.push(Part::text(note));
    }
}

/// An answer of the model, as people read it in a conversation that is shown again (SE-11).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptAnswer {
    /// What the model said.
    pub text: String,
    /// The line that marks it as incomplete. It isn't the model's: if the text ends in the middle
    /// of a list or of code, it doesn't belong to these.
    pub note: Option<String>,
}

impl KeptAnswer {
    /// Reads a response of the history.
    pub fn of(content: &Content) -> Self {
        let last = content.parts.last().and_then(Part::visible_text);
        let note = last.and_then(|it| it.strip_prefix(GAP));
        let note = note.filter(|it| it.starts_with(OPENING) && it.ends_with(CLOSING));
        let mut text = content.visible_text();
        if let Some(note) = note {
            text.truncate(text.len() - GAP.len() - note.len());
        }
        Self {
            note: note.map(str::to_owned),
            text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LO-3, SE-11: what marks an answer is told from what the model said, and nothing else is
    /// taken for it.
    #[test]
    fn the_mark_is_told_from_the_answer() {
        for half in [
            Half::Cancelled,
            Half::EndedEarly("MAX]\n\n[TOKENS".to_owned()),
        ] {
            let mut content = Content::model("```rust\nfn ma");
            half.mark(&mut content);
            let kept = KeptAnswer::of(&content);
            assert_eq!(kept.text, "```rust\nfn ma");
            assert_eq!(kept.note, Some(half.note()));
        }
        for text in ["", "whole", "a list\n\n[This answer is incomplete: no]"] {
            let kept = KeptAnswer::of(&Content::model(text));
            assert_eq!((kept.text.as_str(), kept.note), (text, None));
        }
    }
}
