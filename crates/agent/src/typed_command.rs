//! A shell command that the user typed (`!command`, TU-5). Like a call of the model, it passes
//! through its hooks, the policy and the tool (EV-4).

use std::sync::Arc;

use hookloop_engine::BoxFuture;
use hookloop_events::ToolCall;
use hookloop_model::{AllowedTools, Content, FunctionCall};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::frontend::{Audience, Confirmation, Consent, Frontend, SessionEvent};
use crate::scope::{Scope, Services};
use crate::session::Session;
use crate::spans;
use crate::tool_batch;
use crate::tool_call::Admission;
use crate::turn::show_end;
use crate::turn_end::TurnEnd;

/// The tool that runs commands.
const SHELL: &str = "run_shell_command";

/// The argument of the tool that contains the command.
const COMMAND: &str = "command";

impl Session {
    /// Runs a command that the user typed. Its hooks and the policy may refuse it, and a hook may
    /// require a confirmation; otherwise, typing it counts as consent. The model reads the command
    /// and its output with the next prompt.
    pub async fn shell(&mut self, command: &str, cancel: CancellationToken) -> TurnEnd {
        let (scope, span) = self.scope(cancel).step(spans::turn);
        let scope = typed_by_user(scope, command);
        self.conversation.declare_tools(&self.services, &self.hooks);
        let arguments = Map::from_iter([(COMMAND.to_owned(), Value::from(command))]);
        let calls = [FunctionCall::new(SHELL, arguments)];
        let offer = &self.conversation.offer;
        let batch =
            tool_batch::run(&scope, offer, &calls, &Admission::Within(AllowedTools::All)).await;
        let results = batch.responses.iter().flat_map(|it| it.response.values());
        let results: Vec<&str> = results.filter_map(Value::as_str).collect();
        let text = format!(
            "I ran this shell command:\n```sh\n{command}\n```\nIt gave:\n```\n{}\n```",
            results.join("\n")
        );
        self.conversation.say(&self.services, Content::user(text));
        for step in &batch.unshown {
            step.show(&scope);
        }
        let end = batch.end.unwrap_or(TurnEnd::Completed);
        spans::end_turn(span, &end);
        show_end(&scope, &end);
        self.report_unwritten();
        end
    }
}

impl Session {
    /// Runs a shell command whose output becomes part of a prompt (`!{…}` in a custom command,
    /// TU-5). Like a call of the model, it passes through its hooks, the policy and a question to
    /// the user. Returns the result as the model would read it, or why the command didn't run.
    ///
    /// # Errors
    /// The user or a hook ended the loop, which was already shown.
    pub async fn run_for_prompt(
        &mut self,
        command: &str,
        cancel: CancellationToken,
    ) -> Result<Result<String, String>, TurnEnd> {
        let (scope, span) = self.scope(cancel).step(spans::turn);
        self.conversation.declare_tools(&self.services, &self.hooks);
        let arguments = Map::from_iter([(COMMAND.to_owned(), Value::from(command))]);
        let calls = [FunctionCall::new(SHELL, arguments)];
        let offer = &self.conversation.offer;
        let batch =
            tool_batch::run(&scope, offer, &calls, &Admission::Within(AllowedTools::All)).await;
        for step in &batch.unshown {
            step.show(&scope);
        }
        let end = batch.end.unwrap_or(TurnEnd::Completed);
        spans::end_turn(span, &end);
        self.report_unwritten();
        if end != TurnEnd::Completed {
            show_end(&scope, &end);
            return Err(end);
        }
        let mut output = String::new();
        for response in &batch.responses {
            if let Some(error) = response.response.get("error") {
                let why = error
                    .as_str()
                    .map_or_else(|| error.to_string(), str::to_owned);
                return Ok(Err(why));
            }
            output.extend(response.response.values().filter_map(Value::as_str));
        }
        Ok(Ok(output))
    }
}

fn typed_by_user(scope: Scope, command: &str) -> Scope {
    let frontend = Typed {
        inner: Arc::clone(&scope.services.frontend),
        command: command.to_owned(),
    };
    let services = Services {
        frontend: Arc::new(frontend),
        ..(*scope.services).clone()
    };
    Scope {
        services: Arc::new(services),
        ..scope
    }
}

/// The screen of a person who typed a command, and needn't be asked whether it is meant.
struct Typed {
    inner: Arc<dyn Frontend>,
    command: String,
}

impl Typed {
    /// Returns whether a call is what was typed, unchanged by hooks.
    fn is_typed(&self, call: &ToolCall) -> bool {
        let command = call.arguments.get(COMMAND).and_then(Value::as_str);
        call.name == SHELL && call.arguments.len() == 1 && command == Some(&self.command)
    }
}

impl Frontend for Typed {
    fn show(&self, event: &SessionEvent<'_>) {
        if let SessionEvent::ToolFinished(end) = event
            && self.is_typed(end.call)
        {
            self.inner.typed_by_person(end.call);
        }
        self.inner.show(event);
    }

    fn confirm<'a>(&'a self, request: Confirmation<'a>) -> BoxFuture<'a, Consent> {
        // Nobody has agreed to a hook's question, or to a command that a hook rewrote.
        if request.reason.is_none() && self.is_typed(request.call) {
            return Box::pin(std::future::ready(Consent::Given));
        }
        self.inner.confirm(request)
    }

    fn typed_by_person(&self, call: &ToolCall) {
        self.inner.typed_by_person(call);
    }

    fn audience(&self) -> Audience {
        self.inner.audience()
    }
}
