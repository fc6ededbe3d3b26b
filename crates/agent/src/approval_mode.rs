//! The approval mode (TO-6).

use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How much the agent may do without asking (TO-6).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ApprovalMode {
    /// It asks before writes, commands, web access and MCP tools.
    #[default]
    Default,
    /// It doesn't ask before edits.
    AutoEdit,
    /// It never asks.
    Yolo,
    /// It only reads, and writes plans.
    Plan,
}

impl ApprovalMode {
    /// Returns the next mode in the cycle of the key (TU-5). The mode that never asks isn't part of
    /// the cycle, so it can't be set by pressing a key once too often.
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::Default => Self::AutoEdit,
            Self::AutoEdit => Self::Plan,
            Self::Plan | Self::Yolo => Self::Default,
        }
    }
}

/// A text that isn't an approval mode.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown approval mode \"{0}\"; use default, auto_edit, yolo or plan")]
pub struct UnknownApprovalMode(String);

impl FromStr for ApprovalMode {
    type Err = UnknownApprovalMode;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "default" => Ok(Self::Default),
            "auto_edit" | "autoEdit" => Ok(Self::AutoEdit),
            "yolo" => Ok(Self::Yolo),
            "plan" => Ok(Self::Plan),
            other => Err(UnknownApprovalMode(other.to_owned())),
        }
    }
}

impl fmt::Display for ApprovalMode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Default => "default",
            Self::AutoEdit => "auto_edit",
            Self::Yolo => "yolo",
            Self::Plan => "plan",
        })
    }
}

/// Reads and changes a session's approval mode from elsewhere, even during a turn (TO-6).
#[derive(Debug, Clone)]
pub struct ModeHandle(pub(crate) Arc<ModeSwitch>);

impl ModeHandle {
    /// Returns the current mode.
    pub fn get(&self) -> ApprovalMode {
        self.0.get()
    }

    /// Changes the mode, starting with the next tool call.
    pub fn set(&self, mode: ApprovalMode) {
        self.0.set(mode);
    }
}

/// The approval mode of a session, which the user and plan mode's tools change while it runs
/// (TO-6).
#[derive(Debug, Default)]
pub(crate) struct ModeSwitch(Mutex<Modes>);

#[derive(Debug, Clone, Copy, Default)]
struct Modes {
    now: ApprovalMode,
    /// What plan mode replaced: the mode to which its end returns.
    before_plan: ApprovalMode,
}

impl ModeSwitch {
    pub(crate) fn new(mode: ApprovalMode) -> Self {
        Self(Mutex::new(Modes {
            now: mode,
            before_plan: ApprovalMode::Default,
        }))
    }

    pub(crate) fn get(&self) -> ApprovalMode {
        self.modes().now
    }

    /// Changes the mode.
    pub(crate) fn set(&self, mode: ApprovalMode) {
        let mut modes = self.modes();
        if mode == ApprovalMode::Plan && modes.now != ApprovalMode::Plan {
            modes.before_plan = modes.now;
        }
        modes.now = mode;
    }

    /// Ends plan mode, and returns the mode from now on; `None` if it isn't plan mode.
    pub(crate) fn end_plan(&self) -> Option<ApprovalMode> {
        let mut modes = self.modes();
        if modes.now != ApprovalMode::Plan {
            return None;
        }
        modes.now = modes.before_plan;
        Some(modes.now)
    }

    fn modes(&self) -> MutexGuard<'_, Modes> {
        // Both values are replaced as a whole, so a poisoned lock guards nothing broken.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
