//! `hooks trace` and `hooks replay`: the record of what hooks did (CM-6).

#[cfg(feature = "trace")]
mod following;
#[cfg(feature = "trace")]
mod listing;
#[cfg(feature = "trace")]
mod page;
#[cfg(feature = "trace")]
mod replay;
#[cfg(feature = "trace")]
mod shadow;
#[cfg(feature = "trace")]
mod words;

#[cfg(feature = "trace")]
pub(crate) use listing::trace;
#[cfg(feature = "trace")]
pub(crate) use replay::replay;
#[cfg(feature = "trace")]
pub(crate) use shadow::shadow;

use std::path::PathBuf;

use clap::Args;

/// Contains the arguments of `trace` (CM-6).
#[derive(Debug, Clone, Args)]
pub(crate) struct TraceArguments {
    /// Show one run in full: its id, or the beginning of it
    #[arg(value_name = "RUN-ID", conflicts_with_all = ["session", "agent", "event", "hook", "last", "follow", "html"])]
    pub(crate) run_id: Option<String>,
    /// Only runs of this session
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Only runs in sessions of this agent, such as `claude-code`
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Only runs of this event, such as `BeforeTool`
    #[arg(long)]
    pub(crate) event: Option<String>,
    /// Only runs of hooks with this name
    #[arg(long, value_name = "NAME")]
    pub(crate) hook: Option<String>,
    /// Only the last N runs (default for text: 50)
    #[arg(long, value_name = "N")]
    pub(crate) last: Option<u32>,
    /// Keep showing new runs as they happen; without --last, only those
    #[arg(long, conflicts_with = "html")]
    pub(crate) follow: bool,
    /// Write a session as a page that needs no network (default: the last session)
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

/// Contains the arguments of `replay` (CM-6).
#[derive(Debug, Clone, Args)]
pub(crate) struct ReplayArguments {
    /// The run: its id, or the beginning of it
    #[arg(value_name = "RUN-ID")]
    pub(crate) run_id: String,
}

/// Contains the arguments of `shadow` (HT-2).
#[derive(Debug, Clone, Args)]
pub(crate) struct ShadowArguments {
    /// How far to look back: a number with d, h or m
    #[arg(long, value_name = "TIME", default_value = "7d")]
    pub(crate) since: String,
}
