//! What is asked: the prompt, from the command line and standard input (AG-CLI-1, AG-CLI-3).

use std::io::{IsTerminal, Read, stdin};

use crate::exit::SessionError;
use crate::options::Options;

/// Refuses options that can't be carried out here: ignoring them would be worse.
pub(crate) fn reject_what_cannot_be(options: &Options) -> Result<(), SessionError> {
    if options.prompt_interactive.is_some() && !stdin().is_terminal() {
        let message = "--prompt-interactive needs a terminal, and standard input is none";
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
        read_input()?
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

fn read_input() -> Result<String, SessionError> {
    let mut bytes = Vec::new();
    stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|error| SessionError::Input(format!("standard input can't be read: {error}")))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
