//! Hooks that may outlive the host (SE-2).
//!
//! Such a hook reads its input from a file, so that all of it is delivered whatever happens to the
//! host, and writes to files, so that a closed pipe doesn't kill it. The files have no name and
//! disappear with their last user.

use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hookloop_engine::Captured;
use hookloop_engine::events::Payload;

use crate::surroundings::Surroundings;
use hookloop_process::{Process, read_at};

/// The streams of a detached hook.
#[derive(Debug)]
pub(crate) struct Files {
    stdin: File,
    stdout: File,
    stderr: File,
}

impl Files {
    /// Creates the files in a folder, and writes the input.
    pub(crate) fn create(folder: &Path, input: &Payload) -> io::Result<Self> {
        let mut stdin = tempfile::tempfile_in(folder)?;
        for piece in input.pieces() {
            stdin.write_all(piece)?;
        }
        stdin.rewind()?;
        let stdout = tempfile::tempfile_in(folder)?;
        let stderr = tempfile::tempfile_in(folder)?;
        Ok(Self {
            stdin,
            stdout,
            stderr,
        })
    }

    /// Makes the files the streams of a command.
    pub(crate) fn connect(&self, command: &mut Command) -> io::Result<()> {
        command.stdin(Stdio::from(self.stdin.try_clone()?));
        command.stdout(Stdio::from(self.stdout.try_clone()?));
        command.stderr(Stdio::from(self.stderr.try_clone()?));
        Ok(())
    }

    /// Reads what was written to standard output and standard error, each up to the cap.
    pub(crate) fn captured(&self, cap: usize) -> (Captured, Captured) {
        (captured(&self.stdout, cap), captured(&self.stderr, cap))
    }
}

fn captured(file: &File, cap: usize) -> Captured {
    let total = file.metadata().map_or(0, |metadata| metadata.len());
    let mut bytes = vec![0; usize::try_from(total).unwrap_or(cap).min(cap)];
    let mut filled = 0;
    while filled < bytes.len() {
        match read_at(file, &mut bytes[filled..], filled as u64) {
            Ok(length) if length > 0 => filled += length,
            _ => break,
        }
    }
    bytes.truncate(filled);
    Captured { bytes, total }
}

/// Makes sure that a detached hook that nobody awaits any more ends at its timeout.
#[derive(Debug)]
pub(crate) struct Handover<'a> {
    /// The process; empty once it has ended.
    pub(crate) process: Option<Process>,
    /// The moment at which its time is over.
    pub(crate) deadline: Instant,
    /// What knows the watchdog's command.
    pub(crate) surroundings: &'a Surroundings,
}

impl Drop for Handover<'_> {
    fn drop(&mut self) {
        let Some(mut process) = self.process.take() else {
            return;
        };
        let remaining = self.deadline.saturating_duration_since(Instant::now());
        if start_watchdog(self.surroundings, &process, remaining).is_some() {
            process.leave_alone(None);
        } else {
            process.leave_alone(Some(remaining));
        }
    }
}

/// Starts the process that ends a hook's group at the timeout; it survives the host.
#[cfg(unix)]
fn start_watchdog(surroundings: &Surroundings, process: &Process, limit: Duration) -> Option<()> {
    let (program, arguments) = surroundings.watchdog.as_deref()?.split_first()?;
    let mut watchdog = Command::new(program);
    watchdog
        .args(arguments)
        .arg(process.group().number().to_string())
        .arg(limit.as_millis().to_string())
        .env_clear()
        .envs(
            surroundings
                .variables
                .iter()
                .map(|(name, value)| (name, value)),
        )
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    hookloop_process::detach(&mut watchdog);
    hookloop_process::reap(watchdog.spawn().ok()?, None);
    Some(())
}

/// Job objects can't be handed to another process here; the host's own limit has to do.
#[cfg(windows)]
fn start_watchdog(_: &Surroundings, _: &Process, _: Duration) -> Option<()> {
    None
}
