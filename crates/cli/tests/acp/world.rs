//! A world for one test: files, a model that answers from a script, and an editor.

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    CancelNotification, ClientCapabilities, ClientSessionCapabilities, ContentBlock, ContentChunk,
    FileSystemCapabilities, InitializeRequest, InitializeResponse, NewSessionRequest,
    NewSessionResponse, NoticeCapabilities, PromptRequest, PromptResponse, ReadTextFileRequest,
    ReadTextFileResponse, RequestPermissionOutcome, RequestPermissionRequest,
    RequestPermissionResponse, SelectedPermissionOutcome, SessionId, SessionNotification,
    SessionUpdate, SetSessionModeRequest, TextContent, ToolCallContent,
};
use agent_client_protocol::{
    Agent, Client, Error, Lines, on_receive_notification, on_receive_request,
};
use futures_util::{Sink, Stream, sink, stream};
use hookloop_rehearsal::{ScriptedModel, ToolCall, Turn};
use hookloop_testkit::Sandbox;
use serde_json::{Value, json};
use tokio::sync::mpsc::unbounded_channel;

/// How long a test may take: not a measure of speed, only a bound for one that would hang.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Returns what the model says.
pub(crate) fn say(text: &str) -> Turn {
    Turn::Say(text.to_owned())
}

/// Lets the model call a tool.
pub(crate) fn call(tool: &str, arguments: Value) -> Turn {
    Turn::Call(ToolCall::new(tool, arguments))
}

/// Lets the model write a file.
pub(crate) fn write(file: &str) -> Turn {
    call("write_file", json!({"file_path": file, "content": "new\n"}))
}

pub(crate) struct World {
    pub(crate) sandbox: Sandbox,
    pub(crate) model: ScriptedModel,
}

/// How the program ended.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stderr: String,
}

impl World {
    pub(crate) fn new(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self {
            sandbox: Sandbox::new(),
            model: ScriptedModel::start(turns).unwrap(),
        }
    }

    /// Sets the user's settings.
    pub(crate) fn settings(self, settings: &Value) -> Self {
        self.sandbox.user_settings(&settings.to_string());
        self
    }

    /// Configures hooks of the user: of an event, a name and a command each.
    pub(crate) fn hooks(self, hooks: &[(&str, &str, &str)]) -> Self {
        self.sandbox.user_settings(&settings(hooks));
        self
    }

    /// Returns a file of the project.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.sandbox.project().join(name)
    }

    /// Returns the command of a hook that records what it reads.
    pub(crate) fn noting(&self, log: &str) -> String {
        let log = self.sandbox.root().join(log);
        format!("cat >> '{0}'; echo >> '{0}'", log.display())
    }

    /// Returns what hooks have recorded.
    pub(crate) fn noted(&self, log: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(self.sandbox.root().join(log)).unwrap_or_default();
        let lines = text.lines().filter(|it| !it.is_empty());
        lines.map(|it| serde_json::from_str(it).unwrap()).collect()
    }

    /// Returns the names of the events that hooks have recorded.
    pub(crate) fn noted_events(&self, log: &str) -> Vec<String> {
        let events = self.noted(log).into_iter();
        events
            .map(|it| it["hook_event_name"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Returns whether the model was told something in its last request.
    pub(crate) fn model_was_told(&self, text: &str) -> bool {
        let asked = self.model.turns_asked();
        asked.last().is_some_and(|it| it.mentions(text))
    }

    /// Lets an editor talk with the program until it has nothing more to say.
    pub(crate) fn edit<T>(
        &self,
        options: &[&str],
        talk: impl AsyncFnOnce(&Editor) -> T,
    ) -> (T, Ended) {
        let mut command = self.sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
        let stderr = self.sandbox.root().join("stderr.log");
        command
            .arg("--acp")
            .args(options)
            .env("GEMINI_API_KEY", "key")
            .env("GOOGLE_GEMINI_BASE_URL", self.model.url())
            // Running below an agent is a separate subject.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(std::fs::File::create(&stderr).unwrap());
        let mut child = command.spawn().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let talked = runtime.block_on(async {
            let talking = connect(&mut child, self.sandbox.project(), talk);
            tokio::time::timeout(TIMEOUT, talking).await
        });
        if talked.is_err() {
            child.kill().unwrap();
            let said = std::fs::read_to_string(&stderr).unwrap();
            panic!("the talk doesn't end: {said}");
        }
        let talked = talked.unwrap().unwrap();
        let code = child.wait().unwrap().code();
        let stderr = std::fs::read_to_string(&stderr).unwrap();
        (talked, Ended { code, stderr })
    }
}

pub(crate) fn settings(hooks: &[(&str, &str, &str)]) -> String {
    let mut events = serde_json::Map::new();
    for (event, name, command) in hooks {
        let hook = json!({ "type": "command", "name": name, "command": command });
        let groups = events.entry(*event).or_insert_with(|| json!([]));
        groups
            .as_array_mut()
            .unwrap()
            .push(json!({ "hooks": [hook] }));
    }
    json!({ "hooks": events }).to_string()
}

/// What an editor has seen.
#[derive(Default)]
struct Seen {
    updates: Vec<SessionUpdate>,
    asked: Vec<RequestPermissionRequest>,
    /// The options that the person chooses; without any left, the person cancels.
    choices: VecDeque<&'static str>,
    /// The mode that the person sets before the next answer.
    mode: Option<&'static str>,
    /// What the person has open, by the file's name.
    open: HashMap<String, &'static str>,
}

/// A connected editor.
pub(crate) struct Editor {
    pub(crate) agent: ConnectionTo<Agent>,
    seen: Arc<Mutex<Seen>>,
    folder: PathBuf,
    /// The id of the program's process.
    pub(crate) process: i32,
}

async fn connect<T>(
    child: &mut Child,
    folder: &Path,
    talk: impl AsyncFnOnce(&Editor) -> T,
) -> Result<T, Error> {
    let seen: Arc<Mutex<Seen>> = Arc::default();
    let (updated, asked, open) = (Arc::clone(&seen), Arc::clone(&seen), Arc::clone(&seen));
    let folder = folder.to_owned();
    let process = i32::try_from(child.id()).unwrap();
    Client
        .v1()
        .on_receive_notification(
            async move |notification: SessionNotification, _: ConnectionTo<Agent>| {
                updated.lock().unwrap().updates.push(notification.update);
                Ok(())
            },
            on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest,
                        responder,
                        agent: ConnectionTo<Agent>| {
                let session = request.session_id.clone();
                let (chosen, mode) = {
                    let mut seen = asked.lock().unwrap();
                    seen.asked.push(request);
                    (seen.choices.pop_front(), seen.mode.take())
                };
                // Requests are carried out in order, so the answer arrives in the new mode.
                let _set =
                    mode.map(|it| agent.send_request(SetSessionModeRequest::new(session, it)));
                let outcome = match chosen {
                    // A person who doesn't answer.
                    Some("") => {
                        std::mem::forget(responder);
                        return Ok(());
                    }
                    Some(option) => {
                        RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option))
                    }
                    None => RequestPermissionOutcome::Cancelled,
                };
                responder.respond(RequestPermissionResponse::new(outcome))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: ReadTextFileRequest, responder, _: ConnectionTo<Agent>| {
                let name = request.path.file_name().unwrap().to_str().unwrap();
                match open.lock().unwrap().open.get(name) {
                    // An editor that doesn't answer.
                    Some(&"…") => {
                        std::mem::forget(responder);
                        Ok(())
                    }
                    // One that fails, and one that says that it has no such file.
                    Some(&"!") => responder.respond_with_error(Error::internal_error()),
                    Some(text) if *text != "?" => {
                        responder.respond(ReadTextFileResponse::new(*text))
                    }
                    _ => responder.respond_with_error(Error::invalid_params()),
                }
            },
            on_receive_request!(),
        )
        .connect_with(
            Lines::new(outgoing(child), incoming(child)),
            async |agent| {
                let editor = Editor {
                    agent,
                    seen,
                    folder,
                    process,
                };
                Ok(talk(&editor).await)
            },
        )
        .await
}

fn outgoing(child: &mut Child) -> impl Sink<String, Error = std::io::Error> + Send + 'static {
    let input = child.stdin.take().unwrap();
    Box::pin(sink::unfold(input, |mut input, line: String| async move {
        input.write_all((line + "\n").as_bytes())?;
        Ok(input)
    }))
}

/// Reads what the program writes to standard output: nothing but the protocol.
fn incoming(child: &mut Child) -> impl Stream<Item = std::io::Result<String>> + Send + 'static {
    let output = child.stdout.take().unwrap();
    let (send, lines) = unbounded_channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines() {
            let line = line.unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            assert_eq!(message["jsonrpc"], "2.0", "{line}");
            if send.send(Ok(line)).is_err() {
                return;
            }
        }
    });
    Box::pin(stream::unfold(lines, |mut lines| async move {
        let line = lines.recv().await?;
        Some((line, lines))
    }))
}

impl Editor {
    /// Chooses these options when it is asked, one after the other; "" doesn't answer.
    pub(crate) fn chooses(&self, choices: &[&'static str]) {
        self.seen.lock().unwrap().choices.extend(choices);
    }

    /// Sets a mode while it is asked, and then chooses an option.
    pub(crate) fn chooses_in_mode(&self, mode: &'static str, choice: &'static str) {
        let mut seen = self.seen.lock().unwrap();
        seen.mode = Some(mode);
        seen.choices.push_back(choice);
    }

    pub(crate) async fn initializes(&self) -> InitializeResponse {
        let request = InitializeRequest::new(ProtocolVersion::V1);
        self.agent.send_request(request).block_task().await.unwrap()
    }

    /// Declares that it shows notices.
    pub(crate) async fn initializes_with_notices(&self) {
        let session = ClientSessionCapabilities::new().notices(NoticeCapabilities::new());
        let request = InitializeRequest::new(ProtocolVersion::V1)
            .client_capabilities(ClientCapabilities::new().session(session));
        self.agent.send_request(request).block_task().await.unwrap();
    }

    /// Declares that it provides the person's open files, which are these, and begins.
    pub(crate) async fn begins_with_open(&self, files: &[(&str, &'static str)]) -> SessionId {
        let files = files.iter().map(|(name, text)| ((*name).to_owned(), *text));
        self.seen.lock().unwrap().open.extend(files);
        let reads = FileSystemCapabilities::new().read_text_file(true);
        let request = InitializeRequest::new(ProtocolVersion::V1)
            .client_capabilities(ClientCapabilities::new().fs(reads));
        self.agent.send_request(request).block_task().await.unwrap();
        self.opens(&self.folder).await.unwrap().session_id
    }

    pub(crate) async fn opens(&self, folder: &Path) -> Result<NewSessionResponse, Error> {
        let request = NewSessionRequest::new(folder);
        self.agent.send_request(request).block_task().await
    }

    /// Greets the program and opens a session of the project.
    pub(crate) async fn begins(&self) -> SessionId {
        self.initializes().await;
        self.opens(&self.folder).await.unwrap().session_id
    }

    pub(crate) fn prompts(
        &self,
        session: &SessionId,
        text: &str,
    ) -> impl Future<Output = Result<PromptResponse, Error>> + use<> {
        self.sends(session, vec![ContentBlock::Text(TextContent::new(text))])
    }

    pub(crate) fn sends(
        &self,
        session: &SessionId,
        blocks: Vec<ContentBlock>,
    ) -> impl Future<Output = Result<PromptResponse, Error>> + use<> {
        let request = PromptRequest::new(session.clone(), blocks);
        self.agent.send_request(request).block_task()
    }

    pub(crate) fn cancels(&self, session: &SessionId) {
        let notification = CancelNotification::new(session.clone());
        self.agent.send_notification(notification).unwrap();
    }

    pub(crate) fn updates(&self) -> Vec<SessionUpdate> {
        self.seen.lock().unwrap().updates.clone()
    }

    pub(crate) fn asked(&self) -> Vec<RequestPermissionRequest> {
        self.seen.lock().unwrap().asked.clone()
    }

    /// Returns everything that the agent said, including notices in its messages.
    pub(crate) fn text(&self) -> String {
        let updates = self.updates().into_iter();
        let said = updates.filter_map(|update| match update {
            SessionUpdate::AgentMessageChunk(ContentChunk {
                content: ContentBlock::Text(text),
                ..
            }) => Some(text.text),
            _ => None,
        });
        said.collect()
    }

    /// Returns all updates of calls as JSON, in a text.
    pub(crate) fn calls(&self) -> Vec<Value> {
        let updates = self.updates().into_iter();
        let calls = updates.filter(|update| {
            matches!(
                update,
                SessionUpdate::ToolCall(_) | SessionUpdate::ToolCallUpdate(_)
            )
        });
        calls.map(|it| serde_json::to_value(it).unwrap()).collect()
    }
}

/// Returns the text of content of a call.
pub(crate) fn text_of(content: &[ToolCallContent]) -> String {
    let texts = content.iter().filter_map(|it| match it {
        ToolCallContent::Content(content) => match &content.content {
            ContentBlock::Text(text) => Some(text.text.clone()),
            _ => None,
        },
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Waits until a condition is true.
pub(crate) async fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let waiting = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let waited = tokio::time::timeout(TIMEOUT, waiting).await;
    assert!(waited.is_ok(), "timed out waiting until {what}");
}
