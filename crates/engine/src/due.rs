//! Which planned hooks are due for what happens: an event of ours is several events of a dialect, and
//! a hook's `if` may ask for more (FD-11, FD-12). It is decided for each look, so that what other
//! hooks rewrote is seen by those that wait for it (BT-10).

use std::borrow::Cow;
use std::sync::Arc;

use hookloop_dialects::{Voice, is_due};
use hookloop_events::Payload;
use hookloop_hook::{Dialect, HookDeclaration};
use serde_json::{Map, Value};

/// Leaves out hooks that don't wait for this firing. What can't be decided lets a hook run.
pub(crate) fn due(
    hooks: &[Arc<HookDeclaration>],
    payload: impl FnOnce() -> Payload,
) -> Cow<'_, [Arc<HookDeclaration>]> {
    if !hooks.iter().any(|hook| asks(hook)) {
        return Cow::Borrowed(hooks);
    }
    let Ok(ours) = serde_json::from_str::<Map<String, Value>>(&payload().text()) else {
        // A payload is an object by its type.
        return Cow::Borrowed(hooks);
    };
    let due = hooks
        .iter()
        .filter(|hook| !asks(hook) || is_due(Voice::of(hook), &ours));
    due.cloned().collect()
}

/// Tells whether it depends on the payload if a hook runs.
fn asks(hook: &HookDeclaration) -> bool {
    hook.dialect != Dialect::Hookloop && (hook.dialect_event.is_some() || hook.condition.is_some())
}
