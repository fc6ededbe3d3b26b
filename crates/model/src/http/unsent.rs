//! Parts of a request that an API doesn't support.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Parameters of a request that were left out, because the server's API doesn't support them
/// (MO-2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsentNotice {
    /// The server's address, without secrets.
    pub server: String,
    /// The parameters, as hooks and settings name them.
    pub parameters: Vec<String>,
}

/// Receives parameters that were left out.
#[derive(Clone)]
pub struct UnsentObserver(Arc<dyn Fn(&UnsentNotice) + Send + Sync>);

impl fmt::Display for UnsentNotice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "the model's server {} has no parameter for {}; requests are sent without it",
            self.server,
            self.parameters.join(", ")
        )
    }
}

impl UnsentObserver {
    /// Creates an observer from a function, which must not block.
    pub fn new(observe: impl Fn(&UnsentNotice) + Send + Sync + 'static) -> Self {
        Self(Arc::new(observe))
    }

    pub(crate) fn tell(&self, notice: &UnsentNotice) {
        (self.0)(notice);
    }
}

impl Default for UnsentObserver {
    fn default() -> Self {
        Self::new(|_| {})
    }
}

impl fmt::Debug for UnsentObserver {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("UnsentObserver")
    }
}

/// Reports each parameter once. A hook or the settings wanted it, so nobody shall believe that it
/// had an effect.
#[derive(Debug, Default)]
pub(crate) struct UnsentOnce {
    observer: UnsentObserver,
    reported: Mutex<HashSet<String>>,
}

impl UnsentOnce {
    pub(crate) fn new(observer: UnsentObserver) -> Self {
        Self {
            observer,
            reported: Mutex::default(),
        }
    }

    /// Reports parameters that this server doesn't support.
    pub(crate) fn tell<'p>(&self, server: String, parameters: impl Iterator<Item = &'p str>) {
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        let new: Vec<String> = parameters
            .filter(|name| !reported.contains(*name))
            .map(str::to_owned)
            .collect();
        if new.is_empty() {
            return;
        }
        reported.extend(new.iter().cloned());
        drop(reported);
        self.observer.tell(&UnsentNotice {
            server,
            parameters: new,
        });
    }
}
