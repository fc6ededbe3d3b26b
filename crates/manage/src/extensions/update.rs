//! Updates an extension: asks again before anything that runs changes.

use std::path::Path;

use hookloop_extensions::{
    Bundle, Installed, Keeper, Kept, Source, Staging, extensions_folder, is_same_tree,
};

use hookloop_settings::bounded::read_text;
use serde_json::Value;

use super::install::stage;
use super::settings::{collected, storage_warnings};
use super::{Agreement, InstalledExtension, Proposal};
use crate::Task;
use crate::failure::{CommandFailure, FailureCode};

/// The file that makes a folder an extension.
const MANIFEST: &str = "gemini-extension.json";

/// The result of updating an extension.
#[derive(Debug)]
pub enum Update {
    /// It was updated.
    Updated(Box<InstalledExtension>),
    /// It was up to date.
    UpToDate,
    /// It is linked, and so always up to date.
    Linked,
}

/// Updates an extension from its source.
pub fn update_extension(
    task: Task<'_>,
    name: &str,
    agreement: Agreement<'_>,
) -> Result<Update, CommandFailure> {
    let installed = Installed::find(&task.environment.home, name)?;
    update(task, &installed, agreement)
}

/// Updates all extensions from their sources, and returns the result for each name. If one can't be
/// updated, the others still are.
pub fn update_extensions(
    task: Task<'_>,
    agreement: Agreement<'_>,
) -> Vec<(String, Result<Update, CommandFailure>)> {
    let all = Installed::all(&task.environment.home).into_iter();
    let updated = all.map(|installed| {
        let update = update(task, &installed, agreement);
        (installed.name, update)
    });
    updated.collect()
}

fn update(
    task: Task<'_>,
    installed: &Installed,
    agreement: Agreement<'_>,
) -> Result<Update, CommandFailure> {
    let (name, place) = (installed.name.as_str(), &installed.folder);
    let source = match &installed.source {
        Some(Source::Link(_)) => return Ok(Update::Linked),
        Some(source) => source,
        None => {
            let message = format!("the record of where \"{name}\" came from is missing");
            return Err(CommandFailure::new(FailureCode::NoSource, message));
        }
    };
    let staging = Staging::create(&task.environment.home)?;
    stage(task, source, &staging)?;
    if is_same_tree(place, &staging.extension())? {
        if !agreement.values.is_empty() {
            let message =
                format!("\"{name}\" is up to date; to set a value: `hookloop extensions settings`");
            return Err(CommandFailure::bad_input(message));
        }
        return Ok(Update::UpToDate);
    }
    let bundle = Bundle::read(staging.home(), &extensions_folder(&task.environment.home))?;
    if bundle.name != name {
        let message = format!("\"{name}\" is now named \"{}\" there", bundle.name);
        return Err(CommandFailure::bad_input(message));
    }
    if !is_only_newer(task, place, &staging)? {
        agreement.consent.agree(&Proposal {
            bundle: &bundle,
            question: format!("Update \"{name}\" from {}?", source.describe()),
            changes: changes(task, place, &bundle)?,
        })?;
    }
    let known = Kept::of(place).names();
    let values = collected(&bundle.settings, agreement, &known)?;
    let staged = staging.extension();
    hookloop_extensions::keep(place, &staged)?;
    let keyring = hookloop_keyring::open(task.environment.keyring_access());
    let keeper = Keeper {
        keyring: &*keyring,
        name,
        place,
    };
    let kept = keeper.store(&staged, &bundle.settings, &values)?;
    source.remember(&staged)?;
    staging.replace(place)?;
    Ok(Update::Updated(Box::new(InstalledExtension {
        warnings: storage_warnings(&bundle.settings, &kept, place),
        bundle,
        place: place.clone(),
    })))
}

/// Returns whether only the version number of an extension has changed: then there is nothing to
/// agree to (EX-4).
fn is_only_newer(task: Task<'_>, place: &Path, new: &Staging) -> Result<bool, CommandFailure> {
    let read = |folder: &Path| read_text(&folder.join(MANIFEST)).ok();
    let (Some(old), Some(newer)) = (read(place), read(&new.extension())) else {
        return Ok(false);
    };
    let (Some(from), Some(to)) = (version(&old), version(&newer)) else {
        return Ok(false);
    };
    // Compares the texts, because readers of the manifest may use other members.
    if old.replacen(&from, &to, 1) != newer {
        return Ok(false);
    }
    // With the manifest replaced, there must be no difference left.
    let staging = Staging::create(&task.environment.home)?;
    let folder = staging.extension();
    hookloop_extensions::copy_tree(place, &folder)?;
    let copied = std::fs::copy(new.extension().join(MANIFEST), folder.join(MANIFEST));
    Ok(copied.is_ok() && is_same_tree(&folder, &new.extension())?)
}

/// Returns the version in a manifest, as it is written there.
fn version(manifest: &str) -> Option<String> {
    let manifest: Value = serde_json::from_str(manifest).ok()?;
    Some(format!("\"{}\"", manifest["version"].as_str()?))
}

/// Lists the hooks and servers that an update adds or changes.
fn changes(task: Task<'_>, place: &Path, new: &Bundle) -> Result<Vec<String>, CommandFailure> {
    let shown_at = extensions_folder(&task.environment.home);
    let mut changes = Vec::new();
    // If the installed extension is broken, everything counts as new.
    let staging = Staging::create(&task.environment.home)?;
    hookloop_extensions::copy_tree(place, &staging.extension())?;
    let old = Bundle::read(staging.home(), &shown_at).ok();
    let old_hooks = old.as_ref().map_or(&[][..], |it| it.hooks.as_slice());
    let old_servers = old.as_ref().map_or(&[][..], |it| it.servers.as_slice());
    for hook in new.hooks.iter().filter(|it| !old_hooks.contains(it)) {
        changes.push(format!(
            "new or changed hook: {}: {}",
            hook.when, hook.command
        ));
    }
    for hook in old_hooks.iter().filter(|it| !new.hooks.contains(it)) {
        changes.push(format!(
            "removed or replaced hook: {}: {}",
            hook.when, hook.command
        ));
    }
    for server in new.servers.iter().filter(|it| !old_servers.contains(it)) {
        changes.push(format!(
            "new or changed MCP server: {}: {}",
            server.name, server.start
        ));
    }
    if changes.is_empty() && new.runs_programs() {
        changes.push("the same hooks and servers, but files that they use changed".to_owned());
    }
    Ok(changes)
}
