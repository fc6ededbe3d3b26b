//! Enables and disables servers and skills (AG-CLI-7).

use std::path::PathBuf;

use clap::Args;
use hookloop_manage::{Admitted, CommandFailure, KeptOut, Scope, Task, keep_out, let_in};
use hookloop_text::visible;

use crate::output::{Exit, Output};

/// Names what is let into sessions again.
#[derive(Debug, Clone, Args)]
pub(crate) struct EnableArguments {
    /// The name of the server or the skill
    pub(crate) name: String,
}

/// Includes something in sessions again, and reports that, or what still excludes it.
pub(crate) fn enable(task: Task<'_>, what: KeptOut, wanted: &EnableArguments) -> Output {
    let name = visible(&wanted.name);
    to_output(let_in(task, what, &wanted.name), |done| {
        if let Some(place) = &done.kept_out_by {
            return Err(format!(
                "the {} \"{name}\" is still disabled by {}",
                what.as_str(),
                visible(place)
            ));
        }
        let word = if done.files.is_empty() {
            "already enabled"
        } else {
            "enabled"
        };
        Ok(format!("{word}: {name}\n{}", places(&done.files)))
    })
}

/// Excludes something from sessions, and reports that.
pub(crate) fn disable(task: Task<'_>, what: KeptOut, name: &str, scope: Scope) -> Output {
    let shown = visible(name);
    to_output(keep_out(task, what, name, scope), |done| {
        let Some(place) = &done.kept_out_by else {
            return Err(format!(
                "the {} \"{shown}\" isn't disabled: no session reads the setting",
                what.as_str()
            ));
        };
        Ok(if done.files.is_empty() {
            format!("already disabled: {shown}\n    by {}\n", visible(place))
        } else {
            format!("disabled: {shown}\n{}", places(&done.files))
        })
    })
}

fn to_output(
    done: Result<Admitted, CommandFailure>,
    say: impl FnOnce(&Admitted) -> Result<String, String>,
) -> Output {
    let failed = |it: CommandFailure| visible(&it.message);
    match done.map_err(failed).and_then(|it| say(&it)) {
        Ok(text) => Output::from_text(text),
        Err(message) => Output::from_error(&message, Exit::Failed),
    }
}

fn places(files: &[PathBuf]) -> String {
    let line = |it: &PathBuf| format!("    in {}\n", visible(&it.to_string_lossy()));
    files.iter().map(line).collect()
}
