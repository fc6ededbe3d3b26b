//! Names in settings and options that nothing has (TO-6): what they allow, exclude or require has
//! no effect.

use std::collections::BTreeSet;
use std::path::Path;

use hookloop_agent::ToolPattern;
use hookloop_events::tool_name;
use hookloop_hook::{Enablement, Problem, ProblemCode, Source};
use hookloop_settings::{Extension, Provided, Settings, ToolSettings, nearest};

use crate::hook_words::problem_line;
use crate::options::Options;
use crate::unknown_restrictions::servers;

/// Returns the tools in settings that don't exist, as diagnostics.
pub(crate) fn tools_of_settings(tools: &ToolSettings) -> Vec<Problem> {
    let one = |list: &Option<Provided<Vec<String>>>| -> Vec<Provided<String>> {
        let list = list.iter();
        list.flat_map(|list| {
            list.value.iter().map(|name| Provided {
                value: name.clone(),
                source: list.source.clone(),
            })
        })
        .collect()
    };
    let lists = [
        ("tools.core", one(&tools.core), "it makes no tool available"),
        (
            "tools.exclude",
            tools.exclude.clone(),
            "it excludes nothing",
        ),
        ("tools.allowed", one(&tools.allowed), "it allows nothing"),
        (
            "tools.confirmationRequired",
            tools.confirmation_required.clone(),
            "nothing is confirmed because of it",
        ),
    ];
    let mut problems = Vec::new();
    for (key, names, effect) in lists {
        let restricts = ["tools.exclude", "tools.confirmationRequired"].contains(&key);
        problems.extend(names.iter().filter_map(|name| {
            let help = if restricts {
                unknown_restricted_tool(&name.value)?
            } else {
                unknown_tool(&name.value)?
            };
            let message = format!(
                "\"{key}\": no tool is called \"{}\", so {effect}",
                name.value
            );
            let source = name.source.clone();
            let source = source.unwrap_or_else(|| Source::of_file(Path::new("")));
            Some(Problem::new(
                ProblemCode::MatcherNoTool,
                source,
                message,
                help,
            ))
        }));
    }
    problems
}

/// Returns the tools that extensions exclude and that don't exist, as diagnostics (EX-1).
pub(crate) fn tools_of_extensions(settings: &Settings) -> Vec<Problem> {
    let is_enabled = |it: &&Extension| it.origin.enablement == Enablement::Enabled;
    let mut problems = Vec::new();
    for extension in settings.extensions.iter().filter(is_enabled) {
        for name in &extension.exclude_tools {
            let Some(help) = unknown_restricted_tool(name) else {
                continue;
            };
            problems.push(Problem::new(
                ProblemCode::MatcherNoTool,
                extension.source.clone(),
                format!(
                    "\"excludeTools\" of the extension \"{}\": no tool is called \"{name}\", so it \
                     excludes nothing",
                    extension.origin.name
                ),
                help,
            ));
        }
    }
    problems
}

/// Returns a line for each name in settings and options that nothing has, for the start of a
/// session.
pub(crate) fn lines_at_start(options: &Options, settings: &Settings) -> Vec<String> {
    let tools = options.allowed_tools.iter().filter_map(|name| {
        let help = unknown_tool(name)?;
        Some(format!(
            "--allowed-tools: no tool is called \"{name}\", so it allows nothing ({help})"
        ))
    });
    let known = servers(settings);
    let known: BTreeSet<&str> = known.iter().map(String::as_str).collect();
    let servers = options.allowed_mcp_servers.iter().filter_map(|name| {
        let help = match nearest(name, known.iter().copied()) {
            _ if known.contains(name.as_str()) => return None,
            Some(near) => format!("did you mean \"{near}\"?"),
            None => "`hookloop mcp list` lists them".to_owned(),
        };
        Some(format!(
            "--allowed-mcp-server-names: no MCP server \"{name}\" is configured ({help})"
        ))
    });
    let mut of_settings = tools_of_settings(&settings.agent.tools);
    of_settings.extend(tools_of_extensions(settings));
    let of_settings = of_settings.iter().map(problem_line);
    of_settings.chain(tools).chain(servers).collect()
}

/// Returns the remedy for a name in what refuses or asks, which may have wildcards.
fn unknown_restricted_tool(pattern: &str) -> Option<String> {
    let help = unknown_tool(pattern)?;
    let pattern = ToolPattern::from(pattern);
    let first = pattern.name().split_once('*').map(|(first, _)| first);
    let may_be_of_server = first.is_some_and(|it| tool_name::MCP_PREFIX.starts_with(it));
    let means_some = may_be_of_server || tool_name::built_in().any(|it| pattern.may_mean(it));
    (!means_some).then_some(help)
}

/// Returns the remedy for a name that no tool has. Which tools MCP servers have isn't known yet.
fn unknown_tool(pattern: &str) -> Option<String> {
    let pattern = ToolPattern::from(pattern);
    let name = pattern.name();
    if tool_name::canonical(name).is_some() || name.starts_with("mcp_") {
        return None;
    }
    Some(match nearest(name, tool_name::built_in()) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => {
            "`/tools` in a session lists them; those of MCP servers begin with mcp__".to_owned()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(names: &[&str]) -> Vec<Provided<String>> {
        let names = names.iter().map(|it| (*it).to_owned());
        names.map(Provided::default_of).collect()
    }

    /// TO-6: a name that no tool has is reported in every list, with what may be meant; own names,
    /// aliases, patterns of commands and tools of servers aren't.
    #[test]
    fn tools_that_do_not_exist_are_found() {
        let list = |names: &[&str]| {
            let names = names.iter().map(|it| (*it).to_owned()).collect();
            Some(Provided::default_of(names))
        };
        let tools = ToolSettings {
            core: list(&["read_file", "ShellTool(git status)", "write_fil"]),
            exclude: named(&[
                "EditTool",
                "mcp__srv__tool",
                "mcp_srv_tool",
                "*",
                "write_*",
                "w_*",
            ]),
            allowed: list(&["run_shell_comand(git)", "glob"]),
            confirmation_required: named(&["replace", "Nope"]),
            ..ToolSettings::default()
        };
        let found = tools_of_settings(&tools);
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|it| (it.message.as_str(), it.help.as_str()))
            .collect();
        assert_eq!(found.len(), 4, "{found:?}");
        for ((message, help), (key, name, meant)) in found.iter().zip([
            ("tools.core", "write_fil", "write_file"),
            ("tools.exclude", "w_*", "/tools"),
            (
                "tools.allowed",
                "run_shell_comand(git)",
                "run_shell_command",
            ),
            ("tools.confirmationRequired", "Nope", "/tools"),
        ]) {
            assert!(message.contains(&format!("\"{key}\"")), "{message}");
            assert!(message.contains(&format!("\"{name}\"")), "{message}");
            assert!(help.contains(meant), "{help}");
        }
    }

    /// TO-6: a session reports at its start what its options and settings name in vain.
    #[test]
    fn names_that_nothing_has_are_reported_at_the_start() {
        let names =
            |names: &[&str]| -> Vec<String> { names.iter().map(|it| (*it).to_owned()).collect() };
        let mut settings = Settings::default();
        let options = Options {
            allowed_tools: names(&["glob", "run_shell_comand"]),
            allowed_mcp_servers: names(&["srv"]),
            ..Options::default()
        };
        assert_eq!(lines_at_start(&Options::default(), &settings), [""; 0]);
        settings.agent.tools.exclude = named(&["nope"]);
        let lines = lines_at_start(&options, &settings);
        assert_eq!(lines.len(), 3, "{lines:?}");
        for (line, name) in lines.iter().zip(["nope", "run_shell_comand", "srv"]) {
            assert!(line.contains(&format!("\"{name}\"")), "{line}");
        }
    }
}
