//! The arguments of completion in a shell (CM-2).

use std::ffi::OsString;

use clap::{Args, ValueEnum};

/// The name of the hidden command that shells call.
pub(crate) const NAME: &str = "__complete";

/// Holds the arguments of `completions`.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: CompletionShell,
}

/// Names a shell that can be served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompletionShell {
    /// Bash
    Bash,
    /// Z shell
    Zsh,
    /// Fish
    Fish,
}

/// Holds what a shell has on its line.
#[derive(Debug, Clone, Args)]
pub(crate) struct CompleteArguments {
    /// Which of the words is completed, from 0
    pub(crate) index: usize,
    /// The words, the program's name first
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) words: Vec<OsString>,
}
