//! Why a command could not do its work, for people.

use hookloop_manage::CommandFailure;
use hookloop_text::{Palette, Style, visible};

/// Says a failure, and what may have been meant.
pub(crate) fn failure(failure: &CommandFailure, palette: Palette) -> String {
    let mut text = format!(
        "{}: {}\n",
        palette.paint(Style::Error, "error"),
        visible(&failure.message)
    );
    if !failure.candidates.is_empty() {
        let candidates: Vec<String> = failure
            .candidates
            .iter()
            .map(|it| format!("\"{}\"", visible(it)))
            .collect();
        text.extend([format!("  did you mean {}?\n", candidates.join(" or "))]);
    }
    text
}

/// Returns a warning.
pub(crate) fn warning(message: &str) -> String {
    format!("warning: {}\n", visible(message))
}
