//! The switches of `hooksConfig`, resolved over all layers (ST-6, ST-7).

use std::path::Path;

use hookloop_hook::{HookDeclaration, Layer, OnFailure, Source};

use crate::loosening::Owner;
use crate::provided::Provided;

/// How much of a hook's output is kept, in bytes a stream, unless configured (IO-17).
pub const DEFAULT_MAX_OUTPUT_BYTES: u64 = 8 * 1024 * 1024;

/// How often `AfterAgent` hooks may force a retry in a turn, unless configured (AA-2).
pub const DEFAULT_MAX_RETRIES: u32 = 20;

/// How large the trace may grow, in bytes, unless configured (CM-6).
pub const DEFAULT_TRACE_MAX_BYTES: u64 = 64 * 1024 * 1024;

/// What happens to a rewrite in an agent that has none (BR-21).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BridgeRewrite {
    /// The call is refused, with the rewritten arguments as advice.
    #[default]
    Refuse,
    /// The call continues as it was.
    Drop,
}

/// Contains one entry of a `disabled` list (ST-7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisabledEntry {
    /// The name, or the command of a hook without one; as written.
    pub name: String,
    /// The entry itself.
    pub source: Source,
    /// The hooks that it may reach (ST-13).
    pub reach: Vec<Owner>,
}

impl DisabledEntry {
    /// Returns whether this entry is `name@project-path` of a project's hook, and of no other hook
    /// (CM-2).
    fn names_in_project(&self, hook: &HookDeclaration) -> bool {
        let rest = self.name.strip_prefix(hook.label());
        let root = rest.and_then(|rest| rest.strip_prefix('@')).map(Path::new);
        root.is_some_and(|root| {
            root.is_absolute() && hook.is_from_project() && hook.source.file.starts_with(root)
        })
    }

    /// Returns whether this entry means the hook of one project (CM-2): another one needs it, even
    /// if nothing here has the name.
    pub fn names_project(&self) -> bool {
        let mut places = self.name.match_indices('@');
        places.any(|(at, _)| Path::new(&self.name[at + 1..]).is_absolute())
    }

    /// Returns whether this entry disables a hook.
    pub fn disables(&self, hook: &HookDeclaration) -> bool {
        self.names(hook) && self.reach.contains(&Owner::of(hook))
    }

    /// Returns whether this entry means a hook, whether or not it applies to it.
    pub fn names(&self, hook: &HookDeclaration) -> bool {
        self.name == hook.label() || self.names_in_project(hook)
    }
}

/// Contains the switches that apply to hooks, each with the place that set it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookSwitches {
    /// Whether hooks run, for those of the user; see [`HookSwitches::turned_off_by`] (ST-6, ST-13).
    pub enabled: Provided<bool>,
    /// The settings that turn hooks off, by the owner of the hooks (ST-6, ST-13).
    pub off: Vec<(Owner, Option<Source>)>,
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
    /// Whether any error keeps the agent from starting (ST-11).
    pub strict: Provided<bool>,
    /// The agents whose hooks are adopted, each with the layer that says so (FD-2).
    pub adopt: Vec<Provided<String>>,
    /// The addresses that http hooks of projects and extensions may reach (HT-15).
    pub http_allowed: Vec<Provided<String>>,
    /// What happens to a rewrite in an agent that has none (BR-21).
    pub bridge_rewrite: Provided<BridgeRewrite>,
    /// The layers whose own hooks may skip a confirmation by allowing (FD-21).
    pub skips_confirmation: Vec<Layer>,
    /// Whether live output is held back until its hooks have answered (AT-1).
    pub hold_live_output: Provided<bool>,
}

impl Default for HookSwitches {
    fn default() -> Self {
        Self {
            enabled: Provided::default_of(true),
            off: Vec::new(),
            disabled: Vec::new(),
            notifications: Provided::default_of(true),
            on_failure: Provided::default_of(OnFailure::Default),
            max_output_bytes: Provided::default_of(DEFAULT_MAX_OUTPUT_BYTES),
            max_retries: Provided::default_of(DEFAULT_MAX_RETRIES),
            trace_max_bytes: Provided::default_of(DEFAULT_TRACE_MAX_BYTES),
            locked: Vec::new(),
            strict: Provided::default_of(false),
            adopt: Vec::new(),
            http_allowed: Vec::new(),
            bridge_rewrite: Provided::default_of(BridgeRewrite::Refuse),
            skips_confirmation: Vec::new(),
            hold_live_output: Provided::default_of(false),
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

    /// Returns the setting that turns a hook off together with others (ST-6, ST-13), if one does.
    pub fn turned_off_by(&self, hook: &HookDeclaration) -> Option<&Source> {
        self.off_for(Owner::of(hook))
    }

    /// Returns the setting with which a project turned off its own hooks, and only those (ST-13).
    pub fn project_off(&self) -> Option<&Source> {
        self.off_for(Owner::Project).filter(|_| self.enabled.value)
    }

    /// Returns the setting that turns off the hooks of an owner, if one does.
    pub fn off_for(&self, owner: Owner) -> Option<&Source> {
        if self.off.is_empty() && !self.enabled.value {
            // Switches that are built without owners mean all hooks.
            return self.enabled.source.as_ref();
        }
        let (_, source) = self.off.iter().find(|(it, _)| *it == owner)?;
        source.as_ref()
    }
}
