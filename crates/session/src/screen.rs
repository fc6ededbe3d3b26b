//! What a headless session shows: the model's text on standard output in the chosen form,
//! everything else on standard error (AG-CLI-5).

mod hooks;
mod stream_json;

use std::collections::HashSet;
use std::io::IsTerminal as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use hookloop_agent::{
    Audience, Confirmation, Consent, Frontend, SessionEvent, Stats, ToolEnd, TurnEnd,
};
use hookloop_engine::{BoxFuture, Concluded, Lifecycle, Observer, RunRecord, RunResult};
use hookloop_events::{AgentIdentity, SessionIdentity, ToolCall, Verdict};
use hookloop_text::{VisibleStream, escape::visible_json};
use serde_json::{Value, json};

use crate::exit::{FAILED, SessionError, exit_code};
use crate::notices;
use crate::options::{Options, OutputFormat};
use crate::output;
use crate::screen::hooks::HookNotices;

/// Shows a headless session.
pub(crate) struct Screen {
    format: OutputFormat,
    hooks: HookNotices,
    started: Instant,
    state: Mutex<State>,
}

/// What has been shown so far.
#[derive(Debug, Default)]
struct State {
    session_id: String,
    /// The model's text since the prompt, or since the last retry.
    response: String,
    /// Whether standard output ends in the middle of a line.
    line: Line,
    /// Why the turn failed.
    failure: Option<String>,
    /// Why the response isn't all of an answer (LO-3).
    incomplete: Option<String>,
    /// What makes the model's text harmless on its way to a terminal (OUT-9); nothing if standard
    /// output isn't one, and the text is passed on as it is.
    terminal: Option<VisibleStream>,
    /// Whether the last refusal was by a hook that failed (IO-21).
    refusal: Refusal,
    /// Whether events are written already: earlier warnings wait for the first of them.
    events: Events,
    /// The warnings to the user, in order.
    warnings: Vec<String>,
    /// The same, to be found in: there may be one for each of many hooks.
    known_warnings: HashSet<String>,
    answer: Answer,
}

/// Who refused last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Refusal {
    /// A hook that decided so.
    #[default]
    Decided,
    /// A hook that failed, if that refuses.
    ByFailure,
}

/// Whether events are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Events {
    #[default]
    Waiting,
    Written,
}

/// Whether all of the answer reached standard output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Answer {
    #[default]
    Written,
    /// It has been reported to the user.
    Incomplete,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Line {
    #[default]
    Ended,
    Open,
}

impl Screen {
    /// Creates the screen for the options of a session.
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            format: options.output_format,
            hooks: HookNotices::new(options.detail),
            started: Instant::now(),
            state: Mutex::new(State {
                // The id also appears if the session didn't start: callers expect a string.
                session_id: options
                    .session_id
                    .clone()
                    .unwrap_or_else(|| uuid::Uuid::new_v4().to_string()),
                terminal: std::io::stdout().is_terminal().then(VisibleStream::default),
                ..State::default()
            }),
        }
    }

    /// Whether hooks are named while they run.
    pub(crate) fn name_hooks(&self, notifications: HookNotifications) {
        self.hooks.name_hooks(notifications);
    }

    /// Shows a warning without a prefix, and keeps it.
    pub(crate) fn warning_line(&self, line: &str) {
        notices::print(line);
        self.keep_warning(line.strip_prefix("warning: ").unwrap_or(line));
    }

    /// Reports that no session could start, in the chosen form, and returns the exit code.
    pub(crate) fn could_not_start(&self, error: &SessionError) -> u8 {
        let message = error.to_string();
        let description = json!({"type": error.kind(), "message": message, "code": error.code()});
        let session_id = self.state().session_id.clone();
        if self.format == OutputFormat::Json && !std::io::stderr().is_terminal() {
            // Gemini CLI prints the error on standard error, and its callers look for it there.
            notices::print(&format!(
                "{:#}",
                json!({"session_id": session_id, "error": description})
            ));
        } else {
            notices::print(&format!("error: {message}"));
        }
        let mut shown = self.state();
        match self.format {
            OutputFormat::Text => {}
            OutputFormat::Json => {
                let object = json!({
                    "session_id": session_id,
                    "response": "",
                    "stats": Stats::default(),
                    "warnings": shown.warnings,
                    "error": description,
                });
                shown.write_json(&format!("{object:#}\n"));
            }
            OutputFormat::StreamJson => {
                let warnings = std::mem::take(&mut shown.warnings);
                let events = warnings.iter().map(|it| stream_json::error("warning", it));
                let stats = stream_json::stats(&Stats::default(), self.started.elapsed());
                let end = [
                    stream_json::error("error", &message),
                    stream_json::not_started(error, &stats),
                ];
                for event in events.chain(end) {
                    shown.write_json(&format!("{event}\n"));
                }
            }
        }
        match shown.answer {
            Answer::Written => error.code(),
            Answer::Incomplete => FAILED,
        }
    }

    /// Returns the exit code of a turn: a refusal is a decision unless a hook that failed made it
    /// (AG-CLI-4).
    pub(crate) fn exit_code(&self, end: &TurnEnd) -> u8 {
        match (end, self.state().refusal) {
            (TurnEnd::Refused(..), Refusal::ByFailure) => FAILED,
            _ => exit_code(end),
        }
    }

    /// Begins the session.
    pub(crate) fn begin(&self, session: &SessionIdentity, model: &str, prompt: &str) {
        self.state().session_id.clone_from(&session.session_id);
        let earlier = {
            let mut state = self.state();
            state.events = Events::Written;
            state.warnings.clone()
        };
        self.emit(|| stream_json::init(&session.session_id, model));
        self.emit(|| stream_json::user_message(prompt));
        for warning in &earlier {
            self.emit(|| stream_json::error("warning", warning));
        }
    }

    /// Ends the session: writes what the format keeps for the end.
    pub(crate) fn finish(&self, end: &TurnEnd, stats: &Stats) -> Answer {
        let mut shown = self.state();
        match self.format {
            OutputFormat::Text => {
                shown.end_line();
            }
            OutputFormat::Json => {
                let mut object = json!({
                    "session_id": shown.session_id,
                    "response": shown.response,
                    "stats": stats,
                    "warnings": shown.warnings,
                });
                if let Some(failure) = &shown.failure {
                    object["error"] =
                        json!({"type": "Error", "message": failure, "code": exit_code(end)});
                }
                if let Some(why) = &shown.incomplete {
                    object["incomplete"] = json!(why);
                }
                shown.write_json(&format!("{object:#}\n"));
            }
            OutputFormat::StreamJson => {
                let stats = stream_json::stats(stats, self.started.elapsed());
                let mut result = stream_json::result(end, &stats, shown.failure.as_deref());
                if let Some(why) = &shown.incomplete {
                    result["incomplete"] = json!(why);
                }
                shown.write_json(&format!("{result}\n"));
            }
        }
        shown.answer
    }

    /// Writes an event, if the output consists of events.
    fn emit(&self, event: impl FnOnce() -> Value) {
        if self.format != OutputFormat::StreamJson {
            return;
        }
        let mut state = self.state();
        if state.events == Events::Written {
            state.write_json(&format!("{}\n", event()));
        }
    }

    fn show_text(&self, text: &str) {
        let mut state = self.state();
        state.response.push_str(text);
        if self.format == OutputFormat::Text {
            state.line = if text.ends_with('\n') {
                Line::Ended
            } else {
                Line::Open
            };
            state.write_text(text);
        }
    }

    /// Removes the text of an answer that doesn't count from the response (LO-3). What was streamed
    /// already can't be withdrawn; the warning says so.
    fn take_back(&self, text: &str) {
        let mut state = self.state();
        let kept = state.response.len().saturating_sub(text.len());
        if state.response.ends_with(text) {
            state.response.truncate(kept);
        }
    }

    fn end_line(&self) {
        if self.format == OutputFormat::Text {
            self.state().end_line();
        }
    }

    fn show_tool_end(end: &ToolEnd<'_>) {
        if let Some(error) = end.error {
            notices::print(&format!(
                "Error executing tool {}: {}",
                end.call.name, error.message
            ));
        }
    }

    /// Shows what a sub-agent does; the response on standard output isn't its own (TO-4).
    fn show_sub_agent(&self, identity: &AgentIdentity, event: &SessionEvent<'_>) {
        let named = |event| stream_json::with_agent(identity, event);
        match event {
            SessionEvent::ToolRequested(call) => {
                self.emit(|| named(stream_json::tool_use(call)));
            }
            SessionEvent::ToolFinished(end) => {
                Self::show_tool_end(end);
                self.emit(|| named(stream_json::tool_result(end)));
            }
            SessionEvent::Retrying(reason) => self.warn(&format!(
                "{}: the response was rejected, the agent tries again: {reason}",
                identity.agent_name
            )),
            SessionEvent::Warning(text) => {
                self.warn(&format!("{}: {text}", identity.agent_name));
            }
            SessionEvent::ModelText(_) | SessionEvent::ResponseEnded => {}
            event => self.show(event),
        }
    }

    fn fail(&self, why: &str) {
        self.state().failure = Some(why.to_owned());
        notices::print(&format!("error: {why}"));
        self.emit(|| stream_json::error("error", why));
    }

    fn warn(&self, text: &str) {
        notices::print(&format!("[WARNING] {text}"));
        self.keep_warning(text);
    }

    /// Keeps a warning for the forms of output that programs read: they don't see standard
    /// error.
    pub(crate) fn keep_warning(&self, text: &str) {
        {
            let mut state = self.state();
            // A hook that fails on every chunk reports the same for each of them.
            if !state.known_warnings.insert(text.to_owned()) {
                return;
            }
            state.warnings.push(text.to_owned());
        }
        self.emit(|| stream_json::error("warning", text));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change of the state is whole, so a poisoned lock guards nothing broken.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Writes text of the model.
    fn write_text(&mut self, text: &str) {
        match self.terminal.as_mut().map(|it| it.push(text)) {
            Some(shown) => self.write(&shown),
            None => self.write(text),
        }
    }

    /// Ends the line that is open.
    fn end_line(&mut self) {
        if self.line == Line::Open {
            self.line = Line::Ended;
            let rest = self.terminal.as_mut().map(VisibleStream::finish);
            self.write(&(rest.unwrap_or_default() + "\n"));
        }
    }

    /// Writes JSON that is harmless for a terminal, too.
    fn write_json(&mut self, json: &str) {
        match &self.terminal {
            Some(_) => self.write(&visible_json(json)),
            None => self.write(json),
        }
    }

    /// Writes to standard output; a failure is reported once.
    fn write(&mut self, text: &str) {
        if self.answer == Answer::Incomplete {
            return;
        }
        if let Err(error) = output::write_result(text) {
            self.answer = Answer::Incomplete;
            notices::print(&format!("error: {}", output::unwritten(&error)));
        }
    }
}

impl Frontend for Screen {
    fn show(&self, event: &SessionEvent<'_>) {
        match event {
            SessionEvent::ModelText(text) => {
                self.show_text(text);
                self.emit(|| stream_json::model_text(text));
            }
            SessionEvent::ResponseEnded => self.end_line(),
            SessionEvent::ToolRequested(call) => self.emit(|| stream_json::tool_use(call)),
            // Tool output goes to the model, after its hooks (AT-1).
            SessionEvent::ToolProgress { .. } | SessionEvent::ToolProgressHeld { .. } => {}
            SessionEvent::AnswerDropped { text, why } => {
                self.take_back(text);
                self.warn(why);
            }
            SessionEvent::AnswerIncomplete(half) => {
                self.state().incomplete = Some(half.to_string());
                if half.needs_words() {
                    let note = half.note();
                    notices::print(&note);
                    self.keep_warning(&note);
                }
            }
            SessionEvent::ToolFinished(end) => {
                Self::show_tool_end(end);
                self.emit(|| stream_json::tool_result(end));
            }
            SessionEvent::Blocked(reason) => {
                self.warn(&format!("Agent execution blocked: {reason}"));
            }
            SessionEvent::Stopped(reason) => {
                let text = format!("Agent execution stopped: {reason}");
                notices::print(&text);
                self.keep_warning(&text);
            }
            SessionEvent::Retrying(reason) => {
                {
                    let mut state = self.state();
                    state.response.clear();
                    state.incomplete = None;
                }
                // Scripts look for these words (AG-CLI-6).
                self.warn(&format!("Agent execution blocked: {reason}"));
                notices::print("the response was rejected, the agent tries again");
            }
            SessionEvent::Compressed { before, after } => notices::print(&format!(
                "Chat history compressed from about {before} to {after} tokens"
            )),
            SessionEvent::Cancelled => self.warn("the turn was cancelled"),
            SessionEvent::Warning(text) => self.warn(text),
            SessionEvent::Failed(why) => self.fail(why),
            SessionEvent::SubAgent { identity, event } => self.show_sub_agent(identity, event),
        }
    }

    /// Nobody is there to answer (TO-6, BT-5).
    fn confirm<'a>(&'a self, _request: Confirmation<'a>) -> BoxFuture<'a, Consent> {
        Box::pin(async { Consent::Nobody })
    }

    /// Nobody types anything.
    fn typed_by_person(&self, _call: &ToolCall) {}

    fn audience(&self) -> Audience {
        Audience::Absent
    }
}

impl Observer for Screen {
    fn observe(&self, _session: &SessionIdentity, lifecycle: &Lifecycle) {
        let tell = hooks::Telling {
            warn: &|warning| self.warn(warning),
            keep: &|line| self.keep_warning(line),
        };
        self.hooks.show(lifecycle, tell);
        if let Lifecycle::Started { event, hook, .. } = lifecycle
            && let Some(message) = &hook.status_message
        {
            self.emit(|| stream_json::hook_status(*event, hook, message));
        }
        if let Lifecycle::Concluded(concluded) = lifecycle {
            if let Some(refusal) = refusal_of(concluded) {
                self.state().refusal = refusal;
            }
            for run in &concluded.runs {
                self.emit(|| stream_json::hook(run));
            }
        }
    }
}

/// Returns who refused an event, if somebody did.
fn refusal_of(concluded: &Concluded) -> Option<Refusal> {
    let refused = |run: &&Arc<RunRecord>| run.result == RunResult::Refused;
    let mut refusals = concluded.runs.iter().filter(refused).peekable();
    match concluded.summary.verdict {
        // A refusal by failure is listed with the failures, not with the refusals.
        Verdict::Refused if refusals.peek().is_none() => Some(Refusal::ByFailure),
        Verdict::Refused if refusals.all(|run| run.failure.is_some()) => Some(Refusal::ByFailure),
        Verdict::Refused => Some(Refusal::Decided),
        _ => None,
    }
}

/// Whether "Executing hook: …" is shown (ST-8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HookNotifications {
    Shown,
    Hidden,
}
