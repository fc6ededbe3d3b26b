//! The table of what programs do: `guards/effects.toml`.

use std::sync::{LazyLock, OnceLock};

use hookloop_shell::{Command, matches};

use crate::expression::Expression;

include!(concat!(env!("OUT_DIR"), "/effects.rs"));

/// Program text that causes an effect, as `guards/effects.toml` describes it.
struct CodeText {
    effect: &'static str,
    programs: &'static [&'static str],
    reads_arguments: bool,
    patterns: &'static [&'static str],
    unless: &'static [&'static str],
}

/// The lines that have been read; most calls need few.
static ENTRIES: LazyLock<Vec<OnceLock<Entry>>> =
    LazyLock::new(|| LINES.iter().map(|_| OnceLock::new()).collect());

static TEXTS: LazyLock<Vec<Code>> = LazyLock::new(|| CODES.iter().map(Code::new).collect());

/// Returns where the lines of a program are.
fn lines_of(program: &str) -> Option<&'static [u16]> {
    let at = PROGRAMS.binary_search_by_key(&program, |it| it.0).ok()?;
    Some(PROGRAMS[at].1)
}

/// Returns whether a word is a program whose effects are known.
pub(crate) fn is_known_program(word: &str) -> bool {
    lines_of(word).is_some()
}

/// Returns the ways in which a program causes effects, in the table's order.
pub(super) fn entries(program: &str) -> impl Iterator<Item = &'static Entry> {
    let lines = lines_of(program).unwrap_or_default().iter();
    lines.filter_map(|at| {
        let at = usize::from(*at);
        let (effect, line) = LINES.get(at)?;
        Some(ENTRIES.get(at)?.get_or_init(|| Entry::read(effect, line)))
    })
}

/// Returns which texts of programs cause effects.
pub(super) fn codes() -> impl Iterator<Item = &'static Code> {
    TEXTS.iter()
}

/// The names of the effects that the table describes.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let of_programs = LINES.iter().map(|it| it.0);
    of_programs.chain(CODES.iter().map(|it| it.effect))
}

/// One way to cause an effect.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) effect: &'static str,
    parts: Vec<Part>,
}

/// Words of which one counts.
type Alternatives = Vec<&'static str>;

#[derive(Debug)]
enum Part {
    /// One of these options is given.
    Flag(Alternatives),
    /// None of these options or words is given.
    Without(Alternatives),
    /// The next operand is one of these.
    Next(Alternatives),
    /// Some operand matches one of these.
    Some(Alternatives),
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
    pub(super) effect: &'static str,
    pub(super) programs: &'static [&'static str],
    pub(super) reads_arguments: bool,
    patterns: Vec<Expression>,
    unless: Vec<Expression>,
}

impl Code {
    fn new(text: &CodeText) -> Self {
        let expressions = |of: &[&str]| {
            let each = of.iter().map(|it| Expression::case_insensitive(it));
            each.collect()
        };
        Self {
            effect: text.effect,
            programs: text.programs,
            reads_arguments: text.reads_arguments,
            patterns: expressions(text.patterns),
            unless: expressions(text.unless),
        }
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        self.patterns.iter().any(|it| it.matches(text))
            && !self.unless.iter().any(|it| it.matches_exception(text))
    }
}

impl Entry {
    /// Reads a line, from behind the programs that it is about.
    fn read(effect: &'static str, line: &'static str) -> Self {
        let alternatives = |text: &'static str| -> Alternatives { text.split('|').collect() };
        let part = |word: &'static str| {
            if let Some(rest) = word.strip_prefix("!~") {
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
            }
        };
        Self {
            effect,
            parts: line.split_whitespace().map(part).collect(),
        }
    }

    /// Compares a command with the entry.
    pub(super) fn matches(&self, command: &Command) -> bool {
        let subcommand = command.subcommand.as_deref().unwrap_or("");
        let mut operands = subcommand
            .split(' ')
            .filter(|it| !it.is_empty())
            .chain(command.operands().map(|it| it.text.as_str()));
        let given = |option: &&str| {
            if command.name() == "git commit" && *option == "-n" {
                return has_letter(command, 'n');
            }
            command.has_flag(option)
                || command
                    .words_after_program()
                    .iter()
                    .any(|it| it.text == *option && !it.is_option_value)
        };
        // Git accepts abbreviations of long options.
        let abbreviated = |option: &&str| {
            command.program == "git"
                && command.flags.iter().any(|it| {
                    it.len() > 3 && it.starts_with("--") && option.starts_with(it.as_str())
                })
        };
        // `--dry-run=none` isn't a dry run, and a later `--no-dry-run` cancels it.
        let refused = |option: &&str| {
            let is_long = option.starts_with("--");
            command.words_after_program().iter().any(|it| {
                let value = it.text.strip_prefix(*option);
                let off = ["=none", "=false", "=0", "=no"];
                is_long && value.is_some_and(|value| off.contains(&value))
                    || it.text == "--no-dry-run" && ["-n", "--dry-run"].contains(option)
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

/// Returns all expressions, as they are compiled.
#[cfg(test)]
pub(crate) fn expressions() -> impl Iterator<Item = String> {
    let entries = LINES.iter().map(|(effect, line)| Entry::read(effect, line));
    let of_entries = entries.flat_map(|it| it.parts).filter_map(|it| match it {
        Part::Matches(expression) | Part::MatchesNone(expression) => Some(expression),
        _ => None,
    });
    let of_codes = CODES.iter().map(Code::new);
    let of_codes = of_codes.flat_map(|it| it.patterns.into_iter().chain(it.unless));
    of_entries.chain(of_codes).map(|it| it.text().to_owned())
}

#[cfg(test)]
mod tests {
    use super::{LINES, PROGRAMS, codes, entries, expressions};
    use crate::expression::Expression;

    /// HT-41: each line and expression of the table that comes with the program can be read.
    #[test]
    fn the_table_is_readable() {
        for text in expressions() {
            assert!(Expression::new(&text).is_readable(), "{text}");
        }
        assert!(PROGRAMS.is_sorted_by_key(|it| it.0));
        let lines = PROGRAMS.iter().flat_map(|it| it.1);
        assert!(lines.clone().all(|it| usize::from(*it) < LINES.len()));
        assert!(entries("git").count() > 20);
        assert!(codes().count() > 3);
        assert_eq!(entries("no-such-program").count(), 0);
    }
}
