//! Runs a process until it ends by itself or is ended.

use std::io;
use std::pin::pin;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::platform::Process;
use crate::streams::Streams;

/// The grace period if somebody waits for the prompt, which must return within a second (LO-4).
pub const GRACE_OF_CANCELLED: Duration = Duration::from_millis(500);
/// How long the streams of a process that has ended are still read (IO-32).
const DRAIN: Duration = Duration::from_millis(200);
/// How long a killed process is awaited; only one that hangs in the kernel takes longer.
const AFTER_KILL: Duration = Duration::from_millis(250);
/// How soon a group whose first process has ended is checked for others again, at first and later.
const GROUP_INTERVAL: Duration = Duration::from_millis(5);
const MAX_GROUP_INTERVAL: Duration = Duration::from_millis(80);

/// What ended a process.
#[derive(Debug)]
pub enum End {
    /// It ended by itself.
    OfItself(io::Result<ExitStatus>),
    /// It was ended. The status is set if it exited when it was asked to.
    Stopped(Option<io::Result<ExitStatus>>),
}

/// Runs a process until it ends by itself. When `stop` completes, it ends the group, with the grace
/// period that `stop` returns.
///
/// It returns when the process has ended and its streams were drained. If the streams aren't closed
/// by then, something was left behind (IO-32).
///
/// ```
/// use std::process::{Command, Stdio};
/// use std::time::Duration;
/// use hookloop_process::{End, Process, Streams, run_to_end};
///
/// # #[cfg(unix)]
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// let mut command = Command::new("/bin/sh");
/// // It leaves a child behind, and doesn't end itself.
/// command.args(["-c", "echo begun; sleep 600 & sleep 600"]);
/// command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
/// let (mut process, pipes) = Process::spawn(command)?;
/// let mut streams = Some(Streams::new(pipes, &"".into(), 1 << 20));
/// let stop = async {
///     tokio::time::sleep(Duration::from_millis(200)).await;
///     Duration::from_secs(1) // what the group has to end
/// };
/// let end = run_to_end(&mut process, &mut streams, stop).await;
/// assert!(matches!(end, End::Stopped(_)));
/// assert!(!process.group().is_running());
/// # Ok(())
/// # }
/// # #[cfg(not(unix))]
/// # fn main() {}
/// ```
pub async fn run_to_end(
    process: &mut Process,
    streams: &mut Option<Streams>,
    stop: impl Future<Output = Duration>,
) -> End {
    let end = match until_exit_or_stop(process, streams, stop).await {
        Ok(status) => End::OfItself(status),
        Err(grace) => End::Stopped(terminate(process, streams, grace).await),
    };
    if let Some(streams) = streams {
        // Streams that are still open after that have leaked; the caller reports it.
        let _ = timeout(DRAIN, streams.drain()).await;
    }
    end
}

/// Waits for the end of the process, or returns the grace period with which it has to be ended.
async fn until_exit_or_stop(
    process: &mut Process,
    streams: &mut Option<Streams>,
    stop: impl Future<Output = Duration>,
) -> Result<io::Result<ExitStatus>, Duration> {
    let mut stopped = pin!(stop);
    loop {
        tokio::select! {
            // A process that ended just as it was stopped counts as ended by itself.
            biased;
            status = process.exited() => return Ok(status),
            () = serve(streams) => {}
            grace = &mut stopped => return Err(grace),
        }
    }
}

/// Serves the streams, and waits forever when nothing is left to serve.
async fn serve(streams: &mut Option<Streams>) {
    match streams {
        Some(streams) if !streams.are_done() => streams.serve().await,
        _ => std::future::pending().await,
    }
}

/// Asks the group to end, and kills what is left of it after the grace period.
async fn terminate(
    process: &mut Process,
    streams: &mut Option<Streams>,
    grace: Duration,
) -> Option<io::Result<ExitStatus>> {
    process.ask_to_end();
    let deadline = Instant::now() + grace;
    let status = exits_before(process, streams, deadline).await;
    let is_gone = status.is_some();
    let mut interval = GROUP_INTERVAL;
    while is_gone && process.group().is_running() && Instant::now() < deadline {
        tokio::select! {
            () = sleep(interval) => {}
            () = serve(streams) => {}
        }
        interval = (2 * interval).min(MAX_GROUP_INTERVAL);
    }
    process.kill();
    if !is_gone {
        exits_before(process, streams, Instant::now() + AFTER_KILL).await;
    }
    status
}

async fn exits_before(
    process: &mut Process,
    streams: &mut Option<Streams>,
    deadline: Instant,
) -> Option<io::Result<ExitStatus>> {
    let mut time_is_over = pin!(sleep_until(deadline));
    loop {
        tokio::select! {
            biased;
            status = process.exited() => return Some(status),
            () = serve(streams) => {}
            () = &mut time_is_over => return None,
        }
    }
}
