//! The connection to a server: built when the first request needs it, and no larger than that.

use std::sync::OnceLock;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Client, Response, Url};

use crate::http::failure::Failure;
use crate::http::key::ApiKey;
use crate::http::transport::Transport;
use crate::http::web_client::{address_without_secrets, web_client};
use crate::http_error::{HttpError, HttpProblem};

/// Reaches one server.
pub(crate) struct Connection {
    base: Url,
    /// The headers of each request, including the key.
    headers: HeaderMap,
    transport: Transport,
    client: OnceLock<Client>,
}

/// The authorization header of a request.
pub(crate) struct Credential<'k> {
    /// The header's name, in lower case.
    pub(crate) header: &'static str,
    /// What precedes the key.
    pub(crate) scheme: &'static str,
    pub(crate) key: &'k ApiKey,
}

impl Connection {
    /// Checks an address and a key; nothing is sent yet.
    pub(crate) fn new(
        base_url: &str,
        credential: Option<&Credential<'_>>,
        transport: Transport,
    ) -> Result<Self, Box<HttpError>> {
        let fault = |server: String, problem: String| {
            Box::new(HttpError {
                server,
                problem: HttpProblem::Settings(problem),
                attempts: 0,
            })
        };
        // An address that can't be parsed may contain a password anywhere, so it isn't repeated.
        let base = Url::parse(base_url.trim())
            .map_err(|error| fault("(unreadable address)".to_owned(), error.to_string()))?;
        let server = address_without_secrets(&base);
        if !matches!(base.scheme(), "http" | "https") {
            let problem = format!("\"{}\" is neither http nor https", base.scheme());
            return Err(fault(server, problem));
        }
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(Credential {
            header,
            scheme,
            key,
        }) = credential
        {
            let mut value =
                HeaderValue::from_str(&format!("{scheme}{}", key.reveal())).map_err(|_| {
                    let problem = "the API key contains characters that aren't allowed in a header";
                    fault(server, problem.to_owned())
                })?;
            value.set_sensitive(true);
            headers.insert(*header, value);
        }
        Ok(Self {
            base,
            headers,
            transport,
            client: OnceLock::new(),
        })
    }

    /// Adds a header that every request carries.
    pub(crate) fn with_header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.insert(name, HeaderValue::from_static(value));
        self
    }

    /// Returns the server's address without anything secret.
    pub(crate) fn server(&self) -> String {
        address_without_secrets(&self.base)
    }

    pub(crate) fn transport(&self) -> &Transport {
        &self.transport
    }

    /// Builds the address of a resource below the base address.
    pub(crate) fn address(&self, segments: &[&str]) -> Url {
        let mut address = self.base.clone();
        if let Ok(mut path) = address.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        address
    }

    /// Sends a request, without a body if nothing is sent, and waits for the head of the response.
    pub(crate) async fn send(
        &self,
        address: Url,
        body: Option<Vec<u8>>,
    ) -> Result<Response, Failure> {
        let client = self.client()?;
        let request = match body {
            Some(body) => client.post(address).body(body),
            None => client.get(address),
        };
        let sent = request.headers(self.headers.clone()).send();
        let limit = self.transport.idle_timeout;
        match tokio::time::timeout(limit, sent).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(Failure::from_transport(&error.without_url())),
            Err(_) => Err(Failure::permanent(HttpProblem::Silent(limit))),
        }
    }

    fn client(&self) -> Result<&Client, Failure> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let built = web_client(&self.base, &self.transport)
            .map_err(|problem| Failure::permanent(HttpProblem::Settings(problem)))?;
        Ok(self.client.get_or_init(|| built))
    }
}
