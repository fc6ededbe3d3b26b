//! A hook as JSON (`cli-json.md` §2, "Hook").

use hookloop_engine::{HookStatus, SkipCause};
use hookloop_hook::{Grouping, Handler, HookDeclaration, OnFailure, Source};
use hookloop_session::Status;
use hookloop_session::recording::Statistics;
use serde::Serialize;

/// Shows a hook with its standing.
#[derive(Debug, Serialize)]
pub(crate) struct HookView<'a> {
    id: &'a str,
    event: &'static str,
    r#type: &'a str,
    name: Option<&'a str>,
    description: Option<&'a str>,
    matcher: Option<&'a str>,
    label: &'a str,
    command: Option<&'a str>,
    sequential: bool,
    timeout_ms: u64,
    on_failure: OnFailure,
    env: Vec<&'a str>,
    source: &'a Source,
    status: Status,
    causes: &'a [SkipCause],
    trust: &'static str,
    stats: Option<Statistics>,
}

impl<'a> HookView<'a> {
    /// Shows a hook; statistics belong into the list alone.
    pub(crate) fn new(known: &'a HookStatus, stats: Option<Statistics>) -> Self {
        let hook: &HookDeclaration = &known.hook;
        Self {
            id: hook.id.as_str(),
            event: hook.event.as_str(),
            r#type: hook.handler.type_name(),
            name: hook.name.as_deref(),
            description: hook.description.as_deref(),
            matcher: hook.matcher.as_deref(),
            label: hook.label(),
            command: match &hook.handler {
                Handler::Command { command, .. } => Some(command),
                _ => None,
            },
            sequential: hook.grouping == Grouping::Sequential,
            timeout_ms: u64::try_from(hook.timeout.as_millis()).unwrap_or(u64::MAX),
            on_failure: hook.on_failure,
            env: hook.env.keys().map(String::as_str).collect(),
            source: &hook.source,
            status: Status::of(&known.causes),
            causes: &known.causes,
            trust: known.standing.as_str(),
            stats,
        }
    }
}
