//! Reads the prompt, from the command line and standard input (AG-CLI-1, AG-CLI-3).

use std::io::{self, IsTerminal, Read, stdin};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::exit::SessionError;
use crate::notices;
use crate::options::Options;

/// How long a pipe beside a prompt may be silent before the run begins without it (AG-CLI-3).
const INPUT_TIMEOUT: Duration = Duration::from_millis(500);

/// How long a pipe may be silent if there is no other prompt: a run with nothing to do would wait
/// forever.
const ONLY_INPUT_TIMEOUT: Duration = Duration::from_secs(1);

/// How long a pipe that has delivered something may stay open before the user is told what the run
/// waits for.
const OPEN_INPUT_PATIENCE: Duration = Duration::from_secs(10);

/// The maximum size of standard input, in MiB: more than any model reads.
const MAX_INPUT_MIB: usize = 8;

/// Refuses options that can't be run here: ignoring them would be worse.
pub(crate) fn reject_what_cannot_be(options: &Options) -> Result<(), SessionError> {
    if options.prompt_interactive.is_some() && !stdin().is_terminal() {
        let message = "the --prompt-interactive flag cannot be used when input is piped from stdin";
        return Err(SessionError::Input(message.to_owned()));
    }
    if options.prompt_interactive.is_some() && !cfg!(feature = "terminal") {
        let message = "this build has no terminal sessions; use --prompt";
        return Err(SessionError::Input(message.to_owned()));
    }
    reject_what_would_be_left_out(options).map_err(SessionError::Input)
}

/// Refuses what would be silently dropped: words beside another prompt, and a prompt or a second
/// task beside an option that does only one thing.
fn reject_what_would_be_left_out(options: &Options) -> Result<(), String> {
    let flag = match (&options.prompt, &options.prompt_interactive) {
        (Some(prompt), _) => Some(("--prompt (-p)", prompt)),
        (None, Some(prompt)) => Some(("--prompt-interactive (-i)", prompt)),
        (None, None) => None,
    };
    if let (Some((flag, prompt)), [_, ..]) = (flag, options.words.as_slice()) {
        let words = options.words.join(" ");
        return Err(format!(
            "Cannot use both a positional prompt and the {flag} flag together: the prompt is \
             \"{prompt}\", and \"{words}\" would be left out. Put quotes around a prompt of \
             several words"
        ));
    }
    let alone = match (options.list_sessions, &options.delete_session) {
        (true, Some(_)) => {
            let message = "--list-sessions and --delete-session can't be used together";
            return Err(message.to_owned());
        }
        (true, None) => "--list-sessions",
        (false, Some(_)) => "--delete-session",
        (false, None) => return Ok(()),
    };
    if flag.is_some() || !options.words.is_empty() {
        return Err(format!("{alone} sends no prompt; leave the prompt out"));
    }
    Ok(())
}

/// The prompt.
pub(crate) struct PromptInput {
    /// All of it.
    pub(crate) prompt: String,
    /// The part in which `@path` refers to a file. What is piped in beside a prompt is material:
    /// an `@` in it is text.
    pub(crate) typed: String,
}

/// Assembles the prompt: what is on standard input comes first (AG-CLI-3).
pub(crate) fn prompt(options: &Options) -> Result<PromptInput, SessionError> {
    let words = (!options.words.is_empty()).then(|| options.words.join(" "));
    let given = options
        .prompt
        .as_ref()
        .or(options.prompt_interactive.as_ref());
    let asked = given.cloned().or(words);
    let piped = if stdin().is_terminal() {
        String::new()
    } else {
        read_input(if asked.is_some() {
            PromptSource::Prompt
        } else {
            PromptSource::Nothing
        })?
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
    Ok(PromptInput {
        prompt: said.join("\n\n"),
        typed: asked.unwrap_or(piped),
    })
}

/// The prompt beside standard input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PromptSource {
    Prompt,
    Nothing,
}

/// Reads standard input to its end. An open pipe that is silent for a while is ignored; if the
/// prompt could come only from there, that is an error, and so is more than a prompt can contain.
fn read_input(beside: PromptSource) -> Result<String, SessionError> {
    let (send, pieces) = channel();
    // If the pipe never ends, the thread ends with the program.
    thread::spawn(move || read_pieces(&send));
    let mut waiting = Waiting::ForBegin(beside);
    let mut bytes = Vec::new();
    loop {
        let piece = match waiting.patience() {
            Some(patience) => pieces.recv_timeout(patience),
            None => pieces.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match (piece, waiting) {
            (Ok(Ok(piece)), _) => {
                waiting = waiting.after_piece();
                bytes.extend(piece);
                if bytes.len() > MAX_INPUT_MIB * 1024 * 1024 {
                    return Err(SessionError::Input(too_large()));
                }
            }
            (Ok(Err(error)), _) => {
                let message = format!("standard input can't be read: {error}");
                return Err(SessionError::Input(message));
            }
            (Err(RecvTimeoutError::Disconnected), _) => break,
            (Err(RecvTimeoutError::Timeout), Waiting::ForBegin(PromptSource::Nothing)) => {
                let message = "No input provided via stdin. It is open, and nothing came for a \
                               second. Give the prompt with --prompt, or write to standard input \
                               sooner";
                return Err(SessionError::Input(message.to_owned()));
            }
            (Err(RecvTimeoutError::Timeout), Waiting::ForBegin(PromptSource::Prompt)) => {
                notices::print("standard input is open but silent; the run starts without it");
                break;
            }
            (Err(RecvTimeoutError::Timeout), Waiting::ForEnd | Waiting::Told) => {
                notices::print("standard input is still open; the run starts when it ends");
                waiting = Waiting::Told;
            }
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What the run waits for while standard input is open.
#[derive(Debug, Clone, Copy)]
enum Waiting {
    ForBegin(PromptSource),
    ForEnd,
    /// For the end, and the user knows.
    Told,
}

impl Waiting {
    const fn patience(self) -> Option<Duration> {
        match self {
            Self::ForBegin(PromptSource::Prompt) => Some(INPUT_TIMEOUT),
            Self::ForBegin(PromptSource::Nothing) => Some(ONLY_INPUT_TIMEOUT),
            Self::ForEnd => Some(OPEN_INPUT_PATIENCE),
            Self::Told => None,
        }
    }

    const fn after_piece(self) -> Self {
        match self {
            Self::ForBegin(_) => Self::ForEnd,
            Self::ForEnd | Self::Told => self,
        }
    }
}

fn too_large() -> String {
    format!(
        "standard input is larger than {MAX_INPUT_MIB} MiB, which no model reads; write it to a file, \
         and let the prompt say what to look for there"
    )
}

/// Passes on what arrives on standard input, until it ends or there is no listener any more.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// AG-CLI-1: no word of a prompt is silently dropped: forgotten quotes are reported.
    #[test]
    fn words_beside_another_prompt_are_refused() {
        let words = |words: &[&str]| words.iter().map(|it| (*it).to_owned()).collect();
        for rest in [&["b"][..], &["the", "failing", "test"]] {
            let beside_prompt = Options {
                prompt: Some("fix".to_owned()),
                words: words(rest),
                ..Options::default()
            };
            let beside_interactive = Options {
                prompt_interactive: beside_prompt.prompt.clone(),
                prompt: None,
                ..beside_prompt.clone()
            };
            for options in [beside_prompt, beside_interactive] {
                let error = reject_what_would_be_left_out(&options).unwrap_err();
                let rest = format!("\"{}\" would be left out", rest.join(" "));
                assert!(error.contains(&rest) && error.contains("quotes"), "{error}");
            }
        }
        for fine in [
            Options {
                words: words(&["fix", "the", "test"]),
                ..Options::default()
            },
            Options {
                prompt: Some("fix the test".to_owned()),
                ..Options::default()
            },
            Options::default(),
        ] {
            assert_eq!(reject_what_would_be_left_out(&fine), Ok(()));
        }
    }

    /// AG-CLI-2: an option that does only one thing takes no prompt, and no second task.
    #[test]
    fn a_prompt_beside_a_list_is_refused() {
        let list = Options {
            list_sessions: true,
            ..Options::default()
        };
        let delete = Options {
            delete_session: Some("1".to_owned()),
            ..Options::default()
        };
        for task in [&list, &delete] {
            assert_eq!(reject_what_would_be_left_out(task), Ok(()));
            let asking = Options {
                prompt: Some("hi".to_owned()),
                ..task.clone()
            };
            let said = Options {
                words: vec!["hi".to_owned()],
                ..task.clone()
            };
            for options in [asking, said] {
                let error = reject_what_would_be_left_out(&options).unwrap_err();
                assert!(error.contains("sends no prompt"), "{error}");
            }
        }
        let both = Options {
            list_sessions: true,
            ..delete
        };
        assert!(reject_what_would_be_left_out(&both).is_err());
    }
}
