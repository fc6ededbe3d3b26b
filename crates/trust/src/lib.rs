//! Fingerprints, standing and folder trust: which declared hooks may run (TR-1…12).
//!
//! [`TrustStore::vouch`] turns declarations into [`Vouched`] hooks: each with its standing, and
//! whether it may run. It has no side effect (TR-7); only [`TrustStore::trust`],
//! [`TrustStore::untrust`], [`TrustStore::renew`] and [`TrustStore::agree_to_settings`] write.

mod deciding;
mod digest;
mod fields;
mod fingerprint;
mod folders;
mod named_file;
mod ownership;
mod real_path;
mod recheck;
mod record;
mod repository;
mod resolve;
mod review;
mod rules_one;
mod standing;
mod store;
mod store_file;
mod store_opening;

pub use deciding::{Belonging, Loaded};
pub use digest::digest_of;
pub use fingerprint::Fingerprint;
pub use folders::FolderTrustFile;
pub use named_file::{FileState, NamedFile};
pub use ownership::{Insecure, OpenTo, OwnerCheck};
pub use real_path::{RealPaths, real_path, real_path_with};
pub use resolve::{
    BUN_SETTINGS, START_VARIABLES, Surroundings, decisive_files, javascript_kind, named_path,
};
pub use review::{ReviewedFile, ReviewedState, Reviewer};
pub use standing::{Acceptance, Agreed, Change, ChangeKind, Renewal, Standing, Vouched};
pub use store::{GoneHook, TrustStore};
pub use store_file::StoreError;
