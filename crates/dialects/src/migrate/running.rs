//! How one of their hooks is run, apart from what it runs (FD-20, FD-22).

use serde_json::{Map, Value};

use super::conversion::Conversion;
use super::matcher::shorten;
use super::tree::{Member, Node, Shape};
use super::verdict::Verdict;

/// The limit of a hook that has none in Cursor; `hooksConfig.maxRetries` bounds it here.
const NO_LIMIT: u32 = 1_000_000;

/// Longest timeout, in milliseconds (IO-30).
const MAX_TIMEOUT: f64 = 2_147_483_647.0;

/// Takes over whether a hook is waited for, or runs once (FD-22).
pub(super) fn read_manner_of_running(
    verdict: &mut Verdict,
    conversion: Conversion<'_>,
    member: &Member,
    hook: &mut Map<String, Value>,
) {
    let (key, value) = (member.key.as_str(), &member.value);
    if !conversion.keeps_words() || !value.is_true() {
        verdict.approximate(match key {
            "once" => "\"once\" was dropped, so the hook runs every time".to_owned(),
            _ => format!("\"{key}\" was dropped, so the agent waits for the hook"),
        });
        return;
    }
    hook.insert(key.to_owned(), Value::Bool(true));
    verdict.approximate_unless_stays(conversion.manner, || ignored(member, value));
}

/// Returns how often the follow-up of a hook counts (FD-20); without a value nothing limits it
/// there.
pub(super) fn loop_limit(verdict: &mut Verdict, value: Option<&Node>) -> Option<u32> {
    match value.map(|it| &it.shape) {
        None => {
            verdict.note("only hooksConfig.maxRetries limits its follow-ups");
            Some(NO_LIMIT)
        }
        Some(Shape::Number(number)) if (0.0..=f64::from(NO_LIMIT)).contains(number) => {
            format!("{:.0}", number.floor()).parse().ok()
        }
        Some(Shape::Number(number)) => {
            let what = if *number < 0.0 {
                "is less than 0"
            } else {
                "is more often than any turn continues"
            };
            verdict.approximate(format!(
                "\"loop_limit\" {what} ({number}); the default of 5 is used"
            ));
            None
        }
        Some(_) => {
            verdict.approximate("\"loop_limit\" isn't a number, so the default of 5 is used");
            None
        }
    }
}

/// Returns the note that a field is kept, but that not every reader of the file obeys it.
pub(super) fn ignored(member: &Member, value: &Node) -> String {
    let written = value
        .text()
        .map_or_else(String::new, |it| format!(" (\"{}\")", shorten(it)));
    format!(
        "\"{}\"{written} counts here, and Gemini CLI ignores it",
        member.key
    )
}

/// Turns a time into milliseconds (CM-7).
pub(super) fn read_timeout(
    verdict: &mut Verdict,
    value: &Node,
    units_per_second: f64,
) -> Option<u64> {
    let milliseconds = match value.shape {
        Shape::Number(time) => (time * 1000.0 / units_per_second).round(),
        _ => f64::NAN,
    };
    if (1.0..=MAX_TIMEOUT).contains(&milliseconds) {
        return format!("{milliseconds:.0}").parse().ok();
    }
    verdict.approximate("the timeout is invalid, so the default of 60 s is used");
    None
}
