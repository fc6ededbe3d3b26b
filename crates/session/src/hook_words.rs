//! Texts about hooks that commands and the panel share.

use std::fmt;

use hookloop_engine::{HookStatus, RunResult, RunSwitch, SkipCause};
use hookloop_hook::{Dialect, HookDeclaration, Layer, Problem, Refusing, Source};
use hookloop_text::shorten::one_line;
use hookloop_text::visible;
use serde::Serialize;

use crate::workspace::Workspace;

/// Returns what is wrong, where, and what to do.
pub(crate) fn problem_line(problem: &Problem) -> String {
    format!("{}: {} ({})", problem.source, problem.message, problem.help)
}

/// Whether a hook may run, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It is enabled.
    Enabled,
    /// It is disabled.
    Disabled,
    /// It isn't trusted.
    Untrusted,
    /// It can't be used, and refuses instead (IO-21).
    Broken,
    /// It runs in other agents only (BR-12).
    Elsewhere,
    /// It is a duplicate of another hook (PL-7).
    Shadowed,
}

impl Status {
    /// Returns the first of disabled, untrusted, broken, elsewhere and shadowed that applies. A
    /// matcher that doesn't match a subject doesn't affect the status.
    pub fn of(status: &HookStatus) -> Self {
        match Self::of_causes(&status.causes) {
            gravest @ (Self::Disabled | Self::Untrusted) => gravest,
            _ if status.hook.broken.is_some() => Self::Broken,
            other => other,
        }
    }

    fn of_causes(causes: &[SkipCause]) -> Self {
        let of_cause = |cause: &SkipCause| match cause {
            SkipCause::OtherAgent(_) => Self::Elsewhere,
            SkipCause::UntrustedNew
            | SkipCause::UntrustedModified(_)
            | SkipCause::FolderUntrusted(_) => Self::Untrusted,
            SkipCause::Shadowed(_) => Self::Shadowed,
            SkipCause::MatcherMismatch { .. }
            | SkipCause::SubjectUnknown
            | SkipCause::NotSelected
            | SkipCause::ConditionFalse(_)
            | SkipCause::OtherEvent(_)
            | SkipCause::ConditionUnreadable(_) => Self::Enabled,
            // Switched off. Causes added later also count as disabled, so that such a hook never
            // seems to run.
            _ => Self::Disabled,
        };
        let statuses: Vec<Self> = causes.iter().map(of_cause).collect();
        [
            Self::Disabled,
            Self::Untrusted,
            Self::Elsewhere,
            Self::Shadowed,
        ]
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
            Self::Broken => "broken",
            Self::Elsewhere => "elsewhere",
            Self::Shadowed => "shadowed",
        })
    }
}

/// If hooks are off, returns that as a sentence, with the place of the switch (ST-6).
pub fn hooks_off(workspace: &Workspace) -> Option<String> {
    let enabled = &workspace.settings.switches.enabled;
    match (workspace.switch, enabled.value, &enabled.source) {
        (RunSwitch::Off, _, _) => Some("Hooks are off for this run: --no-hooks.".to_owned()),
        (_, true, _) => None,
        (_, false, Some(source)) => {
            Some(format!("Hooks are off: {}.", visible(&source.to_string())))
        }
        (_, false, None) => Some("Hooks are off.".to_owned()),
    }
}

/// The longest label of a hook without a name, in characters.
const MAX_CHARACTERS: usize = 60;

/// Returns sentences about a hook's dialect, what is translated, who waits for it (FD-1, FD-22),
/// and what confines it.
pub fn manner_texts(hook: &HookDeclaration) -> Vec<String> {
    let mut texts = Vec::new();
    if hook.dialect != Dialect::Hookloop {
        let event = match &hook.dialect_event {
            Some(event) => format!(" as {event}"),
            None => String::new(),
        };
        texts.push(format!(
            "dialect {}{event}: what it reads and answers is translated",
            hook.dialect
        ));
    }
    if hook.asynchronous {
        texts.push(if hook.refusing() == Refusing::Always {
            "async: nobody waits for it, so it can't refuse".to_owned()
        } else {
            "async: nobody waits for it".to_owned()
        });
    }
    if hook.rewakes {
        texts.push("asyncRewake: exit code 2 starts a turn with what it says".to_owned());
    }
    if let Some(limit) = hook.loop_limit {
        texts.push(format!(
            "loopLimit: its follow-up counts {limit} times in a turn"
        ));
    }
    if hook.skips_confirmation {
        texts.push("allowSkipsConfirmation: its \"allow\" counts as your confirmation".to_owned());
    }
    if hook.once {
        texts.push("once: it runs once per session".to_owned());
    }
    if let Some(sandbox) = &hook.sandbox {
        let mut may = vec!["temporary folders".to_owned()];
        may.extend(sandbox.write.iter().cloned());
        let network = if sandbox.network {
            "the network"
        } else {
            "no network"
        };
        texts.push(format!(
            "sandbox: it may write to {}, and has {network}",
            may.join(", ")
        ));
    }
    texts
}

/// Returns a short label of a hook for people: its name, or the beginning of its command, which may
/// be a whole program (CM-5).
pub fn short_label(hook: &HookDeclaration) -> String {
    match &hook.name {
        Some(name) => name.clone(),
        None => one_line(hook.label(), MAX_CHARACTERS),
    }
}

/// Returns the origin of a hook: its layer and place.
pub fn origin(source: &Source) -> String {
    let layer = match (&source.extension, source.layer) {
        (Some(extension), _) => format!("{} {} ", Layer::Extension, visible(extension)),
        (None, Some(layer)) => format!("{layer} "),
        (None, None) => String::new(),
    };
    format!("{layer}{}", visible(&source.to_string()))
}

/// Formats the timeout of a hook.
pub fn duration(hook: &HookDeclaration) -> String {
    let milliseconds = hook.timeout.as_millis();
    match milliseconds % 1000 {
        0 => format!("{} s", milliseconds / 1000),
        _ => format!("{milliseconds} ms"),
    }
}

/// Returns what keeps a hook from running, each with the place that causes it. Not escaped.
pub fn cause_texts(status: &HookStatus, hooks: &[HookStatus]) -> impl Iterator<Item = String> {
    status.causes.iter().map(|cause| {
        let place = cause
            .other_hook()
            .and_then(|id| hooks.iter().find(|other| other.hook.id == *id))
            .map(|other| format!(" ({})", other.hook.source));
        cause.message() + &place.unwrap_or_default()
    })
}

/// Returns the word for a result.
pub const fn result_word(result: RunResult) -> &'static str {
    match result {
        RunResult::Proceed => "proceed",
        RunResult::Ask => "ask",
        RunResult::Refused => "refused",
        RunResult::Stopped => "stopped",
        RunResult::Failed => "failed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-1: the status is the first of disabled, untrusted and shadowed, whatever the order.
    #[test]
    fn the_gravest_status_is_said() {
        let both = [SkipCause::UntrustedNew, SkipCause::HooksOff(None)];
        assert_eq!(Status::of_causes(&both), Status::Disabled);
        assert_eq!(
            Status::of_causes(&[SkipCause::UntrustedNew]),
            Status::Untrusted
        );
        assert_eq!(
            Status::of_causes(&[SkipCause::SubjectUnknown]),
            Status::Enabled
        );
        assert_eq!(Status::of_causes(&[]), Status::Enabled);
    }
}
