//! What the commands print for people. Whatever comes from a file is printed with its control
//! characters escaped: a hook's name must not move the cursor.

mod created;
mod diagnostics;
mod explanation;
mod extensions;
mod failure;
mod fired;
mod heading;
mod list;
mod migrated;
mod notices;
#[cfg(feature = "trace")]
mod recorded;
mod review;
mod run;
mod switched;
mod tested;
mod trust;

pub(crate) use created::created;
pub(crate) use diagnostics::diagnostics;
pub(crate) use explanation::explanation;
pub(crate) use extensions::{
    bundle, extension_settings, extension_switched, extensions, installed, settings_notice,
    unlinked,
};
pub(crate) use failure::failure;
pub(crate) use fired::fired;
pub(crate) use heading::{event_heading, fired_heading};
pub(crate) use list::list;
pub(crate) use migrated::migrated;
pub(crate) use notices::{engine_notices, folder_notice, trust_notices, warning};
#[cfg(feature = "trace")]
pub(crate) use recorded::{followed_run, recorded_run, recorded_runs, replayed};
pub(crate) use review::{review, unified_diff};
pub(crate) use switched::{
    disabled, disabled_by_name, enabled, locked, overridden, still_off, still_on, turned_all,
};
pub(crate) use tested::{differences, tested};
pub(crate) use trust::trust_change;
