//! The binary form of D-Bus messages, as far as the Secret Service needs it.

/// Writes values one after another, each at its alignment.
#[derive(Debug, Default, Clone)]
pub(super) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    pub(super) fn align(&mut self, to: usize) -> &mut Self {
        let length = self.bytes.len().next_multiple_of(to);
        self.bytes.resize(length, 0);
        self
    }

    pub(super) fn byte(&mut self, value: u8) -> &mut Self {
        self.bytes.push(value);
        self
    }

    pub(super) fn number(&mut self, value: u32) -> &mut Self {
        self.align(4).bytes.extend(value.to_le_bytes());
        self
    }

    pub(super) fn boolean(&mut self, value: bool) -> &mut Self {
        self.number(value.into())
    }

    /// Writes a text, or the path of an object.
    pub(super) fn text(&mut self, value: &str) -> &mut Self {
        self.number(length(value.len()));
        self.bytes.extend(value.bytes().chain([0]));
        self
    }

    pub(super) fn signature(&mut self, value: &str) -> &mut Self {
        // Those that are written here are a few letters long.
        self.bytes
            .push(u8::try_from(value.len()).unwrap_or_default());
        self.bytes.extend(value.bytes().chain([0]));
        self
    }

    pub(super) fn byte_list(&mut self, value: &[u8]) -> &mut Self {
        self.number(length(value.len()));
        self.bytes.extend(value);
        self
    }

    /// Writes a list; `alignment` is that of its elements.
    pub(super) fn list(&mut self, alignment: usize, write: impl FnOnce(&mut Self)) -> &mut Self {
        self.number(0);
        let place = self.bytes.len() - 4;
        self.align(alignment);
        let start = self.bytes.len();
        write(self);
        let written = length(self.bytes.len() - start);
        self.bytes[place..place + 4].copy_from_slice(&written.to_le_bytes());
        self
    }

    /// Writes a dictionary from text to text.
    pub(super) fn texts(&mut self, pairs: &[(&str, &str)]) -> &mut Self {
        self.list(8, |list| {
            for (key, value) in pairs {
                list.align(8).text(key).text(value);
            }
        })
    }

    pub(super) fn extend(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.extend(bytes);
        self
    }
}

/// Lengths are far below the 128 MiB that D-Bus allows; one that is not would be refused.
fn length(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// Reads values one after another. Nothing where the bytes end early or make no sense.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    place: usize,
    order: ByteOrder,
}

/// In which order the bytes of a number stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ByteOrder {
    Little,
    Big,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8], order: ByteOrder) -> Self {
        Self {
            bytes,
            place: 0,
            order,
        }
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let end = self.place.checked_add(count)?;
        let taken = self.bytes.get(self.place..end)?;
        self.place = end;
        Some(taken)
    }

    pub(super) fn align(&mut self, to: usize) -> Option<&mut Self> {
        let padding = self.place.next_multiple_of(to) - self.place;
        self.take(padding)?;
        Some(self)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    pub(super) fn number(&mut self) -> Option<u32> {
        let bytes = self.align(4)?.take(4)?.try_into().ok()?;
        Some(match self.order {
            ByteOrder::Little => u32::from_le_bytes(bytes),
            ByteOrder::Big => u32::from_be_bytes(bytes),
        })
    }

    fn length(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    /// Reads a text, or the path of an object.
    pub(super) fn text(&mut self) -> Option<&'a str> {
        let length = self.length()?;
        let text = self.take(length)?;
        self.take(1)?;
        std::str::from_utf8(text).ok()
    }

    pub(super) fn signature(&mut self) -> Option<&'a str> {
        let length = usize::from(self.byte()?);
        let text = self.take(length)?;
        self.take(1)?;
        std::str::from_utf8(text).ok()
    }

    pub(super) fn byte_list(&mut self) -> Option<&'a [u8]> {
        let length = self.length()?;
        self.take(length)
    }

    /// Reads a list of texts or paths.
    pub(super) fn text_list(&mut self) -> Option<Vec<String>> {
        let end = self.length()?.checked_add(self.place)?;
        let mut texts = Vec::new();
        while self.place < end {
            texts.push(self.text()?.to_owned());
        }
        Some(texts)
    }

    /// Returns where the next value begins, and whether it is before a place.
    pub(super) fn is_before(&self, place: usize) -> bool {
        self.place < place
    }
}
