//! Fingerprints, standing and folder trust: which declared hooks may run (TR-1…7).
//!
//! [`TrustStore::vouch`] turns declarations into [`Vouched`] hooks: each with its standing, and
//! whether it may run. It has no side effect (TR-7); only [`TrustStore::trust`],
//! [`TrustStore::untrust`] and [`TrustStore::record_baseline`] write.

mod fingerprint;
mod folders;
mod named_files;
mod recheck;
mod record;
mod review;
mod standing;
mod store;
mod store_file;

pub use fingerprint::Fingerprint;
pub use folders::FolderTrustFile;
pub use named_files::{FileState, NamedFile};
pub use review::{ReviewedFile, ReviewedState, Reviewer};
pub use standing::{Acceptance, Change, ChangeKind, Standing, Vouched};
pub use store::TrustStore;
pub use store_file::StoreError;
