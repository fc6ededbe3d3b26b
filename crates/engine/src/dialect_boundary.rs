//! The boundary to a hook: translates the hook's input into its dialect, and its answer back. No
//! code inside this boundary sees another agent's words.

use std::sync::{Arc, LazyLock};

use hookloop_dialects::{HookDialect, HookOutput, UNTOLD, foreign_payload, translate_output};
use hookloop_events::{Event, EventName, Payload};
use hookloop_hook::{Dialect, HookDeclaration};
use serde_json::{Map, Value};

use crate::agent_turn::TurnView;
use crate::port::{Captured, Completion, Ending};
use crate::streams::Text;

/// How much longer a payload is reserved for than ours is, in bytes.
const SLACK: usize = 1024;

/// Writes the payload as a hook reads it: a tool appears under the first of its names that the
/// hook's matcher matches (PL-11).
pub(crate) fn outgoing(
    hook: &HookDeclaration,
    asked_for: Option<&String>,
    payload: Payload,
) -> Payload {
    match asked_for {
        // Other dialects have their own tool names.
        Some(name) if hook.dialect == Dialect::Hookloop => rename_event(payload, name.clone()),
        _ => payload,
    }
}

fn rename_event(payload: Payload, name: String) -> Payload {
    match payload.read::<Map<String, Value>>() {
        Ok(mut fields) => {
            fields.insert("tool_name".to_owned(), Value::String(name));
            Value::Object(fields).to_string().into()
        }
        // Can't happen: a payload is always an object.
        Err(_) => payload,
    }
}

/// A payload in the dialect of a hook.
pub(crate) struct Spoken {
    /// What the hook reads.
    pub(crate) theirs: Payload,
    /// What it was made from: our payload, with what else is known.
    ours: Arc<Ours>,
    /// Why what the hook is asked about can't be passed on completely.
    untold: Option<String>,
}

/// Read when the process of the hook has been started.
type Ours = LazyLock<Map<String, Value>, Box<dyn FnOnce() -> Map<String, Value> + Send>>;

impl Spoken {
    /// Returns why what the hook is asked about can't be passed on completely.
    pub(crate) fn untranslatable(&self) -> Option<&str> {
        self.untold.as_deref()
    }
}

/// Writes the payload in the dialect of a hook that has one of its own (FD-10), with what is known
/// about the turn and otherwise, when the hook reads it.
pub(crate) fn translate_payload<E: Event>(
    hook: &Arc<HookDeclaration>,
    input: &Arc<E::Input>,
    payload: &Payload,
    turn: &TurnView,
    beside: Map<String, Value>,
) -> Spoken {
    let untold = beside.get(UNTOLD).and_then(Value::as_str);
    let untold = untold.map(str::to_owned);
    let (input, read, turn) = (Arc::clone(input), payload.clone(), turn.clone());
    let ours: Box<dyn FnOnce() -> Map<String, Value> + Send> = Box::new(move || {
        let mut ours = read.to_fields_from(&*input).unwrap_or_default();
        turn.put(&mut ours);
        ours.extend(beside);
        ours
    });
    let ours: Arc<Ours> = Arc::new(LazyLock::new(ours));
    let (fields, hook, payload) = (Arc::clone(&ours), Arc::clone(hook), payload.clone());
    Spoken {
        theirs: Payload::written_later(move || written(&hook, &fields, &payload)),
        ours,
        untold,
    }
}

fn written(hook: &HookDeclaration, ours: &Map<String, Value>, payload: &Payload) -> Vec<u8> {
    let Some(theirs) = foreign_payload(HookDialect::of(hook), ours) else {
        // The dialect uses our payload unchanged.
        return payload.text().into_owned().into_bytes();
    };
    // The result is about as long as our payload. Reserving that much at once is cheaper than
    // growing the buffer.
    let mut written = Vec::with_capacity(payload.len() + SLACK);
    // Serialising fails only for maps with keys that aren't strings, and JSON has none.
    if serde_json::to_writer(&mut written, &theirs).is_err() {
        written.clear();
    }
    written
}

/// What a hook of another dialect said, in our words.
#[derive(Debug)]
pub(crate) struct Understood {
    /// Its completion, as if a hook of ours had ended so.
    pub(crate) completion: Completion,
    /// The arguments that its new ones leave out (FD-20).
    pub(crate) removed: Vec<String>,
    /// The variables that it sets for later commands (FD-14).
    pub(crate) environment: Vec<(String, String)>,
    /// Whether it consents in words that make a confirmation unnecessary there (FD-21).
    pub(crate) consents: bool,
    /// What the person should know about the meaning of its dialect here (FD-21, FD-23).
    pub(crate) remarks: Vec<String>,
}

/// Translates what a hook of another dialect said into our words (FD-20). Returns `None` if it has
/// to be read as it is, such as everything that didn't end by itself or was cut.
pub(crate) fn translate_reply(
    hook: &HookDeclaration,
    event: EventName,
    asked: &Spoken,
    completion: &Completion,
) -> Option<Understood> {
    let exit = match completion.ending {
        Ending::Exited(exit) => Some(exit),
        Ending::Signalled(_) => None,
        _ => return None,
    };
    if completion.stdout.is_cut() {
        return None;
    }
    let stdout = Text::decode(&completion.stdout).text;
    let stderr = Text::decode(&completion.stderr).text;
    let output = HookOutput {
        event,
        payload: &asked.ours,
        exit,
        stdout: &stdout,
        stderr: &stderr,
        loop_limit: hook.loop_limit,
    };
    let meant = translate_output(HookDialect::of(hook), &output)?;
    Some(Understood {
        removed: meant.removed,
        environment: meant.environment,
        consents: meant.consents,
        remarks: meant.remarks,
        completion: Completion {
            ending: Ending::Exited(meant.exit),
            stdout: Captured {
                total: meant.stdout.len() as u64,
                bytes: meant.stdout.into_bytes(),
            },
            ..completion.clone()
        },
    })
}
