//! What is given about the event: its subject, and keys of its payload (CM-5).

use std::io::Read;
use std::path::Path;

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use hookloop_engine::meant_tool;
use hookloop_events::EventName;
use hookloop_manage::{CommandFailure, Subject};
use hookloop_text::visible;
use serde_json::{Map, Value};

use crate::names::tool_names;

/// Contains what matchers are compared with.
#[derive(Debug, Clone, Args)]
pub(crate) struct SubjectArguments {
    /// The tool, for `BeforeTool` and `AfterTool`
    #[arg(long, value_name = "NAME", add = ArgValueCompleter::new(tool_names))]
    pub(crate) tool: Option<String>,
    /// The source, reason, trigger or type, for the other events that have one
    #[arg(long)]
    pub(crate) trigger: Option<String>,
}

impl SubjectArguments {
    /// Returns the subject that is given for an event.
    pub(crate) fn of(&self, event: EventName) -> Result<Subject<'_>, CommandFailure> {
        Subject::from_arguments(event, self.tool.as_deref(), self.trigger.as_deref())
    }

    /// Returns a warning if the tool's name looks like a mistake: matchers are compared with our
    /// names, so a hook that guards the tool would seem to be off.
    pub(crate) fn doubt(&self) -> Option<String> {
        let tool = self.tool.as_deref()?;
        let meant = meant_tool(tool)?;
        let tool = visible(tool);
        Some(format!(
            "no built-in tool is named \"{tool}\"; did you mean \"{meant}\"?"
        ))
    }
}

/// Reads the keys that replace those of the payload; none without input.
pub(crate) fn read(
    input: Option<&str>,
    current_dir: &Path,
) -> Result<Map<String, Value>, CommandFailure> {
    let text = match input {
        None => return Ok(Map::new()),
        Some("-") => {
            let mut text = String::new();
            std::io::stdin()
                .lock()
                .read_to_string(&mut text)
                .map_err(|error| {
                    CommandFailure::bad_input(format!("standard input can't be read: {error}"))
                })?;
            text
        }
        Some(text) => match text.strip_prefix('@') {
            None => text.to_owned(),
            Some(file) => std::fs::read_to_string(current_dir.join(file)).map_err(|error| {
                CommandFailure::bad_input(format!("{file} can't be read: {error}"))
            })?,
        },
    };
    let text = text.trim_start_matches('\u{FEFF}');
    match serde_json::from_str(text) {
        Ok(Value::Object(given)) => Ok(given),
        Ok(_) => Err(CommandFailure::bad_input(
            "the input is JSON, but not an object",
        )),
        Err(error) => Err(CommandFailure::bad_input(format!(
            "the input isn't JSON: {error}"
        ))),
    }
}
