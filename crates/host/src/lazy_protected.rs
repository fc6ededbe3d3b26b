//! The protected files, determined when they are first needed: most commands don't touch any
//! (BR-31).

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, LazyLock};

use crate::protected::Protected;

/// Determines the protected files.
type Find = Box<dyn FnOnce() -> Protected + Send>;

/// The files that guards depend on, determined when they are first needed. Clones share the result.
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
pub struct LazyProtected(Arc<Source>);

/// Knows the files, or determines them.
type Source = dyn Deref<Target = Protected> + Send + Sync;

impl LazyProtected {
    /// Creates it from a function that determines the files.
    pub fn new(find: impl FnOnce() -> Protected + Send + 'static) -> Self {
        let find: Find = Box::new(find);
        Self::of(LazyLock::new(find))
    }

    /// Creates it from what determines the files itself.
    pub(crate) fn of(source: impl Deref<Target = Protected> + Send + Sync + 'static) -> Self {
        Self(Arc::new(source))
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
        self.0.deref().deref()
    }
}

impl fmt::Debug for LazyProtected {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("LazyProtected")
            .finish_non_exhaustive()
    }
}
