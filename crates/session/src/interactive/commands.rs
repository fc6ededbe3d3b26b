//! The answers to slash commands (TU-2).

use std::sync::Arc;
use std::time::Duration;

use hookloop_tui::{Notice, NoticeKind};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::hook_commands::{CommandEnd, CommandOutput, HookCommand};
use crate::interactive::Place;

/// A command that runs on a thread of its own: it may take its time.
pub(super) struct Running {
    stop: CancellationToken,
    output: oneshot::Receiver<CommandOutput>,
}

impl Running {
    /// Begins a command for hooks: the words after `/hooks`.
    pub(super) fn begin(words: Vec<String>, place: Place<'_>) -> Self {
        let mut environment = place.environment.clone();
        // The screen styles text itself.
        environment.variables.push(("NO_COLOR".into(), "1".into()));
        let stop = CancellationToken::new();
        let command = HookCommand {
            words,
            run: place.run.clone(),
            environment,
            stop: stop.clone(),
        };
        let commands = Arc::clone(place.commands);
        let (done, output) = oneshot::channel();
        std::thread::spawn(move || {
            // Fails if the caller has stopped waiting, and then nobody needs the output.
            drop(done.send(commands.carry_out(&command)));
        });
        Self { stop, output }
    }

    /// Waits for its end, and returns its output. When it is cancelled, the hooks that it runs are
    /// ended, and a command that still continues isn't waited for.
    pub(super) async fn end(&mut self, cancel: &CancellationToken) -> Vec<Notice> {
        tokio::select! {
            biased;
            output = &mut self.output => return received_notices(output),
            () = cancel.cancelled() => self.stop.cancel(),
        }
        let ended = tokio::time::timeout(AFTER_CANCEL, &mut self.output).await;
        let text = match ended {
            Ok(_) => "Request cancelled.",
            Err(_) => "Request cancelled. What the command was doing may continue.",
        };
        let mut notices = ended.map(received_notices).unwrap_or_default();
        notices.push(Notice::new(NoticeKind::Warning, text));
        notices
    }

    /// Ends it because the user leaves, and waits until its hooks are gone.
    pub(super) async fn leave(mut self) {
        self.stop.cancel();
        drop(tokio::time::timeout(AFTER_CANCEL, &mut self.output).await);
    }
}

fn received_notices(output: Result<CommandOutput, oneshot::error::RecvError>) -> Vec<Notice> {
    match output {
        Ok(output) => output_notices(&output),
        Err(_) => vec![Notice::new(NoticeKind::Error, "Error: the command failed")],
    }
}

fn output_notices(output: &CommandOutput) -> Vec<Notice> {
    let kind = match output.end {
        CommandEnd::Failed => NoticeKind::Error,
        CommandEnd::Done => NoticeKind::Warning,
    };
    let texts = [
        (NoticeKind::Answer, output.result.trim_end()),
        (kind, output.notices.trim_end()),
    ];
    texts
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(kind, text)| Notice::new(kind, text))
        .collect()
}

/// How long a command that was cancelled is waited for: its hooks have a second to end.
const AFTER_CANCEL: Duration = Duration::from_secs(3);

/// Returns whether a command for hooks is the panel: without options it is a dialog (CM-1).
pub(crate) fn is_panel(arguments: &str) -> bool {
    matches!(arguments.trim(), "" | "panel" | "list" | "show")
}

/// Splits a line into words; quotes keep spaces together.
pub(super) fn split_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in line.chars() {
        match (quote, letter) {
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (Some(open), _) if open == letter => quote = None,
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

/// Lists the tools that the model is offered.
pub(crate) fn tool_list<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut text = String::from("Tools of the model:");
    for name in names {
        text.push_str("\n  ");
        text.push_str(name);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-1: a bare `/hooks` and the names of the panel open it; with options it is a listing.
    #[test]
    fn the_panel_has_several_names() {
        for arguments in ["", " ", "panel", "list", "show "] {
            assert!(is_panel(arguments), "{arguments:?}");
        }
        for arguments in ["list --json", "check", "panels"] {
            assert!(!is_panel(arguments), "{arguments:?}");
        }
    }

    /// CM-2: a name of several words can be quoted.
    #[test]
    fn quotes_keep_words_together() {
        let words = split_words("disable 'my hook' \"it's\" ''  x");
        assert_eq!(words, ["disable", "my hook", "it's", "", "x"]);
    }
}
