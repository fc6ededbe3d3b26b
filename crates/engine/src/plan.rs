//! Who runs for an event and subject, and why the others don't (PL-6…10). Planning knows
//! nothing of how a hook is executed, and runs none.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use hookloop_events::EventName;
use hookloop_hook::{HookDeclaration, HookId};

use crate::cause::SkipCause;
use crate::matcher::other_names;
use crate::registry::{Identity, Registered, Registry};

/// How the hooks of a plan follow each other (PL-8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// All at once, each reading the original input (PL-9).
    Parallel,
    /// One after another, each reading what those before changed.
    Sequential,
}

impl Mode {
    /// Returns the word in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Parallel => "parallel",
            Self::Sequential => "sequential",
        }
    }
}

/// The hooks that run for an event and subject, in order.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) mode: Mode,
    pub(crate) hooks: Vec<Arc<HookDeclaration>>,
    /// Hooks whose matcher fits and that don't run all the same.
    pub(crate) skipped: Vec<(Arc<HookDeclaration>, Vec<SkipCause>)>,
}

/// What an event's subject is, for questions about hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject<'a> {
    /// This one; events without a subject have an empty one.
    Known(&'a str),
    /// Not said (CM-4).
    Unknown,
}

/// A hook and what keeps it from running, for one event and subject.
#[derive(Debug)]
pub(crate) struct Examined<'a> {
    pub(crate) registered: &'a Registered,
    pub(crate) causes: Vec<SkipCause>,
}

/// Whose patterns are compared with a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patterns {
    /// Everybody's: somebody asked, and can break it off.
    All,
    /// Those of hooks that nobody has to agree to yet: a pattern can be written so that comparing
    /// it takes for ever, and a strange project must not hold up a session with it (TR-2).
    Vouched,
}

/// Decides for every configured hook of an event whether it runs, in order: this is the one
/// place where that is decided, for planning and for `why` alike.
pub(crate) fn examine<'a>(
    registry: &'a Registry,
    event: EventName,
    subject: Subject<'_>,
    patterns: Patterns,
) -> Vec<Examined<'a>> {
    let others = match subject {
        Subject::Known(name) => other_names(event, name),
        Subject::Unknown => Vec::new(),
    };
    let mut first: HashMap<&Identity, &Registered> = HashMap::new();
    let mut examined = Vec::with_capacity(registry.of_event(event).len());
    for registered in registry.of_event(event) {
        let mut causes = registered.causes.clone();
        if patterns == Patterns::All || registered.is_safe_to_compare() {
            causes.extend(matcher_cause(registered, subject, &others));
        }
        // Only hooks that may run can shadow, or be one hook with another (PL-7).
        if causes.is_empty() {
            match first.get(&registered.identity) {
                Some(stays) => causes.push(SkipCause::Shadowed(stays.id().clone())),
                None => {
                    first.insert(&registered.identity, registered);
                }
            }
        }
        examined.push(Examined { registered, causes });
    }
    examined
}

fn matcher_cause(
    registered: &Registered,
    subject: Subject<'_>,
    others: &[String],
) -> Option<SkipCause> {
    let matcher = &registered.matcher;
    match subject {
        Subject::Known(subject) => {
            (!matcher.fits(subject, others)).then(|| SkipCause::MatcherMismatch {
                matcher: matcher.text().to_owned(),
                subject: subject.to_owned(),
            })
        }
        Subject::Unknown => (!matcher.fits_everything()).then_some(SkipCause::SubjectUnknown),
    }
}

/// Plans an event for a subject.
pub(crate) fn plan(registry: &Registry, event: EventName, subject: &str) -> Plan {
    let mut plan = Plan {
        mode: Mode::Parallel,
        hooks: Vec::new(),
        skipped: Vec::new(),
    };
    for examined in examine(registry, event, Subject::Known(subject), Patterns::Vouched) {
        if let [SkipCause::Shadowed(stays)] = examined.causes.as_slice() {
            keep_strictness(&mut plan.hooks, stays, &examined.registered.hook);
        }
        if examined.causes.is_empty() {
            if examined.registered.is_sequential() {
                plan.mode = Mode::Sequential;
            }
            plan.hooks.push(Arc::clone(&examined.registered.hook));
        } else if !examined
            .causes
            .iter()
            .any(|it| matches!(it, SkipCause::MatcherMismatch { .. }))
        {
            plan.skipped
                .push((Arc::clone(&examined.registered.hook), examined.causes));
        }
    }
    plan
}

/// Hooks that are one fail like the strictest of them: who repeats another's hook must not turn
/// its refusal into a warning (AG-4, PL-7).
fn keep_strictness(planned: &mut [Arc<HookDeclaration>], stays: &HookId, same: &HookDeclaration) {
    let stays = planned.iter_mut().find(|hook| hook.id == *stays);
    if let Some(hook) = stays.filter(|hook| hook.on_failure < same.on_failure) {
        Arc::make_mut(hook).on_failure = same.on_failure;
    }
}

/// Keeps the plans of a registry, so that an event costs a look-up.
#[derive(Debug, Default)]
pub(crate) struct PlanCache {
    plans: [Mutex<HashMap<Box<str>, Arc<Plan>>>; EventName::ALL.len()],
}

/// A plan, and whether it was made just now.
pub(crate) struct Planned {
    pub(crate) plan: Arc<Plan>,
    pub(crate) novelty: Novelty,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Novelty {
    First,
    Repeated,
}

impl PlanCache {
    /// How many subjects an event keeps: tool names come from models and MCP servers.
    const SUBJECTS: usize = 512;

    /// Returns the plan of an event and subject.
    pub(crate) fn get(&self, registry: &Registry, event: EventName, subject: &str) -> Planned {
        // A plan is inserted whole or not at all, so a poisoned lock guards nothing broken.
        let mut plans = self.plans[event.index()]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(plan) = plans.get(subject) {
            return Planned {
                plan: Arc::clone(plan),
                novelty: Novelty::Repeated,
            };
        }
        let plan = Arc::new(plan(registry, event, subject));
        if plans.len() >= Self::SUBJECTS {
            plans.clear();
        }
        plans.insert(subject.into(), Arc::clone(&plan));
        Planned {
            plan,
            novelty: Novelty::First,
        }
    }
}
