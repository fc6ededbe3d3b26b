//! Where a hook stands with the person who runs the agent (TR-1…5).

use std::fmt;
use std::sync::Arc;

use hookloop_hook::{HookDeclaration, Source};
use serde::Serialize;

use crate::fingerprint::Fingerprint;

/// Names what changed since a hook was trusted (`cli-json.md` §3, `hooks review`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// The event it waits for.
    Event,
    /// Its matcher.
    Matcher,
    /// Its name.
    Name,
    /// Its command.
    Command,
    /// Its environment.
    Env,
    /// A file that its command names.
    Files,
}

impl ChangeKind {
    /// Returns the word as JSON output spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Matcher => "matcher",
            Self::Name => "name",
            Self::Command => "command",
            Self::Env => "env",
            Self::Files => "files",
        }
    }
}

/// Says one thing that changed since a hook was trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What.
    pub kind: ChangeKind,
    /// A sentence, such as "format.sh changed since it was trusted".
    pub message: String,
}

impl fmt::Display for Change {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

/// Says where a hook stands (TR-1, TR-5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It is the user's, the system's, or of an extension that the user installed.
    NotNeeded,
    /// A person agreed to exactly this.
    Trusted,
    /// Nobody agreed to it yet.
    New,
    /// A person agreed to it before it changed.
    Modified {
        /// What changed; never empty.
        changes: Vec<Change>,
        /// The changes in one sentence.
        message: String,
    },
    /// Its folder is marked `DO_NOT_TRUST` (TR-5).
    FolderUntrusted {
        /// The entry.
        source: Source,
    },
}

impl Standing {
    pub(crate) fn modified(changes: Vec<Change>) -> Self {
        let messages: Vec<&str> = changes
            .iter()
            .map(|change| change.message.as_str())
            .collect();
        let message = messages.join("; ");
        Self::Modified { changes, message }
    }

    /// Returns the `trust` of JSON output (`cli-json.md` §2, "Hook"): a hook of a folder that is
    /// not trusted counts as new.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::NotNeeded => "not_needed",
            Self::Trusted => "trusted",
            Self::New | Self::FolderUntrusted { .. } => "new",
            Self::Modified { .. } => "modified",
        }
    }
}

/// Says why a hook may run, or that it may not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Acceptance {
    /// It needs no trust.
    NotNeeded,
    /// The store holds its fingerprint.
    ByStore,
    /// Upstream's list holds it; its baseline is to be recorded when it first runs (TR-4).
    ByUpstream,
    /// The workspace is trusted for this run (TR-3).
    ThisRun,
    /// It may not run before a person has agreed (TR-2).
    No,
}

/// Holds a hook together with its standing. Only the trust store makes these.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Vouched {
    /// The hook.
    pub hook: Arc<HookDeclaration>,
    /// Where it stands.
    pub standing: Standing,
    /// Why it may run, or that it may not.
    pub accepted: Acceptance,
    /// What it was when it was looked at; nothing where trust is not needed.
    pub fingerprint: Option<Arc<Fingerprint>>,
}

impl Vouched {
    /// Tells whether trust lets this hook run.
    pub fn may_run(&self) -> bool {
        self.accepted != Acceptance::No
    }

    /// Returns a hook that needs no trust, because the embedding program itself declares it. A
    /// hook that a project brings may not run.
    pub fn by_host(hook: HookDeclaration) -> Self {
        let from_project = hook.is_from_project();
        let (standing, accepted) = if from_project {
            (Standing::New, Acceptance::No)
        } else {
            (Standing::NotNeeded, Acceptance::NotNeeded)
        };
        Self {
            hook: Arc::new(hook),
            standing,
            accepted,
            fingerprint: None,
        }
    }
}
