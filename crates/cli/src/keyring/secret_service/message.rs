//! Messages of D-Bus: what a call looks like, and what comes back.

use std::io::{self, Read};

use super::wire::{ByteOrder, Reader, Writer};

/// Largest message that is read, in bytes; an answer of a keyring is a few hundred long.
const LARGEST: usize = 16 * 1024 * 1024;

/// How long the fixed part of a header is, up to the length of its fields.
const FIXED: usize = 16;

/// A method of an object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Method<'a> {
    pub(super) destination: &'a str,
    pub(super) path: &'a str,
    pub(super) interface: &'a str,
    pub(super) name: &'a str,
}

/// Builds a call; `signature` is that of the body.
pub(super) fn call(method: Method<'_>, serial: u32, signature: &str, body: Writer) -> Vec<u8> {
    let body = body.into_bytes();
    let mut message = Writer::default();
    message.byte(b'l').byte(1).byte(0).byte(1);
    message.number(u32::try_from(body.len()).unwrap_or(u32::MAX));
    message.number(serial);
    message.list(8, |fields| {
        let texts = [
            (1, "o", method.path),
            (2, "s", method.interface),
            (3, "s", method.name),
            (6, "s", method.destination),
        ];
        for (code, kind, text) in texts {
            fields.align(8).byte(code).signature(kind).text(text);
        }
        if !signature.is_empty() {
            fields.align(8).byte(8).signature("g").signature(signature);
        }
    });
    message.align(8).extend(&body);
    message.into_bytes()
}

/// What kind of message came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Return,
    Error,
    /// A signal, or a call: nothing that is waited for.
    Other,
}

/// A message that came.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) kind: Kind,
    /// The serial of the call that it answers.
    pub(super) answers: Option<u32>,
    /// The name of the error, if it is one.
    pub(super) error: Option<String>,
    body: Vec<u8>,
    order: ByteOrder,
}

impl Message {
    /// Reads one message to its end.
    pub(super) fn read(source: &mut impl Read) -> io::Result<Self> {
        let mut fixed = [0; FIXED];
        source.read_exact(&mut fixed)?;
        let order = match fixed[0] {
            b'l' => ByteOrder::Little,
            b'B' => ByteOrder::Big,
            _ => return Err(broken()),
        };
        let numbers = |place: usize| {
            let number = Reader::new(&fixed[place..], order).number();
            usize::try_from(number.unwrap_or(u32::MAX)).unwrap_or(usize::MAX)
        };
        let (body, fields) = (numbers(4), numbers(12));
        if body > LARGEST || fields > LARGEST {
            return Err(broken());
        }
        // The body begins at a multiple of eight.
        let padded = (FIXED + fields).next_multiple_of(8) - FIXED;
        let mut rest = vec![0; padded + body];
        source.read_exact(&mut rest)?;
        let mut whole = fixed.to_vec();
        whole.extend(&rest[..fields]);
        let mut message = Self {
            kind: match fixed[1] {
                2 => Kind::Return,
                3 => Kind::Error,
                _ => Kind::Other,
            },
            answers: None,
            error: None,
            body: rest.split_off(padded),
            order,
        };
        message.read_fields(&whole).ok_or_else(broken)?;
        Ok(message)
    }

    fn read_fields(&mut self, header: &[u8]) -> Option<()> {
        let mut reader = Reader::new(header, self.order);
        for _ in 0..FIXED {
            reader.byte()?;
        }
        while reader.is_before(header.len()) {
            let code = reader.align(8)?.byte()?;
            match (code, reader.signature()?) {
                (5, "u") => self.answers = Some(reader.number()?),
                (4, "s") => self.error = Some(reader.text()?.to_owned()),
                (_, "s" | "o") => {
                    reader.text()?;
                }
                (_, "g") => {
                    reader.signature()?;
                }
                (_, "u") => {
                    reader.number()?;
                }
                _ => return None,
            }
        }
        Some(())
    }

    /// Returns the values of the body.
    pub(super) fn body(&self) -> Reader<'_> {
        Reader::new(&self.body, self.order)
    }
}

fn broken() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the message makes no sense")
}
