//! The address of the session's bus.

use std::io;
use std::os::unix::net::UnixStream;

/// Connects to the first address of a list that can be reached.
pub(super) fn connect(addresses: &str) -> io::Result<UnixStream> {
    let mut last = io::Error::new(io::ErrorKind::Unsupported, "it has no address of this kind");
    for address in addresses.split(';') {
        match connect_to(address) {
            Some(Ok(stream)) => return Ok(stream),
            Some(Err(error)) => last = error,
            None => {}
        }
    }
    Err(last)
}

/// Connects to one address; nothing if it is of a kind that is not known.
fn connect_to(address: &str) -> Option<io::Result<UnixStream>> {
    let pairs = address.strip_prefix("unix:")?;
    pairs.split(',').find_map(|pair| {
        let (key, value) = pair.split_once('=')?;
        match key {
            "path" => Some(UnixStream::connect(unescaped(value))),
            #[cfg(target_os = "linux")]
            "abstract" => Some(connect_abstract(&unescaped(value))),
            _ => None,
        }
    })
}

#[cfg(target_os = "linux")]
fn connect_abstract(name: &str) -> io::Result<UnixStream> {
    use std::os::linux::net::SocketAddrExt as _;
    use std::os::unix::net::SocketAddr;

    UnixStream::connect_addr(&SocketAddr::from_abstract_name(name)?)
}

/// Replaces `%20` and the like.
fn unescaped(value: &str) -> String {
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
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// EX-3: escapes in the address of a bus are understood, and what is none stays.
    #[test]
    fn escapes_are_understood() {
        assert_eq!(unescaped("/run/a%20b%2c%"), "/run/a b,%");
        assert_eq!(unescaped("%zz%e"), "%zz%e");
        assert!(connect_to("tcp:host=x").is_none());
        assert!(connect("unix:path=/nowhere/bus;tcp:host=x").is_err());
    }
}
