//! The table of what programs do: `guards/effects.toml`.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use hookloop_shell::{Command, matches};
use serde::Deserialize;

use crate::expression::Expression;

/// The table, read once; the error says why it can't be read.
pub(super) fn table() -> Result<&'static Table, &'static str> {
    static TABLE: LazyLock<Result<Table, String>> =
        LazyLock::new(|| Table::read(include_str!("../../guards/effects.toml")));
    TABLE.as_ref().map_err(String::as_str)
}

/// Returns whether a word is a program whose effects are known.
pub(crate) fn is_known_program(word: &str) -> bool {
    table().is_ok_and(|it| it.by_program.contains_key(word))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    effect: Vec<EffectText>,
    code: Vec<CodeText>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EffectText {
    name: String,
    is: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CodeText {
    name: String,
    programs: Vec<String>,
    #[serde(default)]
    arguments: bool,
    patterns: Vec<String>,
    #[serde(default)]
    unless: Vec<String>,
}

/// What programs do.
#[derive(Debug, Default)]
pub(super) struct Table {
    by_program: HashMap<String, Vec<Entry>>,
    codes: Vec<Code>,
}

/// One way to cause an effect.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) effect: String,
    parts: Arc<Vec<Part>>,
}

#[derive(Debug)]
enum Part {
    /// One of these options is given.
    Flag(Vec<String>),
    /// None of these options or words is given.
    Without(Vec<String>),
    /// The next operand is one of these.
    Next(Vec<String>),
    /// Some operand matches one of these.
    Some(Vec<String>),
    /// Some argument matches this expression.
    Matches(Expression),
    /// No argument matches this expression.
    MatchesNone(Expression),
    /// There are no operands left.
    Nothing,
}

/// Program text that causes an effect.
#[derive(Debug)]
pub(super) struct Code {
    pub(super) effect: String,
    pub(super) programs: Vec<String>,
    pub(super) reads_arguments: bool,
    patterns: Vec<Expression>,
    unless: Vec<Expression>,
}

impl Code {
    pub(super) fn matches(&self, text: &str) -> bool {
        self.patterns.iter().any(|it| it.matches(text))
            && !self.unless.iter().any(|it| it.matches_exception(text))
    }
}

impl Table {
    /// Reads the table.
    fn read(text: &str) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
        let mut table = Self::default();
        for effect in file.effect {
            for line in effect.is {
                let (programs, parts) = read_line(&line)?;
                let parts = Arc::new(parts);
                for program in programs {
                    table.by_program.entry(program).or_default().push(Entry {
                        effect: effect.name.clone(),
                        parts: Arc::clone(&parts),
                    });
                }
            }
        }
        for code in file.code {
            let expressions = |texts: Vec<String>| -> Vec<Expression> {
                texts
                    .iter()
                    .map(|it| Expression::case_insensitive(it))
                    .collect()
            };
            table.codes.push(Code {
                effect: code.name,
                programs: code.programs,
                reads_arguments: code.arguments,
                patterns: expressions(code.patterns),
                unless: expressions(code.unless),
            });
        }
        Ok(table)
    }

    pub(super) fn of(&self, program: &str) -> impl Iterator<Item = &Entry> {
        self.by_program.get(program).into_iter().flatten()
    }

    /// The names of the effects that it describes.
    #[cfg(test)]
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let of_programs = self.by_program.values().flatten().map(|it| &it.effect);
        let of_codes = self.codes.iter().map(|it| &it.effect);
        of_programs.chain(of_codes).map(String::as_str)
    }

    pub(super) fn codes(&self) -> impl Iterator<Item = &Code> {
        self.codes.iter()
    }
}

fn read_line(line: &str) -> Result<(Vec<String>, Vec<Part>), String> {
    let mut words = line.split_whitespace();
    let alternatives = |text: &str| -> Vec<String> { text.split('|').map(str::to_owned).collect() };
    let programs = alternatives(words.next().ok_or("an empty line")?);
    let mut parts = Vec::new();
    for word in words {
        parts.push(if let Some(rest) = word.strip_prefix("!~") {
            Part::MatchesNone(Expression::case_insensitive(rest))
        } else if let Some(rest) = word.strip_prefix('!') {
            Part::Without(alternatives(rest))
        } else if let Some(rest) = word.strip_prefix('~') {
            Part::Matches(Expression::case_insensitive(rest))
        } else if let Some(rest) = word.strip_prefix('+') {
            Part::Some(alternatives(rest))
        } else if word == "." {
            Part::Nothing
        } else if word.starts_with('-') {
            Part::Flag(alternatives(word))
        } else {
            Part::Next(alternatives(word))
        });
    }
    Ok((programs, parts))
}

impl Entry {
    /// Compares a command with the entry.
    pub(super) fn matches(&self, command: &Command) -> bool {
        let subcommand = command.subcommand.as_deref().unwrap_or("");
        let mut operands = subcommand
            .split(' ')
            .filter(|it| !it.is_empty())
            .chain(command.operands().map(|it| it.text.as_str()));
        let given = |option: &String| {
            if command.name() == "git commit" && option == "-n" {
                return has_letter(command, 'n');
            }
            command.has_flag(option)
                || command
                    .words_after_program()
                    .iter()
                    .any(|it| it.text == *option && !it.is_option_value)
        };
        // Git accepts abbreviations of long options.
        let abbreviated = |option: &String| {
            command.program == "git"
                && command.flags.iter().any(|it| {
                    it.len() > 3 && it.starts_with("--") && option.starts_with(it.as_str())
                })
        };
        // `--dry-run=none` isn't a dry run, and a later `--no-dry-run` cancels it.
        let refused = |option: &String| {
            let is_long = option.starts_with("--");
            command.words_after_program().iter().any(|it| {
                let value = it.text.strip_prefix(option.as_str());
                let off = ["=none", "=false", "=0", "=no"];
                is_long && value.is_some_and(|value| off.contains(&value))
                    || it.text == "--no-dry-run" && ["-n", "--dry-run"].contains(&option.as_str())
            })
        };
        self.parts.iter().all(|part| match part {
            Part::Flag(options) => options.iter().any(|it| given(it) || abbreviated(it)),
            Part::Without(options) => !options.iter().any(|it| given(it) && !refused(it)),
            Part::Next(words) => operands
                .next()
                .is_some_and(|operand| words.iter().any(|it| matches(it, operand))),
            Part::Some(words) => {
                let mut all = subcommand
                    .split(' ')
                    .chain(command.operands().map(|it| it.text.as_str()));
                all.any(|operand| words.iter().any(|it| matches(it, operand)))
            }
            // What an option takes as its value isn't an option itself: `-m --no-verify`.
            Part::Matches(expression) => command
                .words_after_program()
                .iter()
                .filter(|it| !(it.is_option_value && it.text.starts_with("--")))
                .any(|it| expression.matches(&it.text)),
            Part::MatchesNone(expression) => !command
                .words_after_program()
                .iter()
                .any(|it| expression.matches_exception(&it.text)),
            Part::Nothing => operands.next().is_none(),
        })
    }
}

/// Returns whether one of the letters that share a dash is this one: `-an`, but neither `-uno` nor
/// `-mn`, where a letter is followed by its value.
fn has_letter(command: &Command, letter: char) -> bool {
    let words = command
        .words_after_program()
        .iter()
        .filter(|it| !it.is_option_value);
    words
        .filter_map(|it| it.text.strip_prefix('-').filter(|it| !it.starts_with('-')))
        .any(|letters| {
            let mut own = letters.chars().take_while(|it| !"mFcCtuS".contains(*it));
            own.any(|it| it == letter)
        })
}

#[cfg(test)]
mod tests {
    use super::{Part, Table};

    /// HT-41: the table that comes with the program and each of its expressions can be read.
    #[test]
    fn the_table_is_readable() {
        let table = Table::read(include_str!("../../guards/effects.toml")).unwrap();
        let parts = table
            .by_program
            .values()
            .flatten()
            .flat_map(|it| it.parts.iter());
        let of_entries = parts.filter_map(|it| match it {
            Part::Matches(expression) | Part::MatchesNone(expression) => Some(expression),
            _ => None,
        });
        let of_codes = table
            .codes()
            .flat_map(|it| it.patterns.iter().chain(&it.unless));
        for expression in of_entries.chain(of_codes) {
            assert!(expression.regex().is_some(), "{}", expression.text());
        }
        assert!(table.of("git").count() > 20);
        assert!(table.codes().count() > 3);
    }
}
