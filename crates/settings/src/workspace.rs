//! Whether the workspace is trusted (TR-3, TR-5).

use hookloop_hook::Source;

/// What `trustedFolders.json` says about the project's folder (TR-5).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum FolderTrust {
    /// Nothing.
    #[default]
    Untold,
    /// `TRUST_FOLDER`, or `TRUST_PARENT` of a folder in it.
    Trusted,
    /// `DO_NOT_TRUST`.
    DoNotTrust {
        /// The entry.
        source: Source,
    },
}

/// Whether the workspace was trusted for this run alone (TR-3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RunTrust {
    /// It wasn't.
    #[default]
    NotGiven,
    /// By `--skip-trust`.
    Option,
    /// By `GEMINI_CLI_TRUST_WORKSPACE=true`.
    Environment,
}

/// Whether the workspace is trusted, and why (TR-3, TR-5).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum WorkspaceTrust {
    /// Nobody said so: the project's settings may not weaken those of others.
    #[default]
    Untold,
    /// By its entry in `trustedFolders.json`: its settings count, its hooks need trust of their
    /// own.
    Folder,
    /// For this run: its settings count and its hooks run (TR-3).
    ThisRun(RunTrust),
    /// The user's or the system's `security.folderTrust.enabled` is false: as for this run (TR-3).
    FolderTrustOff {
        /// The setting.
        source: Option<Source>,
    },
    /// The folder is marked `DO_NOT_TRUST`; this wins over everything (TR-5).
    DoNotTrust {
        /// The entry.
        source: Source,
    },
}

impl WorkspaceTrust {
    /// Returns whether the project's settings count for hooks of other layers (ST-7).
    pub const fn is_trusted(&self) -> bool {
        matches!(
            self,
            Self::Folder | Self::ThisRun(_) | Self::FolderTrustOff { .. }
        )
    }

    /// Returns whether the project is marked `DO_NOT_TRUST`: nothing of it counts (TR-5).
    pub const fn is_kept_out(&self) -> bool {
        matches!(self, Self::DoNotTrust { .. })
    }

    /// Returns whether the project's hooks run without a trust of their own (TR-3).
    pub const fn lets_hooks_run(&self) -> bool {
        matches!(self, Self::ThisRun(_) | Self::FolderTrustOff { .. })
    }
}
