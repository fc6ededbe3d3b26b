//! What can change in a session between two turns: the model, the system instruction, and the
//! session itself, if another one replaces it.

use std::path::Path;
use std::sync::Arc;

use hookloop_engine::SessionHooks;
use hookloop_events::{EndReason, SessionSource};
use hookloop_model::{Content, ModelError};
use tokio_util::sync::CancellationToken;

use crate::approval_mode::{ApprovalMode, ModeHandle};
use crate::session::Session;
use crate::stats::Counts;
use crate::transcript::Transcript;

impl Session {
    /// Returns the session's id.
    pub fn id(&self) -> &str {
        &self.hooks.identity().session_id
    }

    /// Returns the name of the model that the next request goes to, or the alias that stands for
    /// it.
    pub fn model(&self) -> &str {
        &self.conversation.offer.asked
    }

    /// Asks the model's service which models it offers (TU-2).
    ///
    /// # Errors
    /// The service can't be reached, or gives no list.
    pub async fn models(&self, cancel: CancellationToken) -> Result<Vec<String>, ModelError> {
        self.services.model.models(cancel).await
    }

    /// Changes the model, starting with the next request (TU-2).
    pub fn ask_model(&mut self, name: impl Into<String>) {
        self.conversation.offer.ask_model(name.into());
    }

    /// Changes the system instruction, starting with the next request (TO-5).
    pub fn instruct(&mut self, instruction: impl Into<String>) {
        self.conversation.offer.instruct(instruction);
    }

    /// Returns the current approval mode (TO-6).
    pub fn approval_mode(&self) -> ApprovalMode {
        self.services.mode.get()
    }

    /// Returns a handle to read and change the approval mode from elsewhere.
    pub fn mode_handle(&self) -> ModeHandle {
        ModeHandle(Arc::clone(&self.services.mode))
    }

    /// Changes the approval mode, starting with the next tool call (TO-6).
    pub fn set_approval_mode(&mut self, mode: ApprovalMode) {
        self.services.mode.set(mode);
    }

    /// Returns the names of the tools that the model can use now, including those of servers.
    pub fn tools(&mut self) -> impl Iterator<Item = &str> {
        self.conversation.declare_tools(&self.services, &self.hooks);
        self.conversation.offer.declared_names()
    }

    /// Ends the session and starts another one instead (`/clear`). `SessionEnd` fires for the old
    /// one and `SessionStart` for the new one, both with `clear` (SE-11, SS-3).
    pub async fn clear(&mut self, hooks: SessionHooks, transcript: Transcript, root: &Path) {
        self.leave(EndReason::Clear).await;
        self.enter(hooks, transcript, Vec::new());
        self.begin_transcript(root);
        self.greet(SessionSource::Clear).await;
    }

    /// Ends the session and continues an earlier one instead (`/resume`). `SessionEnd` fires with
    /// `exit`, because the user leaves this session, and `SessionStart` with `resume` (SE-11).
    pub async fn switch_to(
        &mut self,
        hooks: SessionHooks,
        transcript: Transcript,
        history: Vec<Arc<Content>>,
    ) {
        self.leave(EndReason::Exit).await;
        self.enter(hooks, transcript, history);
        self.services.stats = Counts::default();
        self.greet(SessionSource::Resume).await;
    }

    /// Goes back in the conversation: keeps the first `kept` messages, and records that in the
    /// transcript (SE-10).
    pub fn go_back(&mut self, kept: usize) {
        self.conversation.go_back(&self.services, kept);
    }

    /// Fires `SessionEnd` (SE-1).
    async fn leave(&mut self, reason: EndReason) {
        self.hooks.session_end(reason).await;
        self.report_unwritten();
    }

    /// Adopts the identity and the history of another session; nothing that was allowed in the old
    /// one is allowed in it.
    fn enter(&mut self, hooks: SessionHooks, transcript: Transcript, history: Vec<Arc<Content>>) {
        self.hooks = hooks;
        self.services.transcript = transcript;
        self.conversation.history.replace(history);
        self.conversation.start_context = None;
        self.conversation.stopped = None;
        self.services.grants.clear();
    }
}
