//! Hooks as they were declared.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hookloop_events::EventName;
use serde::Serialize;

use crate::hook_id::HookId;
use crate::layer::Layer;
use crate::source::{Position, Source};
use crate::timeout::DEFAULT_TIMEOUT;

/// Says how a hook is executed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum HookKind {
    /// A command for the shell (IO-35).
    Command {
        /// The command; extension variables are replaced, `$GEMINI_…` is left as written.
        command: String,
    },
    /// A closure of the host that embeds the engine; never comes from a file.
    InProcess,
}

impl HookKind {
    /// Returns the `type` as settings spell it.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Command { .. } => "command",
            Self::InProcess => "in-process",
        }
    }
}

/// Says what a hook's failure means (IO-21).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum OnFailure {
    /// Go on, and warn.
    #[default]
    Warn,
    /// Refuse, on events that can refuse.
    Deny,
}

impl OnFailure {
    /// Returns the word as settings spell it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Warn => "warn",
            Self::Deny => "deny",
        }
    }
}

/// Says whether a hook's group asks that the event's hooks run one after another (PL-8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Grouping {
    /// `sequential` is false or absent.
    #[default]
    Parallel,
    /// `sequential: true`.
    Sequential,
}

/// Says whose extension folder an extension was found in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExtensionScope {
    /// `~/.gemini/extensions`: it rests on the consent at install (TR-1).
    User,
    /// `.gemini/extensions` of the project: its hooks need trust like the project's own (TR-1).
    Project,
}

impl ExtensionScope {
    /// Returns the scope as listings spell it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// Says whether an extension is switched on (EX-4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Enablement {
    /// It takes part.
    #[default]
    Enabled,
    /// Its hooks are listed and do not run (`extension_disabled`).
    Disabled,
}

/// Describes the extension that a hook belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtensionOrigin {
    /// Its name.
    pub name: Arc<str>,
    /// Its folder, absolute.
    pub path: PathBuf,
    /// Whose folder it was found in.
    pub scope: ExtensionScope,
    /// Whether it is switched on.
    pub enablement: Enablement,
    /// Its settings, for the environment of its hooks and of nobody else's (EX-3, ENV-4).
    pub settings_env: Vec<(String, String)>,
    /// The variables whose values the keyring keeps; whoever runs its hooks asks for them (EX-3).
    pub in_keyring: Vec<String>,
}

/// Points to the single values of a hook, for problems about them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HookPlaces {
    /// The group's `matcher` value.
    pub matcher: Option<Position>,
    /// The `command` value.
    pub command: Option<Position>,
    /// The `timeout` value.
    pub timeout: Option<Position>,
}

/// Declares a hook, with its origin (ST-3, ST-4). That it is declared does not say it may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookDeclaration {
    /// Its identity.
    pub id: HookId,
    /// The event it waits for.
    pub event: EventName,
    /// How it is executed.
    pub kind: HookKind,
    /// Its name, as configured.
    pub name: Option<String>,
    /// Its description, as configured.
    pub description: Option<String>,
    /// The matcher of its group, as configured.
    pub matcher: Option<String>,
    /// The `sequential` of its group.
    pub grouping: Grouping,
    /// How long it may take, default filled in (IO-30).
    pub timeout: Duration,
    /// The variables that are added to its environment last (ENV-4).
    pub env: BTreeMap<String, String>,
    /// What its failure means, default filled in (IO-21).
    pub on_failure: OnFailure,
    /// The `{` that opens it.
    pub source: Source,
    /// The extension it belongs to.
    pub extension: Option<Arc<ExtensionOrigin>>,
    /// Where its values stand.
    pub places: HookPlaces,
}

impl HookDeclaration {
    /// Declares a closure of the host as a hook for every subject of an event.
    pub fn in_process(event: EventName, name: &str) -> Self {
        Self {
            id: HookId::in_process(event, name),
            event,
            kind: HookKind::InProcess,
            name: Some(name.to_owned()),
            description: None,
            matcher: None,
            grouping: Grouping::Parallel,
            timeout: DEFAULT_TIMEOUT,
            env: BTreeMap::new(),
            on_failure: OnFailure::Warn,
            source: Source::of_file(Path::new("<in-process>")),
            extension: None,
            places: HookPlaces::default(),
        }
    }

    /// Returns the name, else the command: what `enable`, `disable`, `trust` take.
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or_else(|| self.command())
    }

    /// Returns the command, variables left as written.
    pub fn command(&self) -> &str {
        match &self.kind {
            HookKind::Command { command } => command,
            HookKind::InProcess => "",
        }
    }

    /// Tells whether the project brings this hook, in its settings or in an extension of its own:
    /// such a hook needs trust (TR-1).
    pub fn is_from_project(&self) -> bool {
        self.source.layer == Some(Layer::Project)
            || self
                .extension
                .as_ref()
                .is_some_and(|it| it.scope == ExtensionScope::Project)
    }

    /// Returns the place of a value of this hook, or the hook's own if the value has none.
    pub fn source_of(&self, place: Option<Position>) -> Source {
        match place {
            Some(position) => self.source.at(position),
            None => self.source.clone(),
        }
    }
}
