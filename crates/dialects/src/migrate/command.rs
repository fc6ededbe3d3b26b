//! Commands: variables under our names, and arguments as one line for the shell.

use hookloop_text::{powershell_string, shell_word_expanding};

use super::{Agent, Manner};

const THEIRS: &str = "CLAUDE_PROJECT_DIR";
const OURS: &str = "GEMINI_PROJECT_DIR";

/// Variables that are still replaced in arguments.
const REPLACED_VARIABLES: [&str; 6] = [
    OURS,
    THEIRS,
    "CLAUDE_PLUGIN_ROOT",
    "CLAUDE_PLUGIN_DATA",
    "CURSOR_PROJECT_DIR",
    "QWEN_PROJECT_DIR",
];

/// Variables that published hooks expect and no agent sets: the same information is in the hook's
/// input.
pub const NEVER_SET: [&str; 25] = [
    "CLAUDE_EVENT_TYPE",
    "CLAUDE_FILE_PATH",
    "CLAUDE_FILE_PATHS",
    "CLAUDE_HOOK_EVENT",
    "CLAUDE_HOOK_EVENT_NAME",
    "CLAUDE_HOOK_INPUT",
    "CLAUDE_NOTIFICATION",
    "CLAUDE_NOTIFICATION_MESSAGE",
    "CLAUDE_PROMPT",
    "CLAUDE_SESSION_ID",
    "CLAUDE_TOOL_ARGS",
    "CLAUDE_TOOL_COMMAND",
    "CLAUDE_TOOL_EXIT_CODE",
    "CLAUDE_TOOL_FILE_PATH",
    "CLAUDE_TOOL_INPUT",
    "CLAUDE_TOOL_INPUT_COMMAND",
    "CLAUDE_TOOL_INPUT_FILE_PATH",
    "CLAUDE_TOOL_NAME",
    "CLAUDE_TOOL_OUTPUT",
    "CLAUDE_TOOL_PARAMS",
    "CLAUDE_TOOL_RESPONSE",
    "CLAUDE_TOOL_RESULT",
    "CLAUDE_TRANSCRIPT_PATH",
    "CLAUDE_USER_PROMPT",
    "CLAUDE_WORKING_DIR",
];

/// Variables that other agents set, and that aren't set here. Those that are set only in the cloud
/// aren't among them: a script expects them to be unset in a session like ours.
const UNSET: [&str; 7] = [
    "CLAUDE_PLUGIN_ROOT",
    "CLAUDE_PLUGIN_DATA",
    "CLAUDE_ENV_FILE",
    "PLUGIN_ROOT",
    "PLUGIN_DATA",
    "CURSOR_USER_EMAIL",
    "CURSOR_VERSION",
];

/// Fields of replies that are spelled differently here, if a command line itself names them.
const REPLY_FIELDS: [(&str, &str); 5] = [
    ("permissionDecisionReason", "reason"),
    ("permissionDecision", "decision"),
    ("updatedInput", "hookSpecificOutput.tool_input"),
    ("updated_input", "hookSpecificOutput.tool_input"),
    ("followup_message", "decision \"deny\" with a reason"),
];

/// Replaces their name of the project's folder by ours, as `$NAME` and as `${NAME}` (CM-7).
pub(super) fn with_our_variables(command: &str) -> String {
    let theirs = [THEIRS, "CURSOR_PROJECT_DIR"];
    theirs
        .iter()
        .fold(command.to_owned(), |text, name| rename(&text, name))
}

fn rename(command: &str, theirs: &str) -> String {
    let mut result = String::with_capacity(command.len());
    let mut rest = command;
    while let Some(at) = rest.find(theirs) {
        let (before, from) = rest.split_at(at);
        let behind = &from[theirs.len()..];
        let is_variable = before.ends_with('$') || before.ends_with("${");
        let goes_on = behind.starts_with(|it: char| it.is_ascii_alphanumeric() || it == '_');
        result.push_str(before);
        result.push_str(if is_variable && !goes_on {
            OURS
        } else {
            theirs
        });
        rest = behind;
    }
    result.push_str(rest);
    result
}

/// Returns the variables in a command that aren't set here.
pub(super) fn unset_variables(command: &str, agent: Agent, manner: Manner) -> Vec<&'static str> {
    let is_unset = |name: &&&'static str| match **name {
        "CLAUDE_PLUGIN_ROOT" | "CLAUDE_PLUGIN_DATA" => manner != Manner::InPlugin,
        // If the entry stays, the check of hook commands reports this.
        name if NEVER_SET.contains(&name) => !manner.stays(),
        "CLAUDE_ENV_FILE" => {
            manner == Manner::Rewritten || !matches!(agent, Agent::ClaudeCode | Agent::Qwen)
        }
        _ => true,
    };
    let used = |name: &&&'static str| {
        command.match_indices(**name).any(|(at, _)| {
            let before = &command[..at];
            let behind = &command[at + name.len()..];
            (before.ends_with('$') || before.ends_with("${"))
                && !behind.starts_with(|it: char| it.is_ascii_alphanumeric() || it == '_')
        })
    };
    UNSET
        .iter()
        .chain(&NEVER_SET)
        .filter(is_unset)
        .filter(used)
        .copied()
        .collect()
}

/// Returns a reply's field that a command line writes and that is spelled otherwise here.
pub(super) fn speaks_foreign(command: &str) -> Option<(&'static str, &'static str)> {
    REPLY_FIELDS
        .into_iter()
        .find(|(field, _)| command.contains(field))
}

/// The family of the shell that a command is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Posix,
    PowerShell,
    Cmd,
}

impl Family {
    /// Returns the family of the shell that a hook names, or of the one that runs commands on this
    /// system.
    pub(super) fn of(shell: Option<&str>) -> Self {
        match shell {
            Some("powershell" | "pwsh") => Self::PowerShell,
            Some("cmd") => Self::Cmd,
            None if cfg!(windows) => Self::PowerShell,
            _ => Self::Posix,
        }
    }
}

/// Writes a command that runs in a folder (FD-14): of several commands, all run there, and none if
/// the folder is gone.
pub(super) fn running_in(folder: &str, line: &str, family: Family) -> String {
    match family {
        Family::Posix => {
            let folder = quoted_line([folder]);
            if line.contains([';', '&', '|', '#', '<', '(', '\n']) {
                format!("cd {folder} && {{ {line}\n}}")
            } else {
                format!("cd {folder} && {line}")
            }
        }
        Family::PowerShell => {
            let folder = match folder.strip_prefix('$') {
                Some(variable) => format!("$env:{variable}"),
                None => powershell_string(folder),
            };
            format!("Set-Location -LiteralPath {folder} -ErrorAction Stop; {line}")
        }
        Family::Cmd => {
            let folder = match folder.strip_prefix('$') {
                Some(variable) => format!("%{variable}%"),
                None => folder.to_owned(),
            };
            format!("cd /d \"{folder}\" && ({line})")
        }
    }
}

/// Writes a program and its arguments as one line for the shell; variables are still replaced.
pub(super) fn quoted_line<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let words = words
        .into_iter()
        .map(|word| shell_word_expanding(word, &REPLACED_VARIABLES));
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-7: the variable is renamed in both spellings; longer names and plain words stay.
    #[test]
    fn the_project_folder_is_renamed() {
        let cases = [
            ("\"$CLAUDE_PROJECT_DIR\"/x", "\"$GEMINI_PROJECT_DIR\"/x"),
            ("${CLAUDE_PROJECT_DIR}/x", "${GEMINI_PROJECT_DIR}/x"),
            ("${CLAUDE_PROJECT_DIR:-.}", "${GEMINI_PROJECT_DIR:-.}"),
            ("$CLAUDE_PROJECT_DIRS", "$CLAUDE_PROJECT_DIRS"),
            ("env CLAUDE_PROJECT_DIR=x y", "env CLAUDE_PROJECT_DIR=x y"),
        ];
        for (theirs, ours) in cases {
            assert_eq!(with_our_variables(theirs), ours);
        }
        assert_eq!(
            unset_variables(
                "$CLAUDE_PLUGIN_ROOT/x $CLAUDE_PLUGIN_ROOTS",
                Agent::ClaudeCode,
                Manner::InPlace
            ),
            ["CLAUDE_PLUGIN_ROOT"]
        );
    }

    /// FD-14: in each shell, all of a command runs in the folder, and nothing if that is gone.
    #[test]
    fn a_folder_is_gone_to_in_each_shell() {
        let variable = "$CURSOR_PROJECT_DIR";
        for (family, folder, expected) in [
            (Family::Posix, "/a b", "cd \"/a b\" && { x; y\n}"),
            (
                Family::Posix,
                variable,
                "cd \"$CURSOR_PROJECT_DIR\" && { x; y\n}",
            ),
            (
                Family::PowerShell,
                "C:\\it's",
                "Set-Location -LiteralPath 'C:\\it''s' -ErrorAction Stop; x; y",
            ),
            (
                Family::PowerShell,
                variable,
                "Set-Location -LiteralPath $env:CURSOR_PROJECT_DIR -ErrorAction Stop; x; y",
            ),
            (Family::Cmd, "C:\\a b", "cd /d \"C:\\a b\" && (x; y)"),
            (
                Family::Cmd,
                variable,
                "cd /d \"%CURSOR_PROJECT_DIR%\" && (x; y)",
            ),
        ] {
            assert_eq!(running_in(folder, "x; y", family), expected);
        }
        assert_eq!(Family::of(Some("powershell")), Family::PowerShell);
        assert_eq!(Family::of(Some("bash")), Family::Posix);
    }

    /// CM-7: arguments that no shell was to see reach the program as they are.
    #[test]
    fn arguments_are_quoted() {
        let line = quoted_line(["${GEMINI_PROJECT_DIR}/a b", "-x", "", "it's \"$HOME\" `x`"]);
        assert_eq!(
            line,
            r#""${GEMINI_PROJECT_DIR}/a b" -x "" "it's \"\$HOME\" \`x\`""#
        );
    }
}
