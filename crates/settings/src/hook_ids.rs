//! Creates hook ids that stay the same if other parts of the file are edited.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use hookloop_hook::{EventName, ExtensionScope, HookId, Layer};
use sha2::{Digest, Sha256};

/// What the identity of a hook is made of.
pub(crate) struct Identity<'a> {
    pub(crate) layer: Option<Layer>,
    pub(crate) extension: Option<(&'a str, ExtensionScope)>,
    pub(crate) event: EventName,
    pub(crate) matcher: Option<&'a str>,
    pub(crate) name: Option<&'a str>,
    pub(crate) command: &'a str,
    pub(crate) env: &'a BTreeMap<String, String>,
}

/// Assigns identities; exact duplicates get a number.
#[derive(Debug, Default)]
pub(crate) struct HookIds {
    given: HashMap<[u8; DIGEST_BYTES], u32>,
}

const DIGEST_BYTES: usize = 6;

impl HookIds {
    pub(crate) fn identify(&mut self, identity: &Identity<'_>) -> HookId {
        let digest = digest(identity);
        let number = self.given.entry(digest).or_insert(0);
        *number += 1;
        let mut text = String::with_capacity(2 * DIGEST_BYTES);
        for byte in digest {
            // Writing to a string can't fail.
            let _ = write!(text, "{byte:02x}");
        }
        if *number > 1 {
            let _ = write!(text, "-{number}");
        }
        HookId::from_text(&text)
    }
}

fn digest(identity: &Identity<'_>) -> [u8; DIGEST_BYTES] {
    let mut hasher = Sha256::new();
    let mut part = |text: Option<&str>| {
        // The length before each text keeps neighbouring texts apart.
        let length = text.map_or(u64::MAX, |text| text.len() as u64);
        hasher.update(length.to_le_bytes());
        hasher.update(text.unwrap_or_default());
    };
    part(identity.layer.map(Layer::as_str));
    part(identity.extension.map(|(name, _)| name));
    part(identity.extension.map(|(_, scope)| scope.as_str()));
    part(Some(identity.event.as_str()));
    part(identity.matcher);
    part(identity.name);
    part(Some(identity.command));
    for (key, value) in identity.env {
        part(Some(key));
        part(Some(value));
    }
    let mut short = [0; DIGEST_BYTES];
    short.copy_from_slice(&hasher.finalize()[..DIGEST_BYTES]);
    short
}
