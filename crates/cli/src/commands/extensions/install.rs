//! `extensions install` (EX-4): fetched aside, shown, agreed to, and put in place as a whole.

use super::bundle::Bundle;
use super::copy::copy_tree;
use super::installed::Installed;
use super::kept_settings::Keeper;
use super::source::Source;
use super::staging::{Staging, extensions_folder};
use super::{Done, consent, git, setting_values};
use crate::arguments::InstallArguments;
use crate::commands::{CommandFailure, Context};
use crate::output::{Exit, Output};
use crate::text;

/// Installs an extension from a folder or a repository.
pub(super) fn install(
    context: &Context<'_>,
    arguments: &InstallArguments,
) -> Result<Output, CommandFailure> {
    let environment = context.environment;
    let reference = arguments.reference.as_deref();
    let source = Source::parse(&arguments.source, reference, &environment.current_dir)?;
    let staging = Staging::create(environment)?;
    stage(context, &source, &staging)?;
    let bundle = Bundle::read(staging.home(), &extensions_folder(environment))?;
    let place = staging.place_of(&bundle.name);
    Installed::check_free(environment, &bundle.name, &place)?;
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
            return Err(failure);
        }
    };
    let told = text::installed(&bundle, &place, "installed");
    let mut done = Done::new(&bundle.name, &place, told);
    done.notices = text::settings_notice(&bundle.settings, &kept, &place);
    done.report(context, Exit::Done)
}

/// Puts what a source holds into the staged folder.
pub(super) fn stage(
    context: &Context<'_>,
    source: &Source,
    staging: &Staging,
) -> Result<(), CommandFailure> {
    match source {
        Source::Git { url, reference } => {
            let fetched = staging.fetched();
            git::fetch(context.environment, url, reference.as_deref(), &fetched)?;
            copy_tree(&fetched, &staging.extension())
        }
        Source::Local(folder) => copy_tree(folder, &staging.extension()),
        Source::Link(_) => {
            source_folder(staging).and_then(|()| source.remember(&staging.extension()))
        }
    }
}

fn source_folder(staging: &Staging) -> Result<(), CommandFailure> {
    let folder = staging.extension();
    std::fs::create_dir_all(&folder).map_err(|error| super::staging::not_writable(&folder, &error))
}
