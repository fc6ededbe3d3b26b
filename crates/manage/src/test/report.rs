//! Differences of tests, as text for people.

use hookloop_text::{Palette, Style, visible};
use serde_json::Value;

use super::matching::Difference;
use super::run::SkippedHook;

/// Returns the differences, and the hooks that didn't run, without colours.
pub(super) fn differences(differences: &[Difference], skipped: &[SkippedHook]) -> String {
    let mut text = painted_differences(differences, skipped, Palette::Plain);
    for hook in skipped {
        text.extend([format!("  didn't run: {}\n", visible(&hook.to_string()))]);
    }
    text
}

/// Returns the differences. If a hook of the test didn't run, only that should be reported, so the
/// result is empty.
pub fn painted_differences(
    differences: &[Difference],
    skipped: &[SkippedHook],
    palette: Palette,
) -> String {
    let mut text = String::new();
    let is_of_skipped = |hook: &SkippedHook| {
        let field = format!("hooks.{}", hook.label);
        differences.iter().any(|it| it.field == field)
    };
    if skipped.iter().any(is_of_skipped) {
        return text;
    }
    for difference in differences {
        if let Some(why) = failure(difference) {
            let line = format!("{}: {why}", difference.field);
            text.extend([format!(
                "  {}\n",
                palette.paint(Style::Error, &visible(&line))
            )]);
            continue;
        }
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
    text
}

/// Returns the failure of a hook that was expected not to fail.
fn failure(difference: &Difference) -> Option<&str> {
    let is_failure = difference.field.ends_with(".failure") && difference.expected.is_null();
    let why = difference.actual.get("message").filter(|_| is_failure)?;
    why.as_str()
}
