//! The port of tools that need the session that runs them.

use std::pin::Pin;

use crate::{ErrorKind, SubAgent, ToolError};

/// A future on the heap, so that [`Services`] and [`Tool`](crate::Tool) stay usable as objects.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Says what the model's own tool shall do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GroundingKind {
    /// Read the pages whose addresses are in the prompt (`web_fetch`).
    Fetch,
    /// Search the web (`google_web_search`).
    Search,
}

/// What a running call may ask of the session that runs it.
///
/// Each call has the services of the turn that it belongs to, so that what they do goes through
/// the hooks of just that turn, also after `/clear` and within a sub-agent, and ends with it. A
/// service obeys the call's cancellation on its own.
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

    /// Ends plan mode, and returns the name of the mode that holds from now on (TO-6).
    fn end_plan_mode(&self) -> Result<String, ToolError>;
}

/// Is in where a call belongs to no session: there is nothing that it could ask.
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
        Box::pin(async { Err(no_session("no sub-agent can work")) })
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
