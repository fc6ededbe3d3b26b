//! How long a hook may take (IO-30).

use std::time::Duration;

use jsonc_parser::ast::Value;

use crate::syntax::kind_of;

/// Longest timeout, in milliseconds: what a 32-bit timer can represent, about 24 days.
const MAX_MILLISECONDS: f64 = 2_147_483_647.0;

const UNITS: [(&str, f64); 4] = [("ms", 1.0), ("s", 1e3), ("m", 6e4), ("h", 3.6e6)];

/// Reads milliseconds or a number with a unit (IO-30).
pub(crate) fn duration_of(value: &Value<'_>) -> Result<Duration, String> {
    match value {
        Value::NumberLit(number) => from_number(number.value),
        Value::StringLit(text) => from_text(&text.value),
        other => Err(format!("the time is {}", kind_of(other))),
    }
}

/// Reads a number of milliseconds.
pub(crate) fn from_number(text: &str) -> Result<Duration, String> {
    let milliseconds: f64 = text
        .trim()
        .parse()
        .map_err(|_| format!("the timeout {text} isn't a number"))?;
    from_milliseconds(milliseconds)
}

/// Reads a number with a unit: `"500ms"`, `"30s"`, `"2m"`, `"1h"`.
pub(crate) fn from_text(text: &str) -> Result<Duration, String> {
    let trimmed = text.trim();
    let digits = trimmed.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    let number = digits.trim_end();
    let plain = !number.is_empty()
        && number
            .chars()
            .all(|character| character.is_ascii_digit() || "+-.".contains(character));
    let unit = UNITS
        .iter()
        .find(|(unit, _)| *unit == &trimmed[digits.len()..]);
    match (plain.then(|| number.parse::<f64>()), unit) {
        (Some(Ok(number)), Some((_, factor))) => from_milliseconds(number * factor),
        _ => Err(format!(
            "the timeout \"{}\" can't be read",
            hookloop_text::shorten::excerpt(text)
        )),
    }
}

fn from_milliseconds(milliseconds: f64) -> Result<Duration, String> {
    if milliseconds.is_nan() || milliseconds <= 0.0 {
        return Err("the timeout isn't greater than zero".to_owned());
    }
    if milliseconds > MAX_MILLISECONDS {
        return Err("the timeout is longer than 24 days".to_owned());
    }
    let timeout = Duration::from_secs_f64(milliseconds / 1e3);
    // What is shorter than the clock can count isn't a time at all.
    if timeout.is_zero() {
        return Err("the timeout isn't greater than zero".to_owned());
    }
    Ok(timeout)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// IO-30: milliseconds, or a number with a unit.
    #[test]
    fn numbers_and_units_are_read() {
        assert_eq!(from_number("5000"), Ok(Duration::from_secs(5)));
        assert_eq!(from_number("1e3"), Ok(Duration::from_secs(1)));
        assert_eq!(from_text("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(from_text("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(from_text(" 2 m "), Ok(Duration::from_mins(2)));
        assert_eq!(from_text("1.5s"), Ok(Duration::from_millis(1500)));
    }

    /// IO-30: zero, negative and unreadable values don't count.
    #[test]
    fn wrong_values_are_refused() {
        for wrong in ["0", "-1", "NaN", "1e400", "-0", "1e-30", "99999999999", ""] {
            assert!(from_number(wrong).is_err(), "{wrong}");
        }
        for wrong in [
            "",
            "s",
            "soon",
            "30",
            "NaNs",
            "infs",
            "-5s",
            "5 parsecs",
            "0s",
            "1e400s",
        ] {
            assert!(from_text(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        /// IO-30: no text makes the reader panic, and no timeout is zero.
        #[test]
        fn every_text_is_survived(text in "\\PC*") {
            if let Ok(timeout) = from_text(&text) { prop_assert!(!timeout.is_zero()); }
            if let Ok(timeout) = from_number(&text) { prop_assert!(!timeout.is_zero()); }
        }
    }
}
