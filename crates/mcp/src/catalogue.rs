//! What a server offers: its tools and resources, asked for page by page.

use rmcp::model::{PaginatedRequestParams, Resource, Tool};
use rmcp::service::{Peer, RoleClient, ServiceError};
use serde_json::Value;

use crate::configuration::ToolChoice;
use crate::schema;

/// How many tools, and how many resources, of one server are taken at most.
const MOST: usize = 500;

/// How many pages of a list are asked for at most.
const MOST_PAGES: usize = 100;

/// How long a description may be, in characters.
const LONGEST_DESCRIPTION: usize = 8 * 1024;

/// What a server offers.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Catalogue {
    pub(crate) tools: Vec<OfferedTool>,
    pub(crate) resources: Vec<OfferedResource>,
    /// Whether the server has resources at all, though there may be none now.
    pub(crate) has_resources: bool,
    /// The tools that the settings leave out, with the setting's words.
    pub(crate) left_out: Vec<(String, &'static str)>,
}

/// A tool of a server.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OfferedTool {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) parameters: Value,
}

/// A resource of a server.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OfferedResource {
    pub(crate) uri: String,
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) mime_type: Option<String>,
}

/// Asks a server what it offers; beside it comes what of it was dropped or cut.
pub(crate) async fn ask(
    peer: &Peer<RoleClient>,
    choice: &ToolChoice,
) -> Result<(Catalogue, Vec<String>), ServiceError> {
    let mut notes = Vec::new();
    let mut catalogue = Catalogue::default();
    let capabilities = peer.peer_info().map(|info| info.capabilities.clone());
    // A server that doesn't say so may have tools all the same; one that has none says so when asked.
    match tools(peer, &mut notes).await {
        Ok(tools) => take_tools(tools, choice, &mut catalogue, &mut notes),
        Err(ServiceError::McpError(_))
            if capabilities.as_ref().is_some_and(|it| it.tools.is_none()) => {}
        Err(error) => return Err(error),
    }
    catalogue.has_resources = capabilities.is_some_and(|it| it.resources.is_some());
    if catalogue.has_resources {
        match resources(peer, &mut notes).await {
            Ok(resources) => catalogue.resources = resources.into_iter().map(offered).collect(),
            Err(ServiceError::McpError(error)) => {
                notes.push(format!("it can't list its resources: {}", error.message));
            }
            Err(error) => return Err(error),
        }
    }
    Ok((catalogue, notes))
}

async fn tools(
    peer: &Peer<RoleClient>,
    notes: &mut Vec<String>,
) -> Result<Vec<Tool>, ServiceError> {
    let mut tools = Vec::new();
    let mut cursor = None;
    for _ in 0..MOST_PAGES {
        let page = PaginatedRequestParams::default().with_cursor(cursor);
        let page = peer.list_tools(Some(page)).await?;
        tools.extend(page.tools);
        cursor = page.next_cursor;
        if cursor.is_none() || tools.len() > MOST {
            break;
        }
    }
    note_excess(tools.len(), cursor.is_some(), "tools", notes);
    tools.truncate(MOST);
    Ok(tools)
}

async fn resources(
    peer: &Peer<RoleClient>,
    notes: &mut Vec<String>,
) -> Result<Vec<Resource>, ServiceError> {
    let mut resources = Vec::new();
    let mut cursor = None;
    for _ in 0..MOST_PAGES {
        let page = PaginatedRequestParams::default().with_cursor(cursor);
        let page = peer.list_resources(Some(page)).await?;
        resources.extend(page.resources);
        cursor = page.next_cursor;
        if cursor.is_none() || resources.len() > MOST {
            break;
        }
    }
    note_excess(resources.len(), cursor.is_some(), "resources", notes);
    resources.truncate(MOST);
    Ok(resources)
}

fn note_excess(count: usize, goes_on: bool, what: &str, notes: &mut Vec<String>) {
    if count > MOST || goes_on {
        let taken = count.min(MOST);
        notes.push(format!(
            "it has more {what} than are taken; there are only the first {taken}"
        ));
    }
}

fn take_tools(
    tools: Vec<Tool>,
    choice: &ToolChoice,
    catalogue: &mut Catalogue,
    notes: &mut Vec<String>,
) {
    let names: Vec<String> = tools.iter().map(|tool| tool.name.to_string()).collect();
    for entry in choice.idle(&names) {
        notes.push(format!(
            "includeTools or excludeTools names the tool \"{entry}\", which the server doesn't have"
        ));
    }
    for tool in tools {
        let name = tool.name.to_string();
        if let Some(why) = choice.leaves_out(&name) {
            catalogue.left_out.push((name, why));
            continue;
        }
        let parameters = match schema::clean(&tool.input_schema) {
            Ok(parameters) => parameters,
            Err(why) => {
                notes.push(format!("its tool \"{name}\" is left out: {why}"));
                continue;
            }
        };
        let mut description = tool.description.unwrap_or_default().into_owned();
        if let Some((end, _)) = description.char_indices().nth(LONGEST_DESCRIPTION) {
            description.truncate(end);
            notes.push(format!(
                "the description of its tool \"{name}\" is cut after {LONGEST_DESCRIPTION} characters"
            ));
        }
        catalogue.tools.push(OfferedTool {
            name,
            description,
            parameters,
        });
    }
}

fn offered(resource: Resource) -> OfferedResource {
    OfferedResource {
        uri: resource.uri,
        name: resource.name,
        description: resource.description,
        mime_type: resource.mime_type,
    }
}
