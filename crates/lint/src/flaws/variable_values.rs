//! What variables in Python and JavaScript programs contain (CM-3), as far as it is certain: a name
//! that is assigned again, by a loop or as a parameter, may contain anything.

use super::source::{Source, is_part};

/// Names for a tool's argument, by its key in the event.
pub(super) const ARGUMENTS: [&str; 3] = ["command", "file_path", "tool_name"];

/// Names of variables that contain a command.
const NAMES: [&str; 2] = ["cmd", "command"];

/// What changes nothing about an existing text.
const HARMLESS: [&str; 10] = [
    " or ''", " or \"\"", " || ''", " || \"\"", " ?? ''", " ?? \"\"", ".strip()", ".trim()",
    " or {}", " || {}",
];

/// Names of variables that get a single value, which is of a certain kind: `x = cmd.lower()`.
pub(super) fn names_of<'s>(source: &'s Source<'_>, is_it: &dyn Fn(&str) -> bool) -> Vec<&'s str> {
    let mut names = Vec::new();
    let mut start = 0;
    for (line, plain) in source.text.lines().zip(source.plain.lines()) {
        let own = start;
        start += line.len()
            + source.text[start + line.len()..]
                .find('\n')
                .map_or(0, |it| it + 1);
        let Some(at) = plain.find('=').filter(|it| is_assignment(&plain[*it..])) else {
            continue;
        };
        let value = line[at + 1..].trim().trim_end_matches(';');
        let head = plain[..at].split(':').next().unwrap_or_default().trim_end();
        let before = head.trim_end_matches(is_part);
        let name = &head[before.len()..];
        let is_only = || bindings(source, name) == [own + before.len()];
        if !name.is_empty() && !before.ends_with('.') && is_it(value) && is_only() {
            names.push(name);
        }
    }
    names
}

/// Returns the names of variables that contain nothing but a tool's argument with a key.
pub(super) fn arguments_of<'s>(source: &'s Source<'_>, key: &str) -> Vec<&'s str> {
    names_of(source, &|value| is_argument(value, key))
}

/// Returns whether an expression is the whole command of a tool.
pub(super) fn is_command(source: &Source<'_>, expression: &str) -> bool {
    let expression = expression.trim();
    let is_name = !expression.is_empty() && expression.chars().all(is_part);
    if !is_name {
        return is_argument(expression, "command");
    }
    let is_unbound = || NAMES.contains(&expression) && bindings(source, expression).is_empty();
    arguments_of(source, "command").contains(&expression) || is_unbound()
}

/// Returns whether a value is what the event has under a key.
fn is_argument(value: &str, key: &str) -> bool {
    let mut value = value.trim();
    while let Some(rest) = HARMLESS.iter().find_map(|it| value.strip_suffix(it)) {
        value = rest.trim_end();
    }
    let forms = [
        format!("['{key}']"),
        format!("[\"{key}\"]"),
        format!(".get('{key}')"),
        format!(".get(\"{key}\")"),
        format!(".get('{key}', '')"),
        format!(".get(\"{key}\", \"\")"),
        format!(".get('{key}','')"),
        format!(".get(\"{key}\",\"\")"),
        format!(".{key}"),
    ];
    forms.iter().any(|it| value.ends_with(it.as_str()))
}

/// Returns the places where a name gets a value.
fn bindings(source: &Source<'_>, name: &str) -> Vec<usize> {
    let plain = source.plain.as_str();
    let places = source.places(name).filter(|at| {
        let start = plain[..*at].rfind('\n').map_or(0, |it| it + 1);
        let behind = &plain[at + name.len()..];
        let behind = &behind[..behind.find('\n').unwrap_or(behind.len())];
        let before = &plain[start..*at];
        let is_attribute = before.ends_with('.') && !before.ends_with("...");
        !is_attribute && binds(before, behind)
    });
    places.collect()
}

/// Returns whether a name between two parts of a line gets a value there.
fn binds(before: &str, behind: &str) -> bool {
    let is_list = |it: char| is_part(it) || matches!(it, ',' | ' ' | ')' | ']' | '}' | '*' | '.');
    let next = behind.trim_start();
    let typed = next.strip_prefix(':').map(|it| {
        it.trim_start_matches(|it: char| {
            is_part(it) || matches!(it, ' ' | '.' | '|' | '[' | ']' | ',')
        })
    });
    let taken_apart = next.trim_start_matches(is_list);
    let is_given = is_assignment(next)
        || typed.is_some_and(is_assignment)
        || next.starts_with([',', '}', ']']) && is_assignment(taken_apart)
        || ["+=", "-=", ":=", "||=", "??=", "&&=", "*=", "%="]
            .iter()
            .any(|it| next.starts_with(it));
    let words: Vec<&str> = before
        .split(|it| !is_part(it))
        .filter(|it| !it.is_empty())
        .collect();
    let behind_word = |word: &str, ends: &[&str], signs: &[char]| {
        let place = before.match_indices(word).map(|(at, _)| at).last();
        place.is_some_and(|at| {
            let is_word = !before[..at].ends_with(is_part);
            let between = &before[at + word.len()..];
            let mut inner = between.split(|it| !is_part(it));
            is_word && !between.contains(signs) && !inner.any(|it| ends.contains(&it))
        })
    };
    let is_parameter = behind_word("def ", &[], &[')'])
        || behind_word("lambda ", &[], &[':'])
        || behind_word("function", &[], &[')'])
        || next.starts_with("=>")
        || is_in_parameters(next)
            && !words
                .iter()
                .any(|it| matches!(*it, "if" | "while" | "switch"));
    is_given
        || is_parameter
        || behind_word("for ", &["in", "of"], &[])
        || behind_word("for(", &["in", "of"], &[])
        || matches!(words.last(), Some(&("as" | "import")))
}

/// Returns whether a list of parameters ends after a name, and a body begins.
fn is_in_parameters(behind: &str) -> bool {
    let rest = behind.trim_start_matches(|it: char| is_part(it) || matches!(it, ',' | ' ' | '}'));
    let body = rest.strip_prefix(')').map(str::trim_start);
    body.is_some_and(|it| it.starts_with('{') || it.starts_with("=>"))
}

/// Returns whether a text begins with the operator of an assignment.
fn is_assignment(text: &str) -> bool {
    text.strip_prefix('=')
        .is_some_and(|it| !it.starts_with(['=', '>', '~']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::Language;

    /// CM-3: a variable contains the command if it gets that and nothing else.
    #[test]
    fn a_variable_holds_what_it_is_given_alone() {
        use Language::{JavaScript, Python};
        for (language, text) in [
            (Python, "cmd = data['tool_input']['command']\n"),
            (
                Python,
                "cmd: str = data.get('tool_input', {}).get('command', '')\n",
            ),
            (
                Python,
                "def main():\n    cmd = (d['tool_input'].get('command') or '').strip()[0]\n    cmd == 1\n",
            ),
            (
                JavaScript,
                "const cmd = event.tool_input?.command ?? '';\nif (cmd === 'x') y();\n",
            ),
            (Python, "if cmd == 'x': y()\n"),
        ] {
            let holds = is_command(&Source::read(text, language), "cmd");
            assert_eq!(holds, !text.contains("[0]"), "{text}");
        }
        for (language, text) in [
            (Python, "cmd = d['command'].split()\n"),
            (Python, "cmd = d['command']\ncmd = cmd[1:]\n"),
            (Python, "cmd = d['command']\nfor cmd in parts:\n    x\n"),
            (Python, "x = [y for cmd in parts]\n"),
            (Python, "def check(cmd):\n    pass\n"),
            (Python, "def check(self, cmd, *rest):\n    pass\n"),
            (Python, "f = lambda cmd: cmd[0]\n"),
            (Python, "cmd, rest = split(x)\n"),
            (Python, "while cmd := next(parts):\n    x\n"),
            (Python, "import cmd\n"),
            (JavaScript, "parts.some(cmd => cmd.length)\n"),
            (JavaScript, "parts.some((cmd, at) => at)\n"),
            (JavaScript, "for (const cmd of parts) x();\n"),
            (JavaScript, "for(const [cmd, x] of parts) x();\n"),
            (JavaScript, "function check(cmd) {\n}\n"),
            (JavaScript, "class Guard {\n  check(cmd, x) {\n  }\n}\n"),
            (JavaScript, "const [cmd, ...rest] = words;\n"),
            (JavaScript, "const [first, ...cmd] = words;\n"),
        ] {
            assert!(!is_command(&Source::read(text, language), "cmd"), "{text}");
        }
        let source = Source::read("x", Python);
        assert!(is_command(&source, "data['tool_input']['command']"));
        assert!(!is_command(&source, "token"));
        assert!(!is_command(&source, "cmd[1:]"));
    }
}
