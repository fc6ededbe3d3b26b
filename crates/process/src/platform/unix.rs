//! Process groups, pipes and signals on Unix.

use std::fs::File;
use std::io::{self, IoSlice};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus};
#[cfg(target_os = "linux")]
use std::sync::Once;
use std::thread;
use std::time::{Duration, Instant};

use hookloop_events::Payload;
use rustix::fs::{Access, OFlags, access, fcntl_setfl};
use rustix::process::{Pid, kill_process_group, test_kill_process_group};
use tokio::net::unix::pipe;
#[cfg(target_os = "linux")]
use tokio::signal::unix::{SignalKind, signal};

use super::reader::Reader;
use super::waiter::Waiter;

/// Writes the input of a program.
pub type Writer = pipe::Sender;

/// What fits into a pipe of the default size.
const PIPE_SIZE: usize = 64 * 1024;
/// What fits into any empty pipe.
const PIPE_PAGE: usize = 4096;
/// The size that a pipe can be given without privileges.
#[cfg(target_os = "linux")]
const LARGE_PIPE: usize = 1024 * 1024;
/// How long a program that shares the terminal has to end when the session ends.
const GRACE_OF_ATTACHED: Duration = Duration::from_millis(300);
/// The interval for checking whether a group is gone.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// The interval for checking whether a process that nothing awaits any more has ended.
const REAP_INTERVAL: Duration = Duration::from_millis(20);

/// A process group. Its number is the id of its first process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group(Pid);

impl Group {
    /// Asks all processes of the group to end.
    pub fn ask_to_end(&self) {
        // Fails if the group has no process left.
        let _ = kill_process_group(self.0, rustix::process::Signal::TERM);
    }

    /// Kills all processes of the group.
    pub fn kill(&self) {
        let _ = kill_process_group(self.0, rustix::process::Signal::KILL);
    }

    /// Returns whether the group has a process, including one that has ended and wasn't waited for.
    pub fn is_alive(&self) -> bool {
        let has_process = || test_kill_process_group(self.0) != Err(rustix::io::Errno::SRCH);
        #[cfg(target_os = "linux")]
        if has_process() {
            // What remains may be an orphan that nobody else waits for.
            super::orphans::reap_orphans();
        }
        has_process()
    }

    /// Returns whether a process of the group still runs, if the system reports that.
    pub fn is_running(&self) -> bool {
        #[cfg(target_os = "linux")]
        let has_running_member = || super::members::has_running_member(self.0);
        #[cfg(not(target_os = "linux"))]
        let has_running_member = || true;
        self.is_alive() && has_running_member()
    }

    /// Returns the group's number.
    pub fn number(&self) -> i32 {
        self.0.as_raw_nonzero().get()
    }
}

/// A started process, the first of its group. Dropping it kills the group, unless it was released.
#[derive(Debug)]
pub struct Process {
    group: Group,
    waiter: Waiter,
    /// `None` when the process was waited for, or given away.
    child: Option<Child>,
    #[cfg(target_os = "linux")]
    strays: super::strays::Strays,
    /// The mark in the environment of the process and of all its descendants.
    #[cfg(target_os = "linux")]
    mark: String,
    is_released: bool,
}

/// Makes the system keep how children end. The program that started this one may have disabled
/// that, and then no exit code, and so no refusal, could be read.
#[cfg(target_os = "linux")]
fn heed_children() {
    static HEEDED: Once = Once::new();
    HEEDED.call_once(|| {
        if ignores_children() {
            // The handler stays installed for the life of the program.
            let _ = signal(SignalKind::child());
        }
    });
}

/// Returns whether the signal for children is ignored, as it may be from the start.
#[cfg(target_os = "linux")]
fn ignores_children() -> bool {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else {
        return true;
    };
    let ignored = status.lines().find_map(|it| it.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|it| u64::from_str_radix(it.trim(), 16).ok());
    let bit = rustix::process::Signal::CHILD.as_raw() - 1;
    ignored.is_none_or(|mask| mask >> bit & 1 == 1)
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
    /// Starts a process in its own group, with its own mark in its environment. The caller must set
    /// the complete environment; the program's own contains no secrets any more.
    pub fn spawn(mut command: Command) -> io::Result<(Self, Pipes)> {
        #[cfg(target_os = "linux")]
        heed_children();
        let mark = new_mark();
        command.process_group(0).env(crate::MARK, &mark);
        let mut child = start(&mut command)?;
        let group = Group(Pid::from_child(&child));
        let waiter = match Waiter::new(&child) {
            Ok(waiter) => waiter,
            Err(error) => {
                group.kill();
                reap(child, None);
                return Err(error);
            }
        };
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        super::running::begins(group.0);
        // From here on, dropping this value ends the process if anything fails.
        let process = Self {
            group,
            waiter,
            child: Some(child),
            #[cfg(target_os = "linux")]
            strays: super::strays::Strays::default(),
            #[cfg(target_os = "linux")]
            mark,
            is_released: false,
        };
        let stdout = stdout.map(|it| Reader::new(it.into())).transpose()?;
        let stderr = stderr.map(|it| Reader::new(it.into())).transpose()?;
        Ok((
            process,
            Pipes {
                stdin,
                stdout,
                stderr,
            },
        ))
    }

    /// Returns the process group.
    pub fn group(&self) -> &Group {
        &self.group
    }

    /// Waits until the process has ended. The future may be dropped without losing anything.
    pub async fn exited(&mut self) -> io::Result<ExitStatus> {
        loop {
            self.waiter.wait().await?;
            let Some(child) = &mut self.child else {
                return Err(io::Error::other("the process was waited for already"));
            };
            if let Some(status) = child.try_wait()? {
                self.was_waited_for();
                return Ok(status);
            }
        }
    }

    /// Asks the group to end, including descendants that have left it.
    pub fn ask_to_end(&mut self) {
        self.find_strays();
        self.group.ask_to_end();
        #[cfg(target_os = "linux")]
        self.strays.signal(rustix::process::Signal::TERM);
    }

    /// Kills the group, including descendants that have left it.
    pub fn kill(&mut self) {
        self.find_strays();
        self.group.kill();
        #[cfg(target_os = "linux")]
        self.strays.signal(rustix::process::Signal::KILL);
    }

    /// Looks for descendants outside of the group: by descent as long as the process runs, and by
    /// their mark.
    fn find_strays(&mut self) {
        #[cfg(target_os = "linux")]
        {
            if self.child.is_some() {
                self.strays.find(self.group.0);
            }
            self.strays.find_marked(&self.mark, self.group.0);
        }
    }

    /// Returns the id of the process, which is also the number of its group.
    pub fn id(&self) -> u32 {
        self.group.0.as_raw_nonzero().get().cast_unsigned()
    }

    /// Returns how the process ended, if it has. Later calls return `None`.
    pub fn try_exited(&mut self) -> Option<io::Result<ExitStatus>> {
        let status = self.child.as_mut()?.try_wait().transpose()?;
        self.was_waited_for();
        Some(status)
    }

    fn was_waited_for(&mut self) {
        if let Some(child) = self.child.take() {
            was_waited_for(child.id());
        }
    }

    /// Returns whether the process or another one of its group runs. A process that has ended is
    /// waited for.
    pub fn is_alive(&mut self) -> bool {
        let _ = self.try_exited();
        self.group.is_running()
    }

    /// Waits until no process of the group runs, up to `limit`, and returns whether that is the
    /// case.
    pub async fn is_gone_within(&mut self, limit: Duration) -> bool {
        let deadline = tokio::time::Instant::now() + limit;
        while self.is_alive() {
            if tokio::time::Instant::now() >= deadline {
                return false;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        true
    }

    /// Returns what the process left behind outside its group, after it ended by itself. This is
    /// cheap if nothing was started in the meantime.
    #[cfg(target_os = "linux")]
    pub fn strays(&self) -> Vec<super::strays::Stray> {
        super::strays::find_strays(&self.mark, self.group.0)
    }

    /// Keeps the group alive when the process is dropped, because it has ended or somebody else
    /// manages it.
    pub fn release(&mut self) {
        self.is_released = true;
        super::running::ends(self.group.0);
    }

    /// Leaves the process alone. If it still runs after `limit`, its group is ended.
    ///
    /// Without a limit, somebody else must do that.
    pub fn leave_alone(&mut self, limit: Option<Duration>) {
        self.release();
        if let Some(child) = self.child.take() {
            reap(child, limit);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.is_released {
            self.kill();
            super::running::ends(self.group.0);
        }
        if let Some(child) = self.child.take() {
            reap(child, None);
        }
    }
}

/// Makes a mark that no other process has, in this program or another.
fn new_mark() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::{SystemTime, UNIX_EPOCH};

    static STARTED: AtomicU64 = AtomicU64::new(0);
    let number = STARTED.fetch_add(1, Ordering::Relaxed);
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.unwrap_or_default().as_micros();
    format!("{}-{now:x}-{number}", std::process::id())
}

/// Converts a pipe to a process so that it can be written to without blocking.
pub fn writer(stdin: ChildStdin) -> io::Result<Writer> {
    let descriptor = OwnedFd::from(stdin);
    fcntl_setfl(&descriptor, OFlags::NONBLOCK)?;
    pipe::Sender::from_owned_fd_unchecked(descriptor)
}

/// Returns how many written bytes the program hasn't read yet, or `None` if the system doesn't
/// report it.
pub fn unread_input(input: &Writer) -> Option<u64> {
    if cfg!(target_os = "linux") {
        rustix::io::ioctl_fionread(input).ok()
    } else {
        None
    }
}

/// Waits for a child in the background, so that it doesn't become a zombie.
pub fn reap(mut child: Child, limit: Option<Duration>) {
    if !matches!(child.try_wait(), Ok(None)) {
        was_waited_for(child.id());
        return;
    }
    // If no thread can be started, the zombie stays until the host ends.
    let _ = thread::Builder::new().name("reaper".into()).spawn(move || {
        if let Some(limit) = limit {
            end_after(&mut child, limit);
        }
        let _ = child.wait();
        was_waited_for(child.id());
    });
}

/// Ends the group of a process that still runs after a limit.
fn end_after(child: &mut Child, limit: Duration) {
    let group = Group(Pid::from_child(child));
    for (within, end) in [
        (limit, Group::ask_to_end as fn(&Group)),
        (crate::GRACE, Group::kill),
    ] {
        if ends_within(child, within) {
            return;
        }
        end(&group);
    }
}

/// Ends a program that shares this process's group, with the descendants that can be found. An
/// editor that is asked to end saves what it can.
pub(crate) fn end_attached(child: &mut Child) {
    let process = Pid::from_child(child);
    #[cfg(target_os = "linux")]
    let mut strays = super::strays::Strays::default();
    for (signal, within) in [
        (rustix::process::Signal::TERM, GRACE_OF_ATTACHED),
        (rustix::process::Signal::KILL, Duration::ZERO),
    ] {
        #[cfg(target_os = "linux")]
        {
            strays.find(process);
            strays.signal(signal);
        }
        // Fails if it has just ended.
        let _ = rustix::process::kill_process(process, signal);
        if ends_within(child, within) {
            return;
        }
    }
}

/// Starts a process that leads its own group.
pub(crate) fn start(command: &mut Command) -> io::Result<Child> {
    #[cfg(target_os = "linux")]
    return super::orphans::start(|| command.spawn());
    #[cfg(not(target_os = "linux"))]
    return command.spawn();
}

/// Records that a process was waited for.
fn was_waited_for(process: u32) {
    #[cfg(target_os = "linux")]
    super::orphans::was_waited_for(process);
    #[cfg(not(target_os = "linux"))]
    let _ = process;
}

fn ends_within(child: &mut Child, limit: Duration) -> bool {
    let started = Instant::now();
    while matches!(child.try_wait(), Ok(None)) {
        let Some(rest) = limit
            .checked_sub(started.elapsed())
            .filter(|rest| !rest.is_zero())
        else {
            return false;
        };
        thread::sleep(rest.min(REAP_INTERVAL));
    }
    true
}

/// Writes as much of the input as the pipe accepts, and closes it if that was all.
///
/// Returns the pipe and how much was written if more is to come.
pub(crate) fn begin_input(stdin: ChildStdin, input: &Payload) -> Option<(Writer, usize)> {
    let descriptor = OwnedFd::from(stdin);
    if input.len() > PIPE_SIZE {
        enlarge(&descriptor, input.len());
    }
    if input.len() > PIPE_PAGE {
        fcntl_setfl(&descriptor, OFlags::NONBLOCK).ok()?;
    }
    let written = match rustix::io::writev(&descriptor, &input.pieces().map(IoSlice::new)) {
        Ok(length) => length,
        Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => 0,
        // The hook has already closed its input.
        Err(_) => return None,
    };
    if written == input.len() {
        return None;
    }
    let writer = pipe::Sender::from_owned_fd_unchecked(descriptor).ok()?;
    Some((writer, written))
}

/// Returns another handle of a process's input, which doesn't end before the handle is dropped.
pub(crate) fn held_open(stdin: &ChildStdin) -> io::Result<OwnedFd> {
    stdin.as_fd().try_clone_to_owned()
}

/// Makes a pipe as large as possible: each avoided write saves a wake-up.
#[cfg_attr(
    not(target_os = "linux"),
    expect(unused_variables, reason = "only Linux can do it")
)]
fn enlarge(descriptor: impl AsFd, length: usize) {
    // Fails if the user already has many large pipes; the pipe then keeps its size.
    #[cfg(target_os = "linux")]
    let _ = rustix::pipe::fcntl_setpipe_size(descriptor, length.min(LARGE_PIPE));
}

/// Returns whether a start failed because the program couldn't be executed, so that nothing ran.
pub fn is_refusal(error: &io::Error) -> bool {
    use rustix::io::Errno;

    const REFUSALS: [Errno; 7] = [
        Errno::NOENT,
        Errno::ACCESS,
        Errno::NOEXEC,
        Errno::NOTDIR,
        Errno::LOOP,
        Errno::TOOBIG,
        Errno::PERM,
    ];
    Errno::from_io_error(error).is_some_and(|errno| REFUSALS.contains(&errno))
}

/// Returns whether a path is a file that this process may execute.
pub fn is_executable(path: &Path) -> bool {
    access(path, Access::EXEC_OK).is_ok() && path.metadata().is_ok_and(|it| it.is_file())
}

/// Reads a file from an offset, without moving the position of its writers.
pub fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    file.read_at(buffer, offset)
}
