//! The port for tools that require the session.

use std::pin::Pin;

use crate::{ErrorKind, SubAgent, ToolError};

/// A boxed future, which keeps [`Services`] and [`Tool`](crate::Tool) object-safe.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A request to the model's own tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GroundingKind {
    /// Read the pages whose addresses are in the prompt (`web_fetch`).
    Fetch,
    /// Search the web (`google_web_search`).
    Search,
}

/// What a running call may request from its session.
///
/// Each call has the services of its own turn. So whatever they do passes through the hooks of that
/// turn, even after `/clear` and in a sub-agent, and ends with it. A service obeys the call's
/// cancellation by itself.
pub trait Services: Send + Sync {
    /// Lets the session's model answer a prompt from the web, with its sources (`agent.md` §4).
    fn ground<'a>(
        &'a self,
        kind: GroundingKind,
        prompt: &'a str,
    ) -> BoxFuture<'a, Result<String, ToolError>>;

    /// Lets a sub-agent work towards an objective, and returns what it says in the end (TO-4).
    fn delegate<'a>(
        &'a self,
        agent: &'a SubAgent,
        objective: &'a str,
    ) -> BoxFuture<'a, Result<String, ToolError>>;

    /// Begins plan mode (TO-6).
    fn begin_plan_mode(&self) -> Result<(), ToolError>;

    /// Ends plan mode, and returns the name of the mode that applies from now on (TO-6).
    fn end_plan_mode(&self) -> Result<String, ToolError>;
}

/// The services of a call without a session, which provide nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NoSession;

impl Services for NoSession {
    fn ground<'a>(
        &'a self,
        kind: GroundingKind,
        _prompt: &'a str,
    ) -> BoxFuture<'a, Result<String, ToolError>> {
        let what = match kind {
            GroundingKind::Fetch => "web pages can't be read",
            GroundingKind::Search => "the web can't be searched",
        };
        Box::pin(async move { Err(no_session(what)) })
    }

    fn delegate<'a>(
        &'a self,
        _agent: &'a SubAgent,
        _objective: &'a str,
    ) -> BoxFuture<'a, Result<String, ToolError>> {
        Box::pin(async { Err(no_session("no sub-agent can run")) })
    }

    fn begin_plan_mode(&self) -> Result<(), ToolError> {
        Err(no_session("there is no mode to change"))
    }

    fn end_plan_mode(&self) -> Result<String, ToolError> {
        Err(no_session("there is no mode to change"))
    }
}

fn no_session(what: &str) -> ToolError {
    let message = format!("{what}: the call belongs to no session with a model");
    ToolError::new(ErrorKind::Unavailable, message)
}
