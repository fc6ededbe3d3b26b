use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookloop_engine::{Completion, Executor as _, Invocation, Lifetime, StopSignal};
use hookloop_events::{EventName, SessionIdentity};
use hookloop_exec::{CommandExecutor, Surroundings};
use hookloop_hook::{Handler, HookDeclaration, Layer};
use hookloop_testkit::{Sandbox, puppet, wait_until};

/// A sandbox with an executor for it.
pub(crate) struct Stage {
    pub(crate) sandbox: Sandbox,
    pub(crate) surroundings: Surroundings,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let sandbox = Sandbox::new();
        let variables = sandbox.variables();
        let surroundings = Surroundings {
            variables: variables
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            project_root: sandbox.project().to_owned(),
            plans_dir: sandbox.project().join(".gemini/plans"),
            scratch_dir: sandbox.root().to_owned(),
            ..Surroundings::default()
        };
        Self {
            sandbox,
            surroundings,
        }
    }

    pub(crate) fn set(&mut self, name: &str, value: impl Into<OsString>) {
        self.surroundings
            .variables
            .retain(|(known, _)| known != name);
        self.surroundings
            .variables
            .push((name.into(), value.into()));
    }

    pub(crate) fn executor(&self) -> CommandExecutor {
        CommandExecutor::new(self.surroundings.clone())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.sandbox.project().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// A user's hook in the project.
    pub(crate) fn invocation(&self, command: &str) -> Invocation {
        let mut hook = HookDeclaration::in_process(EventName::BeforeTool, "hook");
        hook.handler = Handler::command(command.to_owned());
        hook.source.layer = Some(Layer::User);
        Invocation {
            hook: Arc::new(hook),
            event: EventName::BeforeTool,
            session: Arc::new(SessionIdentity {
                session_id: "6b1f".into(),
                transcript_path: self.path("transcript"),
                cwd: self.sandbox.project().to_owned(),
                agent: None,
            }),
            input: "{}".into(),
            max_output_bytes: 1024 * 1024,
            stop: StopSignal::new(),
            lifetime: Lifetime::Bound,
            first_line: None,
            is_alone: true,
            run_id: String::new(),
            trace_parent: None,
            agreed: None,
        }
    }

    pub(crate) async fn run(&self, command: &str) -> Completion {
        self.executor().execute(self.invocation(command)).await
    }
}

/// The command that makes the puppet act, without a shell.
pub(crate) fn direct(actions: &str) -> String {
    format!("{} {actions}", puppet().display())
}

/// The command that makes the puppet act as a child of the shell.
pub(crate) fn shell(actions: &str) -> String {
    format!("'{}' {actions}; exit $?", puppet().display())
}

/// Waits for a number that a puppet writes to a file, which is empty for a moment.
pub(crate) async fn number_in(path: PathBuf) -> i32 {
    let number = move || std::fs::read_to_string(&path).ok()?.parse().ok();
    let wait = move || {
        wait_until("a number is written", || number().is_some());
        number().unwrap()
    };
    tokio::task::spawn_blocking(wait).await.unwrap()
}

/// Waits for a file while other tasks continue.
pub(crate) async fn appears(path: &Path) {
    let path = path.to_owned();
    let wait = move || wait_until(&format!("{} exists", path.display()), || path.exists());
    tokio::task::spawn_blocking(wait).await.unwrap();
}
