//! Reads a transcript, to resume its session (SE-10, SE-11).

use std::io;
use std::path::Path;
use std::sync::Arc;

use hookloop_model::{Content, FunctionCall, FunctionResponse};
use hookloop_settings::bounded::read_lines;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::said_by_user::said_by_user;

/// A session, as read from its transcript.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSession {
    /// The session's id.
    pub session_id: String,
    /// When it started, in ISO 8601, UTC.
    pub started_at: String,
    /// The user's first prompt, if there was one.
    pub first_prompt: Option<String>,
    /// The history for the model.
    pub history: Vec<Arc<Content>>,
}

/// The lines of a transcript that matter for continuing.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum StoredEntry {
    Session {
        session_id: String,
        timestamp: String,
    },
    Message {
        content: Content,
        agent_id: Option<String>,
    },
    ContextCleared {
        agent_id: Option<String>,
    },
    Rewound {
        messages: usize,
        agent_id: Option<String>,
    },
    ToolCall {
        #[serde(default)]
        response: Option<FunctionResponse>,
        agent_id: Option<String>,
    },
    Compressed {
        history: Vec<Content>,
        agent_id: Option<String>,
    },
    #[serde(other)]
    Other,
}

/// Reads a transcript. An incomplete last line, from a crash, is ignored; any other line that can't
/// be parsed is an error that names the line.
pub fn read_transcript(path: &Path) -> io::Result<StoredSession> {
    let mut reading = Reading::default();
    let mut lines = read_lines(path)?.enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        let line = line?;
        match serde_json::from_slice(&line) {
            Ok(entry) => reading.take(entry),
            Err(_) if lines.peek().is_none() => break,
            Err(error) => {
                let what = format!("line {} can't be read: {error}", index + 1);
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
        }
    }
    reading.finish()
}

#[derive(Default)]
struct Reading {
    session: Option<(String, String)>,
    first_prompt: Option<String>,
    history: Vec<Arc<Content>>,
    /// Results of calls for which the message with all results hasn't come.
    results: Vec<FunctionResponse>,
}

impl Reading {
    fn take(&mut self, entry: StoredEntry) {
        match entry {
            StoredEntry::Session {
                session_id,
                timestamp,
            } => {
                self.session.get_or_insert((session_id, timestamp));
            }
            // A sub-agent's conversation isn't part of the session's own (TO-4).
            StoredEntry::Message {
                agent_id: Some(_), ..
            }
            | StoredEntry::ToolCall {
                agent_id: Some(_), ..
            }
            | StoredEntry::ContextCleared { agent_id: Some(_) }
            | StoredEntry::Rewound {
                agent_id: Some(_), ..
            }
            | StoredEntry::Compressed {
                agent_id: Some(_), ..
            }
            | StoredEntry::Other => {}
            StoredEntry::Message { content, .. } => {
                if self.first_prompt.is_none() {
                    self.first_prompt = said_by_user(&content);
                }
                if content.function_responses().next().is_none() {
                    self.answer_open_calls();
                }
                self.results.clear();
                self.history.push(Arc::new(content));
            }
            StoredEntry::ToolCall { response, .. } => self.results.extend(response),
            StoredEntry::ContextCleared { .. } => self.history.clear(),
            StoredEntry::Rewound { messages, .. } => {
                self.results.clear();
                self.history.truncate(messages);
            }
            StoredEntry::Compressed { history, .. } => {
                self.history = history.into_iter().map(Arc::new).collect();
            }
        }
    }

    fn finish(mut self) -> io::Result<StoredSession> {
        self.answer_open_calls();
        let (session_id, started_at) = self.session.ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                "the transcript has no first line",
            )
        })?;
        let first_prompt = self.first_prompt;
        Ok(StoredSession {
            session_id,
            started_at,
            first_prompt,
            history: self.history,
        })
    }

    /// Answers calls that the end of the session left open: a model refuses a history in which a
    /// call has no response. Existing results are in the transcript in the order of the calls.
    fn answer_open_calls(&mut self) {
        let Some(last) = self.history.last() else {
            return;
        };
        let mut results = self.results.drain(..);
        let responses: Vec<FunctionResponse> = last
            .function_calls()
            .map(|call| results.next().unwrap_or_else(|| unanswered_response(call)))
            .collect();
        drop(results);
        if !responses.is_empty() {
            self.history.push(Arc::new(Content::responses(responses)));
        }
    }
}

fn unanswered_response(call: &FunctionCall) -> FunctionResponse {
    let why = "no result: the session ended while the tool ran";
    call.respond(Map::from_iter([("error".to_owned(), Value::from(why))]))
}

#[cfg(test)]
mod tests;
