//! The texts and patterns that a program compares something with, in any language (IO-27).

/// A text between quotes, or a pattern, and where it is.
#[derive(Debug)]
pub(super) struct Named {
    /// The index of its line.
    pub(super) line: usize,
    /// The line before it.
    pub(super) before: String,
    /// The text as it is written.
    pub(super) inner: String,
    /// What it matches: parts that follow each other.
    pub(super) alternatives: Vec<Vec<String>>,
}

/// What precedes a text that is printed, or loaded.
const SAYS: [&str; 28] = [
    "echo",
    "printf",
    "print(",
    "print ",
    "print {",
    "console.",
    ".write(",
    "throw",
    "raise",
    "die ",
    "Error(",
    "eason",
    "essage",
    "deny(",
    "block(",
    "refuse(",
    "log(",
    "log.",
    "logger",
    "logging",
    "fail(",
    "exit(",
    "puts",
    "require",
    "import",
    "description",
    "decision",
    "use ",
];

/// Words of programs about their input and their reply.
const WORDS: [&str; 93] = [
    "tool_name",
    "tool_input",
    "command",
    "cmd",
    "file_path",
    "path",
    "content",
    "new_string",
    "old_string",
    "prompt",
    "hook_event_name",
    "event",
    "name",
    "tool",
    "input",
    "args",
    "arguments",
    "toolinput",
    "tool_response",
    "llm_request",
    "llm_response",
    "llmcontent",
    "text",
    "messages",
    "message",
    "user_prompt",
    "response",
    "output",
    "result",
    "user",
    "model",
    "cwd",
    "session_id",
    "transcript_path",
    "decision",
    "deny",
    "block",
    "allow",
    "ask",
    "reason",
    "continue",
    "stopreason",
    "systemmessage",
    "hookspecificoutput",
    "hookeventname",
    "permissiondecision",
    "permissiondecisionreason",
    "additionalcontext",
    "run_shell_command",
    "write_file",
    "replace",
    "read_file",
    "bash",
    "shell",
    "write",
    "edit",
    "read",
    "sh",
    "zsh",
    "utf8",
    "utf-8",
    "data",
    "end",
    "line",
    "close",
    "error",
    "finish",
    "__main__",
    "fs",
    "readline",
    "node:fs",
    "/dev/stdin",
    "/dev/stderr",
    "/dev/null",
    "true",
    "false",
    "null",
    "empty",
    "yes",
    "no",
    "2",
    "0",
    "1",
    "tool_args",
    "params",
    "comand",
    "commands",
    "filepath",
    "filename",
    "exit",
    "prompt_response",
    "role",
    "candidates",
];

/// How names of events begin, in whatever agent.
const EVENTS: [&str; 5] = ["before", "after", "pretool", "posttool", "onbefore"];

/// What matches blanks, a word boundary or anything in patterns.
const SIGNS: [(&str, &str); 31] = [
    ("[[:space:]]+", " "),
    ("[[:space:]]*", " "),
    ("[[:space:]]", " "),
    ("\\\\s+", " "),
    ("\\s+", " "),
    ("\\\\s*", " "),
    ("\\s*", " "),
    ("\\\\s", " "),
    ("\\s", " "),
    (" +", " "),
    ("\\ ", " "),
    ("\\\\b", ""),
    ("\\b", ""),
    ("\\Q", ""),
    ("\\E", ""),
    ("(^|;)", ""),
    ("(^| )", ""),
    ("( |$)", ""),
    ("(?i)", ""),
    ("\\*", "\0"),
    (".*", "\0"),
    (".+", "\0"),
    ("\\w+", "\0"),
    ("\\S+", "\0"),
    ("[a-z]*", "\0"),
    ("[a-zA-Z]*", "\0"),
    ("*", "\0"),
    ("\\\\.", "."),
    ("\\.", "."),
    ("\\/", "/"),
    ("\u{feff}", ""),
];

/// Returns the texts and patterns that something is compared with, as far as that can be
/// determined.
pub(super) fn compared_texts(lines: &[&str]) -> Vec<Named> {
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        for (start, end) in quoted_ranges(line).into_iter().chain(bare(line)) {
            add(&mut found, at, line, start..end);
        }
    }
    found
}

fn add(found: &mut Vec<Named>, at: usize, line: &str, range: std::ops::Range<usize>) {
    let start = range.start;
    let (before, inner) = (&line[..start], &line[range]);
    if is_said(before) || is_variable(inner) {
        return;
    }
    // What is between quotes may be a program of its own: that of jq, awk or Python.
    let nested = quoted_ranges(inner);
    if nested.is_empty() && is_for_jq(before) {
        return;
    }
    let has_end = inner.contains("exit");
    if nested.is_empty() && !has_end && !inner.contains(".tool_") {
        return push(found, at, before, inner);
    }
    let others = if has_end {
        regex_ranges(inner)
    } else {
        Vec::new()
    };
    for (from, to) in nested.into_iter().chain(others) {
        if !is_said(&inner[..from]) {
            push(found, at, &line[..start + from], &inner[from..to]);
        }
    }
}

fn push(found: &mut Vec<Named>, line: usize, before: &str, inner: &str) {
    let means = |parts: &Vec<String>| {
        let text = parts.join(" ");
        let plain = text.trim_matches(|it: char| !it.is_ascii_alphanumeric() && it != '_');
        let is_event = EVENTS.iter().any(|it| plain.starts_with(it));
        let is_known = WORDS.contains(&text.trim()) || WORDS.contains(&plain);
        !plain.is_empty() && !is_event && !is_known
    };
    let alternatives: Vec<_> = alternatives_of(inner).into_iter().filter(means).collect();
    if !alternatives.is_empty() {
        found.push(Named {
            line,
            before: before.to_owned(),
            inner: inner.to_owned(),
            alternatives,
        });
    }
}

/// Returns whether what follows is printed, or isn't compared.
fn is_said(before: &str) -> bool {
    let ends = ["|", ";", "&&", "then ", "{ ", " if ", "\tif "];
    let ends = ends
        .iter()
        .filter_map(|it| before.rfind(it).map(|at| at + it.len()));
    let statement = &before[ends.max().unwrap_or(0)..];
    SAYS.iter().any(|it| statement.contains(it))
}

/// Returns whether what follows is a program for jq.
fn is_for_jq(before: &str) -> bool {
    let command = before.rsplit(['|', ';', '&', '(']).next();
    let mut words = command.unwrap_or_default().split_whitespace();
    let is_option = |it: &str| it.starts_with('-') || it.trim_matches(['\'', '"']).is_empty();
    words.next() == Some("jq") && words.all(is_option)
}

/// Returns whether a text is nothing but the value of a variable.
pub(super) fn is_variable(text: &str) -> bool {
    let text = text.trim();
    text.starts_with('$') && !text.contains(['/', ' ']) || text.starts_with("$(")
}

/// Returns where texts in quotes are, without their quotes, and expressions between slashes.
pub(super) fn quoted_ranges(line: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut open: Option<(usize, char)> = None;
    let mut is_escaped = false;
    for (at, letter) in line.char_indices() {
        let is_plain = matches!(open, Some((_, '\''))) && !line[at..].starts_with("\\'");
        match open {
            _ if is_escaped => is_escaped = false,
            _ if letter == '\\' => is_escaped = !is_plain,
            Some((start, sign)) if letter == sign => {
                found.push((start, at));
                open = None;
            }
            None if matches!(letter, '"' | '\'' | '`') => open = Some((at + 1, letter)),
            _ => {}
        }
    }
    for (from, to) in regex_ranges(line) {
        if found.iter().all(|it| to <= it.0 || from >= it.1) {
            found.push((from, to));
        }
    }
    found
}

/// Returns where regular expressions between slashes are.
fn regex_ranges(line: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = line[from..].find('/').map(|it| it + from) {
        let before = line[..at].trim_end();
        let is_value = before.is_empty() || before.ends_with("qr") || before.ends_with(BEGINS);
        let end = line[at + 1..].find('/').map(|it| it + at + 1);
        match end {
            Some(end) if is_value && end > at + 1 && !line[at + 1..end].contains(['"', '\'']) => {
                found.push((at + 1, end));
                from = end + 1;
            }
            _ => from = at + 1,
        }
    }
    found
}

/// Behind which a regular expression may begin.
const BEGINS: [char; 10] = ['(', '=', ',', '~', '!', '&', '|', '[', '{', '\''];

/// Returns where shell patterns are that aren't quoted as a whole.
pub(super) fn bare(line: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let operator = [" =~ ", " == ", " = "]
        .into_iter()
        .filter(|_| line.contains("[ ") || line.contains("[[ "))
        .find_map(|it| Some(line.find(it)? + it.len()));
    if let Some(start) = operator {
        let end = line[start..].find(" ]").map_or(line.len(), |it| it + start);
        let right = &line[start..end];
        if !right.contains(['"', '\'', '$']) && !right.contains(" && ") {
            found.push((start, end));
        }
    }
    let arm = line.trim_start();
    let start = line.len() - arm.len();
    let is_bare = |text: &str| !text.is_empty() && !text.contains(['(', '"', '\'', '=', '$']);
    if let Some(from) = line.find(" in ").filter(|_| arm.starts_with("case ")) {
        let to = line[from + 4..].find(')').map(|it| it + from + 4);
        let range = to.filter(|it| is_bare(&line[from + 4..*it]));
        found.extend(range.map(|to| (from + 4, to)));
    } else {
        let end = arm.find(')').filter(|it| is_bare(&arm[..*it]));
        let end = end.filter(|_| line.contains(";;"));
        found.extend(end.map(|end| (start, start + end)));
    }
    found
}

/// Splits a text, a pattern or a regular expression into parts that have to follow each other. One
/// that can't be understood stays whole, as something that is compared.
fn alternatives_of(text: &str) -> Vec<Vec<String>> {
    let mut text = text.trim_matches('"').to_owned();
    if let Some((_, rest)) = text.split_once('/').filter(|it| it.0.starts_with('$')) {
        text = format!("/{rest}");
    }
    let mut text = text.strip_prefix("./").unwrap_or(&text).to_owned();
    for (sign, plain) in SIGNS {
        text = text.replace(sign, plain);
    }
    let inner = text.strip_prefix('(').and_then(|it| it.strip_suffix(')'));
    let text = inner.unwrap_or(&text);
    let choices = text.split('|').filter(|it| !it.trim().is_empty());
    let all: Option<Vec<_>> = choices.map(parts_of).collect();
    all.unwrap_or_else(|| vec![vec![format!("\u{1}{text}").to_ascii_lowercase()]])
}

fn parts_of(text: &str) -> Option<Vec<String>> {
    const SPECIAL: [char; 17] = [
        '[', ']', '(', ')', '{', '}', '?', '+', '\\', '$', '^', '<', '>', '`', '%', '=', '\u{1}',
    ];
    let text = text.trim_start_matches('^').trim_end_matches('$');
    let inner = text.strip_prefix('/').and_then(|it| it.strip_suffix('/'));
    let parts = inner.unwrap_or(text).split('\0');
    let parts = parts.map(|it| it.trim().trim_matches('"').to_ascii_lowercase());
    let parts: Vec<String> = parts.filter(|it| !it.is_empty()).collect();
    let is_plain = parts.iter().all(|it| !it.contains(SPECIAL));
    (is_plain && !parts.is_empty()).then_some(parts)
}
