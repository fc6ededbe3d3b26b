//! `extensions update` (EX-4): asks again before anything that runs becomes another.

use std::path::Path;

use hookloop_extensions::{
    Bundle, Installed, Keeper, Kept, Source, Staging, extensions_folder, is_same_tree,
};

use super::install::stage;
use super::{Done, UpdateArguments, consent, setting_values, words};
use hookloop_manage::{CommandFailure, FailureCode};

use crate::commands::{Context, text};
use crate::output::{Exit, Output};

/// Brings one extension, or all, to the newest state of their sources.
pub(super) fn update(
    context: &Context<'_>,
    arguments: &UpdateArguments,
) -> Result<Output, CommandFailure> {
    let mut done = Done::default();
    if let Some(name) = &arguments.name {
        let installed = Installed::find(&context.environment.home, name)?;
        one(context, arguments, &installed, &mut done)?;
        return done.report(context, Exit::Done);
    }
    let mut exit = Exit::Done;
    for installed in Installed::all(&context.environment.home) {
        // One that can't be updated takes the others not along.
        if let Err(failure) = one(context, arguments, &installed, &mut done) {
            let name = &installed.name;
            done.notices
                .push_str(&text::warning(&format!("\"{name}\": {}", failure.message)));
            exit = Exit::Failed;
        }
    }
    if done.told.is_empty() && exit == Exit::Done {
        "there are no extensions to update\n".clone_into(&mut done.told);
    }
    done.report(context, exit)
}

fn one(
    context: &Context<'_>,
    arguments: &UpdateArguments,
    installed: &Installed,
    done: &mut Done,
) -> Result<(), CommandFailure> {
    let (name, place) = (installed.name.as_str(), &installed.folder);
    let shown = hookloop_text::visible(name);
    let source = match &installed.source {
        Some(Source::Link(_)) => {
            done.told
                .extend([format!("linked, and always up to date: {shown}\n")]);
            return Ok(());
        }
        Some(source) => source,
        None => {
            let message = format!("nothing is known of where \"{name}\" came from");
            return Err(CommandFailure::new(FailureCode::NoSource, message));
        }
    };
    let staging = Staging::create(&context.environment.home)?;
    stage(context, source, &staging)?;
    if is_same_tree(place, &staging.extension())? {
        if !arguments.consent.settings.is_empty() {
            let message =
                format!("\"{name}\" is up to date; to set a value: `hookloop extensions settings`");
            return Err(CommandFailure::bad_input(message));
        }
        done.told.extend([format!("up to date: {shown}\n")]);
        return Ok(());
    }
    let bundle = Bundle::read(
        staging.home(),
        &extensions_folder(&context.environment.home),
    )?;
    if bundle.name != name {
        let message = format!("\"{name}\" is named \"{}\" there now", bundle.name);
        return Err(CommandFailure::bad_input(message));
    }
    let question = format!("Update \"{name}\" from {}?", source.shown());
    let changes = changes(context, place, &bundle)?;
    let question = hookloop_text::visible(&question);
    consent::ask(context, &arguments.consent, &bundle, &question, &changes)?;
    let known = Kept::of(place).names();
    let values = setting_values::collect(&bundle.settings, &arguments.consent, &known)?;
    let staged = staging.extension();
    hookloop_extensions::keep(place, &staged)?;
    let keyring = hookloop_keyring::open(context.environment.keyring_access());
    let keeper = Keeper {
        keyring: &*keyring,
        name,
        place,
    };
    let kept = keeper.store(&staged, &bundle.settings, &values)?;
    source.remember(&staged)?;
    staging.replace(place)?;
    done.names.push(name.to_owned());
    done.files.push(place.clone());
    done.told
        .push_str(&words::installed(&bundle, place, "updated"));
    done.notices
        .push_str(&words::settings_notice(&bundle.settings, &kept, place));
    Ok(())
}

/// Says which hooks and servers come or change with an update.
fn changes(
    context: &Context<'_>,
    place: &Path,
    new: &Bundle,
) -> Result<Vec<String>, CommandFailure> {
    let shown_at = extensions_folder(&context.environment.home);
    let mut changes = Vec::new();
    // One that is broken now brings nothing: everything is new.
    let staging = Staging::create(&context.environment.home)?;
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
            "hook that goes, or is replaced: {}: {}",
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
        changes.push("the same hooks and servers; files that they use changed".to_owned());
    }
    Ok(changes)
}
