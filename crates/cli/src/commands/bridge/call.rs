//! A call of another agent: from its payload to the answer that it obeys.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use hookloop_bridge::{
    Agent, Answer, Around, Asked, Conclusion, Happening, Heard, Moment, RewritePolicy, Ruling,
    Told, answer, fit, hear,
};
use hookloop_host::{CallWatch, Protected};
use hookloop_session::{Environment, RunOptions, Workspace};
use hookloop_settings::{BridgeRewrite, Strictness, find_project_root};
use serde_json::{Map, Value};

use super::CallArguments;
use super::config_change;
use super::firing::{Came, Fire};
use super::memory::{Place, Remembered};
use super::reading;
use crate::environment;

/// How often a turn goes on because of hooks: two agents have no bound of their own (BR-20).
const MOST_RETRIES: u32 = 8;

/// Answers a call. Whatever goes wrong before a tool or a prompt refuses it (BR-22).
pub(crate) fn run(arguments: &CallArguments, variables: Vec<(OsString, OsString)>) -> ExitCode {
    let begun = Instant::now();
    let found = Agent::from_word(&arguments.agent);
    let Some((agent, moment)) = found.and_then(|it| Some((it, it.moment(&arguments.event)?)))
    else {
        return unknown(arguments, found);
    };
    let call = Call {
        arguments,
        agent,
        moment,
        deadline: begun + arguments.timeout.mul_f64(0.8),
    };
    refuse_in_panic(&call);
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

/// Lets a panic say the refusal that the agent obeys.
fn refuse_in_panic(call: &Call<'_>) {
    let said = call.failed("the bridge failed (a bug: please report it)");
    std::panic::set_hook(Box::new(move |information| {
        let _ = writeln!(std::io::stderr().lock(), "{information}");
        let mut stdout = std::io::stdout().lock();
        let _ = stdout.write_all(said.stdout.as_bytes());
        let _ = stdout.flush();
        let _ = std::io::stderr().lock().write_all(said.stderr.as_bytes());
        std::process::exit(i32::from(said.exit));
    }));
}

/// Writes an answer: all of it, or an exit code that refuses.
fn emit(said: &Answer) -> ExitCode {
    // The reason first: whoever sees the object has it.
    let _ = std::io::stderr().lock().write_all(said.stderr.as_bytes());
    let mut stdout = std::io::stdout().lock();
    let written = stdout
        .write_all(said.stdout.as_bytes())
        .and_then(|()| stdout.flush());
    match written {
        Ok(()) => ExitCode::from(said.exit),
        Err(_) => ExitCode::from(2),
    }
}

struct Call<'a> {
    arguments: &'a CallArguments,
    agent: Agent,
    moment: Moment,
    deadline: Instant,
}

impl Call<'_> {
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
        // Where a prompt can't be dropped, it is told at least.
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
        let place = Place::of(&environment.state_dir(), self.agent, &session);
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
        self.count_sub_agents(&place, &heard);
        match &heard.happening {
            Happening::Nothing(_) => Ok(Answer::default()),
            Happening::ConfigChange { file } => {
                let conclusion = config_change::judge(self.agent, file.as_deref(), &environment);
                Ok(self.say(&conclusion, Some(&heard)))
            }
            Happening::Fires(firings) => {
                environment.current_dir = self.project(&environment, &remembered);
                let firings = firings.clone();
                self.fire(&environment, (&place, remembered), &heard, &firings)
            }
        }
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

    /// Counts the sub-agents under way, where only that tells whose an end is (BR-11).
    fn count_sub_agents(&self, place: &Place, heard: &Heard) {
        let change: fn(u32) -> u32 = match heard.moment {
            Moment::SubAgentBegins if self.agent == Agent::Kimi => |it| it.saturating_add(1),
            Moment::SubAgentEnds if self.agent == Agent::Kimi => |it| it.saturating_sub(1),
            _ => return,
        };
        // Uncounted, the end of a sub-agent is taken for the turn's: hooks judge it too often.
        let _ = place.update(|it| it.sub_agents = change(it.sub_agents));
    }

    /// Lets a call that would change what guards are made of need a person's yes (TR-8).
    fn protect(
        &self,
        environment: &Environment,
        workspace: &Workspace,
        heard: &Heard,
        conclusion: &mut Conclusion,
    ) {
        if self.moment != Moment::BeforeTool || workspace.vouched.is_empty() {
            return;
        }
        let program = environment.program.iter().cloned();
        let own = program.chain(config_change::own_files(self.agent, environment));
        let watch = CallWatch::new(
            Protected::of(workspace).and(own),
            heard.cwd.clone(),
            environment.home_of_programs(),
        );
        let watch = watch.knowing(environment.variables_of_tools(&workspace.project_root));
        let mut calls = heard.calls().iter();
        let touched = calls.find_map(|call| watch.touched(&call.tool, &call.arguments));
        if let Some(path) = touched {
            let reason = format!(
                "this call would change {}, which hooks, settings or other guards are made of",
                path.display()
            );
            let ruling = std::mem::take(&mut conclusion.ruling);
            conclusion.ruling = ruling.or_stricter(Ruling::Ask(reason));
        }
    }

    fn fire(
        &self,
        environment: &Environment,
        (place, remembered): (&Place, Remembered),
        heard: &Heard,
        firings: &[hookloop_bridge::Firing],
    ) -> Result<Answer, String> {
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
        self.protect(environment, &workspace, heard, &mut came.conclusion);
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
    call: &'a Call<'a>,
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
        } = came;
        let mut next = self.remembered.clone();
        if next.project.is_none() {
            let root = find_project_root(
                &self.workspace.opening.current_dir,
                &self.workspace.opening.home,
            );
            next.project = Some(root);
        }
        begin_turn(moment, firings, &mut next);
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
        for text in untrusted.into_iter().chain(fitted.losses) {
            if next.said.insert(text.clone()) {
                conclusion.messages.push(text);
            }
        }
        if let Ruling::Refuse(reason) | Ruling::Stop(reason) = &mut conclusion.ruling {
            for text in std::mem::take(&mut next.untold) {
                reason.extend(["\n(", &text, ")"]);
            }
        }
        let mut stderr = String::new();
        for message in &conclusion.messages {
            stderr.extend(["hookloop: ", message, "\n"]);
        }
        if !self.is_idle {
            let running = self.workspace.running();
            next.ran
                .extend(running.map(|(event, label)| (event.as_str().to_owned(), label)));
        }
        self.remember(next, &mut stderr);
        let said = self.call.say(&conclusion, Some(heard));
        Answer {
            stderr: said.stderr + &stderr,
            ..said
        }
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

    fn remember(&self, next: Remembered, stderr: &mut String) {
        // Without hooks there is nothing that the next call must know.
        if self.is_idle && next.carried == self.remembered.carried {
            let Remembered { prompt, .. } = &next;
            if prompt == &self.remembered.prompt || !self.is_needed_later() {
                return;
            }
        }
        let before = self.remembered.clone();
        let written = self.place.update(|now| {
            // What another call wrote meanwhile stays, but where this one says otherwise.
            let sub_agents = now.sub_agents;
            let said = std::mem::take(&mut now.said);
            let ran = std::mem::take(&mut now.ran);
            let unchanged = next == before;
            if !unchanged {
                *now = next;
            }
            now.sub_agents = sub_agents;
            now.said.extend(said);
            now.ran.extend(ran);
        });
        if let Err(error) = written {
            stderr.extend([
                "hookloop: what the next call should know can't be kept: ",
                &error.to_string(),
                "
",
            ]);
        }
    }

    /// Tells whether a hook at the end of a turn will read its prompt.
    fn is_needed_later(&self) -> bool {
        let event = hookloop_hook::EventName::AfterAgent;
        !self.workspace.registry.is_idle(event)
    }
}

/// A prompt begins a turn, but for the reason of a retry, which Copilot and Qwen submit as one.
fn begin_turn(moment: Moment, firings: &[hookloop_bridge::Firing], next: &mut Remembered) {
    if moment != Moment::Prompt {
        return;
    }
    let prompt = firings.first().and_then(|it| it.fields.get("prompt"));
    let prompt = prompt.and_then(Value::as_str).unwrap_or_default();
    let is_retry = |reason: &String| prompt.trim().contains(reason.trim());
    if next.retry_reason.as_ref().is_some_and(is_retry) {
        return;
    }
    next.prompt = Some(prompt.to_owned());
    next.retries = 0;
    next.retry_reason = None;
    next.refused_turn = None;
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
