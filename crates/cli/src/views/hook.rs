//! A hook as JSON (`cli-json.md` §2, "Hook").

use std::fmt;

use hookloop_engine::{HookStatus, RunResult, SkipCause};
use hookloop_hook::{Grouping, Handler, HookDeclaration, OnFailure, Source};
use serde::Serialize;

/// Shows a hook with its standing.
#[derive(Debug, Serialize)]
pub(crate) struct HookView<'a> {
    id: &'a str,
    event: &'static str,
    r#type: &'a str,
    name: Option<&'a str>,
    description: Option<&'a str>,
    matcher: Option<&'a str>,
    label: &'a str,
    command: Option<&'a str>,
    sequential: bool,
    timeout_ms: u64,
    on_failure: OnFailure,
    env: Vec<&'a str>,
    source: &'a Source,
    status: Status,
    causes: &'a [SkipCause],
    trust: &'static str,
    stats: Option<Statistics>,
}

/// Says in one word whether a hook may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    /// It may.
    Enabled,
    /// It is switched off.
    Disabled,
    /// Nobody trusts it.
    Untrusted,
    /// Another hook stands for it (PL-7).
    Shadowed,
}

/// Shows what the trace knows of a hook (CM-6).
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Statistics {
    /// How many runs the trace holds.
    pub(crate) runs: u64,
    /// When the last one started.
    pub(crate) last_run_at: Option<String>,
    /// What came of it.
    pub(crate) last_result: Option<RunResult>,
    /// What it wrote to standard output.
    pub(crate) last_output: Option<String>,
    /// What went wrong the last time that something did.
    pub(crate) last_error: Option<String>,
    /// How long the run in the middle took.
    pub(crate) p50_ms: Option<f64>,
    /// How long 95 of 100 runs took at most.
    pub(crate) p95_ms: Option<f64>,
}

impl<'a> HookView<'a> {
    /// Shows a hook; statistics belong into the list alone.
    pub(crate) fn new(known: &'a HookStatus, stats: Option<Statistics>) -> Self {
        let hook: &HookDeclaration = &known.hook;
        Self {
            id: hook.id.as_str(),
            event: hook.event.as_str(),
            r#type: hook.handler.type_name(),
            name: hook.name.as_deref(),
            description: hook.description.as_deref(),
            matcher: hook.matcher.as_deref(),
            label: hook.label(),
            command: match &hook.handler {
                Handler::Command { command, .. } => Some(command),
                _ => None,
            },
            sequential: hook.grouping == Grouping::Sequential,
            timeout_ms: u64::try_from(hook.timeout.as_millis()).unwrap_or(u64::MAX),
            on_failure: hook.on_failure,
            env: hook.env.keys().map(String::as_str).collect(),
            source: &hook.source,
            status: Status::of(&known.causes),
            causes: &known.causes,
            trust: known.standing.as_str(),
            stats,
        }
    }
}

impl Status {
    /// Returns the first of disabled, untrusted and shadowed that applies. A matcher that does
    /// not fit a subject takes nothing from a hook's status.
    pub(crate) fn of(causes: &[SkipCause]) -> Self {
        let of_cause = |cause: &SkipCause| match cause {
            SkipCause::HooksOff(_)
            | SkipCause::DisabledByName(_)
            | SkipCause::ExtensionDisabled => Self::Disabled,
            SkipCause::UntrustedNew
            | SkipCause::UntrustedModified(_)
            | SkipCause::FolderUntrusted(_) => Self::Untrusted,
            SkipCause::Shadowed(_) => Self::Shadowed,
            SkipCause::MatcherMismatch { .. }
            | SkipCause::SubjectUnknown
            | SkipCause::NotSelected => Self::Enabled,
        };
        let statuses: Vec<Self> = causes.iter().map(of_cause).collect();
        [Self::Disabled, Self::Untrusted, Self::Shadowed]
            .into_iter()
            .find(|status| statuses.contains(status))
            .unwrap_or(Self::Enabled)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Enabled => "enabled",
            Self::Disabled => "disabled",
            Self::Untrusted => "untrusted",
            Self::Shadowed => "shadowed",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-1: the status is the first of disabled, untrusted and shadowed, whatever the order.
    #[test]
    fn the_gravest_status_is_said() {
        let both = [SkipCause::UntrustedNew, SkipCause::HooksOff(None)];
        assert_eq!(Status::of(&both), Status::Disabled);
        assert_eq!(Status::of(&[SkipCause::UntrustedNew]), Status::Untrusted);
        assert_eq!(Status::of(&[SkipCause::SubjectUnknown]), Status::Enabled);
        assert_eq!(Status::of(&[]), Status::Enabled);
    }
}
