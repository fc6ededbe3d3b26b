//! Command lines, in the form in which lists and rules compare them (HT-31).
//!
//! A refusal or a question gets the widest reading: any command that may run, in any spelling. A
//! permission gets the narrowest reading: every command by itself, exactly as written.

use hookloop_events::ToolArguments;
use hookloop_shell::{Command, Surroundings, Understood, Word, command_lines, matches, permitted};

/// Returns the command line of a call, empty where there is none.
pub(crate) fn command(arguments: &ToolArguments) -> &str {
    arguments
        .get("command")
        .and_then(serde_json::Value::as_str)
        .unwrap_or_default()
}

/// A command line with what is understood of it.
#[derive(Debug)]
pub(crate) struct CommandLine<'c> {
    /// The text.
    pub(crate) text: &'c str,
    understood: Understood,
}

impl<'c> CommandLine<'c> {
    /// Understands the command line of a call.
    pub(crate) fn of(arguments: &'c ToolArguments) -> Self {
        Self::new(command(arguments))
    }

    /// Understands a command line.
    pub(crate) fn new(text: &'c str) -> Self {
        let understood = hookloop_shell::understand(text, Surroundings::default());
        Self { text, understood }
    }

    /// Returns the commands that may run.
    pub(crate) fn commands(&self) -> impl Iterator<Item = &Command> {
        self.understood
            .commands
            .iter()
            .filter(|command| !command.words.is_empty())
    }

    /// Returns whether something may run that can't be seen.
    pub(crate) fn is_blind(&self) -> bool {
        !self.understood.parsed || self.understood.opaque()
    }

    /// Returns whether every command is permitted by itself.
    pub(crate) fn is_permitted(&self, mut allows: impl FnMut(&Command, &str) -> bool) -> bool {
        permitted(&self.understood, |command, line| allows(command, line))
    }

    /// Returns whether some command may begin with these words.
    pub(crate) fn touches(&self, prefix: &str) -> bool {
        self.commands().any(|it| may_begin_with(it, prefix))
            || !self.understood.parsed && parts_of(self.text).any(|it| begins_with(it, prefix))
    }
}

/// Splits a text that isn't understood at the signs after which another command may begin.
fn parts_of(line: &str) -> impl Iterator<Item = &str> {
    line.split([';', '|', '&', '\n', '(', ')', '`', '{', '}'])
        .map(str::trim)
}

/// Returns whether a text begins with these words.
pub(crate) fn begins_with(line: &str, prefix: &str) -> bool {
    line.trim()
        .strip_prefix(prefix.trim())
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}

/// Returns whether a command begins with these words, as it is written.
pub(crate) fn is_of(command: &Command, line: &str, prefix: &str) -> bool {
    let count = prefix.split_whitespace().count();
    let known = command
        .words
        .iter()
        .take(count)
        .all(|it| it.known && !it.pattern);
    known && begins_with(line, prefix)
}

/// Returns whether a command may begin with these words, in any of its spellings.
pub(crate) fn may_begin_with(command: &Command, prefix: &str) -> bool {
    let wanted: Vec<&str> = prefix.split_whitespace().collect();
    if wanted.is_empty()
        || command_lines(command)
            .iter()
            .any(|it| begins_with(it, prefix))
    {
        return true;
    }
    let Some(first) = command.words.first() else {
        return false;
    };
    let program = Word {
        text: command.program.clone(),
        ..first.clone()
    };
    let behind_head = command.words.iter().skip(command.words.len().min(1));
    let spelled: Vec<&Word> = std::iter::once(&program).chain(behind_head).collect();
    spelled.len() >= wanted.len()
        && first.known
        && wanted
            .iter()
            .zip(&spelled)
            .all(|(wanted, word)| may_equal(word, wanted))
}

fn may_equal(word: &Word, wanted: &str) -> bool {
    word.text == wanted || !word.known || word.pattern && matches(&word.text, wanted)
}
