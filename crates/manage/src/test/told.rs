//! What came out otherwise, for people.

use hookloop_text::{Palette, Style, visible};
use serde_json::Value;

use super::matching::Difference;

/// Says what came out otherwise, without colour.
pub(super) fn differences(differences: &[Difference], skipped: &[String]) -> String {
    painted_differences(differences, skipped, Palette::Plain)
}

/// Says what came out otherwise, and which hooks did not run. Where a hook of the test didn't run, that is all
/// there is to say.
pub fn painted_differences(
    differences: &[Difference],
    skipped: &[String],
    palette: Palette,
) -> String {
    let mut text = String::new();
    let is_of_skipped = |hook: &String| {
        let label = hook.split(": ").next().unwrap_or_default();
        differences
            .iter()
            .any(|it| it.field == format!("hooks.{label}"))
    };
    let mut left: Vec<&Difference> = differences.iter().collect();
    if skipped.iter().any(is_of_skipped) {
        left.clear();
    }
    for difference in left {
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
    for hook in skipped {
        text.extend([format!("  did not run: {}\n", visible(hook))]);
    }
    text
}

/// Returns what a hook failed with that was not to fail.
fn failure(difference: &Difference) -> Option<&str> {
    let is_failure = difference.field.ends_with(".failure") && difference.expected.is_null();
    let why = difference.actual.get("message").filter(|_| is_failure)?;
    why.as_str()
}
