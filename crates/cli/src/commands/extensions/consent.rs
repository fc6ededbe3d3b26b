//! Asks a person at the terminal; no answer means no (EX-4).

use std::io::{BufRead, IsTerminal, Write, stderr, stdin};

use hookloop_extensions::SettingDeclaration;
use hookloop_manage::{CommandFailure, Consent, FailureCode, Proposal, text};
use hookloop_session::Environment;
use hookloop_text::visible;

use super::words;

/// Asks the person at the terminal.
pub(crate) struct AtTerminal<'a> {
    /// The environment.
    pub(crate) environment: &'a Environment,
    /// Whether consent was given in advance; then nothing is asked.
    pub(crate) has_agreed: bool,
}

impl AtTerminal<'_> {
    /// Shows something, and asks for consent.
    ///
    /// # Errors
    /// The person doesn't agree, or nobody answers.
    pub(crate) fn agrees_to(&self, shown: &str, question: &str) -> Result<(), CommandFailure> {
        say(shown);
        if self.has_agreed {
            return Ok(());
        }
        let question = format!("{} [y/N] ", visible(question));
        match answer_to(&question)?.as_deref().map(str::trim) {
            Some("y" | "Y" | "yes" | "Yes") => Ok(()),
            None if !stdin().is_terminal() => Err(declined_failure(
                "there is no terminal to ask at, so nothing was changed; in a script, agree with \
                 --consent",
            )),
            _ => Err(declined_failure("nothing was changed")),
        }
    }
}

impl Consent for AtTerminal<'_> {
    fn agree(&self, proposal: &Proposal<'_>) -> Result<(), CommandFailure> {
        let terminal = crate::terminal::for_notices(self.environment);
        let shown = words::bundle(proposal.bundle, &proposal.changes, terminal);
        let shown = shown + &text::diagnostics(&proposal.bundle.problems, terminal);
        self.agrees_to(&shown, &proposal.question)
    }

    fn gives_values(&self) -> bool {
        stdin().is_terminal() && !self.has_agreed
    }

    fn value_of(&self, setting: &SettingDeclaration) -> Result<Option<String>, CommandFailure> {
        let name = visible(&setting.name);
        let description = visible(&setting.description);
        let secret = if setting.sensitive {
            "; what you type stays hidden"
        } else {
            ""
        };
        let question = format!("{name}: {description} (leave empty to keep it unset{secret})\n> ");
        let line = if setting.sensitive {
            let line = {
                let _hidden = hidden_echo();
                answer_to(&question)
            };
            say("\n");
            line?
        } else {
            answer_to(&question)?
        };
        let value = line.map(|it| it.trim_end_matches(['\n', '\r']).to_owned());
        Ok(value.filter(|it| !it.is_empty()))
    }
}

/// Writes to standard error at once, because a person is waiting for it.
fn say(text: &str) {
    let mut stream = stderr().lock();
    // Fails if the stream is closed; then nobody answers, either.
    drop(
        stream
            .write_all(text.as_bytes())
            .and_then(|()| stream.flush()),
    );
}

/// Asks, and reads a line; returns `None` at the end of the input. Ctrl+C isn't an answer, and
/// leaves the terminal and the folders unchanged.
fn answer_to(question: &str) -> Result<Option<String>, CommandFailure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| CommandFailure::internal(format!("the runtime can't start: {error}")))?;
    let answer = runtime.block_on(async {
        let mut interrupt = std::pin::pin!(tokio::signal::ctrl_c());
        // Polled first, so that Ctrl+C is caught before anybody can answer.
        let is_too_late = tokio::select! {
            biased;
            _ = &mut interrupt => true,
            () = std::future::ready(()) => false,
        };
        let interrupted = || declined_failure("interrupted; nothing was changed");
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

fn declined_failure(message: &str) -> CommandFailure {
    CommandFailure::new(FailureCode::Declined, message)
}

/// Keeps a terminal from showing what is typed, until the value is dropped.
#[cfg(unix)]
fn hidden_echo() -> Option<impl Drop> {
    use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
    struct Shown(Termios);
    impl Drop for Shown {
        fn drop(&mut self) {
            // Fails if the terminal has gone.
            let _ = tcsetattr(stdin(), OptionalActions::Flush, &self.0);
        }
    }
    let before = tcgetattr(stdin()).ok()?;
    let mut hidden = before.clone();
    hidden.local_modes.remove(LocalModes::ECHO);
    tcsetattr(stdin(), OptionalActions::Flush, &hidden).ok()?;
    Some(Shown(before))
}

#[cfg(not(unix))]
fn hidden_echo() -> Option<std::io::Empty> {
    None
}
