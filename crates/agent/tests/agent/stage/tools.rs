//! Tools that touch nothing.

use std::sync::Arc;
use std::time::Duration;

use hookloop_events::McpContext;
use hookloop_tools::{
    Access, Arguments, BoxFuture, Declaration, EditsFile, ErrorKind, GroundingKind, Output,
    Preview, RunContext, Subject, Tool, ToolError,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{Log, Step};

/// A tool that repeats its arguments.
pub(crate) struct StubTool {
    declaration: Declaration,
    does: Does,
    log: Log,
    cancel: CancellationToken,
}

#[derive(Clone)]
enum Does {
    /// Says this and its arguments.
    Says(String),
    /// Prints these while it runs.
    Prints(Vec<String>),
    Fails(String),
    /// Prints and says a secret that contains its number.
    Reveals,
    /// The user cancels while it runs.
    Cancels,
    Takes(Duration),
    /// Calls the session's model.
    Searches,
    /// Says how many references its arguments have.
    Counts,
}

impl StubTool {
    fn new(name: &str, access: Access, does: Does) -> Self {
        Self {
            declaration: Declaration {
                name: name.to_owned(),
                description: format!("The tool {name}."),
                parameters: json!({"type": "object", "properties": {
                    "n": {"type": "integer"}, "command": {"type": "string"},
                }}),
                access,
            },
            does,
            log: Log::default(),
            cancel: CancellationToken::new(),
        }
    }

    pub(crate) fn reading(name: &str) -> Self {
        Self::new(name, Access::Read, Does::Says(format!("what {name} found")))
    }

    pub(crate) fn editing(name: &str) -> Self {
        Self::new(name, Access::Edit, Does::Says(format!("{name} did it")))
    }

    pub(crate) fn executing(name: &str) -> Self {
        Self::new(name, Access::Execute, Does::Says(format!("{name} ran")))
    }

    pub(crate) fn saying(name: &str, text: &str) -> Self {
        Self::new(name, Access::Read, Does::Says(text.to_owned()))
    }

    pub(crate) fn printing(name: &str, pieces: &[&str]) -> Self {
        let pieces = pieces.iter().map(|it| (*it).to_owned()).collect();
        Self::new(name, Access::Read, Does::Prints(pieces))
    }

    pub(crate) fn revealing(name: &str) -> Self {
        Self::new(name, Access::Read, Does::Reveals)
    }

    pub(crate) fn revealing_edit(name: &str) -> Self {
        Self::new(name, Access::Edit, Does::Reveals)
    }

    pub(crate) fn failing(name: &str, why: &str) -> Self {
        Self::new(name, Access::Read, Does::Fails(why.to_owned()))
    }

    pub(crate) fn cancelling(name: &str) -> Self {
        Self::new(name, Access::Read, Does::Cancels)
    }

    pub(crate) fn taking(name: &str, time: Duration) -> Self {
        Self::new(name, Access::Read, Does::Takes(time))
    }

    pub(crate) fn searching(name: &str) -> Self {
        Self::new(name, Access::Read, Does::Searches)
    }

    pub(crate) fn counting(name: &str) -> Self {
        Self::new(name, Access::Read, Does::Counts)
    }

    pub(crate) fn on_stage(self, log: Log, cancel: CancellationToken) -> Self {
        Self {
            log,
            cancel,
            ..self
        }
    }
}

impl Tool for StubTool {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn mcp_context(&self) -> Option<&McpContext> {
        None
    }

    fn validate(&self, arguments: &Arguments) -> Result<(), ToolError> {
        self.declaration().check(arguments)
    }

    fn edits(&self) -> Option<&dyn EditsFile> {
        None
    }

    fn needs_person(&self, _arguments: &Arguments) -> bool {
        false
    }

    fn preview(&self, _arguments: &Arguments) -> Preview {
        Preview::new(
            "Run a stub",
            Subject::Info {
                prompt: String::new(),
                urls: Vec::new(),
            },
        )
    }

    fn run<'a>(
        &'a self,
        arguments: Arc<Arguments>,
        context: RunContext<'a>,
    ) -> BoxFuture<'a, Output> {
        let name = self.declaration.name.clone();
        let holders = Arc::strong_count(&arguments);
        let given = Value::Object(Arc::unwrap_or_clone(arguments));
        self.log.push(Step::Ran(name, given.clone()));
        Box::pin(async move {
            match self.does.clone() {
                Does::Says(text) => Output::new(format!("{text} {given}"), text),
                Does::Prints(pieces) => {
                    for piece in &pieces {
                        (context.progress)(piece);
                        tokio::task::yield_now().await;
                    }
                    Output::new(pieces.concat(), pieces.concat())
                }
                Does::Reveals => {
                    let secret = format!("secret-{}- ", given["n"]);
                    (context.progress)(&secret);
                    Output::new(secret.clone(), secret)
                }
                Does::Counts => Output::new(holders.to_string(), "counted"),
                Does::Fails(why) => Output::failed(ToolError::new(ErrorKind::ExecutionFailed, why)),
                Does::Cancels => {
                    self.cancel.cancel();
                    Output::failed(ToolError::cancelled())
                }
                Does::Takes(time) => {
                    tokio::select! {
                        () = tokio::time::sleep(time) => Output::new("took long", "took long"),
                        () = context.cancel.cancelled() => Output::failed(ToolError::cancelled()),
                    }
                }
                Does::Searches => {
                    let found = context
                        .services
                        .ground(GroundingKind::Search, "what?")
                        .await;
                    found.map_or_else(Output::failed, |text| Output::new(text.clone(), text))
                }
            }
        })
    }
}
