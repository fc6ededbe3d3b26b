//! `hooks fire`: fires an event through the real engine, with a realistic payload (CM-5).

mod given;
mod payload;
mod project_file;
mod scene;
mod staged;
mod tool_samples;
mod view;
mod words;

#[cfg(feature = "trace")]
pub(crate) use words::outcome_text;

use clap::Args;
use hookloop_engine::{Concluded, Explanation};
use hookloop_events::{EventName, Verdict};
use hookloop_exec::CommandExecutor;
use hookloop_session::recording::Recorder;
use hookloop_session::{OutcomeView, Workspace};
use serde_json::{Map, Value};

use crate::commands::engine::{Engine, Interruption, subject as subject_of};
use crate::commands::event::{Subject, SubjectArguments, event};
use crate::commands::failure::FailureCode;
use crate::commands::views::{self, ExplanationView, RunView};
use crate::commands::{CommandFailure, Context, Format, text};
use crate::near_matches::near_matches;
use crate::output::{Exit, Output};
use view::FiredView;

pub(crate) use given::read as read_given;
pub(crate) use staged::{Staged, Wishes};

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

/// Everything that firing an event came to.
struct Fired {
    event: EventName,
    input: Map<String, Value>,
    explanation: Explanation,
    concluded: Option<Concluded>,
    interruption: Interruption,
}

/// Fires an event, and shows what its hooks do and what it means.
pub(crate) fn fire(
    context: &Context<'_>,
    arguments: &FireArguments,
) -> Result<Output, CommandFailure> {
    let event = event(&arguments.event)?;
    let subject = Subject::new(event, &arguments.subject)?;
    check_prompt(event, arguments)?;
    let given = given::read(arguments.input.as_deref(), &context.environment.current_dir)?;
    let mut workspace = Workspace::open(context.environment, context.run);
    // A guard that isn't what was agreed to refuses here as it does in a session (TR-8).
    workspace.registry = workspace.new_registry();
    if let Some(label) = &arguments.only {
        select(&mut workspace, event, label)?;
    }
    let wishes = Wishes {
        given,
        subject: Some(subject),
        prompt: arguments.prompt.as_deref(),
    };
    let staged = Staged::new(context.environment, &workspace, event, wishes)?;
    let unknown = unknown_keys(event, &staged);
    let (fired, problems) = run(context, &mut workspace, event, staged)?;
    let mut output = show(context, &workspace, &fired)?;
    output
        .notices
        .extend(unknown.iter().map(|it| text::warning(it)));
    for problem in problems {
        output.notices.push_str(&text::warning(&problem));
    }
    Ok(output)
}

/// Says which given keys no payload of the event has: a hook that reads the payload sees nothing of
/// what was meant (CM-5).
fn unknown_keys(event: EventName, staged: &Staged) -> Vec<String> {
    let of_tool = staged.payload.get("tool_input").and_then(Value::as_object);
    let said = staged.unknown.iter().map(|key| {
        let advice = if of_tool.is_some() {
            format!("; if it is an argument of the tool, give {{\"tool_input\": {{\"{key}\": …}}}}")
        } else {
            String::new()
        };
        format!("no payload of {event} has the field \"{key}\"{advice}")
    });
    said.collect()
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

/// Lets only the hooks of one label run (CM-5).
fn select(workspace: &mut Workspace, event: EventName, label: &str) -> Result<(), CommandFailure> {
    let of_event = workspace.vouched.iter().filter(|it| it.hook.event == event);
    let known: Vec<&str> = of_event.map(|it| it.hook.label()).collect();
    if !known.contains(&label) {
        let message = format!("no hook of {event} is named \"{label}\"");
        return Err(CommandFailure::new(FailureCode::UnknownHook, message)
            .with_candidates(near_matches(label, &known)));
    }
    workspace.registry.select_only(label);
    Ok(())
}

/// Fires the event, and returns what it came to, and what is wrong with recording it.
fn run(
    context: &Context<'_>,
    workspace: &mut Workspace,
    event: EventName,
    staged: Staged,
) -> Result<(Fired, Vec<String>), CommandFailure> {
    let input = staged.payload.clone();
    let explanation = decided(context, workspace, event, &input);
    let recorder = Recorder::of_fire(workspace, context.environment);
    let engine = Engine::new(workspace, context.environment, Some(recorder.observer()))?
        .until(&context.stop);
    let (concluded, interruption) = engine.fire(staged.session, event, staged.payload)?;
    let fired = Fired {
        event,
        input,
        explanation,
        concluded,
        interruption,
    };
    Ok((fired, recorder.finish()))
}

/// Explains which hooks of an event run for a payload, their conditions included (HT-26).
pub(crate) fn decided(
    context: &Context<'_>,
    workspace: &Workspace,
    event: EventName,
    payload: &Map<String, Value>,
) -> Explanation {
    let mut explanation = workspace
        .registry
        .explain(event, subject_of(event, payload));
    let conditions = CommandExecutor::new(workspace.surroundings(context.environment));
    explanation.decide(&conditions, payload);
    explanation
}

fn show(
    context: &Context<'_>,
    workspace: &Workspace,
    fired: &Fired,
) -> Result<Output, CommandFailure> {
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
