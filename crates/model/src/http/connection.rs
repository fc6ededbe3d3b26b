//! The connection to a server: built when the first request needs it, and no larger than that.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, OnceLock};

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, NoProxy, Proxy, Response, Url};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;

use crate::http::failure::{Failure, root_cause};
use crate::http::key::ApiKey;
use crate::http::transport::Transport;
use crate::http_error::{HttpError, HttpProblem};

/// Reaches one server.
pub(crate) struct Connection {
    base: Url,
    /// What each request carries, the key among it.
    headers: HeaderMap,
    transport: Transport,
    client: OnceLock<Client>,
}

/// Builds a proxy for a kind of addresses.
type ProxyKind = fn(&str) -> reqwest::Result<Proxy>;

/// What authorizes a request.
pub(crate) struct Credential<'k> {
    /// The header's name, in lower case.
    pub(crate) header: &'static str,
    /// What stands before the key.
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
        // An address that can't be read may hold a password anywhere, so it is not repeated.
        let base = Url::parse(base_url.trim())
            .map_err(|error| fault("(unreadable address)".to_owned(), error.to_string()))?;
        let server = shown(&base);
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
                    let problem = "the API key holds characters that no header can carry";
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

    /// Returns the server's address without anything secret.
    pub(crate) fn server(&self) -> String {
        shown(&self.base)
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

    /// Sends a request and waits for the head of the answer.
    pub(crate) async fn post(&self, address: Url, body: Vec<u8>) -> Result<Response, Failure> {
        let sent = self
            .client()?
            .post(address)
            .headers(self.headers.clone())
            .body(body)
            .send();
        let limit = self.transport.idle_timeout;
        match tokio::time::timeout(limit, sent).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(Failure::of_transport(&error.without_url())),
            Err(_) => Err(Failure::lasting(HttpProblem::Silent(limit))),
        }
    }

    fn client(&self) -> Result<&Client, Failure> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let built = self
            .build()
            .map_err(|problem| Failure::lasting(HttpProblem::Settings(problem)))?;
        Ok(self.client.get_or_init(|| built))
    }

    fn build(&self) -> Result<Client, String> {
        let transport = &self.transport;
        let mut builder = Client::builder()
            .tls_backend_preconfigured(self.tls()?)
            .connect_timeout(transport.connect_timeout)
            .user_agent(&transport.user_agent)
            // A redirect would carry the key and the conversation elsewhere.
            .redirect(Policy::none())
            .referer(false)
            // The environment is not read here.
            .no_proxy()
            // This name needs no resolver, and so no thread for one.
            .resolve_to_addrs(
                "localhost",
                &[
                    SocketAddr::from((Ipv6Addr::LOCALHOST, 0)),
                    SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
                ],
            );
        let proxies = &transport.proxies;
        let without = proxies.none_for.as_deref().and_then(NoProxy::from_string);
        let kinds: [(&Option<String>, ProxyKind); 3] = [
            (&proxies.http, |address| Proxy::http(address)),
            (&proxies.https, |address| Proxy::https(address)),
            (&proxies.all, |address| Proxy::all(address)),
        ];
        for (address, build) in kinds {
            let Some(address) = address.as_deref().filter(|address| !address.is_empty()) else {
                continue;
            };
            let proxy = build(address).map_err(|error| {
                format!("the proxy's address: {}", root_cause(&error.without_url()))
            })?;
            builder = builder.proxy(proxy.no_proxy(without.clone()));
        }
        builder.build().map_err(|error| root_cause(&error))
    }

    /// Loads trusted certificates only if something is encrypted on the way.
    fn tls(&self) -> Result<ClientConfig, String> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?;
        let mut proxies = self.transport.proxies.addresses();
        let encrypted =
            self.base.scheme() == "https" || proxies.any(|address| address.starts_with("https"));
        let config = if encrypted {
            builder
                .with_platform_verifier()
                .map_err(|error| format!("the system's trusted certificates: {error}"))?
                .with_no_client_auth()
        } else {
            builder
                .with_root_certificates(RootCertStore::empty())
                .with_no_client_auth()
        };
        Ok(config)
    }
}

/// Returns an address without user, password and query.
fn shown(address: &Url) -> String {
    let mut shown = address.clone();
    shown.set_query(None);
    shown.set_fragment(None);
    // These fail for addresses without a host, which have nothing to hide there.
    let _ = shown.set_username("");
    let _ = shown.set_password(None);
    shown.as_str().trim_end_matches('/').to_owned()
}
