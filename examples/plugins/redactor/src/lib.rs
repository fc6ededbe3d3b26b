//! Takes e-mail addresses and keys out of what the model says, before anybody reads it
//! (`AfterModel`).

use serde_json::{Value, json};

wit_bindgen::generate!({ path: "../../../wit", world: "hook" });

struct Redactor;

impl Guest for Redactor {
    fn handle(payload: String) -> Reply {
        let Ok(payload) = serde_json::from_str::<Value>(&payload) else {
            // What can't be read can't be cleaned.
            return Reply::Refuse("the redactor can't read the response".to_owned());
        };
        let Some(content) = payload["content"].as_str() else {
            return Reply::None;
        };
        let cleaned = redacted(content);
        if cleaned == content {
            return Reply::None;
        }
        log("info", "something was taken out of the response");
        let reply = json!({
            "hookSpecificOutput": {
                "hookEventName": "AfterModel",
                "llm_response": {
                    "candidates": [{ "content": { "role": "model", "parts": [cleaned] } }],
                },
            },
        });
        Reply::Reply(reply.to_string())
    }
}

/// Replaces each word that is an address or a key.
fn redacted(text: &str) -> String {
    text.split_inclusive(char::is_whitespace)
        .map(|word| {
            let bare = word.trim_matches(|sign: char| !sign.is_ascii_alphanumeric());
            if !bare.is_empty() && (is_address(bare) || is_key(bare)) {
                word.replace(bare, "[redacted]")
            } else {
                word.to_owned()
            }
        })
        .collect()
}

fn is_address(word: &str) -> bool {
    word.split_once('@')
        .is_some_and(|(name, host)| !name.is_empty() && host.contains('.'))
}

fn is_key(word: &str) -> bool {
    const BEGINNINGS: [&str; 5] = ["sk-", "ghp_", "AKIA", "xoxb-", "AIza"];
    word.len() >= 16 && BEGINNINGS.iter().any(|it| word.starts_with(it))
}

export!(Redactor);
