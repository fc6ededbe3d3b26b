//! Hooks, as declared.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::event_name::{EventName, Refusing};
use crate::extension::{ExtensionOrigin, ExtensionScope};
use crate::handler::Handler;
use crate::id::HookId;
use crate::layer::Layer;
use crate::policy::{Chunks, DEFAULT_TIMEOUT, Dialect, HoldBack, Mode, OnFailure, Withholds};
use crate::source::{Position, Source};

/// Whether a hook's group makes the event's hooks run one after another (PL-8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Grouping {
    /// `sequential` is false or absent.
    #[default]
    Parallel,
    /// `sequential: true`.
    Sequential,
}

/// The places of a hook's values, for problems about them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HookPlaces {
    /// The group's `matcher` value.
    pub matcher: Option<Position>,
    /// The `command` value.
    pub command: Option<Position>,
    /// The `timeout` value.
    pub timeout: Option<Position>,
    /// The `if` value.
    pub condition: Option<Position>,
    /// The `when` value of each rule, or the value that names their file (HT-25).
    pub rules: Vec<Position>,
}

/// Declares a hook, with its origin (ST-3, ST-4). A declared hook may not be allowed to run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a field of an entry that is on or off by itself"
)]
pub struct HookDeclaration {
    /// Its identity.
    pub id: HookId,
    /// The event that it is for.
    pub event: EventName,
    /// How it runs.
    pub handler: Handler,
    /// Set if the entry can't be used: the hook counts as not started (IO-21).
    pub broken: Option<Arc<Broken>>,
    /// Its name, as configured.
    pub name: Option<String>,
    /// Its description, as configured.
    pub description: Option<String>,
    /// The matcher of its group, as configured.
    pub matcher: Option<String>,
    /// The `sequential` value of its group.
    pub grouping: Grouping,
    /// Its timeout, or the default (IO-30).
    pub timeout: Duration,
    /// The variables that are added to its environment last (ENV-4).
    pub env: BTreeMap<String, String>,
    /// What its failure means, including the setting of the layers (IO-21).
    pub on_failure: OnFailure,
    /// Which agent's dialect it speaks (FD-1).
    pub dialect: Dialect,
    /// The dialect's own event that it is for, if one of our events corresponds to several of them
    /// (FD-11).
    pub dialect_event: Option<String>,
    /// Whether its answer counts (HT-2).
    pub mode: Mode,
    /// `if`: its condition, in CEL or in its dialect's syntax (HT-1, FD-12).
    pub condition: Option<String>,
    /// Whether it reads a value again if other hooks changed the value afterwards (BT-10).
    pub recheck: bool,
    /// Files that it declares as data. They are neither protected nor part of the fingerprint
    /// (TR-8).
    pub data: Vec<String>,
    /// `holdBack`: how much of a response is held back for it (AM-6).
    pub hold_back: Option<HoldBack>,
    /// How it receives the chunks of a response (AM-7).
    pub chunks: Chunks,
    /// `statusMessage`: shown while it runs (HT-3).
    pub status_message: Option<String>,
    /// `async`: nobody waits for it, and it can't refuse (FD-22).
    pub asynchronous: bool,
    /// `asyncRewake`: exit code 2 starts a new turn, with what the hook says (FD-22).
    pub rewakes: bool,
    /// `loopLimit`: the number of retries of a turn after which its follow-up has no effect. `None`
    /// means the default of its dialect (FD-20).
    pub loop_limit: Option<u32>,
    /// Whether its consent skips a confirmation (FD-21). Only the user's or the system's settings
    /// can grant this, for hooks of their own layer; an entry can't.
    pub skips_confirmation: bool,
    /// Whether it runs only once per session (FD-22).
    pub once: bool,
    /// The agents that it runs in, possibly including `hookloop`; `None` for all (BR-12).
    pub agents: Option<Vec<String>>,
    /// What is held back until it has answered (AT-1).
    pub withholds: Option<Withholds>,
    /// What its process is confined to; `None` for no confinement (TR-8).
    pub sandbox: Option<HookSandbox>,
    /// Whether it is in a file of the agent whose dialect it uses, where our own fields have no
    /// meaning (FD-2, FD-3).
    pub in_their_file: bool,
    /// The file and place from which it was migrated (FD-2).
    pub from: Option<String>,
    /// The place of its opening `{`.
    pub source: Source,
    /// The extension that it belongs to.
    pub extension: Option<Arc<ExtensionOrigin>>,
    /// The places of its values.
    pub places: HookPlaces,
}

impl HookDeclaration {
    /// Declares a hook, with defaults for everything that an entry may leave out.
    pub fn new(id: HookId, event: EventName, handler: Handler, source: Source) -> Self {
        Self {
            id,
            event,
            handler,
            broken: None,
            name: None,
            description: None,
            matcher: None,
            grouping: Grouping::Parallel,
            timeout: DEFAULT_TIMEOUT,
            env: BTreeMap::new(),
            on_failure: OnFailure::Default,
            dialect: Dialect::Hookloop,
            in_their_file: false,
            dialect_event: None,
            mode: Mode::Active,
            condition: None,
            recheck: true,
            data: Vec::new(),
            hold_back: None,
            chunks: Chunks::Each,
            status_message: None,
            asynchronous: false,
            rewakes: false,
            loop_limit: None,
            skips_confirmation: false,
            once: false,
            agents: None,
            withholds: None,
            sandbox: None,
            from: None,
            source,
            extension: None,
            places: HookPlaces::default(),
        }
    }

    /// Declares a closure of the host as a hook for all subjects of an event.
    pub fn in_process(event: EventName, name: &str) -> Self {
        Self {
            name: Some(name.to_owned()),
            ..Self::new(
                HookId::in_process(event, name),
                event,
                Handler::InProcess,
                Source::of_file(Path::new("<in-process>")),
            )
        }
    }

    /// Returns the name, or else the command or its equivalent. `enable`, `disable` and `trust`
    /// accept it. For a hook without either, it is the id.
    pub fn label(&self) -> &str {
        match (&self.name, self.handler.summary()) {
            (Some(name), _) => name,
            (None, "") => self.id.as_str(),
            (None, summary) => summary,
        }
    }

    /// Returns what the hook can prevent at its event, in its dialect (FD-21).
    pub const fn refusing(&self) -> Refusing {
        self.event.refusing(self.dialect)
    }

    /// Returns the command, or the program of a worker, with variables as written. Empty for
    /// handlers that start no program.
    pub fn command(&self) -> &str {
        self.handler.program()
    }

    /// Describes in one line what happens when the hook runs. People who are asked to trust the
    /// hook see this line, with the hook's `type` (TR-2).
    pub fn describe_run(&self) -> String {
        self.handler.describe()
    }

    /// Returns what runs, unless the label already contains it.
    pub fn beside_label(&self) -> Option<String> {
        let runs = self.describe_run();
        (runs != self.label()).then_some(runs)
    }

    /// Returns whether the hook comes from the project: from its settings, or from an extension in
    /// it. Such a hook needs trust (TR-1).
    pub fn is_from_project(&self) -> bool {
        self.source.layer == Some(Layer::Project)
            || self
                .extension
                .as_ref()
                .is_some_and(|it| it.scope == ExtensionScope::Project)
    }

    /// Returns whether this hook declares that it was migrated from the file that contains
    /// `original`, which remains there for its own agent (FD-2).
    pub fn is_copied_from(&self, original: &Self) -> bool {
        let from = self.from.as_deref().and_then(|it| it.rsplit_once(':'));
        original.from.is_none()
            && original.dialect != Dialect::Hookloop
            && from.is_some_and(|(file, _)| original.source.file.ends_with(file))
    }

    /// Returns the place of a value of this hook, or of the hook itself if the value has none.
    pub fn source_of(&self, place: Option<Position>) -> Source {
        match place {
            Some(position) => self.source.at(position),
            None => self.source.clone(),
        }
    }
}

/// Why an entry of a settings file can't be used (IO-21). A hook that can't start replaces it, so
/// before an action it refuses unless `onFailure` is explicitly `warn`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The cause, as a sentence without the hook's name.
    pub cause: String,
    /// The remedy.
    pub help: String,
    /// The place of the error itself.
    pub source: Source,
}

/// The `sandbox` of a hook's entry, which confines its process. The process may read and run
/// everything, and write to temporary folders.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct HookSandbox {
    /// Additional folders and files that it may write to. Relative paths start at the project's
    /// root.
    pub write: Vec<String>,
    /// Whether it has network access.
    pub network: bool,
}

/// Formats a hook's label for a sentence: in quotes, or in backticks if it contains quotes, as
/// commands do.
///
/// ```
/// use hookloop_hook::quoted;
///
/// assert_eq!(quoted("no-push"), "\"no-push\"");
/// assert_eq!(quoted("\"$HOME\"/guard.sh"), "`\"$HOME\"/guard.sh`");
/// ```
pub fn quoted(label: &str) -> String {
    let mark = if label.contains('"') { '`' } else { '"' };
    format!("{mark}{label}{mark}")
}
