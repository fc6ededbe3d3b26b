//! Formats texts.

use std::fmt::{Arguments, Write};

/// Appends formatted text.
pub(crate) fn append(text: &mut String, more: Arguments<'_>) {
    // Writing to a string can't fail.
    let _ = text.write_fmt(more);
}
