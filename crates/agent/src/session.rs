//! A session: the conversation, and everything that a turn needs.

use std::path::Path;
use std::sync::Arc;

use hookloop_engine::{Patience, SessionHooks};
use hookloop_events::{CompressTrigger, EndReason, SessionSource, SessionStartOutcome};
use hookloop_model::{Content, ModelClient};
use hookloop_settings::ModelTable;
use hookloop_tools::{References, Toolbox};
use tokio_util::sync::CancellationToken;

use crate::approval::Policy;
use crate::approval_mode::ModeSwitch;
use crate::compression::compress;
use crate::conversation::Conversation;
use crate::frontend::{Frontend, SessionEvent};
use crate::limits::{CompressionThreshold, Limits, LiveOutput};
use crate::offer::{Offer, ToolScope};
use crate::referred;
use crate::scope::{Scope, Services};
use crate::spans;
use crate::stats::{Counts, Stats};
use crate::sub_agent::SubAgentTurns;
use crate::telemetry::Telemetry;
use crate::transcript::Transcript;
use crate::turn::{Prompt, Turn, show_end};
use crate::turn_end::TurnEnd;

/// The parts of a session.
pub struct Parts {
    /// The hooks, bound to this session.
    pub hooks: SessionHooks,
    /// The model.
    pub model: Arc<dyn ModelClient>,
    /// The model's name, or an alias for it.
    pub model_name: String,
    /// What is set for models by their names (MO-6).
    pub models: Arc<ModelTable>,
    /// The system instruction.
    pub system_instruction: Option<String>,
    /// The tools. Those that the policy doesn't make available are removed.
    pub toolbox: Toolbox,
    /// Decides which tools run without asking.
    pub policy: Policy,
    /// The screen.
    pub frontend: Arc<dyn Frontend>,
    /// Telemetry.
    pub telemetry: Arc<Telemetry>,
    /// The transcript.
    pub transcript: Transcript,
    /// The limits of a turn.
    pub limits: Limits,
    /// The size above which the history is compressed.
    pub compression: CompressionThreshold,
    /// Whether the output of a running tool is shown before its hooks have answered.
    pub live_output: LiveOutput,
    /// Where the context of `SessionStart` hooks goes.
    pub start_context: StartContext,
}

/// Where the context of `SessionStart` hooks is inserted (SS-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartContext {
    /// Before the first prompt, in a headless session.
    BeforePrompt,
    /// Into the history, as its first turn, in an interactive session.
    FirstTurn,
}

/// A session of the agent.
pub struct Session {
    /// The hooks, bound to this session.
    pub(crate) hooks: SessionHooks,
    pub(crate) services: Services,
    pub(crate) conversation: Conversation,
    start_context: StartContext,
}

impl Session {
    /// Starts a new session: fires `SessionStart` and keeps its context for the first prompt.
    pub async fn start(parts: Parts, project_root: &Path) -> Self {
        let mut session = Self::prepare(parts);
        session.begin_transcript(project_root);
        session.greet(SessionSource::Startup).await;
        session
    }

    /// Resumes a session from its transcript, and fires `SessionStart` with the source `resume`
    /// (SE-11).
    pub async fn resume(parts: Parts, history: Vec<Arc<Content>>) -> Self {
        let mut session = Self::prepare(parts);
        session.conversation.history.replace(history);
        session.greet(SessionSource::Resume).await;
        session
    }

    fn prepare(parts: Parts) -> Self {
        let Parts {
            hooks,
            model,
            model_name,
            models,
            system_instruction,
            toolbox,
            policy,
            frontend,
            telemetry,
            transcript,
            limits,
            compression,
            live_output,
            start_context,
        } = parts;
        let offer = Offer::new(
            model_name,
            models,
            system_instruction,
            toolbox,
            ToolScope::Session,
        );
        let services = Services {
            model,
            mode: Arc::new(ModeSwitch::new(policy.mode)),
            policy: Arc::new(policy),
            frontend,
            telemetry,
            transcript,
            stats: Counts::default(),
            grants: Arc::default(),
            unawaited: Arc::default(),
            limits,
            compression,
            live_output,
            delegate: Arc::new(SubAgentTurns),
        };
        let mut conversation = Conversation::new(offer);
        conversation.declare_tools(&services, &hooks);
        Self {
            hooks,
            services,
            conversation,
            start_context,
        }
    }

    pub(crate) fn begin_transcript(&self, project_root: &Path) {
        let identity = self.hooks.identity();
        let transcript = &self.services.transcript;
        transcript.begin(&identity.session_id, project_root);
    }

    /// Fires `SessionStart`, and puts its context where this kind of session has it (SS-1). If it
    /// is cancelled, there is no context.
    pub(crate) async fn greet(&mut self, source: SessionSource) {
        self.hooks.set_model(self.conversation.offer.model_name());
        let started = self.hooks.session_start(source).await;
        let SessionStartOutcome { context, stop } =
            started.map_or_else(|_| SessionStartOutcome::default(), |it| it.outcome);
        self.conversation.stopped = stop;
        if let Some(reason) = &self.conversation.stopped {
            if self.start_context == StartContext::FirstTurn {
                let warning = format!("a hook stopped this session, so no turn runs: {reason}");
                let event = SessionEvent::Warning(&warning);
                self.services.frontend.show(&event);
            }
            return;
        }
        match (self.start_context, context) {
            (StartContext::FirstTurn, Some(context)) => {
                let first_turn = Content::user(context.wrapped());
                self.conversation.say(&self.services, first_turn);
            }
            (_, context) => self.conversation.start_context = context,
        }
    }

    /// Runs a turn for a prompt of the user.
    pub async fn prompt(&mut self, prompt: &str, cancel: CancellationToken) -> TurnEnd {
        self.prompt_with(prompt, References::default(), cancel)
            .await
    }

    /// Runs a turn for a prompt of the user, with the content of the files that it refers to,
    /// including images and documents.
    ///
    /// `BeforeAgent` and `AfterAgent` hooks, telemetry and the user see the prompt as typed. The
    /// content is part of the same message for the model, so `BeforeModel` hooks see all of it.
    /// Each file is first read as if the model had asked for it: through the hooks of `read_file`
    /// and the policy (EV-4). Refused files are left out and reported.
    pub async fn prompt_with(
        &mut self,
        prompt: &str,
        references: References,
        cancel: CancellationToken,
    ) -> TurnEnd {
        let telemetry = &self.services.telemetry;
        telemetry.user_prompt(self.hooks.identity(), prompt);
        let scope = self.scope(cancel);
        if let Some(end) = self.stop_at_start(&scope) {
            return end;
        }
        self.conversation.declare_tools(&self.services, &self.hooks);
        let offer = &self.conversation.offer;
        let references = match referred::judge(&scope, offer, references).await {
            Ok(references) => references,
            Err(end) => {
                show_end(&scope, &end);
                self.report_unwritten();
                return end;
            }
        };
        let prompt = Prompt::new(prompt).with_references(references);
        let turn = Turn::new(scope.clone(), &mut self.conversation, prompt);
        let end = turn.run().await.err().unwrap_or(TurnEnd::Completed);
        show_end(&scope, &end);
        self.report_unwritten();
        end
    }

    /// Waits until a hook that nobody waits for starts a turn (FD-22), and returns the prompt of
    /// that turn, which is what the hook said. Returns `None` if no hook does so within the host's
    /// patience.
    pub fn next_turn_of_hook(
        &self,
        patience: Patience,
    ) -> impl Future<Output = Option<String>> + use<> {
        let hooks = self.hooks.clone();
        async move {
            let next_turn = hooks.next_turn_of_hook(patience).await;
            next_turn.map(|it| it.as_str().to_owned())
        }
    }

    /// Runs a turn that a hook started, with what the hook said as the prompt (FD-22). No person
    /// wrote it, so it doesn't refer to files, and doesn't count as a person's words.
    pub async fn prompt_of_hook(&mut self, prompt: &str, cancel: CancellationToken) -> TurnEnd {
        let scope = self.scope(cancel);
        if let Some(end) = self.stop_at_start(&scope) {
            return end;
        }
        self.conversation.declare_tools(&self.services, &self.hooks);
        scope.warn(&format!("an asynchronous hook starts a turn: {prompt}"));
        let turn = Turn::new(
            scope.clone(),
            &mut self.conversation,
            Prompt::from_hook(prompt),
        );
        let end = turn.run().await.err().unwrap_or(TurnEnd::Completed);
        show_end(&scope, &end);
        self.report_unwritten();
        end
    }

    /// Compresses the history at the user's request (`/compress`, PC-1).
    pub async fn compress(&mut self, cancel: CancellationToken) -> TurnEnd {
        let (scope, span) = self.scope(cancel).step(spans::turn);
        if let Some(end) = self.stop_at_start(&scope) {
            spans::end_turn(span, &end);
            return end;
        }
        let done = compress(&scope, &mut self.conversation, CompressTrigger::Manual).await;
        let end = done.err().unwrap_or(TurnEnd::Completed);
        spans::end_turn(span, &end);
        show_end(&scope, &end);
        self.report_unwritten();
        end
    }

    /// Ends a turn before it begins, if a hook stopped the session at its start (SS-4).
    fn stop_at_start(&self, scope: &Scope) -> Option<TurnEnd> {
        let end = TurnEnd::Stopped(self.conversation.stopped.clone()?);
        show_end(scope, &end);
        self.report_unwritten();
        Some(end)
    }

    pub(crate) fn scope(&self, cancel: CancellationToken) -> Scope {
        Scope::new(&self.hooks, Arc::new(self.services.clone()), cancel)
    }

    /// Ends the session: fires `SessionEnd`, and gives hooks that may outlive the session a short
    /// time (SE-1, SE-2).
    pub async fn end(self, reason: EndReason) -> Stats {
        tokio::join!(
            self.hooks.session_end(reason),
            self.services.unawaited.wait()
        );
        self.report_unwritten();
        self.services.stats.snapshot()
    }

    /// Returns the session's statistics so far.
    pub fn stats(&self) -> Stats {
        self.services.stats.snapshot()
    }

    /// Returns the history that is sent to the model.
    pub fn history(&self) -> &[Arc<Content>] {
        self.conversation.history.contents()
    }

    /// Tells the user what couldn't be written.
    pub(crate) fn report_unwritten(&self) {
        let services = &self.services;
        services.telemetry.report_metrics();
        let warn = |text: &str| services.frontend.show(&SessionEvent::Warning(text));
        if let Some(error) = services.telemetry.take_failure() {
            warn(&format!("telemetry is incomplete: {error}"));
        }
        if let Some(error) = services.transcript.take_failure() {
            let path = services.transcript.path().display();
            warn(&format!("the transcript {path} is incomplete: {error}"));
        }
    }
}
