//! A call that is answered by a separate process, which continues with the hooks that nobody waits
//! for (FD-22).

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use hookloop_bridge::Agent;
use hookloop_hook::EventName;
use hookloop_session::{Environment, Workspace};

use super::Call;
use crate::firing::{AsyncAnnouncement, RunningHooks};
use crate::lasting::{self, Answering};
use crate::unawaited::{Keeping, UnawaitedTask};
use crate::{AgentCall, ProgramPort, around};

/// The context of a call that a separate process answers (FD-22).
struct Lasting {
    environment: Environment,
    is_noted: bool,
    answering: Answering,
    /// The id under which the session is remembered.
    remembered_as: String,
}

/// What is left of a call that was answered while some of its hooks continue.
pub(super) struct Answered {
    pub(super) going: Option<RunningHooks>,
    pub(super) environment: Environment,
    pub(super) workspace: Arc<Workspace>,
    pub(super) session_id: String,
    /// The event at which they run.
    pub(super) event: Option<EventName>,
}

/// Answers a call in a separate process, and returns what continues; `None` if nothing does, or if
/// nothing reads the answer any more.
fn answer(
    arguments: &AgentCall,
    agent: Agent,
    lasting: Lasting,
    program: ProgramPort,
) -> Option<Answered> {
    let moment = agent.moment(&arguments.event)?;
    let Lasting {
        environment,
        is_noted,
        answering,
        remembered_as,
    } = lasting;
    let call = Call {
        arguments: arguments.clone(),
        agent,
        moment,
        deadline: Instant::now() + answering.left,
        place: OnceLock::new(),
        session: OnceLock::from(remembered_as),
        program,
        announcing: AsyncAnnouncement::Releases,
        kept: Mutex::default(),
        // The process that passed the call on has read the payload.
        is_read: AtomicBool::new(true),
    };
    let around = around::CallSurroundings {
        environment,
        notices: answering.surroundings,
        is_noted,
    };
    let answer = call.answer_in(answering.payload, around);
    let answer = answer.unwrap_or_else(|why| call.failure_answer(&why));
    lasting::write(&answer).ok()?;
    call.kept
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
}

/// Answers a call, as the process that it started, and waits for the hooks that weren't waited for.
pub(super) fn run(
    arguments: &AgentCall,
    errand_file: &Path,
    agent: Agent,
    task: UnawaitedTask,
    environment: Environment,
    program: ProgramPort,
) -> ExitCode {
    let UnawaitedTask {
        remembered_as,
        is_noted,
        answering: Some(answering),
        ..
    } = task
    else {
        return ExitCode::FAILURE;
    };
    let lasting = Lasting {
        environment: Environment {
            current_dir: answering.cwd.clone(),
            ..environment
        },
        is_noted,
        answering,
        remembered_as: remembered_as.clone(),
    };
    let answered = answer(arguments, agent, lasting, program);
    let Some(answered) = answered else {
        // The failed call has reported its own cause.
        drop(std::fs::remove_file(errand_file));
        return ExitCode::FAILURE;
    };
    let replies = answered.going.map(RunningHooks::wait);
    let keeping = Keeping {
        environment: &answered.environment,
        workspace: &answered.workspace,
        agent,
        session_id: &answered.session_id,
        remembered_as: &remembered_as,
        event: answered.event,
    };
    keeping.keep(replies.unwrap_or_default(), errand_file)
}
