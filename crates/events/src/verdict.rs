//! The lattice in which the answers of an event's hooks are combined (AG-1).

use crate::reason::{Cause, Reason};

/// What one hook says about an event's action, weakest first.
///
/// Combining two takes the stronger one; two of the same strength are joined. A ruling is
/// never weakened by another one (AG-4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ruling {
    /// No opinion.
    Silent,
    /// The hook has no objection. It grants nothing (BT-6).
    Allow(Option<Reason>),
    /// The user is to be asked (BT-5).
    Ask(Reason),
    /// The action is refused (BT-1).
    Deny(Reason, Cause),
    /// The whole agent loop ends (OUT-3).
    Stop(Reason),
}

impl Ruling {
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

    /// Combines the rulings of an event's hooks, in the order of the plan.
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
