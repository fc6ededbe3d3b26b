//! Answers a call of another agent: from its payload to the answer that it obeys.

mod answering;

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use hookloop_bridge::{
    Agent, AgentPayload, Answer, CallContext, Conclusion, Firing, Moment, PayloadAction,
    RewritePolicy, Ruling, TranslatedPayload, fit, translate_payload,
};
use hookloop_dialects::may_announce_async;
use hookloop_engine::{Registry, Subject, WithheldContent};
use hookloop_hook::Dialect;
use hookloop_session::{Environment, RunOptions, Workspace};
use hookloop_settings::Strictness;
use serde_json::{Map, Value};

use answering::Answered;

use crate::around;
use crate::concluding::{Caller, Session, miss_gone, refuse_turn};
use crate::config_change;
use crate::firing::{AsyncAnnouncement, Fire, FiringOutcome};
use crate::hosting;
use crate::lasting::{self, Answering};
use crate::memory::{Place, Remembered};
use crate::protecting::protect;
use crate::reading;
use crate::setting::{Setting, start_folder};
use crate::unawaited::{self, Ran, UnawaitedCall};
use crate::{AgentCall, ProgramPort, Variables};

/// How long to wait for other calls if no action waits for the answer.
const SHORT_WAIT: Duration = Duration::from_secs(10);

/// Answers a call on standard output, and returns the program's exit code. Before a tool or a
/// prompt, every error is a refusal (BR-22).
pub fn answer_call(arguments: &AgentCall, variables: Variables, program: ProgramPort) -> ExitCode {
    let started = Instant::now();
    let found = Agent::from_word(&arguments.agent);
    let Some((agent, moment)) = found.and_then(|it| Some((it, it.moment(&arguments.event)?)))
    else {
        return refuse_unknown(arguments, found);
    };
    if let Some(task) = &arguments.unawaited {
        return match unawaited::run(arguments, task, agent, variables, program) {
            Ran::ToItsEnd(code) => code,
            Ran::AnswersFirst { asked, environment } => {
                answering::run(arguments, task, agent, *asked, *environment, program)
            }
        };
    }
    let call = Arc::new(Call {
        arguments: arguments.clone(),
        agent,
        moment,
        deadline: started + arguments.timeout.mul_f64(0.8),
        place: OnceLock::new(),
        session: OnceLock::new(),
        program,
        announcing: AsyncAnnouncement::InVain,
        kept: Mutex::default(),
        is_read: AtomicBool::new(false),
    });
    refuse_in_panic(&call);
    let last = started + arguments.timeout.mul_f64(0.95);
    let answer = match refuse_in_time(&call, last) {
        Ok(()) => call.answer(variables),
        Err(error) => Err(format!("no thread can be started: {error}")),
    };
    emit(&answer.unwrap_or_else(|why| call.failure_answer(&why)))
}

/// Refuses a call that can't be understood: an action might be waiting for it.
fn refuse_unknown(arguments: &AgentCall, agent: Option<Agent>) -> ExitCode {
    let what = if let Some(agent) = agent {
        let (name, event) = (agent.name(), &arguments.event);
        format!("{name} has no known event `{event}`")
    } else {
        let known = Agent::ALL.map(Agent::word).join(", ");
        let word = &arguments.agent;
        format!("`{word}` isn't a known agent; the known ones are {known}")
    };
    emit(&Answer {
        exit: 2,
        stdout: String::new(),
        stderr: format!("error: {what}\n"),
    })
}

/// Whether an answer is being given: there is only one, from whoever comes first.
static ANSWERED: AtomicBool = AtomicBool::new(false);

/// Makes a panic write the refusal that the agent obeys.
fn refuse_in_panic(call: &Arc<Call>) {
    let call = Arc::clone(call);
    std::panic::set_hook(Box::new(move |information| {
        let _ = writeln!(std::io::stderr().lock(), "{information}");
        answer_at_once(&call, "the bridge failed (a bug: please report it)");
    }));
}

/// Refuses in time whatever this call is waiting for: an agent that leaves standard input open, a
/// file system that doesn't answer, a lock.
fn refuse_in_time(call: &Arc<Call>, last: Instant) -> std::io::Result<()> {
    let call = Arc::clone(call);
    let watch = std::thread::Builder::new().name("deadline".to_owned());
    watch.spawn(move || {
        std::thread::sleep(call.remaining());
        if !call.is_read.load(Ordering::SeqCst) {
            answer_at_once(&call, "standard input didn't end in time");
        }
        std::thread::sleep(last.saturating_duration_since(Instant::now()));
        answer_at_once(&call, "nothing was decided in time");
    })?;
    Ok(())
}

/// Ends the program with the answer for a failure, unless an answer is being given.
fn answer_at_once(call: &Call, why: &str) {
    if ANSWERED.swap(true, Ordering::SeqCst) {
        return;
    }
    let answer = call.failure_answer(why);
    let code = write_out(&answer).unwrap_or(2);
    std::process::exit(i32::from(code));
}

/// Writes an answer completely, or exits with a code that refuses.
fn emit(answer: &Answer) -> ExitCode {
    while ANSWERED.swap(true, Ordering::SeqCst) {
        // Another thread is answering, and will end the program.
        std::thread::park();
    }
    ExitCode::from(write_out(answer).unwrap_or(2))
}

fn write_out(answer: &Answer) -> std::io::Result<u8> {
    // The reason first, so that it is complete when the object appears.
    let _ = std::io::stderr().lock().write_all(answer.stderr.as_bytes());
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(answer.stdout.as_bytes())?;
    stdout.flush()?;
    Ok(answer.exit)
}

struct Call {
    arguments: AgentCall,
    agent: Agent,
    moment: Moment,
    deadline: Instant,
    /// Where the session's memory is, as soon as it is known.
    place: OnceLock<Place>,
    /// Its id there.
    session: OnceLock<String>,
    /// What the program around knows.
    program: ProgramPort,
    /// What happens to hooks that say in their first line that nobody needs to wait for them.
    announcing: AsyncAnnouncement,
    /// What continues after the call is answered.
    kept: Mutex<Option<Answered>>,
    /// Whether standard input was read to its end.
    is_read: AtomicBool,
}

/// A call whose payload is understood.
#[derive(Clone, Copy)]
struct Understood<'a> {
    environment: &'a Environment,
    run: &'a RunOptions,
    place: &'a Place,
    /// The folder in which the agent called.
    cwd: &'a Path,
    /// The payload as it arrived, if a separate process may have to answer.
    payload: Option<&'a Map<String, Value>>,
    translated: &'a TranslatedPayload,
    /// The events that it means here.
    firings: &'a [Firing],
}

impl Call {
    /// Returns the answer for a failure: a refusal if an action waits, and otherwise a warning.
    fn failure_answer(&self, why: &str) -> Answer {
        if !self.moment.refuses() {
            return Answer {
                stderr: format!("hookloop: {why}\n"),
                ..Answer::default()
            };
        }
        let conclusion = Conclusion {
            ruling: Ruling::Refuse(format!("hookloop refuses: {why}")),
            ..Conclusion::default()
        };
        let fitted = fit(self.agent, self.moment, conclusion, RewritePolicy::Refuse);
        let answer = self.caller().answer(&fitted.conclusion, None);
        // If a prompt can't be dropped, its tools are refused, and the refusal is reported.
        if let (Some(reason), Some(place)) = (&fitted.refuses_turn, self.place.get()) {
            refuse_turn(place, reason);
        }
        let text = fitted.refuses_turn.map(|it| format!("hookloop: {it}\n"));
        Answer {
            stderr: answer.stderr + &text.unwrap_or_default(),
            ..answer
        }
    }

    fn caller(&self) -> Caller<'_> {
        Caller {
            agent: self.agent,
            moment: self.moment,
            event: &self.arguments.event,
        }
    }

    fn answer(&self, variables: Variables) -> Result<Answer, String> {
        let payload = reading::payload()?;
        self.is_read.store(true, Ordering::SeqCst);
        let around = around::around(&self.arguments, self.agent, variables, self.program)?;
        self.answer_in(payload, around)
    }

    fn answer_in(
        &self,
        payload: Map<String, Value>,
        around: around::CallSurroundings,
    ) -> Result<Answer, String> {
        let mut environment = around.environment;
        let surroundings = around.notices;
        let run = RunOptions {
            is_noted: around.is_noted,
            ..RunOptions::default()
        };
        let session = session_in(&payload);
        let session = self.session.get_or_init(|| session);
        let state = environment.state_dir();
        let place = Place::of(&state, self.agent, session, self.patience());
        let place = self.place.get_or_init(|| place);
        place.note_call();
        let remembered = place.read();
        let may_last = self.announcing == AsyncAnnouncement::InVain && self.may_last();
        let kept = may_last.then(|| payload.clone());
        let cwd = environment.current_dir.clone();
        let payload = AgentPayload {
            agent: self.agent,
            event: &self.arguments.event,
            payload,
        };
        let context = CallContext {
            cwd: &cwd,
            memory: &remembered.memory(),
            raw: self.arguments.raw,
        };
        let translated = translate_payload(payload, context).map_err(|error| error.to_string())?;
        self.count_sub_agents(place, &translated);
        environment.current_dir = self.project(&environment, &remembered);
        match &translated.action {
            PayloadAction::Nothing(_) => Ok(Answer::default()),
            PayloadAction::ConfigChange { file } => {
                let setting = Setting::of(&environment);
                let file = file.as_ref().map(|it| translated.cwd.join(it));
                let conclusion = config_change::judge(self.agent, file.as_deref(), &setting);
                Ok(self.caller().answer(&conclusion, Some(&translated)))
            }
            PayloadAction::Fires(firings) => {
                let understood = Understood {
                    environment: &environment,
                    run: &run,
                    place,
                    cwd: &cwd,
                    payload: kept.as_ref(),
                    translated: &translated,
                    firings: &firings.clone(),
                };
                self.fire(understood, remembered, surroundings)
            }
        }
    }

    /// Returns until when to wait for other calls: as long as an action waits, and briefly if none
    /// does.
    fn patience(&self) -> Instant {
        if self.moment.refuses() {
            self.deadline
        } else {
            self.deadline.min(Instant::now() + SHORT_WAIT)
        }
    }

    fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Returns the folder whose project's hooks count: the one in which the session began, so that
    /// an agent that changes its folder doesn't leave them behind.
    fn project(&self, environment: &Environment, remembered: &Remembered) -> PathBuf {
        if let Some(project) = remembered.project.as_ref().filter(|it| it.is_dir()) {
            return project.clone();
        }
        start_folder(self.agent, environment).unwrap_or_else(|| environment.current_dir.clone())
    }

    /// Counts the running sub-agents, if only that shows whose end an event is (BR-11). A prompt by
    /// a person, and the start of a session, reset the count: the end of one that was killed is
    /// never reported.
    fn count_sub_agents(&self, place: &Place, translated: &TranslatedPayload) {
        let change: fn(u32) -> u32 = match translated.moment {
            _ if self.agent != Agent::Kimi => return,
            Moment::SubAgentBegins => |it| it.saturating_add(1),
            Moment::SubAgentEnds => |it| it.saturating_sub(1),
            Moment::Prompt | Moment::SessionStart => |_| 0,
            _ => return,
        };
        if place
            .update(|it| it.sub_agents = change(it.sub_agents))
            .is_err()
            && translated.moment != Moment::SubAgentBegins
        {
            // If the count stayed too high, the turn's end would count as a sub-agent's, and no
            // hook would judge it. If it is too low, hooks only judge too often.
            place.spoil();
        }
    }

    fn fire(
        &self,
        understood: Understood<'_>,
        remembered: Remembered,
        surroundings: Vec<String>,
    ) -> Result<Answer, String> {
        let Understood {
            environment,
            run,
            place,
            translated,
            firings,
            ..
        } = understood;
        if self.caller().is_prompt_that_runs() {
            // If this call ends before hooks have answered, the turn stays refused.
            refuse_turn(
                place,
                "hookloop refuses: hooks never judged the prompt of this turn",
            );
        }
        let workspace = Arc::new(Self::open(environment, run, &remembered)?);
        let listed = workspace.listed();
        let is_idle = firings.iter().all(|it| listed.is_idle(it.event));
        if let Some(why) = translated.rest()
            && needs_rest(&workspace.registry(), translated, firings)
        {
            return Err(why.to_owned());
        }
        if !is_idle
            && let Some(answer) = self.hand_over(understood, &workspace, &remembered, &surroundings)
        {
            return answer;
        }
        let (mut came, going) = if is_idle {
            (FiringOutcome::default(), None)
        } else {
            self.firing(environment, &workspace)
                .fire(translated, firings)?
        };
        came.surroundings = surroundings;
        self.start_unawaited(understood, &mut came);
        let conclusion = &mut came.conclusion;
        protect(
            self.agent,
            environment,
            &workspace,
            translated,
            self.program.changes,
            conclusion,
        );
        miss_gone(&workspace, firings, &mut came.conclusion);
        let setting = Setting::of(environment);
        let hosting = hosting::Hosting::of(self.agent, &setting, &workspace);
        came.doubled = hosting.doubled(firings);
        came.never = hosting.unsupported_hooks();
        let session = Session {
            caller: self.caller(),
            environment,
            id: translated.session_id.clone(),
            place,
            remembered,
            workspace: &workspace,
            is_idle,
        };
        let answer = session.conclude(translated, firings, came);
        if self.announcing == AsyncAnnouncement::Releases {
            let kept = Answered {
                going,
                environment: environment.clone(),
                workspace,
                session_id: translated.session_id.clone(),
                event: firings.first().map(|it| it.event),
            };
            *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
        }
        Ok(answer)
    }
}

impl Call {
    fn firing<'a>(&self, environment: &'a Environment, workspace: &'a Workspace) -> Fire<'a> {
        Fire {
            agent: self.agent,
            environment,
            workspace,
            deadline: self.deadline,
            grace: self.arguments.timeout.mul_f64(0.1),
            announcing: self.announcing,
        }
    }

    /// Opens the person's workspace.
    ///
    /// # Errors
    /// Guards may be missing.
    fn open(
        environment: &Environment,
        run: &RunOptions,
        remembered: &Remembered,
    ) -> Result<Workspace, String> {
        let mut workspace = Workspace::open(environment, run);
        let missing = workspace.start_refusals(Strictness::AsConfigured, environment);
        if let Some(problem) = missing.first() {
            return Err(format!(
                "guards may be missing: {}: {} ({})",
                problem.source, problem.message, problem.help
            ));
        }
        workspace.remember_running(remembered.running_hooks());
        Ok(workspace)
    }

    /// Returns whether a hook may say at this moment that nobody needs to wait for it (FD-22).
    fn may_last(&self) -> bool {
        let event = self.moment.event();
        event.is_some_and(|it| may_announce_async(Dialect::ClaudeCode, it))
    }

    /// Lets a separate process answer if a hook may say that nobody needs to wait for it, and
    /// returns its answer (FD-22). `None` if there is no such hook, or no such process.
    fn hand_over(
        &self,
        understood: Understood<'_>,
        workspace: &Workspace,
        remembered: &Remembered,
        surroundings: &[String],
    ) -> Option<Result<Answer, String>> {
        let payload = understood.payload?;
        let hooks = lasting::announcing(workspace, understood.firings, remembered);
        if hooks.is_empty() {
            return None;
        }
        let answering = Answering {
            payload: payload.clone(),
            cwd: understood.cwd.to_owned(),
            surroundings: surroundings.to_vec(),
            left: self.remaining(),
        };
        let parting = UnawaitedCall {
            hooks: &hooks,
            withheld_content: WithheldContent::Nothing,
            ..self.parting(understood)
        };
        let mut child = parting.spawn(understood.place, Some(answering)).ok()?;
        let output = lasting::read(child.stdout.take()?);
        if self.arguments.state.is_some() {
            // Only a test of the call waits until everything has been reported.
            drop(child.wait());
        }
        let ended =
            |error| format!("the process that runs the hooks ended without an answer: {error}");
        Some(output.map_err(ended))
    }

    fn parting<'a>(&'a self, understood: Understood<'a>) -> UnawaitedCall<'a> {
        UnawaitedCall {
            arguments: &self.arguments,
            environment: understood.environment,
            is_noted: understood.run.is_noted,
            translated: understood.translated,
            firings: understood.firings,
            remembered_as: self.session.get().map_or("unknown", String::as_str),
            hooks: &[],
            withheld_content: WithheldContent::Nothing,
        }
    }

    /// Starts the hooks that nobody waits for, and reports which of their effects the agent can't
    /// apply (FD-22, BR-21).
    fn start_unawaited(&self, understood: Understood<'_>, came: &mut FiringOutcome) {
        let hooks = &came.unawaited;
        if hooks.is_empty() {
            return;
        }
        let lost = hooks
            .iter()
            .flat_map(|it| unawaited::losses(self.agent, it));
        came.lost.extend(lost);
        let parting = UnawaitedCall {
            hooks,
            withheld_content: came.withheld_content,
            ..self.parting(understood)
        };
        if let Err(error) = parting.start(understood.place) {
            let hooks: Vec<String> = hooks
                .iter()
                .map(|it| unawaited::describe_hook(it))
                .collect();
            // Reported each time: the hooks have failed to run once more.
            came.conclusion.messages.push(format!(
                "asynchronous hooks didn't run ({error}): {}",
                hooks.join(", ")
            ));
            came.lost
                .push(format!("asynchronous hooks didn't run: {error}"));
        }
    }
}

/// The tools of ours that a server's tool may be, whatever it is called.
const KIN: [&str; 4] = ["run_shell_command", "read_file", "write_file", "replace"];

/// Returns whether a hook would have to know everything about a call that does more than hooks are
/// asked about: a hook that runs for anything that such a call can be (BR-10).
fn needs_rest(registry: &Registry, translated: &TranslatedPayload, firings: &[Firing]) -> bool {
    let planned = translated.calls().iter().map(|it| it.tool.as_str());
    let tools: HashSet<&str> = KIN.into_iter().chain(planned).collect();
    let events: HashSet<_> = firings.iter().map(|it| it.event).collect();
    events.into_iter().any(|event| {
        tools.iter().any(|tool| {
            let explained = registry.explain(event, Subject::Known(tool));
            explained.hooks.iter().any(|it| it.runs() != Some(false))
        })
    })
}

/// Returns the id of the session in a payload, whatever the agent calls it.
fn session_in(payload: &Map<String, Value>) -> String {
    let names = ["session_id", "sessionId", "taskId", "conversation_id"];
    let found = names.iter().find_map(|name| payload.get(*name)?.as_str());
    let nested = || {
        let input = payload.get("input")?;
        let session = input.get("sessionID");
        let session = session.or_else(|| input.get("properties")?.get("sessionID"));
        session?.as_str()
    };
    found.or_else(nested).unwrap_or("unknown").to_owned()
}
