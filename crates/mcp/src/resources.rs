//! The tools that list and read the resources of MCP servers.

use std::sync::Arc;

use hookloop_events::McpContext;
use hookloop_tools::arguments::{required_text, text};
use hookloop_tools::{
    Access, Arguments, BoxFuture, Declaration, EditsFile, Output, Preview, RunContext, Subject,
    Tool, ToolError,
};
use serde_json::json;

use crate::catalogue::OfferedResource;
use crate::server::Server;

/// Lists the resources of all servers (TO-3).
pub(crate) struct ListMcpResources {
    declaration: Declaration,
    servers: Vec<Arc<Server>>,
}

/// Reads a resource (TO-3).
pub(crate) struct ReadMcpResource {
    declaration: Declaration,
    servers: Vec<Arc<Server>>,
}

impl ListMcpResources {
    pub(crate) fn new(servers: Vec<Arc<Server>>) -> Self {
        Self {
            declaration: Declaration {
                name: "list_mcp_resources".to_owned(),
                description: "Lists the resources that MCP servers offer, as they last reported."
                    .to_owned(),
                parameters: json!({
                    "type": "object",
                    "properties": {
                        "server": {
                            "type": "string",
                            "description": "Only the resources of this server.",
                        },
                    },
                }),
                // Servers aren't contacted: the lists that they sent before are shown.
                access: Access::Read,
            },
            servers,
        }
    }
}

impl Tool for ListMcpResources {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn mcp_context(&self) -> Option<&McpContext> {
        None
    }

    fn validate(&self, arguments: &Arguments) -> Result<(), ToolError> {
        self.declaration().check(arguments)
    }

    fn edits(&self) -> Option<&dyn EditsFile> {
        None
    }

    fn needs_person(&self, _arguments: &Arguments) -> bool {
        false
    }

    fn preview(&self, _arguments: &Arguments) -> Preview {
        Preview::info("List the resources of MCP servers")
    }

    fn run<'a>(
        &'a self,
        arguments: Arc<Arguments>,
        _context: RunContext<'a>,
    ) -> BoxFuture<'a, Output> {
        Box::pin(async move {
            let only = text(&arguments, "server");
            let mut lines = String::new();
            let mut count = 0_usize;
            for server in &self.servers {
                let name = &server.configuration.name;
                if only.is_some_and(|only| only != name) {
                    continue;
                }
                for resource in &server.catalogue().resources {
                    count += 1;
                    lines.push_str(&line_of(resource, name));
                }
            }
            if count == 0 {
                return Output::new("There are no resources.", "No resources");
            }
            Output::new(lines, format!("{count} resources"))
        })
    }
}

impl ReadMcpResource {
    pub(crate) fn new(servers: Vec<Arc<Server>>) -> Self {
        Self {
            declaration: Declaration {
                name: "read_mcp_resource".to_owned(),
                description: "Reads a resource of an MCP server.".to_owned(),
                parameters: json!({
                    "type": "object",
                    "properties": {
                        "uri": {
                            "type": "string",
                            "minLength": 1,
                            "description": "The resource's address, as it is listed.",
                        },
                        "server": {
                            "type": "string",
                            "description": "The server; needed if several have the address.",
                        },
                    },
                    "required": ["uri"],
                }),
                access: Access::Mcp,
            },
            servers,
        }
    }

    /// Returns the server of a call: the named one, or the only one that lists the address.
    fn server(&self, arguments: &Arguments) -> Result<&Arc<Server>, ToolError> {
        if let Some(name) = text(arguments, "server") {
            let named = self.servers.iter().find(|it| it.configuration.name == name);
            return named.ok_or_else(|| {
                ToolError::invalid(format!("no MCP server \"{name}\" has resources"))
            });
        }
        let uri = required_text(arguments, "uri")?;
        let listed = |server: &&Arc<Server>| {
            let catalogue = server.catalogue();
            catalogue
                .resources
                .iter()
                .any(|resource| resource.uri == uri)
        };
        let found: Vec<&Arc<Server>> = self.servers.iter().filter(listed).collect();
        match (found.as_slice(), self.servers.as_slice()) {
            ([server], _) => Ok(*server),
            // An address that isn't listed may still match a server's template.
            ([], [server]) => Ok(server),
            ([], _) => Err(ToolError::invalid(format!(
                "no MCP server lists the resource {uri}; name the server"
            ))),
            (several, _) => {
                let names: Vec<&str> = several
                    .iter()
                    .map(|it| it.configuration.name.as_str())
                    .collect();
                Err(ToolError::invalid(format!(
                    "several MCP servers have the resource {uri}; name one of them: {}",
                    names.join(", ")
                )))
            }
        }
    }
}

impl Tool for ReadMcpResource {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn mcp_context(&self) -> Option<&McpContext> {
        None
    }

    fn validate(&self, arguments: &Arguments) -> Result<(), ToolError> {
        self.declaration().check(arguments)
    }

    fn edits(&self) -> Option<&dyn EditsFile> {
        None
    }

    fn needs_person(&self, _arguments: &Arguments) -> bool {
        false
    }

    fn preview(&self, arguments: &Arguments) -> Preview {
        let server = self.server(arguments);
        let name = server.as_ref().ok().map(|it| it.configuration.name.clone());
        let mut preview = Preview::new(
            format!("Read {}", text(arguments, "uri").unwrap_or_default()),
            Subject::Mcp {
                server_name: name.unwrap_or_default(),
                tool_name: "resources/read".to_owned(),
            },
        );
        preview.problem = server.err();
        preview
    }

    fn run<'a>(
        &'a self,
        arguments: Arc<Arguments>,
        context: RunContext<'a>,
    ) -> BoxFuture<'a, Output> {
        Box::pin(async move {
            let server = match self.server(&arguments) {
                Ok(server) => server,
                Err(error) => return Output::failed(error),
            };
            let uri = text(&arguments, "uri").unwrap_or_default();
            server.read(uri, &context.cancel).await
        })
    }
}

/// Returns the line of the listing for a resource.
fn line_of(resource: &OfferedResource, server: &str) -> String {
    let kind = resource.mime_type.as_ref();
    let kind = kind.map(|it| format!(", {it}")).unwrap_or_default();
    let description = resource.description.as_ref();
    let description = description.map(|it| format!(". {it}")).unwrap_or_default();
    let (uri, name) = (&resource.uri, &resource.name);
    format!("{uri} (server \"{server}\"): {name}{kind}{description}\n")
}
