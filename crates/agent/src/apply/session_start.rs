//! Applies `SessionStart`: its context is inserted before the first prompt (SS-1).

use hookloop_events::HookContext;
use hookloop_model::{Content, Part};

/// Puts the context before a prompt.
pub(crate) fn apply(context: Option<HookContext>, prompt: &mut Content) {
    if let Some(context) = context {
        prompt
            .parts
            .insert(0, Part::text(format!("{}\n\n", context.wrapped())));
    }
}
