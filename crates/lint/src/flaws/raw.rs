//! Guards that search the raw text of the event (CM-3, IO-1) for something that never occurs in it:
//! the event is one line of JSON, without blanks, that begins with `{`.

use hookloop_shell::{Command, Input, RedirectKind};
use hookloop_text::shorten::excerpt;

use super::Flaw;
use super::patterns::{branches, group};
use super::source::{Source, is_part};
use crate::alone::understand_alone;

/// Fields of events that guards look for.
const FIELDS: [&str; 8] = [
    "tool_name",
    "tool_input",
    "hook_event_name",
    "command",
    "file_path",
    "content",
    "prompt",
    "new_string",
];

/// Looks into a text that a shell runs.
pub(super) fn check_shell(text: &str) -> Option<Flaw> {
    // Inside these constructs, standard input may be something else.
    const OTHERS: [&str; 7] = [
        "()",
        "function ",
        "exec ",
        "| {",
        "| (",
        "| while",
        "|while",
    ];
    if OTHERS.iter().any(|it| text.contains(it)) {
        return None;
    }
    let understood = understand_alone(text);
    if !understood.parsed {
        return None;
    }
    let mut commands = understood.commands.iter();
    commands.find_map(|command| {
        let (is_whole, pattern) = pattern_of(command)?;
        let first = pattern.lines().next().unwrap_or_default();
        let line = text.lines().position(|it| it.contains(first));
        let written = text
            .lines()
            .nth(line.unwrap_or_default())
            .unwrap_or_default();
        if !reads_event(command, text, written) {
            return None;
        }
        let why = check_spaced_field(pattern).or_else(|| anchored(pattern).filter(|_| is_whole))?;
        Some(Flaw::for_comparison(
            line.map_or(1, |it| it + 1),
            why.0,
            why.1,
        ))
    })
}

/// Returns whether a command reads the hook's input: directly, or in a variable that contains all
/// of it.
fn reads_event(command: &Command, text: &str, line: &str) -> bool {
    let mut redirects = command.redirects.iter();
    let read = redirects.find(|it| matches!(it.kind, RedirectKind::Read | RedirectKind::Text));
    match &command.input {
        Input::Inherited => read.is_none() && command.through.is_empty(),
        Input::Output(program) if matches!(program.as_str(), "" | "echo" | "printf") => {
            variable_of(line).is_some_and(|name| holds_event(text, name))
        }
        _ => false,
    }
}

/// Returns the variable that a line gives a program to read: `echo "$x" | …`, `… <<<"$x"`.
fn variable_of(line: &str) -> Option<&str> {
    let given = if let Some((_, behind)) = line.split_once("<<<") {
        behind.trim_start()
    } else {
        let (before, _) = line.split_once('|')?;
        let heads = ["echo ", "printf '%s' ", "printf '%s\\n' ", "printf \"%s\" "];
        let found = heads.iter().find_map(|it| before.split_once(it));
        found.map(|(_, behind)| behind)?
    };
    let name = given.trim_start_matches('"').strip_prefix('$')?;
    let name = name.strip_prefix('{').unwrap_or(name);
    let end = name.find(|it: char| !is_part(it)).unwrap_or(name.len());
    let behind = name[end..].trim_start_matches(['}', '"']);
    let is_whole = behind.is_empty() || behind.starts_with([' ', ';', '|', ')']);
    (end > 0 && is_whole).then(|| &name[..end])
}

/// Returns whether a variable contains the event, and nothing else.
fn holds_event(text: &str, name: &str) -> bool {
    let whole = [format!("{name}=$(cat)"), format!("{name}=\"$(cat)\"")];
    text.matches(&format!("{name}=")).count() == 1
        && whole.iter().any(|it| text.contains(it.as_str()))
}

/// Returns the pattern that a program looks for in each line of standard input, and whether that is
/// all of it.
fn pattern_of(command: &Command) -> Option<(bool, &str)> {
    let has = |flags: &[&str]| flags.iter().any(|it| command.has_flag(it));
    let mut operands = command.operands();
    let first = operands.next().filter(|it| it.known && it.quoted)?;
    let is_alone = operands.next().is_none();
    match command.program.as_str() {
        "grep" | "egrep" | "fgrep" | "rg" => {
            let others = [
                "-v",
                "--invert-match",
                "-e",
                "--regexp",
                "-f",
                "--file",
                "-r",
                "-R",
                "-z",
                "-L",
            ];
            (is_alone && !has(&others)).then(|| (!has(&["-F"]), first.text.as_str()))
        }
        "awk" | "gawk" | "mawk" => {
            let code = first.text.as_str();
            let inner = code.trim_start().strip_prefix('/')?;
            let is_plain = is_alone && !has(&["-F", "-v"]) && !code.contains("RS");
            is_plain.then(|| (true, inner.split('/').next().unwrap_or_default()))
        }
        "sed" => is_alone.then_some((false, first.text.as_str())),
        _ => None,
    }
}

type Why = (String, &'static str);

/// The remedy for all of these.
const ASK: &str = "extract the field, and search that: jq -r .tool_input.command | grep …";

/// Looks for a blank after the colon of a field.
fn check_spaced_field(pattern: &str) -> Option<Why> {
    FIELDS.into_iter().find_map(|field| {
        let written = format!("\"{field}\": ");
        let (_, behind) = pattern.split_once(&written)?;
        let may_be_none = behind.starts_with(['*', '?', '{', '\\']);
        (!may_be_none).then(|| {
            let why = format!(
                "it looks for \"{}\" with a space after the colon, but the event is written \
                 without spaces",
                excerpt(written.trim_end())
            );
            (
                why,
                "write it without the space, or extract the field: jq -r .tool_input.command",
            )
        })
    })
}

/// Looks for a pattern that is anchored to an end of the line, where something else is.
fn anchored(pattern: &str) -> Option<Why> {
    let starts = |it: &str| it.starts_with(|it: char| it.is_ascii_alphanumeric() || it == '/');
    let never_begins = |branch: &str| {
        let Some(rest) = branch.strip_prefix('^') else {
            return false;
        };
        match group(rest) {
            Some((inner, behind)) => {
                !behind.starts_with(['?', '*', '{']) && branches(inner).into_iter().all(starts)
            }
            None => starts(rest) && !rest[1..].starts_with(['?', '*', '{']),
        }
    };
    let never_ends = |branch: &str| {
        let before = branch.strip_suffix('$').unwrap_or_default();
        before.ends_with(|it: char| it.is_ascii_alphanumeric())
            && !before[..before.len() - 1].ends_with('\\')
    };
    let shown = excerpt(pattern);
    let of_all = |is_it: &dyn Fn(&str) -> bool| branches(pattern).into_iter().all(is_it);
    if of_all(&never_begins) {
        let why = format!(
            "the event is one line of JSON that begins with {{, and \"{shown}\" checks its beginning"
        );
        return Some((why, ASK));
    }
    of_all(&never_ends).then(|| {
        let why = format!(
            "the event is one line of JSON that ends with }}, and \"{shown}\" checks its end"
        );
        (why, ASK)
    })
}

/// Looks into a program that reads the event as a text.
pub(super) fn check_program(source: &Source<'_>) -> Option<Flaw> {
    const PARSES: [&str; 3] = ["json.load", "JSON.parse", ".json("];
    if PARSES.iter().any(|it| source.plain.contains(it)) {
        return None;
    }
    ["tool_name", "hook_event_name"].into_iter().find_map(|field| {
        let forms = [format!("'\"{field}\": "), format!("`\"{field}\": ")];
        let at = forms.iter().find_map(|it| source.text.find(it.as_str()))?;
        let why = format!(
            "it looks for \"{field}\" with a space after the colon, but the event is written \
             without spaces"
        );
        let help = "write it without the space, or parse the event: json.load(sys.stdin), JSON.parse(…)";
        Some(Flaw::for_comparison(source.line_of(at), why, help))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-3, IO-1: what is never in the line that a hook reads is found.
    #[test]
    fn what_the_event_never_holds_is_found() {
        for text in [
            "if grep -qE '^rm -rf'; then exit 2; fi",
            "if grep -qE '^(rm|mv) '; then exit 2; fi",
            "if grep -q '\\.env$'; then exit 2; fi",
            "input=$(cat)\nif echo \"$input\" | grep -q '^git push'; then exit 2; fi",
            "input=$(cat)\nif printf '%s' \"$input\" | grep -q '^rm'; then exit 2; fi",
            "awk '/^rm/ {exit 2}'",
            "grep -q '\"command\": \"rm' && exit 2",
            "cmd=$(sed -n 's/.*\"command\": \"\\([^\"]*\\)\".*/\\1/p')\n[ \"$cmd\" = x ] && exit 2",
        ] {
            assert!(check_shell(text).is_some(), "{text}");
        }
    }

    /// CM-3, IO-1: what may be there, and other texts, aren't reported.
    #[test]
    fn what_may_stand_there_is_not_reported() {
        for text in [
            "if grep -qE 'rm -rf'; then exit 2; fi",
            "if jq -r .tool_input.command | grep -qE '^rm -rf'; then exit 2; fi",
            "cmd=$(jq -r .tool_input.command)\nif echo \"$cmd\" | grep -qE '^rm'; then exit 2; fi",
            "cmd=$(jq -r .tool_input.command)\nif grep -qE '^rm' <<<\"$cmd\"; then exit 2; fi",
            "check() { grep -q '^rm'; }\njq -r .x | check && exit 2",
            "jq -r .x | while read -r l; do grep -q '^rm' && exit 2; done",
            "grep -q '^{' || exit 2",
            "grep -q '^rm' list.txt && exit 2",
            "git diff --name-only | grep -q '\\.env$' && exit 2",
            "grep -qE '(^|[^a-z])rm -rf' && exit 2",
            "grep -qE '\"command\": *\"rm' && exit 2",
            "grep -qE '\"command\":\"rm' && exit 2",
            "grep -qE '^rm|curl' && exit 2",
            "grep -q '}$' && exit 2",
            "input=$(cat | jq -r .tool_input.command)\necho \"$input\" | grep -q '^rm' && exit 2",
        ] {
            assert!(check_shell(text).is_none(), "{text}");
        }
    }
}
