//! Refuses shell commands whose program is on a list (`BeforeTool` for `run_shell_command`).
//!
//! The list is the file `blocked-programs.txt`, one name a line, which the entry's `grants` let it
//! read. Without it a few names are here.

use serde_json::Value;

wit_bindgen::generate!({ path: "../../../wit", world: "hook" });

const LIST: &str = "blocked-programs.txt";
const USUAL: &str = "curl\nwget\nnc\nssh\nscp\n";

struct CommandGuard;

impl Guest for CommandGuard {
    fn handle(payload: String) -> Reply {
        let Ok(payload) = serde_json::from_str::<Value>(&payload) else {
            return Reply::Refuse("the command guard can't read the call".to_owned());
        };
        let Some(command) = payload["tool_input"]["command"].as_str() else {
            return Reply::None;
        };
        let list = std::fs::read_to_string(LIST).unwrap_or_else(|error| {
            log("info", &format!("{LIST}: {error}; the usual names count"));
            USUAL.to_owned()
        });
        let is_end = |sign: char| !(sign.is_ascii_alphanumeric() || "._-".contains(sign));
        let blocked: Vec<&str> = list.lines().map(str::trim).filter(|it| !it.is_empty()).collect();
        // A word anywhere counts: this guard would rather refuse too much.
        match command.split(is_end).find(|word| blocked.contains(word)) {
            Some(word) => Reply::Refuse(format!(
                "`{word}` isn't run here; ask the person to run it, or do without it"
            )),
            None => Reply::None,
        }
    }
}

export!(CommandGuard);
