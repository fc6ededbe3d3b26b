//! Removes an extension.

use std::path::PathBuf;

use hookloop_extensions::{Installed, Keeper, Kept, Source, Staging, not_writable};

use super::enablement;
use crate::Task;
use crate::failure::CommandFailure;

/// A removed extension.
#[derive(Debug)]
pub struct UninstalledExtension {
    /// The folder that contained it.
    pub folder: PathBuf,
    /// The folder of a linked extension, which is kept.
    pub linked: Option<PathBuf>,
    /// Warnings for the person, each as a sentence.
    pub warnings: Vec<String>,
}

/// Removes one of the user's extensions. If it is linked, only the link is removed.
pub fn uninstall_extension(
    task: Task<'_>,
    name: &str,
) -> Result<UninstalledExtension, CommandFailure> {
    let environment = task.environment;
    let installed = Installed::find(&environment.home, name)?;
    let used_from = installed.content().to_owned();
    let secrets = Kept::of(&used_from).in_keyring;
    let staging = Staging::create(&environment.home)?;
    // Removed atomically, not file by file while a session may read it.
    std::fs::rename(&installed.folder, staging.home().join("removed"))
        .map_err(|error| not_writable(&installed.folder, &error))?;
    let mut warnings = Vec::new();
    if !secrets.is_empty() {
        let keyring = hookloop_keyring::open(environment.keyring_access());
        let keeper = Keeper {
            keyring: &*keyring,
            name,
            place: &used_from,
        };
        for (variable, error) in keeper.forget(&secrets) {
            warnings.push(format!(
                "the value of {variable} stays in the keyring: {error}"
            ));
        }
        // The folder of a linked extension stays, with its other settings.
        if used_from.is_dir() {
            hookloop_extensions::unlist(&used_from)?;
        }
    }
    if let Err(error) = enablement::forget(environment, name) {
        warnings.push(error.to_string());
    }
    Ok(UninstalledExtension {
        folder: installed.folder,
        linked: match installed.source {
            Some(Source::Link(target)) => Some(target),
            _ => None,
        },
        warnings,
    })
}
