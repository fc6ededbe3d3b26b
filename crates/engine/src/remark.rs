//! What the user is told of a hook's answer, beside its failure.

use crate::telling::Muttered;
use crate::unknown::UnknownField;

/// Something about a hook's answer that the user should know: a part of it had no effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Remark {
    /// Text where a reply was expected (IO-11); said once per hook.
    Polluted {
        /// The field of an object in the text that would have refused.
        lost: Option<String>,
    },
    /// A field that the event doesn't know (IO-23); said once per hook and field.
    UnknownField(UnknownField),
    /// A sentence that is said once per hook, such as what its dialect means here (FD-21, FD-23).
    OncePerHook(String),
    /// It said something on standard error, and ended as if nothing had happened (IO-25); said once
    /// per hook.
    Muttered(Muttered),
    /// Anything else, as a sentence.
    Other(String),
}
