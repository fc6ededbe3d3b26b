//! One configured server for the whole session.

use std::ffi::OsString;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hookloop_hook::Source;
use hookloop_process::GRACE;
use hookloop_text::causes;
use hookloop_tools::{Arguments, ErrorKind, Output, ToolError};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, GetPromptRequestParams,
    GetPromptResponse, PromptMessage, ReadResourceRequestParams, ReadResourceResponse,
};
use rmcp::service::{Peer, RoleClient, ServiceError};
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::catalogue::{self, Catalogue};
use crate::configuration::Configuration;
use crate::connection::{self, Connection, Opened};
use crate::grant::McpTokens;
use crate::listing::McpState;
use crate::problem::{McpProblem, McpReport};
use crate::process::SETTLE;
use crate::reading::{MAX_MESSAGE_BYTES, flood};
use crate::result;

/// The default timeout for connecting.
const CONNECT: Duration = Duration::from_secs(30);

/// The default timeout for a call.
const CALL: Duration = Duration::from_mins(10);

/// How long to wait for the end of a server's process, to report why a call failed.
const LAST_LOOK: Duration = Duration::from_secs(5);

/// The minimum pause between two requests for changed lists.
const PAUSE: Duration = Duration::from_millis(500);

/// The error for a server that wants more input before it answers.
const ASKS_FOR_MORE: &str = "asks for more than a result, which isn't supported";

/// What all servers of a session share.
pub(crate) struct Shared {
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) report: McpReport,
    /// The tokens for servers; `None` if no server gets any.
    pub(crate) tokens: Option<McpTokens>,
    /// Counts changes of what servers offer, and of their states.
    pub(crate) revision: watch::Sender<u64>,
    /// Ends all connections.
    pub(crate) closing: CancellationToken,
    /// The tasks that manage connections.
    pub(crate) tasks: Mutex<Vec<JoinHandle<()>>>,
}

impl Shared {
    /// Reports a problem of a server.
    pub(crate) fn report_problem(&self, server: &str, source: &Source, message: impl Into<String>) {
        self.report.send(&McpProblem {
            server: server.to_owned(),
            source_of_server: source.clone(),
            message: message.into(),
        });
    }

    /// Registers a task, to wait for at the end of the session.
    pub(crate) fn keep(&self, task: JoinHandle<()>) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.retain(|task| !task.is_finished());
        tasks.push(task);
    }

    fn count_change(&self) {
        self.revision.send_modify(|revision| *revision += 1);
    }
}

/// Why a hook's tool gave no reply.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoToolReply {
    /// It wasn't called (IO-21).
    NotStarted(String),
    /// It was called, and gave no usable answer.
    Failed(String),
    /// It sent more than this many bytes.
    Flooded(u64),
}

/// Waits for the tasks that manage connections, which have to be closing.
pub(crate) async fn end_all(shared: &Shared) {
    let take = || std::mem::take(&mut *shared.tasks.lock().unwrap_or_else(PoisonError::into_inner));
    // A task may have registered another one before it ended.
    loop {
        let tasks = take();
        if tasks.is_empty() {
            break;
        }
        for task in tasks {
            // A task that panicked has dropped its process.
            drop(task.await);
        }
    }
}

/// A configured server; see the module's description.
pub(crate) struct Server {
    pub(crate) configuration: Configuration,
    shared: Arc<Shared>,
    standing: Mutex<Standing>,
    /// Locked while a caller connects.
    connecting: tokio::sync::Mutex<()>,
}

struct Standing {
    state: McpState,
    connection: Option<Connection>,
    /// What the server offered last, even after the connection has ended.
    catalogue: Arc<Catalogue>,
}

impl Server {
    pub(crate) fn new(configuration: Configuration, shared: Arc<Shared>) -> Self {
        Self {
            configuration,
            shared,
            standing: Mutex::new(Standing {
                state: McpState::Connecting,
                connection: None,
                catalogue: Arc::default(),
            }),
            connecting: tokio::sync::Mutex::new(()),
        }
    }

    fn standing(&self) -> MutexGuard<'_, Standing> {
        // The state is consistent between any two statements, even after a panic elsewhere.
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the state of the server.
    pub(crate) fn state(&self) -> McpState {
        self.standing().state.clone()
    }

    /// Returns what the server offered last.
    pub(crate) fn catalogue(&self) -> Arc<Catalogue> {
        Arc::clone(&self.standing().catalogue)
    }

    /// Reports a problem of this server.
    pub(crate) fn report(&self, message: impl Into<String>) {
        let Configuration { name, source, .. } = &self.configuration;
        self.shared.report_problem(name, source, message);
    }

    fn alive(&self) -> Option<Connection> {
        let standing = self.standing();
        standing.connection.clone().filter(Connection::is_alive)
    }

    /// Returns the connection; tries once to connect if there is none (TO-3).
    pub(crate) async fn connection(self: &Arc<Self>) -> Result<Connection, String> {
        if let Some(connection) = self.alive() {
            return Ok(connection);
        }
        let _turn = self.connecting.lock().await;
        // Another caller may have connected meanwhile.
        if let Some(connection) = self.alive() {
            return Ok(connection);
        }
        let connected = tokio::select! {
            biased;
            () = self.shared.closing.cancelled() => return Err("the session has ended".to_owned()),
            connected = self.open() => connected,
        };
        match connected {
            Ok((opened, catalogue, notes)) => Ok(self.establish(opened, catalogue, notes)),
            Err(cause) => {
                self.standing().state = McpState::Failed(cause.clone());
                self.report(cause.clone());
                self.shared.count_change();
                Err(cause)
            }
        }
    }

    /// Connects again, because the server's tokens have changed.
    pub(crate) async fn renew(self: &Arc<Self>) -> Result<(), String> {
        let old = self.standing().connection.take();
        if let Some(mut old) = old {
            old.give_up.notify_one();
            let ended = old.ended.wait_for(Option::is_some);
            drop(tokio::time::timeout(LAST_LOOK, ended).await);
        }
        self.connection().await.map(drop)
    }

    async fn open(&self) -> Result<(Opened, Catalogue, Vec<String>), String> {
        let limit = self.configuration.timeout.unwrap_or(CONNECT);
        let work = async {
            let Shared {
                environment,
                tokens,
                ..
            } = &*self.shared;
            let opened =
                connection::open(&self.configuration, environment, tokens.as_ref()).await?;
            let asked = catalogue::ask(opened.service.peer(), &self.configuration.choice).await;
            match asked {
                Ok((catalogue, notes)) => Ok((opened, catalogue, notes)),
                Err(ServiceError::McpError(error)) => {
                    Err(format!("it can't list its tools: {}", error.message))
                }
                Err(error) => {
                    let (_, remains) = opened.split();
                    let cause = remains.end().await;
                    let cause = cause.unwrap_or_else(|| causes(&error));
                    Err(format!("it can't list its tools: {cause}"))
                }
            }
        };
        let opened = tokio::time::timeout(limit, work).await;
        opened.unwrap_or_else(|_| Err(format!("it hasn't answered for {limit:?}")))
    }

    fn establish(
        self: &Arc<Self>,
        opened: Opened,
        catalogue: Catalogue,
        notes: Vec<String>,
    ) -> Connection {
        let (end, ended) = watch::channel(None);
        let connection = Connection {
            peer: opened.service.peer().clone(),
            ended,
            give_up: Arc::new(Notify::new()),
        };
        *self.standing() = Standing {
            state: McpState::Ready,
            connection: Some(connection.clone()),
            catalogue: Arc::new(catalogue),
        };
        for note in notes {
            self.report(note);
        }
        let give_up = Arc::clone(&connection.give_up);
        let server = Arc::clone(self);
        self.shared.keep(tokio::spawn(async move {
            let cause = server.look_after(opened, &give_up).await;
            // Sent last, so that whoever waits for the cause also sees the server's new state.
            end.send_replace(Some(cause));
        }));
        self.shared.count_change();
        connection
    }

    /// Manages a connection until it ends, and returns the reason.
    async fn look_after(&self, opened: Opened, give_up: &Notify) -> String {
        let closing = &self.shared.closing;
        let changed = Arc::clone(&opened.changed);
        let peer = opened.service.peer().clone();
        let stop = opened.stop();
        let (service, mut remains) = opened.split();
        let mut next = Instant::now();
        {
            let mut over = pin!(service.waiting());
            let is_over = loop {
                tokio::select! {
                    _ = &mut over => break true,
                    () = closing.cancelled() => break false,
                    () = remains.exited() => {
                        break tokio::time::timeout(SETTLE, &mut over).await.is_ok();
                    }
                    () = give_up.notified() => break false,
                    () = async { changed.notified().await; tokio::time::sleep_until(next).await } => {
                        tokio::select! {
                            () = self.refresh(&peer) => {}
                            () = closing.cancelled() => {}
                        }
                        next = Instant::now() + PAUSE;
                    }
                }
            };
            stop.cancel();
            if !is_over {
                drop(tokio::time::timeout(GRACE, over).await);
            }
        }
        let cause = remains.end().await;
        if closing.is_cancelled() {
            return "the session has ended".to_owned();
        }
        let cause = cause.unwrap_or_else(|| "the connection broke".to_owned());
        self.standing().state = McpState::Failed(cause.clone());
        self.report(format!("the connection is gone: {cause}"));
        cause
    }

    /// Requests the server's lists again, because it reported a change (TO-3).
    async fn refresh(&self, peer: &Peer<RoleClient>) {
        let limit = self.configuration.timeout.unwrap_or(CONNECT);
        let asked = catalogue::ask(peer, &self.configuration.choice);
        match tokio::time::timeout(limit, asked).await {
            Ok(Ok((catalogue, notes))) => {
                if *self.catalogue() == catalogue {
                    return;
                }
                self.standing().catalogue = Arc::new(catalogue);
                for note in notes {
                    self.report(note);
                }
                self.shared.count_change();
            }
            // The end of the connection is reported elsewhere.
            Ok(Err(ServiceError::TransportClosed)) => {}
            Ok(Err(error)) => self.keep_lists(&causes(&error)),
            Err(_) => self.keep_lists(&format!("no answer for {limit:?}")),
        }
    }

    fn keep_lists(&self, why: &str) {
        self.report(format!(
            "its changed lists can't be read, so the earlier ones stay in use: {why}"
        ));
    }

    /// Calls a tool for a hook (HT-50), even one that the settings exclude for the model. The
    /// hook's own deadline applies.
    pub(crate) async fn decide(
        self: &Arc<Self>,
        tool: &str,
        arguments: Arguments,
    ) -> Result<CallToolResult, NoToolReply> {
        let connection = self.connection().await.map_err(|cause| {
            let name = &self.configuration.name;
            NoToolReply::NotStarted(format!(
                "the MCP server \"{name}\" can't be reached: {cause}"
            ))
        })?;
        let catalogue = self.catalogue();
        let mut offered = catalogue.tools.iter().map(|it| it.name.as_str());
        let mut left_out = catalogue.left_out.iter().map(|(name, _)| name.as_str());
        if !offered.any(|it| it == tool) && !left_out.any(|it| it == tool) {
            let names: Vec<&str> = catalogue.tools.iter().map(|it| it.name.as_str()).collect();
            return Err(NoToolReply::NotStarted(format!(
                "the MCP server \"{}\" has no tool \"{tool}\"; it has: {}",
                self.configuration.name,
                names.join(", ")
            )));
        }
        let request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        match connection.peer.clone().call_tool_once(request).await {
            Ok(CallToolResponse::Complete(result)) => Ok(result),
            Ok(_) => Err(NoToolReply::Failed(format!("the tool {ASKS_FOR_MORE}"))),
            Err(error) => {
                let message = self.error_of(error, connection).await.message;
                Err(if message.contains(&flood()) {
                    NoToolReply::Flooded(MAX_MESSAGE_BYTES as u64)
                } else {
                    NoToolReply::Failed(message)
                })
            }
        }
    }

    /// Returns what all servers share.
    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// Calls a tool.
    pub(crate) async fn call(
        self: &Arc<Self>,
        tool: &str,
        arguments: Arguments,
        cancel: &CancellationToken,
    ) -> Output {
        let request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let answered = self
            .ask(
                cancel,
                |peer| async move { peer.call_tool_once(request).await },
            )
            .await;
        match answered {
            Ok(CallToolResponse::Complete(result)) => result::from_call(&result),
            Ok(_) => Output::failed(self.error(ASKS_FOR_MORE)),
            Err(error) => Output::failed(error),
        }
    }

    /// Reads a resource.
    pub(crate) async fn read(self: &Arc<Self>, uri: &str, cancel: &CancellationToken) -> Output {
        let request = ReadResourceRequestParams::new(uri.to_owned());
        let answered = self
            .ask(cancel, |peer| async move {
                peer.read_resource_once(request).await
            })
            .await;
        match answered {
            Ok(ReadResourceResponse::Complete(read)) => result::from_resource(&read.contents),
            Ok(_) => Output::failed(self.error(ASKS_FOR_MORE)),
            Err(error) => Output::failed(error),
        }
    }

    /// Requests the messages of a prompt.
    pub(crate) async fn prompt(
        self: &Arc<Self>,
        name: &str,
        arguments: Arguments,
        cancel: &CancellationToken,
    ) -> Result<Vec<PromptMessage>, ToolError> {
        let request = GetPromptRequestParams::new(name.to_owned()).with_arguments(arguments);
        let answered = self.ask(
            cancel,
            |peer| async move { peer.get_prompt_once(request).await },
        );
        match answered.await? {
            GetPromptResponse::Complete(prompt) => Ok(prompt.messages),
            _ => Err(self.error(ASKS_FOR_MORE)),
        }
    }

    /// Sends a request. If the call is cancelled, the request is, too, and the server is notified.
    async fn ask<T, F>(
        self: &Arc<Self>,
        cancel: &CancellationToken,
        request: impl FnOnce(Peer<RoleClient>) -> F,
    ) -> Result<T, ToolError>
    where
        F: Future<Output = Result<T, ServiceError>>,
    {
        let limit = self.configuration.timeout.unwrap_or(CALL);
        let work = async {
            let connection = self
                .connection()
                .await
                .map_err(|cause| self.error(&format!("can't be reached: {cause}")))?;
            let asked = request(connection.peer.clone());
            match tokio::time::timeout(limit, asked).await {
                Ok(Ok(answer)) => Ok(answer),
                Ok(Err(error)) => Err(self.error_of(error, connection).await),
                Err(_) => Err(self.error(&format!(
                    "hasn't answered for {limit:?} (its \"timeout\"), so the call was given up"
                ))),
            }
        };
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(ToolError::cancelled()),
            answered = work => answered,
        }
    }

    async fn error_of(&self, error: ServiceError, mut connection: Connection) -> ToolError {
        match error {
            ServiceError::McpError(error) => {
                let more = error.data.filter(serde_json::Value::is_object);
                let more = more.map_or_else(String::new, |it| format!(" {it}"));
                self.error(&format!("refused the call: {}{more}", error.message))
            }
            ServiceError::TransportClosed | ServiceError::TransportSend(_) => {
                connection.give_up.notify_one();
                let ended = connection.ended.wait_for(Option::is_some);
                let cause = match tokio::time::timeout(LAST_LOOK, ended).await {
                    Ok(Ok(cause)) => cause.clone(),
                    Ok(Err(_)) | Err(_) => None,
                };
                let cause = match (cause, &error) {
                    (_, ServiceError::TransportSend(error)) => causes(&*error.error),
                    (Some(cause), _) => cause,
                    (None, error) => causes(error),
                };
                self.error(&format!("was lost during the call: {cause}"))
            }
            error => self.error(&format!("gave no usable answer: {error}")),
        }
    }

    fn error(&self, what: &str) -> ToolError {
        let message = format!("MCP server \"{}\" {what}", self.configuration.name);
        ToolError::new(ErrorKind::McpFailed, message)
    }
}
