//! What the commands for guards print as JSON (`cli-json.md` §1).

use hookloop_hook::{RuleVerdict, Source};
use hookloop_manage::{MeasuredGuard, Said};
use hookloop_rules::{Guard, Verdict};
use hookloop_session::Workspace;
use serde::Serialize;
use serde_json::Value;

/// Shows all guards.
#[derive(Serialize)]
pub(super) struct ListView<'a> {
    pub(super) guards: &'a [GuardView],
}

/// Shows a guard.
#[derive(Serialize)]
pub(super) struct GuardView {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) event: String,
    /// The other events that it listens to.
    pub(super) also: Vec<String>,
    pub(super) matcher: Option<String>,
    pub(super) options: Vec<OptionView>,
    /// Where it stands in settings.
    pub(super) used_at: Vec<Source>,
}

/// Shows an option of a guard.
#[derive(Serialize)]
pub(super) struct OptionView {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) default: Value,
}

impl GuardView {
    pub(super) fn new(guard: &Guard, workspace: &Workspace) -> Self {
        let name = guard.hook_name();
        let used = workspace.settings.hooks.iter();
        let used = used.filter(|hook| hook.label() == name);
        let options = guard.options.iter().map(|option| OptionView {
            name: option.name.clone(),
            description: option.description.clone(),
            default: option.default.clone(),
        });
        Self {
            name: guard.name.clone(),
            description: guard.description.clone(),
            event: guard.event.clone(),
            also: guard.also.iter().map(|it| it.event.clone()).collect(),
            matcher: guard.matcher.clone(),
            options: options.collect(),
            used_at: used.map(|hook| hook.source.clone()).collect(),
        }
    }
}

/// Shows what came of measuring.
#[derive(Serialize)]
pub(super) struct TestView<'a> {
    guards: Vec<MeasuredView<'a>>,
}

#[derive(Serialize)]
struct MeasuredView<'a> {
    name: &'a str,
    dangerous: usize,
    missed: &'a [String],
    harmless: usize,
    false_alarms: &'a [String],
}

impl<'a> TestView<'a> {
    pub(super) fn new(measured: &'a [MeasuredGuard]) -> Self {
        let guards = measured.iter().map(|it| (it.name, &it.measured));
        let guards = guards.map(|(name, it)| MeasuredView {
            name,
            dangerous: it.dangerous,
            missed: &it.missed,
            harmless: it.harmless,
            false_alarms: &it.false_alarms,
        });
        Self {
            guards: guards.collect(),
        }
    }
}

/// Shows what guards say about a command.
#[derive(Serialize)]
pub(super) struct WhyView<'a> {
    text: &'a str,
    guards: Vec<SaidView<'a>>,
}

#[derive(Serialize)]
struct SaidView<'a> {
    name: &'a str,
    decision: Option<&'static str>,
    verdicts: Vec<VerdictView<'a>>,
}

#[derive(Serialize)]
struct VerdictView<'a> {
    rule: &'a str,
    then: &'static str,
    reason: &'a str,
    unknown: Option<&'a str>,
    because: &'a [String],
}

impl<'a> WhyView<'a> {
    pub(super) fn new(text: &'a str, said: &'a [Said]) -> Self {
        let verdict = |verdict: &'a Verdict| VerdictView {
            rule: &verdict.rule,
            then: decision(verdict),
            reason: &verdict.text,
            unknown: verdict.unknown.as_deref(),
            because: &verdict.because,
        };
        let guards = said.iter().map(|it| SaidView {
            name: &it.guard.name,
            decision: it.judgement.strictest().map(decision),
            verdicts: it.judgement.verdicts.iter().map(verdict).collect(),
        });
        Self {
            text,
            guards: guards.collect(),
        }
    }
}

pub(super) const fn decision(verdict: &Verdict) -> &'static str {
    match verdict.then {
        RuleVerdict::Deny => "deny",
        RuleVerdict::Ask => "ask",
        RuleVerdict::Allow => "allow",
        RuleVerdict::Stop => "stop",
        RuleVerdict::Context => "context",
        RuleVerdict::Rewrite => "rewrite",
        RuleVerdict::Message => "message",
    }
}
