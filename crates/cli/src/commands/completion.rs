//! Completion in a shell: `completions`, and the hidden command that the scripts call (CM-2).

use std::ffi::OsString;

use clap_complete::engine::{self, CompletionCandidate};
use hookloop_session::Environment;

use crate::arguments::{self, CompleteArguments, CompletionShell, CompletionsArguments};
use crate::output::{Exit, Output};

/// Prints what makes a shell complete command lines.
pub(crate) fn script(arguments: CompletionsArguments) -> Output {
    let script = match arguments.shell {
        CompletionShell::Bash => include_str!("completion/hookloop.bash"),
        CompletionShell::Zsh => include_str!("completion/hookloop.zsh"),
        CompletionShell::Fish => include_str!("completion/hookloop.fish"),
    };
    Output::of_text(script.replace("@complete@", arguments::COMPLETE_NAME))
}

/// Prints what a word may become, one candidate a line: the word, a tab, and what it means.
pub(crate) fn complete(arguments: &CompleteArguments, environment: &Environment) -> Output {
    let mut words: Vec<OsString> = arguments.words.clone();
    while words.len() <= arguments.index {
        words.push(OsString::new());
    }
    // A quote that was not closed yet is none of the word.
    if let Some(text) = words[arguments.index].to_str() {
        words[arguments.index] = text.trim_start_matches(['"', '\'']).into();
    }
    let current = Some(environment.current_dir.as_path());
    let found = engine::complete(&mut arguments::grammar(), words, arguments.index, current);
    let lines = found.unwrap_or_default();
    Output {
        result: lines.iter().filter_map(line).collect(),
        notices: String::new(),
        exit: Exit::Done,
    }
}

fn line(candidate: &CompletionCandidate) -> Option<String> {
    let value = candidate.get_value().to_str()?;
    // A name with a line break can't be typed.
    if candidate.is_hide_set() || value.chars().any(char::is_control) {
        return None;
    }
    let help = candidate.get_help().map(ToString::to_string);
    let help = help.as_deref().and_then(|text| text.lines().next());
    Some(format!("{value}\t{}\n", help.unwrap_or_default()))
}
