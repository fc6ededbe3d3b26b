//! The file of a sub-agent.

use std::path::{Path, PathBuf};

use crate::files::text;
use crate::front_matter::{self, FrontMatter};
use crate::{SubAgent, ToolList};

/// The known keys of an agent's file.
const KEYS: [&str; 4] = ["name", "description", "tools", "model"];

/// The model name that means the session's model.
const INHERITED: &str = "inherit";

/// Reads the file of an agent, with what in it has no effect.
pub(super) fn read(file: &Path) -> Result<(SubAgent, Vec<AgentProblem>), AgentProblem> {
    let problem = |line, message: String| AgentProblem {
        file: file.to_path_buf(),
        line,
        message,
    };
    let broken = |line: Option<u32>, message: String| {
        problem(line, format!("{message}; the agent is left out"))
    };
    let content = text::read(file)
        .map_err(|error| broken(None, error.message))?
        .content;
    let head = front_matter::read(&content)
        .map_err(|(line, message)| broken(Some(line), message.to_owned()))?;
    let unused = check_keys(&head).map_err(|(line, message)| broken(Some(line), message))?;
    let missing = |key: &str| {
        let line = head.line(key).unwrap_or(1);
        broken(Some(line), format!("the front matter has no {key}"))
    };
    let name = head.text("name").ok_or_else(|| missing("name"))?;
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_".contains(letter);
    if !name.chars().all(is_plain) {
        let message =
            format!("the name \"{name}\" contains characters other than letters, digits, - and _");
        return Err(broken(head.line("name"), message));
    }
    let instruction = head.body.trim();
    if instruction.is_empty() {
        let message = "the file contains no instructions: they come after the front matter";
        return Err(broken(None, message.to_owned()));
    }
    let tools = tools(&head).map_err(|(line, message)| broken(Some(line), message))?;
    let agent = SubAgent {
        name,
        description: head
            .text("description")
            .ok_or_else(|| missing("description"))?,
        tools,
        model: head.text("model").filter(|model| model != INHERITED),
        instruction: instruction.to_owned(),
        file: file.to_path_buf(),
    };
    let unused = unused.into_iter();
    let unused = unused.map(|(line, message)| problem(Some(line), message));
    Ok((agent, unused.collect()))
}

fn tools(head: &FrontMatter<'_>) -> Result<Option<ToolList>, (u32, String)> {
    let line = head.line("tools").unwrap_or(1);
    match head.list("tools") {
        None => Ok(None),
        Some(Ok(names)) => Ok(Some(ToolList { names, line })),
        Some(Err(what)) => Err((line, what.to_owned())),
    }
}

/// Checks that each line of the head can be parsed, and that no key is repeated: an agent must not
/// have more tools than its file was meant to give it. Unknown keys are named.
fn check_keys(head: &FrontMatter<'_>) -> Result<Vec<(u32, String)>, (u32, String)> {
    let mut seen = Vec::new();
    let mut unused = Vec::new();
    for beginning in head.beginnings() {
        let line = beginning.line;
        let Some(key) = beginning.key else {
            return Err((line, "the line isn't a \"key: value\"".to_owned()));
        };
        if seen.contains(&key) {
            return Err((line, format!("the key \"{key}\" appears here again")));
        }
        seen.push(key);
        let is_remote = key == "kind" && head.text(key).is_some_and(|kind| kind != "local");
        if is_remote {
            return Err((
                line,
                "only agents of the kind \"local\" can be used".to_owned(),
            ));
        }
        if !KEYS.contains(&key) && key != "kind" {
            let known = KEYS.join(", ");
            unused.push((
                line,
                format!("\"{key}\" has no effect; the known keys are {known}"),
            ));
        }
    }
    Ok(unused)
}

/// A problem with an agent's file, and whether the agent was left out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {message}", .file.display(), .line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct AgentProblem {
    /// The file or folder.
    pub file: PathBuf,
    /// The line, from 1, if the problem is in a line.
    pub line: Option<u32>,
    /// What is wrong.
    pub message: String,
}
