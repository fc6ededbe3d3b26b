//! The address of a collector.

use hookloop_model::address_without_secrets;
use reqwest::Url;

/// The port on which collectors expect gRPC.
const GRPC_PORT: u16 = 4317;

/// The path for spans, below a collector's address.
const TRACES: [&str; 2] = ["v1", "traces"];

/// The address that spans are sent to.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint(Url);

/// The reason why an address can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadEndpoint {
    /// It can't be read. It may contain a password anywhere, so it isn't repeated.
    #[error("the address can't be read: {0}")]
    Unreadable(String),
    /// It has a scheme other than HTTP.
    #[error("\"{0}\" is neither http nor https")]
    Protocol(String),
}

impl Endpoint {
    /// Reads a collector's address, such as `http://localhost:4318`; the path for spans is added
    /// unless it is there.
    pub fn read(address: &str) -> Result<Self, BadEndpoint> {
        let mut url = Url::parse(address.trim())
            .map_err(|error| BadEndpoint::Unreadable(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(BadEndpoint::Protocol(url.scheme().to_owned()));
        }
        let is_whole = url.path().trim_end_matches('/').ends_with("/v1/traces");
        if !is_whole && let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(TRACES);
        }
        Ok(Self(url))
    }

    /// Returns whether the address names the port on which collectors expect gRPC.
    pub fn names_grpc_port(&self) -> bool {
        self.0.port() == Some(GRPC_PORT)
    }

    /// Returns the address for another signal: `logs` or `metrics`.
    pub(crate) fn for_signal(&self, what: &str) -> Self {
        let mut url = self.0.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().pop().push(what);
        }
        Self(url)
    }

    pub(crate) fn url(&self) -> &Url {
        &self.0
    }
}

impl std::fmt::Display for Endpoint {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&address_without_secrets(&self.0))
    }
}

impl std::fmt::Debug for Endpoint {
    /// Omits the address, which may contain a password.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Endpoint({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::{BadEndpoint, Endpoint};

    fn read(address: &str) -> Result<String, BadEndpoint> {
        Endpoint::read(address).map(|it| it.url().to_string())
    }

    /// TE-3: a collector's address is completed by the path for spans, once.
    #[test]
    fn the_path_for_spans_is_added_once() {
        let whole = Ok("http://localhost:4318/v1/traces".to_owned());
        assert_eq!(read("http://localhost:4318"), whole);
        assert_eq!(read(" http://localhost:4318/ "), whole);
        assert_eq!(read("http://localhost:4318/v1/traces"), whole);
        assert_eq!(
            read("https://example.com/otlp"),
            Ok("https://example.com/otlp/v1/traces".to_owned())
        );
    }

    /// TE-4: logs and metrics are sent to paths next to that of the spans.
    #[test]
    fn other_signals_have_places_beside() {
        let beside = |address: &str| {
            let endpoint = Endpoint::read(address).map(|it| it.for_signal("logs"));
            endpoint.map(|it| it.url().to_string())
        };
        let whole = Ok("http://localhost:4318/v1/logs".to_owned());
        assert_eq!(beside("http://localhost:4318"), whole);
        assert_eq!(beside("http://localhost:4318/v1/traces/"), whole);
    }

    /// TE-3: an address that isn't for HTTP is refused, without repeating a password that it may
    /// contain.
    #[test]
    fn other_addresses_are_refused() {
        assert_eq!(
            read("grpc://collector:4317"),
            Err(BadEndpoint::Protocol("grpc".to_owned()))
        );
        let error = read("me:secret@").unwrap_err().to_string();
        assert!(!error.contains("secret"), "{error}");
        let endpoint = Endpoint::read("http://me:secret@collector").unwrap();
        assert!(!format!("{endpoint} {endpoint:?}").contains("secret"));
    }

    /// TE-3: the port of gRPC is recognised.
    #[test]
    fn the_port_of_grpc_is_known() {
        let names = |address| Endpoint::read(address).unwrap().names_grpc_port();
        assert!(names("http://localhost:4317"));
        assert!(!names("http://localhost:4318"));
    }
}
