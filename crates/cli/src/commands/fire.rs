//! `hooks fire`: fires an event through the real engine, with a realistic payload (CM-5).

mod event_input;
mod words;

#[cfg(feature = "trace")]
pub(crate) use words::outcome_text;

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use hookloop_events::Verdict;
use hookloop_manage::{CommandFailure, FiredView, Interruption, Wishes, event, fire as fired};

use crate::commands::context::{AdditionalReport, Context, Format};
use crate::names::{event_names, hook_labels};
use crate::output::{Exit, Output};

pub(crate) use event_input::{SubjectArguments, read as read_given};

/// Contains the arguments of `fire` (CM-5).
#[derive(Debug, Clone, Args)]
pub(crate) struct FireArguments {
    /// The event, such as `BeforeTool`
    #[arg(add = ArgValueCompleter::new(event_names))]
    pub(crate) event: String,
    #[command(flatten)]
    pub(crate) subject: SubjectArguments,
    /// Keys that replace those of the payload: JSON, @FILE, or - for standard input
    #[arg(long, value_name = "JSON|@FILE|-", allow_hyphen_values = true)]
    pub(crate) input: Option<String>,
    /// The user's prompt
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) prompt: Option<String>,
    /// Run only hooks with this name
    #[arg(long, value_name = "NAME", add = ArgValueCompleter::new(hook_labels))]
    pub(crate) only: Option<String>,
}

/// Fires an event, and shows what its hooks do, and the outcome.
pub(crate) fn fire(
    context: &Context<'_>,
    arguments: &FireArguments,
) -> Result<Output, CommandFailure> {
    let event = event(&arguments.event)?;
    let subject = arguments.subject.of(event)?;
    let given = event_input::read(arguments.input.as_deref(), &context.environment.current_dir)?;
    let wishes = Wishes {
        given,
        subject: Some(subject),
        prompt: arguments.prompt.as_deref(),
    };
    let fired = fired(context.task(), event, wishes, arguments.only.as_deref())?;
    let beside = AdditionalReport {
        problems: &fired.problems,
        ..AdditionalReport::all(&fired.workspace)
    };
    let output = context.say(beside, FiredView::new(&fired), |output| {
        words::describe_fired(&fired, output)
    })?;
    let exit = match (fired.interruption, fired.outcome.verdict) {
        (Interruption::Interrupted, _) | (_, Verdict::Cancelled) => Exit::Cancelled,
        (_, Verdict::Proceed) => Exit::Done,
        (_, Verdict::Refused) => Exit::Refused,
        (_, Verdict::Stopped) => Exit::Stopped,
    };
    // The lines of a run already show why it failed.
    let mut warnings = match context.format {
        Format::Json => fired.warnings.clone(),
        Format::Text { .. } => fired.warnings_beside_runs(),
    };
    warnings.extend(arguments.subject.doubt());
    Ok(output.warn(&warnings).ending(exit))
}
