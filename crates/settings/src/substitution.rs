//! The variables of an extension (EX-2).

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

use hookloop_hook::EXTENSION_PATH_VARIABLE;

/// How plugins of Claude Code write the folder of theirs (FD-3).
const PLUGIN_ROOT: &str = "${CLAUDE_PLUGIN_ROOT}";

/// Returns whether every shell reads a text as one plain word, wherever it is (EX-2).
fn is_plain(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|character| {
            character.is_ascii_alphanumeric()
                || "/._+-@:".contains(character)
                || (cfg!(windows) && character == '\\')
        })
}

/// Inserts the reference of a variable where something is written, also inside single quotes.
fn by_reference(text: &str, written: &str, variable: &str) -> String {
    let mut replaced = String::with_capacity(text.len() + 16);
    let (mut in_single, mut in_double) = (false, false);
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix(written) {
            if in_single {
                let _ = write!(replaced, "'\"${{{variable}}}\"'");
            } else {
                let _ = write!(replaced, "${{{variable}}}");
            }
            rest = after;
            continue;
        }
        let mut length = character.len_utf8();
        match character {
            '\'' if !in_double => in_single = !in_single,
            '"' if !in_single => in_double = !in_double,
            '\\' if !in_single => length += rest[1..].chars().next().map_or(0, char::len_utf8),
            _ => {}
        }
        replaced.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    replaced
}

/// Returns whether a command may contain a program of another language or shell in its text. It
/// errs on the safe side: what only looks like one is refused with a remedy, and only in folders
/// with unusual names.
fn holds_program(command: &str) -> bool {
    const PROGRAMS: [&str; 12] = [
        "eval", "ssh", "awk", "gawk", "mawk", "trap", "su", "watch", "parallel", "sed", "source",
        "expect",
    ];
    command.contains("<<")
        // Quotes inside a substitution begin again.
        || (command.contains('\'') && (command.contains("$(") || command.contains('`')))
        || command
            .split(|character: char| character.is_whitespace() || "\"'`();|&".contains(character))
            .any(|word| {
                let name = word.rsplit('/').next().unwrap_or(word);
                let option = word.strip_prefix('-').is_some_and(|letters| {
                    matches!(letters, "-eval" | "-command" | "-exec" | "-print" | "Command")
                        || (!letters.is_empty()
                            && letters.len() <= 4
                            && letters.chars().all(|it| it.is_ascii_alphabetic())
                            && letters.contains(['c', 'e', 'E', 'p', 'r']))
                });
                option || PROGRAMS.contains(&name)
            })
}

/// Replaces `${extensionPath}` and `${CLAUDE_PLUGIN_ROOT}`, `${workspacePath}`, `${/}` and
/// `${pathSeparator}` (EX-2).
#[derive(Debug)]
pub(crate) struct Substitution {
    extension_path: String,
    workspace_path: String,
}

impl Substitution {
    pub(crate) fn new(extension_path: &Path, workspace_path: &Path) -> Self {
        Self {
            extension_path: extension_path.to_string_lossy().into_owned(),
            workspace_path: workspace_path.to_string_lossy().into_owned(),
        }
    }

    /// Replaces once, from left to right: an inserted value isn't read again.
    pub(crate) fn apply<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !text.contains("${") {
            return Cow::Borrowed(text);
        }
        let mut replaced = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(begin) = rest.find("${") {
            let (before, variable) = rest.split_at(begin);
            replaced.push_str(before);
            let end = variable.find('}').map(|end| end + 1);
            let value = end.and_then(|end| self.value(&variable[2..end - 1]).map(|it| (it, end)));
            if let Some((value, end)) = value {
                replaced.push_str(value);
                rest = &variable[end..];
            } else {
                // An unknown variable stays as it is, and the next one may begin inside it.
                replaced.push_str("${");
                rest = &variable[2..];
            }
        }
        replaced.push_str(rest);
        Cow::Owned(replaced)
    }

    /// Replaces in a text that a shell will read (EX-2): a folder's name isn't code. A value that a
    /// shell reads literally is written out; any other becomes a variable's reference, which the
    /// executor quotes. Fails, with cause and remedy, if the reference would be in a program inside
    /// the program, which would read the value as text of its own.
    pub(crate) fn command(&self, text: &str) -> Result<String, (String, String)> {
        let references = [
            (
                "${extensionPath}",
                &self.extension_path,
                EXTENSION_PATH_VARIABLE,
            ),
            (PLUGIN_ROOT, &self.extension_path, EXTENSION_PATH_VARIABLE),
            (
                "${workspacePath}",
                &self.workspace_path,
                "GEMINI_PROJECT_DIR",
            ),
        ];
        let risky: Vec<_> = references
            .into_iter()
            .filter(|(written, value, _)| text.contains(written) && !is_plain(value))
            .collect();
        let mut prepared = text.to_owned();
        for (written, _, variable) in &risky {
            if holds_program(text) {
                let cause = format!(
                    "{written} is in a program inside the command, but the folder's name \
                     contains characters other than letters, digits and /._+-@:"
                );
                let help = format!(
                    "make the inner program read the variable: write \"${variable}\" in it, and \
                     the program in single quotes"
                );
                return Err((cause, help));
            }
            prepared = by_reference(&prepared, written, variable);
        }
        Ok(self.apply(&prepared).into_owned())
    }

    /// Replaces in every string of a value.
    pub(crate) fn apply_to_json(&self, value: &mut serde_json::Value) {
        match value {
            serde_json::Value::String(text) => {
                if let Cow::Owned(replaced) = self.apply(text) {
                    *text = replaced;
                }
            }
            serde_json::Value::Array(list) => {
                for element in list {
                    self.apply_to_json(element);
                }
            }
            serde_json::Value::Object(object) => {
                for element in object.values_mut() {
                    self.apply_to_json(element);
                }
            }
            _ => {}
        }
    }

    fn value(&self, name: &str) -> Option<&str> {
        match name {
            "extensionPath" | "CLAUDE_PLUGIN_ROOT" => Some(&self.extension_path),
            "workspacePath" => Some(&self.workspace_path),
            "/" | "pathSeparator" => Some(std::path::MAIN_SEPARATOR_STR),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// EX-2: known variables are replaced, unknown ones stay as they are.
    #[test]
    fn variables_are_replaced() {
        let substitution = Substitution::new(Path::new("/e"), Path::new("/w${extensionPath}"));
        let separator = std::path::MAIN_SEPARATOR;
        assert_eq!(
            substitution
                .apply("${extensionPath}${/}a${pathSeparator}b ${HOME} ${x${extensionPath}"),
            format!("/e{separator}a{separator}b ${{HOME}} ${{x/e"),
        );
        assert_eq!(substitution.apply("${workspacePath}"), "/w${extensionPath}");
        assert_eq!(substitution.apply("${extensionPath"), "${extensionPath");
    }

    /// EX-2: in a command a folder's name isn't code, in whatever quotes the variable stands.
    #[test]
    fn a_folders_name_is_no_code() {
        let substitution =
            Substitution::new(Path::new("/plain/e-1.0"), Path::new("/w/a;touch PWNED;"));
        assert_eq!(
            substitution
                .command("sh ${extensionPath}/x '${workspacePath}'")
                .unwrap(),
            "sh /plain/e-1.0/x ''\"${GEMINI_PROJECT_DIR}\"''"
        );
        for nested in [
            "bash -c 'ls ${workspacePath}'",
            "eval \"ls ${workspacePath}\"",
            "node -e 'x(\"${workspacePath}\")'",
            "cat <<E\n${workspacePath}\nE",
            "ssh host ls ${workspacePath}",
        ] {
            assert!(substitution.command(nested).is_err(), "{nested}");
        }
        assert!(
            substitution
                .command("bash -c 'ls ${extensionPath}'")
                .is_ok()
        );
        let strange = Substitution::new(Path::new("/e $(x)"), Path::new("/w"));
        assert_eq!(
            strange.command("\"${extensionPath}${/}x\"").unwrap(),
            format!(
                "\"${{{EXTENSION_PATH_VARIABLE}}}{}x\"",
                std::path::MAIN_SEPARATOR
            )
        );
    }
}
