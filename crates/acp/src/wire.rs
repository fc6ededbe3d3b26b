//! Standard input and output as lines. Separate threads wait for them, so that nothing else has to.

use std::io::{self, BufRead as _, ErrorKind, stdin};
use std::thread;

use futures_util::{Sink, Stream, sink, stream};
use hookloop_session::output::write_result;
use tokio::sync::mpsc::{Sender, channel};
use tokio::task::spawn_blocking;

/// How many lines are read ahead of what is understood.
const READ_AHEAD: usize = 64;

/// Returns the lines of standard input, until it ends.
pub(crate) fn incoming() -> impl Stream<Item = io::Result<String>> + Send + 'static {
    let (send, lines) = channel(READ_AHEAD);
    thread::spawn(move || read_lines(&send));
    stream::unfold(lines, |mut lines| async move {
        let line = lines.recv().await?;
        Some((line, lines))
    })
}

fn read_lines(send: &Sender<io::Result<String>>) {
    let mut input = stdin().lock();
    loop {
        let mut bytes = Vec::new();
        let read = match input.read_until(b'\n', &mut bytes) {
            Ok(0) => return,
            Ok(_) => Ok(String::from_utf8_lossy(&bytes).trim_end().to_owned()),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let is_last = read.is_err();
        if send.blocking_send(read).is_err() || is_last {
            return;
        }
    }
}

/// Returns what writes lines to standard output, each before the next.
pub(crate) fn outgoing() -> impl Sink<String, Error = io::Error> + Send + 'static {
    Box::pin(sink::unfold((), |(), line: String| async move {
        let written = spawn_blocking(move || write_result(&(line + "\n"))).await;
        written.map_err(io::Error::other)?
    }))
}
