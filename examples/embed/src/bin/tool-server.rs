//! A tool server: carries out tool calls that come in as lines of JSON, as far as hooks let them.
//!
//! ```text
//! tool-server PROJECT
//! ```
//!
//! Each line is `{"id": "1", "name": "write_note", "arguments": {"text": "…"}}`; each is answered
//! with one line, `{"id": "1", "result": …}` or `{"id": "1", "refused": "why"}`.

use std::error::Error;
use std::io::{self, BufRead as _, Write as _};
use std::process::ExitCode;
use std::sync::Arc;

use hookloop_engine::events::{
    AfterToolOutcome, BeforeToolOutcome, EndReason, HookContext, ToolCall, ToolResponse,
};
use hookloop_engine::{Cleared, LineObserver, SessionHooks, Unsettled};
use hookloop_example_embed::{ended, show, show_problems};
use hookloop_host::Host;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Request {
    id: String,
    name: String,
    arguments: serde_json::Map<String, Value>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    ended(serve().await)
}

async fn serve() -> Result<ExitCode, Box<dyn Error>> {
    let project = std::env::args_os()
        .nth(1)
        .ok_or("usage: tool-server PROJECT")?;
    let mut host = Host::builder(project)
        .tools(["write_note"])
        .hooks(|hooks| hooks.observer(Arc::new(LineObserver::new(show))))
        .open()?;
    show_problems(&host);
    let session = host.session(uuid::Uuid::new_v4().to_string());
    for line in io::stdin().lock().lines() {
        // Hooks that a person has edited or agreed to meanwhile count from the next call on.
        host.refresh();
        let request: Request = serde_json::from_str(&line?)?;
        let id = request.id.clone();
        let answer = match answer(&session, request).await? {
            Ok(result) => json!({ "id": id, "result": result }),
            Err(refused) => json!({ "id": id, "refused": refused }),
        };
        writeln!(io::stdout(), "{answer}")?;
    }
    session.session_end(EndReason::Exit).await;
    Ok(ExitCode::SUCCESS)
}

/// Asks hooks about a call, carries it out, and asks them about its result.
async fn answer(
    session: &SessionHooks,
    request: Request,
) -> Result<Result<String, String>, Box<dyn Error>> {
    let call = ToolCall::new(request.id, request.name, request.arguments);
    let conclusion = match session.before_tool(call, check).await {
        Ok(conclusion) => conclusion,
        // Hooks rewrote the arguments to something that the tool doesn't accept: the caller may try
        // another way.
        Err(unsettled @ Unsettled::Invalid { .. }) => return Ok(Err(unsettled.to_string())),
        // Its hooks were ended and decided nothing: somebody gave up, and no longer waits for an
        // answer.
        Err(Unsettled::Cancelled(cancelled)) => return Err(cancelled.into()),
    };
    let cleared = match conclusion.outcome {
        BeforeToolOutcome::Proceed(cleared) => cleared,
        // Nobody sits in front of a server, and a question without an answer is a no.
        BeforeToolOutcome::Ask(_, reason) | BeforeToolOutcome::Deny(reason, _) => {
            return Ok(Err(reason.as_str().to_owned()));
        }
        BeforeToolOutcome::Stop(reason) => return Err(reason.as_str().into()),
    };
    let result = run(&cleared);
    let response = ToolResponse::text(&result);
    Ok(
        match session.after_tool(&cleared, response).await?.outcome {
            AfterToolOutcome::Keep(context) => Ok(with_context(&result, context)),
            AfterToolOutcome::Withhold(reason, _, context) => {
                Err(with_context(reason.as_str(), context))
            }
            // This server has one tool, so there is none to continue with.
            AfterToolOutcome::Chain(call, _) => Err(format!("there is no tool {}", call.name)),
            AfterToolOutcome::Stop(reason) => return Err(reason.as_str().into()),
        },
    )
}

/// Appends what hooks want the model to read.
fn with_context(text: &str, context: Option<HookContext>) -> String {
    match context {
        Some(context) => format!("{text}\n{}", context.wrapped()),
        None => text.to_owned(),
    }
}

/// The tool. A call that its hooks haven't seen doesn't compile here.
fn run(call: &Cleared<ToolCall>) -> String {
    let text = call.arguments.get("text").and_then(Value::as_str);
    format!("noted: {}", text.unwrap_or_default())
}

/// Looks at arguments that hooks changed: they are judged again only if they make sense.
fn check(call: &ToolCall) -> Result<(), String> {
    match call.arguments.get("text") {
        Some(Value::String(_)) => Ok(()),
        _ => Err("`text` must be a string".to_owned()),
    }
}
