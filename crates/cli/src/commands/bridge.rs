//! The bridge: our hooks in other agents (`bridge.md`).
//!
//! `hooks bridge AGENT EVENT` is what another agent calls: it reads that agent's payload, runs the
//! person's hooks, and answers so that the agent obeys.

mod call;
mod concluding;
mod config_change;
mod doctor;
mod files;
mod firing;
mod hosting;
mod late;
mod manage;
mod memory;
mod program;
mod protecting;
mod reading;
mod records;
mod setting;
mod unawaited;
mod words;

use clap::Args;

pub(crate) use call::run as run_call;
pub(crate) use manage::{BridgeArguments, run as run_bridge};
pub(crate) use memory::kept_for_next_call;

/// Holds the arguments of a call from another agent.
#[derive(Debug, Clone, Args)]
pub(crate) struct CallArguments {
    /// Who calls, such as `claude-code`
    pub(crate) agent: String,
    /// Its event, in its own words
    pub(crate) event: String,
    /// Let hooks read the payload as the agent wrote it, too, as `bridge.raw`
    #[arg(long)]
    pub(crate) raw: bool,
    /// Keep what is remembered and recorded here, for a test of the call
    #[arg(long, value_name = "FOLDER", hide = true)]
    pub(crate) state: Option<std::path::PathBuf>,
    /// Run the hooks that nobody waits for, of a call that was answered
    #[arg(long, value_name = "FILE", hide = true)]
    pub(crate) unawaited: Option<std::path::PathBuf>,
    /// The timeout with which the call is registered; at 80 % of it the answer is given
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = seconds)]
    pub(crate) timeout: std::time::Duration,
}

/// Reads a number of seconds.
fn seconds(text: &str) -> Result<std::time::Duration, String> {
    let number: f64 = text.parse().map_err(|_| "it isn't a number".to_owned())?;
    std::time::Duration::try_from_secs_f64(number)
        .ok()
        .filter(|it| !it.is_zero())
        .ok_or_else(|| "it must be more than 0".to_owned())
}
