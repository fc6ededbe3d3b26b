//! The address of the session bus.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;

use zbus::Address;
use zbus::address::transport::{Transport, Unix, UnixSocket};

/// Returns the sockets that a list of addresses names.
///
/// The library supports neither lists nor escapes. It would also accept addresses of other hosts,
/// to which secrets must not be sent.
pub(super) fn sockets(addresses: &str) -> impl Iterator<Item = Address> {
    addresses.split(';').filter_map(|address| {
        let pairs = address.strip_prefix("unix:")?;
        pairs.split(',').find_map(|pair| {
            let (key, value) = pair.split_once('=')?;
            let socket = match key {
                "path" => UnixSocket::File(unescaped(value).into()),
                #[cfg(target_os = "linux")]
                "abstract" => UnixSocket::Abstract(unescaped(value)),
                _ => return None,
            };
            Some(Transport::Unix(Unix::new(socket)).into())
        })
    })
}

/// Decodes escapes such as `%20`.
fn unescaped(value: &str) -> OsString {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = (*first == b'%')
            .then(|| std::str::from_utf8(after.get(..2)?).ok())
            .flatten()
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        rest = match escaped {
            Some(_) => &after[2..],
            None => after,
        };
        bytes.push(escaped.unwrap_or(*first));
    }
    OsString::from_vec(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// EX-3: escapes in the address of a bus are decoded, and anything else is kept.
    #[test]
    fn escapes_are_understood() {
        assert_eq!(unescaped("/run/a%20b%2c%"), "/run/a b,%");
        assert_eq!(unescaped("%zz%e"), "%zz%e");
    }

    /// EX-3: of a list of addresses, those of this computer are tried, in order.
    #[test]
    fn addresses_of_other_hosts_are_passed_over() {
        let list = "tcp:host=x,port=1;unix:guid=0,path=/a%3bb;unixexec:path=/c;unix:path=/d";
        let found: Vec<_> = sockets(list).collect();
        let file = |path: &str| Transport::Unix(Unix::new(UnixSocket::File(path.into()))).into();
        assert_eq!(found, [file("/a;b"), file("/d")]);
        assert_eq!(sockets("launchd:env=X").count(), 0);
        assert_eq!(sockets("").count(), 0);
    }
}
