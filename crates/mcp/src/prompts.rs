//! The prompts of servers, which a person calls as slash commands (TO-3, EV-4).

use std::collections::HashSet;

use hookloop_tools::{ErrorKind, ToolError};
use rmcp::model::{PromptMessage, Role};
use tokio_util::sync::CancellationToken;

use crate::listing::McpPrompt;
use crate::prompt_arguments;
use crate::result::block_text;
use crate::servers::McpServers;

/// The maximum length of a prompt's text, in bytes. A longer one isn't cut, because half a prompt
/// isn't what was asked for.
const MAX_PROMPT_BYTES: usize = 256 * 1024;

impl McpServers {
    /// Returns the prompts of all servers with the commands that call them, in the order of the
    /// settings (TO-3).
    ///
    /// A command has the name of its prompt. If `is_taken` or an earlier prompt has that name, it
    /// is called `server.prompt`. If that is taken too, the prompt is left out, and that is
    /// reported once.
    pub fn prompts(&self, is_taken: &dyn Fn(&str) -> bool) -> Vec<McpPrompt> {
        let mut prompts = Vec::new();
        let mut given = HashSet::new();
        for server in self.usable() {
            let name = &server.configuration.name;
            for offered in &server.catalogue().prompts {
                let short = command_name(&offered.name);
                let long = format!("{}.{short}", command_name(name));
                let names = [short, long.clone()];
                let is_free = |it: &String| !it.is_empty() && !is_taken(it) && !given.contains(it);
                let Some(command) = names.into_iter().find(is_free) else {
                    let what = format!("prompt \"{}\"", offered.name);
                    self.report_taken_name(server, what, &format!("/{long}"));
                    continue;
                };
                given.insert(command.clone());
                prompts.push(McpPrompt {
                    command,
                    server: name.clone(),
                    name: offered.name.clone(),
                    description: offered.description.clone(),
                    arguments: offered.arguments.clone(),
                });
            }
        }
        prompts
    }

    /// Requests the text of a prompt from a server, with the arguments as typed after the command
    /// (TO-3, EV-4).
    ///
    /// # Errors
    /// The arguments are wrong, or there is no text that can be sent: the server is gone or
    /// refuses, the text is empty or too long, or the call was cancelled.
    pub async fn prompt_text(
        &self,
        prompt: &McpPrompt,
        typed: &str,
        cancel: &CancellationToken,
    ) -> Result<String, ToolError> {
        let failed = |why: &str| {
            let message = format!("/{} wasn't sent: {why}", prompt.command);
            ToolError::new(ErrorKind::McpFailed, message)
        };
        let arguments =
            prompt_arguments::read(typed, &prompt.arguments).map_err(|why| failed(&why))?;
        let server = self
            .usable()
            .find(|it| it.configuration.name == prompt.server)
            .cloned()
            .ok_or_else(|| failed("its server is gone"))?;
        let asked = server.prompt(&prompt.name, arguments, cancel).await;
        let messages = asked.map_err(|error| match error.kind {
            ErrorKind::Cancelled => error,
            _ => failed(&error.message),
        })?;
        text(&messages).map_err(|why| failed(&why))
    }
}

/// Returns the name of a command, with characters replaced that can't be part of a slash command.
fn command_name(name: &str) -> String {
    let plain = |it: char| match it {
        it if it.is_alphanumeric() || "-_:.".contains(it) => it,
        _ => '-',
    };
    name.trim().chars().map(plain).collect()
}

/// Joins a prompt's messages into one text.
fn text(messages: &[PromptMessage]) -> Result<String, String> {
    let mut text = String::new();
    for message in messages {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        if message.role == Role::Assistant {
            text.push_str("[assistant]\n");
        }
        text.push_str(&block_text(&message.content));
        if text.len() > MAX_PROMPT_BYTES {
            return Err(format!(
                "the server's text is longer than {MAX_PROMPT_BYTES} bytes"
            ));
        }
    }
    if text.trim().is_empty() {
        return Err("the server's text is empty".to_owned());
    }
    Ok(text)
}
