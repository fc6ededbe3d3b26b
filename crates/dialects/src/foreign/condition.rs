//! The syntaxes of `if` in the dialects (FD-12): `Bash(git *)` in Claude Code's rules, an
//! expression over the subject of the event in Cursor.

mod files;
mod hosts;

use hookloop_events::tool_name;
use hookloop_hook::Dialect;
use hookloop_shell::{Surroundings, matches, understand};
use regress::Regex;
use serde_json::{Map, Value};

use super::call::Call;
use super::{DialectTables, HookDialect, McpName};
use crate::intricate::takes_for_ever;
use crate::vocabulary::tools_named_by;

/// The rules that are about whatever edits files.
const EDITS: [&str; 3] = ["Edit", "MultiEdit", "NotebookEdit"];

/// The rules that are about sub-agents.
const AGENTS: [&str; 2] = ["Agent", "Task"];

/// Returns whether a condition lets a hook run. One that can't be evaluated does.
pub(crate) fn holds(
    hook_dialect: HookDialect<'_>,
    tables: &DialectTables,
    condition: &str,
    ours: &Map<String, Value>,
) -> bool {
    if hook_dialect.dialect == Dialect::Cursor {
        return matches_expression(hook_dialect.event, tables, condition, ours);
    }
    let Ok(Rule { name, specifier }) = Rule::read(hook_dialect.dialect, tables, condition) else {
        return true;
    };
    // At the end of a sub-agent's turn, there is no call, but an agent.
    let ended = ours.get("agent_name").and_then(Value::as_str);
    if !ours.contains_key("tool_name") {
        return match (AGENTS.contains(&name), ended, specifier) {
            (true, Some(agent), Some(wanted)) => names(wanted, agent),
            _ => true,
        };
    }
    let call = Call::of(ours, tables.tools);
    if !is_meant(name, &call, tables) {
        return false;
    }
    match specifier {
        None | Some("" | "*") => true,
        Some(specifier) => matches_specifier(specifier, &call, ours),
    }
}

/// Returns why a condition can't be evaluated in a dialect, so that its hook runs whatever happens;
/// nothing if it can (FD-12).
pub(crate) fn unreadable_reason(
    dialect: Dialect,
    tables: &DialectTables,
    condition: &str,
) -> Option<String> {
    match dialect {
        Dialect::GeminiCli => None,
        Dialect::Cursor => compiled(condition).is_none().then(|| {
            "it isn't a regular expression, or it could take too long to evaluate".to_owned()
        }),
        _ => Rule::read(dialect, tables, condition).err(),
    }
}

/// A rule as Claude Code writes it: a tool, and what its call must match.
struct Rule<'c> {
    name: &'c str,
    specifier: Option<&'c str>,
}

impl<'c> Rule<'c> {
    /// Reads a condition that is exactly one rule about a tool that the dialect knows; otherwise
    /// the error says what it is instead.
    fn read(dialect: Dialect, tables: &DialectTables, condition: &'c str) -> Result<Self, String> {
        let condition = condition.trim();
        let is_name = |sign: char| sign.is_ascii_alphanumeric() || "_-*".contains(sign);
        let (name, rest) = condition.split_at(
            condition
                .find(|sign| !is_name(sign))
                .unwrap_or(condition.len()),
        );
        let specifier = match rest {
            "" => None,
            _ => match inside_parentheses(rest) {
                Some(specifier) => Some(specifier.trim()),
                None => return Err("it isn't one rule such as `Bash(git *)`".to_owned()),
            },
        };
        if !is_known(dialect, tables, name) {
            return Err(if name.is_empty() {
                "it isn't one rule such as `Bash(git *)`".to_owned()
            } else {
                format!("no tool is named `{name}`")
            });
        }
        Ok(Self { name, specifier })
    }
}

/// Returns what is between the two parentheses that a text begins and ends with; nothing if they
/// don't belong together, or others inside don't match.
fn inside_parentheses(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    let mut depth = 0_usize;
    for sign in inner.chars() {
        match sign {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    (depth == 0).then_some(inner)
}

/// Returns whether a rule's name is one of a tool, in the words of a dialect or in ours.
fn is_known(dialect: Dialect, tables: &DialectTables, name: &str) -> bool {
    let is_mcp = name.starts_with(tool_name::MCP_PREFIX)
        || (tables.mcp == McpName::Dashed && name.contains('-'));
    let in_tables = tables
        .tools
        .iter()
        .any(|rule| rule.ours == name || rule.theirs.contains(&name));
    is_mcp
        || in_tables
        || tools_named_by(dialect)
            .iter()
            .any(|(theirs, _)| *theirs == name)
        || AGENTS.contains(&name)
}

/// Returns whether what an event is about matches an expression. Only the event determines what
/// that is: a model chooses the arguments of a call, and adds whatever it likes.
fn matches_expression(
    event: Option<&str>,
    tables: &DialectTables,
    expression: &str,
    ours: &Map<String, Value>,
) -> bool {
    let input = ours.get("tool_input");
    let argument = |name: &str| {
        let value = input.and_then(|it| it.get(name)).and_then(Value::as_str);
        value.map(str::to_owned)
    };
    let subjects: Vec<String> = match event {
        Some("beforeShellExecution" | "afterShellExecution") => {
            argument("command").into_iter().collect()
        }
        Some("subagentStart") => argument("agent_name").into_iter().collect(),
        Some("subagentStop") => {
            let agent = ours.get("agent_name").and_then(Value::as_str);
            agent.map(str::to_owned).into_iter().collect()
        }
        _ => names_of_tool(tables, ours),
    };
    match compiled(expression) {
        Some(expression) if !subjects.is_empty() => {
            subjects.iter().any(|it| expression.find(it).is_some())
        }
        _ => true,
    }
}

/// Returns the names of the tool in a payload: theirs, and ours.
fn names_of_tool(tables: &DialectTables, ours: &Map<String, Value>) -> Vec<String> {
    let Some(tool) = ours.get("tool_name").and_then(Value::as_str) else {
        return Vec::new();
    };
    let rule = tables.tools.iter().find(|rule| rule.ours == tool);
    let theirs = rule.into_iter().flat_map(|rule| rule.theirs);
    let mut names: Vec<String> = theirs.map(|name| (*name).to_owned()).collect();
    if let Some(mcp) = tables.mcp.of(tool) {
        // Also without the prefix that marks a server's tool.
        names.extend(mcp.strip_prefix("MCP:").map(str::to_owned));
        names.push(mcp);
    }
    names.push(tool.to_owned());
    names
}

/// Compiles an expression; nothing if it isn't one, or could take too long.
fn compiled(expression: &str) -> Option<Regex> {
    let is_plain = !takes_for_ever(expression);
    is_plain.then(|| Regex::new(expression).ok()).flatten()
}

/// Returns whether a rule's name is one of the tool's; `Edit` stands for all that edits.
fn is_meant(name: &str, call: &Call<'_>, tables: &DialectTables) -> bool {
    let known = call.rule.map_or(&[][..], |rule| rule.theirs);
    let edits = EDITS.contains(&name) && matches!(call.tool, "write_file" | "replace");
    let is_of_server = |tool: &str| {
        // A server's name alone matches all its tools.
        let rest = tool.strip_prefix(name);
        matches(name, tool) || rest.is_some_and(|rest| rest.starts_with("__"))
    };
    name == call.tool
        || known.contains(&name)
        || edits
        || (AGENTS.contains(&name) && call.tool == "delegate_to_agent")
        || tables.mcp.of(call.tool).is_some_and(|it| is_of_server(&it))
        || is_of_server(call.tool)
}

fn matches_specifier(specifier: &str, call: &Call<'_>, ours: &Map<String, Value>) -> bool {
    let cwd = ours.get("cwd").and_then(Value::as_str);
    let argument = |name: &str| {
        let input = ours.get("tool_input");
        input.and_then(|it| it.get(name)).and_then(Value::as_str)
    };
    match call.tool {
        "run_shell_command" => match argument("command") {
            Some(command) => matches_command(specifier, command, cwd),
            None => true,
        },
        "read_file" | "write_file" | "replace" => match argument("file_path").zip(cwd) {
            Some((path, cwd)) => files::matches_path(specifier, path, cwd),
            None => true,
        },
        "delegate_to_agent" => argument("agent_name").is_none_or(|agent| names(specifier, agent)),
        "web_fetch" => match specifier.strip_prefix("domain:").zip(argument("prompt")) {
            Some((domain, prompt)) => hosts::matches_domain(domain, prompt),
            None => true,
        },
        _ => true,
    }
}

/// Returns whether any command that a text would run matches a rule, or whether that can't be
/// known.
fn matches_command(rule: &str, text: &str, cwd: Option<&str>) -> bool {
    let begins = rule.strip_suffix(":*").or_else(|| rule.strip_suffix(" *"));
    let is_one = |line: &str| match begins {
        Some(begin) if !begin.contains('*') => line
            .strip_prefix(begin)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\n'])),
        _ => matches(rule, line),
    };
    if is_one(text.trim()) {
        return true;
    }
    let around = Surroundings {
        folder: cwd,
        ..Surroundings::default()
    };
    let understood = understand(text, around);
    if !understood.parsed || understood.opaque() {
        return true;
    }
    understood.commands.iter().any(|command| {
        let words: Vec<&str> = command.words.iter().map(|it| it.text.as_str()).collect();
        let first_known = command.words.first().is_none_or(|word| word.known);
        !first_known || is_one(&words.join(" ")) || is_one(&command.line())
    })
}

/// Returns whether a text is among names, or matches an expression; one that can't be compiled
/// matches.
fn names(wanted: &str, name: &str) -> bool {
    wanted.split(['|', ',']).any(|word| word.trim() == name)
        || compiled(wanted).is_none_or(|expression| expression.find(name).is_some())
}

#[cfg(test)]
mod tests;
