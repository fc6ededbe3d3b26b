//! What was already reported about hooks, and isn't repeated.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use hookloop_hook::HookId;

/// The hooks whose polluted output the user knows of already (IO-11).
#[derive(Debug, Default)]
pub(crate) struct Reported {
    polluted: Mutex<HashSet<HookId>>,
    /// Hooks, and what was reported about them: fields that no event knows, steps that failed.
    details: Mutex<HashSet<(HookId, String)>>,
    /// Those whose pollution has hidden a refusal.
    lost: Mutex<HashSet<HookId>>,
}

impl Reported {
    /// Returns whether this is the first report about a hook.
    pub(crate) fn is_first(&self, hook: &HookId) -> bool {
        is_new(&self.polluted, hook)
    }

    /// Returns whether this is the first report of a refusal that a hook's pollution hid.
    pub(crate) fn is_first_loss(&self, hook: &HookId) -> bool {
        is_new(&self.lost, hook)
    }

    /// Returns whether this is the first report of something about a hook.
    pub(crate) fn is_first_of(&self, hook: &HookId, detail: &str) -> bool {
        is_new(&self.details, &(hook.clone(), detail.to_owned()))
    }
}

fn is_new<T: Clone + Eq + Hash>(known: &Mutex<HashSet<T>>, one: &T) -> bool {
    // Insertion can't be half done, so a poisoned lock guards nothing broken.
    known
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(one.clone())
}
