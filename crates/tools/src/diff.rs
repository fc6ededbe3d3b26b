//! Changes of a file, shown as a unified diff.

use std::path::Path;
use std::time::Duration;

use crate::wording::append;

use similar::TextDiff;

/// The most bytes of a diff that are shown.
const LIMIT: usize = 64 * 1024;

/// How long the search for a small diff may take before a larger one is good enough.
const PATIENCE: Duration = Duration::from_millis(500);

/// Returns the change of `path` from `old` to `new`, cut with a note when it is very long.
pub(crate) fn unified(path: &Path, old: &str, new: &str) -> String {
    let name = path.display().to_string();
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old, new);
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
    text
}
