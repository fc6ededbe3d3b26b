//! Formats file changes as unified diffs.

use std::path::Path;
use std::time::Duration;

use crate::wording::append;

use similar::{DiffTag, TextDiff};

/// The maximum number of bytes of a diff that are shown.
const LIMIT: usize = 64 * 1024;

/// How long the search for a small diff may take before a larger one is good enough.
const DIFF_TIMEOUT: Duration = Duration::from_millis(500);

/// A change of a text.
pub(crate) struct Difference {
    /// As a unified diff, cut with a note if it is very long.
    pub(crate) text: String,
    pub(crate) added_lines: usize,
    pub(crate) removed_lines: usize,
}

/// Returns the change of `path` from `old` to `new`, its text cut with a note if it is very long.
pub(crate) fn difference(path: &Path, old: &str, new: &str) -> Difference {
    let name = path.display().to_string();
    let diff = TextDiff::configure()
        .timeout(DIFF_TIMEOUT)
        .diff_lines(old, new);
    let mut text = diff
        .unified_diff()
        .context_radius(3)
        .header(&name, &name)
        .to_string();
    if text.len() > LIMIT {
        let end = text.floor_char_boundary(LIMIT);
        let left_out = text.len() - end;
        text.truncate(end);
        append(
            &mut text,
            format_args!("\n… {left_out} bytes of the diff left out …\n"),
        );
    }
    let ops = diff.ops();
    Difference {
        text,
        added_lines: ops
            .iter()
            .filter(|op| op.tag() != DiffTag::Equal)
            .map(|op| op.new_range().len())
            .sum(),
        removed_lines: ops
            .iter()
            .filter(|op| op.tag() != DiffTag::Equal)
            .map(|op| op.old_range().len())
            .sum(),
    }
}
