//! `hooks review`: what a person looks at before trusting (TR-4).

mod words;

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use hookloop_manage::{CommandFailure, ReviewView, review_hooks};
use hookloop_session::{RunOptions, Workspace};

use crate::commands::context::{AdditionalReport, Context};
use crate::names::hook_labels;
use crate::output::Output;

/// Contains the arguments of `review` (TR-4).
#[derive(Debug, Clone, Args)]
pub(crate) struct ReviewArguments {
    /// The name of a hook, or its command if it has none (default: all of the project's hooks)
    #[arg(value_name = "NAME", add = ArgValueCompleter::new(hook_labels))]
    pub(crate) name: Option<String>,
}

/// Shows hooks with the files that they run; runs and trusts nothing (TR-7).
pub(crate) fn review(context: &Context<'_>, name: Option<&str>) -> Result<Output, CommandFailure> {
    let workspace = Workspace::open(context.environment, &RunOptions::default());
    let reviewed = review_hooks(&workspace, name)?;
    let view = ReviewView::new(&workspace.project_root, &reviewed);
    context.say(AdditionalReport::for_sources(&workspace), view, |output| {
        words::review(&reviewed, output)
    })
}
