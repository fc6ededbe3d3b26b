//! What differs between operating systems: starting a process in a group of its own, waiting for
//! it, ending the group.

#[cfg(target_os = "linux")]
mod members;
#[cfg(unix)]
mod reader;
#[cfg(target_os = "linux")]
mod strays;
#[cfg(unix)]
mod unix;
#[cfg(unix)]
mod waiter;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use reader::Reader;
#[cfg(target_os = "linux")]
pub use strays::Strays;
#[cfg(unix)]
pub(crate) use unix::{
    Group, Pipes, Process, Writer, begin_input, exit_ending, is_executable, is_refusal, read_at,
    reap,
};
#[cfg(windows)]
pub(crate) use windows::{
    Group, Pipes, Process, Reader, Writer, begin_input, exit_ending, is_executable, is_refusal,
    read_at,
};
