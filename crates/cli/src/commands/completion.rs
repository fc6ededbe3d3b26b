//! Completion in a shell: `completions`, and the hidden command that the scripts call (CM-2).

use std::ffi::OsString;

use clap::{Args, Command};
use clap_complete::Shell;
use clap_complete::engine::{self, CompletionCandidate};
use hookloop_session::Environment;

use crate::output::Output;

/// The name of the hidden command that shells call.
pub(crate) const NAME: &str = "__complete";

/// Contains the arguments of `completions`.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

/// Contains a shell's command line.
#[derive(Debug, Clone, Args)]
pub(crate) struct CompleteArguments {
    /// Which of the words is completed, from 0
    pub(crate) index: usize,
    /// The words, the program's name first
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) words: Vec<OsString>,
}

/// Prints a shell's completion script. Bash, Zsh and Fish call the program, so they complete names
/// of hooks, too; other shells complete only commands and options.
pub(crate) fn script(arguments: CompletionsArguments, grammar: &mut Command) -> Output {
    let script = match arguments.shell {
        Shell::Bash => include_str!("completion/hookloop.bash"),
        Shell::Zsh => include_str!("completion/hookloop.zsh"),
        Shell::Fish => include_str!("completion/hookloop.fish"),
        other => return from_grammar(other, grammar),
    };
    Output::from_text(script.replace("@complete@", NAME))
}

fn from_grammar(shell: Shell, grammar: &mut Command) -> Output {
    let mut script = Vec::new();
    clap_complete::generate(shell, grammar, "hookloop", &mut script);
    Output::from_text(String::from_utf8_lossy(&script).into_owned())
}

/// Prints the candidates for a word, one per line: the word, a tab, and its description.
pub(crate) fn complete(
    arguments: &CompleteArguments,
    grammar: &mut Command,
    environment: &Environment,
) -> Output {
    let mut words: Vec<OsString> = arguments.words.clone();
    while words.len() <= arguments.index {
        words.push(OsString::new());
    }
    // An unclosed quote isn't part of the word.
    if let Some(text) = words[arguments.index].to_str() {
        words[arguments.index] = text.trim_start_matches(['"', '\'']).into();
    }
    let current = Some(environment.current_dir.as_path());
    let found = engine::complete(grammar, words, arguments.index, current);
    let lines = found.unwrap_or_default();
    Output::from_text(lines.iter().filter_map(line).collect())
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
