//! The values of options, in every spelling.

use crate::options::tables::ONE_DASH;
use crate::understood::{Command, Word};

impl Command {
    /// Returns the values of options, in every spelling: the next word, after `=`, attached to a
    /// letter (`-ofile`), after a cluster of letters (`-sSo file`), or after an abbreviated long
    /// name (`--outp=file`). This is the widest reading: anything that may be such an option
    /// counts.
    pub fn values_of(&self, options: &[&str]) -> Vec<Word> {
        let mut found = Vec::new();
        for (at, word) in self.words.iter().enumerate().skip(1) {
            let text = word.text.as_str();
            if text == "--" {
                break;
            }
            for option in options {
                match option_value(text, option, self.has_one_dash()) {
                    OptionMatch::Here(value) if !value.is_empty() => found.push(Word {
                        text: value.to_owned(),
                        ..word.clone()
                    }),
                    OptionMatch::Next => found.extend(self.words.get(at + 1).cloned()),
                    OptionMatch::Here(_) | OptionMatch::No => {}
                }
            }
        }
        found
    }

    /// Returns whether one of these options is given, in any spelling.
    pub fn has_option(&self, options: &[&str]) -> bool {
        let words = self.words.iter().skip(1).take_while(|it| it.text != "--");
        let mut texts = words.map(|it| it.text.as_str());
        texts.any(|text| {
            let is = |option: &&str| {
                !matches!(
                    option_value(text, option, self.has_one_dash()),
                    OptionMatch::No
                )
            };
            options.iter().any(is)
        })
    }

    /// Returns the destination folder of a copy, move or link that an option names: `-t DIR`.
    pub fn target_folder(&self) -> Option<Word> {
        const PROGRAMS: [&str; 8] = ["cp", "gcp", "mv", "gmv", "ln", "gln", "install", "ginstall"];
        if !PROGRAMS.contains(&self.program.as_str()) {
            return None;
        }
        let mut given = self.values_of(&["-t", "--target-directory"]).into_iter();
        given.next()
    }

    fn has_one_dash(&self) -> Dashes {
        if ONE_DASH.contains(&self.program.as_str()) {
            Dashes::Words
        } else {
            Dashes::Letters
        }
    }
}

/// How a program reads what follows a single dash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dashes {
    /// Each letter is a separate option.
    Letters,
    /// It is one word.
    Words,
}

/// Whether a word is an option, and where its value is.
enum OptionMatch<'w> {
    No,
    Next,
    Here(&'w str),
}

fn option_value<'w>(text: &'w str, option: &str, dashes: Dashes) -> OptionMatch<'w> {
    if !text.starts_with('-') || text.len() < 2 {
        return OptionMatch::No;
    }
    if text == option {
        return OptionMatch::Next;
    }
    if option.starts_with("--") {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let is_short_for_it = name.len() > 2 && name.starts_with("--") && option.starts_with(name);
        return match value {
            _ if !is_short_for_it => OptionMatch::No,
            Some(value) => OptionMatch::Here(value),
            None => OptionMatch::Next,
        };
    }
    let mut letters = option.chars().skip(1);
    let (Some(letter), None) = (letters.next(), letters.next()) else {
        // `-out=x`
        let value = text
            .strip_prefix(option)
            .and_then(|it| it.strip_prefix('='));
        return value.map_or(OptionMatch::No, OptionMatch::Here);
    };
    if text.starts_with("--") {
        return OptionMatch::No;
    }
    let place = match dashes {
        Dashes::Words => Some(1).filter(|_| text[1..].starts_with(letter)),
        Dashes::Letters => text
            .char_indices()
            .skip(1)
            .take_while(|(_, it)| it.is_ascii_alphabetic())
            .find(|(_, it)| *it == letter)
            .map(|(at, _)| at),
    };
    let Some(place) = place else {
        return OptionMatch::No;
    };
    let rest = &text[place + letter.len_utf8()..];
    match rest.strip_prefix('=').unwrap_or(rest) {
        "" => OptionMatch::Next,
        value => OptionMatch::Here(value),
    }
}
