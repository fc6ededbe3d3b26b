//! Turns a hook's completion into an answer: first the kind of ending, then the streams, then the
//! failure policy (IO-10…25). Pure.

mod exit_2;

use hookloop_dialects::{modernise, refuses_by_failing};
use hookloop_events::refusal::{Readable, Refusal, Spelling};
use hookloop_events::{Cause, Decision, Event, EventName, Malformed, Reason, Reply, tool_name};
use hookloop_hook::{Dialect, Handler, HookDeclaration, OnFailure, Refusing};
use hookloop_settings::nearest;
use serde_json::{Map, Value};

use crate::failure::Failure;
use crate::lost_change::{lost_change, misspelt_refusal};
use crate::port::{Captured, Completion, Ending, Leak};
use crate::remark::{Remark, ineffective_fields, of_guard, repeated_fields};
use crate::stderr_line::{explaining_line, stderr_note};
use crate::stop::StopCause;
use crate::streams::{Text, object_in, parse, scalar_name};
use crate::unknown::{UnknownField, unknown_fields};
use crate::vocabulary::Vocabulary;
use exit_2::reply_of_exit_2;

/// What a hook said, and what went wrong with it.
#[derive(Debug)]
pub(crate) struct Reading<A> {
    /// What the event makes of it; nothing if it has no opinion.
    pub(crate) answer: Option<A>,
    /// The reply as understood.
    pub(crate) reply: Option<Reply>,
    /// What went wrong.
    pub(crate) failure: Option<Failure>,
    /// What is reported to the user about it, beside the failure.
    pub(crate) remarks: Vec<Remark>,
    /// The fields of the reply that the event doesn't know (IO-23).
    pub(crate) unknown_fields: Vec<String>,
    /// Whether it wrote a refusal that has no effect where it is (IO-11, IO-15).
    pub(crate) lost_refusal: bool,
}

/// What is read: a hook's completion, with what is needed to understand it.
pub(crate) struct Ended<'a> {
    pub(crate) hook: &'a HookDeclaration,
    pub(crate) completion: &'a Completion,
    pub(crate) stop_cause: Option<StopCause>,
    pub(crate) max_output_bytes: usize,
}

/// A hook's standard output, and the part of it that counts however the hook ended.
struct Output<'t> {
    text: &'t str,
    readable: Readable,
}

impl<A> Reading<A> {
    pub(crate) fn silent() -> Self {
        Self {
            answer: None,
            reply: None,
            failure: None,
            remarks: Vec::new(),
            unknown_fields: Vec::new(),
            lost_refusal: false,
        }
    }

    fn remark(&mut self, text: impl Into<String>) {
        self.remarks.push(Remark::Other(text.into()));
    }
}

/// Reads what a hook said (IO-10…25).
pub(crate) fn read<E: Event>(ended: &Ended<'_>) -> Reading<E::Answer> {
    let completion = ended.completion;
    let stdout = Text::decode(&completion.stdout);
    let stderr = Text::decode(&completion.stderr);
    let output = Output {
        text: &stdout.text,
        readable: counting(
            refusing_of(E::NAME, ended.hook),
            Readable::of(E::NAME, &stdout.text),
        ),
    };
    let mut reading = match classify(ended, &stdout, &stderr) {
        Ok(NormalEnding::Reply) => read_success::<E>(ended, &output),
        Ok(NormalEnding::Refusal) => read_exit_2::<E>(ended, &output, &stderr.text),
        Err(failure) => fail::<E>(ended, failure, &output),
    };
    reading.lost_refusal |=
        remark_on_silence(&mut reading.remarks, E::NAME, ended, [&stdout, &stderr]);
    reading
        .remarks
        .extend(of_guard(E::NAME, ended.hook, completion));
    remark_on_streams(&mut reading.remarks, completion, [&stdout, &stderr]);
    reading
}

/// Reports what a hook without a reply wrote to standard error, and returns whether a refusal is
/// lost there (IO-15, IO-25).
fn remark_on_silence(
    remarks: &mut Vec<Remark>,
    event: EventName,
    ended: &Ended<'_>,
    [stdout, stderr]: [&Text<'_>; 2],
) -> bool {
    let text = stdout.text.trim();
    if !matches!(text, "" | "{}") {
        return false;
    }
    if is_lost_refusal(event, ended, &stderr.text) {
        remarks.push(Remark::Other(
            "the refusal on standard error had no effect: a reply belongs on standard output"
                .to_owned(),
        ));
        return true;
    }
    // Plugins and workers log on standard error.
    let logs = matches!(
        ended.hook.handler,
        Handler::Plugin(_) | Handler::Worker { .. }
    );
    if text.is_empty() && ended.completion.ending == Ending::Exited(0) && !logs {
        // If the event can't refuse, only a failed step is worth reporting.
        let note = stderr_note(ended.hook.command(), &stderr.text).filter(|it| {
            let is_waited_for = !ended.hook.asynchronous;
            it.is_failed_step || is_waited_for && event.can_refuse()
        });
        remarks.extend(note.map(Remark::StderrNote));
    }
    false
}

/// Returns whether a hook wrote a reply that refuses where replies aren't read (IO-15).
fn is_lost_refusal(event: EventName, ended: &Ended<'_>, stderr: &str) -> bool {
    let exited = matches!(ended.completion.ending, Ending::Exited(code) if code != 2);
    let may_refuse = refusing_of(event, ended.hook) == Refusing::Always;
    exited && may_refuse && Readable::of(event, stderr).refusal.is_some()
}

/// Returns what a hook of this event can keep from happening, in its dialect (FD-21).
const fn refusing_of(event: EventName, hook: &HookDeclaration) -> Refusing {
    event.refusing(hook.dialect)
}

/// Reduces what can be read in an output to what counts.
fn counting(refusing: Refusing, readable: Readable) -> Readable {
    let counts = |refusal: &Refusal| match refusing {
        Refusing::Always => true,
        Refusing::ByStopping => refusal.stops(),
        Refusing::Never => false,
    };
    Readable {
        refusal: readable.refusal.filter(counts),
        ..readable
    }
}

/// The kinds of ending that aren't a failure.
enum NormalEnding {
    /// Exit 0: standard output is the reply (IO-10).
    Reply,
    /// Exit 2: a refusal (IO-13).
    Refusal,
}

/// Decides the kind of ending (IO-20).
fn classify(
    ended: &Ended<'_>,
    stdout: &Text<'_>,
    stderr: &Text<'_>,
) -> Result<NormalEnding, Failure> {
    let timed_out = matches!(ended.stop_cause, Some(StopCause::TimedOut));
    match &ended.completion.ending {
        Ending::Exited(2) => Ok(NormalEnding::Refusal),
        Ending::NotStarted(why) => Err(Failure::NotStarted(why.clone())),
        Ending::Stopped if !timed_out => Err(Failure::Cancelled),
        // However it ended otherwise: the part that was cut off may contain a refusal.
        _ if ended.completion.stdout.is_cut() => {
            Err(Failure::OutputOverCap(ended.max_output_bytes))
        }
        Ending::Exited(0) => Ok(NormalEnding::Reply),
        Ending::Exited(code) => Err(Failure::ExitCode {
            code: *code,
            line: explaining_line(&stderr.text).or_else(|| explaining_line(&stdout.text)),
        }),
        Ending::Signalled(signal) => Err(Failure::Signalled(*signal)),
        Ending::Stopped => Err(Failure::TimedOut(ended.hook.timeout)),
        Ending::Failed(why) => Err(Failure::Errored(why.clone())),
    }
}

/// Reads standard output after exit 0 (IO-10, IO-11, IO-12).
fn read_success<E: Event>(ended: &Ended<'_>, output: &Output<'_>) -> Reading<E::Answer> {
    let trimmed = output.text.trim();
    if trimmed.is_empty() {
        return Reading::silent();
    }
    let malformed = |what: String| {
        let failure = Failure::MalformedReply(Malformed::new(what));
        fail::<E>(ended, failure, output)
    };
    match parse(trimmed) {
        Ok(Value::String(inner)) => match object_in(&inner) {
            Some(fields) => read_reply::<E>(ended, fields, output),
            None if inner.trim_start().starts_with('{') => {
                malformed("the text on standard output isn't valid JSON".to_owned())
            }
            None => read_polluted::<E>(ended, output),
        },
        Ok(Value::Object(fields)) => read_reply::<E>(ended, fields, output),
        Ok(other) => malformed(format!(
            "an object is expected, but it is {}",
            scalar_name(&other)
        )),
        Err(error) if trimmed.starts_with('{') || output.readable.refusal.is_some() => {
            malformed(format!("not valid JSON: {error}"))
        }
        Err(_) => read_polluted::<E>(ended, output),
    }
}

fn read_reply<E: Event>(
    ended: &Ended<'_>,
    fields: Map<String, Value>,
    output: &Output<'_>,
) -> Reading<E::Answer> {
    let fields = modernise(E::NAME, fields);
    let words = Vocabulary::of::<E>();
    let unknown = unknown_fields(words, &fields);
    let lost = lost_change(words, &fields);
    let mut reading = match parse_answer::<E>(ended, fields, output, lost.as_ref()) {
        Ok((reply, answer)) => {
            let mut remarks = ineffective_fields(words, refusing_of(E::NAME, ended.hook), &reply);
            remarks.extend(repeated_fields(output.text));
            Reading {
                answer: Some(answer),
                reply: Some(reply),
                remarks,
                ..Reading::silent()
            }
        }
        Err(malformed) => fail::<E>(ended, Failure::MalformedReply(malformed), output),
    };
    reading.unknown_fields = unknown.iter().map(|it| it.field.clone()).collect();
    let is_refusal = |field: &UnknownField| {
        // A refusal that counts has already been reported as a refusal.
        let refusal = output.readable.refusal.as_ref();
        refusal.is_some_and(|refusal| refusal.field() == field.field)
    };
    let is_lost = |field: &UnknownField| lost.as_ref().is_some_and(|it| it.field == field.field);
    let others = unknown.into_iter();
    let others = others.filter(|field| !is_refusal(field) && !is_lost(field));
    reading.remarks.extend(others.map(Remark::UnknownField));
    // So has a change that makes the reply malformed; any other is reported here.
    let as_failure =
        |lost: &UnknownField| Failure::MalformedReply(Malformed::new(changes_nothing(lost)));
    let lost = lost.filter(|it| reading.failure != Some(as_failure(it)));
    reading.remarks.extend(lost.map(Remark::UnknownField));
    reading
}

/// Makes a reply and an answer from fields in the current spelling. A readable refusal that the
/// fields don't contain is in other words, so the reply is malformed (IO-23), or in a repeated key:
/// then it counts (AG-1).
fn parse_answer<E: Event>(
    ended: &Ended<'_>,
    fields: Map<String, Value>,
    output: &Output<'_>,
    lost: Option<&UnknownField>,
) -> Result<(Reply, E::Answer), Malformed> {
    let misspelt = misspelt_refusal(Vocabulary::of::<E>(), &fields);
    let mut reply = Reply::read(E::NAME, fields)?;
    match &output.readable.refusal {
        Some(refusal) if refusal.exceeds(&reply) => match refusal.spelling() {
            Spelling::Own => {
                reply.decision = reply.decision.max(refusal.decision());
                if refusal.stops() {
                    reply.goes_on = Some(false);
                }
            }
            Spelling::Other => return Err(Malformed::new(refuses_nothing(refusal.field()))),
        },
        _ => {}
    }
    let answer = E::decode(&reply, ended.hook.label())?;
    let must_refuse = ended.hook.on_failure == OnFailure::Deny && lets_through(&reply);
    match (misspelt, lost) {
        (Some(field), _) if must_refuse => Err(Malformed::new(refuses_nothing(&field))),
        (_, Some(lost)) if must_refuse && !E::changes(&answer) => {
            Err(Malformed::new(changes_nothing(lost)))
        }
        _ => Ok((reply, answer)),
    }
}

fn changes_nothing(lost: &UnknownField) -> String {
    let mut text = format!("`{}` changes nothing", lost.field);
    if let Some(meant) = &lost.meant {
        text.push_str("; write ");
        text.push_str(meant);
    }
    text
}

fn refuses_nothing(field: &str) -> String {
    format!(
        "`{field}` isn't how a reply refuses; write `\"decision\": \"deny\"` and `reason` at its top"
    )
}

/// Reads text that isn't JSON (IO-11, TS-4).
fn read_polluted<E: Event>(ended: &Ended<'_>, output: &Output<'_>) -> Reading<E::Answer> {
    if let Some(answer) = E::decode_plain_text(output.text) {
        return Reading {
            answer: Some(answer),
            ..Reading::silent()
        };
    }
    if ended.hook.on_failure == OnFailure::Deny {
        let what = Malformed::new("standard output isn't JSON");
        return fail::<E>(ended, Failure::MalformedReply(what), output);
    }
    if counts_among_text(ended.hook)
        && hidden_refusal_in(E::NAME, ended.hook, output.text).is_some()
    {
        let what = Malformed::new("standard output is more than one JSON object");
        return fail::<E>(ended, Failure::MalformedReply(what), output);
    }
    let lost = hidden_refusal(E::NAME, ended.hook, output.text);
    let reply = Reply::of_plain_text(output.text.trim());
    Reading {
        answer: E::decode(&reply, ended.hook.label()).ok(),
        reply: Some(reply),
        lost_refusal: lost.is_some(),
        remarks: vec![Remark::Polluted { lost }],
        ..Reading::silent()
    }
}

/// Names the field of an object somewhere in a text that would have refused (IO-11).
fn hidden_refusal(event: EventName, hook: &HookDeclaration, text: &str) -> Option<String> {
    hidden_refusal_in(event, hook, text).map(|refusal| refusal.field().to_owned())
}

/// Returns whether a refusal among other text counts. Only on the standard output of our own
/// dialect does it not (IO-11, IO-14, HT-15, FD-21).
fn counts_among_text(hook: &HookDeclaration) -> bool {
    hook.dialect != Dialect::Hookloop
        || matches!(
            hook.handler,
            Handler::Http(_) | Handler::Plugin(_) | Handler::McpTool(_)
        )
}

fn hidden_refusal_in(event: EventName, hook: &HookDeclaration, text: &str) -> Option<Refusal> {
    Readable::hidden_in(event, text).filter(|_| refusing_of(event, hook) == Refusing::Always)
}

/// Reads a refusal by exit code 2 (IO-13). What is in the streams gives the reason, and
/// may add to the refusal, never weaken it.
fn read_exit_2<E: Event>(
    ended: &Ended<'_>,
    output: &Output<'_>,
    stderr: &str,
) -> Reading<E::Answer> {
    let (mut reply, reason) = reply_of_exit_2(E::NAME, ended, output, stderr);
    let counts = match refusing_of(E::NAME, ended.hook) {
        Refusing::Always => true,
        Refusing::ByStopping => reply.stops(),
        Refusing::Never => false,
    };
    if !counts {
        let effective = Reply {
            system_message: reply.system_message,
            suppress_output: reply.suppress_output,
            ..Reply::default()
        };
        let mut reading = Reading::silent();
        reading.remark(format!(
            "exit code 2 has no effect on {}: {reason}",
            E::NAME
        ));
        reading.reply = Some(effective);
        return reading;
    }
    let hook = ended.hook.label();
    if let Err(_broken) = E::decode(&reply, hook) {
        // A malformed field of the event adds nothing, and doesn't invalidate the rest.
        reply.specific.clear();
    }
    let answer = E::decode(&reply, hook).ok();
    Reading {
        answer: answer.or_else(|| E::refusal(reason, Cause::Policy)),
        reply: Some(reply),
        ..Reading::silent()
    }
}

/// Applies the failure policy: a failing hook may refuse, never grant (IO-14, IO-20…22).
fn fail<E: Event>(ended: &Ended<'_>, failure: Failure, output: &Output<'_>) -> Reading<E::Answer> {
    let hook = ended.hook.label();
    let mut reading = Reading::silent();
    if failure == Failure::Cancelled {
        // A cancelled hook has decided nothing, whatever it wrote and whatever its policy (EV-5).
        reading.failure = Some(failure);
        return reading;
    }
    // Output that a hook keeps out of records stays out if it fails, too (OUT-2).
    let suppress_output = output.readable.suppress_output;
    let among_text = || {
        let hidden = hidden_refusal_in(E::NAME, ended.hook, output.text);
        hidden.filter(|_| counts_among_text(ended.hook))
    };
    if let Some(refusal) = output.readable.refusal.clone().or_else(among_text) {
        let reply = Reply {
            suppress_output,
            ..refusal.reply()
        };
        if let Ok(answer) = E::decode(&reply, hook) {
            if matches!(
                failure,
                Failure::MalformedReply(_) | Failure::OutputOverCap(_)
            ) {
                reading.remark(format!(
                    "`{}` can be read in its reply, and counts",
                    refusal.field()
                ));
            }
            reading.answer = Some(answer);
            reading.reply = Some(reply);
            reading.failure = Some(failure);
            return reading;
        }
    }
    reading.reply = suppress_output.map(|_| Reply {
        suppress_output,
        ..Reply::default()
    });
    let is_refused =
        failure.refuses(E::NAME, ended.hook) || refuses_there(E::NAME, ended.hook, &failure);
    if is_refused {
        let reason = Reason::of_refusal([Some(failure.to_string().as_str())], hook);
        reading.answer = E::refusal(reason, Cause::Failure);
    }
    let holds_reply = output.text.trim_start().starts_with('{') || object_in(output.text).is_some();
    if holds_reply {
        reading.remark("its reply was ignored, because a hook that failed can only refuse");
    } else if reading.answer.is_none() && hidden_refusal(E::NAME, ended.hook, output.text).is_some()
    {
        // Only here is the refusal lost: if the failure itself refuses, nothing is.
        reading.lost_refusal = true;
        reading.remark(
            "the refusal in its output had no effect: standard output should be a JSON object and \
             nothing else",
        );
    }
    reading.failure = Some(failure);
    reading
}

/// Returns whether a failure refuses in the dialect of a hook (FD-20). Programs that ended
/// otherwise are known at the border already.
fn refuses_there(event: EventName, hook: &HookDeclaration, failure: &Failure) -> bool {
    refuses_by_failing(hook.dialect, event)
        && hook.on_failure == OnFailure::Default
        && matches!(failure, Failure::Errored(_))
}

impl<A> Reading<A> {
    /// Names the arguments that a rewrite sets and the tool doesn't know: it runs as if they
    /// weren't there (BT-3, IO-23).
    pub(crate) fn name_unknown_arguments<E: Event<Answer = A>>(
        &mut self,
        hook: &HookDeclaration,
        input: &E::Input,
    ) {
        let Some(answer) = &self.answer else {
            return;
        };
        let is_in_vain = E::rewrites_in_vain(input, answer);
        let subject = E::subject(input).unwrap_or_default();
        for name in E::unknown_in_rewrite(input, answer) {
            let unknown = unknown_argument(subject, &name);
            self.unknown_fields.push(unknown.field.clone());
            self.remarks.push(Remark::UnknownField(unknown));
        }
        let lets_through = self.reply.as_ref().is_some_and(lets_through);
        if is_in_vain && lets_through && hook.on_failure == OnFailure::Deny {
            self.refuse_for_vain_rewrite::<E>(hook);
        }
    }

    /// Refuses what would continue unchanged, since no part of a rewrite means anything to the tool
    /// (IO-26).
    fn refuse_for_vain_rewrite<E: Event<Answer = A>>(&mut self, hook: &HookDeclaration) {
        let unknown = self.remarks.iter().find_map(|remark| match remark {
            Remark::UnknownField(field) => Some(changes_nothing(field)),
            _ => None,
        });
        let failure = Failure::MalformedReply(Malformed::new(unknown.unwrap_or_default()));
        let reason = Reason::of_refusal([Some(failure.to_string().as_str())], hook.label());
        self.answer = E::refusal(reason, Cause::Failure);
        self.failure = Some(failure);
    }
}

/// Returns an argument that a tool doesn't know, and the one that was probably meant.
fn unknown_argument(tool: &str, name: &str) -> UnknownField {
    let known = tool_name::arguments(tool).unwrap_or_default();
    let alike = |other: &&&str| other.contains(name) || name.contains(**other);
    let meant = nearest(name, known.iter().copied()).or_else(|| known.iter().find(alike).copied());
    let meant = match meant {
        Some(meant) => format!("`{meant}`"),
        None => format!("one of {}", known.join(", ")),
    };
    UnknownField {
        field: format!("tool_input.{name}"),
        meant: Some(format!("{meant}, which `{tool}` knows")),
    }
}

/// Returns whether a reply neither refuses nor stops nor asks.
fn lets_through(reply: &Reply) -> bool {
    !reply.stops() && reply.decision < Some(Decision::Ask)
}

/// Reports a stream that was cut, bytes that aren't UTF-8, and a child that keeps the output open
/// (IO-16, IO-17, IO-32).
fn remark_on_streams(remarks: &mut Vec<Remark>, completion: &Completion, texts: [&Text<'_>; 2]) {
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
                "{name} wasn't valid UTF-8; the invalid bytes were replaced"
            )));
        }
    }
    let reported = completion.remarks.iter().cloned();
    remarks.extend(reported.map(Remark::Other));
    if completion.leak == Leak::Leaked {
        let left = "it exited but left a process running that keeps its output open";
        remarks.push(Remark::Other(left.to_owned()));
    }
}

#[cfg(test)]
mod tests;
