//! Reads a pipe, at first without registering it with the runtime.
//!
//! Most hooks write little and end soon. Their pipes are read once, after the end, without waking a
//! task before. That saves a considerable part of the cost of a short hook.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_setfl};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::unix::pipe;

/// How often a pipe is read before the runtime watches it, whose budget keeps a hook that never
/// stops writing from delaying everything else.
const UNWATCHED_READS: u8 = 4;

/// Reads an output stream of a program.
#[derive(Debug)]
pub struct Reader(State);

#[derive(Debug)]
enum State {
    Unwatched { descriptor: OwnedFd, reads: u8 },
    Watched(pipe::Receiver),
}

impl Reader {
    /// Takes ownership of the end of a pipe.
    pub fn new(descriptor: OwnedFd) -> io::Result<Self> {
        fcntl_setfl(&descriptor, OFlags::NONBLOCK)?;
        Ok(Self(State::Unwatched {
            descriptor,
            reads: 0,
        }))
    }

    /// Blocks this thread until there is something to read or the stream ends, up to a time limit,
    /// and returns whether there is. For output that arrives faster than the runtime could wake a
    /// task.
    pub fn is_ready_within(&self, most: Duration) -> bool {
        let descriptor = match &self.0 {
            State::Unwatched { descriptor, .. } => descriptor.as_fd(),
            State::Watched(reader) => reader.as_fd(),
        };
        let Ok(most) = Timespec::try_from(most) else {
            return false;
        };
        let mut polled = [PollFd::from_borrowed_fd(descriptor, PollFlags::IN)];
        // An interruption ends the wait, which was meant to be short anyway.
        poll(&mut polled, Some(&most)).is_ok_and(|ready| ready > 0)
    }

    /// Reads what a program has written so far, up to a limit, without waiting or involving the
    /// runtime. The end of the stream is left to the code that waits for it.
    pub fn read_at_once(&mut self, bytes: &mut Vec<u8>, most: usize) {
        let mut piece = [0; 4096];
        let end = bytes.len().saturating_add(most);
        while bytes.len() < end {
            let read = match &self.0 {
                State::Unwatched { descriptor, .. } => rustix::io::read(descriptor, &mut piece),
                State::Watched(reader) => rustix::io::read(reader, &mut piece),
            };
            match read {
                Ok(length) if length > 0 => {
                    bytes.extend_from_slice(&piece[..length]);
                    if length < piece.len() {
                        // The pipe was empty after that.
                        return;
                    }
                }
                Err(rustix::io::Errno::INTR) => {}
                _ => return,
            }
        }
    }
}

impl AsyncRead for Reader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            match &mut self.0 {
                State::Watched(reader) => return Pin::new(reader).poll_read(context, buffer),
                State::Unwatched { descriptor, reads } => {
                    *reads += 1;
                    let read = rustix::io::read(&*descriptor, buffer.initialize_unfilled());
                    match read {
                        Ok(length) if length == 0 || *reads < UNWATCHED_READS => {
                            buffer.advance(length);
                            return Poll::Ready(Ok(()));
                        }
                        Ok(length) => {
                            buffer.advance(length);
                            self.0 = register(descriptor)?;
                            return Poll::Ready(Ok(()));
                        }
                        Err(rustix::io::Errno::AGAIN) => self.0 = register(descriptor)?,
                        Err(rustix::io::Errno::INTR) => {}
                        Err(error) => return Poll::Ready(Err(error.into())),
                    }
                }
            }
        }
    }
}

fn register(descriptor: &OwnedFd) -> io::Result<State> {
    pipe::Receiver::from_owned_fd_unchecked(descriptor.try_clone()?).map(State::Watched)
}
