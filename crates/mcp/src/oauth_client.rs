//! Requests to authorisation servers: encrypted, bounded, without redirects (TO-3).

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use reqwest::{Client, Request, Url};
use rmcp::transport::auth::{OAuthHttpClient, OAuthHttpClientFuture, OAuthHttpRequest};

/// How large an answer may be, in bytes.
const MAX_ANSWER_BYTES: usize = 1024 * 1024;

/// How long an answer may take.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// The client for these requests.
pub(crate) struct OauthClient {
    client: Client,
    /// Whether the server itself is on this machine, so that its authorisation server may be, too.
    is_local: bool,
}

impl OauthClient {
    /// Creates the client for a server at this address. `client` must not follow redirects.
    pub(crate) fn new(client: Client, address: &Url) -> Self {
        Self {
            client,
            is_local: is_loopback(address),
        }
    }
}

/// Returns whether an address may be used: secrets aren't sent unencrypted over the network.
pub(crate) fn is_allowed(address: &Url, is_local: bool) -> bool {
    match address.scheme() {
        "https" => is_local || !is_loopback(address),
        "http" => is_local && is_loopback(address),
        _ => false,
    }
}

/// Returns whether an address is on this machine.
pub(crate) fn is_loopback(address: &Url) -> bool {
    match address.host_str() {
        Some("localhost") => true,
        Some(host) => host
            .trim_matches(['[', ']'])
            .parse()
            .is_ok_and(|it: IpAddr| it.is_loopback()),
        None => false,
    }
}

impl OAuthHttpClient for OauthClient {
    fn execute(&self, asked: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let mut request = Request::try_from(asked.request)?;
            if !is_allowed(request.url(), self.is_local) {
                let host = request.url().host_str().unwrap_or_default();
                let why = format!("nothing is sent to {host}: its address doesn't use https");
                return Err(io::Error::other(why).into());
            }
            *request.timeout_mut() = Some(ANSWER_TIMEOUT);
            let sent = self.client.execute(request).await;
            let mut response = sent.map_err(reqwest::Error::without_url)?;
            let mut body = Vec::new();
            while let Some(piece) = response
                .chunk()
                .await
                .map_err(reqwest::Error::without_url)?
            {
                body.extend_from_slice(&piece);
                if body.len() > MAX_ANSWER_BYTES {
                    let why = format!("an answer has more than {MAX_ANSWER_BYTES} bytes");
                    return Err(io::Error::other(why).into());
                }
            }
            let head = http::Response::<reqwest::Body>::from(response);
            Ok(head.map(|_| body))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TO-3: no token or code is sent unencrypted over the network, and none to this machine for a
    /// server that is elsewhere.
    #[test]
    fn secrets_go_encrypted_or_stay_here() {
        for (address, is_local, is_fine) in [
            ("https://auth.example/token", false, true),
            ("http://auth.example/token", false, false),
            ("http://auth.example/token", true, false),
            ("http://127.0.0.1:1/token", true, true),
            ("http://[::1]:1/token", true, true),
            ("http://127.0.0.1:1/token", false, false),
            ("https://localhost/token", false, false),
            ("file:///etc/passwd", true, false),
        ] {
            let url = Url::parse(address).expect("an address");
            assert_eq!(is_allowed(&url, is_local), is_fine, "{address} {is_local}");
        }
    }
}
