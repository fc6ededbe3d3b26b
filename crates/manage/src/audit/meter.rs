//! The program of the guard `cost-meter`: it adds up the tokens of a session, and stops the turn
//! when its budget is used up (HT-40).

use std::fs;
use std::io;
use std::path::Path;

use hookloop_host::{make_private_folder, private_options};
use hookloop_settings::bounded::read_file;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// The tokens of a session.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Meter {
    /// Those of completed responses.
    done: u64,
    /// Those of the current response.
    current: u64,
}

impl Meter {
    fn used(self) -> u64 {
        self.done.saturating_add(self.current)
    }

    /// Adds the usage of a chunk: services report the usage so far with every chunk, or all of it
    /// with the last one.
    fn add(&mut self, payload: &Value) {
        let text = |key: &str| payload.get(key).and_then(Value::as_str);
        if text("full_content") == text("content") {
            *self = Self {
                done: self.used(),
                current: 0,
            };
        }
        let total = payload
            .pointer("/llm_response/usageMetadata/totalTokenCount")
            .and_then(Value::as_u64);
        self.current = self.current.max(total.unwrap_or(0));
    }
}

/// Counts an event of a session, and returns the reply.
pub(super) fn count_event(
    folder: &Path,
    payload: &Value,
    budget: u64,
) -> io::Result<Option<Value>> {
    let text = |key: &str| payload.get(key).and_then(Value::as_str).unwrap_or("");
    make_private_folder(folder)?;
    // A session id may contain anything; its hash is a valid file name everywhere.
    let mut name = format!("{:x}", Sha256::digest(text("session_id").as_bytes()));
    name.truncate(24);
    let path = folder.join(format!("{name}.json"));
    let mut meter: Meter = match read_file(&path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(io::Error::other)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Meter::default(),
        Err(error) => return Err(error),
    };
    match text("hook_event_name") {
        "AfterModel" => {
            meter.add(payload);
            let new = folder.join(format!("{name}.new"));
            let file = private_options()
                .create(true)
                .truncate(true)
                .write(true)
                .open(&new)?;
            serde_json::to_writer(file, &meter)?;
            fs::rename(new, path)?;
            Ok(None)
        }
        "BeforeModel" if meter.used() >= budget => Ok(Some(json!({
            "continue": false,
            "stopReason": format!(
                "the budget of {budget} tokens is used up: this session has used {}",
                meter.used()
            ),
        }))),
        "AfterAgent" => Ok(Some(json!({
            "systemMessage": format!("{} of {budget} tokens used in this session", meter.used()),
        }))),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::count_event;

    /// HT-40: the tokens of all responses of a session are added up, each once however many chunks
    /// report them, and the budget stops the next request; other sessions have their own.
    #[test]
    fn tokens_are_added_up_to_the_budget() {
        let folder = tempfile::tempdir().unwrap();
        let count = |payload: Value| count_event(folder.path(), &payload, 50).unwrap();
        let chunk = |text: &str, whole: &str, total: u64| {
            count(json!({
                "hook_event_name": "AfterModel",
                "session_id": "s/1",
                "content": text,
                "full_content": whole,
                "llm_response": {"usageMetadata": {"totalTokenCount": total}},
            }))
        };
        let request =
            |session: &str| count(json!({"hook_event_name": "BeforeModel", "session_id": session}));
        chunk("a", "a", 10);
        chunk("b", "ab", 20);
        assert_eq!(request("s/1"), None);
        chunk("c", "c", 30);
        let stopped = request("s/1").unwrap();
        assert_eq!(stopped["continue"], false);
        assert!(stopped["stopReason"].as_str().unwrap().contains("50"));
        assert_eq!(request("s/2"), None);
    }
}
