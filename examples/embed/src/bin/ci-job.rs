//! A CI job: runs steps for a target, as far as hooks let them, with a rule of its own, and without
//! anybody who could be asked.
//!
//! ```text
//! ci-job PROJECT TARGET STEP…
//! ```
//!
//! What hooks let through is run: here that means a line on standard output. The job fails where a
//! step is refused, and where a hook of the project has a mistake: a guard that isn't there has let
//! nothing through.

use std::error::Error;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use hookloop_engine::events::{
    BeforeTool, BeforeToolInput, BeforeToolOutcome, EndReason, Ruling, ToolArguments, ToolCall,
};
use hookloop_engine::{Cleared, LineObserver, OnFailure, SessionHooks};
use hookloop_example_embed::{ended, show, show_problems};
use hookloop_host::{Host, Severity};
use hookloop_trace::{FILE_NAME, Limits, Origin, TraceObserver, TraceProblem, TraceStore};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    ended(work().await)
}

async fn work() -> Result<ExitCode, Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(project), Some(target)) = (arguments.next(), arguments.next()) else {
        return Err("usage: ci-job PROJECT TARGET STEP…".into());
    };
    let host = Host::builder(project)
        .hooks(|hooks| {
            hooks
                .on::<BeforeTool>("change-freeze")
                .matching("run_shell_command")
                .on_failure(OnFailure::Deny)
                .timeout(Duration::from_secs(5))
                .answer(async |input| change_freeze(&input))
                .observer(Arc::new(LineObserver::new(show)))
        })
        .observer_in(|folder| {
            let trace = folder.join(FILE_NAME);
            let open = move || TraceStore::open(&trace, Limits::default());
            let problem = |problem: &TraceProblem| show(&problem.to_string());
            Arc::new(TraceObserver::on_first_run(open, Origin::Session, problem))
        })
        .open()?;
    show_problems(&host);
    let mut problems = host.problems().into_iter();
    if problems.any(|it| it.severity == Severity::Error) {
        return Ok(ExitCode::FAILURE);
    }
    let session = host.session(uuid::Uuid::new_v4().to_string());
    let mut code = ExitCode::SUCCESS;
    for step in arguments {
        if let Err(why) = take(&session, &step, &target).await {
            show(&format!("{step} on {target}: {why}"));
            code = ExitCode::FAILURE;
            break;
        }
    }
    session.session_end(EndReason::Exit).await;
    Ok(code)
}

/// The job's own rule, a hook like any other one: nothing is run in production.
fn change_freeze(input: &BeforeToolInput) -> Ruling {
    match input.tool_input.get("target") {
        Some(target) if target == "production" => Ruling::deny("production is frozen until Monday"),
        _ => Ruling::Silent,
    }
}

/// Asks hooks about a step, and takes it if they let it.
async fn take(session: &SessionHooks, step: &str, target: &str) -> Result<(), String> {
    let mut arguments = ToolArguments::new();
    arguments.insert("command".to_owned(), step.into());
    arguments.insert("target".to_owned(), target.into());
    let call = ToolCall::new(
        uuid::Uuid::new_v4().to_string(),
        "run_shell_command",
        arguments,
    );
    // Hooks that were cancelled have decided nothing, and a step without a decision isn't taken.
    let conclusion = session.before_tool(call, check).await;
    match conclusion.map_err(|error| error.to_string())?.outcome {
        BeforeToolOutcome::Proceed(cleared) => run(&cleared).map_err(|error| error.to_string()),
        // Nobody sits in front of a job, and a question without an answer is a no.
        BeforeToolOutcome::Ask(_, reason) => Err(format!("nobody can answer: {reason}")),
        BeforeToolOutcome::Deny(reason, _) => Err(format!("refused: {reason}")),
        BeforeToolOutcome::Stop(reason) => Err(format!("stopped: {reason}")),
    }
}

/// Looks at arguments that hooks changed: they are judged again only if they make sense.
fn check(call: &ToolCall) -> Result<(), String> {
    let command = call.arguments.get("command");
    match command.and_then(serde_json::Value::as_str) {
        Some(_) => Ok(()),
        None => Err("`command` must be a string".to_owned()),
    }
}

/// Runs a step. A call that its hooks haven't seen doesn't compile here.
fn run(call: &Cleared<ToolCall>) -> io::Result<()> {
    let arguments = serde_json::json!(call.arguments);
    writeln!(io::stdout(), "running {arguments}")
}
