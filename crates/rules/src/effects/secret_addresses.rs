//! Secrets that are requested from a server: a code host, or a cloud's metadata service.

use hookloop_shell::Command;

use super::{Effect, note, secret_names};

/// Programs that fetch an address.
const CLIENTS: &[&str] = &[
    "curl", "curlie", "wget", "wget2", "http", "https", "xh", "xhs", "aria2c", "lynx", "links",
    "w3m",
];

/// Addresses where clouds give a machine its credentials.
const METADATA_ADDRESSES: &[&str] = &[
    "169.254.169.254",
    "169.254.170.2",
    "169.254.170.23",
    "metadata.google.internal",
    "metadata.tencentyun.com",
    "100.100.100.200",
    "192.0.0.192",
    "fd00:ec2::254",
    "instance-data",
];

/// Finds the secrets that a command fetches: `gh api repos/a/b/contents/.env`.
pub(super) fn note_fetched(command: &Command, effects: &mut Vec<Effect>) {
    if CLIENTS.contains(&command.program.as_str()) {
        by_address(command, effects);
    }
    let asks = ["gh", "glab"].contains(&command.program.as_str())
        && command
            .words_after_program()
            .first()
            .is_some_and(|it| it.text == "api");
    for word in command.words_after_program().iter().filter(|_| asks) {
        let path = word.text.split(['?', '#']).next().unwrap_or("");
        let path = path.replace("%2E", ".").replace("%2F", "/");
        let names = |it: &str| secret_names::secret_kind(it, false).is_some();
        if path.contains('/') && path.split('/').any(names) {
            note(effects, "env.read", command, &word.text);
        }
    }
}

/// Finds requests by a client for what nobody should read.
fn by_address(command: &Command, effects: &mut Vec<Effect>) {
    for word in command.words_after_program() {
        let text = word.text.split(['?', '#']).next().unwrap_or("");
        let behind = text.split_once("://").map_or(text, |(_, it)| it);
        let host = behind.split('/').next().unwrap_or("");
        if is_of_machine(host) {
            note(effects, "secret.read", command, &word.text);
        }
    }
}

/// Returns whether a host is a cloud's metadata service, which gives a machine its credentials,
/// however its address is written.
fn is_of_machine(host: &str) -> bool {
    let host = host.rsplit('@').next().unwrap_or(host);
    if let Some(inner) = host.strip_prefix('[') {
        return inner
            .split(']')
            .next()
            .is_some_and(|it| METADATA_ADDRESSES.contains(&it) || it.ends_with("169.254.169.254"));
    }
    let name = host.split(':').next().unwrap_or("");
    let number = match name.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => name.parse(),
    };
    let written = number.map(|it| std::net::Ipv4Addr::from(it).to_string());
    METADATA_ADDRESSES.contains(&written.as_deref().unwrap_or(name).to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::is_of_machine;

    /// HT-40: the service that gives a machine its credentials is recognised however its address is
    /// written.
    #[test]
    fn services_of_machines_are_known() {
        for host in [
            "169.254.169.254",
            "169.254.169.254:80",
            "2852039166",
            "0xA9FEA9FE",
            "[fd00:ec2::254]",
            "[::ffff:169.254.169.254]",
            "Metadata.google.internal",
        ] {
            assert!(is_of_machine(host), "{host}");
        }
        for host in ["example.com", "169.254.1.1", "80", "[::1]:8080", ""] {
            assert!(!is_of_machine(host), "{host}");
        }
    }
}
