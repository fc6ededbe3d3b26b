//! The web addresses in a prompt.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Endings of names that mean something in a local network alone.
const LOCAL_ENDINGS: [&str; 5] = [".localhost", ".local", ".internal", ".lan", ".home.arpa"];

/// Returns the addresses in a prompt, each once, without the signs that text puts around them.
pub(super) fn addresses(prompt: &str) -> Vec<String> {
    let mut addresses: Vec<String> = Vec::new();
    for word in prompt.split(|letter: char| letter.is_whitespace() || "<>\"`".contains(letter)) {
        let begin = ["https://", "http://"]
            .iter()
            .filter_map(|it| word.find(it))
            .min();
        let Some(begin) = begin else { continue };
        let address = word[begin..].trim_end_matches(['.', ',', ';', '!', '?', ')', ']', '\'']);
        let host = address.split_once("://").map_or("", |(_, host)| host);
        if !host.is_empty() && !addresses.iter().any(|known| known == address) {
            addresses.push(address.to_owned());
        }
    }
    addresses
}

/// Tells whether an address leads to this machine or into a private network, as far as it says
/// so itself.
pub(super) fn is_private(address: &str) -> bool {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or(rest);
    let place = authority.rsplit_once('@').map_or(authority, |(_, it)| it);
    // Signs at the end of an address were taken for those of the text around it.
    let host = match place.strip_prefix('[') {
        Some(inner) => inner.split(']').next().unwrap_or(inner),
        None => place.split(':').next().unwrap_or(place),
    };
    let host = host.trim_end_matches('.').to_lowercase();
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => is_private_v4(address),
        Ok(IpAddr::V6(address)) => is_private_v6(address),
        Err(_) => is_local_name(&host),
    }
}

/// Tells whether a name is no public one. A name without a dot is known to a local network at
/// most; so is a number, which some programs take for an address.
fn is_local_name(host: &str) -> bool {
    let last = host.rsplit('.').next().unwrap_or(host);
    !host.contains('.')
        || last.chars().all(|letter| letter.is_ascii_digit())
        || last.starts_with("0x")
        || LOCAL_ENDINGS.iter().any(|ending| host.ends_with(ending))
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    let is_shared = first == 100 && (64..128).contains(&second);
    address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_broadcast()
        || first == 0
        || is_shared
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    match address.to_ipv4_mapped() {
        Some(address) => is_private_v4(address),
        None => {
            address.is_loopback()
                || address.is_unspecified()
                || address.is_unique_local()
                || address.is_unicast_link_local()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TO-6: the user sees every address that a prompt would reach, each once.
    #[test]
    fn all_addresses_are_found() {
        let prompt = "Compare (https://a.example/x?y=1), <http://b.example/> and https://a.example/x?y=1. \
                      Not ftp://c or https://";
        assert_eq!(
            addresses(prompt),
            ["https://a.example/x?y=1", "http://b.example/"]
        );
    }

    /// TO-6: addresses of this machine and of private networks are known, however written.
    #[test]
    fn private_addresses_are_known() {
        for private in [
            "http://localhost:8080/x",
            "http://LOCALHOST.",
            "https://user:word@127.0.0.1/",
            "http://127.1",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://10.1.2.3?a=b",
            "http://192.168.0.1#x",
            "http://172.31.255.1",
            "http://169.254.169.254/latest/meta-data",
            "http://100.64.0.1",
            "http://0.0.0.0",
            "http://[::1",
            "http://[::1]:80/",
            "http://[fd00::1]/",
            "http://[fe80::1]/",
            "http://[::ffff:10.0.0.1]/",
            "http://printer",
            "http://nas.local/",
            "http://metadata.google.internal/",
        ] {
            assert!(is_private(private), "{private}");
        }
        for public in [
            "https://a.example/x",
            "http://8.8.8.8/",
            "http://172.32.0.1",
            "http://100.128.0.1",
            "http://[2001:4860:4860::8888]/",
            "https://example.com/http://localhost",
            "https://localhost.example.com",
        ] {
            assert!(!is_private(public), "{public}");
        }
    }
}
