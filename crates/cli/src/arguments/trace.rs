//! The arguments of the commands that look at runs: `trace`, `replay` and `test`.

use std::path::PathBuf;

use clap::Args;

/// Holds the arguments of `trace` (CM-6).
#[derive(Debug, Clone, Args)]
pub(crate) struct TraceArguments {
    /// Show one run in full: its id, or the beginning of it
    #[arg(value_name = "RUN-ID", conflicts_with_all = ["session", "event", "hook", "last", "follow", "html"])]
    pub(crate) run_id: Option<String>,
    /// Only runs of this session
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Only runs of this event, such as `BeforeTool`
    #[arg(long)]
    pub(crate) event: Option<String>,
    /// Only runs of the hooks of this name
    #[arg(long, value_name = "NAME")]
    pub(crate) hook: Option<String>,
    /// Only the last runs; without it the text shows the last 50
    #[arg(long, value_name = "N")]
    pub(crate) last: Option<u32>,
    /// Go on with new runs as they come; only those, without --last
    #[arg(long, conflicts_with = "html")]
    pub(crate) follow: bool,
    /// Write a session as a page that needs no network; the last one, without --session
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

/// Holds the arguments of `replay` (CM-6).
#[derive(Debug, Clone, Args)]
pub(crate) struct ReplayArguments {
    /// The run: its id, or the beginning of it
    #[arg(value_name = "RUN-ID")]
    pub(crate) run_id: String,
}

/// Holds the arguments of `test`.
#[derive(Debug, Clone, Args)]
pub(crate) struct TestArguments {
    /// The folder of the tests: EVENT/CASE/input.json and expect.json [default: .gemini/hooks/tests]
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// Where the results are written for CI.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "record",
        help = "Write the results for CI, as JUnit XML"
    )]
    pub(crate) junit: Option<PathBuf>,
    /// Make a test of a recorded run instead of running tests
    #[arg(long, value_name = "RUN-ID", requires = "name")]
    pub(crate) record: Option<String>,
    /// The name of the new test
    #[arg(long, value_name = "CASE", requires = "record")]
    pub(crate) name: Option<String>,
}
