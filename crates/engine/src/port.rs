//! The port for executors: what they are asked to run, and every way in which a run can end.
//!
//! The engine decides *whether* and *until when* a hook runs; an executor knows *how*. An executor
//! never returns an error: whatever happens is a [`Completion`] (IO-20).

use std::collections::BTreeMap;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use hookloop_dialects::after_async_announcement;
use hookloop_events::{EventName, Payload, SessionIdentity};
use hookloop_hook::{Dialect, HookDeclaration};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::stop::StopSignal;
use crate::translation::Translation;

/// A boxed future, which keeps the port object-safe.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Runs hooks of one kind.
pub trait Executor: Send + Sync {
    /// Runs one hook until it ends, or until `invocation.stop` asks it to end.
    ///
    /// It returns soon after the stop signal (a command: within the grace period of IO-31) and
    /// leaves no process behind, even if the future is dropped.
    fn execute(&self, invocation: Invocation) -> BoxFuture<'_, Completion>;

    /// Evaluates a hook's `if` for a payload (HT-1). Called only for hooks in our own dialect that
    /// have an `if`.
    fn condition(&self, hook: &HookDeclaration, payload: &Value) -> ConditionAnswer {
        let _ = (hook, payload);
        ConditionAnswer::Unknown("this host evaluates no conditions".to_owned())
    }

    /// Explains which parts of a hook's `if` and of its rules are true or false for a payload, with
    /// their values, one per line (HT-26). Runs no hook.
    fn explain(&self, hook: &HookDeclaration, payload: &Value) -> Vec<String> {
        let _ = (hook, payload);
        Vec::new()
    }

    /// Returns the fields that a hook of another dialect reads in addition to, or instead of, those
    /// of our payload: `transcript_path`, the path of an up-to-date transcript in its format
    /// (FD-13); `file_content`, the text of a file that is about to be read; and `tool_input`, with
    /// arguments that name files one by one. If something can't be provided in full, the reason is
    /// under [`UNTOLD`](hookloop_dialects::UNTOLD), and the hook counts as not started.
    fn additional_fields(&self, translation: &Translation<'_>) -> Map<String, Value> {
        let _ = translation;
        Map::new()
    }

    /// Stores variables that a hook of another dialect sets for later shell commands of its session
    /// (FD-14). Returns a report about those that have no effect.
    fn set_environment(
        &self,
        hook: &HookDeclaration,
        session: &SessionIdentity,
        variables: &[(String, String)],
    ) -> Option<String> {
        let _ = (hook, session, variables);
        Some(
            "the environment variables that it sets have no effect: this host doesn't keep them"
                .to_owned(),
        )
    }

    /// Ends everything that still runs for the hooks of a session that has ended, within one
    /// second. Returns what is still to be reported, each with its hook (HT-10).
    fn end_session<'e>(&'e self, session: &'e SessionIdentity) -> BoxFuture<'e, Vec<FinalReport>> {
        let _ = session;
        Box::pin(async { Vec::new() })
    }
}

/// A report about a hook after its session's last event.
#[derive(Debug, Clone)]
pub struct FinalReport {
    /// The hook.
    pub hook: Arc<HookDeclaration>,
    /// The report, as a sentence.
    pub text: String,
}

/// The result of a hook's `if` (HT-1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConditionAnswer {
    /// It is true: the hook runs.
    True,
    /// It is false: the hook doesn't run.
    False,
    /// It can't be evaluated, for this reason: the hook runs, and that is reported.
    Unknown(String),
}

/// One hook, to be run once.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// The hook.
    pub hook: Arc<HookDeclaration>,
    /// The event that fires.
    pub event: EventName,
    /// The identity of the session: its id, transcript and working directory.
    pub session: Arc<SessionIdentity>,
    /// The hook's input: one JSON object in UTF-8 (IO-1).
    pub input: Payload,
    /// How many bytes of each output stream are kept (IO-17).
    pub max_output_bytes: usize,
    /// Tells the executor to end the hook, because its deadline passed or the turn was cancelled.
    pub stop: StopSignal,
    /// Whether the hook may outlive the host (SE-2).
    pub lifetime: Lifetime,
    /// Receives the first line that a command writes, if that line may announce that nobody needs
    /// to wait (FD-22).
    pub first_line: Option<FirstLine>,
    /// Whether no other hook of the event runs at the same time.
    pub is_alone: bool,
    /// The id of the run, as in its record. A service recognises a repeated request by it.
    pub run_id: String,
    /// The parent of the hook's own spans, passed as `TRACEPARENT`: the span of this run. `None`
    /// without tracing (TE-3).
    pub trace_parent: Option<String>,
    /// The project files that somebody agreed to with the hook: their real paths, with the SHA-256
    /// of their bytes in hexadecimal. An executor that reads such a file itself compares it with
    /// this digest. `None` for a hook that needs no trust, or that is trusted for this run only.
    pub agreed: Option<Arc<BTreeMap<PathBuf, String>>>,
}

/// Receives the first line of a command's standard output as soon as it arrives. In some dialects,
/// a hook announces in that line that nobody needs to wait for it (FD-22).
#[derive(Debug, Clone)]
pub struct FirstLine {
    dialect: Dialect,
    announced: CancellationToken,
}

impl FirstLine {
    /// Begins to wait for the line of a hook in a dialect.
    pub(crate) fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            announced: CancellationToken::new(),
        }
    }

    /// Takes a possible first line, and returns whether it announces that nobody needs to wait.
    pub fn take(&self, line: &[u8]) -> bool {
        let text = String::from_utf8_lossy(line);
        let announces = after_async_announcement(self.dialect, &text).is_some();
        if announces {
            self.announced.cancel();
        }
        announces
    }

    /// Waits until the line was there and announced it; forever, if it doesn't.
    pub(crate) async fn wait_announced(&self) {
        self.announced.cancelled().await;
    }
}

/// How long a hook may live.
///
/// Deliberately exhaustive: an executor that doesn't know the lifetime would end a hook too early,
/// or never.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// No longer than the host (IO-34).
    Bound,
    /// Up to its own timeout, even if the host has exited (SE-2). Dropping the future leaves the
    /// process running, and a watchdog outside the host ends it at the timeout.
    Detached {
        /// The hook's timeout, counted from its start.
        timeout: Duration,
    },
}

/// The result of a run, whatever happened to the hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// How it ended.
    pub ending: Ending,
    /// What it wrote to standard output.
    pub stdout: Captured,
    /// What it wrote to standard error.
    pub stderr: Captured,
    /// Whether one of its children still holds its output open (IO-32).
    pub leak: Leak,
    /// How long it ran.
    pub duration: Duration,
    /// The names of the environment variables that were withheld (ENV-3), sorted.
    pub withheld_env: Vec<String>,
    /// Other reports for the user about the run: what the hook left behind, or said without being
    /// asked.
    pub remarks: Vec<String>,
    /// Reports of this kind that are made once per hook, and only where something waits for an
    /// answer that could refuse.
    pub remarks_on_guards: Vec<String>,
}

/// How a hook ended (IO-20).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// It exited with a code.
    Exited(i32),
    /// It was killed by a signal that the engine didn't send.
    Signalled(Signal),
    /// The engine ended it, for the reason in `stop`.
    Stopped,
    /// It couldn't start. The text is the reason, and continues after "couldn't start: ".
    NotStarted(String),
    /// It ran and failed without an exit code, as a service does. The text continues after "failed:
    /// ".
    Failed(String),
}

/// A signal that killed a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signal(pub i32);

/// The part of an output stream that was kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes of the stream, up to the cap.
    pub bytes: Vec<u8>,
    /// The total number of bytes in the stream.
    pub total: u64,
}

/// Whether a process that the hook left behind still holds its output open (IO-32).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Leak {
    /// The streams were closed.
    #[default]
    None,
    /// A stream was still open after the drain period.
    Leaked,
}

impl Captured {
    /// Returns whether the stream exceeded the cap.
    pub fn is_cut(&self) -> bool {
        self.total > self.bytes.len() as u64
    }
}

impl Completion {
    /// Builds the completion of a hook that couldn't start.
    pub fn not_started(why: impl Into<String>) -> Self {
        Self::ended(Ending::NotStarted(why.into()))
    }

    /// Builds the completion of a hook that said nothing.
    pub fn ended(ending: Ending) -> Self {
        Self {
            ending,
            stdout: Captured::default(),
            stderr: Captured::default(),
            leak: Leak::None,
            duration: Duration::ZERO,
            withheld_env: Vec::new(),
            remarks: Vec::new(),
            remarks_on_guards: Vec::new(),
        }
    }
}
