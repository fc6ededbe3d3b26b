//! What keys and tokens are called.

/// What a key whose letters are in alphabetical order is called: it isn't known whether it is one.
pub(super) const IN_ORDER: &str = "key of letters in order";

/// What keys that look like those of a service are called.
pub(crate) const KINDS: [&str; 8] = [
    "cloud key",
    "key of a model service",
    "key of a service",
    IN_ORDER,
    "password in an address",
    "private key",
    "signed token",
    "token of a code host",
];
