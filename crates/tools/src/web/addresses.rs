//! The web addresses in a prompt.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Endings of names that only have a meaning in a local network.
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

/// Returns whether an address leads to this machine or into a private network, judging by its text.
pub(super) fn is_private(address: &str) -> bool {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or(rest);
    let place = authority.rsplit_once('@').map_or(authority, |(_, it)| it);
    // Punctuation at the end of an address was treated as part of the surrounding text.
    let host = match place.strip_prefix('[') {
        // A zone names an interface of this machine.
        Some(inner) => inner.split([']', '%']).next().unwrap_or(inner),
        None => place.split(':').next().unwrap_or(place),
    };
    if host.contains('%') || host.chars().any(stands_for_another) {
        return true;
    }
    let host = host.trim_end_matches('.').to_lowercase();
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => is_private_v4(address),
        Ok(IpAddr::V6(address)) => is_private_v6(address),
        Err(_) => is_local_name(&host),
    }
}

/// Returns whether resolvers interpret a character as an ASCII letter, digit or dot: a name that
/// contains one isn't what it appears to be.
const fn stands_for_another(character: char) -> bool {
    matches!(character,
        '\u{AA}' | '\u{B2}' | '\u{B3}' | '\u{B9}' | '\u{BA}' | '\u{2070}'..='\u{209C}'
        | '\u{2100}'..='\u{214F}' | '\u{2460}'..='\u{24FF}' | '\u{3002}'
        | '\u{FF01}'..='\u{FF61}' | '\u{1D400}'..='\u{1D7FF}' | '\u{1F100}'..='\u{1F1AD}')
        || hookloop_text::is_dangerous(character)
}

/// Returns whether a name isn't public. A name without a dot is known in a local network at most;
/// so is a number, which some programs interpret as an address.
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
        || address.is_multicast()
        || first == 0
        || first >= 240
        || is_shared
        || matches!(address.octets(), [192, 0, 0, _] | [198, 18 | 19, ..])
}

/// Returns whether an IPv6 address is private, or contains an IPv4 address that is.
fn is_private_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let is_site_local = segments[0] & 0xffc0 == 0xfec0;
    address.is_loopback()
        || address.is_unspecified()
        || address.is_unique_local()
        || address.is_unicast_link_local()
        || is_site_local
        || address.is_multicast()
        // Local translation (RFC 8215), and the discard prefix.
        || matches!(segments, [0x64, 0xff9b, 1, ..] | [0x100, 0, 0, 0, ..])
        || carried_v4(segments).is_some_and(is_private_v4)
}

/// Returns the IPv4 address to which an IPv6 address leads: mapped, compatible, translated (NAT64),
/// or through a tunnel (6to4, Teredo, ISATAP).
fn carried_v4(segments: [u16; 8]) -> Option<Ipv4Addr> {
    let v4 = |high: u16, low: u16| {
        let [[first, second], [third, fourth]] = [high.to_be_bytes(), low.to_be_bytes()];
        Ipv4Addr::new(first, second, third, fourth)
    };
    match segments {
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..]
        | [.., 0 | 0x200, 0x5efe, high, low] => Some(v4(high, low)),
        // Teredo inverts all bits.
        [0x2001, 0, _, _, _, _, high, low] => Some(v4(!high, !low)),
        _ => None,
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

    /// TO-6: addresses of this machine and of private networks are recognised, however written.
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
            "http://[::127.0.0.1]/",
            "http://[::ffff:0:127.0.0.1]/",
            "http://[64:ff9b::7f00:1]/",
            "http://[64:ff9b::10.0.0.1]/",
            "http://[64:ff9b:1::8.8.8.8]/",
            "http://[2002:7f00:1::]/",
            "http://[2001:0:4136:e378:8000:63bf:80ff:fffe]/",
            "http://[fe80::5efe:127.0.0.1%25eth0]/",
            "http://[2001:db8::200:5efe:10.0.0.1]/",
            "http://[fec0::1]/",
            "http://[ff02::1]/",
            "http://[::1%25lo]/",
            "http://192.0.0.1/",
            "http://198.18.0.1/",
            "http://224.0.0.1/",
            "http://240.0.0.1/",
            "http://１２７.0.0.1/",
            "http://127。0。0。1/",
            "http://%6cocalhost/",
            "http://ⓛocalhost.example/",
            "http://x.localhost/",
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
            "http://[64:ff9b::8.8.8.8]/",
            "http://[2002:808:808::]/",
            "https://example.com/http://localhost",
            "https://localhost.example.com",
            "https://müller.example",
            "https://例え.jp/",
        ] {
            assert!(!is_private(public), "{public}");
        }
    }
}
