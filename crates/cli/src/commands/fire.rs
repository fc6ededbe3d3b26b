//! `hooks fire`: fires an event through the real engine, with a realistic payload (CM-5).

mod given;
mod interrupt;
mod payload;
mod project_file;
mod scene;
mod tool_samples;

use hookloop_engine::{BadPayload, Concluded, Explanation, Hooks};
use hookloop_events::{EventName, SessionIdentity, Verdict};
use hookloop_exec::CommandExecutor;
use serde_json::{Map, Value};

use crate::arguments::FireArguments;
use crate::commands::event::{Subject, event};
use crate::commands::failure::FailureCode;
use crate::commands::{CommandFailure, Context, Format};
use crate::near_matches::near_matches;
use crate::output::{Exit, Output};
use crate::text;
use crate::views::{self, ExplanationView, FiredView, OutcomeView, RunView};
use crate::workspace::Workspace;

use interrupt::Interruption;
use scene::{Scene, Transcript};

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
    if let Some(label) = &arguments.only {
        select(&mut workspace, event, label)?;
    }
    let transcript = Transcript::create(&context.environment.scratch_dir)?;
    let tool = tool(event, subject, &given).map(str::to_owned);
    let scene = Scene::new(context.environment, &workspace, &transcript)
        .with_tool(tool.as_deref())
        .with_prompt(arguments.prompt.as_deref());
    transcript.write(&scene)?;
    let mut input = payload::realistic(event, &scene);
    input.extend(given);
    if let Subject::Known { field, value } = subject {
        input.insert(field.to_owned(), value.into());
    }
    if let Some(prompt) = arguments
        .prompt
        .as_ref()
        .filter(|_| input.contains_key("prompt"))
    {
        input.insert("prompt".to_owned(), prompt.as_str().into());
    }
    let fired = run(context, &mut workspace, &scene, (event, input))?;
    let baselines = workspace.record_baselines(|hook| {
        let runs = fired.concluded.iter().flat_map(|it| &it.runs);
        runs.into_iter().any(|run| run.hook.id == hook.id)
    });
    let mut output = show(context, &workspace, &fired)?;
    if let Err(error) = baselines {
        output.notices.push_str(&text::warning(&error.to_string()));
    }
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

/// Returns the tool that the payload is about, so that its arguments fit.
fn tool<'a>(
    event: EventName,
    subject: Subject<'a>,
    given: &'a Map<String, Value>,
) -> Option<&'a str> {
    match subject {
        Subject::Known { value, .. } if event.subject_field() == Some("tool_name") => Some(value),
        _ => given.get("tool_name").and_then(Value::as_str),
    }
}

fn run(
    context: &Context<'_>,
    workspace: &mut Workspace,
    scene: &Scene<'_>,
    (event, input): (EventName, Map<String, Value>),
) -> Result<Fired, CommandFailure> {
    let subject = event
        .subject_field()
        .and_then(|field| input.get(field)?.as_str());
    let subject = hookloop_engine::Subject::Known(subject.unwrap_or_default());
    let explanation = workspace.registry.explain(event, subject);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| CommandFailure::internal(format!("the runtime can't start: {error}")))?;
    let executor = CommandExecutor::new(workspace.surroundings(context.environment));
    let hooks = Hooks::builder()
        .registry(std::mem::take(&mut workspace.registry))
        .executor(executor)
        .max_output_bytes(workspace.max_output_bytes())
        .build();
    let session = hooks.session(SessionIdentity {
        session_id: scene.session_id.clone(),
        transcript_path: scene.transcript_path.to_path_buf(),
        cwd: context.environment.current_dir.clone(),
        agent: None,
    });
    let payload = input.clone();
    let fired = runtime.block_on(interrupt::interruptible(async |cancel| {
        session
            .with_cancel(cancel)
            .fire_payload(event, payload)
            .await
    }));
    let (concluded, interruption) = fired;
    let concluded =
        concluded.map_err(|BadPayload { message }| CommandFailure::bad_input(message))?;
    Ok(Fired {
        event,
        input,
        explanation,
        concluded,
        interruption,
    })
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
    let (result, notices) = match context.format {
        Format::Json => {
            let view = FiredView {
                event: fired.event,
                input: &fired.input,
                explanation: ExplanationView::new(&fired.explanation),
                runs: runs.iter().map(|run| RunView::of_fire(run)).collect(),
                outcome: &outcome,
            };
            let problems = &workspace.problems;
            (
                views::document(context.name, &workspace.project_root, view, problems)?,
                told,
            )
        }
        Format::Text { output, notices } => {
            let heading = text::fired_heading(fired.event, &fired.input);
            let result = text::fired(&heading, &fired.explanation, (runs, &outcome), output);
            (
                result,
                text::diagnostics(&workspace.problems, notices) + &told,
            )
        }
    };
    let exit = match (fired.interruption, outcome.verdict) {
        (Interruption::Interrupted, _) => Exit::Cancelled,
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
