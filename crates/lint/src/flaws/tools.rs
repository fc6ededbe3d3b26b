//! Python and JavaScript programs that compare the tool's name with something that isn't a tool's
//! name, or use the arguments as if they were a string (CM-3, PL-11).

use hookloop_events::tool_name;
use hookloop_settings::likely_tool;
use hookloop_text::shorten::excerpt;

use super::Flaw;
use super::source::{Source, is_part, whole_literal};
use super::variable_values::names_of;
use crate::refusal::Language;

/// Looks into a program that uses our own words.
pub(super) fn find(source: &Source<'_>) -> Option<Flaw> {
    unknown_tool(source).or_else(|| arguments_as_text(source))
}

/// How the tool's name is read from the event.
const NAMES: [&str; 8] = [
    "['tool_name']",
    "[\"tool_name\"]",
    ".get('tool_name')",
    ".get(\"tool_name\")",
    ".get('tool_name', '')",
    ".get(\"tool_name\", \"\")",
    ".tool_name",
    "?.tool_name",
];

/// Looks for comparisons with names that no tool has, if there is none with one that exists.
fn unknown_tool(source: &Source<'_>) -> Option<Flaw> {
    let variables = names_of(source, &|value| NAMES.iter().any(|it| value.ends_with(it)));
    let values = NAMES.iter().copied().chain(variables);
    let compared: Vec<(usize, &str)> = values.flat_map(|it| compared_with(source, it)).collect();
    let may_be_known = |text: &str| {
        tool_name::canonical(text).is_some() || text.contains("mcp") || text.is_empty()
    };
    // A tool's name elsewhere may be compared in another way.
    let quoted = source.text.split(['"', '\'', '`']);
    let names_one = quoted
        .clone()
        .any(|it| tool_name::canonical(it).is_some() || it.starts_with("mcp_"));
    if names_one || compared.iter().any(|(_, text)| may_be_known(text)) {
        return None;
    }
    let (at, text) = compared.first()?;
    let help = match likely_tool(text) {
        Some(meant) => format!("write \"{meant}\""),
        None => format!(
            "write a tool's name: {}",
            tool_name::built_in().collect::<Vec<_>>().join(", ")
        ),
    };
    let why = format!(
        "the tool's name is compared with \"{}\", but no tool here has that name",
        excerpt(text)
    );
    Some(Flaw::for_comparison(source.line_of(*at), why, help))
}

/// Returns the texts that a value is compared with as a whole: `x == "a"`, `x in ("a", "b")`.
fn compared_with<'s>(source: &'s Source<'_>, value: &str) -> Vec<(usize, &'s str)> {
    let mut found = Vec::new();
    for (at, _) in source.text.match_indices(value) {
        let before = source.plain[..at].chars().next_back();
        let is_other =
            value.starts_with(is_part) && before.is_some_and(|it| is_part(it) || it == '.');
        let behind = &source.text[at + value.len()..];
        if is_other || behind.starts_with(is_part) {
            continue;
        }
        let behind = behind.trim_start_matches(' ');
        let operators = ["===", "!==", "==", "!="];
        if let Some(right) = operators.iter().find_map(|it| behind.strip_prefix(it)) {
            found.extend(whole_literal(right.trim_start()).map(|text| (at, text)));
            continue;
        }
        let list = ["in (", "in [", "in {", "not in (", "not in [", "not in {"];
        let list = list.iter().find_map(|it| behind.strip_prefix(it));
        if let Some(inner) = list.and_then(|it| it.split([')', ']', '}']).next()) {
            let texts = inner.split(',').map(str::trim).filter(|it| !it.is_empty());
            let texts: Option<Vec<&str>> = texts.map(whole_literal).collect();
            found.extend(texts.into_iter().flatten().map(|text| (at, text)));
        }
    }
    found
}

/// Looks for a tool's arguments used as a text: they are an object.
fn arguments_as_text(source: &Source<'_>) -> Option<Flaw> {
    let (names, help) = match source.language {
        Language::Python => (
            ["json.loads"].as_slice(),
            "take its fields: data[\"tool_input\"][\"command\"]",
        ),
        _ => (
            ["JSON.parse"].as_slice(),
            "take its fields: data.tool_input.command",
        ),
    };
    let is_arguments = |it: &&str| {
        [
            "['tool_input']",
            "[\"tool_input\"]",
            ".tool_input",
            ".get('tool_input')",
            ".get(\"tool_input\")",
        ]
        .iter()
        .any(|end| it.ends_with(end))
    };
    let of_parsed = names.iter().find_map(|name| {
        let call = source
            .calls(name)
            .find(|it| it.arguments.first().is_some_and(is_arguments))?;
        Some((
            call.start,
            format!("\"{name}\" gets \"tool_input\", which is an object, not a string"),
        ))
    });
    let of_asked = || {
        let at = source
            .text
            .match_indices("typeof ")
            .find_map(|(at, word)| {
                let rest = &source.text[at + word.len()..];
                let (value, right) = rest.split_once("==")?;
                let right = right.trim_start_matches('=').trim_start();
                let is_text = right.starts_with("'string'") || right.starts_with("\"string\"");
                (is_arguments(&value.trim_end()) && is_text).then_some(at)
            })?;
        // The script may handle the other case, too.
        let is_only = !source.text.contains(".tool_input.command") && !source.text.contains("else");
        let why = "\"tool_input\" is an object, but is tested for being a string".to_owned();
        is_only.then_some((at, why))
    };
    let (at, why) = of_parsed.or_else(of_asked)?;
    Some(Flaw::with(
        "it never checks a call",
        source.line_of(at),
        why,
        help,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(language: Language, text: &str) -> bool {
        find(&Source::read(text, language)).is_some()
    }

    /// CM-3, PL-11: a name that no tool has, and arguments used as a text, are found.
    #[test]
    fn what_no_tool_is_called_is_found() {
        use Language::{JavaScript, Python};
        for (language, text) in [
            (
                Python,
                "if d['tool_name'] == 'Run_Shell_Command': sys.exit(2)",
            ),
            (
                Python,
                "if d[\"tool_name\"] == \" run_shell_command\": sys.exit(2)",
            ),
            (
                Python,
                "if d.get('tool_name', '') in ('bash', 'shell'): sys.exit(2)",
            ),
            (
                Python,
                "name = d['tool_name']\nif name != 'shell':\n    sys.exit(0)\nsys.exit(2)",
            ),
            (
                JavaScript,
                "if (d.tool_name === 'execute_command') process.exit(2);",
            ),
            (JavaScript, "try { t = JSON.parse(d.tool_input) } catch {}"),
            (Python, "t = json.loads(d['tool_input'])"),
            (
                JavaScript,
                "if (typeof d.tool_input === 'string') process.exit(2);",
            ),
        ] {
            assert!(found(language, text), "{text}");
        }
    }

    /// CM-3, PL-11: nothing is reported if a tool's name is compared too, or something else.
    #[test]
    fn names_of_tools_are_not_reported() {
        use Language::{JavaScript, Python};
        for (language, text) in [
            (
                Python,
                "if d['tool_name'] == 'run_shell_command': sys.exit(2)",
            ),
            (
                Python,
                "if d['tool_name'] in ('Bash', 'run_shell_command'): sys.exit(2)",
            ),
            (Python, "if d['tool_name'] == 'mcp__fs__write': sys.exit(2)"),
            (Python, "if d['tool_name'] == 'grep_search': sys.exit(2)"),
            (
                Python,
                "TOOLS = {'write_file'}\nif d['tool_name'] in TOOLS: sys.exit(2)",
            ),
            (Python, "if d['tool_name'] == wanted: sys.exit(2)"),
            (Python, "if d['tool_name'].startswith('mcp'): sys.exit(2)"),
            (
                Python,
                "if d['tool_input']['command'] == 'shell': sys.exit(2)",
            ),
            (JavaScript, "if (d.tool_name === tool) process.exit(2);"),
            (JavaScript, "const t = JSON.parse(text).tool_input;"),
            (
                JavaScript,
                "const t = typeof d.tool_input === 'string' ? JSON.parse(d.tool_input.x) : d.tool_input.command;",
            ),
        ] {
            assert!(!found(language, text), "{text}");
        }
    }
}
