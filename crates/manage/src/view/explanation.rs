//! Which hooks would run, as JSON (CM-4).

use hookloop_engine::{Explanation, HookStatus};
use hookloop_events::EventName;
use serde::Serialize;

use super::HookView;
use crate::subject::Subject;

/// Shows what `why` has to say.
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

/// Shows what matchers are compared with, as far as it was given.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct SubjectView<'a> {
    /// The field of the payload.
    pub field: &'a str,
    /// Its value.
    pub value: &'a str,
}

impl<'a> SubjectView<'a> {
    /// Shows a subject.
    pub const fn of(subject: Subject<'a>) -> Option<Self> {
        match subject {
            Subject::Known { field, value } => Some(Self { field, value }),
            _ => None,
        }
    }
}

/// Shows all hooks of an event, and those that run.
#[derive(Debug, Serialize)]
pub struct ExplanationView<'a> {
    hooks: Vec<ExplainedHook<'a>>,
    plan: PlanView<'a>,
}

/// Shows a hook, and whether it would run.
#[derive(Debug, Serialize)]
struct ExplainedHook<'a> {
    #[serde(flatten)]
    hook: HookView<'a>,
    runs: Option<bool>,
    /// Whether it is never run and refuses in its place, because it isn't what was agreed to (TR-8).
    refuses: bool,
    /// Which part of its condition and rules is true or false (HT-26).
    explained: &'a [String],
}

/// Shows which hooks run, and how they follow each other (PL-8).
#[derive(Debug, Serialize)]
struct PlanView<'a> {
    mode: &'static str,
    hook_ids: Vec<&'a str>,
}

impl<'a> ExplanationView<'a> {
    /// Shows an explanation.
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
