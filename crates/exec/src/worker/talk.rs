//! One process of a worker, from its start to its end.

mod at_once;
mod errors;
mod open;
mod parts;

use std::collections::VecDeque;
use std::future::{pending, poll_fn};
use std::process::ExitStatus;
use std::task::{Context, Poll};
use std::time::Duration;

use hookloop_engine::{Captured, Completion, Ending, StopCause, StopSignal};
use hookloop_process::{Exit, GRACE, GRACE_OF_CANCELLED, Process, Reader, Writer, writer};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use at_once::Pace;
use errors::read_errors;
use open::{Ids, Open};

use super::frames::{Frame, Greeting, WorkerMessage, cancellation, shortened};
use super::lines::Lines;
use super::{Job, Recipe, answer, unasked_completion};

/// How long a worker may take to greet (HT-10).
const GREETING: Duration = Duration::from_secs(10);
/// How long a worker may take to end once it has nothing more to read.
const LEAVING: Duration = Duration::from_millis(500);
/// How long reading continues for what a worker wrote before its end.
const DRAIN: Duration = Duration::from_millis(200);
/// How many lines and bytes that aren't answers are tolerated in a worker's life.
const MAX_STRAY_LINES: u64 = 1000;
const MAX_STRAY_BYTES: u64 = 1024 * 1024;
/// What is around the longest reply in its frame.
const FRAME_ROOM: usize = 4096;

/// How a life ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parting {
    /// It was idle, or nobody can ask any more.
    Agreed,
    /// It died, couldn't start, or was ended because it can't be relied on.
    Broken,
}

/// A worker that runs, with what it was asked.
pub(super) struct Talk {
    process: Process,
    input: Option<Writer>,
    output: Reader,
    errors: Option<Reader>,
    lines: Lines,
    error_bytes: Vec<u8>,
    outgoing: VecDeque<u8>,
    /// How much was queued for writing in total.
    queued: u64,
    open: Vec<Open>,
    waiting: VecDeque<Job>,
    concurrency: usize,
    ids: Ids,
    pace: Pace,
    /// What it said without being asked, as far as it hasn't been reported yet.
    remarks: Vec<String>,
    stray_lines: u64,
    stray_bytes: u64,
    last_words: Vec<u8>,
    /// Whether it ended by itself with the exit code of a refusal.
    refuses: bool,
    /// Whether it has been reported why it isn't reliable.
    is_told: bool,
}

/// What happened next.
enum Next {
    Asked(Option<Job>),
    Wrote(bool),
    Read(usize),
    Erred(usize),
    Exited(std::io::Result<ExitStatus>),
    Stopped,
    GraceOver,
    Idle,
}

impl Talk {
    /// Starts a worker for a job and continues with those that follow, until it ends or is ended.
    /// What hasn't been reported yet, from this life or the one before, is in `untold`.
    pub(super) async fn hold(
        recipe: &Recipe,
        first: Job,
        jobs: &mut mpsc::UnboundedReceiver<Job>,
        untold: &mut Vec<String>,
    ) -> Parting {
        let mut talk = match Self::start(recipe) {
            Ok(talk) => Self {
                remarks: std::mem::take(untold),
                ..talk
            },
            Err(why) => {
                answer(first, Completion::not_started(why));
                return Parting::Broken;
            }
        };
        match talk.greeting(&first.stop).await {
            Ok(greeting) => talk.concurrency = greeting.concurrency,
            Err(mut completion) => {
                completion.remarks.append(&mut talk.remarks);
                let is_stopped = completion.ending == Ending::Stopped;
                if is_stopped {
                    talk.end(Duration::ZERO).await;
                    answer(first, completion);
                } else {
                    // The caller is answered at once, before the program's grace period.
                    answer(first, completion);
                    talk.end(Duration::ZERO).await;
                }
                // A worker that was cancelled during its start hasn't broken the protocol.
                return if is_stopped {
                    Parting::Agreed
                } else {
                    Parting::Broken
                };
            }
        }
        talk.waiting.push_back(first);
        let parting = talk.go_on(recipe.idle, jobs).await;
        untold.append(&mut talk.remarks);
        parting
    }

    fn start(recipe: &Recipe) -> Result<Self, String> {
        if !recipe.folder.is_dir() {
            let folder = recipe.folder.display();
            return Err(format!("the working directory {folder} can't be entered"));
        }
        let started = Process::spawn(recipe.command()).and_then(|(process, pipes)| {
            let missing = || std::io::Error::other("it has no pipes");
            let input = writer(pipes.stdin.ok_or_else(missing)?)?;
            let output = pipes.stdout.ok_or_else(missing)?;
            Ok((process, input, output, pipes.stderr))
        });
        let (process, input, output, errors) =
            started.map_err(|error| format!("{} failed: {error}", recipe.program.display()))?;
        Ok(Self {
            process,
            input: Some(input),
            output,
            errors,
            lines: Lines::default(),
            error_bytes: Vec::new(),
            outgoing: VecDeque::new(),
            queued: 0,
            open: Vec::new(),
            waiting: VecDeque::new(),
            concurrency: 1,
            ids: Ids::default(),
            pace: Pace::default(),
            remarks: Vec::new(),
            stray_lines: 0,
            stray_bytes: 0,
            last_words: Vec::new(),
            refuses: false,
            is_told: false,
        })
    }

    /// Waits for the greeting; the error is the result of the event that waits for it.
    async fn greeting(&mut self, stop: &StopSignal) -> Result<Greeting, Completion> {
        let deadline = Instant::now() + GREETING;
        loop {
            if let Some(line) = self.lines.next() {
                return Greeting::read(&line.text).map_err(Completion::not_started);
            }
            let why = tokio::select! {
                biased;
                () = stop.stopped() => return Err(match stop.cause() {
                    // A worker that hasn't sent its greeting has looked at nothing (IO-21).
                    Some(StopCause::TimedOut) => {
                        let why = "no greeting came before the hook's timeout".to_owned();
                        Completion::not_started(self.with_last_words(why))
                    }
                    Some(StopCause::Cancelled) | None => Completion::ended(Ending::Stopped),
                }),
                read = self.output.read_buf(self.lines.buffer()) => match read {
                    Ok(length) if length > 0 && self.lines.open() <= FRAME_ROOM => continue,
                    Ok(length) if length > 0 => "its first line is endless".to_owned(),
                    _ => format!("it {} without a greeting", self.how_it_ended("closed its output").await),
                },
                read = read_errors(&mut self.errors, &mut self.error_bytes) => {
                    self.keep_errors(read);
                    continue;
                }
                () = sleep_until(deadline) => {
                    format!("no greeting came within {} s", GREETING.as_secs())
                }
            };
            return Err(Completion::not_started(self.with_last_words(why)));
        }
    }

    /// Serves jobs until the worker ends or is ended.
    async fn go_on(&mut self, idle: Duration, jobs: &mut mpsc::UnboundedReceiver<Job>) -> Parting {
        let mut since = Instant::now();
        loop {
            self.ask_next();
            if let Err(why) = self.take_early() {
                self.break_off(&why).await;
                return Parting::Broken;
            }
            let broken = match self.next(jobs, since + idle).await {
                Next::Asked(Some(job)) => {
                    self.waiting.push_back(job);
                    Ok(())
                }
                Next::Asked(None) | Next::Idle => {
                    self.leave().await;
                    return Parting::Agreed;
                }
                // The worker reads no more input, but its answers to what it has read still count.
                Next::Wrote(false) => {
                    self.input = None;
                    self.outgoing.clear();
                    if self.open.iter().all(Open::was_asked) {
                        Ok(())
                    } else {
                        let how = self.how_it_ended("closed its input").await;
                        Err(self.finish(&how))
                    }
                }
                Next::Wrote(true) => {
                    self.note_asked();
                    if self.is_answered_at_once().await {
                        self.take_read().await
                    } else {
                        Ok(())
                    }
                }
                Next::Read(0) => {
                    let how = self.how_it_ended("closed its output").await;
                    Err(self.finish(&how))
                }
                Next::Read(_) => {
                    self.pace.note_read();
                    self.take_read().await
                }
                Next::Erred(length) => {
                    self.keep_errors(length);
                    Ok(())
                }
                Next::Exited(status) => {
                    self.drain().await;
                    self.refuses |= is_refusal(&status);
                    Err(self.finish(&describe_status(status)))
                }
                Next::Stopped => {
                    let answer = self.take_unended();
                    self.take_back();
                    answer
                }
                Next::GraceOver => self.take_unended().and(Err(
                    "the worker didn't finish an event that was cancelled, so it was ended".into(),
                )),
            };
            if !self.open.is_empty() || !self.waiting.is_empty() {
                since = Instant::now();
            }
            if let Err(why) = broken {
                self.break_off(&why).await;
                return Parting::Broken;
            }
        }
    }

    /// Waits for what happens next.
    async fn next(&mut self, jobs: &mut mpsc::UnboundedReceiver<Job>, idle: Instant) -> Next {
        let is_idle = self.open.is_empty() && self.waiting.is_empty();
        let grace = self.open.iter().filter_map(|it| it.cancelled).min();
        let (open, waiting) = (&mut self.open, &mut self.waiting);
        tokio::select! {
            biased;
            () = poll_fn(|context| poll_stopped(context, open, waiting)) => Next::Stopped,
            read = self.output.read_buf(self.lines.buffer()) => Next::Read(read.unwrap_or(0)),
            length = read_errors(&mut self.errors, &mut self.error_bytes) => Next::Erred(length),
            status = self.process.exited() => Next::Exited(status),
            is_open = write(&mut self.input, &mut self.outgoing) => Next::Wrote(is_open),
            () = wait_until(grace) => Next::GraceOver,
            job = jobs.recv() => Next::Asked(job),
            () = sleep_until(idle), if is_idle => Next::Idle,
        }
    }

    /// Withdraws the questions that nobody waits for any more.
    fn take_back(&mut self) {
        let (stopped, waiting) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition::<Vec<Job>, _>(|job| job.stop.cause().is_some());
        self.waiting = waiting.into();
        for job in stopped {
            let completion = unasked_completion(&job.stop);
            answer(job, completion);
        }
        for open in &mut self.open {
            let Some(cause) = open.job.stop.cause().filter(|_| open.cancelled.is_none()) else {
                continue;
            };
            let grace = match cause {
                StopCause::Cancelled => GRACE_OF_CANCELLED,
                StopCause::TimedOut => GRACE,
            };
            open.cancelled = Some(Instant::now() + grace);
            let cancellation = cancellation(open.id);
            self.queued += cancellation.len() as u64;
            self.outgoing.extend(cancellation);
        }
    }

    /// Processes what was read, with what was written to standard error by then.
    async fn take_read(&mut self) -> Result<(), String> {
        self.keep_waiting_errors().await;
        self.take_lines()
    }

    /// Processes the complete lines; the error says why the worker can't be kept. What directly
    /// follows an answer is reported with it.
    fn take_lines(&mut self) -> Result<(), String> {
        let mut answers = Vec::new();
        let mut outcome = self.take_each(&mut answers);
        if let (Err(why), Some((_, completion))) = (&outcome, answers.last_mut())
            && self.open.is_empty()
            && self.waiting.is_empty()
        {
            completion.remarks.push(why.clone());
            self.is_told = true;
        }
        for (job, completion) in answers {
            answer(job, completion);
        }
        if outcome.is_ok() && self.lines.open() > self.longest_line() {
            self.take_overlong();
            outcome = Err("the worker wrote a line over the cap, so it was ended".to_owned());
        }
        outcome
    }

    fn take_each(&mut self, answers: &mut Vec<(Job, Completion)>) -> Result<(), String> {
        while let Some(line) = self.lines.next() {
            if line.text.trim().is_empty() {
                continue;
            }
            let Some(frame) = Frame::read(&line.text) else {
                answers.extend(self.refusal_in(&line));
                self.note_stray(&line.text, "it wrote a line that isn't an answer")?;
                continue;
            };
            match self.open.iter().position(|open| open.id == frame.id) {
                Some(place) if self.open[place].may_concern_event(line.begins_at) => {
                    let open = self.open.remove(place);
                    answers.push(self.conclude(open, frame.message));
                }
                None if self.ids.include(frame.id) && frame.message.refuses() => {
                    return Err(format!(
                        "the worker refused an event that was already decided; its refusal is \
                         lost, and it was ended: {}",
                        shortened(&line.text)
                    ));
                }
                _ => self.note_stray(
                    &line.text,
                    "it answered an event that it wasn't asked about",
                )?,
            }
        }
        Ok(())
    }

    /// Returns how long the longest answer to an event in flight may be, in bytes.
    fn longest_line(&self) -> usize {
        let longest = self.open.iter().map(|open| open.job.cap).max();
        longest.unwrap_or(0).saturating_add(FRAME_ROOM)
    }

    fn note_stray(&mut self, line: &str, what: &str) -> Result<(), String> {
        self.stray_lines += 1;
        self.stray_bytes += line.len() as u64;
        if self.remarks.is_empty() {
            self.remarks.push(format!("{what}: {}", shortened(line)));
        }
        if self.stray_lines > MAX_STRAY_LINES || self.stray_bytes > MAX_STRAY_BYTES {
            return Err(
                "the worker wrote too much that isn't an answer, so it was ended".to_owned(),
            );
        }
        Ok(())
    }

    /// Turns a worker's message into the completion of a job.
    fn conclude(&mut self, open: Open, message: WorkerMessage) -> (Job, Completion) {
        let cap = open.job.cap;
        match message {
            WorkerMessage::Reply(reply) => {
                let stderr = open.stderr.clone();
                self.complete_job(open, Ending::Exited(0), capped(reply, cap), stderr)
            }
            WorkerMessage::Refuse(reason) => {
                let stdout = Captured::default();
                self.complete_job(open, Ending::Exited(2), stdout, capped(reason, cap))
            }
            WorkerMessage::Error { why, reply } => self.complete_job(
                open,
                Ending::Exited(1),
                capped(reply, cap),
                capped(why, cap),
            ),
        }
    }

    fn complete_job(
        &mut self,
        open: Open,
        ending: Ending,
        stdout: Captured,
        stderr: Captured,
    ) -> (Job, Completion) {
        // An answer to a cancelled event decides nothing, unless it refuses.
        let ending = if open.cancelled.is_some() && ending != Ending::Exited(2) {
            Ending::Stopped
        } else {
            ending
        };
        let completion = Completion {
            stdout,
            stderr,
            remarks: std::mem::take(&mut self.remarks),
            ..Completion::ended(ending)
        };
        (open.job, completion)
    }

    /// Ends the worker, and fails the events that it was asked about.
    async fn break_off(&mut self, why: &str) {
        let read = self.read_by_worker();
        let open = std::mem::take(&mut self.open);
        let waiting = std::mem::take(&mut self.waiting);
        let why = self.with_last_words(why.to_owned());
        // Nobody waits for the answer to a cancelled event.
        let is_heard = open.iter().any(|it| it.cancelled.is_none()) || !waiting.is_empty();
        // The caller is answered at once, before the program's grace period.
        for open in open {
            let ending = match open.cancelled {
                // The worker's exit code refuses everything that it was asked.
                _ if self.refuses => Ending::Exited(2),
                Some(_) => Ending::Stopped,
                None if open.may_be_read(read) => Ending::Exited(1),
                // The worker hadn't read this event, so it looked at nothing (IO-21).
                None => Ending::NotStarted(format!("{why}, before it was asked")),
            };
            let failure = self.failure(ending, &why);
            let completion = Completion {
                stdout: open.half,
                ..failure
            };
            answer(open.job, completion);
        }
        for job in waiting {
            let ending = Ending::NotStarted(format!("{why}, before it was asked"));
            answer(job, self.failure(ending, &why));
        }
        if !is_heard && !self.is_told {
            self.remarks.push(why);
        }
        self.end(Duration::ZERO).await;
    }

    fn failure(&mut self, ending: Ending, why: &str) -> Completion {
        Completion {
            stderr: Captured {
                bytes: why.as_bytes().to_vec(),
                total: why.len() as u64,
            },
            remarks: std::mem::take(&mut self.remarks),
            ..Completion::ended(ending)
        }
    }

    /// Ends the program with all that it started: first by waiting, then politely, then the hard
    /// way.
    async fn end(&mut self, wait: Duration) {
        self.input = None;
        if wait > Duration::ZERO && timeout(wait, self.process.exited()).await.is_ok() {
            self.process.is_gone_within(DRAIN).await;
        }
        if self.process.is_alive() {
            self.process.ask_to_end();
            self.process.is_gone_within(GRACE_OF_CANCELLED).await;
        }
        self.process.kill();
        self.process.is_gone_within(DRAIN).await;
    }

    /// Reads what was written before the end, for a moment.
    async fn drain(&mut self) {
        let deadline = Instant::now() + DRAIN;
        let errors =
            async { while read_errors(&mut self.errors, &mut self.error_bytes).await > 0 {} };
        let _ = timeout_at(deadline, errors).await;
        self.keep_errors(0);
        // Reads at most the length of an answer: endless output isn't read to its end.
        let longest = self.longest_line();
        let output = async {
            while self.lines.open() <= longest
                && matches!(self.output.read_buf(self.lines.buffer()).await, Ok(length) if length > 0)
            {
            }
        };
        let _ = timeout_at(deadline, output).await;
    }

    /// Returns how the program ended after it closed a stream, or what it did instead.
    async fn how_it_ended(&mut self, otherwise: &str) -> String {
        let ended = timeout(LEAVING, self.process.exited()).await;
        self.drain().await;
        match ended {
            Ok(status) => {
                self.refuses |= is_refusal(&status);
                describe_status(status)
            }
            Err(_) => otherwise.to_owned(),
        }
    }
}

/// Keeps a text up to the cap, and notes whether it was cut.
fn capped(text: String, cap: usize) -> Captured {
    let mut bytes = text.into_bytes();
    let total = bytes.len() as u64;
    bytes.truncate(cap);
    Captured { bytes, total }
}

/// Writes what is queued, and waits forever if nothing is. Returns whether the worker reads.
async fn write(input: &mut Option<Writer>, outgoing: &mut VecDeque<u8>) -> bool {
    let Some(writer) = input else {
        return pending().await;
    };
    if outgoing.is_empty() {
        return pending().await;
    }
    match writer.write(outgoing.as_slices().0).await {
        Ok(length) if length > 0 => {
            outgoing.drain(..length);
            true
        }
        _ => false,
    }
}

/// Waits for a moment, or forever.
async fn wait_until(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => pending().await,
    }
}

/// Returns when an event that hasn't been withdrawn yet has to end.
fn poll_stopped(
    context: &mut Context<'_>,
    open: &mut [Open],
    waiting: &mut VecDeque<Job>,
) -> Poll<()> {
    let in_flight = open.iter_mut().filter(|open| open.cancelled.is_none());
    let jobs = in_flight.map(|open| &mut open.job).chain(waiting);
    let stopped =
        jobs.filter_map(|job| job.stopped.as_mut().poll(context).is_ready().then_some(()));
    if stopped.count() > 0 {
        Poll::Ready(())
    } else {
        Poll::Pending
    }
}

/// Returns whether a worker ended as a command does that refuses (IO-13).
fn is_refusal(status: &std::io::Result<ExitStatus>) -> bool {
    matches!(status.as_ref().map(|it| Exit::from(*it)), Ok(Exit::Code(2)))
}

fn describe_status(status: std::io::Result<ExitStatus>) -> String {
    match status.map(Exit::from) {
        Ok(Exit::Code(code)) => format!("ended with exit code {code}"),
        Ok(Exit::Signal(signal)) => format!("was killed by signal {signal}"),
        Ok(Exit::Unknown) => "ended".to_owned(),
        Err(error) => format!("can't be waited for: {error}"),
    }
}
