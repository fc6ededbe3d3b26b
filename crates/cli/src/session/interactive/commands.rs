//! What slash commands answer (TU-2).

use hookloop_agent::{Parts, Stats};
use hookloop_tui::{Notice, NoticeKind, SlashCommand};
use tokio::sync::oneshot;

use crate::arguments::{Action, Arguments, HooksArguments, RunOptions};
use crate::commands;
use crate::environment::Environment;
use crate::output::{Exit, Output};

/// Runs a command for hooks through the code of the command line (`management.md` §4), on a
/// thread of its own: it may take its time.
pub(crate) async fn hooks(
    arguments: &str,
    run: &RunOptions,
    environment: &Environment,
) -> Vec<Notice> {
    let words = ["hookloop", "hooks"].map(str::to_owned).into_iter();
    let words = words
        .chain(split_words(arguments))
        .map(Into::into)
        .collect();
    let hooks = match Arguments::read(words).map(|it| it.action) {
        Ok(Action::Hooks(hooks)) => hooks,
        Ok(_) => return Vec::new(),
        Err(usage) => {
            let text = usage.render().to_string();
            return vec![Notice::new(NoticeKind::Answer, text.trim_end())];
        }
    };
    run_hooks(hooks, run, environment).await
}

/// Runs a command for hooks that was understood already.
pub(crate) async fn run_hooks(
    hooks: HooksArguments,
    run: &RunOptions,
    environment: &Environment,
) -> Vec<Notice> {
    let mut environment = environment.clone();
    // The screen gives text its look itself.
    environment.variables.push(("NO_COLOR".into(), "1".into()));
    let run = run.clone();
    let (done, output) = oneshot::channel();
    std::thread::spawn(move || done.send(commands::run(&hooks, &run, &environment)));
    match output.await {
        Ok(output) => told(&output),
        Err(_) => vec![Notice::new(NoticeKind::Error, "Error: the command failed")],
    }
}

fn told(output: &Output) -> Vec<Notice> {
    let kind = match output.exit {
        Exit::Failed => NoticeKind::Error,
        _ => NoticeKind::Warning,
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

/// Tells whether a command for hooks is the panel: without options it is a dialog (CM-1).
pub(crate) fn is_panel(arguments: &str) -> bool {
    matches!(arguments.trim(), "" | "panel" | "list" | "show")
}

/// Splits a line into words; quotes keep spaces together.
fn split_words(line: &str) -> Vec<String> {
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
pub(crate) fn tool_list(parts: &Parts) -> String {
    let mut text = String::from("Tools of the model:");
    for tool in parts.toolbox.declarations() {
        if parts.policy.offers(tool) {
            text.push_str("\n  ");
            text.push_str(&tool.name);
        }
    }
    text
}

/// Words what the session used.
pub(crate) fn stats(stats: &Stats) -> String {
    use std::fmt::Write as _;
    let mut text = String::from("This session so far:");
    for (name, model) in &stats.models {
        let _ = write!(
            text,
            "\n  {name}: {} requests, {} failed, {} tokens in, {} tokens out",
            model.requests, model.errors, model.prompt_tokens, model.answer_tokens
        );
    }
    let tools = &stats.tools;
    let _ = write!(
        text,
        "\n  tools: {} calls, {} succeeded, {} failed\n  edits of files: {}",
        tools.total_calls, tools.total_success, tools.total_fail, stats.files.edits
    );
    text
}

/// Says which model is asked.
pub(crate) fn model(name: &str, wanted: &str) -> String {
    if wanted.is_empty() {
        return format!("Model: {name}");
    }
    format!("Model: {name}. To ask another one, start with --model {wanted}")
}

/// Says that a command is not in this build, and what does the same where something does.
pub(crate) fn not_built(command: SlashCommand) -> String {
    let instead = match command {
        SlashCommand::Extensions => "; outside of a session there is `hookloop extensions`",
        SlashCommand::Resume => "; `hookloop --resume` goes on with an earlier session",
        _ => "",
    };
    format!("/{} is not in this build{instead}", command.name())
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
