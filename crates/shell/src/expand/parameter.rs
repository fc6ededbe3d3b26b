//! `$NAME` and `${NAME…}`.

use super::builder::Builder;
use super::join_fields;
use crate::pattern::matches;
use crate::scope::Scope;
use crate::syntax;
use crate::understood::Word;
use crate::walk::Walker;

/// Variables that contain an absolute path on every machine.
const ABSOLUTE: [&str; 6] = ["PATH", "HOME", "PWD", "OLDPWD", "SHELL", "BASH"];

/// Longer values aren't trimmed with longer patterns: every position is compared with the whole
/// pattern.
const MAX_COMPARED_LENGTH: usize = 16 * 1024;

impl Walker {
    /// Appends the value of a parameter.
    pub(super) fn expand_parameter(
        &mut self,
        name: &str,
        op: Option<(&str, &str)>,
        builder: &mut Builder,
        scope: &mut Scope<'_>,
    ) {
        if let Some(elements) = list_of(name, scope) {
            let elements = match op {
                None => elements,
                Some((":", slice)) => slice_of(&elements, slice, name),
                Some(_) => vec![unknown_word(name)],
            };
            if name.ends_with('*') || name.ends_with("[*]") {
                return builder.list(&[join_list(&elements, scope)]);
            }
            return builder.list(&elements);
        }
        let value = one_value(name, scope);
        // `${a[i=1]}`, `${a:i=1}`
        let index = name.split_once('[').map_or("", |(_, index)| index);
        let computes = |text: &str| text.contains(|it: char| it.is_alphabetic() || it == '$');
        scope.numbers_set |=
            computes(index) || op.is_some_and(|(op, argument)| op == ":" && computes(argument));
        let Some((op, argument)) = op else {
            let is_here = name == "PWD" && value.is_none() && self.names_from_here;
            if let Some(here) = scope
                .relative()
                .filter(|_| is_here && builder.is_word_start())
            {
                return builder.value(here);
            }
            return match value {
                Some(value) if scope.globs.contains(name) => builder.names(&[value]),
                Some(value) => builder.value(&value),
                None => builder.push_unknown(&scope.written(name)),
            };
        };
        // `${x@P}`: its value is expanded as a prompt.
        if format!("{op}{argument}").starts_with("@P") {
            let written = format!("${{{name}@P}}");
            match &value {
                Some(text) => {
                    self.expand_quoted(text, scope);
                }
                None => self.note_opaque(crate::OpaqueReason::ComputedText, &written),
            }
            return builder.push_unknown(&written);
        }
        let word = self.expand_argument(argument, scope);
        match (op, value) {
            ("-" | ":-" | "=" | ":=", None) => {
                if op.ends_with('=') {
                    scope.set(name, None);
                }
                builder.guess(&word.text);
                builder.instead_of(name);
            }
            ("-" | ":-" | "=" | ":=", Some(value)) if value.is_empty() => {
                if op.ends_with('=') {
                    scope.set(name, word.known.then(|| word.text.clone()));
                }
                give(builder, &word);
            }
            ("+" | ":+", Some(value)) => {
                if !value.is_empty() {
                    give(builder, &word);
                }
            }
            ("+" | ":+", None) => builder.guess(&word.text),
            ("-" | ":-" | "=" | ":=" | "?" | ":?", Some(value)) => builder.value(&value),
            (_, Some(value)) => match transform(&value, op, argument, &word) {
                Some(text) => builder.value(&text),
                None => builder.push_unknown(&format!("${{{name}{op}{argument}}}")),
            },
            (":", None) if argument == "0:1" && ABSOLUTE.contains(&name) => builder.value("/"),
            _ => builder.push_unknown(&format!("${{{name}{op}{argument}}}")),
        }
    }

    /// Expands what follows the operator: its substitutions run.
    fn expand_argument(&mut self, argument: &str, scope: &mut Scope<'_>) -> Word {
        if !argument.contains(['$', '`', '\'', '"', '\\', '~']) {
            return Word::plain(argument);
        }
        match syntax::parse_word(argument) {
            Some(node) => self.expand_one(&node, scope),
            None => self.expand_quoted(argument, scope),
        }
    }
}

/// Joins a list with the character that separates words.
fn join_list(elements: &[Word], scope: &Scope<'_>) -> Word {
    let separators = scope.value("IFS");
    let separator = separators.as_deref().map(|it| it.chars().next());
    let mut whole = join_fields(elements.to_vec());
    match separator {
        Some(Some(' ')) => {}
        Some(separator) => {
            let texts: Vec<&str> = elements.iter().map(|it| it.text.as_str()).collect();
            whole.text = texts.join(&separator.map(String::from).unwrap_or_default());
        }
        None => whole.known &= elements.len() < 2,
    }
    whole
}

fn give(builder: &mut Builder, word: &Word) {
    if word.known {
        builder.value(&word.text);
    } else {
        builder.push_unknown(&word.text);
    }
}

fn unknown_word(name: &str) -> Word {
    Word {
        text: format!("${name}"),
        ..Word::default()
    }
}

/// Returns the value of a parameter that has a single one.
fn one_value(name: &str, scope: &Scope<'_>) -> Option<String> {
    if let Ok(number) = name.parse::<usize>() {
        let positional = scope.positional.as_ref()?;
        if number == 0 {
            return match &scope.name {
                Some(name) => name.known.then(|| name.text.clone()),
                None => Some("bash".to_owned()),
            };
        }
        return match positional.get(number - 1) {
            Some(word) => word.known.then(|| word.text.clone()),
            None => Some(String::new()),
        };
    }
    if let Some((array, index)) = name.split_once('[') {
        let index: usize = index.trim_end_matches(']').parse().ok()?;
        let word = scope.arrays.get(array)?.get(index)?;
        return word.known.then(|| word.text.clone());
    }
    match name {
        "#" => Some(scope.positional.as_ref()?.len().to_string()),
        "?" | "$" | "!" | "-" | "_" => None,
        _ => scope.value(name),
    }
}

/// Returns the elements of `$@`, `$*`, `${name[@]}` and `${name[*]}`.
fn list_of(name: &str, scope: &Scope<'_>) -> Option<Vec<Word>> {
    if name == "@" || name == "*" {
        return Some(match &scope.positional {
            Some(words) => words.clone(),
            None => vec![unknown_word(name)],
        });
    }
    let array = name
        .strip_suffix("[@]")
        .or_else(|| name.strip_suffix("[*]"))?;
    Some(match scope.arrays.get(array) {
        Some(elements) => elements.clone(),
        None => vec![match scope.value(array) {
            Some(value) => Word::plain(value),
            None => unknown_word(name),
        }],
    })
}

fn slice_of(elements: &[Word], slice: &str, name: &str) -> Vec<Word> {
    let (from, length) = slice.split_once(':').unwrap_or((slice, ""));
    let Ok(from) = from.trim().parse::<usize>() else {
        return vec![unknown_word(name)];
    };
    // `${@:1}` counts `$0`.
    let from = if name == "@" || name == "*" {
        from.saturating_sub(1)
    } else {
        from
    };
    let length = length.trim().parse().unwrap_or(usize::MAX);
    elements.iter().skip(from).take(length).cloned().collect()
}

/// Computes the result of an operator on a value.
fn transform(value: &str, op: &str, argument: &str, word: &Word) -> Option<String> {
    let pattern = word.known.then_some(word.text.as_str());
    Some(match op {
        ":" => substring(value, argument)?,
        "^^" if argument.is_empty() => value.to_uppercase(),
        ",," if argument.is_empty() => value.to_lowercase(),
        "^" | "," if argument.is_empty() => {
            let mut rest = value.chars();
            let first = rest.next().map(String::from).unwrap_or_default();
            let first = if op == "^" {
                first.to_uppercase()
            } else {
                first.to_lowercase()
            };
            first + rest.as_str()
        }
        "#" | "##" | "%" | "%%" if value.len() * argument.len() > MAX_COMPARED_LENGTH => {
            return None;
        }
        "#" | "##" => without_prefix(value, pattern?, op == "##"),
        "%" | "%%" => without_suffix(value, pattern?, op == "%%"),
        "/" | "//" => {
            let (from, to) = argument.split_once('/').unwrap_or((argument, ""));
            if from.contains(['*', '?', '[', '$', '`', '\\', '\'', '"', '#', '%'])
                || from.is_empty()
                || to.contains(['$', '`', '\\', '\'', '"'])
            {
                return None;
            }
            if op == "//" {
                value.replace(from, to)
            } else {
                value.replacen(from, to, 1)
            }
        }
        _ => return None,
    })
}

fn substring(value: &str, argument: &str) -> Option<String> {
    let (from, length) = argument.split_once(':').unwrap_or((argument, ""));
    let count = value.chars().count();
    let place = |text: &str| -> Option<usize> {
        let number: i64 = text.trim().trim_matches(['(', ')']).parse().ok()?;
        if number < 0 {
            count.checked_sub(usize::try_from(number.unsigned_abs()).ok()?)
        } else {
            usize::try_from(number).ok()
        }
    };
    let from = place(from)?;
    let end = match length.trim() {
        "" => count,
        negative if negative.starts_with('-') => place(negative)?,
        length => from.checked_add(length.parse().ok()?)?,
    };
    Some(
        value
            .chars()
            .skip(from)
            .take(end.saturating_sub(from))
            .collect(),
    )
}

fn boundaries(value: &str) -> impl DoubleEndedIterator<Item = usize> {
    let ends: Vec<usize> = value
        .char_indices()
        .map(|(at, _)| at)
        .chain([value.len()])
        .collect();
    ends.into_iter()
}

fn without_prefix(value: &str, pattern: &str, is_longest: bool) -> String {
    let found = |at: &usize| matches(pattern, &value[..*at]);
    let end = if is_longest {
        boundaries(value).rev().find(found)
    } else {
        boundaries(value).find(found)
    };
    value[end.unwrap_or(0)..].to_owned()
}

fn without_suffix(value: &str, pattern: &str, is_longest: bool) -> String {
    let found = |at: &usize| matches(pattern, &value[*at..]);
    let start = if is_longest {
        boundaries(value).find(found)
    } else {
        boundaries(value).rev().find(found)
    };
    value[..start.unwrap_or(value.len())].to_owned()
}
