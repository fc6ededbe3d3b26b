//! A hook's standing: whether the person who runs the agent trusts it (TR-1…5).

use std::fmt;
use std::sync::Arc;

use hookloop_hook::{Broken, EventName, Handler, HookDeclaration, HookId, OnFailure, Source};
use serde::{Serialize, Serializer};

use crate::fingerprint::Fingerprint;

/// What changed since a hook was trusted (`cli-json.md` §3, `hooks review`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// Its event.
    Event,
    /// Its matcher.
    Matcher,
    /// Its name.
    Name,
    /// Its command.
    Command,
    /// Its environment.
    Env,
    /// Another field of its entry, by its name in the entry.
    Field(&'static str),
    /// A file that it names.
    Files,
}

/// The other fields that a record may contain.
const FIELDS: [&str; 29] = [
    "sandbox",
    "type",
    "args",
    "shell",
    "idle",
    "url",
    "headers",
    "allowedEnv",
    "plugin",
    "grants",
    "live",
    "rules",
    "server",
    "tool",
    "input",
    "prompt",
    "model",
    "extension",
    "sequential",
    "timeout",
    "onFailure",
    "dialect",
    "dialectEvent",
    "mode",
    "if",
    "recheck",
    "data",
    "holdBack",
    "chunks",
];

impl ChangeKind {
    /// Returns the kind of a field by its name in settings.
    pub(crate) fn from_field(name: &str) -> Self {
        match name {
            "event" => Self::Event,
            "matcher" => Self::Matcher,
            "name" => Self::Name,
            "command" => Self::Command,
            "env" => Self::Env,
            "async" => Self::Field("async"),
            "asyncRewake" => Self::Field("asyncRewake"),
            "loopLimit" => Self::Field("loopLimit"),
            "once" => Self::Field("once"),
            "agents" => Self::Field("agents"),
            "withholds" => Self::Field("withholds"),
            other => {
                let known = FIELDS.into_iter().find(|it| *it == other);
                // This version no longer knows the field.
                Self::Field(known.unwrap_or("entry"))
            }
        }
    }

    /// Returns its name in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Matcher => "matcher",
            Self::Name => "name",
            Self::Command => "command",
            Self::Env => "env",
            Self::Field(name) => name,
            Self::Files => "files",
        }
    }
}

impl Serialize for ChangeKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// One thing that changed since a hook was trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What changed.
    pub kind: ChangeKind,
    /// A sentence, such as "format.sh changed since it was trusted".
    pub message: String,
}

impl fmt::Display for Change {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

/// Whether and how a hook is trusted (TR-1, TR-5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// The hook needs no trust: it is the user's, the system's, or part of an extension that the
    /// user installed.
    NotNeeded,
    /// A person agreed to exactly this hook.
    Trusted,
    /// Nobody has agreed to it yet.
    New,
    /// A person agreed to it, and it has changed since.
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
    pub(crate) fn from_changes(changes: Vec<Change>) -> Self {
        let messages: Vec<&str> = changes
            .iter()
            .map(|change| change.message.as_str())
            .collect();
        let message = messages.join("; ");
        Self::Modified { changes, message }
    }

    /// Returns the value of `trust` in JSON (`cli-json.md` §2, "Hook"). A hook in a folder that
    /// isn't trusted counts as new.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::NotNeeded => "not_needed",
            Self::Trusted => "trusted",
            Self::New | Self::FolderUntrusted { .. } => "new",
            Self::Modified { .. } => "modified",
        }
    }
}

/// Why a hook may run, or that it may not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Acceptance {
    /// The hook needs no trust.
    NotNeeded,
    /// The store contains its fingerprint.
    ByStore,
    /// The workspace is trusted for this run (TR-3).
    ThisRun,
    /// The hook never runs but refuses in its place, because it isn't what was agreed to (TR-6,
    /// TR-8).
    Refuses,
    /// The hook may not run until a person has agreed to it (TR-2).
    No,
}

/// A hook with its standing. Only the trust store creates these.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Vouched {
    /// The hook.
    pub hook: Arc<HookDeclaration>,
    /// Its standing.
    pub standing: Standing,
    /// Why it may run, or that it may not.
    pub accepted: Acceptance,
    /// Its fingerprint when it was examined; `None` if it needs no trust.
    pub fingerprint: Option<Arc<Fingerprint>>,
    /// What a person agreed to before the hook changed; `None` if it hasn't changed.
    pub agreed: Option<Agreed>,
    /// The fingerprint on record here for this hook, as it is or as it was; `None` if there is no
    /// record of it.
    pub(crate) recorded: Option<String>,
    /// Set if the agreement was recorded under older rules, and nothing has changed by those rules
    /// (TR-12).
    pub renewal: Option<Renewal>,
    /// Whether Gemini CLI has run a hook with this name and command in this project. Gemini CLI
    /// lists whatever it runs, so that isn't an agreement (TR-4).
    pub known_to_gemini: bool,
}

/// What a person agreed to before a hook changed (TR-8).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreed {
    /// Its event.
    pub event: Option<EventName>,
    /// Its matcher.
    pub matcher: Option<String>,
    /// Its failure policy.
    pub on_failure: OnFailure,
    /// Whether a file that the hook names, and that was agreed to, no longer exists.
    pub has_lost_files: bool,
    /// The files that were watched as a whole or in part, relative to the project's root.
    pub watched: Vec<String>,
}

/// What the current rules watch for a hook that was agreed to under older rules (TR-12).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Renewal {
    /// Files that are watched now and were never shown, relative to the project's root.
    pub never_shown: Vec<String>,
}

/// Returns whether an event comes before an action.
const fn precedes_action_at(event: EventName) -> bool {
    matches!(
        event,
        EventName::BeforeTool | EventName::BeforeAgent | EventName::BeforeModel
    )
}

impl Vouched {
    /// Creates one that only has this.
    pub(crate) const fn of(
        hook: Arc<HookDeclaration>,
        standing: Standing,
        accepted: Acceptance,
    ) -> Self {
        Self {
            hook,
            standing,
            accepted,
            fingerprint: None,
            agreed: None,
            recorded: None,
            renewal: None,
            known_to_gemini: false,
        }
    }

    /// Returns whether trust lets this hook run.
    pub fn may_run(&self) -> bool {
        self.accepted != Acceptance::No
    }

    /// Returns why the files that the hook runs can't be determined (TR-1). Empty if they can, and
    /// for hooks that need no trust.
    pub fn unpinned(&self) -> &[String] {
        let fingerprint = self.fingerprint.as_deref();
        fingerprint.map_or(&[], |it| &it.unpinned)
    }

    /// Returns whether a person agreed to an entry that refuses on failure, and the entry has
    /// changed. Such a hook refuses before an action instead of being skipped (TR-8).
    pub fn is_changed_guard(&self) -> bool {
        let agreed = self.agreed.as_ref();
        self.accepted == Acceptance::No
            && matches!(self.standing, Standing::Modified { .. })
            && agreed.is_some_and(|it| it.on_failure == OnFailure::Deny)
    }

    /// Returns whether a person agreed to a hook that can no longer start because one of its files
    /// is gone. A hook that can't start refuses before an action, unless the agreed failure policy
    /// only warns (IO-21, TR-8).
    pub fn is_guard_without_files(&self) -> bool {
        let agreed = self.agreed.as_ref();
        self.accepted == Acceptance::No
            && matches!(self.standing, Standing::Modified { .. })
            && agreed.is_some_and(|it| it.has_lost_files && it.on_failure != OnFailure::Warn)
    }

    /// Returns whether the hook's event precedes an action, or did when a person agreed to the
    /// hook.
    pub fn precedes_action(&self) -> bool {
        let then = self.agreed.as_ref().and_then(|it| it.event);
        [Some(self.hook.event), then]
            .into_iter()
            .flatten()
            .any(precedes_action_at)
    }

    /// Returns what replaces a hook that has changed since it was agreed to, for its current
    /// subjects and for those that were agreed to. The replacement is planned, and whoever runs
    /// hooks must make it refuse.
    pub fn refusing_replacements(&self) -> Vec<Self> {
        let mut hook = match &self.standing {
            Standing::Modified { changes, message }
                if changes.iter().any(|it| it.kind != ChangeKind::Files) =>
            {
                self.stand_in(changes, message)
            }
            _ => HookDeclaration::clone(&self.hook),
        };
        hook.on_failure = OnFailure::Deny;
        let stands = |hook: HookDeclaration| Self {
            accepted: Acceptance::Refuses,
            hook: Arc::new(hook),
            ..self.clone()
        };
        // At an event after an action, the hook is skipped, like any that nobody has agreed to
        // (TR-6).
        let mut all = if precedes_action_at(hook.event) {
            vec![stands(hook.clone())]
        } else {
            vec![self.clone()]
        };
        if let Some(agreed) = &self.agreed {
            let event = agreed.event.unwrap_or(hook.event);
            if precedes_action_at(event) && (event != hook.event || agreed.matcher != hook.matcher)
            {
                hook.id = HookId::from_text(&format!("{}-agreed", hook.id));
                hook.event = event;
                hook.matcher.clone_from(&agreed.matcher);
                all.push(stands(hook));
            }
        }
        all
    }

    /// Declares a hook that couldn't start in place of one whose entry changed. Nothing in the new
    /// entry counts that could keep it from being asked, waited for or heard, or make it the same
    /// as another one: nobody has agreed to that.
    fn stand_in(&self, changes: &[Change], message: &str) -> HookDeclaration {
        let hook = &*self.hook;
        let label = hook.label();
        let has = |kinds: &[ChangeKind]| changes.iter().any(|it| kinds.contains(&it.kind));
        // A hook that was disabled by name had another name or command.
        let is_renamed = has(&[ChangeKind::Name, ChangeKind::Command]);
        // In another dialect, the same matcher means something else.
        let speaks_otherwise = has(&[
            ChangeKind::Field("dialect"),
            ChangeKind::Field("dialectEvent"),
        ]);
        let word = hookloop_shell::quote(label);
        let broken = Broken {
            cause: message.to_owned(),
            help: format!(
                "look at it with `hookloop hooks review {word}`, and let it run with `hookloop \
                 hooks trust {word}`"
            ),
            source: hook.source.clone(),
        };
        let handler = Handler::Unreadable { type_name: None };
        HookDeclaration {
            name: Some(if is_renamed {
                format!("{label} (changed)")
            } else {
                label.to_owned()
            }),
            description: hook.description.clone(),
            matcher: hook.matcher.clone().filter(|_| !speaks_otherwise),
            dialect: hook.dialect,
            broken: Some(Arc::new(broken)),
            extension: hook.extension.clone(),
            places: hook.places.clone(),
            ..HookDeclaration::new(hook.id.clone(), hook.event, handler, hook.source.clone())
        }
    }

    /// Returns a hook that needs no trust, because the embedding program declares it. A hook from a
    /// project still may not run.
    pub fn by_host(hook: HookDeclaration) -> Self {
        let (standing, accepted) = if hook.is_from_project() {
            (Standing::New, Acceptance::No)
        } else {
            (Standing::NotNeeded, Acceptance::NotNeeded)
        };
        Self::of(Arc::new(hook), standing, accepted)
    }
}
