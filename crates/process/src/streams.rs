//! Serves the three streams of a program concurrently: input is written while output is read, so
//! neither side blocks the other (IO-2).

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hookloop_events::Payload;
use tokio::io::AsyncWrite;

use crate::capture::{Captured, Intake};
use crate::platform::{Pipes, Writer, begin_input};

/// How long the outputs of a hook may wait; this delays only those that fill their pipe this soon.
const UNWATCHED: Duration = Duration::from_millis(3);
/// The longest input that is written into the pipe at once.
const SHORT_INPUT: usize = 4096;

/// The streams of a running program.
#[derive(Debug)]
pub struct Streams {
    feed: Option<Feed>,
    stdout: Intake,
    stderr: Intake,
    is_watched: bool,
    first_line: Option<FirstLine>,
    watch: Option<Watch>,
}

/// Receives all that was read of standard output, and returns whether that is the expected output.
type SeesOutput = dyn FnMut(&[u8]) -> bool + Send;

/// The watcher of standard output, with how much of it was shown to it.
struct Watch {
    sees: Box<SeesOutput>,
    shown: usize,
}

impl fmt::Debug for Watch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Watch").finish_non_exhaustive()
    }
}

/// Takes what may be the first line of standard output, and tells whether it is what was waited
/// for.
type TakesLine = dyn FnMut(&[u8]) -> bool + Send;

/// The callback that waits for the first line of standard output.
struct FirstLine(Box<TakesLine>);

impl fmt::Debug for FirstLine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("FirstLine").finish_non_exhaustive()
    }
}

/// The part of the input that didn't fit into the pipe at once.
#[derive(Debug)]
struct Feed {
    writer: Writer,
    input: Payload,
    written: usize,
}

impl Streams {
    /// Starts to serve the pipes of a process.
    pub fn new(pipes: Pipes, input: &Payload, cap: usize) -> Self {
        let feed =
            pipes
                .stdin
                .and_then(|stdin| begin_input(stdin, input))
                .map(|(writer, written)| Feed {
                    writer,
                    input: input.clone(),
                    written,
                });
        Self {
            feed,
            stdout: Intake::new(pipes.stdout, cap),
            stderr: Intake::new(pipes.stderr, cap),
            // A hook that reads a lot may write a lot meanwhile.
            is_watched: input.len() > SHORT_INPUT,
            first_line: None,
            watch: None,
        }
    }

    /// Passes on all that was read of standard output each time there is more, until the watcher
    /// accepts it.
    #[must_use]
    pub(crate) fn with_watch(mut self, sees: impl FnMut(&[u8]) -> bool + Send + 'static) -> Self {
        self.watch = Some(Watch {
            sees: Box::new(sees),
            shown: 0,
        });
        self
    }

    /// Calls `takes` with the first line of standard output as soon as it arrives. It is also
    /// called with an incomplete line that ends with `}`, until `takes` accepts a line.
    #[must_use]
    pub fn with_first_line(mut self, takes: impl FnMut(&[u8]) -> bool + Send + 'static) -> Self {
        self.first_line = Some(FirstLine(Box::new(takes)));
        self
    }

    /// Returns whether everything was written and read.
    pub fn are_done(&self) -> bool {
        self.feed.is_none() && self.are_read()
    }

    /// Returns whether both outputs were read to their end.
    pub fn are_read(&self) -> bool {
        self.stdout.is_closed() && self.stderr.is_closed()
    }

    /// Serves the streams until all of them have ended. The future may be dropped without losing
    /// anything.
    ///
    /// The outputs of a hook with little input aren't read for a moment: most such hooks have ended
    /// by then, and their outputs are read at once, without waking a task for each.
    pub async fn serve(&mut self) {
        if !self.is_watched {
            tokio::time::sleep(UNWATCHED).await;
            self.is_watched = true;
        }
        poll_fn(|context| {
            let fed = self.poll_feed(context);
            let read = self.poll_read(context);
            ready!(fed);
            read
        })
        .await;
    }

    /// Closes the input, and reads the outputs to their end. The future may be dropped without
    /// losing anything.
    pub async fn drain(&mut self) {
        self.feed = None;
        poll_fn(|context| self.poll_read(context)).await;
    }

    /// Returns the captured standard output and standard error.
    pub fn into_captured(self) -> (Captured, Captured) {
        (self.stdout.into_captured(), self.stderr.into_captured())
    }

    fn poll_read(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let stdout = self.stdout.poll_to_end(context);
        self.tell_first_line();
        self.show();
        let stderr = self.stderr.poll_to_end(context);
        ready!(stdout);
        stderr
    }

    fn show(&mut self) {
        let kept = self.stdout.bytes();
        if let Some(watch) = &mut self.watch
            && kept.len() > watch.shown
        {
            watch.shown = kept.len();
            if (watch.sees)(kept) {
                self.watch = None;
            }
        }
    }

    fn tell_first_line(&mut self) {
        let Some(FirstLine(takes)) = &mut self.first_line else {
            return;
        };
        let kept = self.stdout.bytes();
        let end = kept.iter().position(|byte| *byte == b'\n');
        let line = &kept[..end.unwrap_or(kept.len())];
        let is_told = end.is_some() || line.ends_with(b"}");
        if is_told && takes(line) || end.is_some() {
            self.first_line = None;
        }
    }

    fn poll_feed(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while let Some(feed) = &mut self.feed {
            let rest = feed.input.piece_after(feed.written);
            if rest.is_empty() {
                self.feed = None;
                break;
            }
            match ready!(Pin::new(&mut feed.writer).poll_write(context, rest)) {
                Ok(length) if length > 0 => feed.written += length,
                // The hook closed its input, which it may do.
                _ => self.feed = None,
            }
        }
        Poll::Ready(())
    }
}
