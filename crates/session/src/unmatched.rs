//! Hooks for a server's tool that the server doesn't have, or has no longer (PL-5, ST-11): they
//! look as if they watched it, and are never asked.

use std::collections::{BTreeMap, HashMap};

use hookloop_engine::{Registry, SkipCause, Subject};
use hookloop_events::{SubjectKind, tool_name};
use hookloop_hook::{HookDeclaration, quoted};

use crate::hook_words::short_label;

/// How many tools of a server are named.
const MOST: usize = 5;

/// Signs of a pattern that says what a name isn't: such a matcher may match no tool of a server on
/// purpose.
const EXCLUDING: [&str; 7] = ["(?!", "(?<!", "[^", "\\W", "\\D", "\\S", "\\B"];

/// Follows which hooks match a tool of the server that their matcher names.
#[derive(Debug, Default)]
pub(crate) struct Unmatched {
    /// Whether a hook matched one when it was last looked at, by its place and the server.
    matched: HashMap<(String, String), bool>,
}

impl Unmatched {
    /// Returns a line for each hook that matches no tool of a server that its matcher names, once,
    /// and again when the server has taken away what the hook did match.
    pub(crate) fn look(
        &mut self,
        registry: &Registry,
        servers: &BTreeMap<String, Vec<String>>,
    ) -> Vec<String> {
        let mut lines = Vec::new();
        for status in registry.list() {
            let hook = &status.hook;
            let may_run = status.runs() != Some(false);
            if !may_run || hook.event.subject_kind() != SubjectKind::Tool {
                continue;
            }
            for (server, tools) in servers.iter().filter(|it| is_named(hook, it.0, servers)) {
                let does_match = tools.iter().any(|tool| matches(registry, hook, tool));
                let key = (hook.source.to_string(), server.clone());
                let matched = self.matched.insert(key, does_match);
                if !does_match && matched != Some(false) {
                    let verb = match matched {
                        None => "matches no tool",
                        Some(_) => "no longer matches any tool",
                    };
                    lines.push(format!(
                        "hook {} ({}): its matcher {} {verb} of MCP server {}, which offers {}; \
                         change the matcher, or the hook is never asked about them",
                        quoted(&short_label(hook)),
                        hook.source,
                        quoted(hook.matcher.as_deref().unwrap_or_default()),
                        quoted(server),
                        listed(tools),
                    ));
                }
            }
        }
        lines
    }
}

/// Tells whether a hook's matcher is about the tools of a server. Where the name of another one
/// begins with its name, nobody knows which is meant.
fn is_named(hook: &HookDeclaration, server: &str, servers: &BTreeMap<String, Vec<String>>) -> bool {
    let mut others = servers.keys().filter_map(|it| it.strip_prefix(server));
    if others.any(|rest| rest.starts_with('_')) {
        return false;
    }
    let matcher = hook.matcher.as_deref().unwrap_or_default();
    let is_excluding = EXCLUDING.iter().any(|it| matcher.contains(it));
    let prefix = tool_name::MCP_PREFIX;
    let called = tool_name::sendable(server);
    !is_excluding
        && [server, &called].iter().any(|it| {
            matcher.contains(&format!("{prefix}{it}__")) || matcher.contains(&format!("mcp_{it}_"))
        })
}

fn matches(registry: &Registry, hook: &HookDeclaration, tool: &str) -> bool {
    let explained = registry.explain(hook.event, Subject::Known(tool));
    let mut statuses = explained.hooks.iter();
    let status = statuses.find(|it| it.hook.id == hook.id);
    let mismatches = |it: &SkipCause| matches!(it, SkipCause::MatcherMismatch { .. });
    status.is_none_or(|it| !it.causes.iter().any(mismatches))
}

/// Names tools, as far as there are few.
fn listed(tools: &[String]) -> String {
    let named: Vec<&str> = tools.iter().take(MOST).map(String::as_str).collect();
    match (&named[..], tools.len() - named.len()) {
        ([], _) => "none".to_owned(),
        (_, 0) => named.join(", "),
        (_, more) => format!("{} and {more} more", named.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use hookloop_engine::RunSwitch;
    use hookloop_events::EventName;
    use hookloop_hook::{Handler, HookId, Source};
    use hookloop_settings::HookSwitches;
    use hookloop_trust::Vouched;

    use super::*;

    fn registry(matcher: &str) -> Registry {
        let handler = Handler::Command {
            command: "guard".to_owned(),
            args: None,
            shell: None,
        };
        let source = Source::of_file(Path::new("/settings.json"));
        let id = HookId::from_text("guard");
        let mut hook = HookDeclaration::new(id, EventName::BeforeTool, handler, source);
        hook.matcher = Some(matcher.to_owned());
        let hooks = vec![Vouched::by_host(hook)];
        let switches = HookSwitches::default();
        Registry::new(hooks, &switches, RunSwitch::AsConfigured, Path::new("/"))
    }

    fn offering(offers: &[(&str, &[&str])]) -> BTreeMap<String, Vec<String>> {
        let called = |server: &str, tool: &&str| {
            tool_name::sendable(&format!("{}{server}__{tool}", tool_name::MCP_PREFIX))
        };
        let servers = offers.iter().map(|(server, tools)| {
            let tools = tools.iter().map(|tool| called(server, tool));
            ((*server).to_owned(), tools.collect())
        });
        servers.collect()
    }

    /// PL-5: a hook that matches no tool of the server that it names is reported once, and again
    /// when the server has taken its tool away.
    #[test]
    fn a_hook_that_matches_no_tool_is_reported() {
        let registry = registry("mcp__srv__delete");
        let mut unmatched = Unmatched::default();
        let mut look = |tools: &[&str]| unmatched.look(&registry, &offering(&[("srv", tools)]));
        assert_eq!(look(&["delete", "read"]), [""; 0]);
        // The second letter "e" isn't a Latin one.
        let lines = look(&["del\u{435}te", "read"]);
        let is_told = lines.len() == 1 && lines[0].contains("no longer matches any tool");
        assert!(
            is_told && lines[0].contains("mcp__srv__del_te"),
            "{lines:?}"
        );
        assert_eq!(look(&["read"]), [""; 0]);
        assert_eq!(look(&["delete"]), [""; 0]);
        assert_eq!(look(&[]).len(), 1);
    }

    /// PL-5: only a hook for the tools of a connected server is reported, and one that says which
    /// tools it leaves out isn't.
    #[test]
    fn other_hooks_are_not_told() {
        let count_lines = |matcher: &str, offers: &[(&str, &[&str])]| {
            Unmatched::default()
                .look(&registry(matcher), &offering(offers))
                .len()
        };
        assert_eq!(count_lines("mcp__srv__nope", &[("srv", &["a"])]), 1);
        assert_eq!(
            count_lines("mcp_srv_nope|write_file", &[("srv", &["a"])]),
            1
        );
        assert_eq!(count_lines("mcp__my.srv__nope", &[("my.srv", &["a"])]), 1);
        for (matcher, server) in [
            ("mcp__other__nope", "srv"),
            ("mcp__srv__.*", "srv"),
            ("mcp__.*__nope", "srv"),
            ("^(?!mcp__srv__).*", "srv"),
            ("write_file", "srv"),
        ] {
            assert_eq!(count_lines(matcher, &[(server, &["a"])]), 0, "{matcher}");
        }
        // Nobody knows which of the two is named.
        let offers: [(&str, &[&str]); 2] = [("a", &["x"]), ("a_b", &["c"])];
        assert_eq!(count_lines("mcp_a_b_c", &offers), 0);
    }
}
