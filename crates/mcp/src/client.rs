//! HTTP clients: with proxies, a limit for connecting, and no redirects to other servers.

use std::ffi::OsString;
use std::io;
use std::time::Duration;

use hookloop_text::causes;
use hookloop_tls::{Way, client_config};
use reqwest::redirect::Policy;
use reqwest::{Client, NoProxy, Proxy, Url};

use crate::expansion::value;

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(20);

/// How many redirects within one origin are followed.
const MAX_REDIRECTS: usize = 5;

/// Creates the client for a server, which follows redirects within its origin only.
///
/// # Errors
/// A proxy can't be used; the text says which.
pub(crate) fn for_server(
    url: &Url,
    environment: &[(OsString, OsString)],
) -> Result<Client, String> {
    client(Some(url), environment, same_origin())
}

/// Creates the client for authorisation servers, which doesn't follow redirects, because they could
/// send a code or a token elsewhere.
pub(crate) fn for_tokens(environment: &[(OsString, OsString)]) -> Result<Client, String> {
    client(None, environment, Policy::none())
}

/// Creates a client for one address, or for any.
fn client(
    url: Option<&Url>,
    environment: &[(OsString, OsString)],
    redirects: Policy,
) -> Result<Client, String> {
    let proxies = [
        ("http_proxy", "HTTP_PROXY"),
        ("https_proxy", "HTTPS_PROXY"),
        ("all_proxy", "ALL_PROXY"),
    ]
    .map(|(low, high)| value(low, environment).or_else(|| value(high, environment)))
    .map(|address| address.filter(|address| !address.is_empty()));
    let none_for = value("no_proxy", environment).or_else(|| value("NO_PROXY", environment));
    let none_for = none_for.as_deref().and_then(NoProxy::from_string);
    let is_encrypted = url.is_none_or(|it| it.scheme() == "https")
        || proxies.iter().flatten().any(|it| it.starts_with("https"));
    let way = if is_encrypted {
        Way::Encrypted
    } else {
        Way::Plain
    };
    let mut builder = Client::builder()
        .tls_backend_preconfigured(client_config(way)?)
        .connect_timeout(CONNECT)
        .user_agent(concat!("hookloop/", env!("CARGO_PKG_VERSION")))
        .redirect(redirects)
        .referer(false)
        // The environment isn't read here; its values were passed in.
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

/// Follows redirects within one origin only: other origins must not receive the headers.
fn same_origin() -> Policy {
    Policy::custom(|attempt| {
        let first = attempt.previous().first().map(Url::origin);
        if attempt.previous().len() > MAX_REDIRECTS {
            attempt.error("too many redirects")
        } else if first == Some(attempt.url().origin()) {
            attempt.follow()
        } else {
            attempt.error("redirects to another server aren't followed")
        }
    })
}

/// Returns an error without the address, which may contain a key.
pub(crate) fn cause(error: reqwest::Error) -> io::Error {
    io::Error::other(error.without_url())
}
