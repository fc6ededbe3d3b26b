//! The commands of a session in another program: custom commands (TU-5), and prompts of MCP servers
//! (TO-3).

use hookloop_agent::Session;
use tokio_util::sync::CancellationToken;

use crate::custom_commands::{CustomCommands, Expanded, Unsent, call, expand};
use crate::hosted_prompt::{HostedCommand, HostedPrompt};
use crate::mcp::Mcp;

/// Lists the commands.
pub(crate) fn list_commands(custom: &CustomCommands, mcp: &Mcp) -> Vec<HostedCommand> {
    let of_files = custom.all().map(|it| HostedCommand {
        name: it.name.clone(),
        description: it.note(),
        hint: it.takes_arguments().then(|| "arguments".to_owned()),
    });
    let of_servers = mcp.hosted_commands(&|name| custom.has_taken(name));
    of_files.chain(of_servers).collect()
}

/// Where commands come from.
#[derive(Clone, Copy)]
pub(crate) struct Commands<'a> {
    /// Files of people.
    pub(crate) custom: &'a CustomCommands,
    /// Servers with their prompts.
    pub(crate) mcp: &'a Mcp,
}

/// Expands a prompt that calls a command; any other prompt stays as it is.
pub(crate) async fn expand_hosted(
    session: &mut Session,
    prompt: &HostedPrompt,
    commands: Commands<'_>,
    cancel: &CancellationToken,
) -> Result<Expanded, Unsent> {
    let Commands { custom, mcp } = commands;
    // Only the typed text can name a command, not what was attached to it.
    let typed = call(&prompt.typed).map(|(_, arguments)| arguments);
    if let (Some((command, arguments)), Some(typed)) = (custom.match_prompt(&prompt.text), typed) {
        let made = expand(session, command, arguments, cancel).await?;
        let of_command = made.typed.strip_prefix(arguments).unwrap_or(&made.typed);
        return Ok(Expanded {
            typed: format!("{typed}{of_command}"),
            ..made
        });
    }
    let is_taken = |name: &str| custom.has_taken(name);
    if let Some((called, arguments)) = mcp.match_prompt(&prompt.text, &is_taken) {
        return mcp.expand(&called, arguments, cancel).await;
    }
    Ok(Expanded {
        prompt: prompt.text.clone(),
        typed: prompt.typed.clone(),
    })
}
