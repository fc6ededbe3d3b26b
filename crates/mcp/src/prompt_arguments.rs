//! The arguments of a prompt, as the user types them: `--name=value`, `--name="two words"`, and
//! positional values.

use hookloop_tools::Arguments;

use crate::listing::McpPromptArgument;

/// A typed word, without its quotes.
#[derive(Debug, PartialEq, Eq)]
struct Word {
    /// The name before the value, if there is one.
    name: Option<String>,
    value: String,
}

/// Parses what was typed after the command.
///
/// Positional values are assigned to the arguments that have no value yet, required ones first. If
/// only one argument is left, it gets all remaining values, without quotes.
///
/// # Errors
/// An argument is missing, unknown or superfluous; the text says which, and lists the prompt's
/// arguments.
pub(crate) fn read(typed: &str, takes: &[McpPromptArgument]) -> Result<Arguments, String> {
    let (named, in_order): (Vec<Word>, Vec<Word>) = split_words(typed)
        .into_iter()
        .partition(|it| it.name.is_some());
    let mut arguments = Arguments::new();
    for word in named {
        let name = word.name.unwrap_or_default();
        if !takes.iter().any(|it| it.name == name) {
            return Err(format!(
                "it has no argument \"{name}\"; {}",
                describe_arguments(takes)
            ));
        }
        arguments.insert(name, word.value.into());
    }
    let (required, others): (Vec<_>, Vec<_>) = takes
        .iter()
        .filter(|it| !arguments.contains_key(&it.name))
        .partition(|it| it.is_required);
    let mut values: Vec<String> = in_order.into_iter().map(|it| it.value).collect();
    let only = match (required.as_slice(), others.as_slice()) {
        ([only], _) | ([], [only]) => Some(only),
        _ => None,
    };
    if let (Some(only), false) = (only, values.is_empty()) {
        arguments.insert(only.name.clone(), values.join(" ").into());
        values.clear();
    }
    let mut values = values.into_iter();
    let open = required.iter().chain(&others);
    for (argument, value) in open
        .filter(|it| !arguments.contains_key(&it.name))
        .zip(values.by_ref())
        .collect::<Vec<_>>()
    {
        arguments.insert(argument.name.clone(), value.into());
    }
    if values.next().is_some() {
        return Err(format!(
            "more arguments were given than it takes; {}",
            describe_arguments(takes)
        ));
    }
    let is_missing = |it: &&&McpPromptArgument| !arguments.contains_key(&it.name);
    let missing: Vec<&str> = required
        .iter()
        .filter(is_missing)
        .map(|it| it.name.as_str())
        .collect();
    if missing.is_empty() {
        return Ok(arguments);
    }
    Err(format!(
        "it needs {}; {}",
        missing.join(" and "),
        describe_arguments(takes)
    ))
}

/// Lists the arguments of a prompt.
fn describe_arguments(takes: &[McpPromptArgument]) -> String {
    if takes.is_empty() {
        return "it takes no arguments".to_owned();
    }
    let each = takes.iter().map(|it| {
        let description = it.description.lines().next().unwrap_or_default();
        let kind = if it.is_required { "" } else { " (optional)" };
        let gap = if description.is_empty() { "" } else { ": " };
        format!("\n  --{}=VALUE{kind}{gap}{description}", it.name)
    });
    format!("it takes{}", each.collect::<String>())
}

/// Splits the text into words. An unclosed quote is an ordinary character.
fn split_words(typed: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut rest = typed.trim_start();
    while !rest.is_empty() {
        let (name, from) = split_name(rest);
        let (value, length) = value(&rest[from..]);
        words.push(Word {
            name: name.map(str::to_owned),
            value,
        });
        rest = rest[from + length..].trim_start();
    }
    words
}

/// Finds the name at the beginning of a word, and where its value begins.
fn split_name(word: &str) -> (Option<&str>, usize) {
    let found = word.strip_prefix("--").and_then(|it| it.split_once('='));
    match found {
        Some((name, _)) if !name.is_empty() && !name.contains(char::is_whitespace) => {
            (Some(name), "--".len() + name.len() + "=".len())
        }
        _ => (None, 0),
    }
}

/// Parses a value, and returns its length in the text.
fn value(text: &str) -> (String, usize) {
    if let Some(quoted) = text.strip_prefix('"').and_then(parse_quoted) {
        return quoted;
    }
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (text[..end].to_owned(), end)
}

/// Parses a quoted text up to the closing quote.
fn parse_quoted(text: &str) -> Option<(String, usize)> {
    let mut value = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((value, at + 2)),
            '\\' => value.push(letters.next()?.1),
            letter => value.push(letter),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn takes(names: &[&str]) -> Vec<McpPromptArgument> {
        let each = names.iter().map(|name| McpPromptArgument {
            name: name.trim_end_matches('?').to_owned(),
            description: String::new(),
            is_required: !name.ends_with('?'),
        });
        each.collect()
    }

    fn read_as(typed: &str, names: &[&str]) -> Result<Value, String> {
        read(typed, &takes(names)).map(Value::Object)
    }

    /// TO-3: arguments of a prompt are given by name or in order, and a single one needs no quotes.
    #[test]
    fn arguments_are_read() {
        for (typed, names, expected) in [
            ("", &[][..], json!({})),
            ("one two", &["a"], json!({"a": "one two"})),
            ("one two", &["a?"], json!({"a": "one two"})),
            (
                "one \"two 3\"",
                &["a", "b"],
                json!({"a": "one", "b": "two 3"}),
            ),
            (
                "--b=\"x \\\" y\" one two",
                &["a", "b?"],
                json!({"a": "one two", "b": "x \" y"}),
            ),
            ("two --a=one", &["a", "b"], json!({"a": "one", "b": "two"})),
            (
                "one two three",
                &["a", "b", "c?"],
                json!({"a": "one", "b": "two", "c": "three"}),
            ),
            ("it is 5\" long", &["a"], json!({"a": "it is 5\" long"})),
            ("\"open", &["a"], json!({"a": "\"open"})),
            ("--a=", &["a"], json!({"a": ""})),
        ] {
            assert_eq!(read_as(typed, names), Ok(expected), "{typed}");
        }
    }

    /// TO-3: nothing that was typed is dropped silently, and no required argument is missing.
    #[test]
    fn wrong_arguments_are_refused() {
        for (typed, names) in [
            ("", &["a"][..]),
            ("one", &["a", "b"]),
            ("--b=1", &["a"]),
            ("word", &[]),
            ("one two three", &["a", "b"]),
        ] {
            assert!(read_as(typed, names).is_err(), "{typed}");
        }
    }

    proptest! {
        /// TO-3: the only argument of a prompt gets every word, whatever is typed.
        #[test]
        fn the_only_argument_gets_every_word(typed in "[a-z =\\-\\\\é]{0,30}") {
            prop_assume!(!typed.contains("--") && !typed.trim().is_empty());
            let words: Vec<&str> = typed.split_whitespace().collect();
            prop_assert_eq!(read_as(&typed, &["a"]), Ok(json!({"a": words.join(" ")})));
        }

        /// TO-3: no input causes a panic.
        #[test]
        fn anything_can_be_typed(typed in "[-=\"\\\\ a-cé]{0,30}") {
            let _ = read_as(&typed, &["a", "b?"]);
        }
    }
}
