//! The terminal itself: raw mode, its keys, and what is restored in the end.

use std::convert::Infallible;
use std::io::{self, Write};
use std::sync::Once;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use crossterm::terminal;

use crate::painter::Size;

/// Requests pastes as a whole, and keys that can be distinguished (Shift+Enter).
pub(crate) const ENTER: &[u8] = b"\x1b[?2004h\x1b[>1u";
/// Reverts that, and shows the cursor.
const LEAVE: &[u8] = b"\x1b[<1u\x1b[?2004l\x1b[?25h\x1b[0m";

/// How long to wait for a terminal that accepts nothing when it is released.
const PARTING: Duration = Duration::from_millis(500);

/// The assumed size of a terminal that doesn't report one.
const USUAL_SIZE: Size = Size {
    columns: 80,
    rows: 24,
};
/// The minimum size for which the screen is drawn.
const MIN_SIZE: Size = Size {
    columns: 20,
    rows: 8,
};

/// A terminal in raw mode; it is restored when the value is dropped.
#[derive(Debug)]
pub(crate) struct RawTerminal(());

impl RawTerminal {
    /// Takes the terminal over; [`ENTER`] has to be sent to it. A panic restores it too, even if it
    /// aborts the program.
    pub(crate) fn enter() -> io::Result<Self> {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let earlier = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                restore();
                earlier(panic);
            }));
        });
        terminal::enable_raw_mode()?;
        Ok(Self(()))
    }
}

impl Drop for RawTerminal {
    fn drop(&mut self) {
        restore();
    }
}

/// Takes the terminal over again, whatever happened to it meanwhile; [`ENTER`] has to be sent to
/// it.
pub(crate) fn retake() {
    // Stopping and continuing may have changed the terminal's modes. A terminal that has gone is
    // noticed at the next frame.
    drop(terminal::disable_raw_mode());
    drop(terminal::enable_raw_mode());
}

/// Stops the program until the shell calls it back: its whole group, as the terminal does.
#[cfg(unix)]
pub(crate) fn stop() {
    let _ = rustix::process::kill_current_process_group(rustix::process::Signal::TSTP);
}

/// Nothing can be stopped here.
#[cfg(not(unix))]
pub(crate) const fn stop() {}

/// Gives the terminal back as it was (TU-4): a program that ends without dropping its
/// [`Ui`](crate::Ui) calls it.
pub fn restore() {
    // A terminal that has gone needs nothing, and one that accepts no output must not keep the
    // program from ending. Nothing is sent over the channel: it closes when everything is written.
    let (end, written) = channel::<Infallible>();
    thread::spawn(move || {
        drop(write_out(LEAVE));
        drop(end);
    });
    let Err(_) = written.recv_timeout(PARTING);
    drop(terminal::disable_raw_mode());
}

fn write_out(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// Returns standard output without a buffer that would split a frame into several writes.
pub(crate) fn output() -> io::Result<Box<dyn Write + Send>> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        let owned = io::stdout().as_fd().try_clone_to_owned()?;
        Ok(Box::new(std::fs::File::from(owned)))
    }
    #[cfg(not(unix))]
    Ok(Box::new(io::stdout()))
}

/// Returns the terminal's size.
pub(crate) fn size() -> Size {
    terminal::size().map_or(USUAL_SIZE, |(columns, rows)| size_of(columns, rows))
}

/// Converts a size; a terminal that claims to have none gets a usual one.
pub(crate) fn size_of(columns: u16, rows: u16) -> Size {
    if columns == 0 || rows == 0 {
        return USUAL_SIZE;
    }
    Size {
        columns: usize::from(columns).max(MIN_SIZE.columns),
        rows: usize::from(rows).max(MIN_SIZE.rows),
    }
}

/// The shell's call to continue.
pub(crate) struct Continued {
    #[cfg(unix)]
    calls: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Continued {
    /// Begins to listen; without the signal nothing is redrawn.
    pub(crate) fn listen() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        let kind = SignalKind::from_raw(rustix::process::Signal::CONT.as_raw());
        Self {
            calls: signal(kind).ok(),
        }
    }

    /// Waits for the next one.
    pub(crate) async fn next(&mut self) {
        match &mut self.calls {
            Some(calls) => {
                calls.recv().await;
            }
            None => std::future::pending().await,
        }
    }
}

#[cfg(not(unix))]
impl Continued {
    pub(crate) const fn listen() -> Self {
        Self {}
    }

    pub(crate) async fn next(&mut self) {
        std::future::pending().await
    }
}
