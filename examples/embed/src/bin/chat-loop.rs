//! A chat loop: hooks judge what a person writes before a model reads it, and what the model says
//! before the person reads it.
//!
//! ```text
//! chat-loop PROJECT
//! ```
//!
//! The model is one that says everything backwards. Ctrl+C gives up the prompt that hooks are
//! judging; the empty line ends the loop.

use std::error::Error;
use std::io::{self, BufRead as _, Write as _};
use std::process::ExitCode;
use std::sync::Arc;

use hookloop_engine::events::{
    AfterAgentInput, AfterAgentOutcome, BeforeAgentOutcome, EndReason, HookContext, SessionSource,
};
use hookloop_engine::{Cancelled, LineObserver, PromptOrigin, SessionHooks};
use hookloop_example_embed::{ended, show, show_problems};
use hookloop_host::Host;
use tokio_util::sync::CancellationToken;

/// How often an answer that hooks reject is tried again.
const RETRIES: usize = 2;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    ended(chat().await)
}

async fn chat() -> Result<ExitCode, Box<dyn Error>> {
    let project = std::env::args_os()
        .nth(1)
        .ok_or("usage: chat-loop PROJECT")?;
    let mut host = Host::builder(project)
        .hooks(|hooks| hooks.observer(Arc::new(LineObserver::new(show))))
        .open()?;
    show_problems(&host);
    let session = host.session(uuid::Uuid::new_v4().to_string());
    let start = session.session_start(SessionSource::Startup).await?.outcome;
    if let Some(reason) = start.stop {
        session.session_end(EndReason::Exit).await;
        return Err(format!("stopped: {reason}").into());
    }
    // The model reads it with the first prompt.
    let mut context = start.context;
    for line in io::stdin().lock().lines() {
        let prompt = line?;
        if prompt.is_empty() {
            break;
        }
        host.refresh();
        match converse(&session, &prompt, &mut context).await {
            Ok(Some(answer)) => writeln!(io::stdout(), "{answer}")?,
            Ok(None) => {}
            Err(Cancelled) => show("given up: the prompt wasn't judged, and is forgotten"),
        }
    }
    session.session_end(EndReason::Exit).await;
    Ok(ExitCode::SUCCESS)
}

/// Takes one turn; what a person gives up while hooks judge it has no answer.
async fn converse(
    session: &SessionHooks,
    prompt: &str,
    start: &mut Option<HookContext>,
) -> Result<Option<String>, Cancelled> {
    let given_up = CancellationToken::new();
    let session = session.with_cancel(given_up.clone());
    let turn = turn(&session, prompt, start);
    tokio::pin!(turn);
    tokio::select! {
        answer = &mut turn => return answer,
        _ = tokio::signal::ctrl_c() => given_up.cancel(),
    }
    // Its hooks are being ended: wait until they are.
    turn.await
}

async fn turn(
    session: &SessionHooks,
    prompt: &str,
    start: &mut Option<HookContext>,
) -> Result<Option<String>, Cancelled> {
    let context = match session
        .before_agent(prompt, PromptOrigin::Person)
        .await?
        .outcome
    {
        BeforeAgentOutcome::Proceed(context) => context,
        BeforeAgentOutcome::Refuse(reason, _) | BeforeAgentOutcome::Stop(reason) => {
            show(&format!("refused: {reason}"));
            return Ok(None);
        }
    };
    let mut read = prompt.to_owned();
    for context in start.take().into_iter().chain(context) {
        read.push('\n');
        read.push_str(&context.wrapped());
    }
    for retry in 0..=RETRIES {
        let answer = backwards(&read);
        let input = AfterAgentInput {
            prompt: prompt.to_owned(),
            prompt_response: answer.clone(),
            stop_hook_active: retry > 0,
        };
        match session.after_agent(&input).await?.outcome {
            AfterAgentOutcome::Accept(_) => return Ok(Some(answer)),
            AfterAgentOutcome::Retry(rejection, _) => {
                rejection.reason.as_str().clone_into(&mut read);
            }
            AfterAgentOutcome::Stop(reason, _) => {
                show(&format!("stopped: {reason}"));
                return Ok(None);
            }
        }
    }
    show("the answer was rejected each time");
    Ok(None)
}

/// The model.
fn backwards(text: &str) -> String {
    text.chars().rev().collect()
}
