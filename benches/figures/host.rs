//! A host with hooks, like a program that embeds the engine.

use std::convert::Infallible;
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use hookloop_engine::events::{EventName, SessionIdentity, ToolArguments, ToolCall, ToolResponse};
use hookloop_engine::{
    BoxFuture, Completion, Ending, Executor, Hooks, Invocation, Lifecycle, Observer, Registry,
    RunResult, RunSwitch, SessionHooks,
};
use hookloop_exec::{CommandExecutor, Surroundings};
use hookloop_hook::{Handler, HookDeclaration, HookId, Layer};
use hookloop_settings::HookSwitches;
use hookloop_trust::Vouched;
use tokio::runtime::{Builder, Runtime};

use crate::Outcome;

/// The tool that all calls are for.
pub(crate) const TOOL: &str = "run_shell_command";

/// An engine with a session, and the runtime that it runs on.
pub(crate) struct Host {
    pub(crate) runtime: Runtime,
    pub(crate) session: SessionHooks,
    results: Arc<Results>,
}

/// Counts the results of hooks: a figure of hooks that didn't run means nothing.
#[derive(Debug, Default)]
struct Results {
    proceeded: AtomicUsize,
    others: AtomicUsize,
}

impl Observer for Results {
    fn observe(&self, _session: &SessionIdentity, lifecycle: &Lifecycle) {
        let counter = match lifecycle {
            Lifecycle::Finished {
                result: RunResult::Proceed,
                ..
            } => &self.proceeded,
            Lifecycle::Finished { .. } | Lifecycle::Skipped { .. } => &self.others,
            _ => return,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

impl Host {
    /// Builds a host whose hooks are processes.
    pub(crate) fn new(hooks: Vec<HookDeclaration>) -> Outcome<Self> {
        Self::with_executor(
            hooks,
            CommandExecutor::new(surroundings()?),
            no_transcript()?,
        )
    }

    /// Builds a host whose hooks are processes, for a session with this transcript.
    pub(crate) fn with_transcript(
        hooks: Vec<HookDeclaration>,
        transcript: PathBuf,
    ) -> Outcome<Self> {
        Self::with_executor(hooks, CommandExecutor::new(surroundings()?), transcript)
    }

    /// Builds a host whose hooks end at once: what is left is the engine's own cost.
    pub(crate) fn with_instant_hooks(hooks: Vec<HookDeclaration>) -> Outcome<Self> {
        Self::with_executor(hooks, Instantly, no_transcript()?)
    }

    fn with_executor(
        hooks: Vec<HookDeclaration>,
        executor: impl Executor + 'static,
        transcript_path: PathBuf,
    ) -> Outcome<Self> {
        let results = Arc::new(Results::default());
        let cwd = env::current_dir()?;
        let hooks = Hooks::builder()
            .registry(registry(hooks)?)
            .executor(executor)
            .observer(Arc::clone(&results) as Arc<dyn Observer>)
            .build();
        let session = hooks.session(SessionIdentity {
            session_id: "6f8e8a3c-5b0e-4d38-9b6e-0a2a6f5d9a11".to_owned(),
            transcript_path,
            cwd,
            agent: None,
        });
        Ok(Self {
            runtime: Builder::new_current_thread().enable_all().build()?,
            session,
            results,
        })
    }

    /// Fires `BeforeTool` for a call, and waits for its hooks.
    pub(crate) fn before_tool(&self, call: ToolCall) {
        let event = self.session.before_tool(call, |_| Ok::<_, Infallible>(()));
        drop(std::hint::black_box(self.runtime.block_on(event)));
    }

    /// Fires `AfterTool` for a result, and waits for its hooks.
    pub(crate) fn after_tool(&self, call: &ToolCall, response: ToolResponse) {
        let event = self.session.after_tool(call, response);
        drop(std::hint::black_box(self.runtime.block_on(event)));
    }

    /// Returns how many hooks ran so far.
    pub(crate) fn proceeded(&self) -> u32 {
        let count = self.results.proceeded.load(Ordering::Relaxed);
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// Checks that at least this many hooks ran, and that none of them failed.
    pub(crate) fn check(&self, least: usize) -> Outcome<()> {
        let proceeded = self.results.proceeded.load(Ordering::Relaxed);
        let others = self.results.others.load(Ordering::Relaxed);
        if others > 0 || proceeded < least {
            return Err(format!("{proceeded} hooks ran, {others} failed or were skipped").into());
        }
        Ok(())
    }
}

/// Names a transcript that doesn't exist.
fn no_transcript() -> Outcome<PathBuf> {
    Ok(env::current_dir()?.join("transcript.json"))
}

/// Returns the JSON that a hook reads before a call.
pub(crate) fn payload_before(call: ToolCall) -> Outcome<String> {
    let read = Arc::new(OnceLock::new());
    let reader = Reading(Arc::clone(&read));
    let host = Host::with_executor(vec![hook(0, "", None)], reader, no_transcript()?)?;
    host.before_tool(call);
    let text = read.get().ok_or("no hook read the payload")?;
    Ok(String::clone(text))
}

/// Keeps what a hook reads, and ends it at once.
struct Reading(Arc<OnceLock<String>>);

impl Executor for Reading {
    fn execute(&self, invocation: Invocation) -> BoxFuture<'_, Completion> {
        self.0.get_or_init(|| invocation.input.text().into_owned());
        Box::pin(std::future::ready(Completion::ended(Ending::Exited(0))))
    }
}

/// Ends hooks at once, without a process.
struct Instantly;

impl Executor for Instantly {
    fn execute(&self, _invocation: Invocation) -> BoxFuture<'_, Completion> {
        Box::pin(std::future::ready(Completion::ended(Ending::Exited(0))))
    }
}

/// Returns the environment of hooks and of what they are compared with.
pub(crate) fn variables() -> Vec<(OsString, OsString)> {
    let kept = ["PATH", "HOME", "LANG"];
    env::vars_os()
        .filter(|(name, _)| kept.iter().any(|it| name == it))
        .collect()
}

/// Returns where bash is.
pub(crate) fn bash() -> Outcome<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).map(|folder| folder.join("bash"));
    Ok({ found }
        .find(|it| it.is_file())
        .ok_or("there is no bash on the PATH")?)
}

/// Returns what the executor of commands is told.
pub(crate) fn surroundings() -> Outcome<Surroundings> {
    let cwd = env::current_dir()?;
    Ok(Surroundings {
        variables: variables(),
        plans_dir: cwd.join("plans"),
        scratch_dir: env::temp_dir(),
        process_cwd: Some(cwd.clone()),
        project_root: cwd,
        ..Surroundings::default()
    })
}

/// Registers hooks that need no trust.
pub(crate) fn registry(hooks: Vec<HookDeclaration>) -> Outcome<Registry> {
    Ok(Registry::new(
        hooks.into_iter().map(Vouched::by_host).collect(),
        &HookSwitches::default(),
        RunSwitch::AsConfigured,
        &env::current_dir()?,
    ))
}

/// Declares a hook of the user for `BeforeTool`.
pub(crate) fn hook(number: usize, command: &str, matcher: Option<&str>) -> HookDeclaration {
    hook_for(EventName::BeforeTool, number, command, matcher)
}

/// Declares a hook of the user.
pub(crate) fn hook_for(
    event: EventName,
    number: usize,
    command: &str,
    matcher: Option<&str>,
) -> HookDeclaration {
    let name = format!("hook-{number}");
    let mut hook = HookDeclaration {
        id: HookId::from_text(&name),
        handler: Handler::command(command.to_owned()),
        matcher: matcher.map(str::to_owned),
        ..HookDeclaration::in_process(event, &name)
    };
    hook.source.layer = Some(Layer::User);
    hook.source.file = PathBuf::from("settings.json").into();
    hook
}

/// Builds a call of a tool whose argument has this many bytes.
pub(crate) fn call(bytes: usize) -> ToolCall {
    let mut arguments = ToolArguments::new();
    arguments.insert("command".to_owned(), "x".repeat(bytes).into());
    ToolCall {
        id: "call-1".to_owned(),
        name: TOOL.to_owned(),
        arguments: arguments.into(),
        mcp: None,
        original_request_name: None,
        changed_arguments: Vec::new(),
    }
}

/// Builds the result of a tool, with this many bytes of text.
pub(crate) fn response(bytes: usize) -> ToolResponse {
    let line = "a line of what a tool has printed, as long as most of them are\n";
    ToolResponse {
        llm_content: line.repeat(bytes / line.len() + 1).into(),
        ..ToolResponse::default()
    }
}
