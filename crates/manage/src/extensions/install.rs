//! Installs an extension: fetches it into a temporary folder, shows it, asks for consent, and
//! installs it atomically; or links it, and uses it where it is.

use std::path::Path;

use hookloop_extensions::{
    Around, Bundle, Installed, Keeper, Kept, Source, Staging, copy_tree, extensions_folder, fetch,
};
use hookloop_session::{RunOptions, Workspace};
use hookloop_settings::ExtensionSource;

use super::settings::{collected, storage_warnings};
use super::{Agreement, InstalledExtension, Proposal};
use crate::Task;
use crate::failure::CommandFailure;

/// Installs an extension from a folder or a repository.
pub fn install_extension(
    task: Task<'_>,
    source: &str,
    reference: Option<&str>,
    agreement: Agreement<'_>,
) -> Result<InstalledExtension, CommandFailure> {
    let environment = task.environment;
    let source = Source::parse(source, reference, &environment.current_dir)?;
    let (staging, bundle) = stage_source(task, &source)?;
    let place = staging.place_of(&bundle.name);
    Installed::check_free(&environment.home, &bundle.name, &place)?;
    agreement.consent.agree(&Proposal {
        bundle: &bundle,
        question: format!("Install \"{}\" from {}?", bundle.name, source.describe()),
        changes: Vec::new(),
    })?;
    let values = collected(&bundle.settings, agreement, &[])?;
    source.remember(&staging.extension())?;
    let keyring = hookloop_keyring::open(environment.keyring_access());
    let keeper = Keeper {
        keyring: &*keyring,
        name: &bundle.name,
        place: &place,
    };
    let kept = keeper.store(&staging.extension(), &bundle.settings, &values)?;
    let place = match staging.install(&bundle.name) {
        Ok(place) => place,
        Err(failure) => {
            // Secrets that can't be deleted from the keyring are overwritten by the next attempt.
            keeper.forget(&kept.in_keyring);
            return Err(failure.into());
        }
    };
    Ok(InstalledExtension {
        warnings: storage_warnings(&bundle.settings, &kept, &place),
        bundle,
        place,
    })
}

/// Links an extension. Later changes by its author take effect at once, which the person agrees to.
pub fn link_extension(
    task: Task<'_>,
    path: &Path,
    agreement: Agreement<'_>,
) -> Result<InstalledExtension, CommandFailure> {
    let environment = task.environment;
    let source = Source::link(path, &environment.current_dir)?;
    let (staging, bundle) = stage_source(task, &source)?;
    let place = staging.place_of(&bundle.name);
    Installed::check_free(&environment.home, &bundle.name, &place)?;
    agreement.consent.agree(&Proposal {
        bundle: &bundle,
        question: format!(
            "Link \"{}\" to {}? Changes there take effect at once.",
            bundle.name,
            source.describe()
        ),
        changes: Vec::new(),
    })?;
    let Source::Link(folder) = &source else {
        return Err(CommandFailure::internal("a link has no folder"));
    };
    let known = Kept::of(folder).names();
    let values = collected(&bundle.settings, agreement, &known)?;
    let place = staging.install(&bundle.name)?;
    // Settings of a linked extension are read in its own folder.
    let keyring = hookloop_keyring::open(environment.keyring_access());
    let keeper = Keeper {
        keyring: &*keyring,
        name: &bundle.name,
        place: folder,
    };
    let kept = keeper.store(folder, &bundle.settings, &values)?;
    Ok(InstalledExtension {
        warnings: storage_warnings(&bundle.settings, &kept, folder),
        bundle,
        place,
    })
}

/// Reads the extension in a folder as a session would. Nothing is installed or started.
///
/// # Errors
/// The folder doesn't contain an extension, or a broken one.
pub fn validate_extension(task: Task<'_>, path: &Path) -> Result<Bundle, CommandFailure> {
    let environment = task.environment;
    let source = Source::link(path, &environment.current_dir)?;
    let staging = Staging::create(&environment.home)?;
    source_folder(&staging)?;
    source.remember(&staging.extension())?;
    Ok(Bundle::read(
        staging.home(),
        &extensions_folder(&environment.home),
    )?)
}

/// Fetches a source into a staging folder, and reads it.
fn stage_source(task: Task<'_>, source: &Source) -> Result<(Staging, Bundle), CommandFailure> {
    let home = &task.environment.home;
    let staging = Staging::create(home)?;
    stage(task, source, &staging)?;
    let bundle = Bundle::read(staging.home(), &extensions_folder(home))?;
    Ok((staging, bundle))
}

/// Fetches a source into the staged folder.
pub(super) fn stage(
    task: Task<'_>,
    source: &Source,
    staging: &Staging,
) -> Result<(), CommandFailure> {
    check_allowed(task, source)?;
    match source {
        Source::Git { url, reference } => {
            let fetched = staging.fetch_folder();
            let environment = task.environment;
            let around = Around {
                variables: &environment.variables,
                current_dir: &environment.current_dir,
                scratch_dir: &environment.scratch_dir,
            };
            fetch(&around, url, reference.as_deref(), &fetched)?;
            Ok(copy_tree(&fetched, &staging.extension())?)
        }
        Source::Local(folder) => Ok(copy_tree(folder, &staging.extension())?),
        Source::Link(_) => {
            source_folder(staging)?;
            Ok(source.remember(&staging.extension())?)
        }
    }
}

/// Returns an error for an extension that settings exclude: it would be disabled (AG-CLI-9).
fn check_allowed(task: Task<'_>, source: &Source) -> Result<(), CommandFailure> {
    let workspace = Workspace::open(task.environment, &RunOptions::default());
    let shown;
    let from = match source {
        Source::Git { url, .. } => ExtensionSource::Fetched(url),
        Source::Local(folder) | Source::Link(folder) => {
            shown = folder.to_string_lossy();
            ExtensionSource::Folder(&shown)
        }
    };
    match workspace.settings.agent.restrictions.of_extension(from) {
        None => Ok(()),
        Some(restriction) => Err(hookloop_extensions::Failure::bad_input(format!(
            "{} keeps extensions from {} out",
            restriction.place(),
            source.describe()
        ))
        .into()),
    }
}

fn source_folder(staging: &Staging) -> Result<(), hookloop_extensions::Failure> {
    let folder = staging.extension();
    std::fs::create_dir_all(&folder)
        .map_err(|error| hookloop_extensions::not_writable(&folder, &error))
}
