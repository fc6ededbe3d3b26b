//! Assembles a session from settings, options and environment.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hookloop_agent::{
    Audience, CompressionThreshold, Frontend, Limits, LiveOutput, Parts, Policy, SessionEvent,
    StartContext, Telemetry, TelemetryObserver, Transcript,
};
use hookloop_engine::{Builder, Executor, Executors, Hooks, Observer, Registry};
use hookloop_events::SessionIdentity;
use hookloop_exec::{CommandExecutor, LaterEnvironment, Surroundings};
use hookloop_host::{Gate, Held, Tainted};
use hookloop_keyring::KeyringSecrets;
use hookloop_model::{Content, ModelClient};
use hookloop_settings::AgentSettings;
use hookloop_tools::{
    BackgroundProcesses, EnterPlanMode, ExitPlanMode, ShellSettings, Tool, Toolbox,
};

use crate::assets::{Assets, context_file_names};
use crate::companions::Companions;
use crate::environment::Environment;
use crate::exit::SessionError;
use crate::guarding::{self, Guards};
use crate::handlers::{Handlers, Looker};
use crate::hook_counts::HookCounts;
use crate::hook_times::{HookTimes, Timed};
use crate::hook_words::problem_line;
use crate::included;
use crate::instruction::instruction;
use crate::later::Later;
use crate::mcp::{Mcp, Offered};
use crate::model::chosen_model;
use crate::options::Options;
use crate::person;
use crate::plans;
use crate::policy;
use crate::policy_files::PolicyFiles;
use crate::recording;
use crate::sandbox;
use crate::stage::Stage;
use crate::stored::Stored;
use crate::suspects::Suspects;
use crate::telling::SessionFacts;
use crate::tracing::Tracing;
use crate::uncovered::uncovered;
use crate::unknown_names;
use crate::unknown_restrictions;
use crate::unmatched::Unmatched;
use crate::unoffered::Unoffered;
use crate::watching::Holding;
use crate::workspace::Workspace;

/// How long a command may write nothing where nobody is who could cancel it (TO-2): longer than
/// what works is silent.
const LONGEST_SILENCE: Duration = Duration::from_mins(30);

/// The parts of a session, and what outlives its turns.
pub struct Built {
    /// The parts of the session.
    pub parts: Parts,
    /// The engine, for another session in the same place (`/clear`) and for other hooks (TR-6).
    pub(crate) hooks: Hooks,
    /// What hooks set for later shell commands, for another session in the same place.
    #[cfg_attr(
        not(feature = "terminal"),
        expect(dead_code, reason = "only a terminal session starts others")
    )]
    pub(crate) later: LaterEnvironment,
    /// What runs alongside it.
    pub companions: Companions,
    /// What the user and the project provide for the model.
    #[cfg_attr(
        not(feature = "terminal"),
        expect(dead_code, reason = "only a terminal session asks for them again")
    )]
    pub(crate) assets: Assets,
    /// The files that prompts may refer to.
    pub(crate) files: Arc<hookloop_tools::Workspace>,
    /// Files that guards depend on and that tool calls changed (TR-8).
    pub tainted: Arc<Tainted>,
    /// What makes sure that its hooks run only as they were loaded.
    pub(crate) holding: Holding,
    /// What hooks have done so far (TU-6).
    #[cfg_attr(
        not(feature = "terminal"),
        expect(dead_code, reason = "only a terminal session shows them")
    )]
    pub(crate) hook_counts: Arc<HookCounts>,
    /// The conversation so far, of a session that is resumed (SE-11).
    pub(crate) resumed: Option<Vec<Arc<Content>>>,
}

/// Builds a new session for a stage, which also observes its hooks.
pub fn build<S: Stage>(
    options: &Options,
    environment: &Environment,
    workspace: &Workspace,
    model: Arc<dyn ModelClient>,
    stage: &Arc<S>,
) -> Result<Built, SessionError> {
    session(options, environment, workspace, model, stage, None)
}

fn connect<S: Stage>(
    options: &Options,
    environment: &Environment,
    workspace: &Workspace,
    screen: &Arc<S>,
) -> Mcp {
    // This must come first, before anything is started.
    hookloop_host::keep_descendants();
    let allowed = &options.allowed_mcp_servers;
    let teller = Arc::clone(screen);
    let tell = move |it: &str| teller.report(it);
    let mcp = Mcp::connect(&workspace.settings, allowed, environment, tell);
    let teller = Arc::clone(screen);
    // Runs when the tools are known, on the registry of that moment.
    mcp.on_tools_known(|| {
        let registry = workspace.registry();
        let mut unmatched = Unmatched::default();
        let agent = &workspace.settings.agent;
        let mut unoffered = Unoffered::new(&agent.tools, &agent.mcp_servers);
        Box::new(move |offered: &Offered| {
            let lines = uncovered(&registry, &offered.new).into_iter();
            let lines = lines.chain(unmatched.look(&registry, &offered.servers));
            for line in lines.chain(unoffered.look(&offered.servers)) {
                teller.report(&line);
            }
        })
    })
}

fn shell_settings(
    facts: &SessionFacts<'_>,
    background: &BackgroundProcesses,
    transcript: &Transcript,
    later: &Later,
) -> ShellSettings {
    let root = &facts.workspace.project_root;
    ShellSettings {
        environment: facts.environment.variables_of_tools(root),
        background: background.clone(),
        log_directory: transcript.path().parent().map(Path::to_owned),
        later: Some(later.for_commands()),
        longest_silence: (facts.audience == Audience::Absent).then_some(LONGEST_SILENCE),
        sandbox: None,
    }
}

/// Builds a session that is shown on a screen, which also observes its hooks.
pub(crate) fn session<S: Stage>(
    options: &Options,
    environment: &Environment,
    workspace: &Workspace,
    model: Arc<dyn ModelClient>,
    screen: &Arc<S>,
    resumed: Option<Stored>,
) -> Result<Built, SessionError> {
    let (frontend, audience) = person::in_front(screen, environment);
    let (settings, id) = (&workspace.settings.agent, options.session_id.as_deref());
    let (session_id, transcript) = transcript(workspace, environment, id, resumed.as_ref())?;
    let (background, tainted) = (BackgroundProcesses::default(), Arc::<Tainted>::default());
    let mcp = connect(options, environment, workspace, screen);
    let assets = Assets::find(environment, workspace, &|it| screen.report(it));
    let (files, policy, plans) = ground(options, environment, workspace, screen, audience)?;
    let kept = LaterEnvironment::new(workspace.later_folder(environment), &session_id);
    let identity = identity(session_id, &transcript, environment);
    let executor = executor(environment, workspace, &kept);
    let tracing = Tracing::begin(&settings.telemetry, environment, warn(screen));
    let chosen = chosen_model(options, environment, settings)?;
    let facts = SessionFacts {
        options,
        environment,
        workspace,
        model: &chosen.served,
        mode: policy.mode,
        audience,
    };
    let telemetry = facts.begin(&identity, tracing.sink(&settings.telemetry))?;
    let looker = Looker::of(workspace, environment);
    let handlers = Handlers::for_session(&executor, &model, &chosen.served, &files, looker);
    let (runner, times, held) = gate_executors(handlers.executors, &facts, &tainted);
    let (vouching, hook_counts) = (runner.vouching(), Arc::default());
    let observers = observers(screen, &hook_counts, &telemetry, &facts);
    let hooks = engine(workspace, runner, observers, &tracing);
    let later = Later::new(&kept, &hooks, vouching, environment);
    let guards = Guards::of(held.as_ref(), workspace, environment, &tainted, &later);
    let sandbox = sandbox::for_commands(options, environment, workspace, &guards, &**screen);
    let shell = shell_settings(&facts, &background, &transcript, &later);
    let brought = assets.tools(environment, Arc::clone(screen).asker());
    let toolbox = built_in(&files, ShellSettings { sandbox, ..shell }, plans).with_extra(brought);
    let parts = Parts {
        frontend: guards.frontend(frontend, environment, &identity.session_id, &times),
        hooks: hooks.session(identity),
        model,
        model_name: chosen.name,
        models: Arc::new(settings.models.clone()),
        system_instruction: Some(assets.instruction(&instruction(&environment.current_dir))),
        toolbox: with_servers(toolbox, &mcp),
        policy: Policy {
            protection: guards.protection(audience),
            programs: policy::programs(environment, later),
            ..policy
        },
        telemetry,
        transcript,
        limits: limits(workspace),
        compression: compression(settings),
        live_output: live_output(workspace),
        start_context: StartContext::BeforePrompt,
    };
    Ok(Built {
        parts,
        hooks,
        later: kept,
        companions: Companions {
            background,
            executor,
            mcp,
            tools_of_hooks: handlers.tools,
            tracing,
        },
        assets,
        files,
        resumed: resumed.map(|it| it.session.history),
        tainted,
        holding: guards.holding(),
        hook_counts,
    })
}

/// Returns the observers of hooks, in order.
fn observers<S: Stage>(
    screen: &Arc<S>,
    hook_counts: &Arc<HookCounts>,
    telemetry: &Arc<Telemetry>,
    facts: &SessionFacts<'_>,
) -> Vec<Arc<dyn Observer>> {
    vec![
        Arc::<S>::clone(screen),
        Arc::<HookCounts>::clone(hook_counts),
        Arc::new(TelemetryObserver(Arc::clone(telemetry))),
        trace(facts.environment, facts.workspace, screen),
    ]
}

/// Returns the tools that every session has.
fn built_in(
    files: &Arc<hookloop_tools::Workspace>,
    shell: ShellSettings,
    plans: PathBuf,
) -> Toolbox {
    Toolbox::built_in(files, shell).with_extra(plan_tools(plans))
}

/// Returns what runs the commands of hooks.
fn executor(
    environment: &Environment,
    workspace: &Workspace,
    kept: &LaterEnvironment,
) -> CommandExecutor {
    CommandExecutor::new(Surroundings {
        later_environment: Some(kept.clone()),
        ..workspace.surroundings(environment)
    })
}

/// Wraps the executors in what supplies secrets of extensions and checks each hook last. Also
/// returns what records when hooks run, and what they consist of now.
fn gate_executors(
    executors: Executors,
    facts: &SessionFacts<'_>,
    tainted: &Arc<Tainted>,
) -> (
    Gate<KeyringSecrets<Timed<Executors>>>,
    HookTimes,
    Option<Held>,
) {
    // If a person was asked about the suspects, none is left by now.
    Suspects::of(facts.environment).taint(tainted);
    let keyring = hookloop_keyring::open(facts.environment.keyring_access());
    let times = HookTimes::default();
    let executors = Timed::new(executors, times.clone());
    let gate = Gate::new(KeyringSecrets::new(executors, keyring), facts.workspace)
        .refusing_tainted(tainted);
    let held = guarding::hold(facts.options, facts.workspace, facts.environment);
    let gate = match &held {
        Some(held) => gate.holding(held),
        None => gate,
    };
    (gate, times, held)
}

fn with_servers(toolbox: Toolbox, mcp: &Mcp) -> Toolbox {
    match mcp.source() {
        Some(source) => toolbox.with_source(source),
        None => toolbox,
    }
}

/// Returns whose hooks fire: those of a session, as every payload names it (IO-1).
fn identity(
    session_id: String,
    transcript: &Transcript,
    environment: &Environment,
) -> SessionIdentity {
    SessionIdentity {
        session_id,
        transcript_path: transcript.path().to_owned(),
        cwd: environment.current_dir.clone(),
        agent: None,
    }
}

/// Builds the engine of a session.
fn engine(
    workspace: &Workspace,
    runner: impl Executor + 'static,
    observers: Vec<Arc<dyn Observer>>,
    tracing: &Tracing,
) -> Hooks {
    let hooks = Hooks::builder()
        .registry(registry(workspace))
        .executor(runner)
        .max_output_bytes(workspace.max_output_bytes());
    let hooks = observers.into_iter().fold(hooks, Builder::observer);
    match tracing.root() {
        Some(root) => hooks.trace(root).build(),
        None => hooks.build(),
    }
}

/// Returns the hooks of a workspace, ready to be planned.
pub(crate) fn registry(workspace: &Workspace) -> Registry {
    workspace.registry()
}

/// Returns what records hook runs; a failure is reported, and ends no turn (CM-6).
fn trace<S: Frontend + 'static>(
    environment: &Environment,
    workspace: &Workspace,
    screen: &Arc<S>,
) -> Arc<dyn Observer> {
    recording::for_session(workspace, environment, warn(screen))
}

/// Returns what shows warnings on a screen, from any thread.
fn warn<S: Frontend + 'static>(screen: &Arc<S>) -> impl Fn(&str) + Send + Sync + 'static {
    let screen = Arc::clone(screen);
    move |problem| screen.show(&SessionEvent::Warning(problem))
}

/// Begins another session in the same place, or continues an earlier one (`/clear`, `/resume`): its
/// identity, and its transcript.
#[cfg_attr(
    not(feature = "terminal"),
    expect(dead_code, reason = "only a terminal session starts another")
)]
pub(crate) fn another_session(
    workspace: &Workspace,
    environment: &Environment,
    resumed: Option<&Stored>,
) -> Result<(SessionIdentity, Transcript), SessionError> {
    let (session_id, transcript) = transcript(workspace, environment, None, resumed)?;
    let identity = identity(session_id, &transcript, environment);
    Ok((identity, transcript))
}

/// Returns the folder of the project's transcripts (SE-10).
pub(crate) fn sessions_folder(workspace: &Workspace, environment: &Environment) -> PathBuf {
    workspace.state_dir(environment).join("sessions")
}

fn transcript(
    workspace: &Workspace,
    environment: &Environment,
    named: Option<&str>,
    resumed: Option<&Stored>,
) -> Result<(String, Transcript), SessionError> {
    let (id, path) = if let Some(stored) = resumed {
        (stored.session.session_id.clone(), stored.path.clone())
    } else {
        let folder = sessions_folder(workspace, environment);
        let id = match named {
            Some(id) => free_id(id, &folder)?,
            None => uuid::Uuid::new_v4().to_string(),
        };
        let path = folder.join(format!("{id}.jsonl"));
        (id, path)
    };
    let transcript = Transcript::open(path).map_err(SessionError::Transcript)?;
    transcript.begin(&id, &workspace.project_root);
    Ok((id, transcript))
}

/// Checks an id that somebody chose: it names a file, and a session is continued only if that is
/// requested.
fn free_id(id: &str, folder: &Path) -> Result<String, SessionError> {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "-_.".contains(it);
    if id.is_empty() || id.starts_with('.') || !id.chars().all(is_plain) {
        return Err(SessionError::Input(format!(
            "\"{id}\" can't be the id of a session: use letters, digits, \"-\", \"_\" and \".\""
        )));
    }
    if folder.join(format!("{id}.jsonl")).exists() {
        return Err(SessionError::Input(format!(
            "there is already a session \"{id}\"; continue it with --resume {id}"
        )));
    }
    Ok(id.to_owned())
}

/// Returns what tools may touch, which of them run without asking, and where plans are written.
fn ground(
    options: &Options,
    environment: &Environment,
    workspace: &Workspace,
    stage: &Arc<impl Stage>,
    audience: Audience,
) -> Result<(Arc<hookloop_tools::Workspace>, Policy, PathBuf), SessionError> {
    let (settings, root) = (&workspace.settings, &workspace.project_root);
    let rules = PolicyFiles::read(&options.policy, environment, settings, root);
    for problem in rules.ineffective() {
        stage.report(&problem_line(problem));
    }
    for line in unknown_names::lines_at_start(options, settings) {
        stage.report(&line);
    }
    let occasion = unknown_restrictions::Occasion::Start;
    for problem in unknown_restrictions::of_workspace(workspace, environment, occasion) {
        stage.report(&problem_line(&problem));
    }
    if let Some(loosened) = guarding::loosening_warning(options, environment) {
        stage.report(loosened);
    }
    let policy = policy::policy(options, settings, rules.into_rules()?)?;
    let plans = workspace.plans_dir(environment);
    let plans = plans.map_err(SessionError::Configuration)?;
    let writable = plans::prepare(&plans, policy.mode, audience, |it| stage.report(it));
    let writable = writable.as_deref();
    let mut included = included::of_options(options, environment);
    included.extend(included::settings_folders(environment, workspace, &|it| {
        stage.report(it);
    }));
    included.extend(writable.map(Path::to_owned));
    let files = files(environment, workspace, included)?;
    let files = Arc::new(files.with_open_files(Arc::clone(stage).open_files()));
    let policy = Policy {
        plans: plans::writable(writable, context_file_names(workspace)),
        ..policy
    };
    Ok((files, policy, plans))
}

/// Returns the folders that tools and prompts may touch.
fn files(
    environment: &Environment,
    workspace: &Workspace,
    further: Vec<PathBuf>,
) -> Result<hookloop_tools::Workspace, SessionError> {
    // Relative paths are relative to the current folder, which may be below the project's root.
    let directories: Vec<_> = std::iter::once(workspace.project_root.clone())
        .chain(further)
        .collect();
    Ok(hookloop_tools::Workspace::open(
        &environment.current_dir,
        &directories,
    )?)
}

/// Returns the tools of plan mode (TO-6); which of them are offered depends on the mode.
fn plan_tools(folder: PathBuf) -> [Arc<dyn Tool>; 2] {
    [
        Arc::new(EnterPlanMode::new(folder.clone())),
        Arc::new(ExitPlanMode::new(folder)),
    ]
}

fn limits(workspace: &Workspace) -> Limits {
    let usual = Limits::default();
    let turns = workspace
        .settings
        .agent
        .max_session_turns
        .as_ref()
        .map(|it| it.value);
    Limits {
        // -1 means no limit in Gemini CLI; our own limit still applies.
        model_calls: turns
            .filter(|turns| *turns > 0)
            .and_then(|turns| u32::try_from(turns).ok())
            .unwrap_or(usual.model_calls),
        retries: workspace.settings.switches.max_retries.value,
        ..usual
    }
}

/// Returns whether live output waits for its hooks (AT-1).
fn live_output(workspace: &Workspace) -> LiveOutput {
    if workspace.settings.switches.hold_live_output.value {
        LiveOutput::Held
    } else {
        LiveOutput::Shown
    }
}

fn compression(settings: &AgentSettings) -> CompressionThreshold {
    let tokens = settings.target_token_count.as_ref().map(|it| it.value);
    let share = settings.compression_threshold.as_ref().map(|it| it.value);
    match (tokens, share) {
        (Some(tokens), _) => CompressionThreshold::Tokens(tokens),
        (None, Some(share)) => CompressionThreshold::ShareOfWindow(share),
        (None, None) => CompressionThreshold::default(),
    }
}
