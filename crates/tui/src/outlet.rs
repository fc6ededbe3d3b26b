//! Output to a terminal that may be slow. A separate thread writes what is drawn, so that keys are
//! handled and work continues in the meantime (TU-5).
//!
//! Before drawing, the caller checks whether the last frame has been written, and then draws the
//! current state. So at most one frame waits here, however much output there is.

use std::io::{self, Write};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use tokio::sync::Notify;

use crate::pace::Pace;

/// How much is written at once, so that the progress of a larger frame is visible.
const PIECE: usize = 16 * 1024;
/// How much is written at once to a terminal that is known to be slow.
const SMALL_PIECE: usize = 512;

/// Passes frames to the thread that writes them.
pub(crate) struct Outlet {
    frames: Sender<Vec<u8>>,
    state: Arc<Shared>,
}

/// When frames have arrived.
#[derive(Clone)]
pub(crate) struct Arrival(Arc<Shared>);

#[derive(Default)]
struct Shared {
    progress: Mutex<Progress>,
    arrived: Notify,
}

#[derive(Default)]
struct Progress {
    /// How many frames are on their way.
    frames: usize,
    /// How many bytes were written since the beginning.
    bytes: u64,
    /// How large frames may be.
    pace: Pace,
    /// Why nothing can be written any more.
    failure: Option<io::ErrorKind>,
}

impl Outlet {
    /// Begins to write to a terminal.
    pub(crate) fn new(out: impl Write + Send + 'static) -> Self {
        let (frames, queue) = channel::<Vec<u8>>();
        let state = Arc::new(Shared::default());
        let shared = Arc::clone(&state);
        // The thread ends with the sender, or with the program if the terminal accepts no more
        // output.
        thread::spawn(move || {
            let mut out = out;
            for frame in queue {
                shared.write(&mut out, &frame);
            }
        });
        Self { frames, state }
    }

    /// Returns whether the last frame hasn't arrived yet.
    pub(crate) fn is_busy(&self) -> bool {
        self.state.progress().frames > 0
    }

    /// Returns how many bytes of finished lines the next frame may have.
    pub(crate) fn share(&self) -> usize {
        self.state.progress().pace.share()
    }

    /// Returns how many bytes the terminal has accepted since the beginning.
    pub(crate) fn written(&self) -> u64 {
        self.state.progress().bytes
    }

    /// Returns what signals the arrival of a frame.
    pub(crate) fn arrival(&self) -> Arrival {
        Arrival(Arc::clone(&self.state))
    }
}

impl Arrival {
    /// Waits until a frame arrives, or has since the last call.
    pub(crate) async fn next(&self) {
        self.0.arrived.notified().await;
    }
}

impl Shared {
    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, out: &mut impl Write, frame: &[u8]) {
        let started = Instant::now();
        let size = if self.progress().pace.is_slow() {
            SMALL_PIECE
        } else {
            PIECE
        };
        for piece in frame.chunks(size) {
            let written = out.write_all(piece).and_then(|()| out.flush());
            let mut progress = self.progress();
            progress.bytes += piece.len() as u64;
            if let Err(error) = written {
                progress.failure = Some(error.kind());
                break;
            }
        }
        let mut progress = self.progress();
        progress.frames -= 1;
        progress.pace.record_frame(frame.len(), started.elapsed());
        drop(progress);
        self.arrived.notify_one();
    }
}

impl Write for Outlet {
    /// Takes a complete frame; it is written later.
    fn write(&mut self, frame: &[u8]) -> io::Result<usize> {
        let mut progress = self.state.progress();
        if let Some(failure) = progress.failure {
            return Err(failure.into());
        }
        progress.frames += 1;
        drop(progress);
        let sent = self.frames.send(frame.to_vec());
        sent.map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(frame.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

    use super::*;

    /// A terminal that accepts pieces on request.
    struct Slow(SyncSender<Vec<u8>>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let sent = self.0.send(bytes.to_vec());
            sent.map_err(|_| io::ErrorKind::BrokenPipe)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn slow() -> (Outlet, Receiver<Vec<u8>>) {
        let (sender, receiver) = sync_channel(0);
        (Outlet::new(Slow(sender)), receiver)
    }

    /// TU-5: drawing never waits for a terminal that accepts nothing; what was drawn arrives complete and in
    /// order.
    #[tokio::test]
    async fn drawing_does_not_wait_for_the_terminal() {
        let (mut outlet, terminal) = slow();
        let frame = vec![b'x'; PIECE + 1];
        outlet.write_all(&frame).unwrap();
        assert!(outlet.is_busy());
        let arrival = outlet.arrival();
        assert_eq!(terminal.recv().unwrap().len(), PIECE);
        assert_eq!(terminal.recv().unwrap().len(), 1);
        arrival.next().await;
        assert!(!outlet.is_busy());
    }

    /// TU-4: a terminal that is gone is noticed at the next frame, and nothing waits for it.
    #[tokio::test]
    async fn a_terminal_that_is_gone_is_noticed() {
        let (mut outlet, terminal) = slow();
        drop(terminal);
        outlet.write_all(b"x").unwrap();
        outlet.arrival().next().await;
        assert!(!outlet.is_busy());
        assert!(outlet.write_all(b"y").is_err());
    }
}
