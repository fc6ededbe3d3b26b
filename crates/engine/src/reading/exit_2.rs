//! A refusal by exit code 2: what it says, with what is in the streams (IO-13).

use hookloop_dialects::modernise;
use hookloop_events::refusal::Readable;
use hookloop_events::{Decision, EventName, Reason, Reply};
use serde_json::{Map, Value};

use super::{Ended, Output};
use crate::streams::object_in;

/// Returns the reply that exit code 2 and what is in the streams mean together, and its reason.
pub(super) fn reply_of_exit_2(
    event: EventName,
    ended: &Ended<'_>,
    output: &Output<'_>,
    stderr: &str,
) -> (Reply, Reason) {
    let on_stderr = refusal_fields(event, stderr);
    let on_stdout = refusal_fields(event, output.text);
    let texts = [
        on_stderr.as_ref().and_then(|reply| reply.reason.as_deref()),
        Some(stderr),
        on_stdout.as_ref().and_then(|reply| reply.reason.as_deref()),
        on_stdout.is_none().then_some(output.text),
    ];
    let reason = Reason::of_refusal(texts, ended.hook.label());
    let mut reply = Reply {
        decision: Some(Decision::Deny),
        reason: Some(reason.as_str().to_owned()),
        ..Reply::default()
    };
    for added in [on_stdout, on_stderr].into_iter().flatten() {
        add_to_refusal(&mut reply, added);
    }
    (reply, reason)
}

/// Reads an object that is beside exit code 2, as far as it can be understood.
fn refusal_fields(event: EventName, stream: &str) -> Option<Reply> {
    let readable = Readable::of(event, stream);
    let said = readable.refusal.map(|refusal| refusal.reply());
    let Some(fields) = object_in(stream.trim()).map(|fields| modernise(event, fields)) else {
        return said;
    };
    let mut reply = Reply::read(event, fields.clone()).unwrap_or_else(|_| Reply {
        reason: text_field(&fields, "reason"),
        system_message: text_field(&fields, "systemMessage"),
        stop_reason: text_field(&fields, "stopReason"),
        ..Reply::default()
    });
    if let Some(said) = said {
        reply.goes_on = said.goes_on.or(reply.goes_on);
        reply.stop_reason = reply.stop_reason.or(said.stop_reason);
        reply.reason = reply.reason.or(said.reason);
    }
    Some(reply)
}

/// Adds to a refusal what may be beside it (IO-13), and what an event also accepts from a refusing
/// hook: a response to show (BM-4), a cleared context (AA-4).
fn add_to_refusal(reply: &mut Reply, added: Reply) {
    const KEPT_FIELDS: [&str; 2] = ["llm_response", "clearContext"];
    if added.goes_on == Some(false) {
        reply.goes_on = Some(false);
    }
    reply.stop_reason = added.stop_reason.or_else(|| reply.stop_reason.take());
    reply.system_message = added.system_message.or_else(|| reply.system_message.take());
    reply.suppress_output = added.suppress_output.or(reply.suppress_output);
    let kept = added
        .specific
        .into_iter()
        .filter(|(key, _)| KEPT_FIELDS.contains(&key.as_str()));
    reply.specific.extend(kept);
}

fn text_field(fields: &Map<String, Value>, key: &str) -> Option<String> {
    fields.get(key).and_then(Value::as_str).map(str::to_owned)
}
