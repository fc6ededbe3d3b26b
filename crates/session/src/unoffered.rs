//! Names in settings of tools that a connected MCP server doesn't have (TO-6): what they exclude,
//! allow or require has no effect. Which tools a server has is known only once it has started.

use std::collections::{BTreeMap, BTreeSet};

use hookloop_agent::ToolPattern;
use hookloop_events::tool_name::{MCP_PREFIX, sendable};
use hookloop_settings::{McpServer, ToolSettings, nearest};

/// Finds such names, each once.
#[derive(Debug)]
pub(crate) struct Unoffered {
    /// The setting, a name in it, and the name's place.
    named: Vec<(&'static str, String, String)>,
    /// What the configuration of a server itself excludes.
    left_out: BTreeSet<String>,
}

impl Unoffered {
    /// Takes the names of tools of servers from the settings.
    pub(crate) fn new(tools: &ToolSettings, servers: &[McpServer]) -> Self {
        let lists = [
            ("tools.core", &tools.core),
            ("tools.allowed", &tools.allowed),
        ];
        let lists = lists.into_iter().flat_map(|(key, list)| {
            let names = list.iter().flat_map(|it| {
                let place = it.place();
                it.value
                    .iter()
                    .map(move |name| (name.clone(), place.clone()))
            });
            names.map(move |(name, place)| (key, name, place))
        });
        let single = [
            ("tools.exclude", &tools.exclude),
            ("tools.confirmationRequired", &tools.confirmation_required),
        ];
        let single = single.into_iter().flat_map(|(key, names)| {
            let names = names.iter();
            names.map(move |it| (key, it.value.clone(), it.place()))
        });
        let is_of_server = |name: &str| ToolPattern::from(name).name().starts_with("mcp_");
        let named = lists.chain(single).filter(|it| is_of_server(&it.1));
        let mut left_out = BTreeSet::new();
        for server in servers {
            let list = server.configuration.get("excludeTools");
            let list = list.and_then(|it| it.as_array()).into_iter().flatten();
            for tool in list.filter_map(|it| it.as_str()) {
                left_out.insert(sendable(&format!("{MCP_PREFIX}{}__{tool}", server.name)));
            }
        }
        Self {
            named: named.collect(),
            left_out,
        }
    }

    /// Returns a line for each name of a tool that its connected server doesn't have, once.
    pub(crate) fn look(&mut self, servers: &BTreeMap<String, Vec<String>>) -> Vec<String> {
        let mut lines = Vec::new();
        let left_out = &self.left_out;
        self.named.retain(|(key, name, place)| {
            let pattern = ToolPattern::from(name.as_str());
            let called = pattern.name();
            let mut of = servers.iter().filter(|it| is_of(called, it.0));
            // Where the name of a server begins with another's, nobody knows which is meant.
            let (Some((server, tools)), None) = (of.next(), of.next()) else {
                return true;
            };
            let restricts = ["tools.exclude", "tools.confirmationRequired"].contains(key);
            let means = |tool: &String| pattern.names(tool) || restricts && pattern.may_mean(tool);
            if tools.iter().chain(left_out).any(means) {
                // The server may take it away later, which is no mistake in the settings.
                return false;
            }
            let help = if called.contains('*') && !restricts {
                "names can't have wildcards here: name each tool".to_owned()
            } else {
                match nearest(called, tools.iter().map(String::as_str)) {
                    Some(near) => format!("did you mean \"{near}\"?"),
                    None => "`/mcp` in a session lists them".to_owned(),
                }
            };
            lines.push(format!(
                "{place}\"{key}\" names \"{name}\", a tool that the MCP server \"{server}\" \
                 doesn't have, so it has no effect ({help})"
            ));
            false
        });
        lines
    }
}

/// Returns whether a name is one of a tool of a server.
fn is_of(name: &str, server: &str) -> bool {
    let called = sendable(server);
    [server, &called].iter().any(|it| {
        name.starts_with(&format!("{MCP_PREFIX}{it}__")) || name.starts_with(&format!("mcp_{it}_"))
    })
}

#[cfg(test)]
mod tests {
    use hookloop_hook::Source;
    use hookloop_settings::Provided;
    use serde_json::json;

    use super::*;

    fn named(names: &[&str]) -> Vec<Provided<String>> {
        let names = names.iter().map(|it| (*it).to_owned());
        names.map(Provided::default_of).collect()
    }

    fn offered(servers: &[(&str, &[&str])]) -> BTreeMap<String, Vec<String>> {
        let names = |tools: &[&str]| tools.iter().map(|it| (*it).to_owned()).collect();
        let servers = servers.iter();
        servers
            .map(|(it, tools)| ((*it).to_owned(), names(tools)))
            .collect()
    }

    /// TO-6: a name of a tool that its server doesn't have is reported once the server has started,
    /// in each list and spelling, and so are wildcards where they don't count. What the server has,
    /// and what belongs to a server that isn't connected, isn't.
    #[test]
    fn tools_that_a_server_does_not_have_are_found() {
        let tools = ToolSettings {
            core: Some(Provided::default_of(vec!["mcp_git_lgo".to_owned()])),
            allowed: Some(Provided::default_of(vec!["mcp__git__*".to_owned()])),
            exclude: named(&[
                "mcp__git__*",
                "mcp__git__x*",
                "mcp__git__log",
                "mcp_git_push",
                "mcp__later__x",
                "mcp__git__hidden",
                "glob",
            ]),
            confirmation_required: named(&["mcp__git__pusj"]),
            ..ToolSettings::default()
        };
        let server = McpServer {
            name: "git".to_owned(),
            configuration: json!({ "excludeTools": ["hidden"] }),
            source: Source::of_file(std::path::Path::new("/settings.json")),
        };
        let mut unoffered = Unoffered::new(&tools, &[server]);
        assert_eq!(unoffered.look(&offered(&[])), [""; 0]);
        let git: (&str, &[&str]) = ("git", &["mcp__git__log", "mcp__git__push"]);
        let lines = unoffered.look(&offered(&[git]));
        assert_eq!(lines.len(), 4, "{lines:?}");
        for (line, (key, hint)) in lines.iter().zip([
            ("tools.core", "mcp__git__log"),
            ("tools.allowed", "name each tool"),
            ("tools.exclude", "mcp__git__x*"),
            ("tools.confirmationRequired", "mcp__git__push"),
        ]) {
            assert!(line.contains(key) && line.contains(hint), "{line}");
        }
        let later: (&str, &[&str]) = ("later", &["mcp__later__x"]);
        assert_eq!(unoffered.look(&offered(&[git, later])), [""; 0]);
    }

    /// TO-6: where a server's name begins with another's, nothing is guessed.
    #[test]
    fn ambiguous_names_are_left_alone() {
        let tools = ToolSettings {
            exclude: named(&["mcp_git_hub_push"]),
            ..ToolSettings::default()
        };
        let mut unoffered = Unoffered::new(&tools, &[]);
        let both = offered(&[
            ("git", &["mcp__git__log"]),
            ("git_hub", &["mcp__git_hub__list"]),
        ]);
        assert_eq!(unoffered.look(&both), [""; 0]);
    }
}
