//! The events of `--output-format stream-json`, one a line (AG-CLI-5).

use std::time::Duration;

use hookloop_agent::{Stats, TokenStats, ToolEnd, TurnEnd};
use hookloop_engine::{Clock, RunRecord, SystemClock};
use hookloop_events::{AgentIdentity, EventName, ToolCall};
use hookloop_hook::HookDeclaration;
use serde_json::{Map, Value, json};

use crate::exit::SessionError;

fn event(kind: &str, fields: Value) -> Value {
    let mut event = Map::new();
    event.insert("type".to_owned(), Value::from(kind));
    event.insert("timestamp".to_owned(), Value::from(SystemClock.now()));
    if let Value::Object(fields) = fields {
        event.extend(fields);
    }
    Value::Object(event)
}

pub(crate) fn init(session_id: &str, model: &str) -> Value {
    event("init", json!({"session_id": session_id, "model": model}))
}

pub(crate) fn user_message(text: &str) -> Value {
    event("message", json!({"role": "user", "content": text}))
}

pub(crate) fn model_text(text: &str) -> Value {
    event(
        "message",
        json!({"role": "assistant", "content": text, "delta": true}),
    )
}

pub(crate) fn tool_use(call: &ToolCall) -> Value {
    let fields = json!({"tool_name": call.name, "tool_id": call.id, "parameters": call.arguments});
    event("tool_use", fields)
}

pub(crate) fn tool_result(end: &ToolEnd<'_>) -> Value {
    let status = if end.error.is_some() {
        "error"
    } else {
        "success"
    };
    let mut fields = json!({"tool_id": end.call.id, "status": status, "output": end.display});
    if let Some(error) = end.error {
        fields["error"] = json!({"type": error.kind.as_str(), "message": error.message});
    }
    event("tool_result", fields)
}

/// Names the sub-agent that an event is about (TO-4).
pub(crate) fn with_agent(identity: &AgentIdentity, mut event: Value) -> Value {
    event["agent_id"] = Value::from(identity.agent_id.as_str());
    event["agent_name"] = Value::from(identity.agent_name.as_str());
    event
}

/// Returns the event for the start of a hook that has a message for it (HT-3); others are reported
/// at their end.
pub(crate) fn hook_status(event_name: EventName, hook: &HookDeclaration, message: &str) -> Value {
    let fields = json!({
        "event": event_name,
        "name": hook.label(),
        "source": hook.source,
        "message": message,
    });
    event("hook_status", fields)
}

pub(crate) fn hook(run: &RunRecord) -> Value {
    let fields = json!({
        "event": run.event,
        "name": run.hook.label(),
        "source": run.hook.source,
        "result": run.result,
        "failure": run.failure,
        "duration_ms": run.duration.as_millis(),
    });
    event("hook", fields)
}

pub(crate) fn error(severity: &str, message: &str) -> Value {
    event("error", json!({"severity": severity, "message": message}))
}

/// Sums up what the session used, in the fields that readers of Gemini CLI's events know.
pub(crate) fn stats(stats: &Stats, duration: Duration) -> Value {
    let mut all = TokenStats::default();
    let mut models = Map::new();
    for (name, model) in &stats.models {
        let tokens = &model.tokens;
        all.total += tokens.total;
        all.prompt += tokens.prompt;
        all.candidates += tokens.candidates;
        all.cached += tokens.cached;
        all.input += tokens.input;
        models.insert(name.clone(), token_counts(tokens));
    }
    let mut summary = token_counts(&all);
    summary["duration_ms"] = json!(duration.as_millis());
    summary["tool_calls"] = json!(stats.tools.total_calls);
    summary["models"] = Value::Object(models);
    summary
}

fn token_counts(tokens: &TokenStats) -> Value {
    json!({
        "total_tokens": tokens.total,
        "input_tokens": tokens.prompt,
        "output_tokens": tokens.candidates,
        "cached": tokens.cached,
        "input": tokens.input,
    })
}

pub(crate) fn result(end: &TurnEnd, stats: &Value, failure: Option<&str>) -> Value {
    let outcome = if failure.is_some() || *end == TurnEnd::Cancelled {
        "error"
    } else {
        "success"
    };
    let mut fields = json!({"status": outcome, "stats": stats});
    if let Some(failure) = failure {
        fields["error"] = json!({"type": "Error", "message": failure});
    }
    event("result", fields)
}

/// Ends the events of a session that couldn't start.
pub(crate) fn not_started(error: &SessionError, stats: &Value) -> Value {
    let failure = json!({"type": error.kind(), "message": error.to_string(), "code": error.code()});
    event(
        "result",
        json!({"status": "error", "stats": stats, "error": failure}),
    )
}
