//! Which hooks run for an event and subject, and why the others don't (PL-6…10). Planning doesn't
//! know how a hook is executed, and runs none.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use hookloop_events::EventName;
use hookloop_hook::{HookDeclaration, HookId};

use crate::cause::SkipCause;
use crate::duplicates::folded;
use crate::matcher::{Fit, other_names};
use crate::registry::{Registered, Registry};

/// The order in which a plan's hooks run (PL-8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// All at once; each reads the original input (PL-9).
    Parallel,
    /// One after another; each reads the input as changed by those before it.
    Sequential,
}

impl Mode {
    /// Returns its name in JSON.
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
    /// Hooks whose matcher matches but that still don't run.
    pub(crate) skipped: Vec<(Arc<HookDeclaration>, Vec<SkipCause>)>,
    /// The other names of the tool that hooks read it under (PL-11).
    pub(crate) asked_for: HashMap<HookId, String>,
}

/// The subject of an event, for questions about hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject<'a> {
    /// This subject. It is empty for events without subjects.
    Known(&'a str),
    /// The subject wasn't given (CM-4).
    Unknown,
}

/// A hook and what keeps it from running, for one event and subject.
#[derive(Debug)]
pub(crate) struct Examined<'a> {
    pub(crate) registered: &'a Registered,
    pub(crate) causes: Vec<SkipCause>,
    /// The other name of a tool under which it matches and that it reads (PL-11).
    pub(crate) reads: Option<String>,
}

/// Whose patterns are compared with a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patterns {
    /// Everybody's: somebody asked, and can cancel it.
    All,
    /// Those of hooks that don't wait for consent: a pattern can be written so that comparing it
    /// takes forever, and an untrusted project must not block a session with it (TR-2).
    Vouched,
}

/// Decides for every configured hook of an event whether it runs, in order: this is the one place
/// where that is decided, for planning and for `why` alike. A tool's name at its server may differ
/// from the name that it is called by (PL-5).
pub(crate) fn examine<'a>(
    registry: &'a Registry,
    event: EventName,
    subject: Subject<'_>,
    own_name: Option<&str>,
    patterns: Patterns,
) -> Vec<Examined<'a>> {
    let mut others = match subject {
        Subject::Known(name) => other_names(event, name),
        Subject::Unknown => Vec::new(),
    };
    if let Some(name) = own_name {
        others.push(name.to_owned());
        others.extend(other_names(event, name));
    }
    let mut examined = Vec::with_capacity(registry.hooks_for(event).len());
    for registered in registry.hooks_for(event) {
        let mut causes = registered.causes.clone();
        let mut reads = None;
        if patterns == Patterns::All || registered.is_safe_to_compare() {
            match compare_matcher(registered, subject, &others) {
                Ok(other_name) => reads = other_name,
                Err(cause) => causes.push(cause),
            }
        }
        examined.push(Examined {
            registered,
            causes,
            reads,
        });
    }
    fold_duplicates(&mut examined);
    examined
}

/// Of hooks that are the same, lets only the most trusted one run. This is decided last: one that
/// may not run shadows none that may (PL-7).
fn fold_duplicates(examined: &mut [Examined<'_>]) {
    let runnable: Vec<(&Registered, Option<&str>)> = examined
        .iter()
        .filter(|it| it.causes.is_empty())
        .map(|it| (it.registered, it.reads.as_deref()))
        .collect();
    let folded = folded(&runnable);
    let standing = examined.iter_mut().filter(|it| it.causes.is_empty());
    for (one, stays) in standing.zip(folded) {
        let cause = stays.map(|stays| SkipCause::Shadowed(stays.id().clone()));
        one.causes.extend(cause);
    }
}

/// Returns how the hooks that run follow each other: one after another if the group of any of them,
/// or of a twin of one, requires it (PL-7, PL-8).
pub(crate) fn mode_of(examined: &[Examined<'_>]) -> Mode {
    let is_sequential = examined.iter().any(|it| {
        it.registered.is_sequential()
            && matches!(it.causes.as_slice(), [] | [SkipCause::Shadowed(_)])
    });
    if is_sequential {
        Mode::Sequential
    } else {
        Mode::Parallel
    }
}

/// Compares a hook's matcher with a subject; returns the other name that the hook reads, if it
/// matches under one.
fn compare_matcher(
    registered: &Registered,
    subject: Subject<'_>,
    others: &[String],
) -> Result<Option<String>, SkipCause> {
    let matcher = &registered.matcher;
    match subject {
        Subject::Known(subject) => match matcher.compare(subject, others) {
            Fit::Other(name) => Ok(Some(name.to_owned())),
            Fit::Own | Fit::Endless => Ok(None),
            Fit::No => Err(SkipCause::MatcherMismatch {
                matcher: matcher.text().to_owned(),
                subject: subject.to_owned(),
            }),
        },
        Subject::Unknown if matcher.matches_everything() => Ok(None),
        Subject::Unknown => Err(SkipCause::SubjectUnknown),
    }
}

/// Plans an event for a subject, and the name that the tool has at its server.
pub(crate) fn plan(
    registry: &Registry,
    event: EventName,
    subject: &str,
    own_name: Option<&str>,
) -> Plan {
    let subject = Subject::Known(subject);
    let examined = examine(registry, event, subject, own_name, Patterns::Vouched);
    let mut plan = Plan {
        mode: mode_of(&examined),
        hooks: Vec::new(),
        skipped: Vec::new(),
        asked_for: HashMap::new(),
    };
    for Examined {
        registered,
        causes,
        reads,
    } in examined
    {
        let hook = || Arc::clone(&registered.hook);
        if causes.is_empty() {
            plan.hooks.push(hook());
            let name = reads.map(|name| (registered.id().clone(), name));
            plan.asked_for.extend(name);
        } else if !causes.iter().any(SkipCause::is_mismatch) {
            plan.skipped.push((hook(), causes));
        }
    }
    plan
}

/// Keeps the plans of a registry, so that an event costs a look-up.
#[derive(Debug, Default)]
pub(crate) struct PlanCache {
    plans: [Mutex<HashMap<Box<str>, Arc<Plan>>>; EventName::ALL.len()],
    /// The names that tools have at their servers, by those that they are called by (PL-5).
    own_names: Mutex<HashMap<Box<str>, Box<str>>>,
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

    /// Returns the plan of an event and subject, without counting it as reported: firing the event
    /// still reports the hooks that it skips.
    pub(crate) fn peek(&self, registry: &Registry, event: EventName, subject: &str) -> Arc<Plan> {
        // A plan is inserted whole or not at all, so a poisoned lock guards nothing broken.
        let plans = self.plans[event.index()]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match plans.get(subject) {
            Some(plan) => Arc::clone(plan),
            None => Arc::new(self.plan(registry, event, subject)),
        }
    }

    /// Learns the name that a tool has at its server: its plans know it from now on.
    pub(crate) fn learn(&self, called: &str, own_name: &str) {
        // A name is inserted whole or not at all, so a poisoned lock guards nothing broken.
        let mut names = self
            .own_names
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if names.get(called).is_some_and(|known| **known == *own_name) {
            return;
        }
        if names.len() >= Self::SUBJECTS {
            names.clear();
        }
        names.insert(called.into(), own_name.into());
        drop(names);
        for plans in &self.plans {
            let mut plans = plans.lock().unwrap_or_else(PoisonError::into_inner);
            plans.remove(called);
        }
    }

    fn plan(&self, registry: &Registry, event: EventName, subject: &str) -> Plan {
        let names = self
            .own_names
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let own_name = names.get(subject).cloned();
        drop(names);
        plan(registry, event, subject, own_name.as_deref())
    }

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
        let plan = Arc::new(self.plan(registry, event, subject));
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
