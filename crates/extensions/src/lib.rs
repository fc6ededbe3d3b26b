//! Extensions: their contents, their sources, their atomic installation, and the storage of their
//! settings (EX-1, EX-3, EX-4). Asking for consent and reporting results is up to the caller.
//!
//! ```
//! use std::path::Path;
//!
//! use hookloop_extensions::{Bundle, Source, Staging, copy_tree};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let home = folder.path().join("home");
//! # let given = folder.path().join("greeter");
//! # std::fs::create_dir_all(&home)?;
//! # std::fs::create_dir_all(&given)?;
//! # std::fs::write(
//! #     given.join("gemini-extension.json"),
//! #     r#"{ "name": "greeter", "version": "1.0.0" }"#,
//! # )?;
//! // Copied beside the others, read, agreed to, and only then moved to its place.
//! let staging = Staging::create(&home)?;
//! copy_tree(&given, &staging.extension())?;
//! let bundle = Bundle::read(staging.home(), &staging.place_of("greeter"))?;
//! assert_eq!((&*bundle.name, &*bundle.version), ("greeter", "1.0.0"));
//! let place = staging.install(&bundle.name)?;
//! assert!(place.join("gemini-extension.json").is_file());
//! # Ok(())
//! # }
//! ```

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
