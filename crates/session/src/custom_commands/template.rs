//! The prompt of a custom command: its text, and what is inserted into it (TU-5).

use hookloop_shell::{misplaced, quote};

/// The placeholder for the words after the command.
const ARGUMENTS: &str = "{{args}}";

/// A prompt as it is in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Arguments,
    /// A shell command.
    Shell(Vec<Word>),
    /// A file.
    File(String),
}

/// A part of a shell command.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Word {
    Text(String),
    Arguments,
}

/// One step on the way to the prompt that is sent, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// This text is there.
    Text(String),
    /// The output of this shell command.
    Shell(String),
    /// This file is attached.
    File(String),
}

/// What can't be understood in a prompt, and at which byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unreadable {
    pub(crate) offset: usize,
    pub(crate) what: String,
}

impl Template {
    /// Parses a prompt. What is inserted later is never searched for such marks again.
    pub(crate) fn parse(prompt: &str) -> Result<Self, Unreadable> {
        let mut pieces = Vec::new();
        let mut text = String::new();
        let mut at = 0;
        while let Some(letter) = prompt[at..].chars().next() {
            let rest = &prompt[at..];
            if rest.starts_with(ARGUMENTS) {
                flush(&mut pieces, &mut text);
                pieces.push(Piece::Arguments);
                at += ARGUMENTS.len();
            } else if rest.starts_with("!{") || rest.starts_with("@{") {
                flush(&mut pieces, &mut text);
                let inside = braced(rest, at)?;
                pieces.push(match letter {
                    '!' => Piece::Shell(words(inside, at + "!{".len())?),
                    _ => Piece::File(inside.trim().to_owned()),
                });
                at += "!{".len() + inside.len() + "}".len();
            } else {
                text.push(letter);
                at += letter.len_utf8();
            }
        }
        flush(&mut pieces, &mut text);
        Ok(Self(pieces))
    }

    /// Returns what has to be done for the prompt that is sent. `typed` is everything that the user
    /// wrote; it is added at the end if the prompt has no place for the arguments.
    pub(crate) fn steps(&self, arguments: &str, typed: &str) -> Vec<Step> {
        let mut steps: Vec<Step> = self
            .0
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => Step::Text(text.clone()),
                Piece::Arguments => Step::Text(arguments.to_owned()),
                Piece::Shell(words) => Step::Shell(command(words, arguments)),
                Piece::File(path) => Step::File(path.clone()),
            })
            .collect();
        if !self.takes_arguments() && !arguments.is_empty() {
            steps.push(Step::Text(format!("\n\n{typed}")));
        }
        steps
    }

    pub(crate) fn takes_arguments(&self) -> bool {
        self.0.iter().any(|piece| match piece {
            Piece::Arguments => true,
            Piece::Shell(words) => words.contains(&Word::Arguments),
            Piece::Text(_) | Piece::File(_) => false,
        })
    }
}

fn flush(pieces: &mut Vec<Piece>, text: &mut String) {
    if !text.is_empty() {
        pieces.push(Piece::Text(std::mem::take(text)));
    }
}

/// Returns what is between braces, which may contain pairs of them.
fn braced(text: &str, offset: usize) -> Result<&str, Unreadable> {
    let mut depth = 0_usize;
    let wrong = |what: String| Unreadable { offset, what };
    let mark = &text[..2];
    for (place, letter) in text.char_indices().skip(1) {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let inside = &text[2..place];
            if inside.trim().is_empty() {
                return Err(wrong(format!("nothing is inside `{mark}}}`")));
            }
            return Ok(inside);
        }
    }
    Err(wrong(format!("`{mark}` has no closing brace")))
}

/// Reads a shell command that begins at a byte of the prompt. The arguments are quoted, so their
/// placeholder has to be where that makes them a word.
fn words(command: &str, offset: usize) -> Result<Vec<Word>, Unreadable> {
    if let Some(at) = misplaced(command, ARGUMENTS) {
        return Err(Unreadable {
            offset: offset + at,
            what: format!(
                "`{ARGUMENTS}` is quoted for the shell as one word, and here that quoting would be \
                 broken: write it on its own, without quotes, backticks, a `$` or a here-document \
                 around it"
            ),
        });
    }
    let mut words = Vec::new();
    for (index, text) in command.split(ARGUMENTS).enumerate() {
        if index > 0 {
            words.push(Word::Arguments);
        }
        if !text.is_empty() {
            words.push(Word::Text(text.to_owned()));
        }
    }
    Ok(words)
}

/// Inserts the arguments into a command, as one word that the shell doesn't read further.
fn command(words: &[Word], arguments: &str) -> String {
    words
        .iter()
        .map(|word| match word {
            Word::Text(text) => text.clone(),
            Word::Arguments => quote(arguments).into_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(prompt: &str, arguments: &str) -> Vec<Step> {
        let template = Template::parse(prompt).expect("a prompt");
        template.steps(arguments, &format!("/x {arguments}"))
    }

    fn text(text: &str) -> Step {
        Step::Text(text.to_owned())
    }

    fn shell(command: &str) -> Step {
        Step::Shell(command.to_owned())
    }

    /// TU-5: arguments go where the prompt has a place for them, else what was typed goes at its
    /// end; without any the prompt stays as it is.
    #[test]
    fn arguments_find_their_place() {
        assert_eq!(
            steps("Fix {{args}} now", "it"),
            [text("Fix "), text("it"), text(" now")]
        );
        assert_eq!(steps("Fix", "it"), [text("Fix"), text("\n\n/x it")]);
        assert_eq!(steps("Fix", ""), [text("Fix")]);
    }

    /// TU-5: arguments of a shell command are one word of it, whatever they contain.
    #[test]
    fn arguments_of_commands_are_quoted() {
        assert_eq!(
            steps("A !{grep -- {{args}} ${HOME}/x | wc} B", "a'; rm -rf / #"),
            [
                text("A "),
                shell(r"grep -- 'a'\''; rm -rf / #' ${HOME}/x | wc"),
                text(" B"),
            ]
        );
        assert_eq!(steps("!{echo {{args}}}", "$(id)"), [shell("echo '$(id)'")]);
        assert_eq!(steps("!{echo {{args}}}", ""), [shell("echo ''")]);
    }

    /// TU-5: arguments are never inserted where they could be more than one word of a command; that
    /// is reported with its place.
    #[test]
    fn arguments_in_quotes_are_refused() {
        for (prompt, offset) in [
            ("a !{grep \"{{args}}\" x}", 10),
            ("é !{grep '{{args}}' x}", 11),
            ("!{ls {{args}}} !{ls `x {{args}}`}", 23),
            ("!{cat <<END\n{{args}}\nEND\n}", 12),
        ] {
            let error = Template::parse(prompt).expect_err(prompt);
            assert_eq!(error.offset, offset, "{prompt}");
            assert!(error.what.contains("{{args}}"), "{}", error.what);
        }
        assert_eq!(
            steps("!{echo \"$(wc -l {{args}})\"}", "a b"),
            [shell("echo \"$(wc -l 'a b')\"")]
        );
    }

    /// TU-5: what the user writes is never searched for commands, files and placeholders.
    #[test]
    fn arguments_hold_no_commands() {
        assert_eq!(
            steps("Say {{args}} @{a b.md}", "!{id} @{x} {{args}}"),
            [
                text("Say "),
                text("!{id} @{x} {{args}}"),
                text(" "),
                Step::File("a b.md".to_owned()),
            ]
        );
    }

    /// TU-5: a mark without its end is reported with its place.
    #[test]
    fn unclosed_marks_are_told() {
        for (prompt, offset, what) in [
            ("a !{ls", 2, "`!{` has no closing brace"),
            ("é @{ }", 3, "nothing is inside `@{}`"),
        ] {
            let what = what.to_owned();
            assert_eq!(Template::parse(prompt), Err(Unreadable { offset, what }));
        }
    }
}
