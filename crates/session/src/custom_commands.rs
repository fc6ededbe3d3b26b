//! Commands that the user, the project and extensions define in files (TU-5): `/name ARGUMENTS` is
//! a prompt.

mod discovery;
mod listing;
mod template;

use std::collections::BTreeMap;
use std::path::PathBuf;

use hookloop_agent::{Session, TurnEnd};
use tokio_util::sync::CancellationToken;

use crate::custom_commands::template::{Step, Template};
use crate::environment::Environment;
use crate::workspace::Workspace;

/// Whose a command is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    User,
    Project,
    Extension(String),
}

/// A command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CustomCommand {
    /// Its name without the slash, such as `git:commit`.
    pub(crate) name: String,
    description: Option<String>,
    origin: Origin,
    file: PathBuf,
    template: Template,
}

impl CustomCommand {
    /// Returns whether it has a place for what is written after its name.
    pub(crate) fn takes_arguments(&self) -> bool {
        self.template.takes_arguments()
    }

    /// Returns what it does, and whose it is if it isn't the user's.
    pub(crate) fn note(&self) -> String {
        let what = match &self.description {
            Some(text) => text.lines().next().unwrap_or_default().to_owned(),
            None => format!("from {}", self.file.display()),
        };
        match &self.origin {
            Origin::User => what,
            Origin::Project => format!("[project] {what}"),
            Origin::Extension(name) => format!("[{name}] {what}"),
        }
    }
}

/// The commands of a session.
#[derive(Debug, Clone, Default)]
pub(crate) struct CustomCommands(BTreeMap<String, CustomCommand>);

impl CustomCommands {
    /// Finds them; what is wrong with any of them is reported.
    pub(crate) fn find(
        environment: &Environment,
        workspace: &Workspace,
        tell: &mut dyn FnMut(String),
    ) -> Self {
        Self(discovery::find(environment, workspace, tell))
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &CustomCommand> {
        self.0.values()
    }

    pub(crate) fn by_name(&self, name: &str) -> Option<&CustomCommand> {
        self.0.get(name)
    }

    /// Finds the command that a prompt calls, with what was written after its name.
    pub(crate) fn match_prompt<'p>(&self, prompt: &'p str) -> Option<(&CustomCommand, &'p str)> {
        let (name, arguments) = call(prompt)?;
        Some((self.by_name(name)?, arguments))
    }

    /// Returns whether a name is that of one of them, or of a command of the session.
    pub(crate) fn has_taken(&self, name: &str) -> bool {
        is_reserved(name) || self.0.contains_key(name)
    }
}

/// Returns whether a name is that of a command of the session.
pub(crate) fn is_reserved(name: &str) -> bool {
    discovery::RESERVED.contains(&name)
}

/// Splits a text that calls a command into its name and what was written after it.
pub(crate) fn call(text: &str) -> Option<(&str, &str)> {
    let line = text.trim().strip_prefix('/')?;
    let (name, arguments) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    Some((name, arguments.trim()))
}

/// A prompt that a command made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Expanded {
    /// All of it.
    pub(crate) prompt: String,
    /// The part in which `@path` refers to a file: the output of a shell command is material, and
    /// an `@` in it is text.
    pub(crate) typed: String,
}

/// Why nothing of a command is sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Unsent {
    /// A shell command of it may not run, or can't: which one, and why.
    Refused(String),
    /// The user or a hook ended it; that has been shown.
    Ended(TurnEnd),
}

/// Makes the prompt of a command. Its shell commands pass hooks, policy and the user's consent; if
/// one may not run, nothing is sent: half a prompt isn't what was wanted.
pub(crate) async fn expand(
    session: &mut Session,
    command: &CustomCommand,
    arguments: &str,
    cancel: &CancellationToken,
) -> Result<Expanded, Unsent> {
    let name = &command.name;
    let typed = format!("/{name} {arguments}");
    let mut expanded = Expanded {
        prompt: String::new(),
        typed: arguments.to_owned(),
    };
    for step in command.template.steps(arguments, typed.trim()) {
        match step {
            Step::Text(text) => expanded.prompt.push_str(&text),
            Step::File(path) => {
                let mention = format!("@{}", path.replace(' ', "\\ "));
                expanded.typed.push(' ');
                expanded.typed.push_str(&mention);
                expanded.prompt.push_str(&mention);
            }
            Step::Shell(shell) => {
                let ran = session.run_for_prompt(&shell, cancel.clone()).await;
                match ran.map_err(Unsent::Ended)? {
                    Ok(output) => expanded.prompt.push_str(&output),
                    Err(why) => {
                        return Err(Unsent::Refused(format!(
                            "/{name} wasn't sent: its command `{shell}` didn't run: {why}"
                        )));
                    }
                }
            }
        }
    }
    Ok(expanded)
}

#[cfg(all(test, feature = "terminal"))]
mod tests {
    use super::discovery::RESERVED;

    /// TU-5: no file can use the name of one of the session's own commands, in any build.
    #[test]
    fn names_of_the_session_are_reserved() {
        let names = hookloop_tui::SlashCommand::ALL.map(hookloop_tui::SlashCommand::name);
        for name in names.into_iter().chain(["exit", "restore"]) {
            assert!(RESERVED.contains(&name), "{name}");
        }
        assert_eq!(RESERVED.len(), names.len() + 2);
    }
}
