//! A hook's standing: whether the person who runs the agent trusts it (TR-1…5).

use std::fmt;
use std::sync::Arc;

use hookloop_hook::{Broken, EventName, Handler, HookDeclaration, HookId, OnFailure, Source};
use serde::{Serialize, Serializer};

use crate::fingerprint::Fingerprint;

/// Names what changed since a hook was trusted (`cli-json.md` §3, `hooks review`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    /// Another field of its entry, by its name there.
    Field(&'static str),
    /// A file that it names.
    Files,
}

/// The other fields that a record may hold.
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
    pub(crate) fn of_field(name: &str) -> Self {
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
                // A field that this version doesn't know any more.
                Self::Field(known.unwrap_or("entry"))
            }
        }
    }

    /// Returns the word as JSON output spells it.
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
    /// The workspace is trusted for this run (TR-3).
    ThisRun,
    /// It takes its place and refuses, because it isn't what was agreed to (TR-6, TR-8). It never
    /// runs.
    Refuses,
    /// It may not run before a person has agreed (TR-2).
    No,
}

/// Holds a hook together with its standing. Only the trust store makes these.
#[derive(Debug, Clone, PartialEq)]
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
    /// What a person agreed to before it changed; nothing where it is what was agreed to.
    pub agreed: Option<Agreed>,
    /// The fingerprint that was agreed to here of the hook as it is or was; nothing where there is none.
    pub(crate) recorded: Option<String>,
    /// Set where the agreement was recorded by older rules, and nothing has changed by them
    /// (TR-12).
    pub renewal: Option<Renewal>,
    /// Whether Gemini CLI has run a hook of this name and command in this project. It lists what
    /// it runs by itself, so that isn't an agreement (TR-4).
    pub known_to_gemini: bool,
}

/// Says what a person agreed to before a hook changed (TR-8).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreed {
    /// The event that it waited for.
    pub event: Option<EventName>,
    /// Its matcher.
    pub matcher: Option<String>,
    /// What its failure meant.
    pub on_failure: OnFailure,
    /// Whether a file that the hook names, and that was agreed to, isn't there any more.
    pub has_lost_files: bool,
    /// The files that were watched, as a whole or in part, by their paths from the project's root.
    pub watched: Vec<String>,
}

/// Says what today's rules watch of a hook that was agreed to under older ones (TR-12).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Renewal {
    /// Files that are watched now and were never shown, by their paths from the project's root.
    pub never_shown: Vec<String>,
}

/// Tells whether an event comes before an action.
const fn acts_at(event: EventName) -> bool {
    matches!(
        event,
        EventName::BeforeTool | EventName::BeforeAgent | EventName::BeforeModel
    )
}

impl Vouched {
    /// Makes one that says nothing but this.
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

    /// Tells whether trust lets this hook run.
    pub fn may_run(&self) -> bool {
        self.accepted != Acceptance::No
    }

    /// Says why it can't be known which files the hook runs (TR-1); empty where they are known,
    /// and for hooks that need no trust.
    pub fn unpinned(&self) -> &[String] {
        let fingerprint = self.fingerprint.as_deref();
        fingerprint.map_or(&[], |it| &it.unpinned)
    }

    /// Tells whether a person agreed to an entry that refuses where it fails, and that isn't what
    /// it was: then it refuses before an action instead of being skipped (TR-8).
    pub fn is_changed_guard(&self) -> bool {
        let agreed = self.agreed.as_ref();
        self.accepted == Acceptance::No
            && matches!(self.standing, Standing::Modified { .. })
            && agreed.is_some_and(|it| it.on_failure == OnFailure::Deny)
    }

    /// Tells whether a person agreed to a hook that can't start as it was agreed to, because a file of it is
    /// gone: what could not start refuses before an action, unless it was agreed that its failure only
    /// warns (IO-21, TR-8).
    pub fn is_guard_without_files(&self) -> bool {
        let agreed = self.agreed.as_ref();
        self.accepted == Acceptance::No
            && matches!(self.standing, Standing::Modified { .. })
            && agreed.is_some_and(|it| it.has_lost_files && it.on_failure != OnFailure::Warn)
    }

    /// Tells whether the hook is one of an event before an action, or was one when a person agreed to
    /// it.
    pub fn acts(&self) -> bool {
        let then = self.agreed.as_ref().and_then(|it| it.event);
        [Some(self.hook.event), then]
            .into_iter()
            .flatten()
            .any(acts_at)
    }

    /// Returns what replaces a hook that isn't what was agreed to any more: on its
    /// subjects of today, and on those that were agreed to. It is planned, and whoever runs hooks
    /// has to refuse it.
    pub fn refusing(&self) -> Vec<Self> {
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
        // At an event that comes after an action it is skipped, as any that nobody has agreed to (TR-6).
        let mut all = if acts_at(hook.event) {
            vec![stands(hook.clone())]
        } else {
            vec![self.clone()]
        };
        if let Some(agreed) = &self.agreed {
            let event = agreed.event.unwrap_or(hook.event);
            if acts_at(event) && (event != hook.event || agreed.matcher != hook.matcher) {
                hook.id = HookId::from_text(&format!("{}-agreed", hook.id));
                hook.event = event;
                hook.matcher.clone_from(&agreed.matcher);
                all.push(stands(hook));
            }
        }
        all
    }

    /// Declares a hook that could not start in the place of one whose entry changed. Nothing of the new
    /// entry counts that could keep it from being asked, waited for or heard, or make it another's
    /// twin: nobody has agreed to that.
    fn stand_in(&self, changes: &[Change], message: &str) -> HookDeclaration {
        let hook = &*self.hook;
        let label = hook.label();
        let has = |kinds: &[ChangeKind]| changes.iter().any(|it| kinds.contains(&it.kind));
        // What somebody switched off by name was another hook.
        let is_renamed = has(&[ChangeKind::Name, ChangeKind::Command]);
        // The same matcher means something else in other words.
        let speaks_otherwise = has(&[
            ChangeKind::Field("dialect"),
            ChangeKind::Field("dialectEvent"),
        ]);
        let word = hookloop_shell::quote(label);
        let broken = Broken {
            cause: message.to_owned(),
            help: format!(
                "look at it with `hookloop hooks review {word}`, and let it run with `hookloop hooks \
                 trust {word}`"
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

    /// Returns a hook that needs no trust, because the embedding program itself declares it. A
    /// hook that a project brings may not run.
    pub fn by_host(hook: HookDeclaration) -> Self {
        let (standing, accepted) = if hook.is_from_project() {
            (Standing::New, Acceptance::No)
        } else {
            (Standing::NotNeeded, Acceptance::NotNeeded)
        };
        Self::of(Arc::new(hook), standing, accepted)
    }
}
