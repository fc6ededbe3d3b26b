//! `extensions link`: an extension that is used where it is (EX-4).

use hookloop_extensions::{Bundle, Installed, Keeper, Kept, Source, Staging, extensions_folder};

use super::install::stage;
use super::{Done, LinkArguments, consent, setting_values, words};
use hookloop_manage::CommandFailure;

use crate::commands::Context;
use crate::output::{Exit, Output};

/// Links an extension. What its author changes later counts at once, which the person agrees to.
pub(super) fn link(
    context: &Context<'_>,
    arguments: &LinkArguments,
) -> Result<Output, CommandFailure> {
    let environment = context.environment;
    let source = Source::link(&arguments.path, &environment.current_dir)?;
    let staging = Staging::create(&environment.home)?;
    stage(context, &source, &staging)?;
    let bundle = Bundle::read(staging.home(), &extensions_folder(&environment.home))?;
    let place = staging.place_of(&bundle.name);
    Installed::check_free(&environment.home, &bundle.name, &place)?;
    let question = format!(
        "Link \"{}\" to {}? What changes there counts at once.",
        bundle.name,
        source.shown()
    );
    consent::ask(
        context,
        &arguments.consent,
        &bundle,
        &hookloop_text::visible(&question),
        &[],
    )?;
    let Source::Link(folder) = &source else {
        return Err(CommandFailure::internal("a link has no folder"));
    };
    let known = Kept::of(folder).names();
    let values = setting_values::collect(&bundle.settings, &arguments.consent, &known)?;
    let place = staging.install(&bundle.name)?;
    // Settings of a linked extension are read where it is.
    let keyring = hookloop_keyring::open(environment.keyring_access());
    let keeper = Keeper {
        keyring: &*keyring,
        name: &bundle.name,
        place: folder,
    };
    let kept = keeper.store(folder, &bundle.settings, &values)?;
    let told = words::installed(&bundle, &place, "linked");
    let mut done = Done::new(&bundle.name, &place, told);
    done.notices = words::settings_notice(&bundle.settings, &kept, folder);
    done.report(context, Exit::Done)
}
