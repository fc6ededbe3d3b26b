//! Reads keys, pastes and size changes on a separate thread, which can be told to pause while another
//! program uses the terminal.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crossterm::event::Event;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::painter::Size;
use crate::terminal::size_of;

/// How long the thread may take to let go of the terminal.
const LET_GO: Duration = Duration::from_secs(1);

/// Whose keys are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// Ours.
    Reading,
    /// Another program's, as soon as the thread notices.
    Asked,
    /// Another program's: the thread waits.
    Paused,
}

#[derive(Debug)]
struct Gate {
    turn: Mutex<Turn>,
    changed: Condvar,
}

impl Gate {
    fn turn(&self) -> MutexGuard<'_, Turn> {
        // It is replaced as a whole, so a poisoned lock guards nothing broken.
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits while another program has the terminal; says whether it had.
    fn pass(&self) -> bool {
        let mut turn = self.turn();
        let was_asked = *turn != Turn::Reading;
        while *turn != Turn::Reading {
            *turn = Turn::Paused;
            self.changed.notify_all();
            turn = self
                .changed
                .wait(turn)
                .unwrap_or_else(PoisonError::into_inner);
        }
        was_asked
    }
}

/// The keyboard; its channel closes when the terminal is gone.
pub(crate) struct Keys {
    events: UnboundedReceiver<Event>,
    gate: Arc<Gate>,
}

impl Keys {
    /// Begins to read. A size that is no longer the one that is `known` is told first.
    pub(crate) fn read(known: Size) -> Self {
        let (sender, events) = unbounded_channel();
        let gate = Arc::new(Gate {
            turn: Mutex::new(Turn::Reading),
            changed: Condvar::new(),
        });
        let passing = Arc::clone(&gate);
        std::thread::spawn(move || {
            // Changes of size are heard from the first look on; one before that would be missed.
            drop(crossterm::event::poll(Duration::ZERO));
            if let Ok((columns, rows)) = crossterm::terminal::size()
                && size_of(columns, rows) != known
            {
                drop(sender.send(Event::Resize(columns, rows)));
            }
            while let Ok(event) = crossterm::event::read() {
                // What woke the thread to let go of the terminal isn't a key.
                if !passing.pass() && sender.send(event).is_err() {
                    return;
                }
            }
        });
        Self { events, gate }
    }

    pub(crate) async fn next(&mut self) -> Option<Event> {
        self.events.recv().await
    }

    /// Reads no keys until [`go_on`](Self::go_on): another program has the terminal.
    pub(crate) fn pause(&self) {
        let mut turn = self.gate.turn();
        *turn = Turn::Asked;
        wake();
        // A thread that has no chance to notice takes the next key; nothing is held up by that.
        let waited = self
            .gate
            .changed
            .wait_timeout_while(turn, LET_GO, |turn| *turn == Turn::Asked);
        drop(waited);
    }

    /// Reads keys again.
    pub(crate) fn go_on(&self) {
        *self.gate.turn() = Turn::Reading;
        self.gate.changed.notify_all();
    }
}

/// Ends the wait for a key: a change of size is reported, though there is none.
#[cfg(unix)]
fn wake() {
    use rustix::process::{Signal, getpid, kill_process};
    let _ = kill_process(getpid(), Signal::WINCH);
}

#[cfg(not(unix))]
const fn wake() {}
