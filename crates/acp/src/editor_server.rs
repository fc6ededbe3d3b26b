//! Handles an editor's requests in order: it opens sessions, and each runs in parallel with the
//! others.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    AgentCapabilities, CancelNotification, CloseSessionRequest, CloseSessionResponse,
    Error as SchemaError, Implementation, InitializeRequest, InitializeResponse,
    ListSessionsRequest, ListSessionsResponse, LoadSessionRequest, LoadSessionResponse,
    McpCapabilities, NewSessionRequest, NewSessionResponse, PromptCapabilities, PromptRequest,
    PromptResponse, ResumeSessionRequest, ResumeSessionResponse, SessionCapabilities,
    SessionCloseCapabilities, SessionInfo, SessionListCapabilities, SessionResumeCapabilities,
    SetSessionModeRequest, SetSessionModeResponse,
};
use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{
    Agent, Client, Error, Lines, on_receive_notification, on_receive_request,
};
use hookloop_events::EndReason;
use hookloop_session::{
    Environment, Options, RunOptions, Signals, known_sessions, print_notice, watch_for_hangs,
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::ledger::{Ledger, SessionOrder, invalid};
use crate::open_session::{OpenRequest, SessionRequest, Welcome};
use crate::stage::{EditorCapabilities, NoticeForm, OpenText};
use crate::wire;

/// How long the last messages may wait for an editor that doesn't read.
const PARTING: Duration = Duration::from_secs(2);

/// Why the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leave {
    /// The editor's input ended.
    InputEnded,
    /// A signal ended it.
    Terminated,
}

/// An editor's request.
enum Order {
    Greeted(EditorCapabilities),
    New(NewSessionRequest, Responder<NewSessionResponse>),
    Load(LoadSessionRequest, Responder<LoadSessionResponse>),
    Resume(ResumeSessionRequest, Responder<ResumeSessionResponse>),
    List(ListSessionsRequest, Responder<ListSessionsResponse>),
    Close(CloseSessionRequest, Responder<CloseSessionResponse>),
    Mode(SetSessionModeRequest, Responder<SetSessionModeResponse>),
    Prompt(PromptRequest, Responder<PromptResponse>),
    Cancel(CancelNotification),
}

/// Serves an editor.
pub(crate) struct EditorServer {
    ledger: Rc<Ledger>,
    abilities: Cell<EditorCapabilities>,
    tasks: RefCell<JoinSet<()>>,
}

impl EditorServer {
    pub(crate) fn new(options: Options, run: RunOptions, environment: Environment) -> Self {
        Self {
            ledger: Rc::new(Ledger::new(options, run, environment)),
            abilities: Cell::new(EditorCapabilities {
                notices: NoticeForm::Messages,
                files: OpenText::Missing,
            }),
            tasks: RefCell::default(),
        }
    }

    /// Serves the editor until its input ends or a signal comes; by then, every session has ended.
    pub(crate) async fn serve(self) -> Result<Leave, Error> {
        let mut signals = Signals::listen();
        watch_for_hangs(|| {});
        let (send, orders) = unbounded_channel();
        let left = Cell::new(None);
        let over = CancellationToken::new();
        let connection = connect(&send, self.ledger.environment.version, async |client| {
            let leave = self.attend(&client, orders, &mut signals).await;
            left.set(Some(leave));
            over.cancel();
            Ok(())
        });
        let served = tokio::select! {
            served = connection => served,
            // The editor may no longer read the last messages.
            () = async { over.cancelled().await; tokio::time::sleep(PARTING).await } => Ok(()),
        };
        // If the connection broke, sessions are still open.
        self.end_sessions(EndReason::Other).await;
        match left.get() {
            Some(leave) => Ok(leave),
            None => served.map(|()| Leave::InputEnded),
        }
    }

    /// Carries out the editor's requests, then ends every session.
    async fn attend(
        &self,
        client: &ConnectionTo<Client>,
        mut orders: UnboundedReceiver<Order>,
        signals: &mut Signals,
    ) -> Leave {
        let leave = loop {
            tokio::select! {
                biased;
                () = signals.next() => break Leave::Terminated,
                Some(order) = orders.recv() => self.carry_out(order, client),
                () = client.incoming_closed() => break Leave::InputEnded,
            }
        };
        let reason = match leave {
            Leave::InputEnded => EndReason::PromptInputExit,
            Leave::Terminated => EndReason::Other,
        };
        tokio::select! {
            () = self.end_sessions(reason) => {}
            // A second signal leaves at once; dropping the future ends whatever still runs.
            () = signals.next() => {}
        }
        // Leaving at once also ends a session (SE-1).
        let partings = std::mem::take(&mut *self.ledger.partings.borrow_mut());
        for parting in partings.into_values() {
            parting.session_end(EndReason::Other).await;
        }
        leave
    }

    /// Ends every session, each in order: turns are cancelled, `SessionEnd` fires.
    async fn end_sessions(&self, reason: EndReason) {
        self.ledger.reason.set(reason);
        self.ledger.leaving.cancel();
        let sessions = std::mem::take(&mut *self.ledger.sessions.borrow_mut());
        for entry in sessions.into_values() {
            entry.prompts.cancel();
        }
        let mut tasks = std::mem::take(&mut *self.tasks.borrow_mut());
        while tasks.join_next().await.is_some() {}
    }

    fn carry_out(&self, order: Order, client: &ConnectionTo<Client>) {
        let answered = match order {
            Order::Greeted(abilities) => {
                self.abilities.set(abilities);
                Ok(())
            }
            Order::New(it, responder) => {
                let asked = SessionRequest::new(it.cwd, it.additional_directories, it.mcp_servers);
                self.open(client, asked, Welcome::New(responder))
            }
            Order::Load(it, responder) => {
                let asked = SessionRequest::new(it.cwd, it.additional_directories, it.mcp_servers);
                let asked = asked.going_on_with(&it.session_id);
                self.open(client, asked, Welcome::Load(responder))
            }
            Order::Resume(it, responder) => {
                let asked = SessionRequest::new(it.cwd, it.additional_directories, it.mcp_servers);
                let asked = asked.going_on_with(&it.session_id);
                self.open(client, asked, Welcome::Resume(responder))
            }
            Order::List(request, responder) => responder.respond(self.list(&request)),
            Order::Close(request, responder) => self.close(&request, responder),
            Order::Mode(request, responder) => {
                let changed = self.change_mode(&request);
                responder.respond_with_result(changed)
            }
            Order::Prompt(request, responder) => self.prompt(request, responder),
            Order::Cancel(request) => {
                self.cancel(&request.session_id.to_string());
                Ok(())
            }
        };
        if let Err(error) = answered {
            print_notice(&format!(
                "warning: an answer couldn't be sent to the editor: {error}"
            ));
        }
    }

    fn open(
        &self,
        client: &ConnectionTo<Client>,
        asked: SessionRequest,
        welcome: Welcome,
    ) -> Result<(), Error> {
        if let Some(id) = &asked.resume {
            let is_open = self.ledger.sessions.borrow().contains_key(id);
            if is_open || !self.ledger.opening.borrow_mut().insert(id.clone()) {
                return welcome.refuse(invalid(format!("the session \"{id}\" is already open")));
            }
        }
        let request = OpenRequest {
            ledger: Rc::clone(&self.ledger),
            client: client.clone(),
            abilities: self.abilities.get(),
            asked,
        };
        let task = request.run(welcome);
        self.tasks.borrow_mut().spawn_local(task);
        Ok(())
    }

    fn list(&self, request: &ListSessionsRequest) -> ListSessionsResponse {
        let folder = request.cwd.clone().filter(|it| it.is_absolute());
        let folder = folder.unwrap_or_else(|| self.ledger.environment.current_dir.clone());
        let environment = self.ledger.environment.in_folder(folder.clone());
        let (known, warnings) = known_sessions(&environment, &self.ledger.run);
        for warning in warnings {
            print_notice(&format!("warning: {warning}"));
        }
        let info = known.into_iter().rev().map(|it| {
            SessionInfo::new(it.id, folder.clone())
                .title(it.first_prompt)
                .updated_at(it.started_at)
        });
        ListSessionsResponse::new(info.collect())
    }

    fn close(
        &self,
        request: &CloseSessionRequest,
        responder: Responder<CloseSessionResponse>,
    ) -> Result<(), Error> {
        let id = request.session_id.to_string();
        let closed = self.ledger.sessions.borrow_mut().remove(&id);
        let Some(entry) = closed else {
            return responder.respond_with_error(unknown_session(&id));
        };
        entry.prompts.cancel();
        // The session's task holds the receiver until it ends.
        drop(entry.orders.send(SessionOrder::Close(responder)));
        Ok(())
    }

    fn change_mode(
        &self,
        request: &SetSessionModeRequest,
    ) -> Result<SetSessionModeResponse, Error> {
        let id = request.session_id.to_string();
        let sessions = self.ledger.sessions.borrow();
        let entry = sessions.get(&id).ok_or_else(|| unknown_session(&id))?;
        let mode_set = entry.stage.take_mode(&request.mode_id.0);
        mode_set.map_err(invalid)?;
        Ok(SetSessionModeResponse::new())
    }

    fn prompt(
        &self,
        request: PromptRequest,
        responder: Responder<PromptResponse>,
    ) -> Result<(), Error> {
        let id = request.session_id.to_string();
        let sessions = self.ledger.sessions.borrow();
        let Some(entry) = sessions.get(&id) else {
            return responder.respond_with_error(unknown_session(&id));
        };
        let cancel = entry.prompts.child_token();
        let order = SessionOrder::Prompt(request.prompt, responder, cancel);
        // The session's task holds the receiver while the session is open.
        drop(entry.orders.send(order));
        Ok(())
    }

    /// Cancels the running prompt, and those that wait for it.
    fn cancel(&self, id: &str) {
        if let Some(entry) = self.ledger.sessions.borrow_mut().get_mut(id) {
            entry.prompts.cancel();
            entry.prompts = CancellationToken::new();
        }
    }
}

/// Connects to the editor, and passes its requests on.
async fn connect(
    send: &UnboundedSender<Order>,
    version: &'static str,
    attend: impl AsyncFnOnce(ConnectionTo<Client>) -> Result<(), Error>,
) -> Result<(), Error> {
    // Orders are received while the connection exists.
    macro_rules! hand_on {
        ($order:path) => {{
            let send = send.clone();
            async move |request, responder, _: ConnectionTo<Client>| {
                drop(send.send($order(request, responder)));
                Ok(())
            }
        }};
    }
    let (greet, cancel) = (send.clone(), send.clone());
    Agent
        .v1()
        .name("hookloop")
        .on_receive_request(
            async move |request: InitializeRequest, responder, _: ConnectionTo<Client>| {
                drop(greet.send(Order::Greeted(abilities(&request))));
                responder.respond(greeting(version))
            },
            on_receive_request!(),
        )
        .on_receive_request(hand_on!(Order::New), on_receive_request!())
        .on_receive_request(hand_on!(Order::Load), on_receive_request!())
        .on_receive_request(hand_on!(Order::Resume), on_receive_request!())
        .on_receive_request(hand_on!(Order::List), on_receive_request!())
        .on_receive_request(hand_on!(Order::Close), on_receive_request!())
        .on_receive_request(hand_on!(Order::Mode), on_receive_request!())
        .on_receive_request(hand_on!(Order::Prompt), on_receive_request!())
        .on_receive_notification(
            async move |request: CancelNotification, _: ConnectionTo<Client>| {
                drop(cancel.send(Order::Cancel(request)));
                Ok(())
            },
            on_receive_notification!(),
        )
        .connect_with(
            Lines::new(wire::outgoing(), Box::pin(wire::incoming())),
            attend,
        )
        .await
}

fn abilities(request: &InitializeRequest) -> EditorCapabilities {
    let session = request.client_capabilities.session.as_ref();
    let notices = match session.and_then(|it| it.notices.as_ref()) {
        Some(_) => NoticeForm::Notices,
        None => NoticeForm::Messages,
    };
    let files = if request.client_capabilities.fs.read_text_file {
        OpenText::Offered
    } else {
        OpenText::Missing
    };
    EditorCapabilities { notices, files }
}

fn greeting(version: &'static str) -> InitializeResponse {
    // Embedded files are read through the hooks of `read_file`, whatever content the editor sends
    // (EV-4).
    let prompts = PromptCapabilities::new().image(true).embedded_context(true);
    let sessions = SessionCapabilities::new()
        .list(SessionListCapabilities::new())
        .resume(SessionResumeCapabilities::new())
        .close(SessionCloseCapabilities::new());
    let servers = McpCapabilities::new().http(true).sse(false);
    let capabilities = AgentCapabilities::new()
        .load_session(true)
        .prompt_capabilities(prompts)
        .mcp_capabilities(servers)
        .session_capabilities(sessions);
    InitializeResponse::new(ProtocolVersion::V1)
        .agent_capabilities(capabilities)
        .agent_info(Implementation::new("hookloop", version).title("Hookloop".to_owned()))
}

fn unknown_session(id: &str) -> Error {
    SchemaError::session_not_found(id.to_owned()).into()
}
