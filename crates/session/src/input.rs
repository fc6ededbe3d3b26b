//! What is asked: the prompt, from the command line and standard input (AG-CLI-1, AG-CLI-3).

use std::io::{self, IsTerminal, Read, stdin};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::exit::SessionError;
use crate::notices;
use crate::options::Options;

/// How long a pipe may say nothing beside a prompt before the run begins without it (AG-CLI-3).
const PATIENCE: Duration = Duration::from_millis(500);

/// Refuses options that can't be carried out here: ignoring them would be worse.
pub(crate) fn reject_what_cannot_be(options: &Options) -> Result<(), SessionError> {
    if options.prompt_interactive.is_some() && !stdin().is_terminal() {
        let message = "the --prompt-interactive flag cannot be used when input is piped from stdin";
        return Err(SessionError::Input(message.to_owned()));
    }
    if options.prompt_interactive.is_some() && !cfg!(feature = "terminal") {
        let message = "this build has no terminal sessions; use --prompt";
        return Err(SessionError::Input(message.to_owned()));
    }
    Ok(())
}

/// What is asked.
pub(crate) struct Asked {
    /// All of it.
    pub(crate) prompt: String,
    /// The part in which `@path` refers to a file. What is piped in beside a prompt is material:
    /// an `@` in it is text.
    pub(crate) typed: String,
}

/// Puts the prompt together: what stands on standard input goes first (AG-CLI-3).
pub(crate) fn prompt(options: &Options) -> Result<Asked, SessionError> {
    let words = (!options.words.is_empty()).then(|| options.words.join(" "));
    let given = options
        .prompt
        .as_ref()
        .or(options.prompt_interactive.as_ref());
    let asked = given.cloned().or(words);
    let piped = if stdin().is_terminal() {
        String::new()
    } else {
        // Without a prompt there is nothing to begin with.
        read_input(asked.as_ref().map(|_| PATIENCE))?
    };
    let parts = [piped.as_str(), asked.as_deref().unwrap_or_default()];
    let said: Vec<&str> = parts
        .into_iter()
        .filter(|part| !part.trim().is_empty())
        .collect();
    if said.is_empty() {
        let message = "no prompt: give one with --prompt, as an argument, or on standard input";
        return Err(SessionError::Input(message.to_owned()));
    }
    Ok(Asked {
        prompt: said.join("\n\n"),
        typed: asked.unwrap_or(piped),
    })
}

/// Reads standard input to its end. An open pipe that says nothing for a while is left alone.
fn read_input(mut patience: Option<Duration>) -> Result<String, SessionError> {
    let (send, pieces) = channel();
    // It ends with the program, if its pipe never does.
    thread::spawn(move || read_pieces(&send));
    let mut bytes = Vec::new();
    loop {
        let piece = match patience.take() {
            Some(patience) => pieces.recv_timeout(patience),
            None => pieces.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match piece {
            Ok(Ok(piece)) => bytes.extend(piece),
            Ok(Err(error)) => {
                let message = format!("standard input can't be read: {error}");
                return Err(SessionError::Input(message));
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                notices::print("standard input is open and silent; the run begins without it");
                break;
            }
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Passes on what arrives on standard input, until it ends or nobody listens any more.
fn read_pieces(send: &Sender<io::Result<Vec<u8>>>) {
    let mut piece = vec![0; 64 * 1024];
    loop {
        let read = match stdin().lock().read(&mut piece) {
            Ok(0) => return,
            Ok(length) => Ok(piece[..length].to_vec()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let is_last = read.is_err();
        if send.send(read).is_err() || is_last {
            return;
        }
    }
}
