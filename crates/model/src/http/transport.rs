//! How servers are reached: time limits, retries, proxies.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::http_error::RetryNotice;

/// How servers are reached.
#[derive(Debug, Clone)]
pub struct Transport {
    /// The timeout for connecting.
    pub connect_timeout: Duration,
    /// How long a server may send nothing, before its response and during it. Models may think for
    /// a while, so the default is generous.
    pub idle_timeout: Duration,
    /// The maximum size of a response, in bytes: no model says more, and a server could continue
    /// forever.
    pub max_answer_bytes: usize,
    /// The maximum number of attempts (MO-1).
    pub attempts: u32,
    /// The longest wait that a server may request. If it requests more, the call fails at once.
    pub longest_wait: Duration,
    /// The proxies.
    pub proxies: Proxies,
    /// Where models' names come from, for the message about one that the service doesn't have.
    pub model_origins: ModelOrigins,
    /// Receives every retry, so that the user can see why nothing happens.
    pub on_retry: RetryObserver,
    /// The user agent that is sent to the server.
    pub user_agent: String,
}

/// The proxies, as configured by the usual environment variables.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Proxies {
    /// The proxy for `http://` addresses.
    pub http: Option<String>,
    /// The proxy for `https://` addresses.
    pub https: Option<String>,
    /// The proxy for all other addresses.
    pub all: Option<String>,
    /// The hosts that are reached without a proxy, separated by commas.
    pub none_for: Option<String>,
}

/// Says something about a model's name.
type Saying = dyn Fn(&str) -> Option<String> + Send + Sync;

/// Knows where a model's name comes from.
#[derive(Clone)]
pub struct ModelOrigins(Arc<Saying>);

/// Receives retries.
#[derive(Clone)]
pub struct RetryObserver(Arc<dyn Fn(&RetryNotice) + Send + Sync>);

impl Default for Transport {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(20),
            idle_timeout: Duration::from_mins(5),
            max_answer_bytes: 64 * 1024 * 1024,
            attempts: 4,
            longest_wait: Duration::from_mins(5),
            proxies: Proxies::default(),
            model_origins: ModelOrigins::default(),
            on_retry: RetryObserver::default(),
            user_agent: "hookloop".to_owned(),
        }
    }
}

impl Proxies {
    /// Returns every address of a proxy.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = &str> {
        [&self.http, &self.https, &self.all]
            .into_iter()
            .filter_map(|address| address.as_deref())
    }
}

impl fmt::Debug for Proxies {
    /// A proxy's address may contain a password.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Proxies")
            .field("configured", &self.addresses().count())
            .field("none_for", &self.none_for)
            .finish_non_exhaustive()
    }
}

impl ModelOrigins {
    /// Creates it from a function that returns what is said about a name, as a sentence.
    pub fn new(said: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(said))
    }

    /// Returns what follows a question about a name.
    pub(crate) fn of(&self, model: &str) -> String {
        (self.0)(model).map_or_else(String::new, |it| format!(" {it}"))
    }
}

impl Default for ModelOrigins {
    fn default() -> Self {
        Self::new(|_| None)
    }
}

impl fmt::Debug for ModelOrigins {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ModelOrigins")
    }
}

impl RetryObserver {
    /// Creates an observer from a function, which must not block.
    pub fn new(told: impl Fn(&RetryNotice) + Send + Sync + 'static) -> Self {
        Self(Arc::new(told))
    }

    pub(crate) fn tell(&self, notice: &RetryNotice) {
        (self.0)(notice);
    }
}

impl Default for RetryObserver {
    fn default() -> Self {
        Self::new(|_| {})
    }
}

impl fmt::Debug for RetryObserver {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("RetryObserver")
    }
}
