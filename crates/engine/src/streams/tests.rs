use proptest::prelude::*;
use serde_json::Value;

use super::{Text, into_text, object_in, parse};
use crate::port::Captured;

/// IO-16: a stream is decoded as a whole, without a byte order mark.
#[test]
fn a_stream_is_decoded_as_a_whole() {
    let decode = |bytes: &[u8], total| {
        let mut captured = Captured {
            bytes: Vec::with_capacity(4096),
            total,
        };
        captured.bytes.extend(bytes);
        let text = Text::decode(&captured);
        let decoded = (text.text.into_owned(), text.had_invalid_bytes);
        let text = into_text(captured);
        assert_eq!((text.capacity(), &text), (text.len(), &decoded.0));
        decoded
    };
    assert_eq!(decode("né".as_bytes(), 3), ("né".to_owned(), false));
    assert_eq!(decode(b"\xEF\xBB\xBFa", 4), ("a".to_owned(), false));
    assert_eq!(decode(b"n\xC3", 2), ("n\u{fffd}".to_owned(), true));
    assert_eq!(decode(b"n\xC3", 3), ("n".to_owned(), false));
    assert!(decode(b"\xFFn\xC3", 9).1);
}

/// IO-16: UTF-16 is recognised by its byte order mark, or by the zeros beside its first characters.
#[test]
fn utf_16_is_decoded() {
    let reply = "{\"decision\":\"deny\",\"reason\":\"né\"}";
    let little: Vec<u8> = reply.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = reply.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let marked = |mark: &[u8], bytes: &[u8]| [mark, bytes].concat();
    for bytes in [
        marked(b"\xFF\xFE", &little),
        marked(b"\xFE\xFF", &big),
        little,
        big,
    ] {
        let total = bytes.len() as u64;
        let captured = Captured { bytes, total };
        let text = Text::decode(&captured);
        assert_eq!((&*text.text, text.had_invalid_bytes), (reply, false));
    }
    let lone = Captured {
        bytes: b"\xFF\xFE\x00\xD8".to_vec(),
        total: 4,
    };
    assert!(Text::decode(&lone).had_invalid_bytes);
}

/// IO-16: behind the byte order mark of UTF-16 may be a reply that isn't UTF-16, alone or after
/// text that is.
#[test]
fn a_wrong_mark_hides_no_reply() {
    let reply = b"{ \"decision\": \"deny\" }".as_slice();
    let log: Vec<u8> = "é: ok\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let decode = |parts: [&[u8]; 3]| {
        let bytes = parts.concat();
        let total = bytes.len() as u64;
        Text::decode(&Captured { bytes, total }).text.into_owned()
    };
    let reply_text = String::from_utf8_lossy(reply);
    for mark in [b"\xFF\xFE", b"\xFE\xFF"] {
        assert_eq!(decode([mark, reply, b""]), reply_text);
        assert!(decode([mark, &log, reply]).ends_with(&*reply_text));
    }
    // Without a reply, the mark is believed: these bytes are one character of UTF-16.
    assert_eq!(decode([b"\xFF\xFE", b"\x2D\x4E", b""]), "\u{4e2d}");
}

/// IO-12: an object, or a text that contains one.
#[test]
fn an_object_may_appear_in_a_text() {
    assert_eq!(object_in(" {\"a\":1}").unwrap()["a"], 1);
    assert_eq!(object_in(r#""{\"a\":1}""#).unwrap()["a"], 1);
    assert!(object_in("[1]").is_none());
    assert!(object_in(r#""[1]""#).is_none());
}

/// IO-10: half a surrogate pair becomes U+FFFD; whole ones and escaped backslashes stay.
#[test]
fn half_a_surrogate_pair_is_mended() {
    for (text, expected) in [
        (r#""a\ud83d""#, "a\u{fffd}"),
        (
            r#""\ude00\ud83d\ude00\ud83dx""#,
            "\u{fffd}\u{1f600}\u{fffd}x",
        ),
        (r#""\\ud83d \ud83d""#, "\\ud83d \u{fffd}"),
        (r#""\ud83d\n\u0041""#, "\u{fffd}\nA"),
    ] {
        assert_eq!(parse(text).unwrap(), expected, "{text}");
    }
    assert!(parse(r#""\ud83"#).is_err());
    assert!(parse("\"\\").is_err());
}

proptest! {
    /// IO-10: what is JSON already is read as it is, and nothing makes reading panic.
    #[test]
    fn mending_changes_no_valid_text(text in ".{0,30}", raw in r#"["\\ud8cefa0{}:é]{0,40}"#) {
        let quoted = Value::from(text.clone()).to_string();
        prop_assert_eq!(parse(&quoted).unwrap(), text);
        let _ = parse(&raw);
        let _ = object_in(&raw);
    }
}
