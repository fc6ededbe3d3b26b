//! What is said of a server or a skill that was switched (AG-CLI-7).

use std::path::PathBuf;

use hookloop_manage::{Admitted, CommandFailure, KeptOut};
use hookloop_text::visible;

use crate::output::{Exit, Output};

/// Says that something is let into sessions again, or what still keeps it out.
pub(crate) fn switched_on(
    what: KeptOut,
    name: &str,
    done: Result<Admitted, CommandFailure>,
) -> Output {
    let Admitted { files, kept_out_by } = match done {
        Ok(done) => done,
        Err(failure) => return failed(&failure),
    };
    let (what, name) = (what.as_str(), visible(name));
    if let Some(place) = kept_out_by {
        let message = format!(
            "the {what} \"{name}\" is still kept out of sessions by {}",
            visible(&place)
        );
        return Output::of_error(&message, Exit::Failed);
    }
    let word = if files.is_empty() {
        "already enabled"
    } else {
        "enabled"
    };
    Output::of_text(format!("{word}: {name}\n{}", places(&files)))
}

/// Says that something is kept out of sessions from now on.
pub(crate) fn switched_off(
    what: KeptOut,
    name: &str,
    done: Result<Admitted, CommandFailure>,
) -> Output {
    let Admitted { files, kept_out_by } = match done {
        Ok(done) => done,
        Err(failure) => return failed(&failure),
    };
    let (what, name) = (what.as_str(), visible(name));
    let Some(place) = kept_out_by else {
        let message =
            format!("the {what} \"{name}\" is not kept out: no session reads the setting");
        return Output::of_error(&message, Exit::Failed);
    };
    let told = if files.is_empty() {
        format!("already disabled: {name}\n    by {}\n", visible(&place))
    } else {
        format!("disabled: {name}\n{}", places(&files))
    };
    Output::of_text(told)
}

fn failed(failure: &CommandFailure) -> Output {
    Output::of_error(&visible(&failure.message), Exit::Failed)
}

fn places(files: &[PathBuf]) -> String {
    let line = |it: &PathBuf| format!("    in {}\n", visible(&it.to_string_lossy()));
    files.iter().map(line).collect()
}
