//! `extensions install` (EX-4): fetched aside, shown, agreed to, and put in place as a whole.

use hookloop_extensions::{
    Around, Bundle, Installed, Keeper, Source, Staging, copy_tree, extensions_folder, fetch,
};

use hookloop_session::{RunOptions, Workspace};
use hookloop_settings::ExtensionSource;

use super::{Done, InstallArguments, consent, setting_values, words};
use hookloop_manage::CommandFailure;

use crate::commands::Context;
use crate::output::{Exit, Output};

/// Installs an extension from a folder or a repository.
pub(super) fn install(
    context: &Context<'_>,
    arguments: &InstallArguments,
) -> Result<Output, CommandFailure> {
    let environment = context.environment;
    let reference = arguments.reference.as_deref();
    let source = Source::parse(&arguments.source, reference, &environment.current_dir)?;
    let staging = Staging::create(&environment.home)?;
    stage(context, &source, &staging)?;
    let bundle = Bundle::read(staging.home(), &extensions_folder(&environment.home))?;
    let place = staging.place_of(&bundle.name);
    Installed::check_free(&environment.home, &bundle.name, &place)?;
    let question = format!("Install \"{}\" from {}?", bundle.name, source.shown());
    consent::ask(
        context,
        &arguments.consent,
        &bundle,
        &hookloop_text::visible(&question),
        &[],
    )?;
    let values = setting_values::collect(&bundle.settings, &arguments.consent, &[])?;
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
            // What stays in the keyring all the same is overwritten by the next attempt.
            keeper.forget(&kept.in_keyring);
            return Err(failure.into());
        }
    };
    let told = words::installed(&bundle, &place, "installed");
    let mut done = Done::new(&bundle.name, &place, told);
    done.notices = words::settings_notice(&bundle.settings, &kept, &place);
    done.report(context, Exit::Done)
}

/// Puts what a source holds into the staged folder.
pub(super) fn stage(
    context: &Context<'_>,
    source: &Source,
    staging: &Staging,
) -> Result<(), CommandFailure> {
    check_allowed(context, source)?;
    match source {
        Source::Git { url, reference } => {
            let fetched = staging.fetched();
            let environment = context.environment;
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

/// Refuses an extension that settings keep out: it would be off where it stands (AG-CLI-9).
fn check_allowed(context: &Context<'_>, source: &Source) -> Result<(), CommandFailure> {
    let workspace = Workspace::open(context.environment, &RunOptions::default());
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
            source.shown()
        ))
        .into()),
    }
}

fn source_folder(staging: &Staging) -> Result<(), hookloop_extensions::Failure> {
    let folder = staging.extension();
    std::fs::create_dir_all(&folder)
        .map_err(|error| hookloop_extensions::not_writable(&folder, &error))
}
