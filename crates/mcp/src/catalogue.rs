//! What a server offers: its tools, resources and prompts, requested page by page.

use rmcp::model::{PaginatedRequestParams, Prompt, Resource, Tool};
use rmcp::service::{Peer, RoleClient, ServiceError};
use serde_json::Value;

use crate::configuration::ToolChoice;
use crate::listing::McpPromptArgument;
use crate::schema;

/// The maximum number of tools, of resources and of prompts that are accepted from one server.
const MAX_ITEMS: usize = 500;

/// How many arguments a prompt may have.
const MAX_ARGUMENTS: usize = 50;

/// The maximum number of pages of a list that are requested.
const MAX_PAGES: usize = 100;

/// How long a description may be, in characters.
const MAX_DESCRIPTION_LENGTH: usize = 8 * 1024;

/// What a server offers.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Catalogue {
    pub(crate) tools: Vec<OfferedTool>,
    pub(crate) resources: Vec<OfferedResource>,
    /// Whether the server supports resources, even if it has none now.
    pub(crate) has_resources: bool,
    pub(crate) prompts: Vec<OfferedPrompt>,
    /// The tools that the settings exclude, each with the reason.
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

/// A prompt of a server.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OfferedPrompt {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) arguments: Vec<McpPromptArgument>,
}

/// Requests what a server offers; also returns notes about what was dropped or cut.
pub(crate) async fn ask(
    peer: &Peer<RoleClient>,
    choice: &ToolChoice,
) -> Result<(Catalogue, Vec<String>), ServiceError> {
    let mut notes = Vec::new();
    let mut catalogue = Catalogue::default();
    let capabilities = peer.peer_info().map(|info| info.capabilities.clone());
    // A server may have tools without declaring them; one without tools refuses the request.
    let tools = pages("tools", &mut notes, |page| async move {
        let page = peer.list_tools(Some(page)).await?;
        Ok((page.tools, page.next_cursor))
    });
    match tools.await {
        Ok(tools) => take_tools(tools, choice, &mut catalogue, &mut notes),
        Err(ServiceError::McpError(_))
            if capabilities.as_ref().is_some_and(|it| it.tools.is_none()) => {}
        Err(error) => return Err(error),
    }
    let capabilities = capabilities.unwrap_or_default();
    catalogue.has_resources = capabilities.resources.is_some();
    if catalogue.has_resources {
        let resources = pages("resources", &mut notes, |page| async move {
            let page = peer.list_resources(Some(page)).await?;
            Ok((page.resources, page.next_cursor))
        });
        let resources = or_none(resources.await, "resources", &mut notes)?;
        catalogue.resources = resources.into_iter().map(to_offered).collect();
    }
    if capabilities.prompts.is_some() {
        let prompts = pages("prompts", &mut notes, |page| async move {
            let page = peer.list_prompts(Some(page)).await?;
            Ok((page.prompts, page.next_cursor))
        });
        let prompts = or_none(prompts.await, "prompts", &mut notes)?;
        take_prompts(prompts, &mut catalogue, &mut notes);
    }
    Ok((catalogue, notes))
}

/// Requests a list page by page.
async fn pages<T, F>(
    what: &str,
    notes: &mut Vec<String>,
    ask: impl Fn(PaginatedRequestParams) -> F,
) -> Result<Vec<T>, ServiceError>
where
    F: Future<Output = Result<(Vec<T>, Option<String>), ServiceError>>,
{
    let mut all = Vec::new();
    let mut cursor = None;
    for _ in 0..MAX_PAGES {
        let page = PaginatedRequestParams::default().with_cursor(cursor);
        let (items, next) = ask(page).await?;
        all.extend(items);
        cursor = next;
        if cursor.is_none() || all.len() > MAX_ITEMS {
            break;
        }
    }
    note_excess(all.len(), cursor.is_some(), what, notes);
    all.truncate(MAX_ITEMS);
    Ok(all)
}

/// Treats a list that the server refuses as empty.
fn or_none<T>(
    listed: Result<Vec<T>, ServiceError>,
    what: &str,
    notes: &mut Vec<String>,
) -> Result<Vec<T>, ServiceError> {
    match listed {
        Err(ServiceError::McpError(error)) => {
            notes.push(format!("it can't list its {what}: {}", error.message));
            Ok(Vec::new())
        }
        listed => listed,
    }
}

fn note_excess(count: usize, goes_on: bool, what: &str, notes: &mut Vec<String>) {
    if count > MAX_ITEMS || goes_on {
        let used = count.min(MAX_ITEMS);
        notes.push(format!(
            "it has too many {what}; only these are used: the first {used}"
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
        let description = tool.description.unwrap_or_default().into_owned();
        let what = format!("tool \"{name}\"");
        let description = cut(description, &what, notes);
        catalogue.tools.push(OfferedTool {
            name,
            description,
            parameters,
        });
    }
}

fn to_offered(resource: Resource) -> OfferedResource {
    OfferedResource {
        uri: resource.uri,
        name: resource.name,
        description: resource.description,
        mime_type: resource.mime_type,
    }
}

fn take_prompts(prompts: Vec<Prompt>, catalogue: &mut Catalogue, notes: &mut Vec<String>) {
    for prompt in prompts {
        let what = format!("prompt \"{}\"", prompt.name);
        let arguments = prompt.arguments.unwrap_or_default();
        if arguments.len() > MAX_ARGUMENTS {
            notes.push(format!(
                "its {what} is left out: it has more than {MAX_ARGUMENTS} arguments"
            ));
            continue;
        }
        let mut described = |text: Option<String>| cut(text.unwrap_or_default(), &what, notes);
        let description = described(prompt.description.or(prompt.title));
        let arguments = arguments.into_iter().map(|argument| McpPromptArgument {
            description: described(argument.description.or(argument.title)),
            name: argument.name,
            is_required: argument.required.unwrap_or_default(),
        });
        catalogue.prompts.push(OfferedPrompt {
            arguments: arguments.collect(),
            name: prompt.name,
            description,
        });
    }
}

/// Cuts a description that is too long, and notes that.
fn cut(mut description: String, what: &str, notes: &mut Vec<String>) -> String {
    if let Some((end, _)) = description.char_indices().nth(MAX_DESCRIPTION_LENGTH) {
        description.truncate(end);
        notes.push(format!(
            "the description of its {what} is cut off after {MAX_DESCRIPTION_LENGTH} characters"
        ));
    }
    description
}
