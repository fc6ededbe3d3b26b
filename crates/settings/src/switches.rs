//! The switches of `hooksConfig`, resolved over all layers (ST-6, ST-7).

use crate::provided::Provided;
use std::path::Path;

use hookloop_hook::Layer;
use hookloop_hook::Source;
use hookloop_hook::{HookDeclaration, OnFailure};

/// How much of a hook's output is kept, in bytes a stream, unless configured (IO-17).
pub const DEFAULT_MAX_OUTPUT_BYTES: u64 = 8 * 1024 * 1024;

/// How often `AfterAgent` hooks may force a retry in a turn, unless configured (AA-2).
pub const DEFAULT_MAX_RETRIES: u32 = 5;

/// How large the trace may grow, in bytes, unless configured (CM-6).
pub const DEFAULT_TRACE_MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Says which hooks an entry of a `disabled` list reaches (ST-6, ST-7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DisabledReach {
    /// Every hook of that name.
    Everything,
    /// All but the system layer's, which has locked `disabled` (ST-6).
    NotSystem,
    /// The project's own alone: the project is not trusted (ST-7).
    OwnProject,
}

/// Holds one entry of a `disabled` list (ST-7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisabledEntry {
    /// The name, or the command of a hook without one.
    pub name: String,
    /// The entry itself.
    pub source: Source,
    /// Which hooks it reaches.
    pub reach: DisabledReach,
}

impl DisabledEntry {
    /// Tells whether this entry is `name@project-path` of a project's hook, which is nobody
    /// else's (CM-2).
    fn names_in_project(&self, hook: &HookDeclaration) -> bool {
        let rest = self.name.strip_prefix(hook.label());
        let root = rest.and_then(|rest| rest.strip_prefix('@')).map(Path::new);
        root.is_some_and(|root| {
            root.is_absolute()
                && hook.is_from_project()
                && hook.source.file.starts_with(root.join(".gemini"))
        })
    }

    /// Tells whether this entry means the hook of one project (CM-2): another one needs it, even
    /// if nothing here has the name.
    pub fn names_project(&self) -> bool {
        let mut places = self.name.match_indices('@');
        places.any(|(at, _)| Path::new(&self.name[at + 1..]).is_absolute())
    }

    /// Tells whether this entry disables a hook.
    pub fn disables(&self, hook: &HookDeclaration) -> bool {
        (self.name == hook.label() || self.names_in_project(hook)) && self.reaches(hook)
    }

    fn reaches(&self, hook: &HookDeclaration) -> bool {
        match self.reach {
            DisabledReach::Everything => true,
            DisabledReach::NotSystem => hook.source.layer != Some(Layer::System),
            DisabledReach::OwnProject => hook.is_from_project(),
        }
    }
}

/// Holds the switches that apply to hooks, each with the place that set it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookSwitches {
    /// Whether hooks run at all (ST-6).
    pub enabled: Provided<bool>,
    /// Set where a project that is not trusted turned off its own hooks, and only those (ST-7).
    pub project_off: Option<Source>,
    /// The union of all `disabled` lists, each entry once a layer (ST-7).
    pub disabled: Vec<DisabledEntry>,
    /// Whether "Executing hook: …" is shown (ST-8).
    pub notifications: Provided<bool>,
    /// What a failure means unless a hook says otherwise (IO-21); filled into the declarations.
    pub on_failure: Provided<OnFailure>,
    /// How much of a stream is kept, in bytes (IO-17).
    pub max_output_bytes: Provided<u64>,
    /// How often a turn may be retried (AA-2).
    pub max_retries: Provided<u32>,
    /// How large the trace may grow, in bytes (CM-6).
    pub trace_max_bytes: Provided<u64>,
    /// The keys of `hooksConfig` that the system layer has locked (ST-6).
    pub locked: Vec<String>,
}

impl Default for HookSwitches {
    fn default() -> Self {
        Self {
            enabled: Provided::default_of(true),
            project_off: None,
            disabled: Vec::new(),
            notifications: Provided::default_of(true),
            on_failure: Provided::default_of(OnFailure::Default),
            max_output_bytes: Provided::default_of(DEFAULT_MAX_OUTPUT_BYTES),
            max_retries: Provided::default_of(DEFAULT_MAX_RETRIES),
            trace_max_bytes: Provided::default_of(DEFAULT_TRACE_MAX_BYTES),
            locked: Vec::new(),
        }
    }
}

impl HookSwitches {
    /// Returns the entries that disable a hook by its name (ST-7), in the order of the layers.
    pub fn disabled_by(&self, hook: &HookDeclaration) -> Vec<&DisabledEntry> {
        self.disabled
            .iter()
            .filter(|entry| entry.disables(hook))
            .collect()
    }

    /// Returns the setting that turns a hook off together with others (ST-6), if one does.
    pub fn turned_off_by(&self, hook: &HookDeclaration) -> Option<&Source> {
        if !self.enabled.value {
            return self.enabled.source.as_ref();
        }
        self.project_off.as_ref().filter(|_| hook.is_from_project())
    }
}
