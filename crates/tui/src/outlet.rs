//! Output to a terminal that may be slow. A separate thread writes what is drawn, so that keys are
//! handled and work continues in the meantime (TU-5).
//!
//! Before drawing, the caller checks whether the last frame has been written, and then draws the
//! current state. So at most one frame waits here, however much output there is. It counts as
//! written once little of it is in the buffers between this program and the screen.

use std::io::{self, Write};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use tokio::sync::Notify;

use crate::ground;
use crate::pace::Pace;
use crate::transit::Transit;

/// How much is written at once, so that the progress of a larger frame is visible.
const PIECE: usize = 16 * 1024;
/// How much is written at once to a terminal that is known to be slow.
const SMALL_PIECE: usize = 512;

/// Passes frames to the thread that writes them.
pub(crate) struct Outlet {
    frames: Sender<Vec<u8>>,
    state: Arc<Shared>,
}

/// Whether what is sent is a question.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asking {
    Asked,
    NotYet,
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
    /// What was written and may not be on the screen.
    transit: Transit,
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

    /// Returns whether the last frame hasn't arrived yet, except for a part that the terminal shows
    /// at once.
    pub(crate) fn is_busy(&self) -> bool {
        let mut progress = self.state.progress();
        let pace = progress.pace;
        progress.frames > 0 || progress.transit.is_full(pace, Instant::now())
    }

    /// Returns whether nothing is on its way: no frame, and no answer of the terminal.
    pub(crate) fn is_settled(&self) -> bool {
        let mut progress = self.state.progress();
        progress.frames == 0 && !progress.transit.is_asking(Instant::now())
    }

    /// Lets the terminal be asked if it turns out to be slow.
    pub(crate) fn allow_questions(&self) {
        self.state.progress().transit.allow_questions();
    }

    /// Returns whether the terminal is known to take little.
    pub(crate) fn is_slow(&self) -> bool {
        self.state.progress().pace.is_slow()
    }

    /// Returns whether it isn't known whether the terminal is slow or was only stopped.
    pub(crate) fn is_unsure(&self) -> bool {
        self.state.progress().transit.is_unsure()
    }

    /// Returns how many bytes were handed over, if nothing is known about the terminal's speed.
    pub(crate) fn untested(&self) -> Option<u64> {
        self.state.progress().transit.untested()
    }

    /// Asks the terminal for its background, and so whether it answers.
    pub(crate) fn ask(&mut self) -> io::Result<()> {
        self.send(ground::QUESTION.to_vec(), Asking::Asked)
    }

    /// Lets the terminal report when everything has arrived, if it does such a thing.
    pub(crate) fn ask_for_arrival(&mut self) -> io::Result<()> {
        if self.state.progress().transit.can_ask() {
            return self.ask();
        }
        Ok(())
    }

    /// Records that the terminal has answered.
    pub(crate) fn answered(&self) {
        let mut progress = self.state.progress();
        let Progress { transit, pace, .. } = &mut *progress;
        transit.answered(pace, Instant::now());
        drop(progress);
        self.state.arrived.notify_one();
    }

    /// Returns how many bytes of finished lines the next frame may have.
    pub(crate) fn share(&self) -> usize {
        self.state.progress().pace.share()
    }

    /// Returns how many bytes the terminal has accepted since the beginning, as far as that is
    /// known.
    pub(crate) fn written(&self) -> u64 {
        let progress = self.state.progress();
        progress.transit.arrived().unwrap_or(progress.bytes)
    }

    /// Returns what signals the arrival of a frame.
    pub(crate) fn arrival(&self) -> Arrival {
        Arrival(Arc::clone(&self.state))
    }

    fn send(&self, mut frame: Vec<u8>, asking: Asking) -> io::Result<()> {
        let mut progress = self.state.progress();
        if let Some(failure) = progress.failure {
            return Err(failure.into());
        }
        progress.frames += 1;
        let Progress { transit, pace, .. } = &mut *progress;
        transit.hand_over(frame.len());
        if asking == Asking::Asked {
            transit.ask(Instant::now());
        } else if transit.has_to_ask(*pace) {
            frame.extend(ground::QUESTION);
            transit.hand_over(ground::QUESTION.len());
            transit.ask(Instant::now());
        }
        drop(progress);
        let sent = self.frames.send(frame);
        sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
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
        let Progress { transit, pace, .. } = &mut *progress;
        transit.wrote(pace, frame.len(), started.elapsed(), Instant::now());
        drop(progress);
        self.arrived.notify_one();
    }
}

impl Write for Outlet {
    /// Takes a complete frame; it is written later.
    fn write(&mut self, frame: &[u8]) -> io::Result<usize> {
        self.send(frame.to_vec(), Asking::NotYet)?;
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

    /// TU-5: drawing never waits for a terminal that accepts nothing; what was drawn arrives
    /// complete and in order.
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
