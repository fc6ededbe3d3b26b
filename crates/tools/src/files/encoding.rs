//! The encoding of a text file: UTF-8, with or without a byte order mark, UTF-16 or UTF-32 with
//! a byte order mark, or Windows-1252, which contains Latin-1 (TO-1).

/// An encoding, recognised by the beginning of a file, or by bytes that aren't UTF-8.
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
    /// Windows-1252: a byte for each character.
    Windows1252,
}

/// The characters of the bytes from 0x80 in Windows-1252. Five bytes have none, and stay what they
/// are in Latin-1.
const FROM_80: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

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
        found.unwrap_or_else(|| {
            if is_windows_1252(bytes) {
                Self::Windows1252
            } else {
                Self::Utf8
            }
        })
    }

    /// Returns its name for people.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Utf8 | Self::MarkedUtf8 => "UTF-8",
            Self::Utf16Little | Self::Utf16Big => "UTF-16",
            Self::Utf32Little | Self::Utf32Big => "UTF-32",
            Self::Windows1252 => "Windows-1252",
        }
    }

    const fn mark(self) -> &'static [u8] {
        match self {
            Self::Utf8 | Self::Windows1252 => b"",
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
            Self::Windows1252 => Ok(body.iter().copied().map(from_windows_1252).collect()),
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
    ///
    /// # Errors
    /// Returns the first character that the encoding doesn't have.
    pub(crate) fn encode(self, text: &str) -> Result<Vec<u8>, char> {
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
            Self::Windows1252 => {
                for character in text.chars() {
                    bytes.push(to_windows_1252(character).ok_or(character)?);
                }
            }
        }
        Ok(bytes)
    }
}

/// Returns whether bytes without a mark are text in Windows-1252 rather than broken UTF-8, another
/// encoding, or no text: mostly ASCII, without control characters and without any character in
/// UTF-8. Whatever it was meant to be, each byte is written back as it was.
fn is_windows_1252(bytes: &[u8]) -> bool {
    let is_text = |byte: &u8| match byte {
        b'\t' | b'\n' | b'\r' | b'\x0c' | b' '..=b'~' | 0xa0.. => true,
        byte => from_windows_1252(*byte) > '\u{9f}',
    };
    let others = bytes.iter().filter(|it| !it.is_ascii()).count();
    let has_utf_8 = || bytes.utf8_chunks().any(|it| !it.valid().is_ascii());
    (1..=bytes.len() / 2).contains(&others) && bytes.iter().all(is_text) && !has_utf_8()
}

fn from_windows_1252(byte: u8) -> char {
    let special = byte.checked_sub(0x80).map(usize::from);
    let special = special.and_then(|it| FROM_80.get(it).copied());
    special.unwrap_or_else(|| char::from(byte))
}

fn to_windows_1252(character: char) -> Option<u8> {
    let special = FROM_80.iter().position(|it| *it == character);
    match (special, u8::try_from(character)) {
        (Some(place), _) => u8::try_from(0x80 + place).ok(),
        (None, Ok(byte)) => (!(0x80..0xa0).contains(&byte)).then_some(byte),
        (None, Err(_)) => None,
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
            let bytes = encoding.encode(&text).unwrap();
            // A text that consists of a byte order mark keeps its encoding.
            prop_assert_eq!(Encoding::of(&bytes), encoding);
            prop_assert_eq!(encoding.decode(bytes), Ok(text));
        }
    }

    /// TO-1: each byte of Windows-1252 is one character, and no other character is written.
    #[test]
    fn windows_1252_is_written_back() {
        let all: Vec<u8> = (1..=255).collect();
        let text = Encoding::Windows1252.decode(all.clone()).unwrap();
        assert_eq!(Encoding::Windows1252.encode(&text), Ok(all));
        assert_eq!(Encoding::Windows1252.encode("a→"), Err('→'));
        assert_eq!(Encoding::Windows1252.encode("a\u{80}"), Err('\u{80}'));
    }

    /// TO-1: what isn't UTF-8 is Windows-1252 only if nothing speaks against it.
    #[test]
    fn windows_1252_is_recognised() {
        let western: [&[u8]; 4] = [b"caf\xe9", b"caf\xe9\r\n", b"\x80 100\n", b"\xa1Ol\xe9!\n"];
        for bytes in western {
            assert_eq!(Encoding::of(bytes), Encoding::Windows1252, "{bytes:?}");
        }
        let others: [&[u8]; 7] = [
            b"",
            b"cafe\n",
            "café\n".as_bytes(),
            "café caf\u{e9}".as_bytes().split_last().unwrap().1,
            b"abc\x1b\xe9",
            b"ab\x81cd\n",
            b"\xf0\xd2\xc9\xd7\xc5\xd4",
        ];
        for bytes in others {
            assert_eq!(Encoding::of(bytes), Encoding::Utf8, "{bytes:?}");
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
