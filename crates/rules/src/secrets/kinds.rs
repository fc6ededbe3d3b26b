//! What keys and tokens are called.

/// What a key is called whose letters are in their order: nobody knows whether it is one.
pub(super) const IN_ORDER: &str = "key of letters in order";

/// What keys are called that look like those of a service.
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
