//! A session that an editor opened, from its start to its end.

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use agent_client_protocol::v1::schema::{
    CloseSessionResponse, Error as SchemaError, LoadSessionResponse, McpServer, NewSessionResponse,
    PromptResponse, ResumeSessionResponse, SessionId, StopReason,
};
use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{Client, Error, ErrorCode};
use hookloop_agent::TurnEnd;
use hookloop_events::{Cause, EndReason};
use hookloop_session::{
    Hosted, HostedEnd, HostedPrompt, Hosting, Options, SessionError, Stage as _, print_notice,
};
use serde_json::{Map, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio_util::sync::CancellationToken;

use crate::ledger::{Entry, Ledger, SessionOrder, invalid};
use crate::stage::{EditorCapabilities, EditorStage};
use crate::{modes, prompt, replay, servers};

/// The exit code of a session without credentials (AG-CLI-4).
const NO_CREDENTIALS: u8 = 41;

/// The requested session.
pub(crate) struct SessionRequest {
    pub(crate) folder: PathBuf,
    /// Further folders of the workspace.
    pub(crate) directories: Vec<PathBuf>,
    pub(crate) servers: Vec<McpServer>,
    /// The session that continues.
    pub(crate) resume: Option<String>,
}

impl SessionRequest {
    pub(crate) fn new(folder: PathBuf, directories: Vec<PathBuf>, servers: Vec<McpServer>) -> Self {
        Self {
            folder,
            directories,
            servers,
            resume: None,
        }
    }

    /// Requests an existing session.
    pub(crate) fn going_on_with(self, session: &SessionId) -> Self {
        Self {
            resume: Some(session.to_string()),
            ..self
        }
    }
}

/// How the editor learns that its session is open.
pub(crate) enum Welcome {
    New(Responder<NewSessionResponse>),
    /// With the conversation so far.
    Load(Responder<LoadSessionResponse>),
    /// Without it: the editor has it.
    Resume(Responder<ResumeSessionResponse>),
}

impl Welcome {
    pub(crate) fn refuse(self, error: Error) -> Result<(), Error> {
        match self {
            Self::New(responder) => responder.respond_with_error(error),
            Self::Load(responder) => responder.respond_with_error(error),
            Self::Resume(responder) => responder.respond_with_error(error),
        }
    }

    /// Reports that the session is open, before anything new is said about it: an editor knows a
    /// new session from the answer, and has all of an old one with it.
    fn greet(self, hosted: &Hosted, stage: &EditorStage) -> Result<(), Error> {
        let modes = modes::state(hosted.mode().get());
        match self {
            Self::New(responder) => {
                let response = NewSessionResponse::new(hosted.id().to_owned()).modes(modes);
                responder.respond(response)?;
                stage.release();
                Ok(())
            }
            Self::Load(responder) => {
                stage.release();
                replay::conversation(hosted.history(), hosted.folder(), stage);
                responder.respond(LoadSessionResponse::new().modes(modes))
            }
            Self::Resume(responder) => {
                stage.release();
                responder.respond(ResumeSessionResponse::new().modes(modes))
            }
        }
    }
}

/// A session that has to be opened.
pub(crate) struct OpenRequest {
    pub(crate) ledger: Rc<Ledger>,
    pub(crate) client: ConnectionTo<Client>,
    pub(crate) abilities: EditorCapabilities,
    pub(crate) asked: SessionRequest,
}

impl OpenRequest {
    /// Opens the session, and runs it to its end.
    pub(crate) async fn run(self, welcome: Welcome) {
        let Self {
            ledger,
            client,
            abilities,
            asked,
        } = self;
        let stage = Arc::new(EditorStage::new(client, abilities, asked.folder.clone()));
        let resume = asked.resume.clone();
        let hosted = match Box::pin(open(&ledger, asked, &stage)).await {
            Ok(hosted) => hosted,
            Err(error) => {
                ledger.not_opened(resume.as_deref());
                stage.print_held();
                report(welcome.refuse(error));
                return;
            }
        };
        let id = hosted.id().to_owned();
        stage.name(SessionId::new(id.clone()), hosted.mode());
        let (send, orders) = unbounded_channel();
        let entry = Entry {
            orders: send,
            stage: Arc::clone(&stage),
            prompts: CancellationToken::new(),
        };
        ledger.enter(&id, entry, hosted.parting());
        report(welcome.greet(&hosted, &stage));
        stage.say_commands(hosted.commands());
        Box::pin(attend(hosted, &ledger, &stage, orders)).await;
    }
}

async fn open(
    ledger: &Ledger,
    asked: SessionRequest,
    stage: &Arc<EditorStage>,
) -> Result<Hosted, Error> {
    let folder = asked.folder;
    if !folder.is_absolute() || !folder.is_dir() {
        let place = folder.display();
        return Err(invalid(format!(
            "\"{place}\" isn't the absolute path of a folder"
        )));
    }
    let (servers, unknown) = servers::to_hosted_servers(asked.servers);
    if unknown > 0 {
        stage.report(&format!(
            "{unknown} MCP servers of the editor aren't used: their transport isn't supported"
        ));
    }
    let mut options: Options = ledger.options.clone();
    options.include_directories.extend(asked.directories);
    let hosting = Hosting {
        options: &options,
        run: &ledger.run,
        environment: ledger.environment.in_folder(folder),
        resume: asked.resume.as_deref(),
        servers,
    };
    let resume = hosting.resume;
    let opened = Box::pin(Hosted::open(hosting, stage, &ledger.leaving)).await;
    opened.map_err(|error| not_opened(&error, resume))
}

/// Returns why a session isn't open, in the protocol's codes.
fn not_opened(error: &SessionError, resume: Option<&str>) -> Error {
    let why = error.to_string();
    match (error, resume) {
        (SessionError::NoSession(_), Some(id)) => {
            let mut error = SchemaError::session_not_found(id.to_owned());
            error.message = why;
            error.into()
        }
        _ if error.code() == NO_CREDENTIALS => Error::new(ErrorCode::AUTH_REQUIRED, why),
        _ => Error::new(ErrorCode::INTERNAL_ERROR, why),
    }
}

/// Carries out the editor's requests to a session until it ends.
async fn attend(
    mut hosted: Hosted,
    ledger: &Ledger,
    stage: &Arc<EditorStage>,
    mut orders: UnboundedReceiver<SessionOrder>,
) {
    let mut closing = None;
    while let Some(order) = orders.recv().await {
        match order {
            SessionOrder::Prompt(blocks, responder, cancel) => {
                let prompt = prompt::to_prompt(blocks, hosted.folder());
                let cancellation = responder.cancellation();
                let turn = turn(&mut hosted, prompt, stage, &cancel);
                let mut turn = Box::pin(turn);
                let ended = tokio::select! {
                    ended = &mut turn => ended,
                    () = cancellation.cancelled() => {
                        cancel.cancel();
                        (&mut turn).await
                    }
                };
                // Before the response, so that an editor knows them when it sends the next prompt
                // at once.
                drop(turn);
                stage.say_commands(hosted.commands());
                report(responder.respond_with_result(ended));
            }
            SessionOrder::Close(responder) => {
                closing = Some(responder);
                break;
            }
        }
    }
    let reason = match closing {
        Some(_) => EndReason::Exit,
        None => ledger.reason.get(),
    };
    ledger.ends(hosted.id());
    hosted.end(reason, &**stage).await;
    if let Some(responder) = closing {
        report(responder.respond(CloseSessionResponse::new()));
    }
}

async fn turn(
    hosted: &mut Hosted,
    prompt: HostedPrompt,
    stage: &Arc<EditorStage>,
    cancel: &CancellationToken,
) -> Result<PromptResponse, Error> {
    if cancel.is_cancelled() {
        return Ok(PromptResponse::new(StopReason::Cancelled));
    }
    if prompt.text.trim().is_empty() {
        let left_out = prompt.left_out.iter().map(|it| format!("; {it}"));
        let left_out: String = left_out.collect();
        return Err(invalid(format!("the prompt is empty{left_out}")));
    }
    stage.begin_turn(cancel.clone());
    let end = hosted.turn(prompt, &**stage, cancel).await;
    stage.end_turn();
    if cancel.is_cancelled() {
        return Ok(PromptResponse::new(StopReason::Cancelled));
    }
    response(end)
}

/// Returns how a turn ended. What a hook decided is a normal end, with the details in `_meta`
/// (AG-CLI-4); if there was no complete response, or a hook that failed refused, it is an error.
fn response(end: HostedEnd) -> Result<PromptResponse, Error> {
    let failed = |why: String| Err(Error::new(ErrorCode::INTERNAL_ERROR, why));
    let decided = |word: &str, reason: String| {
        let meta = json!({"end": word, "reason": reason});
        let meta = Map::from_iter([("hookloop".to_owned(), meta)]);
        Ok(PromptResponse::new(StopReason::EndTurn).meta(meta))
    };
    match end {
        HostedEnd::Settled | HostedEnd::Turn(TurnEnd::Completed) => {
            Ok(PromptResponse::new(StopReason::EndTurn))
        }
        HostedEnd::Held => failed("guards may be missing, so nothing was sent".to_owned()),
        HostedEnd::Turn(TurnEnd::Refused(reason, Cause::Policy)) => {
            decided("refused", reason.to_string())
        }
        HostedEnd::Turn(TurnEnd::Stopped(reason)) => decided("stopped", reason.to_string()),
        HostedEnd::Turn(TurnEnd::Refused(reason, Cause::Failure)) => failed(reason.to_string()),
        HostedEnd::Turn(TurnEnd::Cancelled) => Ok(PromptResponse::new(StopReason::Cancelled)),
        HostedEnd::Turn(TurnEnd::LimitReached(_)) => {
            Ok(PromptResponse::new(StopReason::MaxTurnRequests))
        }
        HostedEnd::Turn(TurnEnd::EndedEarly(reason)) => end_response(&reason),
        HostedEnd::Turn(TurnEnd::Failed(why)) => failed(why),
    }
}

/// Returns why the model ended early. The protocol's `refusal` means that nothing of the turn is
/// included in the next one, but the history keeps it: so everything except a limit that was
/// reached is an error.
fn end_response(reason: &str) -> Result<PromptResponse, Error> {
    if reason != "MAX_TOKENS" {
        let why = format!("the model ended its answer early ({reason}), so it is incomplete");
        return Err(Error::new(ErrorCode::INTERNAL_ERROR, why));
    }
    let meta = json!({"end": "ended_early", "reason": reason});
    let meta = Map::from_iter([("hookloop".to_owned(), meta)]);
    Ok(PromptResponse::new(StopReason::MaxTokens).meta(meta))
}

fn report(answered: Result<(), Error>) {
    if let Err(error) = answered {
        print_notice(&format!(
            "warning: an answer couldn't be sent to the editor: {error}"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LO-3: half a response is reported in the protocol's words if it has any for its end, and
    /// otherwise as an error; a complete one ends the turn.
    #[test]
    fn an_editor_is_told_of_half_an_answer() {
        let answer_for =
            |reason: &str| response(HostedEnd::Turn(TurnEnd::EndedEarly(reason.to_owned())));
        let answer = answer_for("MAX_TOKENS").unwrap();
        assert_eq!(answer.stop_reason, StopReason::MaxTokens);
        assert_eq!(answer.meta.unwrap()["hookloop"]["reason"], "MAX_TOKENS");
        for reason in [
            "SAFETY",
            "PROHIBITED_CONTENT",
            "OTHER",
            "A_REASON_OF_TOMORROW",
        ] {
            assert!(answer_for(reason).unwrap_err().message.contains(reason));
        }
        let whole = response(HostedEnd::Turn(TurnEnd::Completed)).unwrap();
        assert_eq!(whole.stop_reason, StopReason::EndTurn);
    }
}
