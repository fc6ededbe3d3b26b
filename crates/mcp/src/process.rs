//! The process of a server, in its own process group, which is ended as a whole.

use std::collections::VecDeque;
use std::io;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hookloop_process::{GRACE, Reader, Writer, writer};
use tokio::io::AsyncReadExt;
use tokio::task::JoinHandle;

use crate::configuration::Program;

/// How many bytes of a server's standard error are kept.
const MAX_STDERR_BYTES: usize = 2048;

/// How long a server that closed its output may take to exit, and how long the output of one that
/// exited is still read.
pub(crate) const SETTLE: Duration = Duration::from_millis(500);

/// A server's process. Dropping it ends its whole group.
pub(crate) struct Process {
    running: hookloop_process::Process,
    /// The exit status of the server itself, once it was waited for.
    status: Option<io::Result<ExitStatus>>,
    last_words: StderrTail,
    listening: JoinHandle<()>,
}

/// The end of a server's standard error.
#[derive(Debug, Clone, Default)]
pub(crate) struct StderrTail(Arc<Mutex<VecDeque<u8>>>);

/// The standard streams of a process.
pub(crate) struct Pipes {
    pub(crate) input: Writer,
    pub(crate) output: Reader,
}

impl Process {
    /// Starts a server.
    pub(crate) fn start(program: &Program) -> io::Result<(Self, Pipes)> {
        let mut command = Command::new(&program.command);
        command
            .args(&program.arguments)
            .env_clear()
            .envs(
                program
                    .environment
                    .iter()
                    .map(|(name, value)| (name, value)),
            )
            .current_dir(&program.directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let (running, pipes) = hookloop_process::Process::spawn(command)?;
        let missing = || io::Error::other("the process has no pipes");
        let stderr = pipes.stderr.ok_or_else(missing)?;
        let pipes = Pipes {
            input: writer(pipes.stdin.ok_or_else(missing)?)?,
            output: pipes.stdout.ok_or_else(missing)?,
        };
        let last_words = StderrTail::default();
        let listening = tokio::spawn(listen(stderr, last_words.clone()));
        let process = Self {
            running,
            status: None,
            last_words,
            listening,
        };
        Ok((process, pipes))
    }

    /// Waits until the server itself has exited; what it started may still run.
    pub(crate) async fn exited(&mut self) {
        if self.status.is_none() {
            self.status = Some(self.running.exited().await);
        }
    }

    /// Ends the process group: first waits, then sends SIGTERM, then SIGKILL. Returns a description
    /// of how it ended.
    pub(crate) async fn end(mut self) -> String {
        let exited = tokio::time::timeout(SETTLE, self.exited()).await;
        let ended_itself = exited.is_ok();
        if self.running.is_alive() {
            self.running.ask_to_end();
            self.running.is_gone_within(GRACE).await;
            self.running.kill();
        }
        self.exited().await;
        self.running.release();
        // A process that left the group may hold the pipe open forever.
        drop(tokio::time::timeout(SETTLE, &mut self.listening).await);
        let how = match &self.status {
            Some(Ok(status)) if ended_itself => describe_status(*status),
            Some(Err(error)) => format!("it can't be waited for: {error}"),
            _ => "it closed its output and was ended".to_owned(),
        };
        match self.last_words.text() {
            words if words.is_empty() => how,
            words => format!("{how}; its last words: {words}"),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

impl StderrTail {
    fn push(&self, piece: &[u8]) {
        // The queue is consistent between any two statements, even after a panic elsewhere.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(piece);
        let surplus = kept.len().saturating_sub(MAX_STDERR_BYTES);
        kept.drain(..surplus);
    }

    fn text(&self) -> String {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(kept.make_contiguous());
        text.trim_start_matches('\u{fffd}').trim().to_owned()
    }
}

/// Reads a server's standard error, so that it never blocks.
async fn listen(mut stderr: Reader, last_words: StderrTail) {
    let mut piece = vec![0; 4096];
    while let Ok(length) = stderr.read(&mut piece).await {
        if length == 0 {
            break;
        }
        last_words.push(&piece[..length]);
    }
}

fn describe_status(status: ExitStatus) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        if let Some(signal) = status.signal() {
            return format!("it was ended by signal {signal}");
        }
    }
    match status.code() {
        Some(code) => format!("it ended with exit code {code}"),
        None => "it ended".to_owned(),
    }
}
