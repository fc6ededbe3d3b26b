//! Waiting for the terminal to take what was said. A terminal that takes nothing keeps nobody: not
//! another program that is to use it, and not the end of the session (LO-4).

use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

use crate::lines::Awaited;
use crate::message::Message;
use crate::painter::Live;
use crate::ui::{Ui, WakeCause};
use crate::view::Leave;

/// How long a terminal may take nothing at all before another program gets it.
const BEFORE_OTHERS: Duration = Duration::from_secs(20);
/// The same when the user leaves.
const BEFORE_LEAVING: Duration = Duration::from_millis(1500);
/// How long a terminal is waited for altogether when a signal has ended the session, or the user
/// wants to leave at once.
const AT_ONCE: Duration = Duration::from_millis(250);

/// What the terminal is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Before {
    /// The session continues.
    More,
    /// The session ends.
    End,
}

impl Ui {
    /// Shows what was said so far, as long as the terminal accepts anything and nobody wants to
    /// leave.
    pub async fn flush(&mut self) {
        self.settle(Before::More).await;
    }

    /// Waits until what was said is on the terminal. Ctrl+C ends the wait for one that takes
    /// nothing if the session is to end anyway.
    pub(super) async fn settle(&mut self, before: Before) {
        let started = Instant::now();
        let mut latest = (self.front.written(), started);
        self.draw(Live::default(), Awaited::Nothing);
        while !self.front.is_settled() || self.front.is_busy() || self.view.scrollback.bytes() > 0 {
            let now = Instant::now();
            let written = self.front.written();
            if self.stuck_at == Some(written) {
                // A terminal that took nothing isn't waited for again before it takes something.
                return;
            }
            if written != latest.0 {
                latest = (written, now);
            }
            let limit = match (self.leave, before) {
                (Some(Leave::Terminated), _) => AT_ONCE.saturating_sub(started.elapsed()),
                (Some(_), _) | (None, Before::End) => {
                    BEFORE_LEAVING.saturating_sub(latest.1.elapsed())
                }
                (None, Before::More) => BEFORE_OTHERS.saturating_sub(latest.1.elapsed()),
            };
            if limit.is_zero() {
                self.stuck_at = Some(written);
                return;
            }
            if !self.front.is_busy() {
                if self.leave.is_some() {
                    // Whoever leaves gets what was drawn, and doesn't wait for more.
                    return;
                }
                self.draw(Live::default(), Awaited::Nothing);
            }
            self.attend(before, limit).await;
        }
    }

    /// Waits until the terminal takes something, the time is over, or somebody wants to leave.
    async fn attend(&mut self, before: Before, limit: Duration) {
        self.is_behind = true;
        let woken = if self.leave == Some(Leave::Terminated) {
            // The terminal may be gone, and has no keys then.
            tokio::select! {
                () = self.arrival.next() => WakeCause::Time,
                () = tokio::time::sleep(limit) => WakeCause::Time,
            }
        } else {
            self.wait(limit).await
        };
        if before == Before::End && is_interrupt(&woken) {
            self.leave = Some(Leave::Terminated);
            return;
        }
        let act = self.handle(woken);
        self.act_later(act);
    }
}

fn is_interrupt(woken: &WakeCause) -> bool {
    match woken {
        WakeCause::Message(Some(Message::Interrupted)) => true,
        WakeCause::Event(Some(Event::Key(KeyEvent {
            code: KeyCode::Char('c'),
            modifiers,
            ..
        }))) => modifiers.contains(KeyModifiers::CONTROL),
        _ => false,
    }
}
