//! The agent's side of an editor: events become updates, and questions become requests.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use agent_client_protocol::Client;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    AvailableCommand, AvailableCommandInput, AvailableCommandsUpdate, ContentBlock, ContentChunk,
    CurrentModeUpdate, MessageId, Notice as SessionNotice, NoticeSeverity,
    RequestPermissionRequest, SessionId, SessionNotification, SessionUpdate, TextContent,
    ToolCall as ShownCall, ToolCallId, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
    UnstructuredCommandInput,
};
use hookloop_agent::{
    ApprovalMode, Audience, Confirmation, Consent, Frontend, ModeHandle, SessionEvent, ToolEnd,
};
use hookloop_engine::{BoxFuture, Lifecycle, Observer, SkipCause};
use hookloop_events::{EventName, SessionIdentity, ToolCall};
use hookloop_hook::{HookDeclaration, Layer};
use hookloop_session::{HostedCommand, Stage, print_notice, short_label};
use hookloop_text::{Notice, NoticeKind, hook_lines, visible_lines, visible_row};
use hookloop_tools::{Asker, NoAnswer, OpenFiles, Question};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::permission::{self, Answer};
use crate::{calls, modes};

/// How many bytes of a running tool's output are shown: its end.
const TAIL: usize = 8 * 1024;

/// How long a call shows the same before more of its output is passed on.
const PAUSE: Duration = Duration::from_millis(100);

/// How an editor shows what isn't part of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoticeForm {
    /// As notices, which the editor supports.
    Notices,
    /// As messages of the agent.
    Messages,
}

/// Whether an editor provides its open files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OpenText {
    Offered,
    Missing,
}

/// What an editor declared that it supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EditorCapabilities {
    pub(crate) notices: NoticeForm,
    pub(crate) files: OpenText,
}

/// Passes a session on to an editor.
pub(crate) struct EditorStage {
    client: ConnectionTo<Client>,
    abilities: EditorCapabilities,
    /// The folder to which paths are relative.
    folder: PathBuf,
    session: OnceLock<SessionId>,
    mode: OnceLock<ModeHandle>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Updates of a session that the editor doesn't know yet.
    pending: Vec<SessionUpdate>,
    is_known: Known,
    /// The token that cancels the running turn.
    turn: CancellationToken,
    /// The calls that haven't ended, by their sub-agent and their own id.
    running: HashMap<String, Running>,
    /// How many calls there were: their ids are unique in a session.
    calls: u64,
    /// How many notices there were.
    notices: u64,
    /// The warnings already given in this turn.
    warned: HashSet<String>,
    /// The mode that the editor was told last.
    told_mode: Option<ApprovalMode>,
    /// The commands that the editor was told last.
    told_commands: Vec<HostedCommand>,
}

/// Whether the editor knows the session.
#[derive(Default, PartialEq, Eq)]
enum Known {
    #[default]
    NotYet,
    Yes,
}

struct Running {
    id: ToolCallId,
    tail: String,
    shown: Option<Instant>,
}

impl EditorStage {
    pub(crate) fn new(
        client: ConnectionTo<Client>,
        abilities: EditorCapabilities,
        folder: PathBuf,
    ) -> Self {
        Self {
            client,
            abilities,
            folder,
            session: OnceLock::new(),
            mode: OnceLock::new(),
            state: Mutex::default(),
        }
    }

    /// Returns how the editor is asked for its open files, if it provides them.
    pub(crate) fn reads_files(&self) -> Option<(&ConnectionTo<Client>, SessionId)> {
        let session = self.session.get()?;
        (self.abilities.files == OpenText::Offered).then(|| (&self.client, session.clone()))
    }

    /// Sets the session; it exists from now on.
    pub(crate) fn name(&self, session: SessionId, mode: ModeHandle) {
        self.state().told_mode = Some(mode.get());
        // Can't fail: they are set only here.
        drop((self.session.set(session), self.mode.set(mode)));
    }

    /// Passes on what was held back, and everything from now on: the editor knows the session.
    pub(crate) fn release(&self) {
        let delayed = {
            let mut state = self.state();
            state.is_known = Known::Yes;
            std::mem::take(&mut state.pending)
        };
        for update in delayed {
            self.send(update);
        }
    }

    /// Writes to standard error what was held back: there is no session in which the editor could
    /// show it.
    pub(crate) fn print_held(&self) {
        for update in std::mem::take(&mut self.state().pending) {
            print_notice(&describe_unsent(&update));
        }
    }

    /// Begins a turn, which the token cancels.
    pub(crate) fn begin_turn(&self, cancel: CancellationToken) {
        let mut state = self.state();
        state.turn = cancel;
        state.warned.clear();
    }

    /// Ends a turn: no call runs any more.
    pub(crate) fn end_turn(&self) {
        let left = std::mem::take(&mut self.state().running);
        for call in left.into_values() {
            let fields = ToolCallUpdateFields::new().status(ToolCallStatus::Failed);
            self.send_call(call.id, fields);
        }
        self.say_mode();
    }

    /// Tells the editor about a mode that differs from the one that it knows.
    pub(crate) fn say_mode(&self) {
        let Some(mode) = self.mode.get().map(ModeHandle::get) else {
            return;
        };
        if self.state().told_mode.replace(mode) != Some(mode) {
            let update = CurrentModeUpdate::new(mode.to_string());
            self.send(SessionUpdate::CurrentModeUpdate(update));
        }
    }

    /// Tells the editor which commands there are, unless it knows.
    pub(crate) fn say_commands(&self, commands: Vec<HostedCommand>) {
        if self.state().told_commands == commands {
            return;
        }
        let available = commands.iter().map(|it| {
            let input = it.hint.clone().map(|hint| {
                AvailableCommandInput::Unstructured(UnstructuredCommandInput::new(hint))
            });
            AvailableCommand::new(visible_row(&it.name), visible_row(&it.description)).input(input)
        });
        let update = AvailableCommandsUpdate::new(available.collect());
        self.state().told_commands = commands;
        self.send(SessionUpdate::AvailableCommandsUpdate(update));
    }

    /// Adopts a mode that the editor requests.
    pub(crate) fn take_mode(&self, id: &str) -> Result<(), String> {
        let handle = self.mode.get().ok_or("the session hasn't started")?;
        let mode = modes::parse_mode(id, handle.get())?;
        handle.set(mode);
        self.state().told_mode = Some(mode);
        Ok(())
    }

    /// Passes an update on, or holds it back.
    pub(crate) fn send(&self, update: SessionUpdate) {
        let session = {
            let mut state = self.state();
            let known = self.session.get().filter(|_| state.is_known == Known::Yes);
            let Some(session) = known else {
                state.pending.push(update);
                return;
            };
            session.clone()
        };
        let notification = SessionNotification::new(session, update);
        if let Err(error) = self.client.send_notification(notification.clone()) {
            print_notice(&format!(
                "{} ({error})",
                describe_unsent(&notification.update)
            ));
        }
    }

    fn send_call(&self, id: ToolCallId, fields: ToolCallUpdateFields) {
        let update = ToolCallUpdate::new(id, fields);
        self.send(SessionUpdate::ToolCallUpdate(update));
    }

    /// Warns once in a turn: a hook of chunks that fails reports the same for each of them.
    fn warn(&self, text: &str) {
        if self.state().warned.insert(text.to_owned()) {
            self.tell(Notice::warning(text));
        }
    }

    /// Shows what a hook says about itself while it runs (HT-3); for one that reads chunks, once
    /// per turn.
    fn tell_status(&self, event: EventName, hook: &HookDeclaration, number: usize, of: usize) {
        let Some(message) = &hook.status_message else {
            return;
        };
        let label = short_label(hook);
        let shown_name = (hook.source.layer != Some(Layer::System)).then_some(label.as_str());
        let text = hook_lines::status(message, shown_name, number, of);
        if event != EventName::AfterModel || self.state().warned.insert(text.clone()) {
            self.say(NoticeKind::Hook, text);
        }
    }

    fn say(&self, kind: NoticeKind, text: impl Into<String>) {
        self.tell(Notice::new(kind, text));
    }

    fn tool_requested(&self, call: &ToolCall, agent: Option<&str>) {
        let id = {
            let mut state = self.state();
            state.calls += 1;
            let id = ToolCallId::new(format!("call-{}", state.calls));
            let running = Running {
                id: id.clone(),
                tail: String::new(),
                shown: None,
            };
            state.running.insert(key(agent, &call.id), running);
            id
        };
        let shown = ShownCall::new(id, calls::title(call, agent))
            .name(call.name.clone())
            .kind(calls::kind(&call.name))
            .status(ToolCallStatus::Pending)
            .locations(calls::locations(&call.arguments, &self.folder))
            .raw_input(json!(call.arguments));
        self.send(SessionUpdate::ToolCall(shown));
    }

    /// Shows the end of a running call's output.
    fn tool_progress(&self, agent: Option<&str>, call: &str, text: &str) {
        let shown = {
            let mut state = self.state();
            let Some(running) = state.running.get_mut(&key(agent, call)) else {
                return;
            };
            running.tail.push_str(text);
            if running.tail.len() > TAIL {
                let start = running.tail.len() - TAIL;
                let start = running.tail.ceil_char_boundary(start);
                running.tail.drain(..start);
            }
            if running.shown.is_some_and(|it| it.elapsed() < PAUSE) {
                return;
            }
            running.shown = Some(Instant::now());
            (running.id.clone(), calls::text(&running.tail))
        };
        let fields = ToolCallUpdateFields::new()
            .status(ToolCallStatus::InProgress)
            .content(shown.1);
        self.send_call(shown.0, fields);
    }

    /// Shows how many lines are held back until hooks have answered, but none of them (AT-1).
    fn report_held(&self, agent: Option<&str>, call: &str, lines: usize) {
        let id = match self.state().running.get(&key(agent, call)) {
            Some(running) => running.id.clone(),
            None => return,
        };
        let text = format!("{lines} lines, held back until hooks have answered");
        let fields = ToolCallUpdateFields::new()
            .status(ToolCallStatus::InProgress)
            .content(calls::text(&text));
        self.send_call(id, fields);
    }

    fn tool_finished(&self, end: &ToolEnd<'_>, agent: Option<&str>) {
        let key = key(agent, &end.call.id);
        if !self.state().running.contains_key(&key) {
            // A tool that a hook runs in addition wasn't requested by the model.
            self.tool_requested(end.call, agent);
        }
        let Some(running) = self.state().running.remove(&key) else {
            return;
        };
        let status = if end.error.is_some() {
            ToolCallStatus::Failed
        } else {
            ToolCallStatus::Completed
        };
        let mut fields = ToolCallUpdateFields::new()
            .status(status)
            .content(calls::outcome(end));
        if !end.call.changed_arguments.is_empty() {
            fields = fields
                .title(calls::title(end.call, agent))
                .raw_input(json!(end.call.arguments));
        }
        self.send_call(running.id, fields);
        if end.error.is_none()
            && let Some(plan) = calls::plan(end.call)
        {
            self.send(SessionUpdate::Plan(plan));
        }
        self.say_mode();
    }

    fn show_of(&self, event: &SessionEvent<'_>, agent: Option<&str>) {
        let named = |text: &str| match agent {
            Some(agent) => format!("{agent}: {text}"),
            None => text.to_owned(),
        };
        match event {
            SessionEvent::ModelText(text) => {
                // A sub-agent's text is progress of the call that it works for (TO-4).
                if agent.is_none() {
                    self.send(SessionUpdate::AgentMessageChunk(chunk(text)));
                }
            }
            SessionEvent::ResponseEnded => {}
            SessionEvent::ToolRequested(call) => self.tool_requested(call, agent),
            SessionEvent::ToolProgress { call_id, text } => {
                self.tool_progress(agent, call_id, text);
            }
            SessionEvent::ToolProgressHeld { call_id, lines } => {
                self.report_held(agent, call_id, *lines);
            }
            SessionEvent::ToolFinished(end) => self.tool_finished(end, agent),
            SessionEvent::AnswerDropped { why, .. } => self.warn(&named(why)),
            SessionEvent::AnswerIncomplete(half) => {
                if half.needs_words() {
                    self.say(NoticeKind::Warning, named(&half.note()));
                }
            }
            SessionEvent::Blocked(reason) => {
                self.warn(&named(&format!("Agent execution blocked: {reason}")));
            }
            SessionEvent::Stopped(reason) => {
                let text = format!("Agent execution stopped: {reason}");
                self.say(NoticeKind::Warning, named(&text));
            }
            SessionEvent::Retrying(reason) => self.warn(&named(&format!(
                "the response was rejected, the agent tries again: {reason}"
            ))),
            SessionEvent::Compressed { before, after } => {
                let text =
                    format!("Chat history compressed from about {before} to {after} tokens.");
                self.say(NoticeKind::Info, named(&text));
            }
            SessionEvent::Cancelled => {
                self.say(NoticeKind::Warning, named("Request cancelled."));
            }
            SessionEvent::Warning(text) => self.warn(&named(text)),
            SessionEvent::Failed(why) => {
                self.say(NoticeKind::Error, named(&format!("Error: {why}")));
            }
            SessionEvent::SubAgent { identity, event } => {
                self.show_of(event, Some(&identity.agent_name));
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change of the state is complete, so a poisoned lock guards nothing broken.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(agent: Option<&str>, call: &str) -> String {
    format!("{}\n{call}", agent.unwrap_or_default())
}

/// Returns text as a piece of a message.
pub(crate) fn chunk(text: &str) -> ContentChunk {
    ContentChunk::new(ContentBlock::Text(TextContent::new(text)))
}

/// Describes an update that doesn't reach the editor.
fn describe_unsent(update: &SessionUpdate) -> String {
    match update {
        SessionUpdate::Notice(notice) => notice.title.clone(),
        SessionUpdate::AgentMessageChunk(ContentChunk {
            content: ContentBlock::Text(text),
            ..
        }) => text.text.trim().to_owned(),
        _ => "an update couldn't be sent to the editor".to_owned(),
    }
}

impl Stage for EditorStage {
    fn report(&self, problem: &str) {
        self.warn(problem);
    }

    fn tell(&self, notice: Notice) {
        let text = visible_lines(&notice.text);
        if self.abilities.notices == NoticeForm::Notices {
            let severity = match notice.kind {
                NoticeKind::Info | NoticeKind::Answer | NoticeKind::Hook => NoticeSeverity::Info,
                NoticeKind::Warning => NoticeSeverity::Warning,
                NoticeKind::Error => NoticeSeverity::Error,
            };
            self.send(SessionUpdate::Notice(SessionNotice::new(severity, text)));
            return;
        }
        let number = {
            let mut state = self.state();
            state.notices += 1;
            state.notices
        };
        // A separate paragraph and message, because the text isn't the model's.
        let chunk = chunk(&format!("\n\n{text}\n\n"));
        let chunk = chunk.message_id(MessageId::new(format!("notice-{number}")));
        self.send(SessionUpdate::AgentMessageChunk(chunk));
    }

    fn asker(self: Arc<Self>) -> Option<Arc<dyn Asker>> {
        Some(self)
    }

    fn open_files(self: Arc<Self>) -> Option<Arc<dyn OpenFiles>> {
        (self.abilities.files == OpenText::Offered).then_some(self as Arc<dyn OpenFiles>)
    }
}

impl Asker for EditorStage {
    /// The protocol only has requests for permission, which editors may be configured to grant:
    /// nobody would really have answered.
    fn ask<'a>(
        &'a self,
        _questions: &'a [Question],
    ) -> BoxFuture<'a, Result<Vec<String>, NoAnswer>> {
        Box::pin(async { Err(NoAnswer::NoDialog) })
    }
}

impl Frontend for EditorStage {
    fn show(&self, event: &SessionEvent<'_>) {
        self.show_of(event, None);
    }

    fn confirm<'a>(&'a self, request: Confirmation<'a>) -> BoxFuture<'a, Consent> {
        let agent = request.agent.map(|it| it.agent_name.as_str());
        let key = key(agent, &request.call.id);
        // Reading a file named in a prompt isn't shown as a call until it needs confirmation.
        let is_unknown = !self.state().running.contains_key(&key);
        if is_unknown {
            self.tool_requested(request.call, agent);
        }
        let asked = {
            let state = self.state();
            let running = state.running.get(&key);
            running
                .map(|it| it.id.clone())
                .zip(self.session.get().cloned())
                .map(|known| (known, state.turn.clone()))
        };
        let Some(((call, session), turn)) = asked else {
            // In a session that the editor doesn't know, nobody can be asked.
            return Box::pin(async { Consent::Nobody });
        };
        let question = permission::request(session, call.clone(), &request, &self.folder);
        Box::pin(async move {
            let consent = self.ask(question, &turn, &request.call.name).await;
            if is_unknown {
                self.state().running.remove(&key);
                let status = match consent {
                    Consent::Given | Consent::GivenForSession => ToolCallStatus::Completed,
                    _ => ToolCallStatus::Failed,
                };
                self.send_call(call, ToolCallUpdateFields::new().status(status));
            }
            consent
        })
    }

    /// Nobody types calls in an editor.
    fn typed_by_person(&self, _call: &ToolCall) {}

    fn audience(&self) -> Audience {
        Audience::Present
    }
}

impl EditorStage {
    /// Asks the person, as long as the turn isn't cancelled.
    async fn ask(
        &self,
        question: RequestPermissionRequest,
        turn: &CancellationToken,
        tool: &str,
    ) -> Consent {
        let offered = question.options.clone();
        let asked = self.client.send_request(question).block_task();
        match turn.run_until_cancelled(asked).await {
            // Cancelling isn't an answer.
            None => Consent::Declined,
            Some(Ok(response)) => match permission::answer(&response.outcome, &offered) {
                Answer::CommandOutput(consent) => consent,
                Answer::Cancelled => {
                    turn.cancel();
                    Consent::Declined
                }
            },
            Some(Err(error)) => {
                self.warn(&format!(
                    "the editor didn't answer the question whether {tool} may run: {error}"
                ));
                Consent::Nobody
            }
        }
    }
}

impl Observer for EditorStage {
    fn observe(&self, _session: &SessionIdentity, lifecycle: &Lifecycle) {
        match lifecycle {
            Lifecycle::Skipped { hook, causes, .. } => {
                // The other causes were said when the session began.
                let shadowed = causes
                    .iter()
                    .filter(|it| matches!(it, SkipCause::Shadowed(_)));
                for cause in shadowed {
                    let label = short_label(hook);
                    self.warn(&hook_lines::not_run(&label, &hook.source, &cause.message()));
                }
            }
            Lifecycle::Concluded(concluded) => {
                for message in &concluded.messages {
                    self.say(NoticeKind::Hook, hook_lines::system_message(&message.text));
                }
                for notice in &concluded.notices {
                    let (hook, source) = (&notice.hook, &notice.source);
                    self.warn(&hook_lines::notice(hook, source, &notice.text));
                }
            }
            Lifecycle::Started {
                event,
                hook,
                number,
                of,
            } => self.tell_status(*event, hook, *number, *of),
            _ => {}
        }
    }
}
