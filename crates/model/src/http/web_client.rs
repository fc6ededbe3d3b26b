//! The HTTP client that this program uses for every server: with the system's trusted certificates
//! and the given proxies. It reads nothing from the environment.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use hookloop_tls::{Way, client_config};
use reqwest::redirect::Policy;
use reqwest::{Client, NoProxy, Proxy, Url};

use crate::http::failure::root_cause;
use crate::http::transport::Transport;

/// Builds a proxy for a kind of addresses.
type ProxyKind = fn(&str) -> reqwest::Result<Proxy>;

/// Creates the client for requests to a server. The error gives the reason if that is impossible.
pub fn web_client(base: &Url, transport: &Transport) -> Result<Client, String> {
    let mut proxies = transport.proxies.addresses();
    let is_encrypted = base.scheme() == "https" || proxies.any(|it| it.starts_with("https"));
    let way = if is_encrypted {
        Way::Encrypted
    } else {
        Way::Plain
    };
    let mut builder = Client::builder()
        .tls_backend_preconfigured(client_config(way)?)
        .connect_timeout(transport.connect_timeout)
        .user_agent(&transport.user_agent)
        // A redirect would send the key and the conversation elsewhere.
        .redirect(Policy::none())
        .referer(false)
        // Proxy variables of the environment are ignored.
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

/// Returns an address for display, without user, password and query.
pub fn address_without_secrets(address: &Url) -> String {
    let mut shown = address.clone();
    shown.set_query(None);
    shown.set_fragment(None);
    // Fails for addresses without a host, which have nothing to hide there.
    let _ = shown.set_username("");
    let _ = shown.set_password(None);
    shown.as_str().trim_end_matches('/').to_owned()
}
