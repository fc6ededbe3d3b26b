//! What the commands for guards print as JSON (`cli-json.md` §1).

use hookloop_hook::{RuleVerdict, Source};
use hookloop_rules::{Guard, Verdict};
use hookloop_session::Workspace;
use serde::Serialize;
use serde_json::Value;

use super::{MeasuredGuard, Said};

/// Shows all guards.
#[derive(Serialize)]
pub struct GuardsView<'a> {
    /// The guards that come with the program.
    pub guards: &'a [GuardView],
}

/// Shows a guard.
#[derive(Serialize)]
pub struct GuardView {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The event that it listens to first.
    pub event: String,
    /// The other events that it listens to.
    pub also: Vec<String>,
    /// Which subjects it is for.
    pub matcher: Option<String>,
    /// What can be set.
    pub options: Vec<OptionView>,
    /// Where it is in settings.
    pub used_at: Vec<Source>,
}

/// Shows an option of a guard.
#[derive(Serialize)]
pub struct OptionView {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// What holds unless it is set.
    pub default: Value,
}

impl GuardView {
    /// Shows a guard, and where a workspace uses it.
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

/// Shows what came of measuring.
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
    /// Shows what was measured.
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

/// Shows what guards say about a command.
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
    /// Shows what guards said about the text of a command.
    pub fn new(text: &'a str, said: &'a [Said]) -> Self {
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

/// Returns the word of a verdict.
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
