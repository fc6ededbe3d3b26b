//! From what each layer says to what holds (ST-6, ST-7).

use std::collections::HashMap;

use crate::agent::AgentSettings;
use crate::config_read::LayerConfig;
use crate::extension::Extension;
use crate::file_text::Documents;
use crate::hook_read::ReadHook;
use crate::provided::Provided;
use crate::switches::{DisabledEntry, DisabledReach, HookSwitches};
use hookloop_hook::Source;
use hookloop_hook::{ExtensionScope, HookDeclaration, OnFailure};
use hookloop_hook::{Problem, ProblemCode};

pub(crate) const TRUST_HINT: &str = "trust the folder, or put the setting into the user's settings";

/// What one settings file says.
#[derive(Debug, Default)]
pub(crate) struct LayerContent {
    pub(crate) config: LayerConfig,
    pub(crate) agent: AgentSettings,
    /// `extensions.disabled`.
    pub(crate) disabled_extensions: Vec<Provided<String>>,
}

/// Says how far the project's settings count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProjectReach {
    /// The workspace is trusted.
    Everything,
    /// They may do what harms nobody but the project.
    Itself,
}

/// What the three settings files say.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    pub(crate) project: LayerContent,
    pub(crate) user: LayerContent,
    pub(crate) system: LayerContent,
}

/// Resolves, and reports what does not count.
pub(crate) struct Resolver<'a> {
    pub(crate) project: ProjectReach,
    pub(crate) documents: &'a Documents,
    pub(crate) problems: Vec<Problem>,
    locked: Vec<String>,
}

/// What the layers say about one key.
struct Said<T> {
    project: Option<Provided<T>>,
    user: Option<Provided<T>>,
    system: Option<Provided<T>>,
}

macro_rules! said {
    ($contents:expr, $field:ident) => {
        Said {
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
            documents,
            problems: Vec::new(),
            locked: Vec::new(),
        }
    }

    /// Resolves the switches, and fills the default for `onFailure` into the hooks.
    pub(crate) fn switches(
        &mut self,
        contents: &Contents,
        hooks: Vec<ReadHook>,
    ) -> (HookSwitches, Vec<HookDeclaration>) {
        self.locked = contents
            .system
            .config
            .locked
            .iter()
            .map(|key| key.value.clone())
            .collect();
        let defaults = HookSwitches::default();
        let enabled = self.choose("enabled", said!(contents, enabled), defaults.enabled);
        let project_off = self.project_off(contents, &enabled);
        let on_failure = self.choose(
            "onFailure",
            said!(contents, on_failure),
            defaults.on_failure,
        );
        let own_on_failure = self.own_on_failure(contents, on_failure.value);
        let hooks = fill_on_failure(hooks, on_failure.value, own_on_failure);
        let switches = HookSwitches {
            project_off,
            on_failure,
            disabled: self.disabled(contents, &hooks),
            notifications: self.choose(
                "notifications",
                said!(contents, notifications),
                defaults.notifications,
            ),
            max_output_bytes: self.choose(
                "maxOutputBytes",
                said!(contents, max_output_bytes),
                defaults.max_output_bytes,
            ),
            max_retries: self.choose(
                "maxRetries",
                said!(contents, max_retries),
                defaults.max_retries,
            ),
            trace_max_bytes: self.choose(
                "trace",
                said!(contents, trace_max_bytes),
                defaults.trace_max_bytes,
            ),
            locked: self.locked.clone(),
            enabled,
        };
        self.report_off(&switches);
        (switches, hooks)
    }

    /// Resolves one key: project over user over system, but locked keys are the system's, and a
    /// project that is not trusted says nothing about others.
    fn choose<T: PartialEq>(
        &mut self,
        key: &str,
        said: Said<T>,
        default: Provided<T>,
    ) -> Provided<T> {
        let Said {
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
        if self.project == ProjectReach::Everything
            && let Some(project) = project
        {
            return project;
        }
        let chosen = user.or(system).unwrap_or(default);
        if let Some(Provided {
            value,
            source: Some(source),
        }) = project
            && value != chosen.value
        {
            let message =
                format!("\"{key}\" of a project that is not trusted does not count for others");
            self.warn(ProblemCode::FolderUntrusted, &source, message, TRUST_HINT);
        }
        chosen
    }

    fn is_locked(&self, key: &str) -> bool {
        self.locked.iter().any(|locked| locked == key)
    }

    /// Returns the setting by which a project that is not trusted turned off its own hooks (ST-7).
    fn project_off(&self, contents: &Contents, enabled: &Provided<bool>) -> Option<Source> {
        let own = contents.project.config.enabled.as_ref()?;
        let counts = self.project == ProjectReach::Itself && !self.is_locked("enabled");
        own.source
            .clone()
            .filter(|_| counts && !own.value && enabled.value)
    }

    /// Returns the default for the project's own hooks: it can make them stricter (IO-21).
    fn own_on_failure(&self, contents: &Contents, general: OnFailure) -> OnFailure {
        match &contents.project.config.on_failure {
            Some(own) if self.project == ProjectReach::Itself && !self.is_locked("onFailure") => {
                own.value.max(general)
            }
            _ => general,
        }
    }

    fn disabled(&mut self, contents: &Contents, hooks: &[HookDeclaration]) -> Vec<DisabledEntry> {
        let locked = self.is_locked("disabled");
        let others = if locked {
            DisabledReach::NotSystem
        } else {
            DisabledReach::Everything
        };
        let of_project = match self.project {
            ProjectReach::Everything => others,
            ProjectReach::Itself => DisabledReach::OwnProject,
        };
        let layers = [
            (&contents.project, of_project),
            (&contents.user, others),
            (&contents.system, DisabledReach::Everything),
        ];
        let mut entries = Vec::new();
        for (content, reach) in layers {
            for entry in &content.config.disabled {
                let Some(source) = entry.source.clone() else {
                    continue;
                };
                entries.push(DisabledEntry {
                    name: entry.value.clone(),
                    source,
                    reach,
                });
            }
        }
        self.report_out_of_reach(&entries, hooks);
        entries
    }

    /// Reports entries that name a hook which they can't disable (ST-6, ST-7).
    fn report_out_of_reach(&mut self, entries: &[DisabledEntry], hooks: &[HookDeclaration]) {
        if entries
            .iter()
            .all(|entry| entry.reach == DisabledReach::Everything)
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
            let name = crate::report::shorten(&entry.name);
            let (code, message, help) = match entry.reach {
                DisabledReach::OwnProject => (
                    ProblemCode::FolderUntrusted,
                    format!(
                        "a project that is not trusted can't disable \"{name}\" ({})",
                        spared.source
                    ),
                    TRUST_HINT,
                ),
                _ => (
                    ProblemCode::LockedKey,
                    format!(
                        "\"{name}\" ({}) can't be disabled here: \"disabled\" is locked",
                        spared.source
                    ),
                    "ask whoever keeps the system's settings",
                ),
            };
            self.warn(code, &entry.source, message, help);
        }
    }

    fn report_off(&mut self, switches: &HookSwitches) {
        let off = match (&switches.enabled, &switches.project_off) {
            (
                Provided {
                    value: false,
                    source: Some(source),
                },
                _,
            ) => (source, "hooks are turned off"),
            (_, Some(source)) => (source, "the project's own hooks are turned off"),
            _ => return,
        };
        let help = "set \"enabled\" to true, or remove it, to turn them on";
        self.warn(ProblemCode::HooksOff, off.0, off.1.to_owned(), help);
    }

    /// Reports where a project that is not trusted names an extension of the user's (ST-7).
    pub(crate) fn report_extensions(&mut self, contents: &Contents, extensions: &[Extension]) {
        if self.project == ProjectReach::Everything {
            return;
        }
        for entry in &contents.project.disabled_extensions {
            let spared = extensions.iter().any(|extension| {
                extension.origin.scope == ExtensionScope::User
                    && extension.origin.name.eq_ignore_ascii_case(&entry.value)
            });
            if let Some(source) = entry.source.as_ref().filter(|_| spared) {
                let name = crate::report::shorten(&entry.value);
                let message = format!(
                    "a project that is not trusted can't disable the user's extension \"{name}\""
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

fn fill_on_failure(
    hooks: Vec<ReadHook>,
    general: OnFailure,
    of_project: OnFailure,
) -> Vec<HookDeclaration> {
    hooks
        .into_iter()
        .map(
            |ReadHook {
                 mut declaration,
                 on_failure,
             }| {
                let default = if declaration.is_from_project() {
                    of_project
                } else {
                    general
                };
                declaration.on_failure = on_failure.unwrap_or(default);
                declaration
            },
        )
        .collect()
}

/// Returns the entries of `extensions.disabled` that reach an extension: the project's own reach
/// the user's extensions only where the workspace is trusted (ST-7).
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
    let own_counts = project == ProjectReach::Everything || scope == ExtensionScope::Project;
    names(&contents.user) || names(&contents.system) || (own_counts && names(&contents.project))
}
