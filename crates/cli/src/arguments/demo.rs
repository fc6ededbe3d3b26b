//! The arguments of the demo.

use clap::Args;

/// Holds the arguments of `demo`.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct DemoArguments {
    /// Leave the demo's project for a look
    #[arg(long)]
    pub(crate) keep: bool,
    /// Print the timeline as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
