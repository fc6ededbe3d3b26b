//! What the commands print for people. Whatever comes from a file is printed with its control
//! characters escaped: a hook's name must not move the cursor.

mod diagnostics;
mod escape;
mod explanation;
mod failure;
mod fired;
mod heading;
mod list;
mod notices;
pub(crate) mod style;
mod table;
mod trust;
mod wrap;

pub(crate) use diagnostics::diagnostics;
pub(crate) use escape::{columns, visible};
pub(crate) use explanation::explanation;
pub(crate) use failure::failure;
pub(crate) use fired::fired;
pub(crate) use heading::{event_heading, fired_heading};
pub(crate) use list::list;
pub(crate) use notices::{engine_notices, folder_notice, trust_notices, warning};
pub(crate) use trust::trust_change;
pub(crate) use wrap::wrap;
