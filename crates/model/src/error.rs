//! Errors of model calls, scripts and recordings.

use std::io;
use std::path::PathBuf;

use crate::call::{CallDescription, Method};
use crate::http_error::{HttpError, HttpProblem};
use crate::native_tool::NativeTool;

/// Why a model call returned no response, or an incomplete one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The script contains no further response (MO-3).
    #[error("{} contains no further scripted response for {call}", script.display())]
    ScriptExhausted {
        /// The script.
        script: PathBuf,
        /// The call that got nothing.
        call: Box<CallDescription>,
    },
    /// The script's next response is for the other method; it stays there (MO-3).
    #[error(
        "the next scripted response, {}:{line}, is for {scripted}, not for {call}",
        script.display()
    )]
    WrongMethod {
        /// The script.
        script: PathBuf,
        /// The response's line, from 1.
        line: usize,
        /// The method that the response is for.
        scripted: Method,
        /// The call that got nothing.
        call: Box<CallDescription>,
    },
    /// The call was cancelled (LO-4).
    #[error("the call of the model was cancelled")]
    Cancelled,
    /// The model responded, but the response couldn't be recorded (MO-5).
    #[error(transparent)]
    Recording(#[from] RecordError),
    /// The model's service doesn't provide this tool. Nothing was sent.
    #[error("the model \"{model}\" can't {tool}: only Gemini models have a tool for it")]
    NoNativeTool {
        /// The model.
        model: String,
        /// The tool.
        tool: NativeTool,
    },
    /// The model's server returned no response, or an incomplete one (MO-1, MO-2).
    #[error(transparent)]
    Http(#[from] Box<HttpError>),
}

impl ModelError {
    /// Returns whether the connection broke in the middle of a response (LO-3).
    pub fn broke_off(&self) -> bool {
        matches!(self, Self::Http(error) if matches!(error.problem, HttpProblem::CutOff(_)))
    }
}

/// Why a script of responses couldn't be loaded.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The file couldn't be read.
    #[error("read the scripted responses in {}: {source}", path.display())]
    Read {
        /// The script.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A line isn't a response.
    #[error("read the scripted response at {}:{line}: {problem}", path.display())]
    Line {
        /// The script.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
}

/// Why a response couldn't be recorded (MO-5).
#[derive(Debug, thiserror::Error)]
#[error("record the model's answer in {}: {source}", path.display())]
pub struct RecordError {
    /// The recording.
    pub path: PathBuf,
    /// The cause.
    pub source: io::Error,
}

/// There is no model to call; the message names the three ways to get one (MO-4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "no model is configured: Gemini API key is missing or not configured. There are three ways to configure one:\n  \
     1. Gemini: set GEMINI_API_KEY to your key\n  \
     2. an OpenAI-compatible server (Ollama, llama.cpp, vLLM, OpenRouter, OpenAI): set \
     OPENAI_BASE_URL, or openai.baseUrl in the settings, and \
     OPENAI_API_KEY if it needs a key; for Anthropic set ANTHROPIC_API_KEY\n  \
     3. scripted answers, to try things out: --fake-responses FILE"
)]
pub struct NoModelConfigured;

#[cfg(test)]
mod tests {
    use super::*;

    /// MO-4: without a model, the message contains all three ways to get one.
    #[test]
    fn the_three_ways_to_a_model_are_named() {
        let message = NoModelConfigured.to_string();
        let ways: Vec<_> = message.lines().skip(1).collect();
        assert_eq!(ways.len(), 3);
        for (way, name) in
            ways.iter()
                .zip(["GEMINI_API_KEY", "OPENAI_BASE_URL", "--fake-responses"])
        {
            assert!(way.contains(name), "{way}");
        }
    }
}
