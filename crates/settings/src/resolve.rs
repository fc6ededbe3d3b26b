//! Combines the values of all layers (ST-6, ST-7, ST-13).

use std::collections::HashMap;

use hookloop_hook::{
    Dialect, EventName, ExtensionScope, HookDeclaration, Layer, OnFailure, Problem, ProblemCode,
    Source,
};

use crate::agent::AgentSettings;
use crate::config_read::LayerConfig;
use crate::extension::Extension;
use crate::file_text::Documents;
use crate::loosening::{Owner, Power, ProjectReach, counts, power_of};
use crate::project_word::ProjectWord;
use crate::provided::Provided;
use crate::switches::{DisabledEntry, HookSwitches};

pub(crate) const TRUST_HINT: &str = "trust the folder, or put the setting into the user's settings";

/// What to do if a project's word needs a person's agreement (ST-13).
const AGREE_HINT: &str = "agree to it with `hookloop hooks trust`, or put the setting into the \
                          user's settings";

/// What one settings file says.
#[derive(Debug, Default)]
pub(crate) struct LayerContent {
    pub(crate) config: LayerConfig,
    pub(crate) agent: AgentSettings,
    /// `extensions.disabled`.
    pub(crate) disabled_extensions: Vec<Provided<String>>,
    /// What could loosen hooks of others (ST-13).
    pub(crate) word: ProjectWord,
}

/// What the three settings files say.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    pub(crate) project: LayerContent,
    pub(crate) user: LayerContent,
    pub(crate) system: LayerContent,
}

/// Resolves, and reports what doesn't count.
pub(crate) struct Resolver<'a> {
    pub(crate) project: ProjectReach,
    /// Whether hooks of others than the project are concerned.
    others: bool,
    pub(crate) documents: &'a Documents,
    pub(crate) problems: Vec<Problem>,
    locked: Vec<String>,
}

/// What the layers say about one key.
struct LayeredValue<T> {
    project: Option<Provided<T>>,
    user: Option<Provided<T>>,
    system: Option<Provided<T>>,
}

macro_rules! layered {
    ($contents:expr, $field:ident) => {
        LayeredValue {
            project: $contents.project.config.$field.clone(),
            user: $contents.user.config.$field.clone(),
            system: $contents.system.config.$field.clone(),
        }
    };
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(project: ProjectReach, documents: &'a Documents) -> Self {
        Self {
            project,
            others: true,
            documents,
            problems: Vec::new(),
            locked: Vec::new(),
        }
    }

    /// Resolves the switches, and fills the default for `onFailure` into the hooks.
    pub(crate) fn switches(
        &mut self,
        contents: &Contents,
        hooks: &mut [HookDeclaration],
    ) -> HookSwitches {
        let locked = &contents.system.config.locked;
        self.locked = locked.iter().map(|key| key.value.clone()).collect();
        let enabled = layered!(contents, enabled);
        let off: Vec<_> = Owner::ALL
            .into_iter()
            .map(|owner| (owner, self.off(&enabled, owner)))
            .collect();
        let policy = layered!(contents, on_failure);
        self.fill_on_failure(&policy, hooks);
        // One value serves all hooks; the project's counts if no others are concerned.
        let concerned = if hooks.iter().all(|hook| Owner::of(hook) == Owner::Project) {
            Owner::Project
        } else {
            Owner::User
        };
        let defaults = HookSwitches::default();
        self.others = concerned == Owner::User;
        let general_off = self.off(&enabled, concerned);
        self.report_on(&enabled);
        let switches = HookSwitches {
            enabled: match general_off.clone() {
                Some(source) => Provided {
                    value: false,
                    source: Some(source),
                },
                None => self.choose("enabled", enabled, defaults.enabled, concerned),
            },
            off,
            on_failure: self.on_failure(&policy, Owner::User),
            disabled: self.disabled_entries(contents, hooks),
            notifications: self.choose(
                "notifications",
                layered!(contents, notifications),
                defaults.notifications,
                concerned,
            ),
            max_output_bytes: self.choose(
                "maxOutputBytes",
                layered!(contents, max_output_bytes),
                defaults.max_output_bytes,
                concerned,
            ),
            max_retries: self.choose(
                "maxRetries",
                layered!(contents, max_retries),
                defaults.max_retries,
                concerned,
            ),
            trace_max_bytes: self.choose(
                "trace",
                layered!(contents, trace_max_bytes),
                defaults.trace_max_bytes,
                Owner::User,
            ),
            locked: self.locked.clone(),
            strict: any_true(layered!(contents, strict)),
            adopt: adopted_agents(contents),
            http_allowed: self.collect_user_and_system("http.allowed", contents, |config| {
                config.http_allowed.clone()
            }),
            bridge_rewrite: self.choose(
                "bridge.rewrite",
                layered!(contents, bridge_rewrite),
                defaults.bridge_rewrite,
                Owner::User,
            ),
            skips_confirmation: self.skips_confirmation(contents),
            hold_live_output: any_true(layered!(contents, hold_live_output)),
        };
        self.mark_skipping(&switches.skips_confirmation, hooks);
        self.report_on_failure(contents, &policy);
        self.report_off(&switches, hooks);
        switches
    }

    /// Fills the layers' words into the hooks that say nothing about their failure (IO-21).
    fn fill_on_failure(&self, policy: &LayeredValue<OnFailure>, hooks: &mut [HookDeclaration]) {
        for hook in hooks {
            if hook.on_failure == OnFailure::Default {
                hook.on_failure = self.on_failure(policy, Owner::of(hook)).value;
            }
        }
    }

    /// Returns whether what a layer says under a key of `hooksConfig` counts for hooks of an owner.
    fn counts(&self, key: &str, layer: Layer, concerning: Owner) -> bool {
        let key = match key {
            "trace" => "trace.maxBytes",
            other => other,
        };
        let power = power_of(&format!("hooksConfig.{key}")).unwrap_or(Power::Loosens);
        counts(power, layer, self.project, concerning)
    }

    /// Resolves one key for hooks of an owner: project over user over system as far as ST-13 lets
    /// them, but locked keys are the system's.
    fn choose<T: PartialEq>(
        &mut self,
        key: &str,
        said: LayeredValue<T>,
        default: Provided<T>,
        concerning: Owner,
    ) -> Provided<T> {
        let LayeredValue {
            project,
            user,
            system,
        } = said;
        if self.is_locked(key) {
            let chosen = system.unwrap_or(default);
            for overruled in [project, user].into_iter().flatten() {
                if let Some(source) = overruled.source.filter(|_| overruled.value != chosen.value) {
                    let message = format!("\"{key}\" is locked by the system's settings");
                    let help = "remove it here; the system's value is used";
                    self.warn(ProblemCode::LockedKey, &source, message, help);
                }
            }
            return chosen;
        }
        let (project, left_out) = match project {
            Some(project) if self.counts(key, Layer::Project, concerning) => return project,
            other => (None, other),
        };
        let chosen = project.or(user).or(system).unwrap_or(default);
        if let Some(Provided {
            value,
            source: Some(source),
        }) = left_out
            && value != chosen.value
        {
            self.report_left_out(key, &source);
        }
        chosen
    }

    /// Reports a setting of the project that doesn't count for hooks of others (ST-13).
    fn report_left_out(&mut self, key: &str, source: &Source) {
        if !self.others {
            return;
        }
        let (code, message, help) = if self.project == ProjectReach::Itself {
            (
                ProblemCode::FolderUntrusted,
                format!("\"{key}\" of a project that isn't trusted has no effect on others"),
                TRUST_HINT,
            )
        } else {
            (
                ProblemCode::LooseningIgnored,
                format!("\"{key}\" of a project has no effect on the hooks of others"),
                AGREE_HINT,
            )
        };
        self.warn(code, source, message, help);
    }

    fn is_locked(&self, key: &str) -> bool {
        self.locked.iter().any(|locked| locked == key)
    }

    /// Returns the setting that turns off the hooks of an owner (ST-6, ST-13).
    fn off(&self, said: &LayeredValue<bool>, owner: Owner) -> Option<Source> {
        let layers = [
            (Layer::Project, &said.project),
            (Layer::User, &said.user),
            (Layer::System, &said.system),
        ];
        let is_locked = self.is_locked("enabled");
        let (_, decisive) = layers
            .into_iter()
            .filter(|(layer, _)| !is_locked || *layer == Layer::System)
            .filter(|(layer, _)| self.counts("enabled", *layer, owner))
            .filter_map(|(layer, said)| said.as_ref().map(|said| (layer, said)))
            .find(|(layer, project)| {
                *layer != Layer::Project || self.may_switch(said, project.value, owner)
            })?;
        decisive.source.clone().filter(|_| !decisive.value)
    }

    /// Returns whether a project may switch hooks of an owner: its own, on again only in a folder
    /// that is trusted; those of others never on again if somebody more trusted switched them off,
    /// nor off if they switched them on, unless a person has agreed to that (ST-13).
    fn may_switch(&self, said: &LayeredValue<bool>, value: bool, owner: Owner) -> bool {
        let others = [&said.user, &said.system];
        let is_against = others.into_iter().flatten().any(|it| it.value != value);
        let is_its_own =
            owner == Owner::Project && (!value || self.project != ProjectReach::Itself);
        !is_against || is_its_own || self.project == ProjectReach::Agreed
    }

    /// Reports a project's `enabled` that switches on again what others switched off (ST-13).
    fn report_on(&mut self, said: &LayeredValue<bool>) {
        let Some(Provided {
            value: true,
            source: Some(source),
        }) = &said.project
        else {
            return;
        };
        let others = [&said.user, &said.system];
        let off = others.into_iter().flatten().find(|it| !it.value);
        let Some(off) = off.and_then(|it| it.source.as_ref()) else {
            return;
        };
        if self.project != ProjectReach::Itself || self.is_locked("enabled") {
            return;
        }
        let message = format!("a project can't enable the hooks that {off} disables");
        self.warn(ProblemCode::LooseningIgnored, source, message, AGREE_HINT);
    }

    /// Returns what a failure means for hooks of an owner that don't say so themselves (IO-21):
    /// `deny` of any layer, else `warn` of the owner's own or a more trusted one.
    fn on_failure(&self, said: &LayeredValue<OnFailure>, owner: Owner) -> Provided<OnFailure> {
        let layers = [
            (Layer::Project, &said.project),
            (Layer::User, &said.user),
            (Layer::System, &said.system),
        ];
        let is_locked = self.is_locked("onFailure");
        let mut chosen = Provided::default_of(OnFailure::Default);
        for (layer, said) in layers {
            let Some(said) = said.as_ref() else { continue };
            // An untrusted project is strict with itself alone.
            let concerns = if layer == Layer::Project && self.project == ProjectReach::Itself {
                owner == Owner::Project
            } else {
                said.value == OnFailure::Deny || self.counts("onFailure", layer, owner)
            };
            if !concerns || (is_locked && layer != Layer::System) {
                continue;
            }
            if chosen.source.is_none() || said.value > chosen.value {
                chosen = said.clone();
            }
        }
        chosen
    }

    /// Reports a project's `onFailure` that doesn't count for others, or that is locked.
    fn report_on_failure(&mut self, contents: &Contents, said: &LayeredValue<OnFailure>) {
        let chosen = self.on_failure(said, Owner::User);
        let overruled = [&contents.project, &contents.user].map(|it| &it.config.on_failure);
        for (index, said) in overruled.into_iter().enumerate() {
            let Some(Provided {
                value,
                source: Some(source),
            }) = said
            else {
                continue;
            };
            if *value == chosen.value {
                continue;
            }
            if self.is_locked("onFailure") {
                let message = "\"onFailure\" is locked by the system's settings".to_owned();
                let help = "remove it here; the system's value is used";
                self.warn(ProblemCode::LockedKey, source, message, help);
            } else if index == 0 {
                self.report_left_out("onFailure", source);
            }
        }
    }

    /// Collects what only the user and the system can say; a project's word is reported (ST-13).
    fn collect_user_and_system<T>(
        &mut self,
        key: &str,
        contents: &Contents,
        read: impl Fn(&LayerConfig) -> Vec<Provided<T>>,
    ) -> Vec<Provided<T>> {
        for said in read(&contents.project.config) {
            if let Some(source) = said.source {
                let message =
                    format!("\"{key}\" has an effect only in the user's and the system's settings");
                let code = ProblemCode::LooseningIgnored;
                self.warn(code, &source, message, "remove it here");
            }
        }
        let mut found = read(&contents.user.config);
        found.extend(read(&contents.system.config));
        found
    }

    /// Returns the layers whose own hooks may skip a confirmation (FD-21).
    fn skips_confirmation(&mut self, contents: &Contents) -> Vec<Layer> {
        let key = "allowSkipsConfirmation";
        let said = self.collect_user_and_system(key, contents, |config| {
            config.allow_skips_confirmation.iter().cloned().collect()
        });
        let mut layers = Vec::new();
        for said in said {
            let Some(layer) = said.layer().filter(|_| said.value) else {
                continue;
            };
            if !self.is_locked(key) || layer == Layer::System {
                layers.push(layer);
            } else if let Some(source) = &said.source {
                let message = format!("\"{key}\" is locked by the system's settings");
                let help = "remove it here; the system's value is used";
                self.warn(ProblemCode::LockedKey, source, message, help);
            }
        }
        layers
    }

    /// Marks the hooks whose consent skips a confirmation (FD-21): each by its own layer's setting
    /// alone, and none of a layer without one (ST-13). Only Claude Code has such a consent.
    fn mark_skipping(&self, layers: &[Layer], hooks: &mut [HookDeclaration]) {
        for hook in hooks {
            let owner = Owner::of(hook);
            let own = match owner {
                Owner::System => Layer::System,
                Owner::User => Layer::User,
                Owner::Project | Owner::Extension => continue,
            };
            hook.skips_confirmation = hook.dialect == Dialect::ClaudeCode
                && hook.event == EventName::BeforeTool
                && hook.source.layer == Some(own)
                && layers.contains(&own)
                && self.counts("allowSkipsConfirmation", own, owner);
        }
    }

    fn disabled_entries(
        &mut self,
        contents: &Contents,
        hooks: &[HookDeclaration],
    ) -> Vec<DisabledEntry> {
        let locked = self.is_locked("disabled");
        let layers = [
            (&contents.project, Layer::Project),
            (&contents.user, Layer::User),
            (&contents.system, Layer::System),
        ];
        let mut entries = Vec::new();
        for (content, layer) in layers {
            let reach: Vec<Owner> = Owner::ALL
                .into_iter()
                .filter(|owner| self.counts("disabled", layer, *owner))
                .filter(|owner| !(locked && *owner == Owner::System && layer != Layer::System))
                .collect();
            for entry in &content.config.disabled {
                let Some(source) = entry.source.clone() else {
                    continue;
                };
                entries.push(DisabledEntry {
                    name: entry.value.clone(),
                    source,
                    reach: reach.clone(),
                });
            }
        }
        self.report_out_of_reach(&entries, hooks);
        entries
    }

    /// Reports entries that name a hook which they can't disable (ST-6, ST-13).
    fn report_out_of_reach(&mut self, entries: &[DisabledEntry], hooks: &[HookDeclaration]) {
        if entries
            .iter()
            .all(|entry| entry.reach.len() == Owner::ALL.len())
        {
            return;
        }
        let mut named: HashMap<&str, Vec<&HookDeclaration>> = HashMap::new();
        for hook in hooks {
            named.entry(hook.label()).or_default().push(hook);
        }
        for entry in entries {
            let meant = named
                .get(entry.name.as_str())
                .map_or(&[][..], Vec::as_slice);
            let Some(spared) = meant.iter().find(|hook| !entry.disables(hook)) else {
                continue;
            };
            let name = hookloop_text::shorten::excerpt(&entry.name);
            let is_project = entry.source.layer == Some(Layer::Project);
            let (code, message, help) = if is_project && self.project == ProjectReach::Itself {
                (
                    ProblemCode::FolderUntrusted,
                    format!(
                        "a project that isn't trusted can't disable \"{name}\" ({})",
                        spared.source
                    ),
                    TRUST_HINT,
                )
            } else if self.is_locked("disabled") && Owner::of(spared) == Owner::System {
                (
                    ProblemCode::LockedKey,
                    format!(
                        "\"{name}\" ({}) can't be disabled here: \"disabled\" is locked",
                        spared.source
                    ),
                    "ask the person who maintains the system's settings",
                )
            } else if is_project {
                (
                    ProblemCode::LooseningIgnored,
                    format!("a project can't disable \"{name}\" ({})", spared.source),
                    AGREE_HINT,
                )
            } else {
                (
                    ProblemCode::LooseningIgnored,
                    format!(
                        "\"{name}\" ({}) of the system can't be disabled here",
                        spared.source
                    ),
                    "ask the person who maintains the system's settings",
                )
            };
            self.warn(code, &entry.source, message, help);
        }
    }

    fn report_off(&mut self, switches: &HookSwitches, hooks: &[HookDeclaration]) {
        let help = "set \"enabled\" to true, or remove it, to turn them on";
        let code = ProblemCode::HooksOff;
        if let Some(source) = switches
            .enabled
            .source
            .clone()
            .filter(|_| !switches.enabled.value)
        {
            self.warn(code, &source, "hooks are turned off".to_owned(), help);
            let is_system = |hook: &HookDeclaration| Owner::of(hook) == Owner::System;
            if hooks.iter().any(is_system) && switches.off_for(Owner::System).is_none() {
                let message = "hooks of the system can't be turned off here".to_owned();
                let help = "ask the person who maintains the system's settings";
                self.warn(ProblemCode::LooseningIgnored, &source, message, help);
            }
        } else if let Some(source) = switches.project_off().cloned() {
            let message = "the project's own hooks are turned off".to_owned();
            self.warn(code, &source, message, help);
        }
    }

    /// Reports that a project that isn't trusted names an extension of the user's (ST-7).
    pub(crate) fn report_extensions(&mut self, contents: &Contents, extensions: &[Extension]) {
        if self.project != ProjectReach::Itself {
            return;
        }
        for entry in &contents.project.disabled_extensions {
            let spared = extensions.iter().any(|extension| {
                extension.origin.scope == ExtensionScope::User
                    && extension.origin.name.eq_ignore_ascii_case(&entry.value)
            });
            if let Some(source) = entry.source.as_ref().filter(|_| spared) {
                let name = hookloop_text::shorten::excerpt(&entry.value);
                let message = format!(
                    "a project that isn't trusted can't disable the user's extension \"{name}\""
                );
                self.warn(ProblemCode::FolderUntrusted, source, message, TRUST_HINT);
            }
        }
    }

    pub(crate) fn warn(&mut self, code: ProblemCode, source: &Source, message: String, help: &str) {
        let mut problem = Problem::new(code, source.clone(), message, help);
        problem.snippet = self.documents.snippet(source);
        self.problems.push(problem);
    }
}

/// Returns the agents whose hooks are adopted, the project's word first (FD-2).
fn adopted_agents(contents: &Contents) -> Vec<Provided<String>> {
    [&contents.project, &contents.user, &contents.system]
        .into_iter()
        .flat_map(|content| content.config.adopt.iter().cloned())
        .collect()
}

/// Resolves a switch that any layer can turn on, and none can turn off again.
fn any_true(said: LayeredValue<bool>) -> Provided<bool> {
    [said.system, said.user, said.project]
        .into_iter()
        .flatten()
        .find(|said| said.value)
        .unwrap_or(Provided::default_of(false))
}

/// Returns the entries of `extensions.disabled` that reach an extension: the project's own reach
/// the user's extensions only if the workspace is trusted (ST-7).
pub(crate) fn disables_extension(
    contents: &Contents,
    project: ProjectReach,
    name: &str,
    scope: ExtensionScope,
) -> bool {
    let names = |content: &LayerContent| {
        content
            .disabled_extensions
            .iter()
            .any(|entry| entry.value.eq_ignore_ascii_case(name))
    };
    let own_counts = project != ProjectReach::Itself || scope == ExtensionScope::Project;
    names(&contents.user) || names(&contents.system) || (own_counts && names(&contents.project))
}
