//! What is protected, found when somebody first asks for it: most commands touch nothing (BR-31).

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, LazyLock};

use crate::protected::Protected;

/// Finds what is protected.
type Find = Box<dyn FnOnce() -> Protected + Send>;

/// What guards are made of, which is found once it is needed. Copies share what was found.
///
/// ```
/// use std::sync::atomic::{AtomicBool, Ordering};
/// use std::sync::Arc;
///
/// use hookloop_host::{LazyProtected, Protected};
///
/// let is_found = Arc::new(AtomicBool::new(false));
/// let found = Arc::clone(&is_found);
/// let protected = LazyProtected::new(move || {
///     found.store(true, Ordering::SeqCst);
///     Protected::default()
/// });
/// assert!(!is_found.load(Ordering::SeqCst));
/// protected.below("/project".as_ref());
/// assert!(is_found.load(Ordering::SeqCst));
/// ```
#[derive(Clone)]
pub struct LazyProtected(Arc<LazyLock<Protected, Find>>);

impl LazyProtected {
    /// Takes how what is protected is found.
    pub fn new(find: impl FnOnce() -> Protected + Send + 'static) -> Self {
        Self(Arc::new(LazyLock::new(Box::new(find))))
    }
}

impl From<Protected> for LazyProtected {
    fn from(protected: Protected) -> Self {
        Self::new(|| protected)
    }
}

impl Default for LazyProtected {
    fn default() -> Self {
        Protected::default().into()
    }
}

impl Deref for LazyProtected {
    type Target = Protected;

    fn deref(&self) -> &Protected {
        &self.0
    }
}

impl fmt::Debug for LazyProtected {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("LazyProtected")
            .finish_non_exhaustive()
    }
}
