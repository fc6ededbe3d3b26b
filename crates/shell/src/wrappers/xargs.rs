//! `xargs` and `parallel`: they turn their input into arguments of the commands that they start.

use super::Unwrapped;
use super::put_in;
use crate::flow::Stream;
use crate::simple::join_fields;
use crate::understood::Word;

/// More commands than this aren't listed: their arguments count as unknown.
const MAX_COMMANDS: usize = 256;

/// Options whose value is the rest of their word, or the next word.
const WITH_VALUE: &[(char, &str)] = &[
    ('a', "--arg-file"),
    ('d', "--delimiter"),
    ('E', "--eof"),
    ('I', "--replace"),
    ('J', ""),
    ('L', "--max-lines"),
    ('n', "--max-args"),
    ('N', "--max-replace-args"),
    ('P', "--max-procs"),
    ('R', ""),
    ('s', "--max-chars"),
    ('S', ""),
    ('j', "--jobs"),
];

/// Options whose value is the rest of their word, if there is one.
const WITH_OPTIONAL_VALUE: [char; 3] = ['i', 'l', 'e'];

/// Long options that have no value in the next word.
const LONG_WITH_OPTIONAL_VALUE: [&str; 3] = ["--replace", "--max-lines", "--eof"];

/// How the input is split into items.
#[derive(Debug, Default, PartialEq, Eq)]
enum Cut {
    /// At blanks and ends of lines, quotes resolved.
    #[default]
    Words,
    /// At ends of lines, quotes resolved.
    QuotedLines,
    /// At ends of lines, as they are.
    Lines,
    /// At a character.
    At(char),
}

/// How the commands are composed.
#[derive(Debug, Default)]
struct Options {
    cut: Option<Cut>,
    /// The placeholder for one item in the command.
    mark: Option<String>,
    /// Items follow the command if there is no placeholder for them.
    appends: bool,
    /// The placeholder for all items.
    mark_of_all: Option<String>,
    /// The number of items for each command.
    items: Option<usize>,
    /// The number of lines for each command.
    lines: Option<usize>,
    /// It doesn't read its standard input, or not all of it.
    reads_elsewhere: bool,
    /// Nothing is started if nothing is read.
    skips_nothing: bool,
}

impl Options {
    fn letter(&mut self, letter: char, value: &str) {
        let count = value.parse().ok().filter(|it| *it > 0);
        match letter {
            'a' => self.reads_elsewhere = true,
            '0' => self.cut = Some(Cut::At('\0')),
            'd' => self.cut = delimiter(value).map(Cut::At),
            'E' | 'e' if !value.is_empty() => self.reads_elsewhere = true,
            'I' | 'i' => {
                let mark = if value.is_empty() { "{}" } else { value };
                self.mark = Some(mark.to_owned());
            }
            'J' => self.mark_of_all = Some(value.to_owned()),
            'L' | 'l' => self.lines = Some(count.unwrap_or(1)),
            'n' | 'N' => self.items = Some(count.unwrap_or(1)),
            'r' => self.skips_nothing = true,
            _ => {}
        }
    }

    /// Removes leading options; the rest is the command.
    fn take<'w>(&mut self, words: &'w [Word]) -> &'w [Word] {
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let text = word.text.as_str();
            if text == "--" {
                at += 1;
                break;
            }
            if text.len() < 2 || !text.starts_with('-') {
                break;
            }
            at += 1;
            let next = words.get(at).map_or("", |it| it.text.as_str());
            let takes_next = if text.starts_with("--") {
                self.long(text, next)
            } else {
                self.cluster(&text[1..], next)
            };
            at += usize::from(takes_next);
        }
        words.get(at..).unwrap_or_default()
    }

    /// Reads a long option; returns whether the next word is its value.
    fn long(&mut self, text: &str, next: &str) -> bool {
        let (name, attached) = text.split_once('=').unzip();
        let name = name.unwrap_or(text);
        match name {
            "--null" => self.letter('0', ""),
            "--no-run-if-empty" => self.letter('r', ""),
            _ => {
                // Names may be abbreviated: `--max-a=1`.
                let mut known = WITH_VALUE.iter().filter(|it| it.1.starts_with(name));
                let Some((letter, whole)) = known.next() else {
                    return false;
                };
                let takes_next = attached.is_none() && !LONG_WITH_OPTIONAL_VALUE.contains(whole);
                let value = attached.unwrap_or(if takes_next { next } else { "" });
                self.letter(*letter, value);
                return takes_next;
            }
        }
        false
    }

    /// Reads a cluster of letters; returns whether the next word is the value of the last one.
    fn cluster(&mut self, letters: &str, next: &str) -> bool {
        for (at, letter) in letters.char_indices() {
            let rest = &letters[at + letter.len_utf8()..];
            if WITH_VALUE.iter().any(|it| it.0 == letter) {
                let takes_next = rest.is_empty();
                self.letter(letter, if takes_next { next } else { rest });
                return takes_next;
            }
            if WITH_OPTIONAL_VALUE.contains(&letter) {
                self.letter(letter, rest);
                return false;
            }
            self.letter(letter, "");
        }
        false
    }

    /// Splits the input into lines of items.
    fn items(&self, text: &str) -> Option<Vec<Vec<String>>> {
        match self.cut.as_ref().unwrap_or(&Cut::Words) {
            Cut::At(mark) => {
                let text = text.strip_suffix(*mark).unwrap_or(text);
                let items = text.split(*mark).filter(|it| !it.is_empty());
                Some(items.map(|it| vec![it.to_owned()]).collect())
            }
            Cut::Lines => Some(text.lines().map(|it| vec![it.to_owned()]).collect()),
            Cut::QuotedLines => {
                let lines = text
                    .lines()
                    .map(str::trim_start)
                    .filter(|it| !it.is_empty());
                lines
                    .map(|line| unquoted(line, false).map(|it| vec![it.concat()]))
                    .collect()
            }
            Cut::Words => {
                let mut lines: Vec<Vec<String>> = Vec::new();
                let mut goes_on = false;
                for line in text.lines() {
                    let items = unquoted(line, true)?;
                    match lines.last_mut().filter(|_| goes_on) {
                        Some(last) => last.extend(items),
                        None => lines.push(items),
                    }
                    // A blank at the end joins the next line.
                    goes_on = line.ends_with([' ', '\t']);
                }
                Some(lines)
            }
        }
    }
}

/// Removes the quotes of a line; `None` if one isn't closed.
fn unquoted(line: &str, splits: bool) -> Option<Vec<String>> {
    let mut items = Vec::new();
    let mut item: Option<String> = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' | '"' => {
                let item = item.get_or_insert_default();
                loop {
                    match letters.next()? {
                        end if end == letter => break,
                        inner => item.push(inner),
                    }
                }
            }
            '\\' => item.get_or_insert_default().push(letters.next()?),
            ' ' | '\t' if splits => items.extend(item.take()),
            _ => item.get_or_insert_default().push(letter),
        }
    }
    items.extend(item);
    Some(items)
}

/// Returns the character that a delimiter stands for.
fn delimiter(value: &str) -> Option<char> {
    let Some(escaped) = value.strip_prefix('\\').filter(|it| !it.is_empty()) else {
        return value.chars().next();
    };
    let first = escaped.chars().next()?;
    Some(match first {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'f' => '\u{c}',
        'v' => '\u{b}',
        'a' => '\u{7}',
        'b' => '\u{8}',
        'x' => char::from(u8::from_str_radix(&escaped[1..], 16).ok()?),
        '0'..='7' => char::from(u8::from_str_radix(escaped, 8).ok()?),
        other => other,
    })
}

/// A placeholder for what can't be known.
fn unknown_word() -> Word {
    Word {
        text: "$(xargs)".to_owned(),
        ..Word::default()
    }
}

/// Returns what `xargs` or `parallel` starts.
pub(super) fn started_by(program: &str, words: &[Word], input: &Stream) -> Unwrapped {
    let is_parallel = ["parallel", "rush"].contains(&program);
    let mut options = Options::default();
    let mut command = options.take(words).to_vec();
    if is_parallel {
        options.mark.get_or_insert_with(|| "{}".to_owned());
        options.items.get_or_insert(1);
        options.appends = true;
        options.cut.get_or_insert(Cut::Lines);
    } else if options.mark.is_some() {
        options.cut.get_or_insert(Cut::QuotedLines);
    }
    let mut lines = read_by(&options, input);
    if is_parallel && let Some(at) = command.iter().position(|it| it.text.starts_with(":::")) {
        lines = given_to_parallel(&command.split_off(at));
    }
    if is_parallel {
        return in_parallel(&options, &command, &lines);
    }
    if command.is_empty() {
        command.push(Word::plain("echo"));
    }
    if lines.is_empty() && options.skips_nothing {
        return Unwrapped::default();
    }
    Unwrapped {
        commands: commands_of(&options, &command, &lines),
        ..Unwrapped::default()
    }
}

/// Returns the input, in lines of items.
fn read_by(options: &Options, input: &Stream) -> Vec<Vec<Word>> {
    let nobody_knows = || vec![vec![unknown_word()]];
    if options.reads_elsewhere {
        return nobody_knows();
    }
    match input {
        Stream::Text(text) => options.items(text).map_or_else(nobody_knows, |lines| {
            let words = |line: Vec<String>| line.into_iter().map(Word::plain).collect();
            let lines = lines.into_iter().filter(|it| !it.is_empty());
            lines.map(words).collect()
        }),
        Stream::Names(names) => {
            let name = |name: &String| Word {
                pattern: true,
                ..Word::plain(name.as_str())
            };
            names.iter().map(|it| vec![name(it)]).collect()
        }
        _ => nobody_knows(),
    }
}

/// Reads `::: a b :::: file`.
fn given_to_parallel(words: &[Word]) -> Vec<Vec<Word>> {
    let mut from_files = false;
    let mut lines = Vec::new();
    for word in words {
        if word.text.starts_with(":::") {
            from_files = word.text.starts_with("::::");
            continue;
        }
        lines.push(vec![if from_files {
            unknown_word()
        } else {
            word.clone()
        }]);
    }
    lines
}

fn in_parallel(options: &Options, command: &[Word], lines: &[Vec<Word>]) -> Unwrapped {
    if command.is_empty() {
        return Unwrapped {
            texts: lines.concat(),
            ..Unwrapped::default()
        };
    }
    // `{.}`, `{/}`, `{1}`: a part of an item, or another one.
    let is_part = |word: &Word| {
        let mut parts = word.text.split('{').skip(1);
        parts.any(|it| {
            it.starts_with(['.', '/', '#', '%', '=', '+', '-'])
                || it.starts_with(|it: char| it.is_ascii_digit())
        })
    };
    let command: Vec<Word> = command
        .iter()
        .map(|word| Word {
            known: word.known && !is_part(word),
            ..word.clone()
        })
        .collect();
    let commands = commands_of(options, &command, lines);
    Unwrapped {
        texts: commands.into_iter().map(join_fields).collect(),
        ..Unwrapped::default()
    }
}

/// Composes the commands.
fn commands_of(options: &Options, command: &[Word], lines: &[Vec<Word>]) -> Vec<Vec<Word>> {
    let marks = |mark: &String| command.iter().any(|it| it.text.contains(mark.as_str()));
    let all: Vec<Word> = lines.concat();
    // `parallel` appends an item if there is no placeholder for it; `xargs -I` doesn't.
    let replaced = options.mark.as_ref();
    if let Some(mark) = replaced.filter(|mark| !options.appends || marks(mark)) {
        let with = |value: &Word| command.iter().map(|it| put_in(it, mark, value)).collect();
        if all.len() > MAX_COMMANDS {
            return vec![with(&unknown_word())];
        }
        return all.iter().map(with).collect();
    }
    let behind = |items: &[Word]| [command, items].concat();
    if let Some(mark) = &options.mark_of_all {
        let all = |it: &Word| {
            if it.text == *mark {
                all.clone()
            } else {
                vec![it.clone()]
            }
        };
        return vec![command.iter().flat_map(all).collect()];
    }
    let groups: Vec<Vec<Word>> = if let Some(count) = options.lines {
        lines.chunks(count).map(<[Vec<Word>]>::concat).collect()
    } else {
        let count = options.items.unwrap_or(all.len()).max(1);
        all.chunks(count).map(<[Word]>::to_vec).collect()
    };
    if groups.len() > MAX_COMMANDS {
        return vec![behind(&[unknown_word()])];
    }
    if groups.is_empty() {
        return vec![command.to_vec()];
    }
    groups.iter().map(|it| behind(it)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn started(line: &str, input: &str, expected: &[&str]) {
        let words: Vec<Word> = line.split(' ').map(Word::plain).collect();
        let found = started_by("xargs", &words, &Stream::Text(input.to_owned()));
        let found: Vec<String> = found
            .commands
            .iter()
            .map(|words| {
                let words: Vec<String> = words.iter().map(|it| format!("<{}>", it.text)).collect();
                words.concat()
            })
            .collect();
        assert_eq!(found, expected, "xargs {line} < {input:?}");
    }

    /// HT-30: the input becomes the arguments of the command.
    #[test]
    fn what_is_read_becomes_arguments() {
        started("rm", "a b\nc\n", &["<rm><a><b><c>"]);
        started("rm", "'a b' c\\ d \"e\"\n", &["<rm><a b><c d><e>"]);
        started("rm", "'not closed\n", &["<rm><$(xargs)>"]);
        started("rm", "", &["<rm>"]);
        started("-r rm", "", &[]);
        started("-n1 rm", "a b\nc", &["<rm><a>", "<rm><b>", "<rm><c>"]);
        started("-n 2 rm", "a b c", &["<rm><a><b>", "<rm><c>"]);
        started("--max-args=1 rm", "a b", &["<rm><a>", "<rm><b>"]);
        started("-L1 mv", "a b\nc d\n", &["<mv><a><b>", "<mv><c><d>"]);
        started("-I{} rm {}.x", "a b\n c\n", &["<rm><a b.x>", "<rm><c.x>"]);
        started("-I % rm %", "a\nb", &["<rm><a>", "<rm><b>"]);
        started("-rtI% rm %", "a\nb", &["<rm><a>", "<rm><b>"]);
        started("-I% rm x", "a\nb", &["<rm><x>", "<rm><x>"]);
        started("-I% rm %", "", &[]);
        started("-L1 rm", "a \nb\nc\n", &["<rm><a><b>", "<rm><c>"]);
        started("-i rm {}", "a", &["<rm><a>"]);
        started("--replace=% rm %", "a", &["<rm><a>"]);
        started("-0 rm", "a b\0c", &["<rm><a b><c>"]);
        started("-r0n1 rm", "a b\0c\0", &["<rm><a b>", "<rm><c>"]);
        started("-d, rm", "a b,c", &["<rm><a b><c>"]);
        started("-d \\n rm", "a b\nc\n", &["<rm><a b><c>"]);
        started("-J % cp % to", "a b", &["<cp><a><b><to>"]);
        started("-a list rm", "a", &["<rm><$(xargs)>"]);
        started("-P4 -- rm -n", "a", &["<rm><-n><a>"]);
        started("sh -c x -I", "a", &["<sh><-c><x><-I><a>"]);
    }

    #[test]
    fn more_commands_than_are_listed_are_unknown() {
        let many = "x\n".repeat(MAX_COMMANDS + 1);
        started("-n1 rm", &many, &["<rm><$(xargs)>"]);
        started("-I{} rm {}", &many, &["<rm><$(xargs)>"]);
    }
}
