//! Loads everything that is configured for a project: settings, trust, hooks with their standing.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use hookloop_engine::{Registry, RunSwitch};
use hookloop_exec::{Redaction, Surroundings};
use hookloop_hook::{HookDeclaration, Problem};
use hookloop_settings::{
    ExtensionChoice, LoadRequest, ProjectHistory, Provided, RunTrust, Settings, Strictness,
    find_project_root, load,
};
use hookloop_trust::{Acceptance, FolderTrustFile, StoreError, TrustStore, Vouched};

use crate::environment::Environment;
use crate::options::RunOptions;

/// The command of the program that ends a hook when its host is gone (SE-2).
pub const WATCH_COMMAND: &str = "__watch";

/// Holds what is configured for a project, with who may run.
pub struct Workspace {
    /// The project's root (ST-1).
    pub project_root: PathBuf,
    /// The settings of all layers.
    pub settings: Settings,
    /// All hooks with their standing, in order.
    pub vouched: Vec<Vouched>,
    /// The same, ready to be planned.
    pub registry: Registry,
    /// Whether hooks are switched off for this run.
    pub switch: RunSwitch,
    /// What is trusted.
    pub store: TrustStore,
    /// What was wrong while loading.
    pub problems: Vec<Problem>,
}

impl Workspace {
    /// Loads the workspace of the current folder. It runs, trusts and writes nothing (TR-7), and
    /// never fails: what is wrong comes back as problems (ST-5).
    pub fn open(environment: &Environment, run: &RunOptions) -> Self {
        let project_root = find_project_root(&environment.current_dir, &environment.home);
        Self::of_project(project_root, environment, run)
    }

    /// Loads the workspace again as it is now (TR-6). The project stays the one that the session
    /// began in: a folder that becomes the root of another one must not take its hooks away.
    pub fn reopen(&self, environment: &Environment, run: &RunOptions) -> Self {
        Self::of_project(self.project_root.clone(), environment, run)
    }

    /// Returns what keeps an agent from starting: files that can't be read and may hold a guard
    /// (ST-5), and where strictness is asked for whatever `hooks check` calls an error (ST-11).
    pub fn start_refusals(&self, strictness: Strictness) -> Vec<Problem> {
        let history = if self.store.knows_project(&self.project_root) {
            ProjectHistory::Trusted
        } else {
            ProjectHistory::NeverTrusted
        };
        let mut diagnostics = self.problems.clone();
        if strictness == Strictness::Strict || self.settings.switches.strict.value {
            diagnostics.extend(hookloop_settings::lint(&self.settings));
            diagnostics.extend(hookloop_engine::lint(&self.registry));
        }
        self.settings
            .start_refusals(history, strictness, &diagnostics)
            .into_iter()
            .cloned()
            .collect()
    }

    fn of_project(project_root: PathBuf, environment: &Environment, run: &RunOptions) -> Self {
        let folder = environment.home.join(".gemini");
        let (folders, folder_problems) = FolderTrustFile::open(&folder.join("trustedFolders.json"));
        let settings = load(&LoadRequest {
            folder: folders.trust_of(&project_root),
            project_root: project_root.clone(),
            home: environment.home.clone(),
            system_file: environment.system_settings_file(),
            run: run_trust(environment, run),
            extensions: match run.extensions.as_slice() {
                [] => ExtensionChoice::Enabled,
                names => ExtensionChoice::Only(names.to_vec()),
            },
            agreed_words: Vec::new(),
        });
        let (store, store_problems) = TrustStore::open(folder.join("trusted_hooks.json"));
        let vouched = store.vouch(&project_root, settings.hooks.clone(), &settings.workspace);
        let switch = if run.no_hooks {
            RunSwitch::Off
        } else {
            RunSwitch::AsConfigured
        };
        let registry = Registry::new(vouched.clone(), &settings.switches, switch, &project_root);
        let problems = [&settings.problems, &folder_problems, &store_problems]
            .into_iter()
            .flatten()
            .cloned();
        Self {
            problems: problems.collect(),
            project_root,
            settings,
            vouched,
            registry,
            switch,
            store,
        }
    }

    /// Returns the folder for what the program remembers of this project.
    pub fn state_dir(&self, environment: &Environment) -> PathBuf {
        environment
            .state_dir()
            .join("projects")
            .join(folder_name(&self.project_root))
    }

    /// Returns what executors are told about the host.
    pub fn surroundings(&self, environment: &Environment) -> Surroundings {
        let redaction = &self.settings.agent.environment_redaction;
        let values = |list: &[Provided<String>]| list.iter().map(|it| it.value.clone()).collect();
        let program = environment.program.clone();
        Surroundings {
            variables: environment.variables.clone(),
            project_root: self.project_root.clone(),
            plans_dir: self.state_dir(environment).join("plans"),
            redaction: Redaction {
                enabled: redaction.enabled.as_ref().map(|it| it.value),
                allowed: values(&redaction.allowed),
                blocked: values(&redaction.blocked),
            },
            scratch_dir: environment.scratch_dir.clone(),
            process_cwd: Some(environment.current_dir.clone()),
            watchdog: program.map(|it| vec![it.into_os_string(), WATCH_COMMAND.into()]),
        }
    }

    /// Returns how many bytes of a hook's stream are kept (IO-17).
    pub fn max_output_bytes(&self) -> usize {
        usize::try_from(self.settings.switches.max_output_bytes.value).unwrap_or(usize::MAX)
    }

    /// Trusts hooks as they were seen (TR-2); hooks of the same names that are trusted stay so.
    pub fn trust_as_seen(&mut self, seen: &[&Vouched]) -> Result<(), StoreError> {
        let names: HashSet<Option<&str>> = seen.iter().map(|it| it.hook.name.as_deref()).collect();
        let twins = self.vouched.iter().filter(|it| {
            it.accepted == Acceptance::ByStore && names.contains(&it.hook.name.as_deref())
        });
        let together: Vec<&Vouched> = twins.chain(seen.iter().copied()).collect();
        self.store.trust_as_seen(&self.project_root, &together)
    }

    /// Remembers the scripts of those hooks that upstream's list trusts, as they first run (TR-4).
    pub fn record_baselines(
        &mut self,
        about_to_run: impl Fn(&HookDeclaration) -> bool,
    ) -> Result<(), StoreError> {
        let due: Vec<&Vouched> = self
            .vouched
            .iter()
            .filter(|it| it.accepted == Acceptance::ByUpstream && about_to_run(&it.hook))
            .collect();
        self.store.record_baseline(&self.project_root, &due)
    }
}

fn run_trust(environment: &Environment, run: &RunOptions) -> RunTrust {
    if run.skip_trust {
        RunTrust::Option
    } else if environment.trusts_workspace() {
        RunTrust::Environment
    } else {
        RunTrust::NotGiven
    }
}

/// Returns a folder's name that is a project's alone, and tells people which.
fn folder_name(project_root: &Path) -> String {
    let path = project_root.to_string_lossy();
    // FNV-1a: it only has to keep projects of one name apart.
    let hash = path.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let name = project_root
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let name: String = name
        .chars()
        .map(|it| if it.is_ascii_alphanumeric() { it } else { '-' })
        .take(40)
        .collect();
    format!("{name}-{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SE-10: two projects of one name keep their state apart.
    #[test]
    fn projects_of_one_name_are_kept_apart() {
        let names = ["/a/app", "/b/app"].map(|path| folder_name(Path::new(path)));
        assert_ne!(names[0], names[1]);
        assert!(names[0].starts_with("app-"));
        assert!(!folder_name(Path::new("/a/ü /../x")).contains(['/', ' ']));
    }
}
