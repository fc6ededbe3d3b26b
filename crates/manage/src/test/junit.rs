//! Results as `JUnit` XML, for CI systems.

use std::fmt::Write as _;

use super::report::differences;
use super::run::{TestEnd, TestResult};

/// Returns the report of all tests.
pub(super) fn report(results: &[TestResult]) -> String {
    let failed = count(results, |end| matches!(end, TestEnd::Failed(_)));
    let broken = count(results, |end| matches!(end, TestEnd::Broken(_)));
    let seconds: f64 = results.iter().map(|it| it.duration.as_secs_f64()).sum();
    let counts = format!(
        "tests=\"{}\" failures=\"{failed}\" errors=\"{broken}\" skipped=\"0\" time=\"{seconds:.3}\"",
        results.len()
    );
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n\
         <testsuite name=\"hooks\" {counts}>\n"
    );
    for result in results {
        xml.push_str(&case(result));
    }
    xml + "</testsuite>\n</testsuites>\n"
}

fn count(results: &[TestResult], is_it: impl Fn(&TestEnd) -> bool) -> usize {
    results.iter().filter(|result| is_it(&result.end)).count()
}

fn case(result: &TestResult) -> String {
    let mut xml = format!(
        "<testcase classname=\"{}\" name=\"{}\" file=\"{}\" time=\"{:.3}\"",
        escaped(&result.event),
        escaped(&result.name),
        escaped(&result.path),
        result.duration.as_secs_f64()
    );
    let (tag, message, text) = match &result.end {
        TestEnd::Passed => return xml + "/>\n",
        TestEnd::Failed(all) => {
            let fields: Vec<&str> = all.iter().map(|it| it.field.as_str()).collect();
            let message = format!("not as expected: {}", fields.join(", "));
            ("failure", message, differences(all, &result.skipped))
        }
        TestEnd::Broken(why) => ("error", why.clone(), String::new()),
    };
    let (message, text) = (escaped(&message), escaped(&text));
    // Writing to a string can't fail.
    let _ = write!(
        xml,
        ">\n<{tag} message=\"{message}\">{text}</{tag}>\n</testcase>\n"
    );
    xml
}

/// Escapes text for XML. Characters that XML 1.0 can't represent are written as `\u{…}`.
fn escaped(text: &str) -> String {
    let mut xml = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => xml.push_str("&amp;"),
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            '"' => xml.push_str("&quot;"),
            '\n' => xml.push('\n'),
            '\u{fffe}' | '\u{ffff}' => xml.extend(character.escape_unicode()),
            _ if character.is_control() => xml.extend(character.escape_unicode()),
            _ => xml.push(character),
        }
    }
    xml
}
