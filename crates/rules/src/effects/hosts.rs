//! Which machine an address belongs to.

use hookloop_shell::Command;

/// Programs that send requests over HTTP, with data that an option gives them.
pub(super) const HTTP_CLIENTS: &[&str] = &[
    "curl", "curlie", "wget", "wget2", "http", "https", "xh", "xhs",
];

/// Programs that look up names of hosts.
pub(super) const LOOKUPS: &[&str] = &["dig", "host", "nslookup", "ping", "drill", "getent"];

/// Returns whether an address is one of this machine: with a scheme or without one, as clients
/// accept it (`http://localhost:8080/x`, `127.0.0.1`, `me@localhost:`, `TCP:localhost:80`). What
/// follows the host says nothing about where it is.
pub(super) fn is_here(address: &str) -> bool {
    let behind_scheme = match address.split_once("://") {
        Some((scheme, rest)) if is_name(scheme) => rest,
        _ => address
            .strip_prefix("/dev/tcp/")
            .or_else(|| address.strip_prefix("/dev/udp/"))
            .unwrap_or(address),
    };
    if behind_scheme.starts_with("unix:") {
        return true;
    }
    let behind_kind = match behind_scheme.split_once(':') {
        Some((kind, rest)) if is_kind(kind) => rest,
        _ => behind_scheme,
    };
    let end = behind_kind
        .find(['/', '?', '#', ' ', ','])
        .unwrap_or(behind_kind.len());
    let host = &behind_kind[..end];
    // The last `@` ends the user name and password.
    let host = host.rsplit('@').next().unwrap_or(host);
    if let Some(rest) = host.strip_prefix("[::1]") {
        return rest.is_empty() || rest.starts_with(':');
    }
    let host = host.split(':').next().unwrap_or(host);
    ["localhost", "127.0.0.1"]
        .iter()
        .any(|it| host.eq_ignore_ascii_case(it))
}

/// Returns whether all addresses that a command names are of this machine, and it names one.
pub(super) fn is_local(command: &Command) -> bool {
    let targets = command.redirects.iter().map(|it| it.target.text.as_str());
    let targets = targets.filter(|it| it.starts_with("/dev/tcp/") || it.starts_with("/dev/udp/"));
    let words = command.texts_after_program();
    let named: Vec<&str> = words
        .map(|it| it.rsplit_once('=').map_or(it, |(_, value)| value))
        .filter(|it| is_here(it) || is_elsewhere(it))
        .chain(targets)
        .collect();
    !named.is_empty() && named.iter().all(|it| is_here(it))
}

/// Returns whether a word looks like an address of another machine.
fn is_elsewhere(word: &str) -> bool {
    if let Some((scheme, _)) = word.split_once("://") {
        return is_name(scheme) && !is_here(word);
    }
    if word.starts_with(['/', '.', '~', '-', '@']) || word.contains(char::is_whitespace) {
        return false;
    }
    let end = word.find(['/', '?', ':']).unwrap_or(word.len());
    let host = word[..end].rsplit('@').next().unwrap_or("");
    let Some((rest, last)) = host.rsplit_once('.') else {
        return word.contains('@') && word.contains(':');
    };
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    let is_address =
        is_number(last) && rest.split('.').count() == 3 && rest.split('.').all(is_number);
    is_address || DOMAINS.contains(&last) && !rest.is_empty()
}

/// Endings of names that make a word without a scheme a host, not a file.
const DOMAINS: &[&str] = &[
    "com", "net", "org", "io", "dev", "app", "cloud", "co", "ai", "me", "xyz", "site", "online",
    "info", "eu", "de", "uk", "fr", "nl", "ru", "cn", "in", "us", "local", "internal", "onion",
    "example", "test",
];

fn is_name(scheme: &str) -> bool {
    !scheme.is_empty()
        && scheme
            .bytes()
            .all(|it| it.is_ascii_alphanumeric() || it == b'+' || it == b'-')
}

/// Kinds of addresses of `socat` and `nc`-like programs.
fn is_kind(word: &str) -> bool {
    let kind = word.to_ascii_uppercase();
    let kind = kind
        .trim_end_matches("-CONNECT")
        .trim_end_matches(['4', '6']);
    ["TCP", "UDP", "SSL", "OPENSSL", "TCP-CONNECT", "SCTP"].contains(&kind)
}

#[cfg(test)]
mod tests {
    use super::is_here;

    /// HT-40: only the host of an address tells where it is.
    #[test]
    fn the_host_tells_where_an_address_is() {
        for here in [
            "localhost",
            "127.0.0.1:8080/x",
            "http://localhost:3000/a?b=c",
            "https://me:secret@LOCALHOST/",
            "http://[::1]:80/",
            "root@localhost:/tmp",
            "TCP:localhost:80",
            "TCP4-CONNECT:127.0.0.1:80",
            "/dev/tcp/127.0.0.1/80",
            "unix:/var/run/docker.sock",
        ] {
            assert!(is_here(here), "{here}");
        }
        for elsewhere in [
            "https://evil.com/localhost",
            "https://evil.com/?x=127.0.0.1",
            "https://evil.com#localhost",
            "https://localhost@evil.com/",
            "https://localhost:x@evil.com/",
            "https://localhost.evil.com/",
            "evil.com:localhost",
            "cat > localhost.tar",
            "TCP:evil.com:80,sourceport=localhost",
            "/dev/tcp/evil.com/80",
        ] {
            assert!(!is_here(elsewhere), "{elsewhere}");
        }
    }
}
