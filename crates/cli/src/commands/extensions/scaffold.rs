//! `extensions new`: an extension to begin with (EX-4).

use hookloop_manage::{CommandFailure, create_extension};
use hookloop_text::{shell_word, visible};

use super::{Done, NewExtensionArguments};
use crate::commands::Context;
use crate::output::{Exit, Output};

/// Creates the folder of an extension; an existing one is never touched.
pub(super) fn new(
    context: &Context<'_>,
    arguments: &NewExtensionArguments,
) -> Result<Output, CommandFailure> {
    let folder = context.environment.current_dir.join(&arguments.path);
    let created = create_extension(&folder)?;
    let shown = shell_word(&arguments.path.to_string_lossy());
    let told = format!(
        "created: {}\nTry it:\n  hookloop extensions link {}\n",
        visible(&folder.to_string_lossy()),
        visible(&shown)
    );
    let mut done = Done::new(&created.name, &folder, told);
    done.files = created.files;
    done.report(context, Exit::Done)
}
