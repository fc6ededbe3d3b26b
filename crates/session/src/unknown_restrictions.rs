//! Names in settings that forbid or let in what isn't there (AG-CLI-9): a misspelt name keeps
//! nothing out.

use std::mem::discriminant;

use hookloop_hook::{Enablement, Layer, Problem, ProblemCode};
use hookloop_settings::{
    Extension, Forbidden, Restriction, Restrictions, Settings, is_called, nearest,
};

use crate::assets::{installed_agents, installed_skills};
use crate::environment::Environment;
use crate::workspace::Workspace;

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Occasion {
    /// A session begins. The user's and the system's settings may name what only other projects
    /// have, so only a name that is close to one that is there is worth a line.
    Start,
    /// Somebody checks the configuration. The system's settings are for other people, too.
    Check,
}

/// What there is to name.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) servers: Vec<String>,
    pub(crate) skills: Vec<String>,
    pub(crate) agents: Vec<String>,
}

/// Returns the names of all configured MCP servers, those of extensions included.
pub(crate) fn servers(settings: &Settings) -> Vec<String> {
    let agent = &settings.agent;
    let own = agent.mcp_servers.iter().chain(&agent.untrusted_servers);
    let is_enabled = |it: &&Extension| it.origin.enablement == Enablement::Enabled;
    let extensions = settings.extensions.iter().filter(is_enabled);
    let of_extensions = extensions.flat_map(|it| it.mcp_servers.iter().map(|(name, _)| name));
    own.map(|it| &it.name)
        .chain(of_extensions)
        .cloned()
        .collect()
}

/// Returns the names that nothing has, as diagnostics.
pub(crate) fn of_workspace(
    workspace: &Workspace,
    environment: &Environment,
    occasion: Occasion,
) -> Vec<Problem> {
    let settings = &workspace.settings;
    let restrictions = &settings.agent.restrictions;
    let mut known = Known {
        servers: servers(settings),
        ..Known::default()
    };
    // Files are read only if it matters.
    let names_some = |is: fn(&Forbidden) -> bool| restrictions.iter().any(|it| is(&it.forbidden));
    if names_some(|it| matches!(it, Forbidden::Skill(_))) {
        let skills = installed_skills(environment, workspace);
        known.skills = skills.iter().map(|it| it.name.clone()).collect();
    }
    if names_some(|it| matches!(it, Forbidden::SubAgent(_))) {
        known.agents = installed_agents(environment, workspace);
    }
    unknown(restrictions, &known, occasion)
}

/// Returns the names in prohibitions that nothing has.
fn unknown(restrictions: &Restrictions, known: &Known, occasion: Occasion) -> Vec<Problem> {
    let mut problems = Vec::new();
    for restriction in restrictions.iter() {
        let (names, kind, there, effect) = match &restriction.forbidden {
            Forbidden::OtherMcpServers(names) => {
                (&names[..], "MCP server", &known.servers, "it lets none in")
            }
            // The file of switched off servers is written by programs, and keeps earlier names.
            Forbidden::McpServer(name) if restriction.key == "mcp.excluded" => (
                std::slice::from_ref(name),
                "MCP server",
                &known.servers,
                "it keeps none out",
            ),
            Forbidden::Skill(name) => (
                std::slice::from_ref(name),
                "skill",
                &known.skills,
                "it disables none",
            ),
            Forbidden::SubAgent(name) => (
                std::slice::from_ref(name),
                "sub-agent",
                &known.agents,
                "it disables none",
            ),
            _ => continue,
        };
        for name in names {
            if there.iter().any(|it| is_called(name, it)) {
                continue;
            }
            // A name that is listed itself isn't what another one means.
            let others = there
                .iter()
                .filter(|it| !is_named(restrictions, restriction, it));
            let near = nearest(name, others.map(String::as_str));
            let help = match near {
                Some(near) => format!("did you mean \"{near}\"?"),
                // Gemini CLI has sub-agents of its own, which may be switched off there.
                None if kind == "sub-agent" => continue,
                None if is_worth(restriction, occasion) => help(kind).to_owned(),
                None => continue,
            };
            let key = &restriction.key;
            problems.push(Problem::new(
                ProblemCode::MatcherNoTool,
                restriction.source.clone(),
                format!("\"{key}\": no {kind} is called \"{name}\", so {effect}"),
                help,
            ));
        }
    }
    problems
}

/// Returns whether a name that is close to none that is there is worth a report.
fn is_worth(restriction: &Restriction, occasion: Occasion) -> bool {
    match restriction.source.layer {
        Some(Layer::Project) => true,
        Some(Layer::User) => occasion == Occasion::Check,
        _ => false,
    }
}

/// Returns whether some prohibition of the same kind names something that is there.
fn is_named(restrictions: &Restrictions, like: &Restriction, name: &str) -> bool {
    let kind = discriminant(&like.forbidden);
    let same = restrictions
        .iter()
        .filter(|it| discriminant(&it.forbidden) == kind);
    let mut named = same.flat_map(|it| match &it.forbidden {
        Forbidden::OtherMcpServers(names) => &names[..],
        Forbidden::McpServer(it) | Forbidden::Skill(it) | Forbidden::SubAgent(it) => {
            std::slice::from_ref(it)
        }
        _ => &[],
    });
    named.any(|it| is_called(it, name))
}

fn help(kind: &str) -> &'static str {
    match kind {
        "skill" => "`hookloop skills list` lists them",
        _ => "`hookloop mcp list` lists them",
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use hookloop_hook::Source;

    use super::*;

    fn restrictions(layer: Layer, forbidden: &[(&str, Forbidden)]) -> Restrictions {
        let restriction = |(key, forbidden): &(&str, Forbidden)| Restriction {
            forbidden: forbidden.clone(),
            key: (*key).to_owned(),
            source: Source {
                layer: Some(layer),
                ..Source::of_file(Path::new("/settings.json"))
            },
        };
        forbidden.iter().map(restriction).collect()
    }

    fn found(layer: Layer, forbidden: &[(&str, Forbidden)], occasion: Occasion) -> Vec<String> {
        let names = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect();
        let known = Known {
            servers: names(&["github", "jira"]),
            skills: names(&["review"]),
            agents: names(&["scout"]),
        };
        let problems = unknown(&restrictions(layer, forbidden), &known, occasion);
        let line = |it: &Problem| format!("{} ({})", it.message, it.help);
        problems.iter().map(line).collect()
    }

    fn allowed(names: &[&str]) -> (&'static str, Forbidden) {
        let names = names.iter().map(|it| (*it).to_owned()).collect();
        ("mcp.allowed", Forbidden::OtherMcpServers(names))
    }

    /// AG-CLI-9: a misspelt name is reported with what may be meant, whoever wrote it; names that
    /// are there, compared as they count, aren't.
    #[test]
    fn misspelt_names_are_found() {
        let skill = |name: &str| ("skills.disabled", Forbidden::Skill(name.to_owned()));
        let server = |name: &str| ("mcp.excluded", Forbidden::McpServer(name.to_owned()));
        let agent = |name: &str| ("agents.overrides", Forbidden::SubAgent(name.to_owned()));
        for layer in [Layer::Project, Layer::User, Layer::System] {
            for occasion in [Occasion::Start, Occasion::Check] {
                for (forbidden, meant) in [
                    (allowed(&["githb", "jira"]), "github"),
                    (server("jirra"), "jira"),
                    (skill("reviews"), "review"),
                    (agent("scuot"), "scout"),
                ] {
                    let lines = found(layer, &[forbidden], occasion);
                    assert_eq!(lines.len(), 1, "{lines:?}");
                    assert!(lines[0].contains(&format!("\"{meant}\"?")), "{lines:?}");
                }
                let fine = [
                    allowed(&["GitHub "]),
                    server("jira"),
                    skill("Review"),
                    agent("scout"),
                ];
                assert_eq!(found(layer, &fine, occasion), [""; 0]);
            }
        }
        let both = allowed(&["github", "githb"]);
        assert_eq!(found(Layer::System, &[both], Occasion::Check), [""; 0]);
    }

    /// AG-CLI-9: settings that count for other projects, too, may name what only those have, which
    /// is reported to whoever checks them; those of a project are for this one.
    #[test]
    fn names_of_other_projects_are_no_mistake() {
        for (layer, at_start, at_check) in [
            (Layer::Project, 1, 1),
            (Layer::User, 0, 1),
            (Layer::System, 0, 0),
        ] {
            let forbidden = [("skills.disabled", Forbidden::Skill("deploy".to_owned()))];
            let count = |occasion| found(layer, &forbidden, occasion).len();
            assert_eq!(count(Occasion::Start), at_start, "{layer:?}");
            assert_eq!(count(Occasion::Check), at_check, "{layer:?}");
        }
        let switched_off = ("enabled", Forbidden::McpServer("gone".to_owned()));
        let lines = found(Layer::Project, &[switched_off], Occasion::Check);
        assert_eq!(lines, [""; 0]);
    }
}
