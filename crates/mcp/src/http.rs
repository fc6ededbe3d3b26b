//! The way to a server over HTTP.

use std::collections::HashMap;
use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use hookloop_text::causes;
use hookloop_tls::{Way, client_config};
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, NoProxy, Proxy, Url};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use crate::configuration::Address;
use crate::expansion::value;
use crate::http_client::{BoundedClient, Speaks};
use crate::reading::LARGEST_MESSAGE;

/// How long the connection itself may take.
const CONNECT: Duration = Duration::from_secs(20);

/// How many redirects inside of one origin are followed.
const MOST_REDIRECTS: usize = 5;

/// The headers that the protocol itself sends.
const PROTOCOLS_OWN: [&str; 6] = [
    "accept",
    "content-length",
    "content-type",
    "last-event-id",
    "mcp-protocol-version",
    "mcp-session-id",
];

/// A way to a server on which nothing is sent yet.
pub(crate) struct Prepared {
    pub(crate) url: Url,
    pub(crate) client: Client,
    /// What the settings want to be sent along.
    pub(crate) headers: HashMap<HeaderName, HeaderValue>,
}

/// Prepares the way to a server.
///
/// # Errors
/// Says what of address, headers or proxies can't be used, without their secrets.
pub(crate) fn prepare(
    address: &Address,
    environment: &[(OsString, OsString)],
) -> Result<Prepared, String> {
    let url = Url::parse(&address.url).map_err(|error| format!("its address: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!(
            "its address begins with {}:, not http or https",
            url.scheme()
        ));
    }
    Ok(Prepared {
        client: client(&url, environment)?,
        headers: headers(&address.headers)?,
        url,
    })
}

/// Makes the transport to a server over streamable HTTP. `speaks` notes what the server's answers
/// say of it.
pub(crate) fn transport(
    way: &Prepared,
    speaks: &Arc<Speaks>,
) -> StreamableHttpClientTransport<BoundedClient> {
    let mut config = StreamableHttpClientTransportConfig::with_uri(way.url.as_str())
        .custom_headers(way.headers.clone());
    config.max_sse_event_size = LARGEST_MESSAGE;
    let client = BoundedClient::new(way.client.clone(), Arc::clone(speaks));
    StreamableHttpClientTransport::with_client(client, config)
}

fn headers(pairs: &[(String, String)]) -> Result<HashMap<HeaderName, HeaderValue>, String> {
    let mut headers = HashMap::new();
    for (name, text) in pairs {
        let wrong = || format!("its header {name:?} can't be sent");
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
        if PROTOCOLS_OWN.contains(&header.as_str()) {
            return Err(format!("its header {name:?} belongs to the protocol"));
        }
        let mut value = HeaderValue::from_str(text).map_err(|_| wrong())?;
        value.set_sensitive(true);
        headers.insert(header, value);
    }
    Ok(headers)
}

fn client(url: &Url, environment: &[(OsString, OsString)]) -> Result<Client, String> {
    let proxies = [
        ("http_proxy", "HTTP_PROXY"),
        ("https_proxy", "HTTPS_PROXY"),
        ("all_proxy", "ALL_PROXY"),
    ]
    .map(|(low, high)| value(low, environment).or_else(|| value(high, environment)))
    .map(|address| address.filter(|address| !address.is_empty()));
    let none_for = value("no_proxy", environment).or_else(|| value("NO_PROXY", environment));
    let none_for = none_for.as_deref().and_then(NoProxy::from_string);
    let is_encrypted =
        url.scheme() == "https" || proxies.iter().flatten().any(|it| it.starts_with("https"));
    let way = if is_encrypted {
        Way::Encrypted
    } else {
        Way::Plain
    };
    let mut builder = Client::builder()
        .tls_backend_preconfigured(client_config(way)?)
        .connect_timeout(CONNECT)
        .user_agent(concat!("hookloop/", env!("CARGO_PKG_VERSION")))
        .redirect(same_origin())
        .referer(false)
        // The environment is not read here; its values were passed in.
        .no_proxy();
    let kinds: [fn(String) -> reqwest::Result<Proxy>; 3] = [
        |it| Proxy::http(it),
        |it| Proxy::https(it),
        |it| Proxy::all(it),
    ];
    for (address, build) in proxies.into_iter().zip(kinds) {
        let Some(address) = address else { continue };
        let proxy = build(address)
            .map_err(|error| format!("the proxy's address: {}", causes(&error.without_url())))?;
        builder = builder.proxy(proxy.no_proxy(none_for.clone()));
    }
    builder.build().map_err(|error| causes(&error))
}

/// Follows redirects of one origin only: another one must not get the headers.
fn same_origin() -> Policy {
    Policy::custom(|attempt| {
        let first = attempt.previous().first().map(Url::origin);
        if attempt.previous().len() > MOST_REDIRECTS {
            attempt.error("too many redirects")
        } else if first == Some(attempt.url().origin()) {
            attempt.follow()
        } else {
            attempt.error("a redirect to another server is not followed")
        }
    })
}
