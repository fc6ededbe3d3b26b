//! What of a request an API has no words for.

use std::fmt;
use std::sync::Arc;

/// Tells that parameters of a request were left out, because the server's API has no words for
/// them (MO-2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsentNotice {
    /// The server's address, without anything secret.
    pub server: String,
    /// The parameters, as hooks and settings name them.
    pub parameters: Vec<String>,
}

/// Who is told of parameters that were left out.
#[derive(Clone)]
pub struct UnsentObserver(Arc<dyn Fn(&UnsentNotice) + Send + Sync>);

impl fmt::Display for UnsentNotice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "the model's server {} has no parameter for {}; the requests go without",
            self.server,
            self.parameters.join(", ")
        )
    }
}

impl UnsentObserver {
    /// Builds an observer of a function, which must not block.
    pub fn new(told: impl Fn(&UnsentNotice) + Send + Sync + 'static) -> Self {
        Self(Arc::new(told))
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
