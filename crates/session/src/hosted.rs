//! A session whose screen is another program, such as an editor (TU-7): the same hooks, settings
//! and gates as in a terminal, without one.

use std::path::Path;
use std::sync::Arc;

use hookloop_agent::{ModeHandle, Parts, Session, StartContext, TurnEnd};
use hookloop_engine::SessionHooks;
use hookloop_events::EndReason;
use hookloop_hook::Source;
use hookloop_host::Stamps;
use hookloop_model::Content;
use hookloop_settings::McpServer;
use hookloop_text::{Notice, NoticeKind};
use hookloop_tools::References;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::build::{self, Built};
use crate::companions::Companions;
use crate::custom_commands::{CustomCommands, Unsent};
use crate::environment::Environment;
use crate::exit::SessionError;
use crate::guarded::GuardedWorkspace;
use crate::hosted_commands::{Commands, expand_hosted, list_commands};
use crate::hosted_prompt::{HostedCommand, HostedPrompt};
use crate::model;
use crate::options::{Options, RunOptions};
use crate::stage::Stage;
use crate::standing::{self, Announcement};
use crate::stored::{self, Stored};
use crate::suspects::Suspects;
use crate::workspace::{Workspace, opening};

/// The configuration with which a session is opened.
pub struct Hosting<'a> {
    /// The options. Files that they name are relative to the environment's current folder.
    pub options: &'a Options,
    /// What applies to the run.
    pub run: &'a RunOptions,
    /// The environment; its current folder is the session's.
    pub environment: Environment,
    /// The id of a session to continue (SE-11); `None` for a new one.
    pub resume: Option<&'a str>,
    /// MCP servers that the other program provides.
    pub servers: Vec<HostedServer>,
}

/// An MCP server that the other program provides, in the format of settings (TO-3).
pub struct HostedServer {
    /// Its name. A server of the same name in settings takes precedence.
    pub name: String,
    /// Its configuration, as below `mcpServers`.
    pub configuration: Value,
}

/// The result of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub enum HostedEnd {
    /// A turn ran, and ended like this.
    Turn(TurnEnd),
    /// Nothing was sent: guards may be missing (ST-5), and the stage got the remedy.
    Held,
    /// The person resolved that, and there was nothing to send.
    Settled,
}

/// A session of a project, for lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownSession {
    /// Its id.
    pub id: String,
    /// When it started, in ISO 8601, UTC.
    pub started_at: String,
    /// The user's first prompt, if there was one.
    pub first_prompt: Option<String>,
}

/// Lists the sessions of the project that contains the environment's current folder, oldest first
/// (AG-CLI-2), with a warning for each that can't be read.
pub fn known_sessions(
    environment: &Environment,
    run: &RunOptions,
) -> (Vec<KnownSession>, Vec<String>) {
    let workspace = Workspace::open(environment, run);
    let (stored, warnings) = stored::all(&build::sessions_folder(&workspace, environment));
    let known = stored.into_iter().map(|it| KnownSession {
        id: it.session.session_id,
        started_at: it.session.started_at,
        first_prompt: it.session.first_prompt,
    });
    (known.collect(), warnings)
}

/// A session whose screen is another program.
pub struct Hosted {
    environment: Environment,
    guarded: GuardedWorkspace,
    files: Arc<hookloop_tools::Workspace>,
    companions: Companions,
    /// The commands of user, project and extensions (TU-5).
    custom: CustomCommands,
    session: Session,
    /// The hooks, which no turn's end cancels.
    parting: SessionHooks,
}

impl Hosted {
    /// Opens a session: loads settings and hooks, reports what doesn't count or run, and fires
    /// `SessionStart`. If it is cancelled, there is no session, and hooks were notified that it
    /// ended.
    ///
    /// # Errors
    /// There is no model, a setting can't be used, or the session to continue doesn't exist.
    pub async fn open<S: Stage>(
        hosting: Hosting<'_>,
        stage: &Arc<S>,
        cancel: &CancellationToken,
    ) -> Result<Self, SessionError> {
        let Hosting {
            options,
            run,
            environment,
            resume,
            servers,
        } = hosting;
        // Taken before anything is read, so that later changes are noticed.
        let before = Stamps::before_loading(&opening(&environment, run));
        let mut workspace = Workspace::open(&environment, run);
        let resumed = resume.map(|id| session_named(&workspace, &environment, id));
        let resumed = resumed.transpose()?;
        for name in add_servers(&mut workspace, &environment, servers) {
            stage.report(&format!(
                "the MCP server \"{name}\" of the editor isn't used: the settings have one of that \
                 name"
            ));
        }
        model::authentication::check(&workspace.settings, &environment)?;
        let teller = Arc::clone(stage);
        let tell = move |it: &str| teller.report(it.strip_prefix("warning: ").unwrap_or(it));
        let model = model::client(options, &environment, &workspace.settings.agent, tell)?;
        announce(&mut workspace, &environment, stage);
        let stamps = Stamps::of(&workspace).keeping(&before);
        let built = build::session(options, &environment, &workspace, model, stage, resumed)?;
        let Built {
            mut parts,
            hooks,
            companions,
            files,
            resumed,
            tainted,
            holding,
            ..
        } = built;
        parts.start_context = StartContext::FirstTurn;
        let parting = parts.hooks.clone();
        let root = workspace.project_root.clone();
        let session = start(parts, &companions, &root, resumed, cancel).await;
        let Some(session) = session else {
            parting.session_end(EndReason::Other).await;
            companions.end().await;
            let text = "the session was closed before it had started";
            return Err(SessionError::Input(text.to_owned()));
        };
        let guarded = GuardedWorkspace {
            workspace,
            stamps,
            hooks,
            tainted,
            holding,
            strictness: options.strictness,
            goes_on: false,
        };
        let mut hosted = Self {
            environment,
            guarded,
            files,
            companions,
            custom: CustomCommands::default(),
            session,
            parting,
        };
        hosted.find_commands(&**stage);
        Ok(hosted)
    }

    /// Finds the commands of user, project and extensions as they are now; what is wrong with any
    /// of them is reported.
    fn find_commands<S: Stage>(&mut self, stage: &S) {
        let mut tell = |problem: String| stage.report(&problem);
        let workspace = &self.guarded.workspace;
        self.custom = CustomCommands::find(&self.environment, workspace, &mut tell);
    }

    /// Returns the commands that a prompt can call, as `/name` with arguments (TU-5, TO-3).
    pub fn commands(&self) -> Vec<HostedCommand> {
        list_commands(&self.custom, &self.companions.mcp)
    }

    /// Returns the session's id.
    pub fn id(&self) -> &str {
        self.session.id()
    }

    /// Returns the base of relative paths.
    pub fn folder(&self) -> &Path {
        &self.environment.current_dir
    }

    /// Returns the history that is sent to the model.
    pub fn history(&self) -> &[Arc<Content>] {
        self.session.history()
    }

    /// Returns a handle for the approval mode, which also works during a turn (TO-6).
    pub fn mode(&self) -> ModeHandle {
        self.session.mode_handle()
    }

    /// Returns the session's hooks without the cancellation of turns, for an end that can't wait
    /// for the session (SE-1).
    pub fn parting(&self) -> SessionHooks {
        self.parting.clone()
    }

    /// Runs a turn, with the current hooks and settings (TR-6).
    pub async fn turn<S: Stage>(
        &mut self,
        prompt: HostedPrompt,
        stage: &S,
        cancel: &CancellationToken,
    ) -> HostedEnd {
        self.refresh(stage);
        if let Some(notice) = self
            .guarded
            .release_retained_hooks(&prompt.text, &self.environment)
        {
            stage.tell(notice);
            return HostedEnd::Settled;
        }
        if let Some(notices) = self.guarded.hold_notices(&prompt.text, &self.environment) {
            for notice in notices {
                stage.tell(notice);
            }
            return if self.guarded.goes_on {
                HostedEnd::Settled
            } else {
                HostedEnd::Held
            };
        }
        if self.guarded.reads_commands() && prompt.text.trim_start().starts_with('/') {
            self.find_commands(stage);
        }
        let commands = Commands {
            custom: &self.custom,
            mcp: &self.companions.mcp,
        };
        // Boxed: the future of a command is too large for the caller's stack.
        let made = Box::pin(expand_hosted(&mut self.session, &prompt, commands, cancel)).await;
        let made = match made {
            Ok(made) => made,
            Err(Unsent::Ended(end)) => return HostedEnd::Turn(end),
            Err(Unsent::Refused(why)) => return HostedEnd::Turn(TurnEnd::Failed(why)),
        };
        let files = Arc::clone(&self.files);
        let mut references = References::read(files, &made.typed, cancel).await;
        references.sent = prompt.sent;
        for left_out in prompt.left_out.iter().chain(&references.left_out) {
            stage.report(left_out);
        }
        let turn = self
            .session
            .prompt_with(&made.prompt, references, cancel.clone());
        HostedEnd::Turn(turn.await)
    }

    fn refresh<S: Stage>(&mut self, stage: &S) {
        let news = self.guarded.refresh(&self.environment);
        for notice in news.into_iter().flatten() {
            stage.tell(notice);
        }
    }

    /// Ends the session: fires `SessionEnd` (SE-1), and ends all processes (IO-34).
    pub async fn end<S: Stage>(mut self, reason: EndReason, stage: &S) {
        // The hooks of `SessionEnd` go through the gate like any others.
        self.refresh(stage);
        self.session.end(reason).await;
        self.companions.end().await;
    }
}

/// Starts the session, or continues with one; nothing if that was cancelled.
async fn start(
    parts: Parts,
    companions: &Companions,
    root: &Path,
    resumed: Option<Vec<Arc<Content>>>,
    cancel: &CancellationToken,
) -> Option<Session> {
    cancel.run_until_cancelled(companions.ready()).await?;
    let starting = async {
        match resumed {
            None => Session::start(parts, root).await,
            Some(history) => Session::resume(parts, history).await,
        }
    };
    cancel.run_until_cancelled(starting).await
}

/// Reports what is wrong in the settings, and which hooks don't run (ST-5, ST-11, TR-2).
fn announce<S: Stage>(workspace: &mut Workspace, environment: &Environment, stage: &Arc<S>) {
    Suspects::of(environment).hold(workspace);
    let announcement = Announcement::of(workspace, environment);
    let renewed = standing::renew(workspace);
    for line in announcement.warnings.into_iter().chain(renewed) {
        let kind = if line.starts_with("error: ") {
            NoticeKind::Error
        } else {
            NoticeKind::Warning
        };
        stage.tell(Notice::new(kind, line));
    }
    if let Some(summary) = announcement.summary {
        stage.tell(Notice::new(NoticeKind::Info, summary));
    }
}

/// Adds servers to those of the settings; returns the names that were taken.
fn add_servers(
    workspace: &mut Workspace,
    environment: &Environment,
    servers: Vec<HostedServer>,
) -> Vec<String> {
    let configured = &mut workspace.settings.agent.mcp_servers;
    let mut accepted = Vec::new();
    for HostedServer {
        name,
        configuration,
    } in servers
    {
        if configured.iter().any(|it| it.name == name) {
            accepted.push(name);
            continue;
        }
        configured.push(McpServer {
            name,
            configuration,
            source: Source::of_file(environment.current_dir.as_path()),
        });
    }
    accepted
}

/// Finds a session by its id alone.
fn session_named(
    workspace: &Workspace,
    environment: &Environment,
    id: &str,
) -> Result<Stored, SessionError> {
    let (stored, unreadable) = stored::all(&build::sessions_folder(workspace, environment));
    let mut named = stored.into_iter().filter(|it| it.session.session_id == id);
    named.next().ok_or_else(|| {
        // The wanted session may be one of the unreadable ones.
        let unreadable = unreadable.iter().map(|it| format!("; {it}"));
        SessionError::NoSession(format!(
            "there is no session \"{id}\" of the project {}{}",
            workspace.project_root.display(),
            unreadable.collect::<String>()
        ))
    })
}
