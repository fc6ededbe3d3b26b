//! Ends a session that can't end itself (LO-4): its thread hangs in a call that never returns, such
//! as one to a file system that doesn't answer. No task of the session runs then, so a separate
//! thread listens too. It asks the session's thread for a sign of life, and ends the program only
//! if none comes.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use tokio::sync::Notify;

use crate::exit::CANCELLED;
use crate::notices;
use crate::signals::{Received, Signals};

/// How often, and at what interval, a sign of life is looked for. Several short waits, because a
/// machine that is busy delays both threads.
const LOOKS: u32 = 7;
const INTERVAL: Duration = Duration::from_millis(200);

/// How many times Ctrl-C has to be pressed: the first one only cancels.
const INTERRUPTS: u32 = 2;

/// How long the report may take.
const PARTING: Duration = Duration::from_millis(200);

const HUNG: &str = "The session hung in a call that doesn't return, for example to a file system that doesn't answer, and was \
                    ended: what it ran was killed, and `SessionEnd` hooks didn't run.";

/// Whether a session is watched.
static IS_WATCHING: AtomicBool = AtomicBool::new(false);
/// How often Ctrl-C was pressed on a terminal that sends no signal for it.
static PRESSED: AtomicU32 = AtomicU32::new(0);
static WAS_PRESSED: Notify = Notify::const_new();

/// Records that Ctrl-C was pressed.
#[cfg(feature = "terminal")]
pub(crate) fn interrupted() {
    PRESSED.fetch_add(1, Ordering::Relaxed);
    WAS_PRESSED.notify_one();
}

/// How the session's thread shows that it isn't stuck.
#[derive(Debug, Default)]
struct Pulse {
    wanted: Notify,
    beats: AtomicU32,
}

/// Begins to watch the thread that runs the current runtime. If it hangs when the session is to
/// end, `restore` is called, and the program ends with everything that it runs. It has no effect
/// outside a runtime.
pub fn begin(restore: fn()) {
    if tokio::runtime::Handle::try_current().is_err() || IS_WATCHING.swap(true, Ordering::Relaxed) {
        return;
    }
    let pulse = Arc::new(Pulse::default());
    let beating = Arc::clone(&pulse);
    tokio::spawn(async move {
        loop {
            beating.wanted.notified().await;
            beating.beats.fetch_add(1, Ordering::Relaxed);
        }
    });
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        // Without it, only a session that doesn't hang can be ended.
        let Ok(runtime) = runtime else { return };
        runtime.block_on(watch(&pulse));
        restore();
        #[cfg(unix)]
        hookloop_process::kill_running();
        report();
        std::process::exit(i32::from(CANCELLED));
    });
}

/// Reports what was left out. A terminal that takes nothing must not keep the program from ending.
fn report() {
    let (end, written) = channel::<Infallible>();
    thread::spawn(move || {
        notices::print(HUNG);
        drop(end);
    });
    let Err(_) = written.recv_timeout(PARTING);
}

/// Returns once the session is to end and its thread hangs.
async fn watch(pulse: &Pulse) {
    let mut signals = Signals::listen();
    let mut interrupts = 0;
    let mut is_ending = false;
    loop {
        tokio::select! {
            received = signals.recv() => match received {
                Received::End => is_ending = true,
                Received::Interrupt => interrupts += 1,
            },
            () = WAS_PRESSED.notified() => {}
            // A session that is ending may get stuck later.
            () = tokio::time::sleep(INTERVAL), if is_ending => {}
        }
        interrupts += PRESSED.swap(0, Ordering::Relaxed);
        if lives(pulse, &mut signals, &mut interrupts, &mut is_ending).await {
            interrupts = 0;
        } else if is_ending || interrupts >= INTERRUPTS {
            return;
        }
    }
}

/// Returns whether the session's thread shows a sign of life soon; what is received meanwhile is
/// counted.
async fn lives(
    pulse: &Pulse,
    signals: &mut Signals,
    interrupts: &mut u32,
    is_ending: &mut bool,
) -> bool {
    let before = pulse.beats.load(Ordering::Relaxed);
    pulse.wanted.notify_one();
    let mut looks = 0;
    while looks < LOOKS {
        tokio::select! {
            received = signals.recv() => match received {
                Received::End => *is_ending = true,
                Received::Interrupt => *interrupts += 1,
            },
            () = tokio::time::sleep(INTERVAL) => looks += 1,
        }
        if pulse.beats.load(Ordering::Relaxed) != before {
            return true;
        }
    }
    *interrupts += PRESSED.swap(0, Ordering::Relaxed);
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LO-4: a thread that shows a sign of life is left alone, and one that shows none isn't
    /// mistaken for it.
    #[tokio::test]
    async fn only_a_thread_that_hangs_shows_no_sign_of_life() {
        let mut signals = Signals::listen();
        let (mut interrupts, mut is_ending) = (0, false);
        let pulse = Arc::new(Pulse::default());
        assert!(!lives(&pulse, &mut signals, &mut interrupts, &mut is_ending).await);
        let beating = Arc::clone(&pulse);
        tokio::spawn(async move {
            loop {
                beating.wanted.notified().await;
                beating.beats.fetch_add(1, Ordering::Relaxed);
            }
        });
        assert!(lives(&pulse, &mut signals, &mut interrupts, &mut is_ending).await);
    }
}
