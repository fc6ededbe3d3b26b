//! Extensions: their contents, their sources, their atomic installation, and the storage of their
//! settings (EX-1, EX-3, EX-4). Asking for consent and reporting results is up to the caller.

mod bundle;
mod copy;
mod failure;
mod git;
mod installed;
mod kept_settings;
mod marketplace;
mod source;
mod staging;

pub use bundle::{Bundle, BundledHook, BundledServer, SettingDeclaration};
pub use copy::{copy_tree, is_same_tree};
pub use failure::{Failure, FailureKind};
pub use git::{Around, fetch};
pub use installed::{Installed, check_known};
pub use kept_settings::{Keeper, Kept, Values, keep, unlist};
pub use source::Source;
pub use staging::{Staging, already_exists, extensions_folder, not_writable};
