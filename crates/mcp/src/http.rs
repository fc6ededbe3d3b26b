//! The connection to a server over HTTP.

use std::collections::HashMap;
use std::ffi::OsString;
use std::sync::Arc;

use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use reqwest::{Client, Url};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use crate::client;
use crate::configuration::Address;
use crate::grant::Grant;
use crate::http_client::{BoundedClient, Speaks};
use crate::reading::MAX_MESSAGE_BYTES;

/// The headers that the protocol itself sends.
const PROTOCOLS_OWN: [&str; 6] = [
    "accept",
    "content-length",
    "content-type",
    "last-event-id",
    "mcp-protocol-version",
    "mcp-session-id",
];

/// A prepared HTTP connection, on which nothing has been sent yet.
pub(crate) struct Prepared {
    pub(crate) url: Url,
    pub(crate) client: Client,
    /// The headers from the settings.
    pub(crate) headers: HashMap<HeaderName, HeaderValue>,
    /// The authorisation that a person granted.
    pub(crate) grant: Option<Arc<Grant>>,
}

impl Prepared {
    /// Returns whether the settings contain credentials of their own.
    pub(crate) fn has_own_key(&self) -> bool {
        self.headers.contains_key(&AUTHORIZATION)
    }
}

/// Prepares the connection to a server.
///
/// # Errors
/// The address, a header or a proxy can't be used; the text says which, without secrets.
pub(crate) fn prepare(
    address: &Address,
    environment: &[(OsString, OsString)],
) -> Result<Prepared, String> {
    let url = Url::parse(&address.url).map_err(|error| format!("its address: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!(
            "its address begins with {}:, not with http: or https:",
            url.scheme()
        ));
    }
    Ok(Prepared {
        client: client::for_server(&url, environment)?,
        headers: headers(&address.headers)?,
        url,
        grant: None,
    })
}

/// Creates the transport for streamable HTTP. `speaks` records what responses reveal about the
/// server.
pub(crate) fn transport(
    way: &Prepared,
    speaks: &Arc<Speaks>,
) -> StreamableHttpClientTransport<BoundedClient> {
    let mut config = StreamableHttpClientTransportConfig::with_uri(way.url.as_str())
        .custom_headers(way.headers.clone());
    config.max_sse_event_size = MAX_MESSAGE_BYTES;
    let client = BoundedClient::new(way.client.clone(), way.grant.clone(), Arc::clone(speaks));
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
