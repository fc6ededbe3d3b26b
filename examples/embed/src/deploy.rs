//! What the bot does, and where outcomes have their effect.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::PathBuf;

use hookloop_engine::events::{BeforeToolOutcome, ToolArguments, ToolCall};
use hookloop_engine::{Cleared, SessionHooks};
use serde_json::Value;

use crate::screen::show;

/// One command for one target.
pub(crate) struct Step {
    pub(crate) command: &'static str,
    pub(crate) target: &'static str,
}

/// Goes through steps, one after another.
pub(crate) struct Bot<'a> {
    pub(crate) session: &'a SessionHooks,
    pub(crate) log: PathBuf,
}

impl Bot<'_> {
    /// Takes one step after another, until one is stopped.
    pub(crate) async fn take_all(&self, steps: &[Step]) -> io::Result<()> {
        for step in steps {
            self.take(step).await?;
        }
        Ok(())
    }

    /// Asks the hooks about a step, and does what they say.
    async fn take(&self, step: &Step) -> io::Result<()> {
        let name = format!("{} {}", step.command, step.target);
        // Hooks that were cancelled have decided nothing, and a step without a decision is not taken.
        let conclusion = self.session.before_tool(call(step), check).await;
        match conclusion.map_err(io::Error::other)?.outcome {
            BeforeToolOutcome::Proceed(cleared) => self.run(&cleared)?,
            // Nobody sits in front of a bot, and a question without an answer is a no.
            BeforeToolOutcome::Ask(_, reason) => {
                show(&format!("{name}: nobody can answer: {reason}"));
            }
            BeforeToolOutcome::Deny(reason, _) => {
                show(&format!("{name}: denied: {reason}"));
            }
            BeforeToolOutcome::Stop(reason) => {
                return Err(io::Error::other(format!("{name}: stopped: {reason}")));
            }
        }
        Ok(())
    }

    /// Runs a command. A call that its hooks have not seen does not compile here.
    fn run(&self, call: &Cleared<ToolCall>) -> io::Result<()> {
        let arguments = Value::Object(call.arguments.clone());
        if !call.changed_arguments.is_empty() {
            let changed = call.changed_arguments.join(", ");
            show(&format!("hooks changed {changed}"));
        }
        show(&format!("running {arguments}"));
        let mut log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.log)?;
        writeln!(log, "{arguments}")
    }
}

/// Looks at arguments that hooks changed: they are judged again only if they make sense.
fn check(call: &ToolCall) -> Result<(), String> {
    match call.arguments.get("command").and_then(Value::as_str) {
        Some(_) => Ok(()),
        None => Err("`command` must be a string".to_owned()),
    }
}

fn call(step: &Step) -> ToolCall {
    let mut arguments = ToolArguments::new();
    arguments.insert("command".to_owned(), step.command.into());
    arguments.insert("target".to_owned(), step.target.into());
    ToolCall {
        id: uuid::Uuid::new_v4().to_string(),
        name: "run_shell_command".to_owned(),
        arguments,
        mcp: None,
        original_request_name: None,
        changed_arguments: Vec::new(),
    }
}
