//! Hooks as they were declared.

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

/// Says whether a hook's group asks for the event's hooks to run one after another (PL-8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Grouping {
    /// `sequential` is false or absent.
    #[default]
    Parallel,
    /// `sequential: true`.
    Sequential,
}

/// Points to the single values of a hook, for problems about them.
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
    /// The event it waits for.
    pub event: EventName,
    /// How it runs.
    pub handler: Handler,
    /// Set if the entry can't be built: the hook could not start (IO-21).
    pub broken: Option<Arc<Broken>>,
    /// Its name, as configured.
    pub name: Option<String>,
    /// Its description, as configured.
    pub description: Option<String>,
    /// The matcher of its group, as configured.
    pub matcher: Option<String>,
    /// The `sequential` of its group.
    pub grouping: Grouping,
    /// How long it may take, with the default filled in (IO-30).
    pub timeout: Duration,
    /// The variables that are added to its environment last (ENV-4).
    pub env: BTreeMap<String, String>,
    /// What its failure means, with the layers' setting filled in (IO-21).
    pub on_failure: OnFailure,
    /// Which agent's dialect it speaks (FD-1).
    pub dialect: Dialect,
    /// The dialect's own event that it is meant for, if ours is several of theirs (FD-11).
    pub dialect_event: Option<String>,
    /// Whether its answer counts (HT-2).
    pub mode: Mode,
    /// `if`: its condition, in CEL or as its dialect writes it (HT-1, FD-12).
    pub condition: Option<String>,
    /// Whether it reads a value again that other hooks changed after it read it (BT-10).
    pub recheck: bool,
    /// Files that it declares as data: neither protected nor fingerprinted (TR-8).
    pub data: Vec<String>,
    /// `holdBack`: how much of a response is kept back for it (AM-6).
    pub hold_back: Option<HoldBack>,
    /// How it gets the chunks of a response (AM-7).
    pub chunks: Chunks,
    /// `statusMessage`: shown while it runs (HT-3).
    pub status_message: Option<String>,
    /// `async`: nobody waits for it, and it can't refuse (FD-22).
    pub asynchronous: bool,
    /// `asyncRewake`: exit code 2 begins a turn of its own, with what the hook says (FD-22).
    pub rewakes: bool,
    /// `loopLimit`: after how many retries of a turn its follow-up no longer has an effect; without it,
    /// its dialect's default (FD-20).
    pub loop_limit: Option<u32>,
    /// Whether its consent skips a confirmation (FD-21). Only the user's or the system's settings can say
    /// so, for hooks of their own layer; an entry can't.
    pub skips_confirmation: bool,
    /// Whether it runs only once per session (FD-22).
    pub once: bool,
    /// The agents that it runs in, `hookloop` among them; nothing for all (BR-12).
    pub agents: Option<Vec<String>>,
    /// What is held back until it has answered (AT-1).
    pub withholds: Option<Withholds>,
    /// What its process is confined to; without it, nothing confines the process (TR-8).
    pub sandbox: Option<HookSandbox>,
    /// Whether it is in a file of the agent whose dialect it speaks, where our own fields mean nothing
    /// (FD-2, FD-3).
    pub in_their_file: bool,
    /// The file and place that it was migrated from (FD-2).
    pub from: Option<String>,
    /// The `{` that opens it.
    pub source: Source,
    /// The extension it belongs to.
    pub extension: Option<Arc<ExtensionOrigin>>,
    /// Where its values are.
    pub places: HookPlaces,
}

impl HookDeclaration {
    /// Declares a hook, with the default for everything that an entry may leave out.
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

    /// Declares a closure of the host as a hook for every subject of an event.
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

    /// Returns the name, else the command or what stands for it: what `enable`, `disable` and `trust`
    /// accept. A hook with neither is called by its identity.
    pub fn label(&self) -> &str {
        match (&self.name, self.handler.summary()) {
            (Some(name), _) => name,
            (None, "") => self.id.as_str(),
            (None, summary) => summary,
        }
    }

    /// Says what it can keep from happening at its event, in its dialect (FD-21).
    pub const fn refusing(&self) -> Refusing {
        self.event.refusing(self.dialect)
    }

    /// Returns the command, or the program of a worker, with variables as written; empty for
    /// handlers that start no program.
    pub fn command(&self) -> &str {
        self.handler.program()
    }

    /// Says in one line what happens when it runs, whatever its kind. People who are asked to trust it are
    /// shown this, under its `type` (TR-2).
    pub fn what_runs(&self) -> String {
        self.handler.what_runs()
    }

    /// Returns what runs, unless the label of the hook says it already.
    pub fn beside_label(&self) -> Option<String> {
        let runs = self.what_runs();
        (runs != self.label()).then_some(runs)
    }

    /// Returns whether the project brings this hook, in its settings or in an extension of its own:
    /// such a hook needs trust (TR-1).
    pub fn is_from_project(&self) -> bool {
        self.source.layer == Some(Layer::Project)
            || self
                .extension
                .as_ref()
                .is_some_and(|it| it.scope == ExtensionScope::Project)
    }

    /// Returns whether this hook says that it was migrated from the file in which another one is, which is there
    /// for its own agent (FD-2).
    pub fn is_copied_from(&self, original: &Self) -> bool {
        let from = self.from.as_deref().and_then(|it| it.rsplit_once(':'));
        original.from.is_none()
            && original.dialect != Dialect::Hookloop
            && from.is_some_and(|(file, _)| original.source.file.ends_with(file))
    }

    /// Returns the place of a value of this hook, or the hook's own if the value has none.
    pub fn source_of(&self, place: Option<Position>) -> Source {
        match place {
            Some(position) => self.source.at(position),
            None => self.source.clone(),
        }
    }
}

/// Says why an entry of a settings file can't be built (IO-21): the hook that is in its place
/// could not start, so before an action it refuses unless `onFailure` is explicitly `warn`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// What is wrong, as a sentence without the hook's name.
    pub cause: String,
    /// The remedy, in words.
    pub help: String,
    /// The place of the wrong thing itself.
    pub source: Source,
}

/// What a hook's entry says under `sandbox`, to which its process is confined. It may read and run
/// everything, and write to temporary folders.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct HookSandbox {
    /// Further folders and files that it may write to, relative ones from the project's root.
    pub write: Vec<String>,
    /// Whether it reaches the network.
    pub network: bool,
}

/// Returns the label of a hook as a sentence names it: in quotes, or between backticks where it has quotes
/// of its own, as commands do.
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
