//! What came of tests, for people.

use hookloop_manage::{TestEnd, TestResult, painted_differences};
use hookloop_text::{Style, Terminal, visible};

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
            TestEnd::Failed(all) => {
                text.push_str(&painted_differences(all, &result.skipped, palette));
            }
        }
        failed += 1;
        text.extend([format!("  in {}\n", visible(&result.path))]);
    }
    let passed = results.len() - failed;
    text + &format!("{passed} passed, {failed} failed\n")
}
