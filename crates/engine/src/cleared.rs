//! The types of values that hooks have cleared or are still pending.

use std::ops::Deref;

/// A value that has passed its hooks.
///
/// Only the engine can create one. If a host's ports accept nothing else, a path that forgets the
/// hooks doesn't compile. `Hooks::none()` clears everything, with the same type.
///
/// ```compile_fail,E0423
/// use hookloop_engine::Cleared;
///
/// let forged = Cleared("rm -rf /");
/// ```
///
/// ```compile_fail,E0624
/// use hookloop_engine::Cleared;
///
/// let forged = Cleared::new("rm -rf /");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Cleared<T>(T);

impl<T> Cleared<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(value)
    }

    /// Returns the value itself, without the proof that it was cleared.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> Deref for Cleared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// A value that a hook wants the user to confirm (BT-5).
#[derive(Debug, Clone, PartialEq)]
pub struct Pending<T>(T);

/// Proof that a person has just agreed to something. Whoever creates one is responsible for its
/// truth.
///
/// ```
/// use hookloop_engine::{Cleared, Pending, UserConsent};
///
/// fn ask<T>(pending: Pending<T>, answer: &str) -> Option<Cleared<T>> {
///     (answer == "yes").then(|| pending.approved(UserConsent::given_by_user()))
/// }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct UserConsent(());

impl UserConsent {
    /// States that the user was shown the pending value and agreed to it.
    pub const fn given_by_user() -> Self {
        Self(())
    }
}

impl<T> Pending<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(value)
    }

    /// Clears the value after the user agreed. A value that the user edited is a new one and must
    /// pass its hooks again (BT-8).
    pub fn approved(self, _consent: UserConsent) -> Cleared<T> {
        Cleared(self.0)
    }
}

impl<T> Deref for Pending<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}
