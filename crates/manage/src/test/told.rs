//! What came out otherwise, for people.

use hookloop_text::{Palette, Style, visible};
use serde_json::Value;

use super::matching::Difference;

/// Says what came out otherwise, without colour.
pub(super) fn differences(differences: &[Difference], skipped: &[String]) -> String {
    painted_differences(differences, skipped, Palette::Plain)
}

/// Says what came out otherwise, and which hooks did not run.
pub fn painted_differences(
    differences: &[Difference],
    skipped: &[String],
    palette: Palette,
) -> String {
    let mut text = String::new();
    for difference in differences {
        let value = |style, word, value: &Value| {
            let line = format!("{word}{}", visible(&value.to_string()));
            format!("    {}\n", palette.paint(style, &line))
        };
        text.extend([
            format!("  {}\n", visible(&difference.field)),
            value(Style::Good, "expected: ", &difference.expected),
            value(Style::Error, "actual:   ", &difference.actual),
        ]);
    }
    for hook in skipped {
        text.extend([format!("  did not run: {}\n", visible(hook))]);
    }
    text
}
