//! The executor for workers: programs that keep running and answer one line per event (HT-10 to
//! HT-12).
//!
//! A worker is a task with a queue. The task starts the program when the first event needs it, and
//! owns its pipes, its missed deadlines and the events in flight. The code that runs a hook puts a
//! [`Job`] into the queue and waits for its completion. Whatever the program does, each job gets
//! exactly one completion. The task ends the program when it has been idle, when no job can arrive
//! any more, or when the program isn't reliable: when it never answers a cancelled event, floods
//! its output, or refuses what was already decided.

mod frames;
mod lines;
mod restarts;
mod talk;

use std::ffi::OsString;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hookloop_engine::events::Payload;
use hookloop_engine::{Completion, Ending, FinalReport, Invocation, StopCause, StopSignal};
use hookloop_hook::{Handler, HookDeclaration, HookId};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use restarts::Restarts;
use talk::Talk;

/// The variable that tells a program that it should stay (HT-13).
pub(crate) const MARK: &str = "HOOKLOOP_WORKER";

/// How a worker is started; the same each time.
#[derive(Debug, Clone)]
pub(crate) struct Recipe {
    program: OsString,
    arguments: Vec<OsString>,
    variables: Vec<(OsString, OsString)>,
    folder: PathBuf,
    /// How long it may have nothing to do.
    idle: Duration,
    /// The names of the variables that it doesn't see (ENV-3).
    withheld: Vec<String>,
}

impl Recipe {
    /// Takes how a command would be started.
    pub(crate) fn of(command: &Command, folder: PathBuf, idle: Duration) -> Self {
        let variables = command
            .get_envs()
            .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
        Self {
            program: command.get_program().to_owned(),
            arguments: command.get_args().map(ToOwned::to_owned).collect(),
            variables: variables.collect(),
            folder,
            idle,
            withheld: Vec::new(),
        }
    }

    /// Names the variables that the worker doesn't see (ENV-3).
    pub(crate) fn withholding(self, withheld: Vec<String>) -> Self {
        Self { withheld, ..self }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .env_clear()
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .env(MARK, "1")
            .current_dir(&self.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

/// How long the end of a session waits for its workers.
const PARTING: Duration = Duration::from_millis(900);

/// How long the task has to report by itself why a worker wasn't asked.
const SAYING: Duration = Duration::from_millis(100);

/// An event that a worker is asked about.
pub(crate) struct Job {
    payload: Payload,
    stop: StopSignal,
    /// Done when the signal was given.
    stopped: Pin<Box<dyn Future<Output = ()> + Send>>,
    /// How many bytes of a stream are kept (IO-17).
    cap: usize,
    /// Whether no other hook of the event runs at the same time.
    is_alone: bool,
    /// Whether it was sent to the worker.
    is_asked: Arc<AtomicBool>,
    answer: oneshot::Sender<Completion>,
}

/// The workers of a host, one for each hook and session.
#[derive(Debug, Default)]
pub(crate) struct Workers(Mutex<Vec<RunningWorker>>);

/// A worker that is kept for later events.
#[derive(Debug)]
struct RunningWorker {
    key: Key,
    way: Way,
    hook: Arc<HookDeclaration>,
    /// The task that runs it; it ends with what hasn't been reported yet.
    task: JoinHandle<Vec<String>>,
}

/// Distinguishes the workers of a session.
#[derive(Debug)]
struct Key {
    hook: HookId,
    session: String,
    program: String,
    /// They may be in the program's text.
    arguments: Option<Vec<String>>,
    folder: PathBuf,
}

/// The way to a worker.
#[derive(Debug, Clone)]
struct Way {
    jobs: mpsc::UnboundedSender<Job>,
    withheld: Arc<[String]>,
}

impl Key {
    fn of(invocation: &Invocation) -> Self {
        let hook = &invocation.hook;
        Self {
            hook: hook.id.clone(),
            session: invocation.session.session_id.clone(),
            program: hook.command().to_owned(),
            arguments: arguments(hook).cloned(),
            folder: invocation.session.cwd.clone(),
        }
    }

    /// Returns whether this is the worker for an invocation.
    fn fits(&self, invocation: &Invocation) -> bool {
        let (hook, session) = (&invocation.hook, &invocation.session);
        self.hook == hook.id
            && self.session == session.session_id
            && self.program == hook.command()
            && self.arguments.as_ref() == arguments(hook)
            && self.folder == session.cwd
    }
}

/// Returns the arguments of a worker's program, if they are separate from it.
fn arguments(hook: &HookDeclaration) -> Option<&Vec<String>> {
    match &hook.handler {
        Handler::Worker { args, .. } => args.as_ref(),
        _ => None,
    }
}

impl Workers {
    /// Asks a worker about an event; if necessary, starts it according to the recipe. It must be
    /// called within a runtime.
    pub(crate) async fn ask(
        &self,
        invocation: &Invocation,
        recipe: impl FnOnce() -> Result<Recipe, String>,
    ) -> Completion {
        let started = Instant::now();
        let way = match self.way(invocation, recipe) {
            Ok(way) => way,
            Err(why) => return Completion::not_started(why),
        };
        let (answer, answered) = oneshot::channel();
        let stop = invocation.stop.clone();
        let is_asked = Arc::<AtomicBool>::default();
        let job = Job {
            payload: invocation.input.clone(),
            stop: stop.clone(),
            stopped: Box::pin({
                let stop = stop.clone();
                async move { stop.stopped().await }
            }),
            cap: invocation.max_output_bytes,
            is_alone: invocation.is_alone,
            is_asked: Arc::clone(&is_asked),
            answer,
        };
        let completion = match way.jobs.send(job) {
            Ok(()) => tokio::select! {
                biased;
                answered = answered => answered.ok(),
                completion = wait_unasked(&stop, &is_asked) => Some(completion),
            },
            Err(_) => None,
        };
        // The task answers every job. It is gone only if the runtime is shutting down.
        let completion = completion.unwrap_or_else(|| Completion::ended(Ending::Stopped));
        Completion {
            duration: started.elapsed(),
            withheld_env: way.withheld.to_vec(),
            ..completion
        }
    }

    /// Returns the way to the worker of a hook. Workers of other sessions end.
    fn way(
        &self,
        invocation: &Invocation,
        recipe: impl FnOnce() -> Result<Recipe, String>,
    ) -> Result<Way, String> {
        let session = &invocation.session.session_id;
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|it| it.key.session == *session && !it.way.jobs.is_closed());
        if let Some(kept) = running.iter().find(|it| it.key.fits(invocation)) {
            return Ok(kept.way.clone());
        }
        let mut recipe = recipe()?;
        let withheld = std::mem::take(&mut recipe.withheld).into();
        let (queue, jobs) = mpsc::unbounded_channel();
        let task = tokio::spawn(tend(recipe, jobs));
        let way = Way {
            jobs: queue,
            withheld,
        };
        running.push(RunningWorker {
            key: Key::of(invocation),
            way: way.clone(),
            hook: Arc::clone(&invocation.hook),
            task,
        });
        Ok(way)
    }

    /// Ends the workers of a session that have nothing to do any more, and returns what they said
    /// since their last event: a refusal that came too late is lost, and would otherwise go
    /// unnoticed (HT-10).
    pub(crate) async fn end_session(&self, session: &str) -> Vec<FinalReport> {
        let left: Vec<RunningWorker> = {
            let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            running
                .extract_if(.., |it| it.key.session == session)
                .collect()
        };
        let deadline = tokio::time::Instant::now() + PARTING;
        let left: Vec<_> = left.into_iter().map(|it| (it.hook, it.task)).collect();
        let mut notices = Vec::new();
        for (hook, task) in left {
            // A worker that is still busy continues by itself, as any hook that the session's end
            // doesn't wait for (SE-2).
            let Ok(Ok(texts)) = tokio::time::timeout_at(deadline, task).await else {
                continue;
            };
            let words = texts.into_iter().map(|text| FinalReport {
                hook: Arc::clone(&hook),
                text,
            });
            notices.extend(words);
        }
        notices
    }
}

/// Returns the result of an event that the worker was never asked about, because it didn't greet or
/// others used up its time: it has looked at nothing (IO-21).
fn unasked_completion(stop: &StopSignal) -> Completion {
    match stop.cause() {
        Some(StopCause::TimedOut) => {
            Completion::not_started("the worker didn't get to the event before the hook's timeout")
        }
        Some(StopCause::Cancelled) | None => Completion::ended(Ending::Stopped),
    }
}

/// Waits until the time of an event that the worker hasn't been asked about is over; otherwise
/// forever.
async fn wait_unasked(stop: &StopSignal, is_asked: &AtomicBool) -> Completion {
    stop.stopped().await;
    tokio::time::sleep(SAYING).await;
    if is_asked.load(Ordering::SeqCst) || stop.cause() != Some(StopCause::TimedOut) {
        return std::future::pending().await;
    }
    unasked_completion(stop)
}

/// Runs a worker until nobody can ask it any more, and returns what hasn't been reported.
async fn tend(recipe: Recipe, mut jobs: mpsc::UnboundedReceiver<Job>) -> Vec<String> {
    let mut restarts = Restarts::default();
    let mut untold = Vec::new();
    while let Some(job) = jobs.recv().await {
        if job.stop.cause().is_some() {
            let completion = unasked_completion(&job.stop);
            answer(job, completion);
        } else if let Some(why) = restarts.refusal(Instant::now()) {
            let mut completion = Completion::not_started(why);
            completion.remarks.append(&mut untold);
            answer(job, completion);
        } else if talk::Parting::Broken == Talk::hold(&recipe, job, &mut jobs, &mut untold).await {
            restarts.note(Instant::now());
        }
    }
    untold
}

/// Answers a job; it doesn't matter if nobody waits for the answer any more.
fn answer(job: Job, completion: Completion) {
    let _ = job.answer.send(completion);
}
