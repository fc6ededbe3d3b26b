//! Variables that people expect of the agent that a hook was written for, and that no hook finds in its
//! environment (FD-14, CM-3).

use std::path::PathBuf;

use hookloop_dialects::NEVER_SET;
use hookloop_hook::{Dialect, HookDeclaration, ProblemCode};

use super::{Complaint, Linter, words};

/// Variables that people expect of an agent, and that no hook finds: what it is asked about stands on
/// its standard input.
const EXPECTED: [&str; 16] = [
    "GEMINI_TOOL_NAME",
    "GEMINI_TOOL_INPUT",
    "GEMINI_TOOL_ARGS",
    "GEMINI_FILE_PATH",
    "GEMINI_HOOK_EVENT",
    "GEMINI_HOOK_EVENT_NAME",
    "GEMINI_HOOK_INPUT",
    "HOOK_EVENT_NAME",
    "HOOK_TOOL_NAME",
    "HOOK_TOOL_INPUT",
    "HOOK_INPUT",
    "HOOK_PAYLOAD",
    "TOOL_NAME",
    "TOOL_INPUT",
    "TOOL_ARGS",
    "TOOL_FILE_PATH",
];

/// What a script says that reads what it is asked about where it stands.
const READS_INPUT: [&str; 9] = [
    "stdin",
    "cat",
    "read",
    "jq",
    "input(",
    "fileinput",
    "<&0",
    "$(<",
    "/dev/fd/0",
];

/// Looks for such a variable in a command, and in its scripts that read nothing else.
pub(super) fn look<'s>(
    linter: &Linter<'_>,
    hook: &HookDeclaration,
    text: &str,
    scripts: impl Iterator<Item = &'s PathBuf>,
) -> Option<Complaint> {
    let ours = matches!(hook.dialect, Dialect::Hookloop | Dialect::GeminiCli);
    let never_set: &[&str] = if ours { &EXPECTED } else { &NEVER_SET };
    let is_meant = |name: &&&str| {
        !hook.env.contains_key(**name) && (!ours || linter.probe.variable(name).is_none())
    };
    let mut names = never_set.iter().filter(is_meant);
    let sets_it = |name: &str| ours && text.contains(&format!("{name}="));
    let in_command = names.find(|name| expands(text, name) && !sets_it(name));
    let in_command = in_command.copied();
    if let Some(name) = in_command {
        return Some(complaint(name, "the command"));
    }
    let mut scripts = scripts.filter(|it| words::may_be_read(linter, hook, it));
    scripts.find_map(|path| {
        let script = linter.probe.text(path)?;
        let lines = script.lines();
        let code: Vec<&str> = lines
            .filter(|line| !line.trim_start().starts_with(['#', '/', '*']))
            .collect();
        let code = code.join("\n");
        if READS_INPUT.iter().any(|it| code.contains(it)) {
            return None;
        }
        let sets = |name: &&&str| ours && code.contains(&format!("{name}="));
        let mut names = never_set.iter().filter(is_meant);
        let name = names.find(|name| stands_in(&code, name) && !sets(name))?;
        Some(complaint(name, &path.display().to_string()))
    })
}

fn complaint(name: &str, what: &str) -> Complaint {
    let message = format!("{what} reads \"{name}\", which is set for no hook: it is empty");
    let help = "read the event on standard input: file=$(jq -r .tool_input.file_path)";
    Complaint::new(ProblemCode::UnsetVariable, message, help)
}

/// Tells whether a shell puts a variable in that has no value of its own where it isn't set.
fn expands(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let (before, behind) = (&text[..at], &text[at + name.len()..]);
        let is_plain = before.ends_with('$') && !goes_on(behind);
        is_plain || (before.ends_with("${") && behind.starts_with('}'))
    })
}

fn stands_in(text: &str, name: &str) -> bool {
    let has_default = |behind: &str| behind.starts_with([':', '-']);
    text.match_indices(name).any(|(at, _)| {
        let behind = &text[at + name.len()..];
        !text[..at].ends_with(|it: char| it.is_ascii_alphanumeric() || it == '_')
            && !goes_on(behind)
            && !has_default(behind)
            && !behind.starts_with('=')
    })
}

fn goes_on(behind: &str) -> bool {
    behind.starts_with(|it: char| it.is_ascii_alphanumeric() || it == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-3: a variable is found where a shell puts it in, and not where it has a default, or is another.
    #[test]
    fn a_variable_that_nobody_sets_is_found() {
        let name = "CLAUDE_FILE_PATHS";
        for text in ["x $CLAUDE_FILE_PATHS", "x \"${CLAUDE_FILE_PATHS}\""] {
            assert!(expands(text, name), "{text}");
        }
        for text in [
            "x ${CLAUDE_FILE_PATHS:-$(cat)}",
            "x $CLAUDE_FILE_PATHS_OF_MINE",
            "CLAUDE_FILE_PATHS=a x",
        ] {
            assert!(!expands(text, name), "{text}");
        }
        assert!(stands_in("os.environ['CLAUDE_FILE_PATHS']", name));
        assert!(!stands_in("MY_CLAUDE_FILE_PATHS", name));
        assert!(!stands_in("CLAUDE_FILE_PATHS=$1", name));
        assert!(!stands_in("${CLAUDE_FILE_PATHS:-x}", name));
    }
}
