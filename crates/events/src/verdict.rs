//! The lattice in which the answers of an event's hooks are combined (AG-1).

use crate::reason::{Cause, Reason};

/// A hook's ruling on an event's action, weakest first.
///
/// Combining two rulings results in the stronger one; two of the same strength are joined. No
/// ruling ever weakens another (AG-4).
///
/// An in-process hook may answer with a ruling, which is a valid answer for any event that can
/// refuse:
///
/// ```
/// use hookloop_events::{BeforeToolAnswer, Ruling};
///
/// let answer: BeforeToolAnswer = Ruling::deny("production is frozen").into();
/// assert_eq!(answer.ruling.rank(), 3);
/// assert_eq!(answer.tool_input, None);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Ruling {
    /// No opinion.
    #[default]
    Silent,
    /// No objection. It grants nothing (BT-6).
    Allow(Option<Reason>),
    /// Ask the user (BT-5).
    Ask(Reason),
    /// Refuse the action (BT-1).
    Deny(Reason, Cause),
    /// End the whole agent loop (OUT-3).
    Stop(Reason),
}

impl Ruling {
    /// Creates a ruling without an objection. It grants nothing (BT-6).
    pub const fn allow() -> Self {
        Self::Allow(None)
    }

    /// Creates a question to the user, with its reason (BT-5).
    pub fn ask(reason: &str) -> Self {
        Self::Ask(Reason::or_unsaid(reason))
    }

    /// Creates a refusal of the action, with the reason for the model (BT-1).
    pub fn deny(reason: &str) -> Self {
        Self::Deny(Reason::or_unsaid(reason), Cause::Policy)
    }

    /// Creates a stop of the whole agent loop, with the reason for the user (OUT-3).
    pub fn stop(reason: &str) -> Self {
        Self::Stop(Reason::or_unsaid(reason))
    }

    /// Combines this ruling with that of a later hook.
    #[must_use]
    pub fn and(self, later: Self) -> Self {
        match (self, later) {
            (Self::Stop(first), Self::Stop(second)) => Self::Stop(first.and(&second)),
            (Self::Deny(first, cause), Self::Deny(second, other)) => {
                Self::Deny(first.and(&second), cause.and(other))
            }
            (Self::Ask(first), Self::Ask(second)) => Self::Ask(first.and(&second)),
            (Self::Allow(first), Self::Allow(second)) => Self::Allow(match (first, second) {
                (Some(first), Some(second)) => Some(first.and(&second)),
                (first, second) => first.or(second),
            }),
            (first, second) if second.rank() > first.rank() => second,
            (first, _) => first,
        }
    }

    /// Turns a question into a refusal, for events that can't ask the user.
    #[must_use]
    pub fn without_question(self) -> Self {
        match self {
            Self::Ask(reason) => Self::Deny(reason, Cause::Policy),
            other => other,
        }
    }

    /// Combines the rulings of an event's hooks, in plan order.
    pub fn combine(rulings: impl IntoIterator<Item = Self>) -> Self {
        rulings.into_iter().fold(Self::Silent, Self::and)
    }

    /// Returns the strength, from 0 (silent) to 4 (stop).
    pub const fn rank(&self) -> u8 {
        match self {
            Self::Silent => 0,
            Self::Allow(_) => 1,
            Self::Ask(_) => 2,
            Self::Deny(..) => 3,
            Self::Stop(_) => 4,
        }
    }
}
