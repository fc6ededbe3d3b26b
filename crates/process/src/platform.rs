//! The differences between operating systems: starting a process in a group of its own, waiting for
//! it, and ending the group.

#[cfg(target_os = "linux")]
mod members;
#[cfg(target_os = "linux")]
mod orphans;
#[cfg(unix)]
mod reader;
#[cfg(unix)]
mod running;
#[cfg(target_os = "linux")]
mod strays;
#[cfg(unix)]
mod unix;
#[cfg(unix)]
mod waiter;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
pub use orphans::adopt_orphans;
#[cfg(unix)]
pub use reader::Reader;
#[cfg(unix)]
pub use running::kill_running;
#[cfg(target_os = "linux")]
pub use strays::{Stray, Strays};
#[cfg(unix)]
pub use unix::{
    Group, Pipes, Process, Writer, is_executable, is_refusal, read_at, reap, unread_input, writer,
};
#[cfg(unix)]
pub(crate) use unix::{begin_input, end_attached, held_open, start};
#[cfg(unix)]
pub(crate) use waiter::Waiter;
#[cfg(windows)]
pub use windows::{
    Group, Pipes, Process, Reader, Writer, is_executable, is_refusal, read_at, unread_input, writer,
};
#[cfg(windows)]
pub(crate) use windows::{begin_input, held_open};

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// With a code.
    Code(i32),
    /// By a signal.
    Signal(i32),
    /// The system doesn't report it.
    Unknown,
}

impl From<std::process::ExitStatus> for Exit {
    fn from(status: std::process::ExitStatus) -> Self {
        if let Some(code) = status.code() {
            return Self::Code(code);
        }
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            return Self::Signal(signal);
        }
        Self::Unknown
    }
}
