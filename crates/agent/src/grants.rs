//! What the user allowed for the rest of the session (TO-6, "Allow always").

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hookloop_events::{ToolArguments, ToolCall};
use hookloop_tools::{Access, Declaration};

use crate::command_line::{command, covers_command, is_simple};

/// What "Allow always" means for a call: the tool, or for a command no more than it has to.
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
    /// This command line and no other: it is made of several commands.
    CommandLine {
        /// The tool.
        tool: String,
        /// The whole line.
        line: String,
    },
}

impl SessionGrant {
    /// Finds what "Allow always" means for a call of a tool.
    pub(crate) fn of_call(tool: &Declaration, call: &ToolCall) -> Self {
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

    fn covers(&self, tool: &str, arguments: &ToolArguments) -> bool {
        match self {
            Self::Tool(granted) => granted == tool,
            Self::CommandPrefix {
                tool: granted,
                prefix,
            } => granted == tool && covers_command(command(arguments), prefix),
            Self::CommandLine {
                tool: granted,
                line,
            } => granted == tool && command(arguments).trim() == line,
        }
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

/// Programs whose first argument says what they do: who allows `git status` does not allow
/// `git push`.
const WITH_SUBCOMMANDS: [&str; 20] = [
    "apt", "brew", "bun", "cargo", "deno", "docker", "dotnet", "gh", "git", "go", "gradle", "helm",
    "kubectl", "make", "npm", "pip", "pnpm", "podman", "uv", "yarn",
];

/// Programs that run what they are given: to allow them by name would allow everything.
const RUNNERS: [&str; 26] = [
    "awk", "bash", "command", "dash", "doas", "env", "eval", "exec", "find", "fish", "ksh", "nice",
    "node", "nohup", "npx", "perl", "php", "python", "python3", "ruby", "sh", "ssh", "sudo",
    "timeout", "xargs", "zsh",
];

/// Returns the words that stand for a simple command: its program, with the subcommand where
/// there is one. Nothing is returned where only the whole line can be allowed.
fn simple_prefix(line: &str) -> Option<String> {
    if !is_simple(line) || line.contains(['\'', '"', '\\']) {
        return None;
    }
    let mut words = line.split(' ');
    let program = words.next()?;
    let name = program.rsplit('/').next().unwrap_or(program);
    // An assignment in front is part of what was allowed.
    if program.contains('=') || RUNNERS.contains(&name) {
        return None;
    }
    if !WITH_SUBCOMMANDS.contains(&name) {
        return Some(program.to_owned());
    }
    let subcommand = words.next().filter(|word| !word.starts_with('-'))?;
    Some(format!("{program} {subcommand}"))
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

    /// Takes all grants back: another session begins.
    pub(crate) fn clear(&self) {
        self.grants().clear();
    }

    pub(crate) fn cover(&self, tool: &str, arguments: &ToolArguments) -> bool {
        self.grants().iter().any(|it| it.covers(tool, arguments))
    }

    fn grants(&self) -> MutexGuard<'_, Vec<SessionGrant>> {
        // Every change is whole, so a poisoned lock guards nothing broken.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
