//! What a session watches and keeps, which grows with the hooks that are loaded while it runs
//! (TR-6, TR-8).

use std::sync::{Arc, PoisonError, RwLock};

use hookloop_host::{CallWatch, Protected, Vouching};

/// The watch over calls, as it is now; clones are the same.
#[derive(Debug, Clone)]
pub(crate) struct Watching(Arc<RwLock<Arc<CallWatch>>>);

impl Watching {
    /// Watches as stated at first.
    pub(crate) fn new(watch: CallWatch) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(watch))))
    }

    /// Returns the watch as it is now.
    pub(crate) fn current(&self) -> Arc<CallWatch> {
        // The value is replaced as a whole, so a poisoned lock guards nothing broken.
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Watches over what else is protected too.
    pub(crate) fn add(&self, protected: Protected) {
        let mut watch = self.0.write().unwrap_or_else(PoisonError::into_inner);
        *watch = Arc::new(watch.guarding_too(protected));
    }
}

/// What makes sure that the hooks of a session run only as they were loaded.
#[derive(Clone)]
pub(crate) struct Holding {
    vouching: Vouching,
    /// Nothing if whoever started the run lets tools change everything.
    watching: Option<Watching>,
}

impl Holding {
    pub(crate) const fn new(vouching: Vouching, watching: Option<Watching>) -> Self {
        Self { vouching, watching }
    }

    /// Also watches the hooks that were loaded; what was recorded stays.
    pub(crate) fn take_up(&self, workspace: &hookloop_host::Workspace) {
        if let Some(watching) = &self.watching {
            watching.add(Protected::of(workspace));
            self.vouching.take_up(workspace);
        }
    }
}
