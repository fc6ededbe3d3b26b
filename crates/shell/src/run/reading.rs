//! Builtins that read into variables: `read`, `mapfile`.

use crate::flow::Stream;
use crate::scope::Scope;
use crate::understood::Word;

/// Options of `read` with a value.
const READ_WITH_VALUE: &str = "adinNptu";

/// Options of `mapfile` with a value.
const MAPFILE_WITH_VALUE: &str = "dnOsuCc";

/// How a builtin that reads is called.
struct Called {
    /// Its letters, each with its value.
    options: Vec<(char, Option<Word>)>,
    names: Vec<Word>,
}

impl Called {
    fn of(words: &[Word], valued: &str) -> Self {
        let mut options = Vec::new();
        let mut rest = words.iter();
        let mut names = Vec::new();
        while let Some(word) = rest.next() {
            if word.text == "--" {
                names.extend(rest.by_ref().cloned());
                break;
            }
            let Some(letters) = word.text.strip_prefix('-').filter(|it| !it.is_empty()) else {
                names.push(word.clone());
                names.extend(rest.by_ref().cloned());
                break;
            };
            let mut letters = letters.chars();
            while let Some(letter) = letters.next() {
                if !valued.contains(letter) {
                    options.push((letter, None));
                    continue;
                }
                let attached = letters.as_str();
                let value = if attached.is_empty() {
                    rest.next().cloned()
                } else {
                    Some(Word {
                        text: attached.to_owned(),
                        ..word.clone()
                    })
                };
                options.push((letter, value));
                break;
            }
        }
        Self { options, names }
    }

    fn value(&self, letter: char) -> Option<&Word> {
        let mut options = self.options.iter().rev();
        options.find(|(it, _)| *it == letter)?.1.as_ref()
    }

    fn has(&self, letters: &str) -> bool {
        self.options.iter().any(|(it, _)| letters.contains(*it))
    }
}

/// `read [options] [name …]`
pub(super) fn read(words: &[Word], scope: &mut Scope<'_>, input: &Stream) {
    let called = Called::of(words, READ_WITH_VALUE);
    if let Some(array) = called.value('a').cloned() {
        return scope.set_named(&array, None);
    }
    let reply = [Word::plain("REPLY")];
    let names = if called.names.is_empty() {
        &reply[..]
    } else {
        &called.names[..]
    };
    // The output of `find` is known by its pattern.
    if let Stream::Names(found) = input
        && let [pattern] = &found[..]
        && !called.has("nNu")
        && called
            .value('d')
            .is_none_or(|it| it.known && it.text.is_empty())
    {
        for name in names {
            scope.set_named(name, None);
            if name.known && !name.text.contains('[') {
                scope.set_glob(&name.text, pattern.clone());
            }
        }
        return;
    }
    let mut left = line_of(&called, input);
    let separators = scope.value("IFS");
    for (number, name) in names.iter().enumerate() {
        let is_last = number + 1 == names.len();
        let value = match (&left, separators.as_deref()) {
            (None, _) | (_, None) => None,
            // Without a name, the value is the whole line.
            (Some(text), _) if called.names.is_empty() => Some(text.clone()),
            (Some(text), Some(separators)) => next_field(text, separators, is_last).map(|it| {
                left = Some(it.1);
                it.0
            }),
        };
        if value.is_none() {
            left = None;
        }
        scope.set_named(name, value);
    }
}

/// Returns what is read; `None` if that isn't certain.
fn line_of(called: &Called, input: &Stream) -> Option<String> {
    let text = input.text()?;
    if called.has("nNu") {
        return None;
    }
    let line = match called.value('d') {
        None => text.lines().next()?,
        // An empty delimiter: up to the end of the input.
        Some(end) if end.known && end.text.is_empty() => text,
        Some(_) => return None,
    };
    // Backslashes are removed.
    (called.has("r") || !line.contains('\\')).then(|| line.to_owned())
}

/// Takes the next word from a line; the last name gets the rest.
fn next_field(text: &str, separators: &str, is_last: bool) -> Option<(String, String)> {
    let is_blank = |it: char| separators.contains(it) && it.is_whitespace();
    let is_separator = |it: char| separators.contains(it);
    let text = text.trim_matches(is_blank);
    if is_last {
        // A single trailing separator is removed.
        let is_plain = !text.ends_with(is_separator);
        return is_plain.then(|| (text.to_owned(), String::new()));
    }
    let Some(end) = text.find(is_separator) else {
        return Some((text.to_owned(), String::new()));
    };
    let (word, rest) = text.split_at(end);
    let rest = rest.trim_start_matches(is_blank);
    let mut behind = rest.chars();
    let rest = match behind.next() {
        Some(first) if is_separator(first) => behind.as_str().trim_start_matches(is_blank),
        _ => rest,
    };
    Some((word.to_owned(), rest.to_owned()))
}

/// Returns whether a command gets each line that `mapfile` reads: `mapfile -C eval`.
pub(super) fn has_callback(words: &[Word]) -> bool {
    Called::of(words, MAPFILE_WITH_VALUE).value('C').is_some()
}

/// `mapfile [options] [name]`
pub(super) fn read_lines(words: &[Word], scope: &mut Scope<'_>, input: &Stream) {
    let called = Called::of(words, MAPFILE_WITH_VALUE);
    let own = Word::plain("MAPFILE");
    let name = called.names.first().unwrap_or(&own).clone();
    let lines = input.text().filter(|_| !called.has("dnOsuCc"));
    let lines = lines.map(|text| text.lines().map(Word::plain).collect());
    scope.set_named(&name, None);
    if let Some(lines) = lines
        && name.known
        && !name.text.contains('[')
    {
        scope.arrays.insert(name.text, lines);
    }
}
