//! Fingerprints, standing and folder trust: which configured hooks may run (TR-1…12).
//!
//! [`TrustStore::vouch`] turns declarations into [`Vouched`] hooks, each with its standing and
//! whether it may run. It has no side effect (TR-7). Only [`TrustStore::trust`],
//! [`TrustStore::untrust`], [`TrustStore::renew`] and [`TrustStore::agree_to_settings`] write.
//!
//! ```
//! use hookloop_hook::{EventName, Handler, HookDeclaration, HookId, Layer, Source};
//! use hookloop_settings::WorkspaceTrust;
//! use hookloop_trust::{Standing, TrustStore};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let (project, state) = (folder.path().join("shop"), folder.path().join("state"));
//! # std::fs::create_dir_all(&project)?;
//! # std::fs::create_dir_all(&state)?;
//! std::fs::write(project.join("guard.sh"), "exit 2\n")?;
//! let mut source = Source::of_file(project.join(".gemini/settings.json"));
//! source.layer = Some(Layer::Project);
//! let handler = Handler::command("sh ./guard.sh");
//! let hook = HookDeclaration::new(HookId::from_text("guard"), EventName::BeforeTool, handler, source);
//!
//! let (mut store, problems) = TrustStore::open(state.join("trusted_hooks.json"));
//! assert!(problems.is_empty());
//! let standing = |store: &TrustStore| {
//!     let vouched = store.vouch(&project, vec![hook.clone()], &WorkspaceTrust::Folder);
//!     vouched[0].standing.clone()
//! };
//! assert_eq!(standing(&store), Standing::New);
//! store.trust(&project, &[&hook])?;
//! assert_eq!(standing(&store), Standing::Trusted);
//!
//! // When a script changes, its hook is no longer trusted.
//! std::fs::write(project.join("guard.sh"), "exit 0\n")?;
//! assert_ne!(standing(&store), Standing::Trusted);
//! # Ok(())
//! # }
//! ```

mod alike;
mod aspect;
mod deciding;
mod digest;
mod fields;
mod fingerprint;
mod folders;
mod git_index;
mod known;
mod looking_up;
mod named_file;
mod ownership;
mod pairing;
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

pub use alike::alike;
pub use aspect::{Depth, FilePart, NamedFiles, Part};
pub use deciding::{Belonging, Examination, Examined, Loaded};
pub use digest::digest_of;
pub use fingerprint::Fingerprint;
pub use folders::FolderTrustFile;
pub use named_file::{FileState, NamedFile, NamedPart};
pub use ownership::{Insecure, OpenTo, OwnerCheck};
pub use real_path::{RealPaths, real_path, real_path_with};
pub use resolve::{
    BUN_SETTINGS, START_VARIABLES, Surroundings, decisive_files, javascript_kind, resolve_path,
};
pub use review::{ReviewedFile, ReviewedState, Reviewer};
pub use standing::{Acceptance, Agreed, Change, ChangeKind, Renewal, Standing, Vouched};
pub use store::{GoneHook, TrustStore};
pub use store_file::StoreError;
