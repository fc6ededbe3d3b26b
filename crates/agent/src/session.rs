//! A session: the conversation, and everything a turn needs.

use std::path::Path;
use std::sync::Arc;

use hookloop_engine::{Cancelled, Clock, SessionHooks, SystemClock};
use hookloop_events::{CompressTrigger, EndReason, HookContext, SessionSource};
use hookloop_model::{Content, FunctionDeclaration, ModelClient};
use hookloop_tools::Toolbox;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::approval::Policy;
use crate::compression::CompressionThreshold;
use crate::frontend::{Frontend, SessionEvent};
use crate::grants::SessionGrants;
use crate::history::History;
use crate::parting::PartingHooks;
use crate::stats::{Counts, Stats};
use crate::sub_agent::ToolScope;
use crate::telemetry::Telemetry;
use crate::transcript::{Entry, Transcript};
use crate::turn::Turn;
use crate::turn_end::TurnEnd;

/// What a session is made of.
pub struct Parts {
    /// The hooks, bound to this session.
    pub hooks: SessionHooks,
    /// The model.
    pub model: Arc<dyn ModelClient>,
    /// The model's name.
    pub model_name: String,
    /// What the model is told about its work.
    pub system_instruction: Option<String>,
    /// Generation parameters.
    pub generation_config: Map<String, Value>,
    /// The tools; those that the policy does not offer are taken out.
    pub toolbox: Toolbox,
    /// Which tools run without asking.
    pub policy: Policy,
    /// The screen.
    pub frontend: Arc<dyn Frontend>,
    /// Telemetry.
    pub telemetry: Arc<Telemetry>,
    /// The transcript.
    pub transcript: Transcript,
    /// The bounds of a turn.
    pub limits: Limits,
    /// When the history is compressed.
    pub compression: CompressionThreshold,
    /// Where the context of `SessionStart` hooks goes.
    pub start_context: StartContext,
}

/// Where the context of `SessionStart` hooks goes (SS-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartContext {
    /// Before the first prompt: a headless session.
    BeforePrompt,
    /// Into the history, as its first turn: a session that somebody talks with.
    FirstTurn,
}

/// The bounds of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How often the model is asked in a turn at most (LO-3).
    pub model_calls: u32,
    /// How often `AfterAgent` hooks may force a retry in a turn (AA-2).
    pub retries: u32,
    /// How many tools a chain of tail calls may have after the first (AT-3).
    pub tail_calls: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            model_calls: 100,
            retries: 5,
            tail_calls: 8,
        }
    }
}

/// A session of the agent.
pub struct Session {
    pub(crate) parts: Parts,
    pub(crate) declarations: Vec<Arc<FunctionDeclaration>>,
    pub(crate) history: History,
    pub(crate) stats: Counts,
    /// Context of `SessionStart` hooks that no prompt has carried yet (SS-1).
    pub(crate) start_context: Option<HookContext>,
    pub(crate) parting: Arc<PartingHooks>,
    /// What the user allowed for the rest of the session.
    pub(crate) grants: Arc<SessionGrants>,
    /// Which of the tools there are for the agent whose conversation this is.
    scope: ToolScope,
}

impl Session {
    /// Starts a new session: fires `SessionStart` and keeps its context for the first prompt.
    pub async fn start(parts: Parts, project_root: &Path) -> Self {
        let mut session = Self::prepare(parts, ToolScope::Session);
        session.begin_transcript(project_root);
        session.greet(SessionSource::Startup).await;
        session
    }

    /// Goes on with a session from its transcript: fires `SessionStart` as `resume` (SE-11).
    pub async fn resume(parts: Parts, history: Vec<Arc<Content>>) -> Self {
        let mut session = Self::prepare(parts, ToolScope::Session);
        session.history.replace(history);
        session.greet(SessionSource::Resume).await;
        session
    }

    pub(crate) fn begin_transcript(&mut self, project_root: &Path) {
        let identity = self.parts.hooks.identity();
        let transcript = &mut self.parts.transcript;
        transcript.begin(&identity.session_id, project_root);
    }

    /// Fires `SessionStart`, and puts its context where this kind of session has it (SS-1).
    pub(crate) async fn greet(&mut self, source: SessionSource) {
        // A start is never held up (SS-2): cancelled hooks have no context to give, that is all.
        let context = match self.parts.hooks.session_start(source).await {
            Ok(conclusion) => conclusion.outcome,
            Err(Cancelled) => None,
        };
        match (self.parts.start_context, context) {
            (StartContext::FirstTurn, Some(context)) => {
                self.say(Content::user(context.wrapped()));
            }
            (_, context) => self.start_context = context,
        }
    }

    fn prepare(mut parts: Parts, scope: ToolScope) -> Self {
        parts.toolbox.refresh();
        Self {
            declarations: declare(&mut parts, &scope),
            parts,
            history: History::default(),
            stats: Counts::default(),
            start_context: None,
            parting: Arc::default(),
            grants: Arc::default(),
            scope,
        }
    }

    /// Makes a conversation of its own within this session: what the user allowed, the counts and
    /// the hooks that nobody waits for stay those of the session (TO-4).
    pub(crate) fn within(&self, parts: Parts, scope: ToolScope) -> Self {
        Self {
            stats: self.stats.clone(),
            parting: Arc::clone(&self.parting),
            grants: Arc::clone(&self.grants),
            ..Self::prepare(parts, scope)
        }
    }

    /// Takes over tools that came or went, such as those of an MCP server that changed its list.
    pub(crate) fn refresh_tools(&mut self) {
        if self.parts.toolbox.refresh() {
            self.declarations = declare(&mut self.parts, &self.scope);
        }
    }

    /// Runs a turn for a prompt of the user.
    pub async fn prompt(&mut self, prompt: &str, cancel: CancellationToken) -> TurnEnd {
        self.prompt_with(prompt, None, cancel).await
    }

    /// Runs a turn for a prompt of the user and the content of the files that it refers to.
    ///
    /// `BeforeAgent` and `AfterAgent` hooks, telemetry and the user see the prompt as it was
    /// typed; the content goes into the same message for the model, so `BeforeModel` hooks see
    /// all of it.
    pub async fn prompt_with(
        &mut self,
        prompt: &str,
        references: Option<String>,
        cancel: CancellationToken,
    ) -> TurnEnd {
        let identity = self.parts.hooks.identity();
        self.parts.telemetry.user_prompt(identity, prompt);
        let mut turn = Turn::new(self, prompt, cancel).with_references(references);
        let end = turn.run().await;
        turn.show_end(&end);
        self.report_unwritten();
        end
    }

    /// Compresses the history because the user asks for it (`/compress`, PC-1).
    pub async fn compress(&mut self, cancel: CancellationToken) -> TurnEnd {
        let mut turn = Turn::new(self, "", cancel);
        let end = turn.compress(CompressTrigger::Manual).await;
        let end = end.err().unwrap_or(TurnEnd::Completed);
        turn.end_span(&end);
        turn.show_end(&end);
        end
    }

    /// Ends the session: fires `SessionEnd`, and gives hooks that may outlive it a last moment
    /// (SE-1, SE-2).
    pub async fn end(mut self, reason: EndReason) -> Stats {
        tokio::join!(self.parts.hooks.session_end(reason), self.parting.wait());
        self.report_unwritten();
        self.stats.so_far()
    }

    /// Returns what the session used so far.
    pub fn stats(&self) -> Stats {
        self.stats.so_far()
    }

    /// Returns what the model is told of the session so far.
    pub fn history(&self) -> &[Arc<Content>] {
        self.history.contents()
    }

    /// Adds to the conversation, for the model and in the transcript.
    pub(crate) fn say(&mut self, content: Content) {
        let content = self.history.push(content);
        let timestamp = SystemClock.now();
        self.parts.transcript.append(&Entry::Message {
            timestamp,
            content: &content,
        });
    }

    /// Clears what the model is told; what the user sees stays (AA-4).
    pub(crate) fn clear_history(&mut self) {
        self.history.clear();
        self.parts.transcript.append(&Entry::ContextCleared {
            timestamp: SystemClock.now(),
        });
    }

    pub(crate) fn show(&self, event: &SessionEvent<'_>) {
        self.parts.frontend.show(event);
    }

    /// Tells the user what could not be written.
    pub(crate) fn report_unwritten(&mut self) {
        if let Some(error) = self.parts.telemetry.take_failure() {
            self.show(&SessionEvent::Warning(&format!(
                "telemetry is incomplete: {error}"
            )));
        }
        if let Some(error) = self.parts.transcript.take_failure() {
            let path = self.parts.transcript.path().display().to_string();
            self.show(&SessionEvent::Warning(&format!(
                "the transcript {path} is incomplete: {error}"
            )));
        }
    }
}

/// Takes out the tools that the policy does not offer, or that are not for this agent, and declares
/// the others to the model.
fn declare(parts: &mut Parts, scope: &ToolScope) -> Vec<Arc<FunctionDeclaration>> {
    let policy = &parts.policy;
    parts
        .toolbox
        .retain(|tool| policy.offers(tool) && scope.holds(&tool.name));
    let declarations = parts.toolbox.declarations().map(|tool| {
        Arc::new(FunctionDeclaration {
            name: tool.name.clone(),
            description: tool.description.clone(),
            parameters_json_schema: tool.parameters.clone(),
        })
    });
    declarations.collect()
}
