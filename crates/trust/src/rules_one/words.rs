//! The words of a command, as version 0.1 split them.

use std::path::Path;

/// The variables that stand for the project's folder in commands (ENV-1, ENV-2).
const PROJECT_VARIABLES: [&str; 3] = ["GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "GEMINI_CWD"];

/// Contains one word of a command, without its quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommandWord {
    /// The text.
    pub(super) text: String,
    /// What the word is to the command.
    pub(super) use_of_word: UseOfWord,
}

/// What a word is to its command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UseOfWord {
    /// A program, an argument, or a file that is read.
    Said,
    /// A file that output goes to (`> file`): its content isn't part of what runs.
    OutputTarget,
}

/// Splits a command at white space and the shell's operators, and removes quotes (TR-1).
///
/// Variables stay as written, see [`expand_project_variables`].
pub(super) fn command_words(command: &str) -> Vec<CommandWord> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut use_of_word = UseOfWord::Said;
    let mut characters = command.chars().peekable();
    while let Some(character) = characters.next() {
        let ends_word = character.is_whitespace() || "|&;()<>`".contains(character);
        if ends_word {
            if let Some(text) = word.take() {
                words.push(CommandWord { text, use_of_word });
                use_of_word = UseOfWord::Said;
            }
            use_of_word = match character {
                '>' => UseOfWord::OutputTarget,
                _ if character.is_whitespace() => use_of_word,
                // `>&`, `>|` still lead to the target.
                '&' | '|' if use_of_word == UseOfWord::OutputTarget => continue,
                _ => UseOfWord::Said,
            };
            continue;
        }
        let text = word.get_or_insert_default();
        match character {
            '\'' => text.extend(characters.by_ref().take_while(|it| *it != '\'')),
            '"' => {
                while let Some(quoted) = characters.next() {
                    match quoted {
                        '"' => break,
                        '\\' if matches!(characters.peek(), Some('"' | '\\' | '$' | '`')) => {
                            text.extend(characters.next());
                        }
                        other => text.push(other),
                    }
                }
            }
            // On Windows, it separates folders.
            '\\' if !cfg!(windows) => text.extend(characters.next().filter(|it| *it != '\n')),
            other => text.push(other),
        }
    }
    if let Some(text) = word {
        words.push(CommandWord { text, use_of_word });
    }
    words
}

/// Replaces the variables that stand for the project's folder, `$NAME` and `${NAME}` (ENV-2).
pub(super) fn expand_project_variables(text: &str, project_root: &Path) -> String {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(dollar) = rest.find('$') {
        expanded.push_str(&rest[..dollar]);
        let after = &rest[dollar + 1..];
        let known = PROJECT_VARIABLES.iter().find_map(|name| {
            if let Some(tail) = after.strip_prefix('{') {
                let tail = tail.strip_prefix(name)?;
                // The variable is always set, so a default (`${NAME:-.}`) is never used.
                let default = tail.starts_with([':', '-', '}']);
                return default
                    .then(|| tail.split_once('}'))
                    .flatten()
                    .map(|(_, rest)| rest);
            }
            let tail = after.strip_prefix(name)?;
            let goes_on = tail.starts_with(|it: char| it.is_ascii_alphanumeric() || it == '_');
            (!goes_on).then_some(tail)
        });
        if let Some(tail) = known {
            expanded.push_str(&project_root.to_string_lossy());
            rest = tail;
        } else {
            expanded.push('$');
            rest = after;
        }
    }
    expanded.push_str(rest);
    expanded
}
