//! The words of a command, as far as they can be known without running it (TR-1, CM-3).

use std::path::Path;

/// The variables that stand for the project's folder in commands (ENV-1, ENV-2).
const PROJECT_VARIABLES: [&str; 3] = ["GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "GEMINI_CWD"];

/// A word of a command, without its quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandWord {
    /// The text.
    pub text: String,
    /// The number of simple commands (`a && b`, `a | b`, `a; b`) before the one that contains the
    /// word.
    pub simple_command: usize,
    /// The role of the word.
    pub use_of_word: UseOfWord,
}

/// The role of a word in its command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UseOfWord {
    /// A program, an argument, or a file that is read.
    Said,
    /// A file to which output goes (`> file`). Its content doesn't affect what runs.
    OutputTarget,
}

/// Splits a command at white space and shell operators, and removes quotes (TR-1).
///
/// Variables stay as written, see [`expand_project_variables`].
pub fn command_words(command: &str) -> Vec<CommandWord> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut simple_command = 0;
    let mut use_of_word = UseOfWord::Said;
    let mut characters = command.chars().peekable();
    while let Some(character) = characters.next() {
        let ends_word = character.is_whitespace() || "|&;()<>`".contains(character);
        if ends_word {
            if let Some(text) = word.take() {
                words.push(CommandWord {
                    text,
                    simple_command,
                    use_of_word,
                });
                use_of_word = UseOfWord::Said;
            }
            use_of_word = match character {
                '>' => UseOfWord::OutputTarget,
                _ if character.is_whitespace() => use_of_word,
                // `>&`, `>|` still lead to the target.
                '&' | '|' if use_of_word == UseOfWord::OutputTarget => continue,
                _ => UseOfWord::Said,
            };
            if "|&;\n".contains(character) {
                simple_command += 1;
            }
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
        words.push(CommandWord {
            text,
            simple_command,
            use_of_word,
        });
    }
    words
}

/// Replaces variables for the project's folder, `$NAME` and `${NAME}` (ENV-2).
pub fn expand_project_variables(text: &str, project_root: &Path) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(command: &str) -> Vec<String> {
        command_words(command)
            .into_iter()
            .map(|word| word.text)
            .collect()
    }

    /// TR-1: words are found through quotes, operators and escapes.
    #[test]
    fn words_are_found() {
        assert_eq!(
            texts("bash \"a b.sh\" 'c d' e\\ f"),
            ["bash", "a b.sh", "c d", "e f"]
        );
        assert_eq!(texts("a&&b|c;d>e"), ["a", "b", "c", "d", "e"]);
        assert_eq!(texts("\"$X\"/y --k='v w'"), ["$X/y", "--k=v w"]);
        assert_eq!(texts("\"open"), ["open"]);
        assert!(texts("").is_empty());
    }

    /// ENV-2: project variables are replaced, longer names are others.
    #[test]
    fn project_variables_are_expanded() {
        let root = Path::new("/p q");
        assert_eq!(
            expand_project_variables("$GEMINI_PROJECT_DIR/a", root),
            "/p q/a"
        );
        assert_eq!(
            expand_project_variables("${CLAUDE_PROJECT_DIR}x$", root),
            "/p qx$"
        );
        assert_eq!(
            expand_project_variables("${GEMINI_PROJECT_DIR:-.}/a", root),
            "/p q/a"
        );
        assert_eq!(
            expand_project_variables("$GEMINI_CWD_EXTRA ${GEMINI_CWD", root),
            "$GEMINI_CWD_EXTRA ${GEMINI_CWD"
        );
    }

    /// TR-1: a file that output goes to is distinguished from one that is read.
    #[test]
    fn targets_of_output_are_told_apart() {
        let said = |command: &str| -> Vec<String> {
            command_words(command)
                .into_iter()
                .filter(|word| word.use_of_word == UseOfWord::Said)
                .map(|word| word.text)
                .collect()
        };
        assert_eq!(said("cat > log.json; sh run.sh"), ["cat", "sh", "run.sh"]);
        assert_eq!(said("a >>log 2> err &> all b"), ["a", "2", "b"]);
        assert_eq!(said("sh < run.sh >| out"), ["sh", "run.sh"]);
        assert_eq!(said("sh x.sh>&2 && sh y.sh"), ["sh", "x.sh", "sh", "y.sh"]);
        assert_eq!(said("cat > x.sh && sh x.sh"), ["cat", "sh", "x.sh"]);
        assert_eq!(said("diff <(sh a.sh) b"), ["diff", "sh", "a.sh", "b"]);
        assert_eq!(said("tee >(sh a.sh)"), ["tee", "sh", "a.sh"]);
    }
}
