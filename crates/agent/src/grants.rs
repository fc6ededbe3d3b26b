//! What the user allowed for the rest of the session (TO-6, "Allow always").

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hookloop_events::ToolCall;
use hookloop_tools::{Access, Declaration};

use hookloop_shell::{Command, quote};

use crate::command_line::{CommandLine, command, is_of};

/// The scope of "Allow always" for a call: the tool, or no more than necessary for a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionGrant {
    /// Every call of the tool.
    Tool(String),
    /// Simple commands of the tool that begin with these words.
    CommandPrefix {
        /// The tool.
        tool: String,
        /// The words.
        prefix: String,
    },
    /// Exactly this command line, because it consists of several commands.
    CommandLine {
        /// The tool.
        tool: String,
        /// The whole line.
        line: String,
    },
}

impl SessionGrant {
    /// Finds what "Allow always" means for a call of a tool.
    pub(crate) fn for_call(tool: &Declaration, call: &ToolCall) -> Self {
        let tool_name = tool.name.clone();
        let line = command(&call.arguments).trim();
        if tool.access != Access::Execute || line.is_empty() {
            return Self::Tool(tool_name);
        }
        match simple_prefix(line) {
            Some(prefix) => Self::CommandPrefix {
                tool: tool_name,
                prefix,
            },
            None => Self::CommandLine {
                tool: tool_name,
                line: line.to_owned(),
            },
        }
    }

    /// Returns whether it covers a whole call, whatever its command line contains.
    fn covers_call(&self, tool: &str, line: &CommandLine<'_>) -> bool {
        match self {
            Self::Tool(granted) => granted == tool,
            Self::CommandPrefix { .. } => false,
            Self::CommandLine {
                tool: granted,
                line: text,
            } => granted == tool && line.text.trim() == text,
        }
    }

    /// Returns whether it covers one command of a line.
    fn covers_command(&self, tool: &str, command: &Command, line: &str) -> bool {
        matches!(self, Self::CommandPrefix { tool: granted, prefix }
            if granted == tool && is_of(command, line, prefix))
    }
}

impl fmt::Display for SessionGrant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(tool) => write!(formatter, "every {tool}"),
            Self::CommandPrefix { prefix, .. } => write!(formatter, "commands \"{prefix} …\""),
            Self::CommandLine { .. } => formatter.write_str("this command line"),
        }
    }
}

/// Programs whose first argument determines what they do: a person who allows `git status` doesn't
/// allow `git push`.
const WITH_SUBCOMMANDS: [&str; 20] = [
    "apt", "brew", "bun", "cargo", "deno", "docker", "dotnet", "gh", "git", "go", "gradle", "helm",
    "kubectl", "make", "npm", "pip", "pnpm", "podman", "uv", "yarn",
];

/// Programs that run their arguments: allowing them by name would allow everything.
const RUNNERS: [&str; 26] = [
    "awk", "bash", "command", "dash", "doas", "env", "eval", "exec", "find", "fish", "ksh", "nice",
    "node", "nohup", "npx", "perl", "php", "python", "python3", "ruby", "sh", "ssh", "sudo",
    "timeout", "xargs", "zsh",
];

/// Returns the words that stand for a simple command: its program, with the subcommand if there is
/// one. Returns nothing if only the whole line can be allowed.
fn simple_prefix(line: &str) -> Option<String> {
    let understood = CommandLine::new(line);
    let mut commands = understood.commands();
    let (Some(command), None) = (commands.next(), commands.next()) else {
        return None;
    };
    // A command that no prefix may cover is permitted only in exactly this form.
    if !understood.is_permitted(|_, _| true) || RUNNERS.contains(&command.program.as_str()) {
        return None;
    }
    let program = command.program.as_str();
    // Quoted words don't make a readable prefix.
    if quote(program) != program || command.words.iter().any(|it| it.quoted) {
        return None;
    }
    if !WITH_SUBCOMMANDS.contains(&program) {
        return Some(program.to_owned());
    }
    let subcommand = command.words.get(1)?;
    (!subcommand.text.starts_with('-') && subcommand.known)
        .then(|| format!("{program} {}", subcommand.text))
}

/// The grants of a session. A hook that asks, a refusal and a required confirmation outweigh
/// them.
#[derive(Debug, Default)]
pub(crate) struct SessionGrants(Mutex<Vec<SessionGrant>>);

impl SessionGrants {
    pub(crate) fn add(&self, grant: SessionGrant) {
        let mut grants = self.grants();
        if !grants.contains(&grant) {
            grants.push(grant);
        }
    }

    /// Returns these grants and one more.
    pub(crate) fn with(&self, grant: SessionGrant) -> Self {
        let more = Self(Mutex::new(self.grants().clone()));
        more.add(grant);
        more
    }

    /// Withdraws all grants: another session begins.
    pub(crate) fn clear(&self) {
        self.grants().clear();
    }

    /// Returns whether they cover a whole call by themselves.
    pub(crate) fn cover(&self, tool: &str, line: &CommandLine<'_>) -> bool {
        self.cover_call(tool, line)
            || line.is_permitted(|command, text| self.cover_command(tool, command, text))
    }

    /// Returns whether one of them covers a whole call, whatever its command line holds.
    pub(crate) fn cover_call(&self, tool: &str, line: &CommandLine<'_>) -> bool {
        self.grants().iter().any(|it| it.covers_call(tool, line))
    }

    /// Returns whether one of them covers a command of a line.
    pub(crate) fn cover_command(&self, tool: &str, command: &Command, line: &str) -> bool {
        let grants = self.grants();
        grants
            .iter()
            .any(|it| it.covers_command(tool, command, line))
    }

    fn grants(&self) -> MutexGuard<'_, Vec<SessionGrant>> {
        // Every change is whole, so a poisoned lock guards nothing broken.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
