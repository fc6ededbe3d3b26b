//! `hooks trust` and `hooks untrust` (TR-4).

mod words;

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use hookloop_manage::{
    ChangeView, CommandFailure, TrustChanged, TrustWish, trust_hooks, untrust_hooks,
};
use hookloop_text::visible;

use crate::commands::context::{AdditionalReport, Context};
use crate::names::hook_labels;
use crate::output::Output;
use words::Verb;

/// Names the hooks that a command is about.
#[derive(Debug, Clone, Args)]
pub(crate) struct NamesArguments {
    /// Names of hooks, or commands of hooks without a name (default: all)
    #[arg(value_name = "NAME", add = ArgValueCompleter::new(hook_labels))]
    pub(crate) names: Vec<String>,
}

/// Contains the arguments of `trust`.
#[derive(Debug, Clone, Args)]
pub(crate) struct TrustArguments {
    #[command(flatten)]
    pub(crate) hooks: NamesArguments,
    /// Trust the hooks that Gemini CLI has run here, and no others
    #[arg(long, conflicts_with = "names")]
    pub(crate) from_gemini: bool,
}

/// Trusts the project's hooks as they are now: all, or those named.
pub(crate) fn trust(
    context: &Context<'_>,
    arguments: &TrustArguments,
) -> Result<Output, CommandFailure> {
    let wish = match arguments.hooks.names.as_slice() {
        [] if arguments.from_gemini => TrustWish::KnownToGemini,
        [] => TrustWish::All,
        names => TrustWish::Named(names),
    };
    let changed = trust_hooks(context.task(), wish)?;
    report(context, &changed, Verb::Trusted)
}

/// Withdraws trust from the project's hooks: all, or the named ones.
pub(crate) fn untrust(context: &Context<'_>, names: &[String]) -> Result<Output, CommandFailure> {
    let changed = untrust_hooks(context.task(), names)?;
    report(context, &changed, Verb::NotTrusted)
}

fn report(
    context: &Context<'_>,
    changed: &TrustChanged,
    verb: Verb,
) -> Result<Output, CommandFailure> {
    let beside = AdditionalReport::all(&changed.workspace);
    let view = ChangeView::new(&changed.change);
    let mut output = context.say(beside, view, |_| words::trust_change(changed, verb))?;
    for line in &changed.seen {
        output.notices.extend([visible(line), "\n".to_owned()]);
    }
    Ok(output.warn(&changed.change.warnings))
}
