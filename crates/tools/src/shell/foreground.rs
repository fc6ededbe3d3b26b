//! Runs a command until it ends or is cancelled (TO-2).

use std::io;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use hookloop_process::{GRACE_OF_CANCELLED, Process};
use tokio::time::Instant;

use super::capture::{Capture, KEPT_BYTES};
use super::stream::Stream;
use crate::RunContext;

/// How long to wait for the output if the command has exited but something keeps its output open.
const DRAIN: Duration = Duration::from_millis(200);

/// How long dying descendants are given before they count as left running.
const SETTLE: Duration = Duration::from_millis(50);

/// How long a killed command is awaited; only one that hangs in the kernel takes longer.
const AFTER_KILL: Duration = Duration::from_millis(250);

/// How a command ended.
pub(crate) enum Ending {
    /// It exited, or was killed by a signal from elsewhere.
    Exited(ExitStatus),
    /// The call was cancelled, and the command's processes were ended.
    Cancelled,
    /// It wrote nothing for this long, and its processes were ended.
    Silent(Duration),
}

/// A command that ended.
pub(crate) struct Finished {
    pub(crate) ending: Ending,
    /// What it wrote, capped.
    pub(crate) text: String,
    /// The id of its process and group.
    pub(crate) pid: u32,
    /// What is still running in its group.
    pub(crate) rest: Option<Rest>,
    /// Who else still keeps its output open.
    pub(crate) output: OutputEnd,
}

/// The state of a finished command's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputEnd {
    /// All of it was read.
    Closed,
    /// Somebody still keeps it open and may write more.
    HeldOpen,
}

/// Processes that a command left running.
pub(crate) struct Rest {
    pub(crate) process: Process,
    /// Their output, if it isn't written to a file. Without a reader their next write would end
    /// them.
    pub(crate) output: Option<Stream>,
}

impl Rest {
    /// Takes what is left of the group of a command that exited, if anything.
    pub(crate) fn of(mut process: Process, output: Option<Stream>) -> Option<Self> {
        if process.is_alive() {
            return Some(Self { process, output });
        }
        process.release();
        None
    }
}

/// A running command; dropping it ends its whole group.
struct Running<'a> {
    process: Process,
    stream: Stream,
    capture: Capture,
    is_open: bool,
    context: &'a RunContext<'a>,
}

/// Runs a command, which may be silent for a limited time, if that is limited; dropping the future
/// ends the command's whole group.
pub(crate) async fn run(
    mut command: Command,
    longest_silence: Option<Duration>,
    context: &RunContext<'_>,
) -> io::Result<Finished> {
    let mut stream = Stream::prepare(&mut command)?;
    // The command is dropped there, and with it this process's copies of the output's writing end.
    let (process, pipes) = Process::spawn(command)?;
    let pid = process.id();
    stream.connect(pipes);
    let mut running = Running {
        process,
        stream,
        capture: Capture::default(),
        is_open: true,
        context,
    };
    let ending = running.until_exit(longest_silence).await?;
    if !matches!(ending, Ending::Exited(_)) {
        running.end().await;
    }
    running.drain().await;
    let text = running.capture.text();
    let output = if running.is_open {
        OutputEnd::HeldOpen
    } else {
        OutputEnd::Closed
    };
    let rest = match ending {
        Ending::Exited(_) => {
            running.process.is_gone_within(SETTLE).await;
            Rest::of(running.process, Some(running.stream))
        }
        // Its group was killed, and has ended or is about to.
        Ending::Cancelled | Ending::Silent(_) => None,
    };
    Ok(Finished {
        ending,
        text,
        pid,
        rest,
        output,
    })
}

impl Running<'_> {
    /// Reads output until the command exits, the call is cancelled, or the command has been silent
    /// too long.
    async fn until_exit(&mut self, longest_silence: Option<Duration>) -> io::Result<Ending> {
        loop {
            let silence = async {
                match longest_silence {
                    Some(longest) => {
                        tokio::time::sleep(longest).await;
                        longest
                    }
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = self.context.cancel.cancelled() => return Ok(Ending::Cancelled),
                status = self.process.exited() => return status.map(Ending::Exited),
                piece = self.stream.piece(), if self.is_open => {
                    self.is_open = take(&mut self.capture, piece, self.context) > 0;
                }
                longest = silence => return Ok(Ending::Silent(longest)),
            }
        }
    }

    /// Ends the group: politely, and after the grace period by force. Output is read all the while.
    async fn end(&mut self) {
        self.process.ask_to_end();
        let deadline = Instant::now() + GRACE_OF_CANCELLED;
        while self.process.is_alive() && Instant::now() < deadline {
            tokio::select! {
                piece = self.stream.piece(), if self.is_open => {
                    self.is_open = take(&mut self.capture, piece, self.context) > 0;
                }
                () = tokio::time::sleep(Duration::from_millis(10)) => {}
            }
        }
        self.process.kill();
        self.process.is_gone_within(AFTER_KILL).await;
    }

    /// Reads what the command left in its output, without waiting long for others who keep it open.
    async fn drain(&mut self) {
        let deadline = Instant::now() + DRAIN;
        let mut read = 0;
        // Output in the pipe was written before the exit, and counts, however slow the machine is.
        while self.is_open && (read <= KEPT_BYTES || Instant::now() < deadline) {
            let Ok(piece) = tokio::time::timeout_at(deadline, self.stream.piece()).await else {
                return;
            };
            let length = take(&mut self.capture, piece, self.context);
            self.is_open = length > 0;
            read += length;
        }
    }
}

/// Keeps and streams a piece; returns its length, which is 0 at the end.
fn take(capture: &mut Capture, piece: io::Result<&[u8]>, context: &RunContext<'_>) -> usize {
    // A broken pipe counts as the end of the output.
    let piece = piece.unwrap_or_default();
    let text = capture.push(piece);
    if !text.is_empty() {
        (context.progress)(&text);
    }
    piece.len()
}
