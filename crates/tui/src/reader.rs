//! Reads keys, pastes and size changes on a separate thread, which can be told to pause while
//! another program uses the terminal.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyModifiers};
use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::ground::{Listener, TerminalInput};
use crate::painter::Size;
use crate::terminal::size_of;

/// How long the thread may take to release the terminal.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(1);

/// The interval for checking whether an answer came.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

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

    /// Waits while another program has the terminal; returns whether it had.
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
    heard: UnboundedReceiver<TerminalInput>,
    gate: Arc<Gate>,
}

impl Keys {
    /// Begins to read. If the size differs from `known`, that is reported first. Ctrl-C is also
    /// reported to `interrupted`.
    pub(crate) fn read(known: Size, interrupted: fn()) -> Self {
        let (sender, heard) = unbounded_channel();
        let gate = Arc::new(Gate {
            turn: Mutex::new(Turn::Reading),
            changed: Condvar::new(),
        });
        let passing = Arc::clone(&gate);
        std::thread::spawn(move || {
            // Resizes are noticed only after the first poll; an earlier one would be missed.
            drop(crossterm::event::poll(Duration::ZERO));
            if let Ok((columns, rows)) = crossterm::terminal::size()
                && size_of(columns, rows) != known
            {
                drop(sender.send(TerminalInput::Event(Event::Resize(columns, rows))));
            }
            let mut listener = Listener::default();
            while let Ok(event) = crossterm::event::read() {
                // The event that woke the thread to release the terminal isn't a key.
                if passing.pass() {
                    continue;
                }
                for heard in listener.take(event, Instant::now()) {
                    if is_interrupt(&heard) {
                        interrupted();
                    }
                    if sender.send(heard).is_err() {
                        return;
                    }
                }
            }
        });
        Self { heard, gate }
    }

    pub(crate) async fn next(&mut self) -> Option<TerminalInput> {
        self.heard.recv().await
    }

    /// Waits for the terminal's answer about its background, as long as it may take, and returns
    /// whether it came; the keys before it don't matter any more.
    pub(crate) fn await_ground(&mut self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        while Instant::now() < deadline {
            match self.heard.try_recv() {
                Ok(TerminalInput::Ground(_)) => return true,
                Err(TryRecvError::Disconnected) => return false,
                Ok(TerminalInput::Event(_)) => {}
                Err(TryRecvError::Empty) => std::thread::sleep(POLL_INTERVAL),
            }
        }
        false
    }

    /// Reads no keys until [`go_on`](Self::go_on): another program has the terminal.
    pub(crate) fn pause(&self) {
        let mut turn = self.gate.turn();
        *turn = Turn::Asked;
        wake();
        // A thread that can't notice takes the next key, but doesn't block anything.
        let waited = self
            .gate
            .changed
            .wait_timeout_while(turn, RELEASE_TIMEOUT, |turn| *turn == Turn::Asked);
        drop(waited);
    }

    /// Reads keys again.
    pub(crate) fn go_on(&self) {
        *self.gate.turn() = Turn::Reading;
        self.gate.changed.notify_all();
    }
}

fn is_interrupt(heard: &TerminalInput) -> bool {
    let TerminalInput::Event(Event::Key(key)) = heard else {
        return false;
    };
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    key.is_press() && is_control && key.code == KeyCode::Char('c')
}

/// Ends the wait for a key: a change of size is reported, though there is none.
#[cfg(unix)]
fn wake() {
    use rustix::process::{Signal, getpid, kill_process};
    let _ = kill_process(getpid(), Signal::WINCH);
}

#[cfg(not(unix))]
const fn wake() {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::styled::Palette;

    /// TU-5, LO-4: the screen waits for an answer of the terminal that is still on its way, so that
    /// the shell doesn't get it, but for one that never comes no longer than it may take.
    #[test]
    fn an_answer_on_its_way_is_waited_for() {
        let (sender, heard) = unbounded_channel();
        let gate = Arc::new(Gate {
            turn: Mutex::new(Turn::Reading),
            changed: Condvar::new(),
        });
        let mut keys = Keys { heard, gate };
        assert!(!keys.await_ground(Duration::from_millis(1)));
        let answering = std::thread::spawn(move || {
            for heard in [
                TerminalInput::Event(Event::Key(KeyCode::Enter.into())),
                TerminalInput::Ground(Palette::Light),
                TerminalInput::Event(Event::FocusGained),
            ] {
                sender.send(heard).unwrap();
            }
            sender
        });
        assert!(keys.await_ground(Duration::from_hours(1)));
        let sender = answering.join().unwrap();
        assert_eq!(
            keys.heard.try_recv(),
            Ok(TerminalInput::Event(Event::FocusGained))
        );
        drop(sender);
        // Without a terminal, this doesn't wait.
        assert!(!keys.await_ground(Duration::from_hours(1)));
    }
}
