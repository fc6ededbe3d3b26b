//! A project's hooks, from settings on disk to sessions that fire them.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookloop_engine::{
    Builder, Executor, Executors, Explanation, Hooks, LineObserver, Observer, SessionHooks, Subject,
};
use hookloop_events::{EventName, SessionIdentity};
use hookloop_exec::{CommandExecutor, Redaction, Surroundings};
use hookloop_hook::{HookType, Problem};
use hookloop_settings::{ProjectHistory, Provided, RunTrust, Strictness, SystemFiles};
use hookloop_trust::{OwnerCheck, START_VARIABLES};

use crate::folders::{state_folder, system_files};
use crate::gate::Gate;
use crate::private::make_private_folder;
use crate::watch::Stamps;
use crate::workspace::{Opening, Workspace, folder_name};

/// The hooks of a project, its user and the system, ready to fire in your program.
///
/// Opening a host does everything that a program that embeds the engine must do for its user: it
/// reads the settings of all layers and determines the standing of each hook. A project's hooks run
/// only if a person agreed to them, and each hook is checked again right before it runs ([TR-1],
/// [TR-6], [TR-9]).
///
/// [`session`](Self::session) returns a [`SessionHooks`], which has one method for each event. If
/// an event wasn't settled, it has no outcome but an error: `Cancelled`, or for a call
/// [`Unsettled`](hookloop_engine::Unsettled). The action that waited for the hooks must not happen
/// then.
///
/// ```no_run
/// use hookloop_engine::events::{BeforeToolOutcome, ToolArguments, ToolCall};
/// use hookloop_host::Host;
///
/// # async fn guarded() -> Result<(), Box<dyn std::error::Error>> {
/// let host = Host::open("/srv/shop")?;
/// let session = host.session("nightly-build");
/// let call = ToolCall::new("call-1", "run_shell_command", ToolArguments::new());
/// match session.before_tool(call, |_| Ok::<_, String>(())).await?.outcome {
///     BeforeToolOutcome::Proceed(cleared) => println!("{} may run", cleared.name),
///     other => println!("it doesn't run: {other:?}"),
/// }
/// # Ok(())
/// # }
/// ```
///
/// [TR-1]: https://github.com/hookloop/hookloop/blob/main/docs/specification/management.md#tr-1
/// [TR-6]: https://github.com/hookloop/hookloop/blob/main/docs/specification/management.md#tr-6
/// [TR-9]: https://github.com/hookloop/hookloop/blob/main/docs/specification/management.md#tr-9
#[derive(Clone)]
pub struct Host {
    workspace: Arc<Workspace>,
    hooks: Hooks,
    stamps: Stamps,
    state_folder: PathBuf,
}

/// The configuration with which a [`Host`] is opened.
#[must_use = "a host exists after `open`"]
pub struct HostBuilder {
    project: PathBuf,
    variables: Option<Vec<(OsString, OsString)>>,
    home: Option<PathBuf>,
    system_file: Option<PathBuf>,
    state_folder: Option<PathBuf>,
    run: RunTrust,
    tools: Vec<String>,
    by_kind: Vec<Box<dyn FnOnce(Executors) -> Executors>>,
    recorders: Vec<Box<Recorder>>,
    engine: Builder,
}

/// Creates an observer that keeps its records in the state folder of a project.
type Recorder = dyn FnOnce(&Path) -> Arc<dyn Observer>;

/// Why a host can't be opened. A faulty hook doesn't prevent that; it is reported by
/// [`Host::problems`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// The project's folder can't be reached.
    #[error("{}: {error}", path.display())]
    Project {
        /// The folder, as it was given.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The home folder with the user's settings isn't known.
    #[error("there is no home folder: set HOME, or give one to the builder")]
    NoHome,
    /// The state folder can't be created, or can't be made private ([TR-9]).
    ///
    /// [TR-9]: https://github.com/hookloop/hookloop/blob/main/docs/specification/management.md#tr-9
    #[error("{}: {error}", path.display())]
    State {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Files that may contain a guard can't be read ([ST-5]), or settings are strict and there is a
    /// problem ([ST-11]). The program must do nothing until this is repaired.
    ///
    /// [ST-11]: https://github.com/hookloop/hookloop/blob/main/docs/specification/management.md#st-11
    /// [ST-5]: https://github.com/hookloop/hookloop/blob/main/docs/specification/management.md#st-5
    #[error("guards may be missing: {}", all_of(.0))]
    GuardsMissing(Vec<Problem>),
}

fn all_of(problems: &[Problem]) -> String {
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    lines.join("; ")
}

/// The result of checking the files that hooks come from.
#[derive(Debug)]
#[non_exhaustive]
pub enum Refresh {
    /// They are unchanged.
    Unchanged,
    /// They changed, and the new hooks apply from the next event on.
    Replaced,
    /// They changed and can't be read completely any more. The previous hooks stay in force
    /// ([ST-5]).
    ///
    /// [ST-5]: https://github.com/hookloop/hookloop/blob/main/docs/specification/management.md#st-5
    Kept(Vec<Problem>),
}

impl Host {
    /// Opens a project with the settings of the user and the system, located by environment
    /// variables. Relative paths are resolved against the current folder. Hooks that are skipped or
    /// fail are reported on standard error, unless you open it with an observer
    /// ([`HostBuilder::hooks`]).
    ///
    /// # Errors
    /// Guards may be missing, or a folder can't be accessed.
    pub fn open(project: impl Into<PathBuf>) -> Result<Self, HostError> {
        Self::builder(project).open()
    }

    /// Starts to configure a host for a project.
    ///
    /// ```
    /// use hookloop_engine::OnFailure;
    /// use hookloop_engine::events::{BeforeTool, Ruling};
    /// use hookloop_host::Host;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let (project, home) = (folder.path().join("project"), folder.path().join("home"));
    /// # std::fs::create_dir_all(&project)?;
    /// let host = Host::builder(project)
    ///     .home(home)
    ///     .hooks(|hooks| {
    ///         hooks
    ///             .on::<BeforeTool>("no-shell")
    ///             .matching("run_shell_command")
    ///             .on_failure(OnFailure::Deny)
    ///             .answer(async |_| Ruling::deny("no shell here"))
    ///     })
    ///     .open()?;
    /// assert!(host.problems().is_empty());
    /// # Ok(())
    /// # }
    /// ```
    pub fn builder(project: impl Into<PathBuf>) -> HostBuilder {
        HostBuilder {
            project: project.into(),
            variables: None,
            home: None,
            system_file: None,
            state_folder: None,
            run: RunTrust::NotGiven,
            tools: Vec::new(),
            by_kind: Vec::new(),
            recorders: Vec::new(),
            engine: Hooks::builder(),
        }
    }

    /// Starts a session in the project's root. Its id is in every payload ([IO-1]), and determines
    /// the path of its transcript below [`state_folder`](Self::state_folder). If you store the
    /// conversation, write it there, with [`private_options`](crate::private_options).
    ///
    /// [IO-1]: https://github.com/hookloop/hookloop/blob/main/docs/specification/hooks.md#io-1
    pub fn session(&self, id: impl Into<String>) -> SessionHooks {
        let session_id = id.into();
        let name: String = session_id
            .chars()
            .map(|it| if it.is_alphanumeric() { it } else { '-' })
            .collect();
        let transcripts = self.state_folder.join("transcripts");
        self.session_as(SessionIdentity {
            session_id,
            transcript_path: transcripts.join(format!("{name}.jsonl")),
            cwd: self.workspace.project_root.clone(),
            agent: None,
        })
    }

    /// Starts a session with an identity of your own. Its paths must be absolute.
    pub fn session_as(&self, identity: SessionIdentity) -> SessionHooks {
        self.hooks.session(identity)
    }

    /// Checks whether the files that hooks come from have changed, and loads the changes, with the
    /// same checks ([TR-6]). Call it between turns. An event in flight keeps the hooks that it
    /// started with; existing sessions get the new ones.
    ///
    /// [TR-6]: https://github.com/hookloop/hookloop/blob/main/docs/specification/management.md#tr-6
    pub fn refresh(&mut self) -> Refresh {
        let before = Stamps::of(&self.workspace);
        if before == self.stamps {
            return Refresh::Unchanged;
        }
        let workspace = self.workspace.reopen();
        self.stamps = Stamps::of(&workspace).keeping(&before);
        let missing = missing_guards(&workspace);
        if !missing.is_empty() {
            return Refresh::Kept(missing);
        }
        self.hooks.replace(workspace.registry());
        self.workspace = Arc::new(workspace);
        Refresh::Replaced
    }

    /// Returns all problems with settings, trust and hooks, each with its place and remedy. Show
    /// them, so that nobody relies on a guard that isn't active.
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = self.workspace.problems.clone();
        problems.extend(self.workspace.suspicions());
        problems
    }

    /// Explains which hooks of an event run for a subject, such as a tool, and why the others don't
    /// ([CM-4]), including the program's own. No hook runs.
    ///
    /// [CM-4]: https://github.com/hookloop/hookloop/blob/main/docs/specification/management.md#cm-4
    pub fn explain(&self, event: EventName, subject: Subject<'_>) -> Explanation {
        self.hooks.explain(event, subject)
    }

    /// Returns everything that is configured, including which hooks may run.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Returns the engine, for anything that sessions don't provide.
    pub const fn hooks(&self) -> &Hooks {
        &self.hooks
    }

    /// Returns the folder for the state of this project. Only its owner can access it ([TR-9]).
    ///
    /// [TR-9]: https://github.com/hookloop/hookloop/blob/main/docs/specification/management.md#tr-9
    pub fn state_folder(&self) -> &Path {
        &self.state_folder
    }
}

impl HostBuilder {
    /// Sets the environment, and ignores that of the process. The variables determine where
    /// settings are, and hooks receive them, without secrets ([ENV-1] to [ENV-4]).
    ///
    /// [ENV-1]: https://github.com/hookloop/hookloop/blob/main/docs/specification/hooks.md#env-1
    /// [ENV-4]: https://github.com/hookloop/hookloop/blob/main/docs/specification/hooks.md#env-4
    pub fn variables(mut self, variables: Vec<(OsString, OsString)>) -> Self {
        self.variables = Some(variables);
        self
    }

    /// Sets the folder that contains the user's `.gemini`.
    pub fn home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// Sets the system's settings file. The file of its defaults is in the same folder ([ST-1]). A
    /// missing file is empty.
    ///
    /// [ST-1]: https://github.com/hookloop/hookloop/blob/main/docs/specification/management.md#st-1
    pub fn system_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.system_file = Some(file.into());
        self
    }

    /// Sets the folder for the state of all projects.
    pub fn state_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.state_folder = Some(folder.into());
        self
    }

    /// Sets whether a person trusted the workspace for this run ([TR-3]). Keep the default in
    /// programs that run unattended.
    ///
    /// [TR-3]: https://github.com/hookloop/hookloop/blob/main/docs/specification/management.md#tr-3
    pub const fn run_trust(mut self, run: RunTrust) -> Self {
        self.run = run;
        self
    }

    /// Names tools of your program, so that a matcher or a condition that names one isn't reported
    /// as a mistake ([CM-3]). The built-in tools and those of MCP servers are known; hooks fire for
    /// any tool, named here or not.
    ///
    /// [CM-3]: https://github.com/hookloop/hookloop/blob/main/docs/specification/management.md#cm-3
    pub fn tools<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.tools.extend(names.into_iter().map(Into::into));
        self
    }

    /// Sets the executor for hooks of one kind. The gate checks its hooks, too. By default,
    /// commands run in process groups of their own, with deadlines.
    pub fn executor_for(mut self, kind: HookType, executor: impl Executor + 'static) -> Self {
        let add = move |executors: Executors| executors.with(kind, executor);
        self.by_kind.push(Box::new(add));
        self
    }

    /// Adds an observer that keeps its records in the project's state folder, which is known only
    /// when the project is opened, such as the trace that `hookloop hooks trace` reads.
    pub fn observer_in(
        mut self,
        create: impl FnOnce(&Path) -> Arc<dyn Observer> + 'static,
    ) -> Self {
        self.recorders.push(Box::new(create));
        self
    }

    /// Adds closures as hooks, observers, a clock, or a root for traces. The host itself sets the
    /// configured hooks, their executors and their caps.
    ///
    /// Set an observer to decide where it is reported which hooks are skipped or fail. Without one,
    /// each such line goes to standard error: nothing is silently off.
    ///
    /// ```no_run
    /// use std::sync::Arc;
    ///
    /// use hookloop_engine::LineObserver;
    /// use hookloop_host::Host;
    ///
    /// # fn opened() -> Result<Host, hookloop_host::HostError> {
    /// let lines = LineObserver::new(|line| eprintln!("{line}"));
    /// Host::builder("/srv/shop")
    ///     .hooks(|hooks| hooks.observer(Arc::new(lines)))
    ///     .open()
    /// # }
    /// ```
    pub fn hooks(mut self, add: impl FnOnce(Builder) -> Builder) -> Self {
        self.engine = add(self.engine);
        self
    }

    /// Loads the settings, vouches for the hooks, and registers them behind the gate.
    ///
    /// # Errors
    /// Guards may be missing, or a folder can't be accessed.
    pub fn open(self) -> Result<Host, HostError> {
        let variables = self
            .variables
            .unwrap_or_else(hookloop_environment::variables);
        let variable = |name: &str| value_of(&variables, name);
        let path = self.project;
        let project = match dunce::canonicalize(&path) {
            Ok(project) => project,
            Err(error) => return Err(HostError::Project { path, error }),
        };
        let named = ["GEMINI_CLI_HOME", "HOME", "USERPROFILE"];
        let from_environment = named.into_iter().find_map(variable).map(PathBuf::from);
        let home = self.home.or(from_environment).ok_or(HostError::NoHome)?;
        let system = match self.system_file {
            Some(file) => SystemFiles::of(file),
            None => system_files(variable, &project),
        };
        let state = self
            .state_folder
            .unwrap_or_else(|| state_folder(variable, &home));
        let mut opening = Opening {
            system,
            run: self.run,
            host_tools: self.tools,
            ..Opening::of(project, home)
        };
        if variable("HOOKLOOP_OWNER_CHECK") == Some(OsStr::new("off")) {
            opening.owners = OwnerCheck::TurnedOff;
        }
        let search_path = variable("PATH").map(std::env::split_paths);
        opening.surroundings.search_path = search_path.into_iter().flatten().collect();
        opening.surroundings.start_variables = START_VARIABLES
            .into_iter()
            .filter_map(|name| Some((name.to_owned(), variable(name)?.to_str()?.to_owned())))
            .collect();

        let stamps = Stamps::before_loading(&opening);
        let workspace = Workspace::open(&opening);
        let missing = missing_guards(&workspace);
        if !missing.is_empty() {
            return Err(HostError::GuardsMissing(missing));
        }
        let stamps = Stamps::of(&workspace).keeping(&stamps);
        let state_folder = state
            .join("projects")
            .join(folder_name(&workspace.project_root));
        let folders = ["plans", "scratch", "transcripts"].map(|it| state_folder.join(it));
        for folder in [&state, &state_folder].into_iter().chain(&folders) {
            make_private_folder(folder).map_err(|error| HostError::State {
                path: folder.clone(),
                error,
            })?;
        }
        let commands = CommandExecutor::new(surroundings(&workspace, variables, &state_folder));
        let executors = Executors::default().with_others(commands);
        let executors = self
            .by_kind
            .into_iter()
            .fold(executors, |all, add| add(all));
        let recorders = self.recorders.into_iter();
        let engine = recorders
            .map(|create| create(&state_folder))
            .fold(self.engine, Builder::observer);
        let hooks = observed(engine)
            .registry(workspace.registry())
            .max_output_bytes(workspace.max_output_bytes())
            .executor(Gate::new(executors, &workspace))
            .build();
        Ok(Host {
            workspace: Arc::new(workspace),
            hooks,
            stamps,
            state_folder,
        })
    }
}

/// Reports on standard error what nobody observes.
fn observed(engine: Builder) -> Builder {
    if engine.is_observed() {
        return engine;
    }
    engine.observer(Arc::new(LineObserver::new(|line| {
        // Fails only if standard error is closed.
        let _ = writeln!(io::stderr(), "{line}");
    })))
}

fn value_of<'a>(variables: &'a [(OsString, OsString)], name: &str) -> Option<&'a OsStr> {
    let found = variables.iter().find(|(it, _)| it == name);
    found
        .map(|(_, value)| value.as_os_str())
        .filter(|value| !value.is_empty())
}

/// Returns what keeps a program from acting: a guard may be in a file that can't be read ([ST-5]),
/// or somebody is strict ([ST-11]).
///
/// [ST-11]: https://github.com/hookloop/hookloop/blob/main/docs/specification/management.md#st-11
/// [ST-5]: https://github.com/hookloop/hookloop/blob/main/docs/specification/management.md#st-5
fn missing_guards(workspace: &Workspace) -> Vec<Problem> {
    let history = if workspace.store.knows_project(&workspace.project_root) {
        ProjectHistory::Trusted
    } else {
        ProjectHistory::NeverTrusted
    };
    let settings = &workspace.settings;
    let mut diagnostics = workspace.problems.clone();
    if settings.switches.strict.value {
        diagnostics.extend(workspace.suspicions());
    }
    let refusals = settings.start_refusals(history, Strictness::AsConfigured, &diagnostics);
    refusals.into_iter().cloned().collect()
}

/// Returns what executors are told about the program.
fn surroundings(
    workspace: &Workspace,
    variables: Vec<(OsString, OsString)>,
    state_folder: &Path,
) -> Surroundings {
    let configured = &workspace.settings.agent.environment_redaction;
    let names = |list: &[Provided<String>]| list.iter().map(|it| it.value.clone()).collect();
    Surroundings {
        variables,
        project_root: workspace.project_root.clone(),
        plans_dir: state_folder.join("plans"),
        http_allowed: names(&workspace.settings.switches.http_allowed),
        plugin_data: Some(state_folder.join("plugin-data")),
        compiled: Some(state_folder.join("compiled")),
        scratch_dir: state_folder.join("scratch"),
        redaction: Redaction {
            enabled: configured.enabled.as_ref().map(|it| it.value),
            allowed: names(&configured.allowed),
            blocked: names(&configured.blocked),
        },
        ..Surroundings::default()
    }
}
