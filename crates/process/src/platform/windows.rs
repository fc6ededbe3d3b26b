//! Job objects and pipes on Windows.

use std::fs::File;
use std::io;
use std::os::windows::fs::FileExt as _;
use std::os::windows::io::{AsHandle as _, OwnedHandle};
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hookloop_events::Payload;
use tokio::io::AsyncRead;
use tokio::process::{Child, ChildStdin};
use win32job::{ExtendedLimitInfo, Job};

/// Reads an output of a hook.
pub struct Reader(Box<dyn AsyncRead + Send + Unpin>);
/// Writes the input of a hook.
pub type Writer = ChildStdin;

impl std::fmt::Debug for Reader {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Reader")
    }
}

impl Reader {
    /// Returns whether there is something to read. On Windows, this is known only after waiting.
    pub fn is_ready_within(&self, _most: std::time::Duration) -> bool {
        false
    }

    /// Reads what a program has written so far. On Windows, this is possible only by waiting.
    pub fn read_at_once(&mut self, _bytes: &mut Vec<u8>, _most: usize) {}
}

impl AsyncRead for Reader {
    fn poll_read(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
        buffer: &mut tokio::io::ReadBuf<'_>,
    ) -> std::task::Poll<io::Result<()>> {
        std::pin::Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

/// A job object with a process and its children. Closing it ends them.
#[derive(Debug, Clone)]
pub struct Group {
    job: Arc<Mutex<Option<Job>>>,
}

impl Group {
    fn new(child: &Child) -> io::Result<Self> {
        let mut limits = ExtendedLimitInfo::new();
        limits.limit_kill_on_job_close();
        let job = Job::create_with_limit_info(&limits).map_err(io::Error::other)?;
        if let Some(handle) = child.raw_handle() {
            job.assign_process(handle as isize)
                .map_err(io::Error::other)?;
        }
        Ok(Self {
            job: Arc::new(Mutex::new(Some(job))),
        })
    }

    /// Ends all processes of the job.
    pub fn kill(&self) {
        drop(
            self.job
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
        );
    }

    /// Returns whether the job has a process.
    pub fn is_alive(&self) -> bool {
        let job = self.job.lock().unwrap_or_else(PoisonError::into_inner);
        job.as_ref()
            .and_then(|job| job.query_process_id_list().ok())
            .is_some_and(|processes| !processes.is_empty())
    }

    /// Returns whether a process of the job still runs. A process that has ended is no longer in
    /// the job.
    pub fn is_running(&self) -> bool {
        self.is_alive()
    }

    /// Keeps the processes of the job alive when it is closed.
    fn set_free(&self) {
        let job = self.job.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(job) = job.as_ref() {
            let _ = job.set_extended_limit_info(&ExtendedLimitInfo::new());
        }
    }
}

/// A started process in its own job. Dropping it ends the job, unless it was released.
#[derive(Debug)]
pub struct Process {
    group: Group,
    child: Child,
    is_released: bool,
}

/// Our ends of the pipes to a process.
#[derive(Debug)]
pub struct Pipes {
    /// Standard input of the process.
    pub stdin: Option<ChildStdin>,
    /// Its standard output.
    pub stdout: Option<Reader>,
    /// Its standard error.
    pub stderr: Option<Reader>,
}

impl Process {
    /// Starts a process in its own job.
    ///
    /// The process joins the job right after its start, long before its shell can start anything.
    pub fn spawn(command: Command) -> io::Result<(Self, Pipes)> {
        let mut command = tokio::process::Command::from(command);
        let mut child = command.spawn()?;
        let group = match Group::new(&child) {
            Ok(group) => group,
            Err(error) => {
                let _ = child.start_kill();
                return Err(error);
            }
        };
        let pipes = Pipes {
            stdin: child.stdin.take(),
            stdout: child.stdout.take().map(|it| Reader(Box::new(it))),
            stderr: child.stderr.take().map(|it| Reader(Box::new(it))),
        };
        Ok((
            Self {
                group,
                child,
                is_released: false,
            },
            pipes,
        ))
    }

    /// Returns the job.
    pub fn group(&self) -> &Group {
        &self.group
    }

    /// Waits until the process has ended. The future may be dropped without losing anything.
    pub async fn exited(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Returns the id of the process.
    pub fn id(&self) -> u32 {
        self.child.id().unwrap_or_default()
    }

    /// Returns whether a process of the job runs.
    pub fn is_alive(&mut self) -> bool {
        let _ = self.child.try_wait();
        self.group.is_running()
    }

    /// Returns how the process ended, if it has.
    pub fn try_exited(&mut self) -> Option<io::Result<ExitStatus>> {
        self.child.try_wait().transpose()
    }

    /// Waits until no process of the job runs, up to `limit`, and returns whether that is the case.
    pub async fn is_gone_within(&mut self, limit: Duration) -> bool {
        let deadline = tokio::time::Instant::now() + limit;
        while self.is_alive() {
            if tokio::time::Instant::now() >= deadline {
                return false;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        true
    }

    /// Ends the job. Windows has no gentler way (IO-31).
    pub fn ask_to_end(&mut self) {
        self.group.kill();
    }

    /// Ends the job.
    pub fn kill(&mut self) {
        self.group.kill();
    }

    /// Keeps the job alive when the process is dropped.
    pub fn release(&mut self) {
        self.is_released = true;
    }

    /// Leaves the process alone. On Windows, the limit isn't enforced.
    pub fn leave_alone(&mut self, _limit: Option<Duration>) {
        self.release();
        self.group.set_free();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.is_released {
            self.group.kill();
        }
    }
}

/// Converts a pipe to a process so that it can be written to without blocking, which it already
/// can.
pub fn writer(stdin: ChildStdin) -> io::Result<Writer> {
    Ok(stdin)
}

/// Returns how many written bytes the program hasn't read yet, which Windows doesn't report.
pub fn unread_input(_input: &Writer) -> Option<u64> {
    None
}

/// Returns the pipe unchanged: writing to it doesn't block here.
///
/// Returns the pipe and how much was written if more is to come.
pub(crate) fn begin_input(stdin: ChildStdin, input: &Payload) -> Option<(Writer, usize)> {
    (!input.is_empty()).then_some((stdin, 0))
}

/// Returns another handle of a process's input, which doesn't end before the handle is dropped.
pub(crate) fn held_open(stdin: &ChildStdin) -> io::Result<OwnedHandle> {
    stdin.as_handle().try_clone_to_owned()
}

/// Returns whether a start failed because the program couldn't be executed. The shell always can.
pub fn is_refusal(_error: &io::Error) -> bool {
    false
}

/// Returns whether a path is a file.
pub fn is_executable(path: &Path) -> bool {
    path.is_file()
}

/// Reads a file from an offset.
pub fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    file.seek_read(buffer, offset)
}
