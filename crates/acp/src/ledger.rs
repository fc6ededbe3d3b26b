//! What is known about an editor's sessions, for the desk and for the sessions themselves.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use agent_client_protocol::v1::Responder;
use agent_client_protocol::v1::schema::{CloseSessionResponse, ContentBlock, PromptResponse};
use agent_client_protocol::{Error, ErrorCode};
use hookloop_engine::SessionHooks;
use hookloop_events::EndReason;
use hookloop_session::{Environment, Options, RunOptions};
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use crate::stage::EditorStage;

/// What an open session is asked.
pub(crate) enum SessionOrder {
    /// To run a turn, which the token cancels.
    Prompt(
        Vec<ContentBlock>,
        Responder<PromptResponse>,
        CancellationToken,
    ),
    /// To end.
    Close(Responder<CloseSessionResponse>),
}

/// A session that is open.
pub(crate) struct Entry {
    pub(crate) orders: UnboundedSender<SessionOrder>,
    pub(crate) stage: Arc<EditorStage>,
    /// What cancels every prompt that came since the last cancellation.
    pub(crate) prompts: CancellationToken,
}

/// The sessions of an editor, and what each is opened with.
pub(crate) struct Ledger {
    pub(crate) options: Options,
    pub(crate) run: RunOptions,
    pub(crate) environment: Environment,
    pub(crate) sessions: RefCell<HashMap<String, Entry>>,
    /// The sessions that are being opened to continue.
    pub(crate) opening: RefCell<HashSet<String>>,
    /// The hooks of sessions whose end hasn't begun.
    pub(crate) partings: RefCell<HashMap<String, SessionHooks>>,
    /// Cancelled when the program ends.
    pub(crate) leaving: CancellationToken,
    /// Why sessions end when the program does (SE-1).
    pub(crate) reason: Cell<EndReason>,
}

impl Ledger {
    pub(crate) fn new(options: Options, run: RunOptions, environment: Environment) -> Self {
        Self {
            options,
            run,
            environment,
            sessions: RefCell::default(),
            opening: RefCell::default(),
            partings: RefCell::default(),
            leaving: CancellationToken::new(),
            reason: Cell::new(EndReason::PromptInputExit),
        }
    }

    /// Takes in a session that is open now.
    pub(crate) fn enter(&self, id: &str, entry: Entry, parting: SessionHooks) {
        self.opening.borrow_mut().remove(id);
        self.partings.borrow_mut().insert(id.to_owned(), parting);
        if !self.leaving.is_cancelled() {
            self.sessions.borrow_mut().insert(id.to_owned(), entry);
        }
    }

    /// Forgets that a session was being opened.
    pub(crate) fn not_opened(&self, id: Option<&str>) {
        if let Some(id) = id {
            self.opening.borrow_mut().remove(id);
        }
    }

    /// Notes that a session ends by itself.
    pub(crate) fn ends(&self, id: &str) {
        self.partings.borrow_mut().remove(id);
    }
}

/// Returns the error that a request can't be carried out as it is.
pub(crate) fn invalid(why: impl Into<String>) -> Error {
    Error::new(ErrorCode::INVALID_PARAMS, why)
}
