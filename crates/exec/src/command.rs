//! The executor of commands.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use hookloop_engine::events::SessionIdentity;
use hookloop_engine::{
    BoxFuture, Captured, Completion, ConditionAnswer, Ending, Executor, FinalReport, Invocation,
    Leak, Lifetime, StopCause, StopSignal, Translation,
};
use hookloop_hook::{Handler, HookDeclaration, Mode};
use hookloop_process::{
    End, GRACE, GRACE_OF_CANCELLED, Leftovers, Pipes, Process, Streams, is_refusal, run_to_end,
};

use crate::child_environment::{ChildEnvironment, Environments};
use crate::completion::{captured, ending_of, not_started};
use crate::confined::Confined;
use crate::detached::{Files, Handover};
use crate::invocation_command::{Start, Wiring};
use crate::later_environment;
use crate::missing_part::missing_part;
use crate::rule::ReadRules;
use crate::shell::Shell;
use crate::silenced::Silenced;
use serde_json::{Map, Value};

use crate::surroundings::Surroundings;
use crate::transcripts::Transcripts;
use crate::worker::{Recipe, Workers};

/// Runs hooks that are commands, each in a process group of its own (IO-31 … IO-35), and evaluates
/// hooks that are rules, without a process (HT-25).
///
/// Its futures need a tokio runtime with I/O and time enabled. Clones are cheap and share their
/// state; when the last one is dropped, all processes that hooks have left behind are ended
/// (IO-34).
#[derive(Clone)]
pub struct CommandExecutor {
    shared: Arc<Shared>,
}

struct Shared {
    surroundings: Surroundings,
    environments: Environments,
    shell: OnceLock<Shell>,
    silenced: Silenced,
    leftovers: Leftovers,
    workers: Workers,
    rules: ReadRules,
    #[cfg(feature = "http")]
    services: crate::http::Services,
    #[cfg(feature = "plugins")]
    plugins: hookloop_plugins::Plugins,
    transcripts: Transcripts,
}

/// The environment of a hook.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct HookEnvironment {
    /// All variables. If a name occurs twice, the later entry counts.
    pub variables: Vec<(OsString, OsString)>,
    /// The names of the variables that were withheld (ENV-3), sorted.
    pub withheld: Vec<String>,
}

/// How a process ended.
struct Ran {
    ending: Ending,
    /// Standard output and standard error.
    streams: (Captured, Captured),
    /// Whether they were still open.
    leak: Leak,
    /// What else has to be reported.
    remarks: Vec<String>,
}

impl Ran {
    fn from_ending(ending: Ending) -> Self {
        Self {
            ending,
            streams: Default::default(),
            leak: Leak::None,
            remarks: Vec::new(),
        }
    }
}

/// What a hook's handler requires.
struct HandlerRequest<'a> {
    text: &'a str,
    /// If there are any, no shell is used (HT-4).
    arguments: Option<&'a [String]>,
    shell: Option<hookloop_hook::Shell>,
    /// How long a worker may be idle; nothing for a command.
    idle: Option<Duration>,
}

impl<'a> HandlerRequest<'a> {
    fn of(handler: &'a Handler) -> Option<Self> {
        match handler {
            Handler::Command {
                command,
                args,
                shell,
            } => Some(Self {
                text: command,
                arguments: args.as_deref(),
                shell: *shell,
                idle: None,
            }),
            Handler::Worker {
                command,
                args,
                idle,
            } => Some(Self {
                text: command,
                arguments: args.as_deref(),
                shell: None,
                idle: Some(*idle),
            }),
            _ => None,
        }
    }
}

impl fmt::Debug for CommandExecutor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The surroundings contain the environment, and so the user's secrets.
        formatter
            .debug_struct("CommandExecutor")
            .finish_non_exhaustive()
    }
}

impl CommandExecutor {
    /// Creates an executor for a host.
    pub fn new(surroundings: Surroundings) -> Self {
        let shared = Shared {
            surroundings,
            environments: Environments::default(),
            shell: OnceLock::new(),
            silenced: Silenced::default(),
            leftovers: Leftovers::default(),
            workers: Workers::default(),
            rules: ReadRules::default(),
            #[cfg(feature = "http")]
            services: crate::http::Services::default(),
            #[cfg(feature = "plugins")]
            plugins: hookloop_plugins::Plugins::default(),
            transcripts: Transcripts::default(),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Returns the environment that a command would get for an invocation, for handlers that start
    /// programs of their own (ENV-1…4).
    ///
    /// # Errors
    /// The environment can't be built; the text gives the reason.
    pub fn environment_of(&self, invocation: &Invocation) -> Result<HookEnvironment, String> {
        let environment = self.shared.environment_of(invocation)?;
        let mut variables = environment.variables();
        // These belong to a single run, but the program started here serves many.
        variables.retain(|(name, _)| name != "TRACEPARENT" && name != "CLAUDE_ENV_FILE");
        Ok(HookEnvironment {
            variables,
            withheld: environment.withheld_names(),
        })
    }

    /// Kills the process groups that outlived their hooks, and returns their number (IO-32, IO-34).
    /// Dropping the executor does the same.
    pub fn end_leaked(&self) -> usize {
        self.shared.leftovers.end()
    }
}

impl Executor for CommandExecutor {
    fn execute(&self, invocation: Invocation) -> BoxFuture<'_, Completion> {
        Box::pin(async move { self.shared.run(&invocation).await })
    }

    fn condition(&self, hook: &HookDeclaration, payload: &Value) -> ConditionAnswer {
        crate::rule::condition(hook, payload, &self.shared.surroundings, &self.shared.rules)
    }

    fn explain(&self, hook: &HookDeclaration, payload: &Value) -> Vec<String> {
        crate::rule::explain(hook, payload, &self.shared.surroundings, &self.shared.rules)
    }

    fn additional_fields(&self, translation: &Translation<'_>) -> Map<String, Value> {
        self.shared.transcripts.additional_fields(translation)
    }

    fn set_environment(
        &self,
        hook: &HookDeclaration,
        session: &SessionIdentity,
        variables: &[(String, String)],
    ) -> Option<String> {
        let later = self.shared.surroundings.later_environment.as_ref();
        later_environment::set_from_reply(later, hook, session, variables)
    }

    fn end_session<'e>(&'e self, session: &'e SessionIdentity) -> BoxFuture<'e, Vec<FinalReport>> {
        Box::pin(self.shared.workers.end_session(&session.session_id))
    }
}

impl Shared {
    async fn run(&self, invocation: &Invocation) -> Completion {
        let started = Instant::now();
        if invocation.stop.cause().is_some() {
            return Completion::ended(Ending::Stopped);
        }
        if let Some(completion) = self.run_without_process(invocation).await {
            return completion;
        }
        let Some(wanted) = HandlerRequest::of(&invocation.hook.handler) else {
            let kind = invocation.hook.handler.type_name();
            return Completion::not_started(format!(
                "this host can't run hooks of type \"{kind}\""
            ));
        };
        if let Some(idle) = wanted.idle {
            // A running worker needs neither environment nor arguments again.
            let recipe = || self.recipe(invocation, &wanted, idle);
            return self.workers.ask(invocation, recipe).await;
        }
        let environment = match self.environment_of(invocation) {
            Ok(environment) => environment,
            Err(why) => return Completion::not_started(why),
        };
        let shell = match self.shell_of(&wanted) {
            Ok(shell) => shell,
            Err(why) => return Completion::not_started(why),
        };
        let start = self.start_of(invocation, &wanted, &environment, &shell);
        if let Some(why) = self.silenced.by(&start).await {
            return Completion::not_started(why);
        }
        let Ran {
            ending,
            streams: (stdout, stderr),
            leak,
            mut remarks,
        } = match invocation.lifetime {
            Lifetime::Bound => self.run_bound(invocation, &start).await,
            Lifetime::Detached { timeout } => self.run_detached(invocation, &start, timeout).await,
        };
        remarks.extend(self.take_over(invocation, &environment, &ending).await);
        Completion {
            ending,
            stdout,
            stderr,
            leak,
            duration: started.elapsed(),
            withheld_env: environment.withheld_names(),
            remarks,
            remarks_on_guards: Vec::new(),
        }
    }

    fn environment_of(&self, invocation: &Invocation) -> Result<ChildEnvironment<'_>, String> {
        let environment = self.environments.of(&self.surroundings, invocation)?;
        match environment.impossible_variable() {
            Some(name) => Err(format!("the environment variable {name:?} can't be set")),
            None => Ok(environment),
        }
    }

    fn shell_of(&self, wanted: &HandlerRequest<'_>) -> Result<Cow<'_, Shell>, String> {
        Ok(match wanted.shell {
            Some(shell) => Cow::Owned(Shell::find_requested(shell, &self.surroundings.variables)?),
            None => Cow::Borrowed(self.shell()),
        })
    }

    fn start_of<'s>(
        &'s self,
        invocation: &'s Invocation,
        wanted: &HandlerRequest<'s>,
        environment: &'s ChildEnvironment<'s>,
        shell: &'s Shell,
    ) -> Start<'s> {
        Start {
            text: wanted.text,
            arguments: wanted.arguments,
            shell,
            environment,
            cwd: &invocation.session.cwd,
            process_cwd: self.surroundings.process_cwd.as_deref(),
            confined: Confined::of(&invocation.hook, &self.surroundings, environment),
        }
    }

    /// Returns how a worker is started.
    fn recipe(
        &self,
        invocation: &Invocation,
        wanted: &HandlerRequest<'_>,
        idle: Duration,
    ) -> Result<Recipe, String> {
        let environment = self.environment_of(invocation)?;
        let shell = self.shell_of(wanted)?;
        let start = self.start_of(invocation, wanted, &environment, &shell);
        let command = start.command().map_err(|error| error.to_string())?;
        let folder = invocation.session.cwd.clone();
        Ok(Recipe::of(&command, folder, idle).withholding(environment.withheld_names()))
    }

    /// Runs a hook that isn't a program of its own; nothing if it is one.
    #[cfg_attr(
        not(any(feature = "http", feature = "plugins")),
        expect(clippy::unused_async, reason = "what waits is left out of this build")
    )]
    async fn run_without_process(&self, invocation: &Invocation) -> Option<Completion> {
        let handler = &invocation.hook.handler;
        if let Some(part) = missing_part(handler) {
            return Some(Completion::not_started(format!(
                "{part}; {}",
                part.remedy()
            )));
        }
        Some(match handler {
            Handler::Rule { rules } => {
                crate::rule::run(rules, invocation, &self.surroundings, &self.rules)
            }
            #[cfg(feature = "http")]
            Handler::Http(request) => self.post(request, invocation).await,
            #[cfg(feature = "plugins")]
            Handler::Plugin(plugin) => {
                let (surroundings, environments) = (&self.surroundings, &self.environments);
                let plugins = &self.plugins;
                crate::plugin::run(plugins, plugin, invocation, surroundings, environments).await
            }
            _ => return None,
        })
    }

    /// Reads what a hook wrote for later shell commands, and returns what has to be reported about
    /// it (FD-14).
    async fn take_over(
        &self,
        invocation: &Invocation,
        environment: &ChildEnvironment<'_>,
        ending: &Ending,
    ) -> Vec<String> {
        let hook = &invocation.hook;
        let later = self.surroundings.later_environment.as_ref();
        let (Some(later), Some(file)) = (later, environment.later_variables_file()) else {
            return Vec::new();
        };
        // A hook in shadow mode has no effect (HT-2), and one that was killed may have been in the
        // middle of writing.
        if hook.mode == Mode::Shadow || !matches!(ending, Ending::Exited(_)) {
            return Vec::new();
        }
        let reader = later_environment::Reader {
            environment: &environment.variables(),
            cwd: &invocation.session.cwd,
            stop: &invocation.stop,
        };
        let read = later_environment::read(file, &reader).await;
        let without_effect = later.set(hook, &invocation.session, read.variables);
        read.remark.into_iter().chain(without_effect).collect()
    }

    /// Asks a service (HT-15).
    #[cfg(feature = "http")]
    async fn post(&self, request: &hookloop_hook::HttpRequest, run: &Invocation) -> Completion {
        let environment = match self.environments.of(&self.surroundings, run) {
            Ok(environment) => environment,
            Err(why) => return Completion::not_started(why),
        };
        let variable = |name: &str| {
            let value = environment.get(name)?;
            Some(value.to_string_lossy().into_owned())
        };
        let allowed = &self.surroundings.http_allowed;
        Completion {
            withheld_env: environment.withheld_names(),
            ..self.services.ask(request, run, allowed, &variable).await
        }
    }

    /// Runs a hook that doesn't outlive this future.
    async fn run_bound(&self, invocation: &Invocation, start: &Start<'_>) -> Ran {
        let (mut process, pipes) = match Self::start(start, &Wiring::Pipes) {
            Ok(started) => started,
            Err(error) => return start_failure(&error, start, invocation),
        };
        let streams = Streams::new(pipes, &invocation.input, invocation.max_output_bytes);
        let mut streams = Some(match invocation.first_line.clone() {
            Some(first_line) => streams.with_first_line(move |line| first_line.take(line)),
            None => streams,
        });
        let end = run_to_end(&mut process, &mut streams, wait_for_stop(&invocation.stop)).await;
        let mut remarks = Vec::new();
        if let End::OfItself(_) = end {
            process.release();
            self.leftovers.remember(process.group());
            remarks.extend(describe_strays(&process));
        }
        let leaks = streams.as_ref().is_some_and(|streams| !streams.are_read());
        let (stdout, stderr) = streams.map(Streams::into_captured).unwrap_or_default();
        let (stdout, stderr) = (captured(stdout), captured(stderr));
        Ran {
            ending: ending(end, &stderr),
            streams: (stdout, stderr),
            leak: if leaks { Leak::Leaked } else { Leak::None },
            remarks,
        }
    }

    /// Runs a hook that continues when this future is dropped (SE-2).
    async fn run_detached(
        &self,
        invocation: &Invocation,
        start: &Start<'_>,
        timeout: Duration,
    ) -> Ran {
        let deadline = Instant::now() + timeout;
        let files = match Files::create(&self.surroundings.scratch_dir, &invocation.input) {
            Ok(files) => files,
            Err(error) => {
                let folder = self.surroundings.scratch_dir.display();
                let ending = Ending::NotStarted(format!(
                    "no file for its streams can be created in {folder}: {error}"
                ));
                return Ran::from_ending(ending);
            }
        };
        let process = match Self::start(start, &Wiring::Files(&files)) {
            Ok((process, _)) => process,
            Err(error) => return start_failure(&error, start, invocation),
        };
        let surroundings = &self.surroundings;
        let mut handover = Handover {
            process: Some(process),
            deadline,
            surroundings,
        };
        let end = match &mut handover.process {
            Some(process) => run_to_end(process, &mut None, wait_for_stop(&invocation.stop)).await,
            None => End::Stopped(None),
        };
        if let Some(mut process) = handover.process.take()
            && let End::OfItself(_) = end
        {
            process.release();
        }
        let (stdout, stderr) = files.captured(invocation.max_output_bytes);
        let ending = ending(end, &stderr);
        Ran {
            streams: (stdout, stderr),
            ..Ran::from_ending(ending)
        }
    }

    /// Starts the hook: without a shell if that makes no difference, else with it (IO-35).
    fn start(start: &Start<'_>, wiring: &Wiring<'_>) -> io::Result<(Process, Pipes)> {
        if let Some(mut command) = start.direct() {
            wiring.connect(&mut command)?;
            match Process::spawn(command) {
                // The shell may know how to run what the kernel refuses, or how to explain the
                // error.
                Err(error) if is_refusal(&error) => {}
                started => return started,
            }
        }
        let mut command = start.command()?;
        wiring.connect(&mut command)?;
        Process::spawn(command)
    }

    fn shell(&self) -> &Shell {
        self.shell
            .get_or_init(|| Shell::find(&self.surroundings.variables))
    }
}

fn start_failure(error: &io::Error, start: &Start<'_>, invocation: &Invocation) -> Ran {
    Ran::from_ending(not_started(
        error,
        &start.program(),
        &invocation.session.cwd,
    ))
}

/// Names what a hook that ended by itself left in a separate session (IO-34). If the system doesn't
/// provide that, nothing is named.
fn describe_strays(process: &Process) -> Option<String> {
    #[cfg(target_os = "linux")]
    {
        let strays = process.strays();
        let names: Vec<String> = strays
            .iter()
            .map(|it| format!("{} (process {})", it.name, it.process))
            .collect();
        (!names.is_empty()).then(|| {
            let names = names.join(", ");
            format!("it ended and left processes running that can't be ended: {names}")
        })
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = process;
        None
    }
}

fn ending(end: End, stderr: &Captured) -> Ending {
    match end {
        End::OfItself(status) => ending_of(status, stderr),
        // Exit code 2 refuses even after the hook was asked to end (IO-13).
        End::Stopped(Some(Ok(status))) if status.code() == Some(2) => Ending::Exited(2),
        End::Stopped(_) => Ending::Stopped,
    }
}

/// Waits until a hook has to end, and returns how long its group has for that (IO-31, LO-4).
async fn wait_for_stop(stop: &StopSignal) -> Duration {
    stop.stopped().await;
    match stop.cause() {
        Some(StopCause::Cancelled) => GRACE_OF_CANCELLED,
        Some(StopCause::TimedOut) | None => GRACE,
    }
}
