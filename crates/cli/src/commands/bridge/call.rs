//! `hooks bridge AGENT EVENT`: what another agent calls. It reads that agent's payload, runs the
//! person's hooks, and answers so that the agent obeys.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use hookloop_bridging::{AgentCall, ProgramPort, answer_call};

use crate::environment;

/// Contains the arguments of a call from another agent.
#[derive(Debug, Clone, Args)]
pub(crate) struct CallArguments {
    /// The agent that calls, such as `claude-code`
    agent: String,
    /// Its event, in its own words
    event: String,
    /// Also let hooks read the payload as the agent wrote it, in `bridge.raw`
    #[arg(long)]
    raw: bool,
    /// Keep what is remembered and recorded here, for a test of the call
    #[arg(long, value_name = "FOLDER", hide = true)]
    state: Option<PathBuf>,
    /// Run the hooks that nobody waits for, after a call was answered
    #[arg(long, value_name = "FILE", hide = true)]
    unawaited: Option<PathBuf>,
    /// The timeout with which the agent calls; the answer comes after 80 % of it at the latest
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = seconds)]
    timeout: Duration,
}

/// Reads a number of seconds.
fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "it isn't a number".to_owned())?;
    Duration::try_from_secs_f64(number)
        .ok()
        .filter(|it| !it.is_zero())
        .ok_or_else(|| "it must be greater than 0".to_owned())
}

/// Answers a call. `invoked` is the path by which the program was called; `changes` reports whether
/// the words that follow this program's name change guards (TR-11).
pub(crate) fn run(
    arguments: &CallArguments,
    invoked: Option<PathBuf>,
    variables: Vec<(OsString, OsString)>,
    changes: fn(&[String]) -> bool,
) -> ExitCode {
    let CallArguments {
        agent,
        event,
        raw,
        state,
        unawaited,
        timeout,
    } = arguments.clone();
    let call = AgentCall {
        agent,
        event,
        invoked,
        raw,
        state,
        unawaited,
        timeout,
    };
    let program = ProgramPort {
        environment: environment::read,
        changes,
    };
    answer_call(&call, variables, program)
}
