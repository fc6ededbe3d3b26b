//! Replaces pieces of a text, each named by its position in the original text.

use std::ops::Range;

/// Replaces the bytes of a range; an empty range is an insertion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Splice {
    range: Range<usize>,
    with: String,
}

impl Splice {
    pub(super) fn replace(range: Range<usize>, with: impl Into<String>) -> Self {
        Self {
            range,
            with: with.into(),
        }
    }

    pub(super) fn insert(at: usize, text: impl Into<String>) -> Self {
        Self::replace(at..at, text)
    }

    pub(super) fn delete(range: Range<usize>) -> Self {
        Self::replace(range, "")
    }
}

/// Applies splices. Those at the same place keep their order, those that overlap delete together.
pub(super) fn apply(text: &str, mut splices: Vec<Splice>) -> String {
    splices.sort_by_key(|splice| splice.range.start);
    let mut result = String::with_capacity(text.len());
    let mut kept_from = 0;
    for splice in splices {
        if splice.range.start > kept_from {
            result.push_str(&text[kept_from..splice.range.start]);
        }
        result.push_str(&splice.with);
        kept_from = kept_from.max(splice.range.end);
    }
    result.push_str(&text[kept_from..]);
    result
}
