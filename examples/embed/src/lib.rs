//! What the example hosts share: lines that people read. Only `minimal` stands by itself.
//!
//! - `tool-server` carries out tool calls that come in as lines of JSON.
//! - `chat-loop` answers prompts, and lets hooks judge prompts and answers.
//! - `ci-job` runs the steps of a job, records what hooks answered, and fails when a guard is
//!   missing.
//! - `why` says which hooks would judge a call, and what the last ones answered.

mod screen;

use std::error::Error;
use std::process::ExitCode;

pub use screen::{show, show_problems};

/// Ends a program: what went wrong is shown, and is a failure.
pub fn ended(result: Result<ExitCode, Box<dyn Error>>) -> ExitCode {
    match result {
        Ok(code) => code,
        Err(error) => {
            show(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}
