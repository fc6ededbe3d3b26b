//! Which planned hooks are due: one of our events can correspond to several events of a dialect,
//! and a hook's `if` can add conditions (FD-11, FD-12, HT-1). This is decided at each look, so a
//! hook that waits for a certain value also sees what other hooks rewrote (BT-10).

use std::borrow::Cow;
use std::sync::Arc;

use hookloop_dialects::{HookDialect, depends_on_payload, is_due};
use hookloop_events::Payload;
use hookloop_hook::{Dialect, HookDeclaration};
use serde_json::{Map, Value};

use crate::agent_turn::TurnView;
use crate::port::{ConditionAnswer, Executor};

/// The hooks that are due.
pub(crate) struct Eligible<'p> {
    pub(crate) hooks: Cow<'p, [Arc<HookDeclaration>]>,
    /// Those whose condition can't be evaluated, and why: they are still due.
    pub(crate) unknown: Vec<(Arc<HookDeclaration>, String)>,
    /// The payload, if it had to be written to decide.
    pub(crate) payload: Option<Payload>,
}

/// Leaves out hooks that don't wait for this firing. If that can't be decided, a hook runs.
pub(crate) fn eligible<'p>(
    hooks: &'p [Arc<HookDeclaration>],
    executor: &dyn Executor,
    turn: &TurnView,
    payload: &dyn Fn() -> Payload,
) -> Eligible<'p> {
    let all = |payload| Eligible {
        hooks: Cow::Borrowed(hooks),
        unknown: Vec::new(),
        payload,
    };
    if !hooks.iter().any(|hook| asks(hook)) {
        return all(None);
    }
    let payload = payload();
    let Some(ours) = payload.fields() else {
        // Can't happen: a payload is always an object.
        return all(Some(payload));
    };
    // Only conditions in our own dialect read the payload unchanged, so it isn't copied for the
    // others: a result in it may be long.
    let reads_whole = |hook: &Arc<HookDeclaration>| hook.dialect == Dialect::Hookloop && asks(hook);
    let whole = if hooks.iter().any(reads_whole) {
        Value::Object(ours.clone())
    } else {
        Value::Null
    };
    let mut facts = ours.clone();
    turn.put(&mut facts);
    let mut eligible = Vec::with_capacity(hooks.len());
    let mut unknown = Vec::new();
    for hook in hooks {
        let runs = match answer(hook, executor, &facts, &whole) {
            ConditionAnswer::True => true,
            ConditionAnswer::False => false,
            ConditionAnswer::Unknown(why) => {
                unknown.push((Arc::clone(hook), why));
                true
            }
        };
        if runs {
            eligible.push(Arc::clone(hook));
        }
    }
    Eligible {
        hooks: Cow::Owned(eligible),
        unknown,
        payload: Some(payload),
    }
}

/// Returns whether a hook waits for a payload, given as fields and as a whole.
pub(crate) fn answer(
    hook: &HookDeclaration,
    executor: &dyn Executor,
    fields: &Map<String, Value>,
    whole: &Value,
) -> ConditionAnswer {
    if !asks(hook) {
        return ConditionAnswer::True;
    }
    if hook.dialect == Dialect::Hookloop {
        return executor.condition(hook, whole);
    }
    if is_due(HookDialect::of(hook), fields) {
        ConditionAnswer::True
    } else {
        ConditionAnswer::False
    }
}

/// Returns whether it depends on the payload if a hook runs.
fn asks(hook: &HookDeclaration) -> bool {
    hook.condition.is_some() || depends_on_payload(HookDialect::of(hook), hook.event)
}
