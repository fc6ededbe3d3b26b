//! Runs as an engine would report them.
#![allow(
    dead_code,
    reason = "unit and integration tests share this file, and each uses a part"
)]

use std::sync::Arc;
use std::time::Duration;

use hookloop_engine::{Concluded, Lifecycle, RunRecord};
use hookloop_events::{EventName, Reply, SessionIdentity};
use hookloop_hook::{Handler, HookDeclaration, HookId, Layer, Position, Source};

/// Declares a command of the project's settings as a hook.
pub(crate) fn hook(event: EventName, name: &str) -> HookDeclaration {
    HookDeclaration {
        id: HookId::from_text(&format!("id-of-{name}")),
        handler: Handler::command(format!("./{name}.sh")),
        source: Source {
            layer: Some(Layer::Project),
            extension: None,
            file: std::path::Path::new("/app/.gemini/settings.json").into(),
            position: Some(Position {
                line: 7,
                column: 11,
            }),
        },
        ..HookDeclaration::in_process(event, name)
    }
}

/// A run of a hook that says nothing.
pub(crate) fn run_of(hook: HookDeclaration, run_id: &str) -> RunRecord {
    let started_at = "2026-01-02T03:04:05.678Z";
    let mut run = RunRecord::new(run_id, "session-1", Arc::new(hook), started_at);
    run.duration = Duration::from_micros(12_345);
    run.content.input = r#"{"tool_name":"write_file"}"#.into();
    run
}

/// A run of a `BeforeTool` hook that says nothing.
pub(crate) fn run(name: &str, run_id: &str) -> RunRecord {
    run_of(hook(EventName::BeforeTool, name), run_id)
}

/// A run whose hook wrote an object as its reply.
pub(crate) fn replying(event: EventName, name: &str, reply: &serde_json::Value) -> RunRecord {
    let mut run = run_of(hook(event, name), name);
    run.content.stdout = reply.to_string();
    run.content.reply = reply
        .as_object()
        .and_then(|fields| Reply::read(event, fields.clone()).ok());
    run
}

/// The end of an event with these runs.
pub(crate) fn concluded(runs: Vec<RunRecord>) -> Lifecycle {
    Lifecycle::Concluded(Concluded::new(EventName::BeforeTool, shared(runs)))
}

pub(crate) fn shared(runs: Vec<RunRecord>) -> Vec<Arc<RunRecord>> {
    runs.into_iter().map(Arc::new).collect()
}

pub(crate) fn session() -> SessionIdentity {
    SessionIdentity {
        session_id: "session-1".to_owned(),
        transcript_path: "/app/transcript.jsonl".into(),
        cwd: "/app".into(),
        agent: None,
    }
}
