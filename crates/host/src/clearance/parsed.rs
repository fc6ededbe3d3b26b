//! Arguments that a Python script parses with `argparse`: the possible values of `arguments.out` if
//! the words of the command are known (TR-8).

use std::collections::BTreeSet;

use super::tokens::{Language, Token};
use super::values::Reader;

/// Names that make an argument unpredictable.
const OPAQUE: [&str; 13] = [
    "setattr",
    "set_defaults",
    "fromfile_prefix_chars",
    "prefix_chars",
    "vars",
    "__dict__",
    "Namespace",
    "parse_known_args",
    "parse_intermixed_args",
    "convert_arg_line_to_args",
    "FileType",
    "add_subparsers",
    "namespace",
];

/// Types that leave the text of an argument unchanged.
const TYPES: [&str; 5] = ["str", "int", "float", "Path", "PurePath"];

impl Reader<'_> {
    /// Returns the possible values of an attribute of the parsed arguments: the script's arguments,
    /// and the defaults that it names. `None` if they can't be determined.
    pub(super) fn argument_values(&self, name: &str) -> Option<BTreeSet<String>> {
        if self.language != Language::Python || !self.is_parsed(name) {
            return None;
        }
        if OPAQUE.iter().any(|it| self.mentions(it)) {
            return None;
        }
        let mut values = BTreeSet::new();
        for word in self.arguments {
            values.insert(word.clone());
            if !word.starts_with('-') {
                continue;
            }
            // `--out=FILE`, `-oFILE`
            values.extend(word.split_once('=').map(|(_, value)| value.to_owned()));
            let glued = word.char_indices().nth(2).map(|(at, _)| &word[at..]);
            values.extend(glued.filter(|_| !word.starts_with("--")).map(str::to_owned));
        }
        for at in 0..self.tokens.len() {
            self.step()?;
            if self.name(at) == Some("add_argument") && self.is_sign(at + 1, '(') {
                values.extend(self.declared_values(at + 1)?);
            }
        }
        Some(values)
    }

    /// Returns whether a name only contains the result of `parse_args()`, unchanged.
    fn is_parsed(&self, name: &str) -> bool {
        let mut is_given = false;
        for at in 0..self.tokens.len() {
            if self.step().is_none() {
                return false;
            }
            if self.name(at) != Some(name) {
                continue;
            }
            let is_member = at.checked_sub(1).is_some_and(|it| self.is_sign(it, '.'));
            let is_set = |at: usize| self.is_sign(at, '=') && !self.is_sign(at + 1, '=');
            if is_member {
                continue;
            }
            if is_set(at + 1) {
                let end = self.end_of_statement(at + 2);
                let calls = (at + 2..end).any(|it| self.name(it) == Some("parse_args"));
                // `parse_args(['--out', x])` parses other arguments.
                let is_plain = self.is_sign(end - 1, ')') && self.is_sign(end - 2, '(');
                if !calls || !is_plain {
                    return false;
                }
                is_given = true;
            } else if !self.is_sign(at + 1, '.') || is_set(at + 3) || self.is_changed_there(at) {
                // The result is passed on, or one of its values is replaced.
                return false;
            }
        }
        is_given
    }

    /// `a.out += '.json'`, `for a.out in`, `del a.out`
    fn is_changed_there(&self, at: usize) -> bool {
        let behind = at + 3;
        let is_augmented = matches!(
            self.tokens.get(behind),
            Some(Token::Sign('+' | '/' | '|' | '%' | '*' | '-' | ':'))
        ) && self.is_sign(behind + 1, '=');
        let before = at.checked_sub(1).and_then(|it| self.name(it));
        let in_list = before.is_some_and(|it| ["for", "del", "as"].contains(&it));
        is_augmented || in_list
    }

    /// Returns the values that a declaration names; `None` if one of them isn't known.
    fn declared_values(&self, open: usize) -> Option<BTreeSet<String>> {
        let close = self.closing(open)?;
        let mut values = BTreeSet::new();
        for (from, to) in self.split(open + 1, close) {
            let keyword = self.name(from).filter(|_| self.is_sign(from + 1, '='));
            let Some(keyword) = keyword else {
                // `*options`
                if self.is_sign(from, '*') {
                    return None;
                }
                continue;
            };
            let last = to.checked_sub(1)?;
            match keyword {
                "default" | "const" | "choices" => {
                    let word = self.name(from + 2).filter(|_| from + 2 == last);
                    let is_plain = word.is_some_and(|it| ["None", "True", "False"].contains(&it));
                    if is_plain || self.is_number(from + 2) || keyword == "choices" {
                        continue;
                    }
                    values.extend(self.argument(from, to)?);
                }
                "type" => {
                    self.name(last).filter(|it| TYPES.contains(it))?;
                }
                "action" => {
                    let is_text = matches!(self.tokens.get(from + 2), Some(Token::Text(Some(_))));
                    if !is_text {
                        return None;
                    }
                }
                _ => {}
            }
        }
        Some(values)
    }
}
