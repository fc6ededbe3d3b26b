//! The words of a command, as far as they can be known without running it (TR-1, CM-3).

use std::path::Path;

/// The variables that stand for the project's folder in commands (ENV-1, ENV-2).
const PROJECT_VARIABLES: [&str; 3] = ["GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "GEMINI_CWD"];

/// Holds one word of a command, without its quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandWord {
    /// The text.
    pub text: String,
    /// How many simple commands (`a && b`, `a | b`, `a; b`) stand before the word's own.
    pub simple_command: usize,
}

/// Splits a command at white space and the shell's operators, and takes quotes away (TR-1).
///
/// Variables stay as written, see [`expand_project_variables`].
pub fn command_words(command: &str) -> Vec<CommandWord> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut simple_command = 0;
    let mut characters = command.chars().peekable();
    while let Some(character) = characters.next() {
        let ends_word = character.is_whitespace() || "|&;()<>`".contains(character);
        if ends_word {
            if let Some(text) = word.take() {
                words.push(CommandWord {
                    text,
                    simple_command,
                });
            }
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
            // Windows writes its paths with it.
            '\\' if !cfg!(windows) => text.extend(characters.next().filter(|it| *it != '\n')),
            other => text.push(other),
        }
    }
    if let Some(text) = word {
        words.push(CommandWord {
            text,
            simple_command,
        });
    }
    words
}

/// Replaces the variables that stand for the project's folder, `$NAME` and `${NAME}` (ENV-2).
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
}
