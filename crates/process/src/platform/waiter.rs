//! Waiting for the end of a child without a thread and without polling.

use std::io;
use std::process::Child;

use rustix::process::Pid;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// When a child may have ended.
#[derive(Debug)]
pub(crate) enum Waiter {
    /// Through a file descriptor of the process.
    #[cfg(target_os = "linux")]
    Descriptor(tokio::io::unix::AsyncFd<std::os::fd::OwnedFd>),
    /// Through the signal that the system sends for all children; it may have come already.
    ChildSignal { signal: Signal, was_asked: bool },
}

impl Waiter {
    /// Begins to wait for a child that wasn't waited for yet.
    pub(crate) fn new(child: &Child) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Ok(descriptor) = rustix::process::pidfd_open(
            Pid::from_child(child),
            rustix::process::PidfdFlags::empty(),
        ) {
            return observe(descriptor).map(Self::Descriptor);
        }
        let _ = Pid::from_child(child);
        Ok(Self::ChildSignal {
            signal: signal(SignalKind::child())?,
            was_asked: false,
        })
    }

    /// Waits until the child may have ended.
    pub(crate) async fn wait(&mut self) -> io::Result<()> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Descriptor(descriptor) => descriptor.readable().await.map(drop),
            // Asks once, for a child that ended before the signal was subscribed to.
            Self::ChildSignal { was_asked, .. } if !*was_asked => {
                *was_asked = true;
                Ok(())
            }
            Self::ChildSignal { signal, .. } => match signal.recv().await {
                Some(()) => Ok(()),
                None => Err(io::Error::other("signals from children no longer arrive")),
            },
        }
    }
}

/// Registers a descriptor with the runtime.
#[cfg(target_os = "linux")]
#[expect(
    deprecated,
    reason = "the successor is unsafe, for types whose descriptor may change or close; this one \
              owns it"
)]
fn observe(
    descriptor: std::os::fd::OwnedFd,
) -> io::Result<tokio::io::unix::AsyncFd<std::os::fd::OwnedFd>> {
    tokio::io::unix::AsyncFd::with_interest(descriptor, tokio::io::Interest::READABLE)
}
