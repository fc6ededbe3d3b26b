//! The object around what a command has to say (`cli-json.md` §1, §3).

use hookloop_hook::Problem;
use hookloop_manage::CommandFailure;
use serde::Serialize;

use crate::commands::{Beside, Named};

pub(crate) const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'a, T> {
    schema_version: u32,
    command: &'static str,
    project_dir: &'a str,
    #[serde(flatten)]
    body: T,
    diagnostics: &'a [Problem],
}

#[derive(Serialize)]
struct FailureDocument<'a> {
    schema_version: u32,
    command: &'static str,
    error: &'a CommandFailure,
}

/// Returns the object of a command that did its work, with a newline.
pub(crate) fn document(
    command: Named,
    beside: Beside<'_>,
    body: impl Serialize,
) -> Result<String, CommandFailure> {
    let document = Document {
        schema_version: SCHEMA_VERSION,
        command: command.0,
        project_dir: &beside.project.to_string_lossy(),
        body,
        diagnostics: beside.problems,
    };
    match serde_json::to_string(&document) {
        Ok(text) => Ok(text + "\n"),
        Err(error) => Err(CommandFailure::internal(format!(
            "the output can't be written: {error}"
        ))),
    }
}

/// Returns the object of a command that could not do its work, with a newline.
pub(crate) fn failure_document(command: Named, failure: &CommandFailure) -> String {
    let document = FailureDocument {
        schema_version: SCHEMA_VERSION,
        command: command.0,
        error: failure,
    };
    // Texts and lists of texts can always be written.
    serde_json::to_string(&document).unwrap_or_default() + "\n"
}
