//! The JSON of the commands for guards (`cli-json.md` §1).

use hookloop_hook::{RuleVerdict, Source};
use hookloop_rules::{Guard, Verdict};
use hookloop_session::Workspace;
use serde::Serialize;
use serde_json::Value;

use super::{GuardJudgement, MeasuredGuard};

/// All guards, as JSON.
#[derive(Serialize)]
pub struct GuardsView<'a> {
    /// The guards that come with the program.
    pub guards: &'a [GuardView],
}

/// A guard, as JSON.
#[derive(Serialize)]
pub struct GuardView {
    /// Its name.
    pub name: String,
    /// Its purpose.
    pub description: String,
    /// The first event that it judges.
    pub event: String,
    /// The other events that it judges.
    pub also: Vec<String>,
    /// The subjects that it judges.
    pub matcher: Option<String>,
    /// Its options.
    pub options: Vec<OptionView>,
    /// The places of its entries in settings.
    pub used_at: Vec<Source>,
}

/// An option of a guard, as JSON.
#[derive(Serialize)]
pub struct OptionView {
    /// Its name.
    pub name: String,
    /// Its meaning.
    pub description: String,
    /// The default value.
    pub default: Value,
}

impl GuardView {
    /// Creates the view of a guard, with its entries in a workspace.
    pub fn new(guard: &Guard, workspace: &Workspace) -> Self {
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

/// The measurements, as JSON.
#[derive(Serialize)]
pub struct MeasuredGuardsView<'a> {
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

impl<'a> MeasuredGuardsView<'a> {
    /// Creates the view of measurements.
    pub fn new(measured: &'a [MeasuredGuard]) -> Self {
        let guards = measured.iter().map(|it| MeasuredView {
            name: it.name,
            dangerous: it.measured.dangerous,
            missed: &it.measured.missed,
            harmless: it.measured.harmless,
            false_alarms: &it.measured.false_alarms,
        });
        Self {
            guards: guards.collect(),
        }
    }
}

/// The judgements of guards about a command, as JSON.
#[derive(Serialize)]
pub struct AskedGuardsView<'a> {
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

impl<'a> AskedGuardsView<'a> {
    /// Creates the view of judgements.
    pub fn new(text: &'a str, said: &'a [GuardJudgement]) -> Self {
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

/// Returns the word for a verdict.
pub const fn decision(verdict: &Verdict) -> &'static str {
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
