//! From a hook's completion to what it said: first the kind of ending, then the streams, then
//! the failure policy (IO-10…22). Pure.

use hookloop_dialects::modernise;
use hookloop_events::{Cause, Decision, Event, EventName, Malformed, Reason, Reply};
use hookloop_hook::{HookDeclaration, OnFailure};
use serde_json::{Map, Value};

use crate::failure::Failure;
use crate::port::{Captured, Completion, Ending, Leak};
use crate::repeats;
use crate::stop::StopCause;
use crate::streams::{Text, first_line, object_in, objects_in, parse};

/// What a hook said, and what went wrong with it.
#[derive(Debug)]
pub(crate) struct Reading<A> {
    /// What the event makes of it; nothing if it has no opinion.
    pub(crate) answer: Option<A>,
    /// The reply as understood.
    pub(crate) reply: Option<Reply>,
    /// What went wrong.
    pub(crate) failure: Option<Failure>,
    /// What the user is told about it, beside the failure.
    pub(crate) notices: Vec<Remark>,
}

/// Something about a hook's answer that the user should know: a part of it had no effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Remark {
    /// Text where a reply was expected (IO-11); said once per hook.
    Polluted {
        /// Whether a JSON object in the text would have refused.
        hides_refusal: bool,
    },
    /// Anything else, as a sentence.
    Other(String),
}

/// What is read: a hook's completion, with what is needed to understand it.
pub(crate) struct Ended<'a> {
    pub(crate) hook: &'a HookDeclaration,
    pub(crate) completion: &'a Completion,
    pub(crate) stop_cause: Option<StopCause>,
    pub(crate) max_output_bytes: usize,
}

impl<A> Reading<A> {
    fn silent() -> Self {
        Self {
            answer: None,
            reply: None,
            failure: None,
            notices: Vec::new(),
        }
    }
}

/// Reads what a hook said (IO-10…22).
pub(crate) fn read<E: Event>(ended: &Ended<'_>) -> Reading<E::Answer> {
    let completion = ended.completion;
    let stdout = Text::decode(&completion.stdout);
    let stderr = Text::decode(&completion.stderr);
    let mut reading = match classify(ended, &stdout, &stderr) {
        Ok(Said::Reply) => read_success::<E>(ended, &stdout.text),
        Ok(Said::Refusal) => read_exit_2::<E>(ended, &stdout.text, &stderr.text),
        Err(failure) => fail::<E>(ended, failure, &stdout.text),
    };
    if stdout.text.trim().is_empty() && is_lost_refusal::<E>(completion, &stderr.text) {
        let lost =
            "the refusal on standard error had no effect: a reply belongs on standard output";
        reading.notices.push(Remark::Other(lost.to_owned()));
    }
    remark_on_streams(&mut reading.notices, completion, [&stdout, &stderr]);
    reading
}

/// Tells whether a hook wrote a reply that refuses where none is looked for (IO-15).
fn is_lost_refusal<E: Event>(completion: &Completion, stderr: &str) -> bool {
    let exited = matches!(completion.ending, Ending::Exited(code) if code != 2);
    exited
        && E::NAME.can_refuse()
        && object_in(stderr.trim()).is_some_and(|fields| Reply::read_refusal(&fields).is_some())
}

/// The kinds of ending that are no failure.
enum Said {
    /// Exit 0: standard output is the reply (IO-10).
    Reply,
    /// Exit 2: a refusal (IO-13).
    Refusal,
}

/// Decides the kind of ending (IO-20).
fn classify(ended: &Ended<'_>, stdout: &Text, stderr: &Text) -> Result<Said, Failure> {
    match &ended.completion.ending {
        Ending::Exited(2) => Ok(Said::Refusal),
        Ending::Exited(0) if ended.completion.stdout.is_cut() => {
            Err(Failure::OutputOverCap(ended.max_output_bytes))
        }
        Ending::Exited(0) => Ok(Said::Reply),
        Ending::Exited(code) => Err(Failure::ExitCode {
            code: *code,
            line: first_line(&stderr.text).or_else(|| first_line(&stdout.text)),
        }),
        Ending::Signalled(signal) => Err(Failure::Signalled(*signal)),
        Ending::Stopped => Err(match ended.stop_cause {
            Some(StopCause::TimedOut) => Failure::TimedOut(ended.hook.timeout),
            Some(StopCause::Cancelled) | None => Failure::Cancelled,
        }),
        Ending::NotStarted(why) => Err(Failure::NotStarted(why.clone())),
    }
}

/// Reads standard output after exit 0 (IO-10, IO-11, IO-12).
fn read_success<E: Event>(ended: &Ended<'_>, stdout: &str) -> Reading<E::Answer> {
    let trimmed = stdout.trim();
    if trimmed.is_empty() {
        return Reading::silent();
    }
    match parse(trimmed) {
        Ok(Value::String(inner)) => match object_in(&inner) {
            Some(fields) => read_reply::<E>(ended, fields, stdout),
            None if inner.trim_start().starts_with('{') => {
                let what = Malformed::new("no valid JSON in the text that standard output is");
                fail::<E>(ended, Failure::MalformedReply(what), stdout)
            }
            None => read_polluted::<E>(ended, stdout),
        },
        Ok(Value::Object(fields)) => read_reply::<E>(ended, fields, stdout),
        Ok(other) => {
            let what = format!("an object is expected, but it is {}", scalar_name(&other));
            fail::<E>(ended, Failure::MalformedReply(Malformed::new(what)), stdout)
        }
        Err(error) if trimmed.starts_with('{') => {
            let what = format!("no valid JSON: {error}");
            fail::<E>(ended, Failure::MalformedReply(Malformed::new(what)), stdout)
        }
        Err(_) => read_polluted::<E>(ended, stdout),
    }
}

fn read_reply<E: Event>(
    ended: &Ended<'_>,
    fields: Map<String, Value>,
    stdout: &str,
) -> Reading<E::Answer> {
    let misplaced = misplaced_refusal(E::NAME, &fields);
    let reply = match Reply::read(E::NAME, modernise(E::NAME, fields)) {
        Ok(reply) => reply,
        Err(malformed) => return fail::<E>(ended, Failure::MalformedReply(malformed), stdout),
    };
    match E::decode(&reply, ended.hook.label()) {
        Ok(answer) => {
            let mut notices = ineffective_fields(E::NAME, &reply);
            notices.extend(repeated_fields(stdout));
            notices.extend(misplaced.filter(|_| reply.decision.is_none()));
            Reading {
                answer: Some(answer),
                reply: Some(reply),
                failure: None,
                notices,
            }
        }
        Err(malformed) => fail::<E>(ended, Failure::MalformedReply(malformed), stdout),
    }
}

/// Reads text that is no JSON (IO-11, TS-4).
fn read_polluted<E: Event>(ended: &Ended<'_>, stdout: &str) -> Reading<E::Answer> {
    if let Some(answer) = E::decode_plain_text(stdout) {
        return Reading {
            answer: Some(answer),
            ..Reading::silent()
        };
    }
    if ended.hook.on_failure == OnFailure::Deny {
        let what = Malformed::new("standard output is no JSON");
        return fail::<E>(ended, Failure::MalformedReply(what), stdout);
    }
    let hides_refusal = hides_refusal(stdout);
    let reply = Reply::of_plain_text(stdout.trim());
    Reading {
        answer: E::decode(&reply, ended.hook.label()).ok(),
        reply: Some(reply),
        failure: None,
        notices: vec![Remark::Polluted { hides_refusal }],
    }
}

/// Tells whether a JSON object somewhere in a text would have refused.
fn hides_refusal(text: &str) -> bool {
    objects_in(text).any(|fields| Reply::read_refusal(&fields).is_some())
}

/// Reads a refusal by exit code 2 (IO-13). What stands in the streams gives the reason, and
/// may add to the refusal, never weaken it.
fn read_exit_2<E: Event>(ended: &Ended<'_>, stdout: &str, stderr: &str) -> Reading<E::Answer> {
    let hook = ended.hook.label();
    let on_stderr = refusal_fields(E::NAME, stderr);
    let on_stdout = if ended.completion.stdout.is_cut() {
        None
    } else {
        refusal_fields(E::NAME, stdout)
    };
    let texts = [
        on_stderr.as_ref().and_then(|reply| reply.reason.as_deref()),
        Some(stderr),
        on_stdout.as_ref().and_then(|reply| reply.reason.as_deref()),
        on_stdout.is_none().then_some(stdout),
    ];
    let reason = Reason::of_refusal(texts, hook);
    let mut reply = Reply {
        decision: Some(Decision::Deny),
        reason: Some(reason.as_str().to_owned()),
        ..Reply::default()
    };
    for added in [on_stdout, on_stderr].into_iter().flatten() {
        add_to_refusal(&mut reply, added);
    }
    if !E::NAME.can_refuse() {
        let notices = vec![Remark::Other(format!(
            "exit code 2 has no effect on {}: {reason}",
            E::NAME
        ))];
        let effective = Reply {
            system_message: reply.system_message,
            suppress_output: reply.suppress_output,
            ..Reply::default()
        };
        return Reading {
            reply: Some(effective),
            notices,
            ..Reading::silent()
        };
    }
    if let Err(_broken) = E::decode(&reply, hook) {
        // A broken field of the event's own adds nothing, and takes nothing away either.
        reply.specific.clear();
    }
    let answer = E::decode(&reply, hook).ok();
    Reading {
        answer: answer.or_else(|| E::refusal(reason, Cause::Policy)),
        reply: Some(reply),
        failure: None,
        notices: Vec::new(),
    }
}

/// Reads a JSON object that stands beside exit code 2, as far as it can be understood.
fn refusal_fields(event: EventName, stream: &str) -> Option<Reply> {
    let fields = modernise(event, object_in(stream.trim())?);
    Some(
        Reply::read(event, fields.clone()).unwrap_or_else(|_| Reply {
            reason: text_field(&fields, "reason"),
            system_message: text_field(&fields, "systemMessage"),
            stop_reason: text_field(&fields, "stopReason"),
            goes_on: fields.get("continue").and_then(Value::as_bool),
            ..Reply::default()
        }),
    )
}

/// Adds to a refusal what may stand beside it (IO-13), and what an event lets a refusing hook
/// give all the same: a response to show (BM-4), a cleared context (AA-4).
fn add_to_refusal(reply: &mut Reply, added: Reply) {
    const KEPT: [&str; 2] = ["llm_response", "clearContext"];
    if added.goes_on == Some(false) {
        reply.goes_on = Some(false);
    }
    reply.stop_reason = added.stop_reason.or_else(|| reply.stop_reason.take());
    reply.system_message = added.system_message.or_else(|| reply.system_message.take());
    reply.suppress_output = added.suppress_output.or(reply.suppress_output);
    let kept = added
        .specific
        .into_iter()
        .filter(|(key, _)| KEPT.contains(&key.as_str()));
    reply.specific.extend(kept);
}

/// Applies the failure policy: a failing hook may refuse, never grant (IO-14, IO-21, IO-22).
fn fail<E: Event>(ended: &Ended<'_>, failure: Failure, stdout: &str) -> Reading<E::Answer> {
    let hook = ended.hook.label();
    let readable = !ended.completion.stdout.is_cut() && failure != Failure::Cancelled;
    let objects = if readable {
        replies_in(stdout)
    } else {
        Vec::new()
    };
    // What a hook keeps out of records it keeps out when it fails, too (OUT-2).
    let suppress_output = objects
        .iter()
        .any(|fields| fields.get("suppressOutput") == Some(&Value::Bool(true)))
        .then_some(true);
    let refusal = objects
        .iter()
        .find_map(Reply::read_refusal)
        .filter(|_| E::NAME.can_refuse())
        .map(|reply| Reply {
            suppress_output,
            ..reply
        });
    if let Some(reply) = refusal
        && let Ok(answer) = E::decode(&reply, hook)
    {
        return Reading {
            answer: Some(answer),
            reply: Some(reply),
            failure: Some(failure),
            notices: Vec::new(),
        };
    }
    let mut reading = Reading::silent();
    reading.reply = suppress_output.map(|_| Reply {
        suppress_output,
        ..Reply::default()
    });
    // Who was cancelled has decided nothing, whatever its policy (EV-5).
    if ended.hook.on_failure == OnFailure::Deny && failure != Failure::Cancelled {
        let reason = Reason::of_refusal([Some(failure.to_string().as_str())], hook);
        reading.answer = E::refusal(reason, Cause::Failure);
    }
    if readable && objects.is_empty() && hides_refusal(stdout) {
        let lost = "the refusal in its output had no effect: standard output should be a JSON \
                    object and nothing else";
        reading.notices.push(Remark::Other(lost.to_owned()));
    }
    if !objects.is_empty() {
        let dropped = "its reply was left aside, because a hook that failed can only refuse";
        reading.notices.push(Remark::Other(dropped.to_owned()));
    }
    reading.failure = Some(failure);
    reading
}

/// Finds the JSON objects of an output that begins with one, or is a text that holds one.
fn replies_in(stdout: &str) -> Vec<Map<String, Value>> {
    let trimmed = stdout.trim();
    if trimmed.starts_with('{') {
        return objects_in(trimmed).collect();
    }
    match parse(trimmed) {
        Ok(Value::String(inner)) if inner.trim_start().starts_with('{') => {
            objects_in(&inner).collect()
        }
        _ => Vec::new(),
    }
}

/// Names what a reply says that the event gives no effect (TS-3, SS-2, SE-3, NO-1, PC-2).
pub(crate) fn ineffective_fields(event: EventName, reply: &Reply) -> Vec<Remark> {
    let mut fields = Vec::new();
    if !event.can_refuse() {
        if matches!(reply.decision, Some(Decision::Deny | Decision::Ask)) {
            fields.push("decision");
        }
        if reply.stops() {
            fields.push("continue");
        }
    }
    if event == EventName::BeforeToolSelection && reply.system_message.is_some() {
        fields.push("systemMessage");
    }
    let mut remarks: Vec<Remark> = fields
        .into_iter()
        .map(|field| Remark::Other(format!("`{field}` has no effect on {event}")))
        .collect();
    let asks = reply.decision == Some(Decision::Ask) && event.can_refuse();
    if asks && event != EventName::BeforeTool {
        remarks.push(Remark::Other(format!(
            "\"ask\" is a refusal on {event}: only BeforeTool can ask the user"
        )));
    }
    remarks
}

/// Reports fields that stand more than once in a reply: a part of it was dropped.
fn repeated_fields(stdout: &str) -> impl Iterator<Item = Remark> {
    repeats::repeated(stdout.trim()).map(|key| {
        let counts = match key.as_str() {
            "decision" | "continue" => "the strictest",
            _ => "the last one",
        };
        Remark::Other(format!(
            "`{key}` stands more than once in its reply; {counts} counts"
        ))
    })
}

/// Reports a refusal that is said in the words of another agent, misspelt, or in the wrong place: it
/// is no field of ours and has no effect (IO-22), which nobody who wrote it expects.
fn misplaced_refusal(event: EventName, fields: &Map<String, Value>) -> Option<Remark> {
    if !event.can_refuse() {
        return None;
    }
    let on_top = |key: &&String| !matches!(key.as_str(), "decision" | "continue");
    let specific = fields.get("hookSpecificOutput").and_then(Value::as_object);
    let mut found = fields
        .iter()
        .filter(|(key, _)| on_top(key))
        .chain(specific.into_iter().flatten());
    found
        .find(|(key, value)| refuses(key, value))
        .map(|(key, _)| {
            Remark::Other(format!(
                "`{key}` has no effect: the refusal in it was not obeyed; write `decision` and \
             `reason` at the top of the reply, in small letters"
            ))
        })
}

/// Tells whether a field that is not looked at was meant as a refusal.
fn refuses(key: &str, value: &Value) -> bool {
    let decision = || value.as_str().and_then(Decision::read);
    match key.trim().to_ascii_lowercase().as_str() {
        "decision" | "permissiondecision" => {
            matches!(decision(), Some(Decision::Deny | Decision::Ask))
        }
        "continue" => *value == Value::Bool(false),
        _ => false,
    }
}

/// Reports a stream that was cut, bytes that are no UTF-8, and a child that holds the output
/// (IO-16, IO-17, IO-32).
fn remark_on_streams(remarks: &mut Vec<Remark>, completion: &Completion, texts: [&Text; 2]) {
    let streams: [(&str, &Captured); 2] = [
        ("standard output", &completion.stdout),
        ("standard error", &completion.stderr),
    ];
    for ((name, captured), text) in streams.into_iter().zip(texts) {
        if captured.is_cut() {
            remarks.push(Remark::Other(format!(
                "{name} was cut: {} of {} bytes were kept",
                captured.bytes.len(),
                captured.total
            )));
        }
        if text.had_invalid_bytes {
            remarks.push(Remark::Other(format!(
                "{name} was no valid UTF-8; the invalid bytes were replaced"
            )));
        }
    }
    if completion.leak == Leak::Leaked {
        let left = "it exited but left a process behind that holds its output";
        remarks.push(Remark::Other(left.to_owned()));
    }
}

fn scalar_name(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => "a list",
        Value::Number(_) => "a number",
        Value::Bool(_) => "true or false",
        _ => "null",
    }
}

fn text_field(fields: &Map<String, Value>, key: &str) -> Option<String> {
    fields.get(key).and_then(Value::as_str).map(str::to_owned)
}

#[cfg(test)]
mod tests;
