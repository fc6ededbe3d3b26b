//! Standard output and standard error of a session without a screen. What streams must not wait for
//! the end of a line, and a reader that takes nothing must not keep a session from ending (LO-4).

use std::io::{self, ErrorKind, Write, stderr, stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::signals::{self, Signals};

/// How long a reader that takes nothing is waited for once the session is to end.
const READER_TIMEOUT: Duration = Duration::from_secs(2);

/// How often whoever waits for a reader looks whether the session is to end.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Whether this process is a session that handles signals. Any other ends by them, whatever it is
/// writing.
static IS_SESSION: AtomicBool = AtomicBool::new(false);

static OUTPUT: Mutex<Outlet> = Mutex::new(Outlet {
    write: |text| to(stdout().lock(), text),
    accepts: |length| accepts(&stdout(), length),
    writer: None,
    is_given_up: false,
});
static NOTICES: Mutex<Outlet> = Mutex::new(Outlet {
    write: |text| to(stderr().lock(), text),
    accepts: |length| accepts(&stderr(), length),
    writer: None,
    is_given_up: false,
});

/// A stream. As soon as its reader is slow, another thread writes to it, so that whoever waits for
/// it can give up.
struct Outlet {
    write: fn(&str) -> io::Result<()>,
    /// Returns whether the stream takes so many bytes without waiting for its reader.
    accepts: fn(usize) -> bool,
    writer: Option<Writer>,
    /// Whether a reader took nothing when the session was to end.
    is_given_up: bool,
}

struct Writer {
    texts: Sender<String>,
    written: Receiver<io::Result<()>>,
}

impl Writer {
    fn begin(write: fn(&str) -> io::Result<()>) -> Self {
        let (texts, queue) = channel::<String>();
        let (done, written) = channel();
        // It ends with the program: one that can't write must not keep that from ending.
        heed_signals();
        thread::spawn(move || {
            for text in queue {
                if done.send(write(&text)).is_err() {
                    return;
                }
            }
        });
        Self { texts, written }
    }
}

impl Outlet {
    /// Writes a text, and waits for it as long as the session lasts.
    fn write(&mut self, text: &str) -> io::Result<()> {
        if self.is_given_up {
            return Err(unread());
        }
        let write = self.write;
        let waits = IS_SESSION.load(Ordering::Relaxed) && !(self.accepts)(text.len());
        if !waits && self.writer.is_none() {
            return write(text);
        }
        let writer = self.writer.get_or_insert_with(|| Writer::begin(write));
        let sent = writer.texts.send(text.to_owned());
        sent.map_err(|_| io::Error::from(ErrorKind::BrokenPipe))?;
        loop {
            match writer.written.recv_timeout(POLL_INTERVAL) {
                Ok(written) => return written,
                Err(RecvTimeoutError::Disconnected) => return Err(ErrorKind::BrokenPipe.into()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if signals::first_received().is_some_and(|it| it.elapsed() > READER_TIMEOUT) {
                self.is_given_up = true;
                return Err(unread());
            }
        }
    }
}

fn unread() -> io::Error {
    io::Error::new(ErrorKind::TimedOut, "nobody reads it")
}

fn to(mut stream: impl Write, text: &str) -> io::Result<()> {
    stream.write_all(text.as_bytes())?;
    stream.flush()
}

fn write_to(outlet: &Mutex<Outlet>, text: &str) -> io::Result<()> {
    let mut outlet = outlet.lock().unwrap_or_else(PoisonError::into_inner);
    match outlet.write(text) {
        // A closed reader, such as `head`, isn't an error; a full disk is.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Writes to standard output at once: streamed text must not wait for the end of a line.
pub fn write_result(text: &str) -> io::Result<()> {
    write_to(&OUTPUT, text)
}

/// Writes to standard error. If that can't be written, there is nobody to report to.
pub(crate) fn write_notice(text: &str) {
    drop(write_to(&NOTICES, text));
}

/// Returns the text that an answer didn't arrive on standard output.
pub fn unwritten(error: &io::Error) -> String {
    format!("the answer is incomplete, because standard output can't be written to: {error}")
}

/// From now on, a reader that takes nothing keeps this process from ending only briefly once a
/// signal has arrived (LO-4). For whoever listens to signals from now on.
pub(crate) fn bound_waiting() {
    IS_SESSION.store(true, Ordering::Relaxed);
}

/// Waits for a signal apart from the session itself, which waits for a reader.
fn heed_signals() {
    thread::spawn(|| {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        // Without it, signals are handled once the reader takes something.
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async { Signals::listen().next().await });
    });
}

/// What a pipe that can be written to takes at least, in bytes.
#[cfg(unix)]
const LEAST_SPACE: usize = 4096;

#[cfg(unix)]
fn accepts(stream: &impl std::os::fd::AsFd, length: usize) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let mut streams = [PollFd::new(stream, PollFlags::OUT)];
    length <= LEAST_SPACE
        && poll(&mut streams, Some(&Timespec::default())).is_ok_and(|ready| ready == 1)
}

#[cfg(not(unix))]
fn accepts<S>(_stream: &S, _length: usize) -> bool {
    false
}
