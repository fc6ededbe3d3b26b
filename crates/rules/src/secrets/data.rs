//! What `guards/secrets.toml` contains, as the build wrote it.

include!(concat!(env!("OUT_DIR"), "/secrets.rs"));

/// Keys of one kind, as `guards/secrets.toml` describes them.
pub(super) struct KeyText {
    pub(super) kind: &'static str,
    /// The first line alone is enough: there is nothing random about it.
    pub(super) sure: bool,
    /// Its beginning is also a word for other things: letters and digits have to alternate within
    /// it.
    pub(super) dense: bool,
    pub(super) is: &'static [&'static str],
}

/// Returns whether a value is one that vendors publish as an example.
pub(super) fn is_published(value: &str) -> bool {
    PUBLISHED.iter().any(|it| value.contains(it))
}

/// Returns whether a value begins as keys do that are meant to be public.
pub(super) fn is_publishable(value: &str) -> bool {
    PUBLISHABLE.iter().any(|it| value.starts_with(it))
}
