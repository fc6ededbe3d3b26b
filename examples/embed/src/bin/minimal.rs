//! The smallest host: asks hooks about one call, and makes it if they let it through.
//!
//! ```text
//! minimal PROJECT COMMAND
//! ```

use std::error::Error;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::sync::Arc;

use hookloop_engine::events::{BeforeToolOutcome, EndReason, ToolArguments, ToolCall};
use hookloop_engine::{Cleared, LineObserver};
use hookloop_host::Host;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    // A `main` that returns the error prints its `Debug` form, which people can't read.
    match work().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            show(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

async fn work() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let (Some(project), Some(command)) = (words.next(), words.next()) else {
        return Err("usage: minimal PROJECT COMMAND".into());
    };
    let host = Host::builder(project)
        .hooks(|hooks| hooks.observer(Arc::new(LineObserver::new(show))))
        .open()?;
    for problem in host.problems() {
        show(&problem.to_string());
    }
    let session = host.session("session-1");
    let mut arguments = ToolArguments::new();
    arguments.insert("command".to_owned(), command.into());
    let call = ToolCall::new("call-1", "run_shell_command", arguments);
    let concluded = session.before_tool(call, check).await;
    let result = match concluded.map(|it| it.outcome) {
        Ok(BeforeToolOutcome::Proceed(cleared)) => run(&cleared),
        Ok(BeforeToolOutcome::Deny(reason, _)) => Err(format!("refused: {reason}").into()),
        Ok(BeforeToolOutcome::Ask(_, reason)) => Err(format!("nobody can answer: {reason}").into()),
        Ok(BeforeToolOutcome::Stop(reason)) => Err(format!("stopped: {reason}").into()),
        // Cancelled, or rewritten to something that the tool doesn't accept: it doesn't run.
        Err(unsettled) => Err(unsettled.to_string().into()),
    };
    session.session_end(EndReason::Exit).await;
    result
}

/// Shows a line to people. The work continues even if nobody can see it.
fn show(line: &str) {
    drop(writeln!(io::stderr(), "{line}"));
}

/// Checks arguments that a hook rewrote.
fn check(call: &ToolCall) -> Result<(), String> {
    match call.arguments.get("command") {
        Some(command) if command.is_string() => Ok(()),
        _ => Err("`command` must be a string".to_owned()),
    }
}

/// The tool: it takes only a call that hooks have cleared.
fn run(call: &Cleared<ToolCall>) -> Result<(), Box<dyn Error>> {
    writeln!(io::stdout(), "running {}", call.arguments["command"])?;
    Ok(())
}
