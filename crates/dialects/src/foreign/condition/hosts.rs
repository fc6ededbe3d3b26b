//! Rules for hosts.

use hookloop_shell::matches;

use crate::foreign::call::addresses_in;

/// Returns whether a prompt names an address of a domain or of a subdomain. What can't be read
/// matches.
pub(super) fn matches_domain(domain: &str, prompt: &str) -> bool {
    let domain = domain.trim();
    let domain = domain.strip_prefix("*.").unwrap_or(domain);
    let Some(wanted) = plain(&domain.replace('*', "")).map(|_| normal(domain)) else {
        return true;
    };
    let Some(addresses) = addresses_in(prompt) else {
        return true;
    };
    let below = format!("*.{wanted}");
    addresses.lines().any(|address| {
        let host = host_of(address);
        host.is_none_or(|host| matches(&wanted, &host) || matches(&below, &host))
    })
}

/// Returns the host of an address in the form in which names are compared; nothing if it may not be
/// what it seems to be.
fn host_of(address: &str) -> Option<String> {
    let (_, rest) = address.split_once("://")?;
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let place = authority.rsplit_once('@').map_or(authority, |(_, it)| it);
    let host = place.rsplit_once(':').map_or(place, |(host, _)| host);
    plain(host)
}

/// Returns a name that is a name and nothing else: a number may be the address of another name, and
/// other letters may stand for plain ones.
fn plain(host: &str) -> Option<String> {
    let host = normal(host);
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "-_.".contains(sign);
    let last = host.rsplit('.').next()?;
    let is_name = last.starts_with(|sign: char| sign.is_ascii_alphabetic());
    (is_name && host.chars().all(is_plain)).then_some(host)
}

fn normal(host: &str) -> String {
    host.trim_end_matches('.').to_ascii_lowercase()
}
