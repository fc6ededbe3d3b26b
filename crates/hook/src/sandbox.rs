//! What the process of a hook may do.

use serde::Serialize;

/// What a hook's entry says under `sandbox`: its process is confined to that. It may read and run
/// everything, and write to temporary folders.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct HookSandbox {
    /// Further folders and files that it may write to, relative ones from the project's root.
    pub write: Vec<String>,
    /// Whether it reaches the network.
    pub network: bool,
}
