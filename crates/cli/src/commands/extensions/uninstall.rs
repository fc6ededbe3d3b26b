//! `extensions uninstall` (EX-4).

use crate::commands::{CommandFailure, Context};
use crate::output::{Exit, Output};
use crate::text;

use super::Done;
use super::enablement;
use super::installed::Installed;
use super::source::Source;
use super::staging::{Staging, not_writable};

/// Removes an extension of the user's; of a linked one only the link.
pub(super) fn uninstall(context: &Context<'_>, name: &str) -> Result<Output, CommandFailure> {
    let installed = Installed::find(context.environment, name)?;
    let staging = Staging::create(context.environment)?;
    // Gone at once, and not file by file under a session's eyes.
    std::fs::rename(&installed.folder, staging.home().join("removed"))
        .map_err(|error| not_writable(&installed.folder, &error))?;
    let told = match &installed.source {
        Some(Source::Link(target)) => text::unlinked(name, target),
        _ => format!("uninstalled: {}\n", text::visible(name)),
    };
    let mut done = Done::new(name, &installed.folder, told);
    if let Err(error) = enablement::forget(context.environment, name) {
        done.notices = text::warning(&error.to_string());
    }
    done.report(context, Exit::Done)
}
