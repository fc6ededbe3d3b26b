//! Variables that the agent that a hook was written for doesn't set, although people expect it to
//! (FD-14, CM-3).

use hookloop_dialects::NEVER_SET;
use hookloop_hook::{Dialect, HookDeclaration, ProblemCode};

use super::Complaint;
use super::read::Code;
use super::variables::Variables;

/// Variables that people expect of an agent, but that no hook gets: what it is asked about is on
/// its standard input.
const EXPECTED_VARIABLES: [&str; 19] = [
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
    "CLAUDE_HOOK_INPUT",
    "CLAUDE_HOOK_PAYLOAD",
    "CLAUDE_TOOL_ARGS",
    "TOOL_NAME",
    "TOOL_INPUT",
    "TOOL_ARGS",
    "TOOL_FILE_PATH",
];

/// Variables that agents set for themselves, or for commands that they start, with which scripts
/// distinguish agents.
const AGENT_VARIABLES: [&str; 8] = [
    "CLAUDECODE",
    "CLAUDE_CODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "GEMINI_CLI",
    "CURSOR_AGENT",
    "CURSOR_TRACE_ID",
    "CODEX_SANDBOX",
    "QWEN_CODE",
];

/// Returns whether a variable is one that agents alone set: others may come from where a session
/// runs.
pub(super) fn is_of_agents(name: &str) -> bool {
    AGENT_VARIABLES.contains(&name)
        || EXPECTED_VARIABLES.contains(&name)
        || NEVER_SET.contains(&name)
}

/// Words of a script that reads its input from the right place.
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
pub(super) fn look(
    hook: &HookDeclaration,
    variables: &Variables<'_>,
    texts: &[Code],
) -> Option<Complaint> {
    let ours = matches!(hook.dialect, Dialect::Hookloop | Dialect::GeminiCli);
    let never_set: &[&str] = if ours {
        &EXPECTED_VARIABLES
    } else {
        &NEVER_SET
    };
    // Variables that another agent would set don't exist for its hooks here.
    let is_set = |name: &str| {
        if ours {
            variables.may_be_set(name)
        } else {
            variables.is_given(name)
        }
    };
    let mut found: Vec<&str> = Vec::new();
    let mut what = None;
    for text in texts {
        let code = text.text.as_str();
        let reads_input = || READS_INPUT.iter().any(|it| code.contains(it));
        if !text.is_command && reads_input() {
            continue;
        }
        let names = never_set.iter().copied().filter(|name| {
            let is_read = if text.is_command {
                expands(code, name)
            } else {
                stands_in(code, name)
            };
            is_read && !is_set(name) && !sets(code, name) && !found.contains(name)
        });
        let names: Vec<&str> = names.collect();
        if !names.is_empty() {
            what.get_or_insert(&text.what);
            found.extend(names);
        }
    }
    what.map(|what| complaint(&found, what))
}

/// Returns whether a text gives a variable a value, in any of the languages of hooks.
pub(super) fn sets(code: &str, name: &str) -> bool {
    /// Words after which a name gets a value.
    const ASSIGNING_WORDS: [&str; 15] = [
        "read",
        "for",
        "local",
        "declare",
        "typeset",
        "readonly",
        "mapfile",
        "readarray",
        "getopts",
        "printf",
        "const",
        "let",
        "var",
        "import",
        "as",
    ];
    code.match_indices(name).any(|(at, _)| {
        let (before, behind) = (&code[..at], &code[at + name.len()..]);
        let is_part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '$' | '{');
        if before.ends_with(is_part) || goes_on(behind) {
            return false;
        }
        let value = behind.trim_start_matches([' ', '\t']);
        let is_assigned = value.starts_with('=') && !value.starts_with("==")
            || value.starts_with(":=")
            || value.starts_with(": ") && value.lines().next().is_some_and(|it| it.contains(" = "));
        let start = before.rfind(['\n', ';', '|', '&', '(', ')', '{']);
        let mut words = before[start.map_or(0, |it| it + 1)..].split_whitespace();
        is_assigned || words.any(|word| ASSIGNING_WORDS.contains(&word))
    })
}

fn complaint(names: &[&str], what: &str) -> Complaint {
    let message = match names {
        [name] => format!("{what} reads \"{name}\", which isn't set for any hook: it is empty"),
        _ => format!(
            "{what} reads \"{}\", which aren't set for any hook: they are empty",
            names.join("\", \"")
        ),
    };
    let help = "read the event on standard input: file=$(jq -r .tool_input.file_path)";
    Complaint::new(ProblemCode::UnsetVariable, message, help)
}

/// Returns whether a shell expands a variable without giving it a value if it isn't set.
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

    /// CM-3: a variable is found where a shell expands it, and not if it has a default, or is
    /// another one.
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
        for text in [
            "CLAUDE_FILE_PATHS=$(jq .)",
            "CLAUDE_FILE_PATHS = json.load(f)",
            "CLAUDE_FILE_PATHS: str = f()",
            "while IFS= read -r CLAUDE_FILE_PATHS; do x; done",
            "for CLAUDE_FILE_PATHS in a b; do x; done",
            "const CLAUDE_FILE_PATHS = 1",
            "x; printf -v CLAUDE_FILE_PATHS %s y",
        ] {
            assert!(sets(text, name), "{text}");
        }
        for text in [
            "[ \"$CLAUDE_FILE_PATHS\" = x ]",
            "if CLAUDE_FILE_PATHS == x:",
            "MY_CLAUDE_FILE_PATHS=x",
            "echo ${CLAUDE_FILE_PATHS}",
        ] {
            assert!(!sets(text, name), "{text}");
        }
        assert!(stands_in("os.environ['CLAUDE_FILE_PATHS']", name));
        assert!(!stands_in("MY_CLAUDE_FILE_PATHS", name));
        assert!(!stands_in("CLAUDE_FILE_PATHS=$1", name));
        assert!(!stands_in("${CLAUDE_FILE_PATHS:-x}", name));
    }
}
