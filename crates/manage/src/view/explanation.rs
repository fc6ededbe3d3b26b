//! Which hooks would run, as JSON (CM-4).

use hookloop_engine::{Explanation, HookStatus};
use hookloop_events::EventName;
use serde::Serialize;

use super::HookView;
use crate::subject::Subject;

/// The result of `why`, as JSON.
#[derive(Debug, Serialize)]
pub struct WhyView<'a> {
    /// The event.
    pub event: EventName,
    /// What matchers are compared with.
    pub subject: Option<SubjectView<'a>>,
    /// The hooks and the plan.
    #[serde(flatten)]
    pub explanation: ExplanationView<'a>,
}

/// The subject that matchers are compared with, if it was given, as JSON.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct SubjectView<'a> {
    /// The field of the payload.
    pub field: &'a str,
    /// Its value.
    pub value: &'a str,
}

impl<'a> SubjectView<'a> {
    /// Creates the view of a subject.
    pub const fn of(subject: Subject<'a>) -> Option<Self> {
        match subject {
            Subject::Known { field, value } => Some(Self { field, value }),
            _ => None,
        }
    }
}

/// All hooks of an event, and the plan, as JSON.
#[derive(Debug, Serialize)]
pub struct ExplanationView<'a> {
    hooks: Vec<ExplainedHook<'a>>,
    plan: PlanView<'a>,
}

/// A hook, and whether it would run, as JSON.
#[derive(Debug, Serialize)]
struct ExplainedHook<'a> {
    #[serde(flatten)]
    hook: HookView<'a>,
    runs: Option<bool>,
    /// Whether the hook isn't run but refuses, because it has changed since it was trusted (TR-8).
    refuses: bool,
    /// Which parts of its condition and rules are true or false (HT-26).
    explained: &'a [String],
}

/// Which hooks run, and whether in parallel or in sequence (PL-8), as JSON.
#[derive(Debug, Serialize)]
struct PlanView<'a> {
    mode: &'static str,
    hook_ids: Vec<&'a str>,
}

impl<'a> ExplanationView<'a> {
    /// Creates the view of an explanation.
    pub fn new(explanation: &'a Explanation) -> Self {
        let explained = |status: &'a HookStatus| ExplainedHook {
            hook: HookView::new(status, None),
            runs: status.runs(),
            refuses: status.refuses,
            explained: &status.explained,
        };
        Self {
            hooks: explanation.hooks.iter().map(explained).collect(),
            plan: PlanView {
                mode: explanation.mode.as_str(),
                hook_ids: explanation
                    .planned()
                    .map(|it| it.hook.id.as_str())
                    .collect(),
            },
        }
    }
}
