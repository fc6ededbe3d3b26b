//! Describes hooks without running any, for `list`, `why` and `check`.

use std::collections::HashMap;
use std::sync::Arc;

use hookloop_events::EventName;
use hookloop_hook::{HookDeclaration, HookId};
use hookloop_text::visible;
use hookloop_trust::Standing;
use serde_json::{Map, Value};

use crate::cause::SkipCause;
use crate::eligible::answer;
use crate::plan::{Mode, Patterns, Subject, examine, mode_of};
use crate::port::{ConditionAnswer, Executor};
use crate::registry::{Registered, Registry};

/// A configured hook, with its standing and everything that keeps it from running.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HookStatus {
    /// The hook.
    pub hook: Arc<HookDeclaration>,
    /// Whether the hook is trusted.
    pub standing: Standing,
    /// Everything that keeps the hook from running, and why its condition can't be evaluated. Empty
    /// exactly if the hook runs without a remark.
    pub causes: Vec<SkipCause>,
    /// Whether the hook runs files that trust doesn't watch (TR-1).
    pub unpinned: bool,
    /// Whether the hook never runs but refuses, because it isn't what a person agreed to (TR-6,
    /// TR-8).
    pub refuses: bool,
    /// Which parts of its condition and rules are true or false, once a payload is known (HT-26).
    pub explained: Vec<String>,
}

/// An event's hooks for one subject, and the resulting plan.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Explanation {
    /// All hooks of the event, in order.
    pub hooks: Vec<HookStatus>,
    /// Whether the hooks run in parallel or in sequence.
    pub mode: Mode,
}

impl HookStatus {
    /// Combines a hook with its standing and with what keeps it from running.
    pub fn new(hook: Arc<HookDeclaration>, standing: Standing, causes: Vec<SkipCause>) -> Self {
        Self {
            hook,
            standing,
            causes,
            unpinned: false,
            refuses: false,
            explained: Vec::new(),
        }
    }

    /// Returns whether the hook runs, or `None` if that depends on a subject that isn't known
    /// (CM-4).
    pub fn runs(&self) -> Option<bool> {
        let mut causes = self.causes.iter().filter(|it| !it.is_remark());
        match (causes.next(), causes.next()) {
            (None, _) => Some(true),
            (Some(SkipCause::SubjectUnknown), None) => None,
            _ => Some(false),
        }
    }
}

impl Explanation {
    /// Evaluates, for a payload, everything besides the matchers: which hooks have further
    /// requirements, and which parts of their conditions are true or false (HT-1, HT-26, FD-11,
    /// FD-12). No hook runs.
    pub fn decide(&mut self, executor: &dyn Executor, payload: &Map<String, Value>) {
        let whole = Value::Object(payload.clone());
        for status in &mut self.hooks {
            if status.runs() != Some(true) {
                continue;
            }
            status.explained = executor.explain(&status.hook, &whole);
            let hook = &status.hook;
            let why = || match &hook.condition {
                Some(condition) => SkipCause::ConditionFalse(condition.clone()),
                None => SkipCause::OtherEvent(match &hook.dialect_event {
                    Some(event) => format!("{} of {}", visible(event), hook.dialect.as_str()),
                    None => format!("the event of {}", hook.dialect.as_str()),
                }),
            };
            match answer(&status.hook, executor, payload, &whole) {
                ConditionAnswer::True => {}
                ConditionAnswer::False => {
                    status.causes.push(why());
                }
                ConditionAnswer::Unknown(why) => {
                    status.causes.push(SkipCause::ConditionUnreadable(why));
                }
            }
        }
    }

    /// Returns the hooks that would run, in order.
    pub fn planned(&self) -> impl Iterator<Item = &HookStatus> {
        self.hooks
            .iter()
            .filter(|status| status.runs() == Some(true))
    }
}

impl Registry {
    /// Explains which hooks of an event run for a subject, and why the others don't (CM-4).
    pub fn explain(&self, event: EventName, subject: Subject<'_>) -> Explanation {
        let examined = examine(self, event, subject, None, Patterns::All);
        Explanation {
            mode: mode_of(&examined),
            hooks: examined
                .into_iter()
                .map(|it| status(it.registered, it.causes))
                .collect(),
        }
    }

    /// Lists all hooks by event, with what keeps them from running for every subject. Here, a hook
    /// counts as shadowed only if the hook that remains runs for every subject that the shadowed
    /// one runs for.
    pub fn list(&self) -> Vec<HookStatus> {
        EventName::ALL
            .into_iter()
            .flat_map(|event| self.list_event(event))
            .collect()
    }

    fn list_event(&self, event: EventName) -> Vec<HookStatus> {
        let hooks = self.hooks_for(event);
        let runnable = || hooks.iter().filter(|it| it.causes.is_empty());
        let mut of_identity: HashMap<u64, Vec<&Registered>> = HashMap::new();
        for registered in runnable() {
            let duplicates = of_identity.entry(registered.identity.hash()).or_default();
            duplicates.push(registered);
        }
        let stays = |registered: &Registered| {
            let duplicates = of_identity.get(&registered.identity.hash())?;
            let mut before_it = true;
            duplicates.iter().find(|duplicate| {
                if std::ptr::eq(**duplicate, registered) {
                    before_it = false;
                    return false;
                }
                let (one, other) = (duplicate.hook.authority(), registered.hook.authority());
                let outranks = one > other || (one == other && before_it);
                let would_stay = outranks && duplicate.is_duplicate_of(registered);
                // A copy never replaces its original.
                let takes_its_place = registered.is_copy_of(duplicate)
                    || (would_stay && !duplicate.is_copy_of(registered));
                takes_its_place && duplicate.covers(registered)
            })
        };
        let listed = hooks.iter().map(|registered| {
            let mut causes = registered.causes.clone();
            if causes.is_empty() {
                causes.extend(stays(registered).map(|it| SkipCause::Shadowed(it.id().clone())));
            }
            status(registered, causes)
        });
        listed.collect()
    }

    /// Finds a hook by its id.
    pub fn find(&self, id: &HookId) -> Option<&Arc<HookDeclaration>> {
        let by_id = self.by_id.get_or_init(|| {
            let hooks = self.all().map(|registered| &registered.hook);
            // If an id appears twice, the first hook counts, as in a linear search.
            let mut by_id = HashMap::with_capacity(hooks.size_hint().0);
            for hook in hooks {
                by_id
                    .entry(hook.id.clone())
                    .or_insert_with(|| Arc::clone(hook));
            }
            by_id
        });
        by_id.get(id)
    }
}

impl Registered {
    /// Returns whether this hook runs for every subject that the other one runs for.
    fn covers(&self, other: &Self) -> bool {
        self.matcher.matches_everything()
            || self.matcher.text() == other.matcher.text()
            || self.matcher.covers_words_of(&other.matcher)
    }
}

fn status(registered: &Registered, causes: Vec<SkipCause>) -> HookStatus {
    let standing = registered.standing.clone();
    HookStatus {
        unpinned: registered.unpinned,
        refuses: registered.refuses,
        ..HookStatus::new(Arc::clone(&registered.hook), standing, causes)
    }
}
