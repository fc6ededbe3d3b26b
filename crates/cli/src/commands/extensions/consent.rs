//! Asking a person: no answer is no (EX-4).

use std::io::{BufRead, IsTerminal, Write, stderr, stdin};

use hookloop_extensions::Bundle;

use super::{ConsentArguments, words};
use hookloop_manage::{CommandFailure, FailureCode};

use crate::commands::{Context, text};

/// Shows what an extension brings, and asks whether that is wanted.
pub(super) fn ask(
    context: &Context<'_>,
    arguments: &ConsentArguments,
    bundle: &Bundle,
    question: &str,
    changes: &[String],
) -> Result<(), CommandFailure> {
    let terminal = crate::terminal::of_notices(context.environment);
    let shown = words::bundle(bundle, changes, terminal);
    let shown = shown + &text::diagnostics(&bundle.problems, terminal);
    say(&shown);
    if arguments.consent {
        return Ok(());
    }
    let question = format!("{question} [y/N] ");
    match answer_to(&question)?.as_deref().map(str::trim) {
        Some("y" | "Y" | "yes" | "Yes") => Ok(()),
        None if !stdin().is_terminal() => Err(declined(
            "nobody is there to agree, and nothing was changed; --consent agrees in scripts",
        )),
        _ => Err(declined("nothing was changed")),
    }
}

/// Writes to standard error at once: somebody waits for it.
pub(super) fn say(text: &str) {
    let mut stream = stderr().lock();
    // Nobody is left to be told when the stream is closed; then nobody answers either.
    drop(
        stream
            .write_all(text.as_bytes())
            .and_then(|()| stream.flush()),
    );
}

/// Asks, and reads a line; nothing at the end of the input. Ctrl-C isn't an answer, and leaves the
/// terminal and the folders as they were.
pub(super) fn answer_to(question: &str) -> Result<Option<String>, CommandFailure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| CommandFailure::internal(format!("the runtime can't start: {error}")))?;
    let answer = runtime.block_on(async {
        let mut interrupt = std::pin::pin!(tokio::signal::ctrl_c());
        // From the first look on it is caught, before anybody can answer.
        let is_too_late = tokio::select! {
            biased;
            _ = &mut interrupt => true,
            () = std::future::ready(()) => false,
        };
        let interrupted = || declined("interrupted; nothing was changed");
        if is_too_late {
            return Err(interrupted());
        }
        say(question);
        tokio::select! {
            line = tokio::task::spawn_blocking(wait_for_line) => Ok(line.ok().flatten()),
            _ = interrupt => Err(interrupted()),
        }
    });
    // The thread that waits for a line ends with the program.
    runtime.shutdown_background();
    answer
}

fn wait_for_line() -> Option<String> {
    let mut line = String::new();
    match stdin().lock().read_line(&mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(line),
    }
}

fn declined(message: &str) -> CommandFailure {
    CommandFailure::new(FailureCode::Declined, message)
}
