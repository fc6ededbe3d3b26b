//! Standard input: read to its end, so that no agent sees a broken pipe (BR-31).

use std::io::Read;

use hookloop_settings::bounded::{Unread, read_input};
use serde_json::{Map, Value};

/// The maximum size of a payload, in bytes: what tools wrote and printed is part of it.
const MAX_BYTES: u64 = 64 << 20;

/// Reads the payload, as long as that takes: an agent may leave standard input open. An error says
/// what is wrong, as a sentence without its end.
pub(crate) fn payload() -> Result<Map<String, Value>, String> {
    match read_bounded(&mut std::io::stdin().lock(), MAX_BYTES) {
        Ok(Some(bytes)) => parse(&bytes),
        Ok(None) => Err(format!(
            "the payload is larger than {} MiB, so no hook was asked",
            MAX_BYTES >> 20
        )),
        Err(error) => Err(format!("standard input can't be read: {error}")),
    }
}

/// Reads to the end, and returns no more than that many bytes; `None` if there are more.
fn read_bounded(input: &mut impl Read, most: u64) -> std::io::Result<Option<Vec<u8>>> {
    match read_input(input.by_ref(), most) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(Unread::TooLarge(_)) => {
            std::io::copy(input, &mut std::io::sink())?;
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

fn parse(bytes: &[u8]) -> Result<Map<String, Value>, String> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(payload)) => Ok(payload),
        Ok(_) => Err("the payload isn't a JSON object".to_owned()),
        Err(error) => Err(format!("the payload isn't JSON: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BR-31: a payload is read to its end, however large it is, and one that is too large isn't
    /// kept.
    #[test]
    fn a_payload_is_read_to_its_end() {
        for (length, is_kept) in [
            (0, true),
            (7, true),
            (8, true),
            (9, false),
            (100_000, false),
        ] {
            let bytes = vec![b'x'; length];
            let mut input = bytes.as_slice();
            let kept = read_bounded(&mut input, 8).unwrap();
            assert_eq!(kept, is_kept.then(|| bytes.clone()), "{length}");
            assert!(input.is_empty(), "{length}");
        }
    }
}
