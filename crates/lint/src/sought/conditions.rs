//! Conditions in the text of a program: where they are, and whether they check only the tool and
//! whether there is something to look at.

use super::texts::quoted_ranges;
use crate::flaws::indentation;

/// How conditions begin.
const CONDITIONS: [&str; 10] = [
    "if ",
    "if(",
    "elif ",
    "} else if",
    "else if",
    "while ",
    "unless ",
    "[[ ",
    "[ ",
    "switch",
];

/// Words of conditions that check the tool, and whether there is something to look at: nothing
/// about the text.
const KNOWN: [&str; 92] = [
    "if",
    "elif",
    "else",
    "then",
    "fi",
    "do",
    "while",
    "not",
    "and",
    "or",
    "in",
    "is",
    "test",
    "case",
    "esac",
    "None",
    "null",
    "undefined",
    "true",
    "false",
    "True",
    "False",
    "typeof",
    "isinstance",
    "str",
    "string",
    "dict",
    "object",
    "length",
    "strip",
    "trim",
    "get",
    "jq",
    "r",
    "e",
    "n",
    "z",
    "echo",
    "printf",
    "s",
    "q",
    "grep",
    "empty",
    "tool",
    "TOOL",
    "tool_name",
    "toolName",
    "TOOL_NAME",
    "event",
    "hook_event_name",
    "EVENT",
    "name",
    "NAME",
    "command",
    "cmd",
    "CMD",
    "COMMAND",
    "c",
    "file_path",
    "filePath",
    "FILE",
    "file",
    "f",
    "path",
    "FILE_PATH",
    "data",
    "d",
    "input",
    "INPUT",
    "tool_input",
    "toolInput",
    "payload",
    "ev",
    "args",
    "body",
    "content",
    "prompt",
    "PROMPT",
    "text",
    "raw",
    "stdin",
    "line",
    "IFS",
    "read",
    "exit",
    "return",
    "process",
    "sys",
    "continue",
    "next",
    "run_shell_command",
    "write_file",
];

/// Returns whether a line is a condition.
pub(super) fn is_condition(line: &str) -> bool {
    let plain = line.trim_start();
    CONDITIONS.iter().any(|it| plain.starts_with(it))
        || plain.contains("&& ")
        || plain.contains(" || ")
}

/// Returns whether a condition checks only whether there is something to look at, and in which
/// tool.
pub(super) fn is_known(condition: &str) -> bool {
    let mut plain = String::new();
    let mut from = 0;
    let mut texts = quoted_ranges(condition);
    texts.sort_unstable();
    for (start, end) in texts {
        if start < from {
            continue;
        }
        plain.push_str(&condition[from..start]);
        if condition[start..end].contains('$') {
            plain.push_str(&condition[start..end]);
        }
        from = end;
    }
    plain.push_str(&condition[from..]);
    let mut words = plain.split(|it: char| !it.is_alphanumeric() && it != '_');
    words.all(|it| {
        it.is_empty() || it.starts_with(|it: char| it.is_ascii_digit()) || KNOWN.contains(&it)
    })
}

/// Returns whether all conditions around a line are known ones.
pub(super) fn is_enclosed_by_known(lines: &[&str], at: usize, names: &[String]) -> bool {
    let mut own = indentation(lines[at]);
    let mut is_case_passed = false;
    // A result may be surrounded by what it is computed from.
    let has_one = |line: &str| names.iter().any(|it| line.contains(it.as_str()));
    for line in lines[..at].iter().rev() {
        if line.trim().is_empty() || indentation(line) >= own {
            continue;
        }
        own = indentation(line);
        let plain = line.trim_start();
        if plain.starts_with("case ") && !is_case_passed {
            is_case_passed = true;
            continue;
        }
        let is_else = plain.starts_with("else") && !plain.starts_with("else if")
            || plain.starts_with("} else {");
        let is_other = plain.starts_with("case ") || plain.starts_with("except") || is_else;
        if is_other || is_condition(line) && !is_known(line) && !has_one(line) {
            return false;
        }
    }
    true
}
