//! Extensions, and which of them are enabled (EX-1, EX-4).

use std::path::Path;
use std::sync::Arc;

use hookloop_hook::{ExtensionOrigin, Source};

use crate::restrictions::Restrictions;
use crate::workspace::WorkspaceTrust;

/// What to do about a broken extension.
pub(crate) const REPAIR: &str = "repair or uninstall it; the extension was ignored";

/// Which extensions are used in this run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ExtensionChoice {
    /// All enabled ones.
    #[default]
    Enabled,
    /// Those with these names (`--extensions`), if they are enabled too; the word `none` stands for
    /// none.
    Only(Vec<String>),
}

/// A valid extension (EX-1).
#[derive(Debug, Clone, PartialEq)]
pub struct Extension {
    /// Name, folder, scope, enablement, and settings for the environment.
    pub origin: Arc<ExtensionOrigin>,
    /// `version`, or an empty text.
    pub version: String,
    /// `mcpServers`, with variables replaced. Empty for a project's extension unless the workspace
    /// is trusted, because a server is a program.
    pub mcp_servers: Vec<(String, serde_json::Value)>,
    /// `contextFileName`, by default `GEMINI.md`. The file need not exist.
    pub context_file_names: Vec<String>,
    /// `excludeTools`.
    pub exclude_tools: Vec<String>,
    /// The manifest.
    pub source: Source,
}

/// Where extensions are looked for.
pub(crate) struct ExtensionFolders<'a> {
    pub(crate) home: &'a Path,
    /// The project's root, unless it is the home folder.
    pub(crate) project: Option<&'a Path>,
    pub(crate) workspace: &'a Path,
    pub(crate) choice: &'a ExtensionChoice,
    pub(crate) trust: &'a WorkspaceTrust,
    /// What the user and the system forbid (AG-CLI-9).
    pub(crate) restrictions: &'a Restrictions,
}
