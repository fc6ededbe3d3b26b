//! The port that executors plug into: what they are asked to run, and every way in which a run can
//! end.
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

/// A future that is boxed so that the port stays object-safe.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Runs hooks of one kind.
pub trait Executor: Send + Sync {
    /// Runs one hook to its end, or until `invocation.stop` asks it to end.
    ///
    /// It returns soon after the stop (a command: within the grace of IO-31) and leaves no
    /// process behind, also when the future is dropped.
    fn execute(&self, invocation: Invocation) -> BoxFuture<'_, Completion>;

    /// Returns whether a hook's `if` holds for a payload (HT-1). Asked for hooks in our own words
    /// that have one.
    fn condition(&self, hook: &HookDeclaration, payload: &Value) -> ConditionAnswer {
        let _ = (hook, payload);
        ConditionAnswer::Unknown("this host evaluates no conditions".to_owned())
    }

    /// Says which part of a hook's `if`, and of its rules, is true or false for a payload, with the
    /// values, a line each (HT-26). Nothing is run for it.
    fn explain(&self, hook: &HookDeclaration, payload: &Value) -> Vec<String> {
        let _ = (hook, payload);
        Vec::new()
    }

    /// Returns what a hook of another dialect reads beside or in the place of what a payload of ours
    /// says: the path of a transcript in its form, brought up to date (FD-13), as
    /// `transcript_path`; the text of a file that is about to be read, as `file_content`; arguments
    /// that name files one by one, as `tool_input`. What can't be told whole is said under
    /// [`UNTOLD`](hookloop_dialects::UNTOLD): the hook could not start then.
    fn beside(&self, translation: &Translation<'_>) -> Map<String, Value> {
        let _ = translation;
        Map::new()
    }

    /// Takes over variables that a hook of another dialect sets for later shell commands of its
    /// session (FD-14), and returns what is to be told of those that have no effect.
    fn set_environment(
        &self,
        hook: &HookDeclaration,
        session: &SessionIdentity,
        variables: &[(String, String)],
    ) -> Option<String> {
        let _ = (hook, session, variables);
        Some("the environment that it sets has no effect: this host keeps none".to_owned())
    }

    /// Ends what is kept running for the hooks of a session that is over, and returns what is still to be
    /// told of it, each with its hook (HT-10). It takes no longer than a second.
    fn part<'e>(&'e self, session: &'e SessionIdentity) -> BoxFuture<'e, Vec<LastWord>> {
        let _ = session;
        Box::pin(async { Vec::new() })
    }
}

/// What is told of a hook after its session's last event.
#[derive(Debug, Clone)]
pub struct LastWord {
    /// The hook.
    pub hook: Arc<HookDeclaration>,
    /// What there is to tell, as a sentence.
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
    /// Whose hooks these are: session, transcript, working directory.
    pub session: Arc<SessionIdentity>,
    /// What the hook reads: one JSON object in UTF-8 (IO-1).
    pub input: Payload,
    /// How many bytes of each output stream are kept (IO-17).
    pub max_output_bytes: usize,
    /// Asks the executor to end the hook: its deadline passed, or the turn was cancelled.
    pub stop: StopSignal,
    /// Whether the hook may outlive the host (SE-2).
    pub lifetime: Lifetime,
    /// Told of the first line that a command writes, where that may let it go (FD-22).
    pub first_line: Option<FirstLine>,
    /// The run's id, as its record has it: a service tells by it what it was asked already.
    pub run_id: String,
    /// What the hook's own spans are told to be below, as `TRACEPARENT`: the span of this run.
    /// Nothing without tracing (TE-3).
    pub trace_parent: Option<String>,
    /// The files of the project that somebody agreed to with the hook, by their real paths, with the
    /// SHA-256 of their bytes in hexadecimal digits: an executor that reads such a file itself compares
    /// what it has read. Nothing for a hook that needs no trust, or has it for this run alone.
    pub agreed: Option<Arc<BTreeMap<PathBuf, String>>>,
}

/// Learns of the first line of a command's standard output as soon as it is there: by it a hook of
/// some dialects says that nobody need wait for it (FD-22).
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

    /// Takes what may be the line, and says whether it announces.
    pub fn take(&self, line: &[u8]) -> bool {
        let text = String::from_utf8_lossy(line);
        let announces = after_async_announcement(self.dialect, &text).is_some();
        if announces {
            self.announced.cancel();
        }
        announces
    }

    /// Waits until the line was there and announced; for ever, if it doesn't.
    pub(crate) async fn announced(&self) {
        self.announced.cancelled().await;
    }
}

/// How long a hook may live.
///
/// It is exhaustive on purpose: an executor that doesn't know how long a hook may live would end it too early
/// or never.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// No longer than the host (IO-34).
    Bound,
    /// Up to its own timeout, also when the host is gone (SE-2): dropping the future leaves
    /// the process alone, and a watchdog outside the host ends it at the timeout.
    Detached {
        /// The hook's timeout, counted from its start.
        timeout: Duration,
    },
}

/// What happened to a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// How it ended.
    pub ending: Ending,
    /// What it wrote to standard output.
    pub stdout: Captured,
    /// What it wrote to standard error.
    pub stderr: Captured,
    /// Whether a child of it still holds its output (IO-32).
    pub leak: Leak,
    /// How long it ran.
    pub duration: Duration,
    /// The names of the environment variables that were withheld from it (ENV-3), sorted.
    pub withheld_env: Vec<String>,
    /// What else the user is told of the run: what it left behind, or said without being asked.
    pub remarks: Vec<String>,
}

/// How a hook ended (IO-20).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// It exited with a code.
    Exited(i32),
    /// It was killed by a signal that the engine did not send.
    Signalled(Signal),
    /// The engine ended it: `stop` said so, and for which reason.
    Stopped,
    /// It could not start; the text says why and continues after "could not start: ".
    NotStarted(String),
    /// It ran and failed without a code of its own, as a service does; the text says how and goes
    /// on after "failed: ".
    Failed(String),
}

/// A signal that killed a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signal(pub i32);

/// An output stream as far as it was kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The bytes from the start of the stream, at most the cap.
    pub bytes: Vec<u8>,
    /// How many bytes came in all.
    pub total: u64,
}

/// Whether a process that the hook left behind still holds its output (IO-32).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Leak {
    /// The streams were closed.
    #[default]
    None,
    /// A stream was still open after the drain.
    Leaked,
}

impl Captured {
    /// Returns whether the stream went over the cap.
    pub fn is_cut(&self) -> bool {
        self.total > self.bytes.len() as u64
    }
}

impl Completion {
    /// Builds the completion of a hook that could not start.
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
        }
    }
}
