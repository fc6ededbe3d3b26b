//! Files that models view instead of reading them: images and PDF documents (TO-1).

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

/// How many bytes of a file determine what it is.
const HEAD: usize = 16;

/// The maximum size of Base64 data in a conversation, in bytes. Services accept no larger requests,
/// and each request includes all of it again.
pub const MAX_MEDIA_BYTES: usize = 28 * 1024 * 1024;

/// An image or a PDF document, as a part of a message to the model (TO-1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Media {
    /// Its path in the workspace.
    pub name: String,
    /// Its media type, such as `image/png`.
    pub mime_type: &'static str,
    /// Its content in Base64.
    pub data: String,
}

impl Media {
    /// Adopts a file's bytes, if models accept their type.
    pub(crate) fn of(name: &str, bytes: &[u8]) -> Option<Self> {
        Some(Self {
            name: name.to_owned(),
            mime_type: mime_type(bytes)?,
            data: BASE64_STANDARD.encode(bytes),
        })
    }

    /// Accepts Base64 data; returns `None` for a type that models don't accept, or if it is too
    /// large.
    pub fn from_base64(name: &str, base64: &str) -> Option<Self> {
        if base64.len() > MAX_MEDIA_BYTES {
            return None;
        }
        Self::of(name, &BASE64_STANDARD.decode(base64.trim()).ok()?)
    }

    /// Returns its kind: `image` or `pdf`.
    pub const fn kind(&self) -> &'static str {
        if self.mime_type.as_bytes()[0] == b'i' {
            "image"
        } else {
            "pdf"
        }
    }

    /// Describes it in words, for anyone who can't see it.
    pub fn describe(&self) -> String {
        let bytes = self.data.len() / 4 * 3;
        format!("{} ({}, about {bytes} bytes)", self.name, self.mime_type)
    }

    /// Returns it as a part in Gemini's form, which is how hooks read it.
    pub(crate) fn to_part(&self) -> Value {
        json!({"inlineData": {"mimeType": self.mime_type, "data": self.data}})
    }
}

/// Returns what a file is, judging by its first bytes; its name says nothing about that.
fn mime_type(bytes: &[u8]) -> Option<&'static str> {
    let head = &bytes[..bytes.len().min(HEAD)];
    let is_webp = head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WEBP");
    if is_webp {
        return Some("image/webp");
    }
    let kinds: [(&[u8], &str); 4] = [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF8", "image/gif"),
        (b"%PDF-", "application/pdf"),
    ];
    let found = kinds.iter().find(|(magic, _)| head.starts_with(magic));
    found.map(|(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TO-1: a file's bytes determine what it is; types that models don't accept aren't media.
    #[test]
    fn bytes_tell_what_a_file_is() {
        for (bytes, kind) in [
            (&b"\x89PNG\r\n\x1a\nrest"[..], Some("image/png")),
            (b"\xff\xd8\xff\xe0", Some("image/jpeg")),
            (b"GIF89a", Some("image/gif")),
            (b"RIFF\x10\0\0\0WEBPVP8 ", Some("image/webp")),
            (b"RIFF\x10\0\0\0WAVEfmt ", None),
            (b"%PDF-1.7", Some("application/pdf")),
            (b"PK\x03\x04", None),
            (b"GIF", None),
            (b"", None),
        ] {
            let media = Media::of("a", bytes);
            assert_eq!(media.as_ref().map(|it| it.mime_type), kind, "{bytes:?}");
        }
        assert_eq!(Media::from_base64("a.png", "no Base64!"), None);
        assert_eq!(Media::from_base64("a.png", "AAAA"), None);
        let sent = Media::from_base64("a.png", "iVBORw0KGgo=");
        assert_eq!(sent, Media::of("a.png", b"\x89PNG\r\n\x1a\n"));
        let media = Media::of("a.png", b"\x89PNG\r\n\x1a\n").expect("an image");
        assert_eq!(
            (media.kind(), media.data.as_str()),
            ("image", "iVBORw0KGgo=")
        );
    }
}
