//! `extensions uninstall` (EX-4).

use hookloop_extensions::{Installed, Keeper, Kept, Source, Staging, not_writable};

use super::{Done, enablement, words};
use hookloop_manage::CommandFailure;

use crate::commands::{Context, text};
use crate::output::{Exit, Output};

/// Removes an extension of the user's; of a linked one only the link.
pub(super) fn uninstall(context: &Context<'_>, name: &str) -> Result<Output, CommandFailure> {
    let installed = Installed::find(&context.environment.home, name)?;
    let used_from = installed.content().to_owned();
    let secrets = Kept::of(&used_from).in_keyring;
    let staging = Staging::create(&context.environment.home)?;
    // Gone at once, and not file by file under a session's eyes.
    std::fs::rename(&installed.folder, staging.home().join("removed"))
        .map_err(|error| not_writable(&installed.folder, &error))?;
    let told = match &installed.source {
        Some(Source::Link(target)) => words::unlinked(name, target),
        _ => format!("uninstalled: {}\n", hookloop_text::visible(name)),
    };
    let mut done = Done::new(name, &installed.folder, told);
    if !secrets.is_empty() {
        let keyring = hookloop_keyring::open(context.environment.keyring_access());
        let keeper = Keeper {
            keyring: &*keyring,
            name,
            place: &used_from,
        };
        for (variable, error) in keeper.forget(&secrets) {
            let message = format!("the value of {variable} stays in the keyring: {error}");
            done.notices.push_str(&text::warning(&message));
        }
        // The folder of a linked extension stays, with its other settings.
        if used_from.is_dir() {
            hookloop_extensions::unlist(&used_from)?;
        }
    }
    if let Err(error) = enablement::forget(context.environment, name) {
        done.notices.push_str(&text::warning(&error.to_string()));
    }
    done.report(context, Exit::Done)
}
