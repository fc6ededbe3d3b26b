//! What `--input` gives: JSON text, a file, or standard input (CM-5).

use std::io::Read;
use std::path::Path;

use hookloop_manage::CommandFailure;
use serde_json::{Map, Value};

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
