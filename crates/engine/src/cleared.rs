//! Values that have passed their hooks, as a type.

use std::ops::Deref;

/// A value that its hooks let through.
///
/// Only the engine can make one, so a host whose ports accept nothing else can't forget a
/// hook: the path would not compile. `Hooks::none()` clears everything and is the same type.
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

    /// Returns the value without its seal.
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

/// A value about which a hook wants the user to be asked (BT-5).
#[derive(Debug, Clone, PartialEq)]
pub struct Pending<T>(T);

/// Proof that a person agreed to something, just now. Anyone who builds one vouches for it.
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
    /// States that the user was shown what is pending, and said yes.
    pub const fn given_by_user() -> Self {
        Self(())
    }
}

impl<T> Pending<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(value)
    }

    /// Clears the value, since the user agreed. A value that the user edited is a new one and
    /// goes through its hooks again (BT-8).
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
