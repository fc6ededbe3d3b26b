//! Conditions: parsed once, evaluated many times.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use cel::IdedExpr;
use cel::parser::{Parser, PrattParser};

use crate::evaluate::evaluate;
use crate::fact::{ConditionError, Fact, Unknown};
use crate::scope::Scope;

/// Conditions longer than this aren't read.
const MAX_LENGTH: usize = 16 * 1024;

/// How many conditions are kept.
const MAX_KEPT: usize = 256;

/// Conditions that were read: settings are checked before a hook of theirs runs, which reads the
/// same ones.
static READ: Mutex<BTreeMap<String, Condition>> = Mutex::new(BTreeMap::new());

/// A parsed condition (HT-1).
///
/// ```
/// use std::collections::BTreeMap;
///
/// use hookloop_rules::{Condition, Fact};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let condition = Condition::read("tool_name == 'write_file' && size(paths) > 1")?;
/// let mut facts = BTreeMap::from([("tool_name".to_owned(), Fact::text("read_file"))]);
/// // One side is false, so that nobody has to know the other.
/// assert_eq!(condition.holds(&facts), Ok(false));
/// facts.insert("tool_name".to_owned(), Fact::text("write_file"));
/// facts.insert("paths".to_owned(), Fact::list(vec![Fact::text("a"), Fact::text("b")]));
/// assert_eq!(condition.holds(&facts), Ok(true));
/// // A name that doesn't exist is a mistake, and never just false.
/// assert!(Condition::read("tool_nam == 'write_file'").is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Condition {
    text: String,
    expression: Arc<IdedExpr>,
}

impl Condition {
    /// Parses a condition. Names and functions that don't exist are errors, too.
    pub fn read(text: &str) -> Result<Self, ConditionError> {
        if text.len() > MAX_LENGTH {
            return Err(ConditionError {
                message: "the condition is too long".to_owned(),
                column: 1,
                unknown: None,
            });
        }
        let known = || READ.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(condition) = known().get(text) {
            return Ok(condition.clone());
        }
        let expression = parse(text)?;
        crate::evaluate::check(&expression, text)?;
        let condition = Self {
            text: text.to_owned(),
            expression: Arc::new(expression),
        };
        let mut known = known();
        if known.len() >= MAX_KEPT {
            known.clear();
        }
        known.insert(text.to_owned(), condition.clone());
        Ok(condition)
    }

    /// The expression that was read.
    pub(crate) fn expression(&self) -> &IdedExpr {
        &self.expression
    }

    /// Returns the text, as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Evaluates the condition to a value.
    pub fn value(&self, facts: &BTreeMap<String, Fact>) -> Result<Fact, Unknown> {
        evaluate(&self.expression, &Scope::new(facts))
    }

    /// Explains which parts of the condition were true or false, with their values (HT-26).
    pub fn explain(&self, facts: &BTreeMap<String, Fact>) -> Vec<String> {
        let mut parts = Vec::new();
        crate::explain::explain(&self.expression, &Scope::new(facts), &mut parts);
        parts.dedup();
        parts
    }

    /// Evaluates the condition to a boolean.
    pub fn holds(&self, facts: &BTreeMap<String, Fact>) -> Result<bool, Unknown> {
        match self.value(facts)? {
            Fact::Bool(holds) => Ok(holds),
            other => Err(Unknown(format!(
                "the condition is {}, not true or false",
                other.type_name()
            ))),
        }
    }
}

/// Parses a condition. The parser that follows the grammar's rules step by step takes milliseconds
/// for each condition, but explains mistakes best; the other one is tried first.
fn parse(text: &str) -> Result<IdedExpr, ConditionError> {
    if let Ok(expression) = PrattParser::new().parse(text) {
        return Ok(expression);
    }
    Parser::new().parse(text).map_err(|errors| {
        let first = errors.errors.first();
        ConditionError {
            message: first.map_or_else(|| errors.to_string(), |it| plain(&it.msg)),
            column: first.map_or(1, |it| column(text, it.pos.0, it.pos.1)),
            unknown: None,
        }
    })
}

/// Returns the column in the whole text of a place whose line and column the parser gives, both
/// counted from one.
fn column(text: &str, line: isize, column: isize) -> usize {
    let [line, column] = [line, column].map(|it| usize::try_from(it).unwrap_or(0).max(1));
    let before = text.split_inclusive('\n').take(line - 1);
    before.map(|it| it.chars().count()).sum::<usize>() + column
}

/// Returns the parser's message without the list of all characters that would be valid there.
fn plain(message: &str) -> String {
    let reason = message.split(" expecting ").next().unwrap_or(message);
    let reason = reason.trim_start_matches("Syntax error: ");
    if reason.contains("<EOF>") {
        return "it ends where more is expected".to_owned();
    }
    reason.to_owned()
}

/// Replaces each `${expression}` of a text; what can't be known is marked as such.
pub(crate) fn fill_in(text: &str, facts: &BTreeMap<String, Fact>) -> String {
    let filled = fill_in_by(text, |expression| {
        let value = value_of(expression, facts);
        Ok(value.unwrap_or_else(|error| format!("(unknown: {error})")))
    });
    filled.unwrap_or_else(|Unknown(why)| why)
}

/// Replaces each `${expression}` of a text.
///
/// # Errors
/// Returns what can't be known of it.
pub(crate) fn fill_in_known(text: &str, facts: &BTreeMap<String, Fact>) -> Result<String, Unknown> {
    fill_in_by(text, |expression| value_of(expression, facts))
}

fn value_of(expression: &str, facts: &BTreeMap<String, Fact>) -> Result<String, Unknown> {
    let condition = Condition::read(expression).map_err(|error| Unknown(error.to_string()))?;
    match condition.value(facts)? {
        Fact::Unknown(why) => Err(Unknown(why.to_string())),
        value => Ok(value.shown()),
    }
}

fn fill_in_by(
    text: &str,
    value: impl Fn(&str) -> Result<String, Unknown>,
) -> Result<String, Unknown> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        filled.push_str(&rest[..at]);
        let inner = &rest[at + 2..];
        let Some(end) = end_of(inner) else {
            filled.push_str(&rest[at..]);
            return Ok(filled);
        };
        filled.push_str(&value(&inner[..end])?);
        rest = &inner[end + 1..];
    }
    filled.push_str(rest);
    Ok(filled)
}

/// Finds the closing brace, ignoring strings and nested braces.
fn end_of(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote: Option<char> = None;
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), it) if it == open => quote = None,
            (None, '"' | '\'') => quote = Some(character),
            (None, '{') => depth += 1,
            (None, '}') if depth == 0 => return Some(at),
            (None, '}') => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use cel::parser::{Parser, PrattParser};
    use proptest::prelude::*;

    use super::parse;
    use crate::guards::guards;

    /// Returns an expression as it is written out, without the numbers of its parts.
    fn meaning(expression: &impl std::fmt::Debug) -> String {
        let text = format!("{expression:?}");
        let mut meaning = String::new();
        let mut parts = text.split("id: ");
        meaning.extend(parts.next());
        meaning.extend(parts.map(|it| it.trim_start_matches(|sign: char| sign.is_ascii_digit())));
        meaning
    }

    /// Both parsers read the same.
    fn same(text: &str) {
        let (quick, thorough) = (PrattParser::new().parse(text), Parser::new().parse(text));
        if let (Ok(quick), Ok(thorough)) = (&quick, &thorough) {
            assert_eq!(meaning(quick), meaning(thorough), "{text}");
        }
        assert!(quick.is_err() || thorough.is_ok(), "{text}");
        assert_eq!(parse(text).is_ok(), thorough.is_ok(), "{text}");
    }

    /// HT-25: the conditions of all guards mean the same to both parsers.
    #[test]
    fn guards_mean_the_same_to_both_parsers() {
        let mut count = 0;
        for guard in guards().unwrap() {
            for rule in guard.rules_with(&serde_json::Map::new()).unwrap() {
                assert!(
                    PrattParser::new().parse(&rule.when).is_ok(),
                    "{}",
                    rule.when
                );
                same(&rule.when);
                count += 1;
            }
        }
        assert!(count > 10, "{count}");
    }
    fn operand() -> impl Strategy<Value = String> {
        let words = [
            "tool_name",
            "a.b",
            "has(a.b)",
            "1",
            "-2",
            "3u",
            "1.5e3",
            "0x1F",
            "true",
            "null",
            "''",
            r"'a\'b\n\u00e9'",
            r#"r"\d\s""#,
            "\"\"\"x\"\"\"",
            "b'x'",
            "[]",
            "{}",
            "{'a': 1, 'b': [2]}",
            "in",
            "if",
            "a..b",
            "'",
            "A{}",
        ];
        prop::sample::select(words.to_vec()).prop_map(str::to_owned)
    }

    fn expression() -> impl Strategy<Value = String> {
        operand().prop_recursive(4, 24, 3, |inner| {
            let operators = [
                "&&", "||", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", " in ", "?",
                "&",
            ];
            let calls = [
                "exists",
                "all",
                "map",
                "filter",
                "exists_one",
                "matches",
                "size",
                "startsWith",
            ];
            let operator = prop::sample::select(operators.to_vec());
            let call = prop::sample::select(calls.to_vec());
            prop_oneof![
                (inner.clone(), operator, inner.clone())
                    .prop_map(|(a, o, b)| format!("{a} {o} {b}")),
                (inner.clone(), inner.clone(), inner.clone())
                    .prop_map(|(a, b, c)| format!("{a} ? {b} : {c}")),
                (inner.clone(), call, inner.clone())
                    .prop_map(|(a, f, b)| format!("{a}.{f}(c, {b})")),
                inner.clone().prop_map(|it| format!("!({it})")),
                inner.clone().prop_map(|it| format!("-{it} // note\n")),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("[{a}, {b}][0]")),
                (inner.clone(), inner).prop_map(|(a, b)| format!("f({a}, {b}).g")),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// HT-25: what both parsers can read means the same to both, and nothing is read that the
        /// grammar doesn't allow.
        #[test]
        fn conditions_mean_the_same_to_both_parsers(text in expression()) {
            same(&text);
        }
    }
}
