//! The process of a server: in a group of its own, ended with everything that it started.

use std::collections::VecDeque;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;

use super::configuration::Program;
use crate::shell::group::{GRACE, Group};

/// How much of what a server says on its standard error is kept, in bytes.
const KEPT: usize = 2048;

/// How long a server that closed its output may take to exit, and one that exited to be heard out.
pub(crate) const SETTLE: Duration = Duration::from_millis(500);

/// A server's process; dropping it ends its whole group.
pub(crate) struct Process {
    // The group comes first: it is ended while its leader's id is surely still its own.
    group: Group,
    child: Child,
    last_words: LastWords,
    listening: JoinHandle<()>,
}

/// The end of what a server said on its standard error.
#[derive(Debug, Clone, Default)]
pub(crate) struct LastWords(Arc<Mutex<VecDeque<u8>>>);

/// The way to talk with a process.
pub(crate) struct Pipes {
    pub(crate) input: ChildStdin,
    pub(crate) output: ChildStdout,
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
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        let missing = || io::Error::other("the process has no pipes");
        let id = child.id().ok_or_else(missing)?;
        let group = Group::led_by(id);
        let pipes = Pipes {
            input: child.stdin.take().ok_or_else(missing)?,
            output: child.stdout.take().ok_or_else(missing)?,
        };
        let last_words = LastWords::default();
        let stderr = child.stderr.take().ok_or_else(missing)?;
        let listening = tokio::spawn(listen(stderr, last_words.clone()));
        let process = Self {
            group,
            child,
            last_words,
            listening,
        };
        Ok((process, pipes))
    }

    /// Waits until the server itself has exited; what it started may still run.
    pub(crate) async fn exited(&mut self) {
        // An error means that there is nothing to wait for.
        drop(self.child.wait().await);
    }

    /// Ends the process with its group: first by waiting, then politely, then the hard way.
    /// Returns how it ended, in words.
    pub(crate) async fn end(mut self) -> String {
        let exited = tokio::time::timeout(SETTLE, self.exited()).await;
        let ended_itself = exited.is_ok();
        if self.group.is_alive() {
            self.group.terminate();
            self.group.wait_until_gone(GRACE).await;
            self.group.kill();
        }
        // On Unix the child is dead by now, or about to be.
        let _ = self.child.start_kill();
        let status = self.child.wait().await;
        self.group.release();
        // Somebody who left the group may hold the pipe open for ever.
        drop(tokio::time::timeout(SETTLE, &mut self.listening).await);
        let how = match status {
            Ok(status) if ended_itself => in_words(status),
            Ok(_) => "it closed its output and was ended".to_owned(),
            Err(error) => format!("it can't be waited for: {error}"),
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

impl LastWords {
    fn push(&self, piece: &[u8]) {
        // The queue is whole between any two statements, also after a panic elsewhere.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(piece);
        let surplus = kept.len().saturating_sub(KEPT);
        kept.drain(..surplus);
    }

    fn text(&self) -> String {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(kept.make_contiguous());
        text.trim_start_matches('\u{fffd}').trim().to_owned()
    }
}

/// Reads what a server says, so that it never waits for a reader.
async fn listen(mut stderr: ChildStderr, last_words: LastWords) {
    let mut piece = vec![0; 4096];
    while let Ok(length) = stderr.read(&mut piece).await {
        if length == 0 {
            break;
        }
        last_words.push(&piece[..length]);
    }
}

fn in_words(status: ExitStatus) -> String {
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
