//! The JSON object of a command (`cli-json.md` §1, §3).

use std::path::Path;

use hookloop_hook::Problem;
use serde::Serialize;

use crate::failure::CommandFailure;

const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'a, T> {
    schema_version: u32,
    command: &'a str,
    project_dir: &'a str,
    #[serde(flatten)]
    body: T,
    diagnostics: &'a [Problem],
}

#[derive(Serialize)]
struct FailureDocument<'a> {
    schema_version: u32,
    command: &'a str,
    error: &'a CommandFailure,
}

#[derive(Serialize)]
struct PartDocument<T> {
    schema_version: u32,
    #[serde(flatten)]
    part: T,
}

/// Returns the object of a successful command, with a newline.
pub fn document(
    command: &str,
    project: &Path,
    problems: &[Problem],
    body: impl Serialize,
) -> Result<String, CommandFailure> {
    let document = Document {
        schema_version: SCHEMA_VERSION,
        command,
        project_dir: &project.to_string_lossy(),
        body,
        diagnostics: problems,
    };
    match serde_json::to_string(&document) {
        Ok(text) => Ok(text + "\n"),
        Err(error) => Err(CommandFailure::internal(format!(
            "the output can't be written: {error}"
        ))),
    }
}

/// Returns the object of a failed command, with a newline.
pub fn failure_document(command: &str, failure: &CommandFailure) -> String {
    let document = FailureDocument {
        schema_version: SCHEMA_VERSION,
        command,
        error: failure,
    };
    // Strings and lists of strings can always be serialised.
    serde_json::to_string(&document).unwrap_or_default() + "\n"
}

/// Returns one of several objects of a command that prints one per line. The content consists of
/// texts, numbers and parsed JSON.
pub fn part_document(part: impl Serialize) -> String {
    let document = PartDocument {
        schema_version: SCHEMA_VERSION,
        part,
    };
    serde_json::to_string(&document).unwrap_or_default() + "\n"
}
