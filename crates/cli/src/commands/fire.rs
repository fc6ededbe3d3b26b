//! `hooks fire`: fires an event through the real engine, with a realistic payload (CM-5).

mod given;
mod view;
mod words;

#[cfg(feature = "trace")]
pub(crate) use words::outcome_text;

use clap::Args;
use hookloop_events::{EventName, Verdict};
use hookloop_manage::{CommandFailure, Fired, Interruption, RunView, Wishes, event, fire as fired};
use hookloop_session::OutcomeView;

use crate::commands::event::{SubjectArguments, subject};
use crate::commands::views::{self, ExplanationView};
use crate::commands::{Context, Format, text};
use crate::output::{Exit, Output};
use view::FiredView;

pub(crate) use given::read as read_given;

/// Holds the arguments of `fire` (CM-5).
#[derive(Debug, Clone, Args)]
pub(crate) struct FireArguments {
    /// The event, such as `BeforeTool`
    pub(crate) event: String,
    #[command(flatten)]
    pub(crate) subject: SubjectArguments,
    /// JSON, @FILE, or - for standard input; its keys replace those of the payload
    #[arg(long, value_name = "JSON|@FILE|-", allow_hyphen_values = true)]
    pub(crate) input: Option<String>,
    /// The user's prompt
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) prompt: Option<String>,
    /// Run only the hooks of this name
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Option<String>,
}

/// Fires an event, and shows what its hooks do and what it means.
pub(crate) fn fire(
    context: &Context<'_>,
    arguments: &FireArguments,
) -> Result<Output, CommandFailure> {
    let event = event(&arguments.event)?;
    let subject = subject(event, &arguments.subject)?;
    check_prompt(event, arguments)?;
    let given = given::read(arguments.input.as_deref(), &context.environment.current_dir)?;
    let wishes = Wishes {
        given,
        subject: Some(subject),
        prompt: arguments.prompt.as_deref(),
    };
    let fired = fired(context.task(), event, wishes, arguments.only.as_deref())?;
    let mut output = show(context, &fired)?;
    let warnings = fired.warnings.iter().map(|it| text::warning(it));
    output.notices.extend(warnings);
    Ok(output)
}

/// Rejects a prompt for an event that has nothing to do with one.
fn check_prompt(event: EventName, arguments: &FireArguments) -> Result<(), CommandFailure> {
    let has_prompt = event.subject_field().is_none();
    match arguments.prompt {
        Some(_) if !has_prompt => Err(CommandFailure::bad_input(format!(
            "--prompt has no effect on {event}"
        ))),
        _ => Ok(()),
    }
}

fn show(context: &Context<'_>, fired: &Fired) -> Result<Output, CommandFailure> {
    let workspace = &fired.workspace;
    let outcome = OutcomeView::new(fired.concluded.as_ref());
    let runs = fired
        .concluded
        .as_ref()
        .map_or(&[][..], |it| it.runs.as_slice());
    let mut told = text::trust_notices(workspace, &fired.explanation);
    told += &text::engine_notices(fired.concluded.as_ref());
    let mut problems = workspace.problems.clone();
    problems.extend(hookloop_session::diagnostics_of_event(
        workspace,
        context.environment,
        fired.event,
    ));
    let (result, notices) = match context.format {
        Format::Json => {
            let view = FiredView {
                event: fired.event,
                input: &fired.input,
                explanation: ExplanationView::new(&fired.explanation),
                runs: runs.iter().map(|run| RunView::of_fire(run)).collect(),
                outcome: &outcome,
            };
            (
                views::document(context.name, &workspace.project_root, view, &problems)?,
                told,
            )
        }
        Format::Text { output, notices } => {
            let heading = text::fired_heading(fired.event, &fired.input);
            let result = words::fired(&heading, &fired.explanation, (runs, &outcome), output);
            (result, text::diagnostics(&problems, notices) + &told)
        }
    };
    let exit = match (fired.interruption, outcome.verdict) {
        (Interruption::Interrupted, _) | (_, Verdict::Cancelled) => Exit::Cancelled,
        (_, Verdict::Proceed) => Exit::Done,
        (_, Verdict::Refused) => Exit::Refused,
        (_, Verdict::Stopped) => Exit::Stopped,
    };
    Ok(Output {
        result,
        notices,
        exit,
    })
}
