//! `extensions settings`: the values of an extension's settings (EX-3, EX-4).

use hookloop_extensions::{Bundle, Installed, Keeper, Kept, Staging, copy_tree, extensions_folder};

use super::{ConsentArguments, Done, ExtensionSettingsArguments, setting_values, words};
use hookloop_manage::CommandFailure;

use crate::commands::Context;
use crate::output::{Exit, Output};

/// Sets values, asks for those that are missing where somebody is there, and says where all are.
pub(super) fn settings(
    context: &Context<'_>,
    arguments: &ExtensionSettingsArguments,
) -> Result<Output, CommandFailure> {
    let installed = Installed::find(&context.environment.home, &arguments.name)?;
    let place = installed.content();
    // Read from a copy, like one that is to come: what is broken is said in the same words.
    let staging = Staging::create(&context.environment.home)?;
    copy_tree(place, &staging.extension())?;
    let bundle = Bundle::read(
        staging.home(),
        &extensions_folder(&context.environment.home),
    )?;
    let known = Kept::of(place).names();
    let asked = ConsentArguments {
        // Who names values in a script is not asked for the others.
        consent: !arguments.settings.is_empty(),
        settings: arguments.settings.clone(),
    };
    let values = setting_values::collect(&bundle.settings, &asked, &known)?;
    let keyring = hookloop_keyring::open(context.environment.keyring_access());
    let keeper = Keeper {
        keyring: &*keyring,
        name: &bundle.name,
        place,
    };
    let kept = keeper.store(place, &bundle.settings, &values)?;
    let mut done = Done {
        names: vec![bundle.name.clone()],
        told: words::extension_settings(&bundle, &kept),
        notices: words::settings_notice(&bundle.settings, &kept, place),
        ..Done::default()
    };
    if !values.is_empty() {
        done.files.push(place.to_owned());
    }
    done.report(context, Exit::Done)
}
