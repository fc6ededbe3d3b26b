//! Text that builtins evaluate even if it is quoted: subscripts, prompts, and options that take
//! commands.

use crate::scope::Scope;
use crate::understood::{OpaqueReason, Word};
use crate::walk::Walker;

/// Builtins that take names of variables or arithmetic: both may have a subscript, which is
/// evaluated.
const TAKE_NAMES: [&str; 16] = [
    "[",
    "declare",
    "export",
    "getopts",
    "let",
    "local",
    "mapfile",
    "printf",
    "read",
    "readarray",
    "readonly",
    "test",
    "typeset",
    "unset",
    "wait",
    "[[",
];

impl Walker {
    /// Follows what a builtin runs from its arguments.
    pub(super) fn follow_builtin(&mut self, name: &str, words: &[Word], scope: &Scope<'_>) {
        if TAKE_NAMES.contains(&name) {
            for word in words.iter().filter(|it| it.known) {
                self.subscript(&word.text, scope);
            }
        }
        let valued = |option: &'static str| {
            words.iter().enumerate().filter_map(move |(at, word)| {
                let rest = word.text.strip_prefix(option)?;
                if rest.is_empty() {
                    return words.get(at + 1).cloned();
                }
                Some(Word {
                    text: rest.to_owned(),
                    ..word.clone()
                })
            })
        };
        match name {
            "mapfile" | "readarray" | "complete" | "compgen" => {
                for command in valued("-C").chain(valued("-F")).collect::<Vec<_>>() {
                    self.own_text(&command.text, scope);
                }
                for list in valued("-W").collect::<Vec<_>>() {
                    self.follow_text(&list.text, scope);
                }
            }
            "jobs" => {
                for command in valued("-x").collect::<Vec<_>>() {
                    let at = words.iter().position(|it| it.text == command.text);
                    let rest = words[at.unwrap_or_default()..].iter();
                    let line = crate::join(rest.map(|it| it.text.as_str()));
                    self.own_text(&line, scope);
                }
            }
            _ => {}
        }
    }

    /// Follows what the value of a variable may run: a subscript if the name is used in arithmetic,
    /// a prompt, a function for child shells.
    pub(super) fn evaluated_value(&mut self, name: &str, value: &str, scope: &Scope<'_>) {
        let is_prompt = ["PS0", "PS1", "PS2", "PS3", "PS4"].contains(&name);
        if is_prompt && has_substitution(value) {
            self.follow_text(value, scope);
        } else {
            self.subscript(value, scope);
        }
        let function = name
            .strip_prefix("BASH_FUNC_")
            .filter(|_| value.trim_start().starts_with("()"));
        if function.is_some() {
            self.own_text(&format!("f {value}\nf"), scope);
        }
    }

    /// Follows what `a[$(…)]` runs.
    pub(crate) fn subscript(&mut self, text: &str, scope: &Scope<'_>) {
        let inside = text.split_once('[').map(|(_, inside)| inside);
        if inside.is_some_and(has_substitution) {
            self.follow_text(text, scope);
        }
    }

    fn follow_text(&mut self, text: &str, scope: &Scope<'_>) {
        if has_substitution(text) {
            let quoted = format!(": \"{text}\"");
            if crate::syntax::parse(&quoted).is_some() {
                self.own_text(&quoted, scope);
            } else {
                self.note_opaque(OpaqueReason::ComputedText, text);
            }
        }
    }
}

fn has_substitution(text: &str) -> bool {
    text.contains("$(") || text.contains('`') || text.contains("<(")
}
