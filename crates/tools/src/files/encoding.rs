//! The encoding of a text file: UTF-8, with or without a byte order mark, or UTF-16 or UTF-32 with
//! a byte order mark (TO-1).

/// An encoding, recognised by the beginning of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// UTF-8 without a byte order mark, the encoding of new files.
    #[default]
    Utf8,
    /// UTF-8 with a byte order mark.
    MarkedUtf8,
    /// UTF-16, little-endian.
    Utf16Little,
    /// UTF-16, big-endian.
    Utf16Big,
    /// UTF-32, little-endian.
    Utf32Little,
    /// UTF-32, big-endian.
    Utf32Big,
}

/// Why bytes aren't text in an encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Undecodable {
    /// The bytes aren't text.
    Binary,
    /// The bytes at this offset aren't a valid character.
    Invalid {
        /// How many bytes precede it.
        offset: usize,
    },
}

/// The encodings with a byte order mark; a longer mark precedes the one that is its beginning.
const MARKED: [Encoding; 5] = [
    Encoding::Utf32Little,
    Encoding::Utf32Big,
    Encoding::MarkedUtf8,
    Encoding::Utf16Little,
    Encoding::Utf16Big,
];

impl Encoding {
    /// Determines the encoding of a file's bytes.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let found = MARKED.into_iter().find(|it| bytes.starts_with(it.mark()));
        found.unwrap_or_default()
    }

    /// Returns its name for people.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Utf8 | Self::MarkedUtf8 => "UTF-8",
            Self::Utf16Little | Self::Utf16Big => "UTF-16",
            Self::Utf32Little | Self::Utf32Big => "UTF-32",
        }
    }

    const fn mark(self) -> &'static [u8] {
        match self {
            Self::Utf8 => b"",
            Self::MarkedUtf8 => b"\xEF\xBB\xBF",
            Self::Utf16Little => b"\xFF\xFE",
            Self::Utf16Big => b"\xFE\xFF",
            Self::Utf32Little => b"\xFF\xFE\0\0",
            Self::Utf32Big => b"\0\0\xFE\xFF",
        }
    }

    /// Returns the text of a file's bytes, without its mark.
    pub(crate) fn decode(self, mut bytes: Vec<u8>) -> Result<String, Undecodable> {
        let mark = self.mark().len();
        let body = &bytes[mark..];
        let text = match self {
            Self::Utf8 | Self::MarkedUtf8 => {
                if bytes.contains(&0) {
                    return Err(Undecodable::Binary);
                }
                bytes.drain(..mark);
                return String::from_utf8(bytes).map_err(|error| Undecodable::Invalid {
                    offset: mark + error.utf8_error().valid_up_to(),
                });
            }
            Self::Utf16Little => decode_16(body, u16::from_le_bytes),
            Self::Utf16Big => decode_16(body, u16::from_be_bytes),
            Self::Utf32Little => decode_32(body, u32::from_le_bytes),
            Self::Utf32Big => decode_32(body, u32::from_be_bytes),
        };
        match text {
            Ok(text) if text.contains('\0') => Err(Undecodable::Binary),
            Ok(text) => Ok(text),
            Err(offset) => Err(Undecodable::Invalid {
                offset: mark + offset,
            }),
        }
    }

    /// Returns a text as it is in a file, with its mark first.
    pub(crate) fn encode(self, text: &str) -> Vec<u8> {
        let mut bytes = self.mark().to_vec();
        match self {
            Self::Utf8 | Self::MarkedUtf8 => bytes.extend_from_slice(text.as_bytes()),
            Self::Utf16Little => bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes)),
            Self::Utf16Big => bytes.extend(text.encode_utf16().flat_map(u16::to_be_bytes)),
            Self::Utf32Little => {
                bytes.extend(text.chars().flat_map(|it| u32::from(it).to_le_bytes()));
            }
            Self::Utf32Big => {
                bytes.extend(text.chars().flat_map(|it| u32::from(it).to_be_bytes()));
            }
        }
        bytes
    }
}

/// Decodes UTF-16, or returns where it is broken.
fn decode_16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, usize> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(bytes.len() / 2);
    let mut offset = 0;
    for character in char::decode_utf16(pairs.iter().copied().map(unit)) {
        let character = character.map_err(|_| offset)?;
        offset += 2 * character.len_utf16();
        text.push(character);
    }
    if rest.is_empty() {
        Ok(text)
    } else {
        Err(offset)
    }
}

/// Decodes UTF-32, or returns where it is broken.
fn decode_32(bytes: &[u8], unit: fn([u8; 4]) -> u32) -> Result<String, usize> {
    let (fours, rest) = bytes.as_chunks::<4>();
    let mut text = String::with_capacity(bytes.len() / 4);
    for (index, four) in fours.iter().enumerate() {
        text.push(char::from_u32(unit(*four)).ok_or(index * 4)?);
    }
    if rest.is_empty() {
        Ok(text)
    } else {
        Err(fours.len() * 4)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: [Encoding; 6] = [
        Encoding::Utf8,
        Encoding::MarkedUtf8,
        Encoding::Utf16Little,
        Encoding::Utf16Big,
        Encoding::Utf32Little,
        Encoding::Utf32Big,
    ];

    proptest! {
        /// TO-1: whatever the text and its encoding are, reading and writing it back gives the
        /// same bytes.
        #[test]
        fn every_encoding_is_written_back(text in "[a-zé→🦀\r\n]{0,40}", index in 0_usize..6) {
            let encoding = ALL[index];
            let bytes = encoding.encode(&text);
            // A text that consists of a byte order mark keeps its encoding.
            prop_assert_eq!(Encoding::of(&bytes), encoding);
            prop_assert_eq!(encoding.decode(bytes), Ok(text));
        }
    }

    /// TO-1: half a character is reported with its place, and text never contains NUL.
    #[test]
    fn broken_text_is_told() {
        let decode = |bytes: &[u8]| Encoding::of(bytes).decode(bytes.to_vec());
        let invalid = |offset| Err(Undecodable::Invalid { offset });
        assert_eq!(decode(b"\xFF\xFEa\0\x3d\xd8"), invalid(4));
        assert_eq!(decode(b"\xFF\xFEa\0b"), invalid(4));
        assert_eq!(decode(b"\0\0\xFE\xFF\0\x11\0\0"), invalid(4));
        assert_eq!(decode(b"\xEF\xBB\xBFa\xff"), invalid(4));
        assert_eq!(decode(b"\xFF\xFEa\0\0\0b\0"), Err(Undecodable::Binary));
        assert_eq!(decode(b"a\0b"), Err(Undecodable::Binary));
    }
}
