//! Asking a person: no answer is no (EX-4).

use std::io::{BufRead, IsTerminal, Write, stderr, stdin};

use crate::arguments::ConsentArguments;
use crate::commands::failure::FailureCode;
use crate::commands::{CommandFailure, Context};
use crate::terminal::Terminal;
use crate::text;

use super::bundle::Bundle;

/// Shows what an extension brings, and asks whether that is wanted.
pub(super) fn ask(
    context: &Context<'_>,
    arguments: &ConsentArguments,
    bundle: &Bundle,
    question: &str,
    changes: &[String],
) -> Result<(), CommandFailure> {
    let terminal = Terminal::of_notices(context.environment);
    let shown = text::bundle(bundle, changes, terminal);
    let shown = shown + &text::diagnostics(&bundle.problems, terminal);
    say(&shown);
    if arguments.consent {
        return Ok(());
    }
    let declined = |message: &str| CommandFailure::new(FailureCode::Declined, message);
    if !stdin().is_terminal() {
        return Err(declined(
            "nobody is there to agree, and nothing was changed; --consent agrees in scripts",
        ));
    }
    say(&format!("{question} [y/N] "));
    match read_line().as_deref().map(str::trim) {
        Some("y" | "Y" | "yes" | "Yes") => Ok(()),
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

/// Reads a line; nothing at the end of the input.
pub(super) fn read_line() -> Option<String> {
    let mut line = String::new();
    match stdin().lock().read_line(&mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(line),
    }
}
