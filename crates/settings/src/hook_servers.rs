//! Which MCP server an `mcp_tool` hook refers to (HT-50).
//!
//! A hook depends on its server as it does on its own script, so the name is looked up only in
//! layers that the hook's layer can trust: a project never influences a hook of the user or the
//! system, whatever it calls its servers.

use std::sync::Arc;

use hookloop_hook::{
    Broken, ConfiguredServer, Enablement, Handler, HookDeclaration, Problem, ProblemCode, Source,
};
use hookloop_text::shorten::excerpt;

use crate::agent::McpServer;
use crate::extension::Extension;
use crate::loosening::{Owner, ProjectReach};
use crate::resolve::{Contents, Resolver, TRUST_HINT};

/// A server of the name that a hook gives.
struct Named<'a> {
    configuration: &'a serde_json::Value,
    source: &'a Source,
}

/// What was found for a name.
struct FoundServer<'a> {
    /// The server that the hook calls.
    asked: Option<Named<'a>>,
    /// One of the same name that a session may use, but this hook doesn't.
    passed_over: Option<Named<'a>>,
}

impl Resolver<'_> {
    /// Looks up the servers that hooks name. A hook whose server isn't there can't start, and if
    /// another layer has a server of the same name, it is reported which one the hook calls.
    pub(crate) fn hook_servers(
        &mut self,
        contents: &Contents,
        extensions: &[Extension],
        hooks: &mut [HookDeclaration],
    ) {
        for hook in hooks {
            let Handler::McpTool(call) = &hook.handler else {
                continue;
            };
            let name = call.server.clone();
            if name.is_empty() {
                // The entry itself is broken, which has been reported.
                continue;
            }
            let found = self.look_up(contents, extensions, hook, &name);
            let passed_over = found.passed_over.map(|it| it.source.clone());
            if let Some(server) = found.asked {
                let server = ConfiguredServer {
                    configuration: server.configuration.clone(),
                    source: server.source.clone(),
                };
                if let Some(other) = passed_over {
                    self.tell_passed_over(hook, &name, &server.source, &other);
                }
                if let Handler::McpTool(call) = &mut hook.handler {
                    call.configured = Some(Arc::new(server));
                }
            } else {
                self.tell_missing(hook, &name, passed_over.as_ref());
            }
        }
    }

    /// Looks a name up in the layers that a hook may rely on, its own first.
    fn look_up<'a>(
        &self,
        contents: &'a Contents,
        extensions: &'a [Extension],
        hook: &HookDeclaration,
        name: &str,
    ) -> FoundServer<'a> {
        let in_layer = |servers: &'a [McpServer]| {
            let server = servers.iter().find(|it| it.name == name)?;
            Some(Named {
                configuration: &server.configuration,
                source: &server.source,
            })
        };
        let project = in_layer(&contents.project.agent.mcp_servers);
        let user = in_layer(&contents.user.agent.mcp_servers);
        let system = in_layer(&contents.system.agent.mcp_servers);
        let is_project_trusted = self.project != ProjectReach::Itself;
        match (Owner::of(hook), &hook.extension) {
            (Owner::System, _) => FoundServer {
                asked: system,
                passed_over: project.or(user),
            },
            (Owner::User, _) => FoundServer {
                asked: user.or(system),
                passed_over: project,
            },
            (Owner::Extension | Owner::Project, Some(origin)) => FoundServer {
                asked: extension_server(extensions, &origin.name, name)
                    .or(user)
                    .or(system),
                passed_over: project,
            },
            (Owner::Project, None) if is_project_trusted => FoundServer {
                asked: project.or(user).or(system),
                passed_over: None,
            },
            // If the project has a server with this name, that one is meant, which doesn't run.
            (Owner::Project | Owner::Extension, None) => match project {
                Some(own) => FoundServer {
                    asked: None,
                    passed_over: Some(own),
                },
                None => FoundServer {
                    asked: user.or(system),
                    passed_over: None,
                },
            },
        }
    }

    fn tell_passed_over(
        &mut self,
        hook: &HookDeclaration,
        name: &str,
        asked: &Source,
        other: &Source,
    ) {
        let message = format!(
            "the hook calls the MCP server \"{}\" of {asked}, not the one of that name in {other}: \
             a less trusted layer can't control it",
            excerpt(name)
        );
        let help = "give one of the two servers another name";
        self.tell(hook, ProblemCode::ShadowedHook, message, help.to_owned());
    }

    fn tell_missing(&mut self, hook: &mut HookDeclaration, name: &str, other: Option<&Source>) {
        let name = excerpt(name);
        let (cause, help) = match (other, Owner::of(hook)) {
            (Some(place), Owner::Project) => (
                format!(
                    "the MCP server \"{name}\" ({place}) belongs to a project that isn't trusted, \
                     so nothing can call it"
                ),
                TRUST_HINT.to_owned(),
            ),
            (Some(place), _) => (
                format!(
                    "the only MCP server \"{name}\" is the one in {place}, which must not control \
                     a hook of a more trusted layer"
                ),
                "configure the server under \"mcpServers\" in the settings file of the hook, or in \
                 a more trusted one"
                    .to_owned(),
            ),
            (None, _) => (
                format!("no MCP server is named \"{name}\""),
                "configure it under \"mcpServers\" in the settings file of the hook, or name one \
                 that `hookloop mcp list` shows"
                    .to_owned(),
            ),
        };
        self.tell(
            hook,
            ProblemCode::HandlerInvalid,
            cause.clone(),
            help.clone(),
        );
        let source = hook.source.clone();
        hook.broken.get_or_insert_with(|| {
            Arc::new(Broken {
                cause,
                help,
                source,
            })
        });
    }

    fn tell(&mut self, hook: &HookDeclaration, code: ProblemCode, message: String, help: String) {
        let mut problem = Problem::new(code, hook.source.clone(), message, help);
        problem.event = Some(hook.event);
        problem.hook_id = Some(hook.id.clone());
        problem.snippet = self.documents.snippet(&hook.source);
        self.problems.push(problem);
    }
}

fn extension_server<'a>(
    extensions: &'a [Extension],
    extension: &str,
    name: &str,
) -> Option<Named<'a>> {
    let extension = extensions
        .iter()
        .find(|it| *it.origin.name == *extension && it.origin.enablement == Enablement::Enabled)?;
    let (_, configuration) = extension.mcp_servers.iter().find(|(it, _)| it == name)?;
    Some(Named {
        configuration,
        source: &extension.source,
    })
}
