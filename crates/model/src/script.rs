//! Scripted responses: a file of JSON lines, one for each model call (MO-3, MO-5).

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::call::Method;
use crate::chunk::Chunk;
use crate::error::ScriptError;

/// Methods of Gemini's API that recordings of other agents contain, and this one never calls.
const FOREIGN_METHODS: &[&str] = &["countTokens", "embedContent"];

/// Scripted responses, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    /// The file, for messages.
    pub(crate) path: PathBuf,
    /// The remaining responses.
    pub(crate) answers: VecDeque<ScriptedAnswer>,
    /// Which response a call gets.
    pub(crate) matching: Matching,
}

/// Which scripted response a call gets (MO-3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matching {
    /// The next one. If it is for the other method, the call fails.
    Strict,
    /// The next one for the call's method. Lines for the other method wait for their own calls, and
    /// lines for methods that this agent never calls are skipped.
    ByMethod,
}

/// One scripted response.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ScriptedAnswer {
    /// Its line, from 1.
    pub(crate) line: usize,
    /// Its content.
    pub(crate) answer: Answer,
}

/// A model's response, in the form of a script's line.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "method", content = "response")]
pub(crate) enum Answer {
    /// In chunks.
    #[serde(rename = "generateContentStream")]
    Stream(Vec<Chunk>),
    /// Whole.
    #[serde(rename = "generateContent")]
    Whole(Box<Chunk>),
}

/// A line as it is in the file.
#[derive(Deserialize)]
struct Line {
    method: String,
    response: Value,
}

impl Script {
    /// Loads a script (MO-3).
    ///
    /// # Errors
    /// The file can't be read, or one of its lines isn't a response.
    pub fn load(path: &Path, matching: Matching) -> Result<Self, ScriptError> {
        let text = fs::read_to_string(path).map_err(|source| ScriptError::Read {
            path: path.to_owned(),
            source,
        })?;
        Self::parse(path, &text, matching)
    }

    /// Parses the text of a script; `path` is used in messages. Blank lines are skipped.
    ///
    /// # Errors
    /// A line isn't a response.
    pub fn parse(path: &Path, text: &str, matching: Matching) -> Result<Self, ScriptError> {
        let mut script = Self {
            path: path.to_owned(),
            answers: VecDeque::new(),
            matching,
        };
        for (index, content) in text.lines().enumerate() {
            if content.trim().is_empty() {
                continue;
            }
            let line = index + 1;
            let problem = |problem| ScriptError::Line {
                path: path.to_owned(),
                line,
                problem,
            };
            if let Some(answer) = read_line(content, matching).map_err(problem)? {
                script.answers.push_back(ScriptedAnswer { line, answer });
            }
        }
        Ok(script)
    }
}

impl Answer {
    pub(crate) fn method(&self) -> Method {
        match self {
            Self::Stream(_) => Method::Stream,
            Self::Whole(_) => Method::Whole,
        }
    }

    /// Returns the chunks, or itself if it is a complete response.
    pub(crate) fn into_chunks(self) -> Result<Vec<Chunk>, Self> {
        match self {
            Self::Stream(chunks) => Ok(chunks),
            Self::Whole(_) => Err(self),
        }
    }

    /// Returns the complete response, or itself if it is one in chunks.
    pub(crate) fn into_whole(self) -> Result<Chunk, Self> {
        match self {
            Self::Whole(chunk) => Ok(*chunk),
            Self::Stream(_) => Err(self),
        }
    }
}

/// Reads a line; `None` if it is for a call that this agent never makes.
fn read_line(content: &str, matching: Matching) -> Result<Option<Answer>, String> {
    let line: Line = serde_json::from_str(content).map_err(|error| error.to_string())?;
    let response = line.response;
    match line.method.as_str() {
        "generateContentStream" => parse_response(response, "a list of chunks").map(Answer::Stream),
        "generateContent" => parse_response(response, "an answer of the model").map(Answer::Whole),
        method if FOREIGN_METHODS.contains(&method) => {
            return match matching {
                Matching::ByMethod => Ok(None),
                Matching::Strict => Err(format!(
                    "method \"{method}\" is never called; --fake-responses-non-strict skips it"
                )),
            };
        }
        method => Err(format!(
            "unknown method \"{method}\"; use \"generateContentStream\" or \"generateContent\""
        )),
    }
    .map(Some)
}

fn parse_response<T: DeserializeOwned>(response: Value, expected: &str) -> Result<T, String> {
    serde_json::from_value(response)
        .map_err(|error| format!("\"response\" isn't {expected}: {error}"))
}

#[cfg(test)]
mod tests;
