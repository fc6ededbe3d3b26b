//! A call of another agent: from its payload to the answer that it obeys.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use hookloop_bridge::{
    Agent, Answer, Around, Asked, Conclusion, Happening, Heard, Moment, RewritePolicy, Ruling,
    Told, answer, fit, hear,
};
use hookloop_session::{Environment, RunOptions, Workspace};
use hookloop_settings::{BridgeRewrite, Strictness, find_project_root};
use serde_json::{Map, Value};

use super::CallArguments;
use super::config_change;
use super::firing::{Came, Fire};
use super::hosting;
use super::memory::{Place, Remembered};
use super::protecting::protect;
use super::reading;
use super::setting::Setting;
use crate::environment;

/// How often a turn goes on because of hooks: two agents have no bound of their own (BR-20).
const MOST_RETRIES: u32 = 8;

/// How long it is waited for other calls where no action waits for the answer.
const SHORT_WAIT: Duration = Duration::from_secs(10);

/// Answers a call. Whatever goes wrong before a tool or a prompt refuses it (BR-22).
///
/// `changes` tells of the words behind this program's name whether they change guards (TR-11).
pub(crate) fn run(
    arguments: &CallArguments,
    variables: Vec<(OsString, OsString)>,
    changes: fn(&[String]) -> bool,
) -> ExitCode {
    let begun = Instant::now();
    let found = Agent::from_word(&arguments.agent);
    let Some((agent, moment)) = found.and_then(|it| Some((it, it.moment(&arguments.event)?)))
    else {
        return unknown(arguments, found);
    };
    let call = Arc::new(Call {
        arguments: arguments.clone(),
        agent,
        moment,
        deadline: begun + arguments.timeout.mul_f64(0.8),
        place: OnceLock::new(),
        changes,
    });
    refuse_in_panic(&call);
    refuse_in_time(&call, begun + arguments.timeout.mul_f64(0.95));
    let said = call
        .answer(variables)
        .unwrap_or_else(|why| call.failed(&why));
    emit(&said)
}

/// Refuses a call that nobody understands: it could be one that an action waits for.
fn unknown(arguments: &CallArguments, agent: Option<Agent>) -> ExitCode {
    let what = if let Some(agent) = agent {
        let (name, event) = (agent.name(), &arguments.event);
        format!("{name} has no event `{event}` that is known here")
    } else {
        let known = Agent::ALL.map(Agent::word).join(", ");
        let word = &arguments.agent;
        format!("`{word}` isn't an agent that is known here: {known}")
    };
    emit(&Answer {
        exit: 2,
        stdout: String::new(),
        stderr: format!("error: {what}\n"),
    })
}

/// Whether an answer is being given: there is one, whoever comes first.
static ANSWERED: AtomicBool = AtomicBool::new(false);

/// Lets a panic say the refusal that the agent obeys.
fn refuse_in_panic(call: &Arc<Call>) {
    let call = Arc::clone(call);
    std::panic::set_hook(Box::new(move |information| {
        let _ = writeln!(std::io::stderr().lock(), "{information}");
        answer_at_once(&call, "the bridge failed (a bug: please report it)");
    }));
}

/// Refuses in time whatever this call is waiting for: a file system that doesn't answer, a lock.
fn refuse_in_time(call: &Arc<Call>, at: Instant) {
    let call = Arc::clone(call);
    let watch = std::thread::Builder::new().name("deadline".to_owned());
    let watching = watch.spawn(move || {
        std::thread::sleep(at.saturating_duration_since(Instant::now()));
        answer_at_once(&call, "nothing was decided in time");
    });
    // Without it the agent's own timeout ends the call.
    drop(watching);
}

/// Ends the program with what a failure means, unless an answer is being given.
fn answer_at_once(call: &Call, why: &str) {
    if ANSWERED.swap(true, Ordering::SeqCst) {
        return;
    }
    let said = call.failed(why);
    let code = write_out(&said).unwrap_or(2);
    std::process::exit(i32::from(code));
}

/// Writes an answer: all of it, or an exit code that refuses.
fn emit(said: &Answer) -> ExitCode {
    while ANSWERED.swap(true, Ordering::SeqCst) {
        // Somebody else answers, and ends the program.
        std::thread::park();
    }
    ExitCode::from(write_out(said).unwrap_or(2))
}

fn write_out(said: &Answer) -> std::io::Result<u8> {
    // The reason first: whoever sees the object has it.
    let _ = std::io::stderr().lock().write_all(said.stderr.as_bytes());
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(said.stdout.as_bytes())?;
    stdout.flush()?;
    Ok(said.exit)
}

struct Call {
    arguments: CallArguments,
    agent: Agent,
    moment: Moment,
    deadline: Instant,
    /// Where the session is remembered, as soon as it is known.
    place: OnceLock<Place>,
    /// Tells which commands of this program change guards.
    changes: fn(&[String]) -> bool,
}

impl Call {
    /// Says what a failure means: a refusal where an action waits, and a word of warning elsewhere.
    fn failed(&self, why: &str) -> Answer {
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
        let said = self.say(&fitted.conclusion, None);
        // Where a prompt can't be dropped, its tools are refused, and it is told at least.
        if let (Some(reason), Some(place)) = (&fitted.refuses_turn, self.place.get()) {
            refuse_turn(place, reason);
        }
        let text = fitted.refuses_turn.map(|it| format!("hookloop: {it}\n"));
        Answer {
            stderr: said.stderr + &text.unwrap_or_default(),
            ..said
        }
    }

    fn say(&self, conclusion: &Conclusion, heard: Option<&Heard>) -> Answer {
        answer(&Asked {
            agent: self.agent,
            event: &self.arguments.event,
            moment: self.moment,
            conclusion,
            payload: heard.map(Heard::payload),
        })
    }

    fn answer(&self, variables: Vec<(OsString, OsString)>) -> Result<Answer, String> {
        let payload = reading::payload(self.left())?;
        let mut environment = environment::read(variables).map_err(|error| error.to_string())?;
        let session = session_in(&payload);
        let state = environment.state_dir();
        let place = Place::of(&state, self.agent, &session, self.patience());
        let place = self.place.get_or_init(|| place);
        place.note_call();
        let remembered = place.read();
        let told = Told {
            agent: self.agent,
            event: &self.arguments.event,
            payload,
        };
        let around = Around {
            cwd: &environment.current_dir.clone(),
            memory: &remembered.memory(),
            raw: self.arguments.raw,
        };
        let heard = hear(told, around).map_err(|error| error.to_string())?;
        self.count_sub_agents(place, &heard);
        environment.current_dir = self.project(&environment, &remembered);
        match &heard.happening {
            Happening::Nothing(_) => Ok(Answer::default()),
            Happening::ConfigChange { file } => {
                let setting = Setting::of(&environment);
                let file = file.as_ref().map(|it| heard.cwd.join(it));
                let conclusion = config_change::judge(self.agent, file.as_deref(), &setting);
                Ok(self.say(&conclusion, Some(&heard)))
            }
            Happening::Fires(firings) => {
                let firings = firings.clone();
                self.fire(&environment, (place, remembered), &heard, &firings)
            }
        }
    }

    /// Returns until when it is waited for other calls: as long as an action waits, and shortly
    /// where nothing does.
    fn patience(&self) -> Instant {
        if self.moment.refuses() {
            self.deadline
        } else {
            self.deadline.min(Instant::now() + SHORT_WAIT)
        }
    }

    /// Tells whether this is a prompt that the agent runs though hooks refuse it.
    fn is_prompt_that_runs(&self) -> bool {
        self.moment == Moment::Prompt && !self.agent.drops_prompts()
    }

    fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Returns the folder whose project's hooks count: the one in which the session began, so that an
    /// agent that goes elsewhere doesn't leave them behind.
    fn project(&self, environment: &Environment, remembered: &Remembered) -> PathBuf {
        if let Some(project) = remembered.project.as_ref().filter(|it| it.is_dir()) {
            return project.clone();
        }
        let names = self.agent.project_variables().iter();
        let told = names.filter_map(|name| environment.variable(name));
        let mut told = told.map(PathBuf::from);
        told.find(|it| it.is_absolute() && it.is_dir())
            .unwrap_or_else(|| environment.current_dir.clone())
    }

    /// Counts the sub-agents under way, where only that tells whose an end is (BR-11). What a person
    /// writes, and a session that begins, ends them all: the end of one that was killed is never told.
    fn count_sub_agents(&self, place: &Place, heard: &Heard) {
        let change: fn(u32) -> u32 = match heard.moment {
            _ if self.agent != Agent::Kimi => return,
            Moment::SubAgentBegins => |it| it.saturating_add(1),
            Moment::SubAgentEnds => |it| it.saturating_sub(1),
            Moment::Prompt | Moment::SessionStart => |_| 0,
            _ => return,
        };
        // Uncounted, the end of a sub-agent is taken for the turn's: hooks judge it too often.
        let _ = place.update(|it| it.sub_agents = change(it.sub_agents));
    }

    fn fire(
        &self,
        environment: &Environment,
        (place, remembered): (&Place, Remembered),
        heard: &Heard,
        firings: &[hookloop_bridge::Firing],
    ) -> Result<Answer, String> {
        if self.is_prompt_that_runs() {
            // Whatever ends this call before hooks have answered leaves the turn refused.
            refuse_turn(
                place,
                "hookloop refuses: hooks never answered to the prompt of this turn",
            );
        }
        let mut workspace = Workspace::open(environment, &RunOptions::default());
        let missing = workspace.start_refusals(Strictness::AsConfigured, environment);
        if let Some(problem) = missing.first() {
            return Err(format!(
                "guards may be missing: {}: {} ({})",
                problem.source, problem.message, problem.help
            ));
        }
        workspace.remember_running(remembered.running());
        let is_idle = firings
            .iter()
            .all(|it| workspace.registry.is_idle(it.event));
        let came = if is_idle {
            Came::default()
        } else {
            let fire = Fire {
                agent: self.agent,
                environment,
                workspace: &workspace,
                deadline: self.deadline,
                grace: self.arguments.timeout.mul_f64(0.1),
            };
            fire.fire(heard, firings)?
        };
        let mut came = came;
        let conclusion = &mut came.conclusion;
        protect(environment, &workspace, heard, self.changes, conclusion);
        miss_gone(&workspace, firings, &mut came.conclusion);
        let setting = Setting::of(environment);
        came.doubled = hosting::doubled(self.agent, &setting, &workspace, firings);
        let session = Session {
            call: self,
            place,
            remembered,
            workspace: &workspace,
            is_idle,
        };
        Ok(session.conclude(heard, firings, came))
    }
}

/// What is known when hooks have answered.
struct Session<'a> {
    call: &'a Call,
    place: &'a Place,
    remembered: Remembered,
    workspace: &'a Workspace,
    is_idle: bool,
}

impl Session<'_> {
    /// Fits what hooks came to into what the agent can do, remembers what the next call must know, and
    /// says it.
    fn conclude(self, heard: &Heard, firings: &[hookloop_bridge::Firing], came: Came) -> Answer {
        let (agent, moment) = (self.call.agent, self.call.moment);
        let Came {
            mut conclusion,
            untrusted,
            doubled,
        } = came;
        let mut next = self.remembered.clone();
        if next.project.is_none() {
            let root = find_project_root(
                &self.workspace.opening.current_dir,
                &self.workspace.opening.home,
            );
            next.project = Some(root);
        }
        if heard.is_perhaps_notification() {
            conclusion.context = None;
        } else {
            begin_turn(moment, firings, &mut next);
        }
        self.miss_prompt(&mut next);
        self.bound_retries(&mut next, &mut conclusion);
        if moment == Moment::BeforeTool
            && let Some(reason) = &next.refused_turn
        {
            let ruling = std::mem::take(&mut conclusion.ruling);
            conclusion.ruling = ruling.or_stricter(Ruling::Refuse(reason.clone()));
        }
        take_carried(agent, moment, &mut next, &mut conclusion);
        let policy = match self.workspace.settings.switches.bridge_rewrite.value {
            BridgeRewrite::Refuse => RewritePolicy::Refuse,
            BridgeRewrite::Drop => RewritePolicy::Drop,
        };
        let fitted = fit(agent, moment, conclusion, policy);
        let mut conclusion = fitted.conclusion;
        if let Some(reason) = fitted.refuses_turn {
            next.refused_turn = Some(reason);
        }
        next.carried.extend(fitted.carried);
        next.losses.extend(fitted.losses.iter().cloned());
        // What trust keeps from running must reach the person, wherever messages are shown (BR-13).
        if !agent.shows_messages() {
            let new = untrusted.iter().filter(|it| !next.said.contains(*it));
            next.untold.extend(new.cloned());
        }
        for text in untrusted.into_iter().chain(doubled).chain(fitted.losses) {
            if next.said.insert(text.clone()) {
                conclusion.messages.push(text);
            }
        }
        if let Ruling::Refuse(reason) | Ruling::Stop(reason) = &mut conclusion.ruling {
            for text in std::mem::take(&mut next.untold) {
                reason.extend(["\n(", &text, ")"]);
            }
        }
        if !self.is_idle {
            let running = self.workspace.running();
            next.ran
                .extend(running.map(|(event, label)| (event.as_str().to_owned(), label)));
        }
        let failed = self.keep(next, &mut conclusion.ruling);
        let mut stderr = String::new();
        for message in conclusion.messages.iter().chain(&failed) {
            stderr.extend(["hookloop: ", message, "\n"]);
        }
        let said = self.call.say(&conclusion, Some(heard));
        Answer {
            stderr: said.stderr + &stderr,
            ..said
        }
    }

    /// Keeps what the next call must know; says why it can't, and refuses where that would be too late
    /// to tell.
    fn keep(&self, next: Remembered, ruling: &mut Ruling) -> Option<String> {
        let refused_turn = next.refused_turn.clone();
        let error = self.remember(next).err()?;
        let moment = self.call.moment;
        let what = format!("what the next call should know can't be kept: {error}");
        if let Some(reason) = refused_turn.filter(|_| moment == Moment::Prompt) {
            refuse_turn(self.place, &reason);
        }
        if error.kind() == std::io::ErrorKind::TimedOut && moment.refuses() {
            let earlier = std::mem::take(ruling);
            *ruling = earlier.or_stricter(Ruling::Refuse(format!("hookloop refuses: {what}")));
        }
        Some(what)
    }

    /// Lets a turn go on so often and no more: the last answer is shown then.
    fn bound_retries(&self, next: &mut Remembered, conclusion: &mut Conclusion) {
        if self.call.moment != Moment::End {
            return;
        }
        let Ruling::Refuse(reason) = &conclusion.ruling else {
            next.retries = 0;
            next.retry_reason = None;
            return;
        };
        let most = self
            .workspace
            .settings
            .switches
            .max_retries
            .value
            .min(MOST_RETRIES);
        if next.retries < most {
            next.retries += 1;
            next.retry_reason = Some(reason.clone()).filter(|it| !it.trim().is_empty());
        } else {
            next.retries = 0;
            next.retry_reason = None;
            conclusion.ruling = Ruling::Silent;
            conclusion.messages.push(format!(
                "hooks rejected the answer {most} times, and it is shown as it is"
            ));
        }
    }

    /// Refuses the tools of a turn whose prompt nobody can tell of, where a refused prompt runs all
    /// the same: what hooks said of it is lost, or they were never asked.
    fn miss_prompt(&self, next: &mut Remembered) {
        let judges_prompts = !self
            .workspace
            .registry
            .is_idle(hookloop_hook::EventName::BeforeAgent);
        let is_concerned = self.call.moment == Moment::BeforeTool
            && !self.call.agent.drops_prompts()
            && judges_prompts;
        if !is_concerned || next.refused_turn.is_some() {
            return;
        }
        let name = self.call.agent.name();
        let lost = if next.prompt.is_none() {
            Some("it isn't known any more".to_owned())
        } else {
            let error = self.place.keeps_nothing();
            error.map(|error| format!("nothing can be kept ({error})"))
        };
        next.refused_turn = lost.map(|why| {
            format!(
                "hookloop refuses: {name} runs prompts that hooks refused, and what they said of this \
                 turn's can't be told: {why}; write another prompt"
            )
        });
    }

    fn remember(&self, next: Remembered) -> std::io::Result<()> {
        // Without hooks there is nothing that the next call must know.
        let is_same_turn =
            next.refused_turn == self.remembered.refused_turn && !self.call.is_prompt_that_runs();
        if self.is_idle && is_same_turn && next.carried == self.remembered.carried {
            let Remembered { prompt, .. } = &next;
            if prompt == &self.remembered.prompt || !self.is_needed_later() {
                return Ok(());
            }
        }
        let before = self.remembered.clone();
        let is_prompt = self.call.moment == Moment::Prompt;
        self.place.update(|now| {
            // What another call wrote meanwhile stays, but where this one says otherwise.
            let sub_agents = now.sub_agents;
            let said = std::mem::take(&mut now.said);
            let ran = std::mem::take(&mut now.ran);
            let unchanged = next == before;
            if !unchanged || is_prompt {
                let theirs = std::mem::replace(now, next);
                // Only a prompt begins a turn: what it decided outlives calls that began before it.
                if !is_prompt {
                    now.prompt = theirs.prompt;
                    now.refused_turn = theirs.refused_turn.or(now.refused_turn.take());
                }
            }
            now.sub_agents = sub_agents;
            now.said.extend(said);
            now.ran.extend(ran);
        })
    }

    /// Tells whether a hook at the end of a turn will read its prompt.
    fn is_needed_later(&self) -> bool {
        let event = hookloop_hook::EventName::AfterAgent;
        !self.workspace.registry.is_idle(event)
    }
}

/// Refuses what a hook would have judged that ran in this session and was taken away (TR-6, TR-8).
fn miss_gone(
    workspace: &Workspace,
    firings: &[hookloop_bridge::Firing],
    conclusion: &mut Conclusion,
) {
    for gone in workspace.gone_while_running() {
        let is_missed = |it: &hookloop_bridge::Firing| {
            it.event.is_before_action() && it.event.as_str() == gone.event
        };
        if firings.iter().any(is_missed) {
            let reason = format!(
                "hook \"{}\" ran in this session, and its entry is gone or another one now; bring it \
                 back, or take it back with `hookloop hooks untrust`",
                gone.label
            );
            let ruling = std::mem::take(&mut conclusion.ruling);
            conclusion.ruling = ruling.or_stricter(Ruling::Refuse(reason));
        }
    }
}

/// Lets every tool of a turn be refused; where that can't be written, what is remembered is broken, which
/// refuses too.
fn refuse_turn(place: &Place, reason: &str) {
    let soon = Instant::now() + Duration::from_secs(1);
    let written = place
        .until(soon)
        .update(|it| it.refused_turn = Some(reason.to_owned()));
    if written.is_err() {
        place.spoil();
    }
}

/// A prompt begins a turn, but for the reason of a retry, which Copilot and Qwen submit as one.
fn begin_turn(moment: Moment, firings: &[hookloop_bridge::Firing], next: &mut Remembered) {
    if moment != Moment::Prompt {
        return;
    }
    let prompt = firings.first().and_then(|it| it.fields.get("prompt"));
    let prompt = prompt.and_then(Value::as_str).unwrap_or_default();
    let reason = next.retry_reason.as_deref();
    if reason.is_some_and(|reason| is_retry(prompt, reason)) {
        return;
    }
    next.prompt = Some(prompt.to_owned());
    next.retries = 0;
    next.retry_reason = None;
    next.refused_turn = None;
}

/// Tells whether a prompt is nothing but the reason with which a turn went on: alone, or behind a line
/// that announces it.
fn is_retry(prompt: &str, reason: &str) -> bool {
    let before = prompt.trim().strip_suffix(reason.trim());
    before.is_some_and(|before| {
        let announced = before.trim_end();
        announced.is_empty() || announced.ends_with(':') && !announced.contains('\n')
    })
}

/// Gives the model what earlier calls had no place for.
fn take_carried(agent: Agent, moment: Moment, next: &mut Remembered, conclusion: &mut Conclusion) {
    if next.carried.is_empty() || !agent.tells_model(moment) || conclusion.ruling.is_refusal() {
        return;
    }
    let mut texts = std::mem::take(&mut next.carried);
    texts.extend(conclusion.context.take());
    conclusion.context = Some(texts.join("\n"));
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
