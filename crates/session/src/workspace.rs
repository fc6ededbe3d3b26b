//! Loads everything that is configured for a project: settings, trust, and hooks with their
//! standing.

use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};

use hookloop_engine::RunSwitch;
use hookloop_exec::{Redaction, Surroundings};
use hookloop_hook::{Handler, HookDeclaration, quoted};
use hookloop_host::{Opening, OuterAgents, folder_name};
use hookloop_sandbox::Sandbox;
use hookloop_settings::{
    ExtensionChoice, Provided, RunTrust, SystemFiles, TelemetrySettings, find_project_root,
};
use hookloop_trust::{OwnerCheck, resolve_path};

use crate::environment::Environment;
use crate::options::RunOptions;
use crate::{plans, telemetry_variables};

/// The command of the program that ends a hook when its host is gone (SE-2).
pub const WATCH_COMMAND: &str = "__watch";

/// What is configured for a project, with what may run, and what sessions also need.
pub struct Workspace {
    host: hookloop_host::Workspace,
    /// What the environment says about telemetry (TE-1).
    telemetry: TelemetrySettings,
}

impl Deref for Workspace {
    type Target = hookloop_host::Workspace;

    fn deref(&self) -> &Self::Target {
        &self.host
    }
}

impl DerefMut for Workspace {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.host
    }
}

impl Workspace {
    /// Loads the workspace of the current folder. It runs, trusts and writes nothing (TR-7), and
    /// never fails: what is wrong comes back as problems (ST-5).
    pub fn open(environment: &Environment, run: &RunOptions) -> Self {
        let host = hookloop_host::Workspace::open(&opening(environment, run));
        Self::with_telemetry(host, telemetry_variables::from_environment(environment))
    }

    /// Loads the workspace again as it is now (TR-6). The project stays the one that the session
    /// began in: a folder that becomes the root of another one must not take its hooks away.
    #[must_use]
    pub fn reopen(&self) -> Self {
        Self::with_telemetry(self.host.reopen(), self.telemetry.clone())
    }

    /// Lays what the environment says over the settings.
    fn with_telemetry(mut host: hookloop_host::Workspace, telemetry: TelemetrySettings) -> Self {
        let settings = &mut host.settings.agent.telemetry;
        let problem = telemetry_variables::direct(settings, &telemetry);
        host.problems.extend(problem);
        Self { host, telemetry }
    }

    /// Returns the folder for what the program remembers of this project.
    pub fn state_dir(&self, environment: &Environment) -> PathBuf {
        environment
            .projects_dir()
            .join(folder_name(&self.project_root))
    }

    /// Returns the folder that plans are written to (TO-6): the one of `general.plan.directory`,
    /// inside of the project, or else one of the user's state. The error says what is wrong, and
    /// where.
    pub(crate) fn plans_dir(&self, environment: &Environment) -> Result<PathBuf, String> {
        let Some(setting) = &self.settings.agent.plan_directory else {
            return Ok(self.state_dir(environment).join("plans"));
        };
        let place = setting.place();
        let wrong = |why: &str| format!("{place}\"general.plan.directory\" {why}");
        let name = setting.value.as_str();
        let name = match name.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                environment.home.join(rest.trim_start_matches('/'))
            }
            _ => PathBuf::from(name),
        };
        let project = hookloop_tools::Workspace::open(&self.project_root, &[]);
        let project = project.map_err(|error| wrong(&error.to_string()))?;
        let folder = project.resolve(&name.to_string_lossy());
        let folder = folder
            .map_err(|error| wrong(&format!("must be inside the project: {}", error.message)))?;
        let inside = folder.strip_prefix(project.root()).unwrap_or(&folder);
        match plans::unfit(inside) {
            Some(why) => Err(wrong(&format!("must be a folder only for plans: {why}"))),
            None => Ok(folder),
        }
    }

    /// Returns the folders for records of hooks, which tools may not write to (TR-8).
    pub fn records(&self, environment: &Environment) -> [PathBuf; 5] {
        let state = environment.state_dir();
        [
            state.join("audit"),
            state.join("meter"),
            environment.proofs_dir(),
            self.later_folder(environment),
            compiled_folder(environment),
        ]
    }

    /// Returns the folder for what hooks write for later shell commands (FD-14).
    pub(crate) fn later_folder(&self, environment: &Environment) -> PathBuf {
        self.state_dir(environment).join("later")
    }

    /// Returns which variables hooks don't get (ENV-3).
    pub(crate) fn redaction(&self) -> Redaction {
        let redaction = &self.settings.agent.environment_redaction;
        Redaction {
            enabled: redaction.enabled.as_ref().map(|it| it.value),
            allowed: values(&redaction.allowed),
            blocked: values(&redaction.blocked),
        }
    }

    /// Returns what executors know about the host.
    pub fn surroundings(&self, environment: &Environment) -> Surroundings {
        let program = environment.program.clone();
        Surroundings {
            variables: environment.variables_of_tools(&self.project_root),
            of_project: environment.of_project.clone(),
            project_root: self.project_root.clone(),
            plans_dir: self
                .plans_dir(environment)
                .unwrap_or_else(|_| self.state_dir(environment).join("plans")),
            plugin_data: Some(environment.state_dir().join("plugin-data")),
            later_environment: None,
            proofs: Some(environment.proofs_dir()),
            compiled: Some(compiled_folder(environment)),
            redaction: self.redaction(),
            http_allowed: values(&self.settings.switches.http_allowed),
            scratch_dir: environment.scratch_dir.clone(),
            process_cwd: Some(environment.process_dir.clone()),
            sandbox: Some(Sandbox::new(program.as_deref())),
            watchdog: program.map(|it| vec![it.into_os_string(), WATCH_COMMAND.into()]),
        }
    }
}

fn values(list: &[Provided<String>]) -> Vec<String> {
    list.iter().map(|it| it.value.clone()).collect()
}

impl Workspace {
    /// Returns the component that a hook names but that isn't there: nobody can agree to it before
    /// it is built (CM-8, TR-1).
    pub fn unbuilt_component(
        &self,
        environment: &Environment,
        hook: &HookDeclaration,
    ) -> Option<PathBuf> {
        let Handler::Plugin(plugin) = &hook.handler else {
            return None;
        };
        let home = environment.home_of_programs();
        let cwd = &environment.current_dir;
        let path = resolve_path(
            &plugin.plugin,
            hook,
            &self.project_root,
            cwd,
            home.as_deref(),
        );
        path.symlink_metadata().is_err().then_some(path)
    }

    /// Compiles the components that hooks are, so that no event has to wait for it (HT-20), and
    /// says which can't be loaded.
    pub fn compile_components(
        &self,
        environment: &Environment,
        hooks: &[&HookDeclaration],
    ) -> Vec<String> {
        let home = environment.home_of_programs();
        let cwd = &environment.current_dir;
        let failed = hooks.iter().filter_map(|hook| {
            let Handler::Plugin(plugin) = &hook.handler else {
                return None;
            };
            let root = &self.project_root;
            let path = resolve_path(&plugin.plugin, hook, root, cwd, home.as_deref());
            let compiled = hookloop_exec::compile_component(&path, &compiled_folder(environment));
            let why = compiled.err()?;
            Some(format!(
                "hook {} couldn't start: {why}",
                quoted(hook.label())
            ))
        });
        failed.collect()
    }
}

/// Returns the folder for compiled components (HT-20).
fn compiled_folder(environment: &Environment) -> PathBuf {
    environment.state_dir().join("compiled")
}

/// Returns where a run looks for settings, and what is known about that.
///
/// Below an agent that uses the same home or project, nothing loosens that agent's settings
/// (TR-11): its home counts, the workspace isn't trusted for the run, hooks aren't switched off,
/// and owners are checked.
pub(crate) fn opening(environment: &Environment, run: &RunOptions) -> Opening {
    let own = own_opening(environment, run);
    let outer = (!run.is_noted).then(|| outer_agent(environment)).flatten();
    let Some(outer) = outer else {
        return own;
    };
    let home = outer.home.unwrap_or_else(|| own.home.clone());
    Opening {
        system: outer.system,
        run: RunTrust::NotGiven,
        switch: RunSwitch::AsConfigured,
        owners: OwnerCheck::for_home(&home),
        home,
        ..own
    }
}

/// Carries out a command that a person gave: what it changes counts as an agreement, and takes
/// effect at once in running sessions (TR-11).
pub fn settling<T>(environment: &Environment, command: impl FnOnce() -> T) -> T {
    hookloop_host::settling(&opening(environment, &RunOptions::default()), command)
}

/// What a run inherits from the agent above it (TR-11).
pub(crate) struct Outer {
    /// What people call the agent.
    pub(crate) name: String,
    /// Its home; nothing if it left no word of it.
    home: Option<PathBuf>,
    /// The files of the system's layer that it reads.
    system: SystemFiles,
}

/// Returns the agent that a run is below, if it concerns one.
pub(crate) fn outer_agent(environment: &Environment) -> Option<Outer> {
    let agents = OuterAgents::find(&environment.variables);
    let root = find_project_root(&environment.current_dir, &environment.home);
    let agent = agents.concerned_by(&environment.home, &root)?;
    let system_files = agents.system_files().cloned();
    Some(Outer {
        name: agent.name.clone(),
        home: agents.home_for(&root).map(Path::to_path_buf),
        // Below an agent, another path for the system's files doesn't remove the system's guards.
        system: system_files.unwrap_or_else(|| environment.usual_system_files()),
    })
}

fn own_opening(environment: &Environment, run: &RunOptions) -> Opening {
    Opening {
        current_dir: environment.current_dir.clone(),
        home: environment.home.clone(),
        system: environment.system_files(),
        run: run_trust(environment, run),
        extensions: match run.extensions.as_slice() {
            [] => ExtensionChoice::Enabled,
            names => ExtensionChoice::Only(names.to_vec()),
        },
        switch: if run.no_hooks {
            RunSwitch::Off
        } else {
            RunSwitch::AsConfigured
        },
        owners: if environment.leaves_owners_unchecked() {
            OwnerCheck::TurnedOff
        } else {
            OwnerCheck::for_home(&environment.home)
        },
        surroundings: hookloop_trust::Surroundings {
            home: environment.home_of_programs(),
            search_path: environment.search_path(),
            start_variables: environment.start_variables(),
        },
        host_tools: Vec::new(),
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
