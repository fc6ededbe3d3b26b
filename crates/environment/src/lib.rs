//! The program's own environment (ENV-3).
//!
//! A project's hook gets an environment without secrets, which is worth little if it can read
//! them from the program that started it. So the program [takes](take) its environment before
//! it does anything else, and overwrites what looks like a secret where the system exposes it.
//!
//! ```
//! use hookloop_environment::{Exposure, looks_secret, take};
//!
//! // First in `main`, before another thread could read the environment.
//! let variables = take(Exposure::Hidden);
//!
//! let for_hooks = variables.into_iter().filter(|(name, value)| {
//!     !looks_secret(&name.to_string_lossy(), &value.to_string_lossy())
//! });
//! # drop(for_hooks);
//! assert!(looks_secret("GITHUB_TOKEN", "ghp_1"));
//! assert!(!looks_secret("PATH", "/usr/bin"));
//! ```

#[cfg(any(target_os = "linux", target_os = "macos"))]
mod block;
mod secret;

use std::ffi::OsString;

pub use secret::looks_secret;

/// Whether other programs of the same person may look into this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exposure {
    /// They may not, as far as the system can prevent it.
    Hidden,
    /// They may, as a debugger must.
    Debuggable,
}

/// Takes over the environment: returns a copy of it, and overwrites the values in the process's own
/// block that look like secrets.
///
/// Call it first in `main`. Later calls, and calls while other threads run, overwrite nothing,
/// because another thread might be reading. Names and other values are kept, so that libraries find
/// what they look for; a child that is started without an environment of its own gets empty values.
pub fn take(exposure: Exposure) -> Vec<(OsString, OsString)> {
    let variables = std::env::vars_os().collect();
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    block::overwrite(looks_secret);
    if exposure == Exposure::Hidden {
        hide();
    }
    variables
}

/// Returns the environment without changing it: for programs that embed the engine, which manage
/// their own environment.
pub fn variables() -> Vec<(OsString, OsString)> {
    std::env::vars_os().collect()
}

/// Prevents other programs of the same person from tracing and dumping the process.
fn hide() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        // If the system refuses, the block still contains no secrets.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}
