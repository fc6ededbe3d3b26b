//! What came of tests, for people.

use hookloop_text::{Palette, Style, Terminal, visible};
use serde_json::Value;

use super::{Difference, TestEnd, TestResult};

/// Says what came of each test, and of all.
pub(crate) fn tested(results: &[TestResult], terminal: Terminal) -> String {
    let palette = terminal.palette;
    let mut text = String::new();
    let mut failed = 0_usize;
    for result in results {
        let (word, style) = match &result.end {
            TestEnd::Passed => ("ok  ", Style::Good),
            TestEnd::Failed(_) | TestEnd::Broken(_) => ("FAIL", Style::Error),
        };
        text.extend([format!(
            "{} {}/{} ({:.1} ms)\n",
            palette.paint(style, word),
            visible(&result.event),
            visible(&result.name),
            result.duration.as_secs_f64() * 1000.0
        )]);
        for late in &result.late {
            text.extend([format!("  too late to decide: {}\n", visible(late))]);
        }
        match &result.end {
            TestEnd::Passed => continue,
            TestEnd::Broken(why) => text.extend([format!("  {}\n", visible(why))]),
            TestEnd::Failed(all) => text.push_str(&painted(all, &result.skipped, palette)),
        }
        failed += 1;
        text.extend([format!("  in {}\n", visible(&result.path))]);
    }
    let passed = results.len() - failed;
    text + &format!("{passed} passed, {failed} failed\n")
}

/// Says what came out otherwise, without colour.
pub(crate) fn differences(differences: &[Difference], skipped: &[String]) -> String {
    painted(differences, skipped, Palette::Plain)
}

fn painted(differences: &[Difference], skipped: &[String], palette: Palette) -> String {
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
