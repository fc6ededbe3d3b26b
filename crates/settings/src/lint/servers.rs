//! Matchers of MCP tools whose server nobody has configured (PL-5, CM-3).

use hookloop_events::{SubjectKind, tool_name::MCP_PREFIX};
use hookloop_hook::{HookDeclaration, Problem, ProblemCode};
use hookloop_text::shorten::excerpt;

use crate::near::nearest;
use crate::settings::Settings;

/// The prefix of the other name of MCP tools (PL-5).
const OTHER_PREFIX: &str = "mcp_";

/// Returns a problem for a matcher that names an MCP server that no tool can belong to.
///
/// A hook of the user's may be for a server of another project, unless one here is nearly called
/// so; that of an extension for one that not everybody has.
pub(super) fn unfit(settings: &Settings, hook: &HookDeclaration) -> Option<Problem> {
    let matcher = hook.matcher.as_deref().filter(|it| it.contains("mcp_"))?;
    if hook.event.subject_kind() != SubjectKind::Tool {
        return None;
    }
    let servers = servers(settings);
    if servers.is_empty() {
        return without_servers(settings, hook, matcher);
    }
    let part = alternatives(matcher).find(|it| !servers.iter().any(|server| it.matches(server)))?;
    let names = || servers.iter().map(String::as_str);
    let near = nearest(part.server(), names());
    let is_of_here = hook.is_from_project();
    let meant = match (near, &servers[..]) {
        (Some(near), _) => Some(near),
        (None, [only]) if is_of_here => Some(only.as_str()),
        (None, _) if is_of_here => None,
        (None, _) => return None,
    };
    let message = format!(
        "\"{}\" matches no tool of an MCP server that is configured: {}",
        excerpt(part.text),
        servers.join(", ")
    );
    let right = meant.map(|server| {
        let right = format!("{MCP_PREFIX}{server}__");
        matcher.replacen(part.name_prefix(), &right, 1)
    });
    let help = match &right {
        Some(right) => format!("did you mean \"{}\"?", excerpt(right)),
        None => {
            "write \"mcp__<server>__<tool>\" with the name of a server in \"mcpServers\"".into()
        }
    };
    let source = hook.source_of(hook.places.matcher);
    let mut problem = settings.problem(ProblemCode::MatcherNoTool, source, message, help);
    problem.suggestion = right;
    problem.event = Some(hook.event);
    problem.hook_id = Some(hook.id.clone());
    Some(problem)
}

/// Returns a problem for a hook of the project that is only for tools of MCP servers, and never
/// runs because there is no server.
fn without_servers(settings: &Settings, hook: &HookDeclaration, matcher: &str) -> Option<Problem> {
    let is_of_project = hook.is_from_project() && hook.extension.is_none();
    let mut parts = alternatives(matcher).peekable();
    let is_for_servers_alone = matcher.split('|').count() == alternatives(matcher).count();
    let first = parts.peek().map(Part::server)?;
    if !is_of_project || !is_for_servers_alone || parts.any(|it| !it.names_server()) {
        return None;
    }
    let message = format!(
        "\"{}\" matches no tool: no MCP server is configured",
        excerpt(matcher)
    );
    let help = format!(
        "configure the server \"{first}\" in \"mcpServers\", or remove the hook if nobody here \
         uses it"
    );
    let source = hook.source_of(hook.places.matcher);
    let mut problem = settings.problem(ProblemCode::MatcherNoTool, source, message, help);
    problem.event = Some(hook.event);
    problem.hook_id = Some(hook.id.clone());
    Some(problem)
}

/// Returns the names of all servers, as they are in the names of tools (TO-3).
fn servers(settings: &Settings) -> Vec<String> {
    let own = settings.agent.mcp_servers.iter().map(|it| &it.name);
    let of_extensions = settings.extensions.iter().flat_map(|it| &it.mcp_servers);
    let names = own.chain(of_extensions.map(|(name, _)| name));
    let mut names: Vec<String> = names.map(|name| in_names(name)).collect();
    names.sort();
    names.dedup();
    names
}

fn in_names(server: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    let letters = server.chars();
    letters.map(|it| if plain(it) { it } else { '_' }).collect()
}

/// A part of a matcher that begins with the name of an MCP tool.
#[derive(Debug)]
struct Part<'m> {
    text: &'m str,
    /// The beginning of every name that it matches.
    literal: &'m str,
}

impl<'m> Part<'m> {
    fn of(text: &'m str) -> Option<Self> {
        let text = text.trim_start_matches(['^', '(']);
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
        let end = text.find(|it| !plain(it)).unwrap_or(text.len());
        // An optional character isn't part of every matching name.
        let is_loose = text[end..].starts_with(['?', '*', '{']);
        let end = if is_loose { end.saturating_sub(1) } else { end };
        let literal = &text[..end];
        let rest = literal.strip_prefix(OTHER_PREFIX)?.trim_start_matches('_');
        (!rest.is_empty()).then_some(Self { text, literal })
    }

    /// Returns whether a tool of a server may have a name that begins so.
    fn matches(&self, server: &str) -> bool {
        let names = [
            format!("{MCP_PREFIX}{server}__"),
            format!("{OTHER_PREFIX}{server}_"),
        ];
        let mut names = names.iter();
        names.any(|name| self.literal.starts_with(name) || name.starts_with(self.literal))
    }

    /// Returns whether the part contains the whole name of a server: then it also contains what
    /// follows the name.
    fn names_server(&self) -> bool {
        let rest = self.literal.strip_prefix(OTHER_PREFIX).unwrap_or_default();
        let is_double = rest.starts_with('_');
        let rest = rest.trim_start_matches('_');
        let behind = if is_double {
            rest.split_once("__")
        } else {
            rest.split_once('_')
        };
        behind.is_some_and(|(server, _)| !server.is_empty())
    }

    /// The name of the server, as far as it is in the part.
    fn server(&self) -> &'m str {
        let rest = self.literal.strip_prefix(OTHER_PREFIX).unwrap_or_default();
        let rest = rest.trim_start_matches('_');
        let (server, _) = rest.split_once("__").unwrap_or((rest, ""));
        server.trim_end_matches('_')
    }

    /// The prefix and the server's name, with the characters after it.
    fn name_prefix(&self) -> &'m str {
        let server = self.server();
        let before = self.literal.find(server).unwrap_or_default();
        let end = before + server.len();
        let signs = self.literal[end..].bytes().take_while(|it| *it == b'_');
        &self.literal[..end + signs.count().min(2)]
    }
}

/// Returns the parts of a matcher that begin with the name of an MCP tool; other parts, and those
/// that can't be told apart, are left out.
fn alternatives(matcher: &str) -> impl Iterator<Item = Part<'_>> {
    let is_plain = !matcher.contains(['\\', '[']) && !matcher.contains("(?");
    let parts = matcher.split('|').filter(move |_| is_plain);
    parts.filter_map(Part::of)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(matcher: &str, server: &str) -> bool {
        alternatives(matcher).all(|it| it.matches(server))
    }

    /// PL-5: a part matches a server whose tools may have such names, under either of their names.
    #[test]
    fn parts_are_compared_with_servers() {
        for matcher in [
            "mcp__gh__.*",
            "mcp__gh",
            "mcp__g.*",
            "mcp__ghx*",
            "mcp_gh_.*",
            "mcp__.*",
            "mcp_.*",
            "^(mcp__gh__a|mcp__gh__b)$",
            "write_file|mcp__gh__a",
            "mcp__.*__write.*",
            "mcp__[gh]+",
            "mcp__(gh|git)__.*",
            "write_file",
        ] {
            assert!(fits(matcher, "gh"), "{matcher}");
        }
        for matcher in [
            "mcp__github_.*",
            "mcp__github",
            "mcp_github_.*",
            "^mcp__git__a$",
            "write_file|mcp__x__.*",
        ] {
            assert!(!fits(matcher, "gh"), "{matcher}");
        }
    }

    /// CM-10: only the server's name is corrected.
    #[test]
    fn the_name_of_the_server_is_found() {
        for (matcher, named) in [
            ("mcp__github_.*", "mcp__github_"),
            ("mcp__github__create_issue", "mcp__github__"),
            ("mcp_github_.*", "mcp_github_"),
            ("mcp__github", "mcp__github"),
        ] {
            let part = Part::of(matcher).expect(matcher);
            assert_eq!((part.server(), part.name_prefix()), ("github", named));
        }
    }
}
