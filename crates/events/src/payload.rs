//! The JSON that hooks read: serialised once, and shared (IO-1).

use std::borrow::Cow;
use std::io;
use std::sync::{Arc, LazyLock, OnceLock, Weak};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// A JSON object for the standard input of hooks. Cloning it is cheap.
///
/// It may be megabytes long, so it isn't copied: executors write its [pieces](Self::pieces), and
/// they are joined only for readers that need a text.
#[derive(Debug, Clone, Default)]
pub struct Payload(Arc<Content>);

/// Recognises a payload without keeping it in memory.
#[derive(Debug, Clone, Default)]
pub struct PayloadMark(Weak<Content>);

impl PayloadMark {
    /// Returns whether a payload is the one that was marked, or a clone of it.
    pub fn is_of(&self, payload: &Payload) -> bool {
        Weak::ptr_eq(&self.0, &Arc::downgrade(&payload.0))
    }
}

#[derive(Debug, Default)]
struct Content {
    text: Text,
    /// The length of the fields that all events have, which are the first ones; 0 if it isn't
    /// known.
    common: usize,
    /// The fields, once they were needed.
    fields: OnceLock<Option<Map<String, Value>>>,
}

#[derive(Debug)]
enum Text {
    Written(Pieces),
    /// It is written for the first reader.
    Later(LazyLock<Vec<u8>, WriteLater>),
}

type WriteLater = Box<dyn FnOnce() -> Vec<u8> + Send>;

impl Default for Text {
    fn default() -> Self {
        Self::Written(Pieces::default())
    }
}

/// The parts of a payload, in order.
#[derive(Debug, Default)]
struct Pieces {
    head: Vec<u8>,
    /// A part that other payloads have, too.
    shared: Option<Arc<RawValue>>,
    tail: Vec<u8>,
}

impl Payload {
    /// Creates a payload from a function, which is called once, when the payload is first read. An
    /// executor reads it after starting its process, so both happen at the same time.
    ///
    /// ```
    /// use hookloop_events::Payload;
    ///
    /// let payload = Payload::written_later(|| b"{}".to_vec());
    /// assert_eq!(payload.text(), "{}");
    /// ```
    pub fn written_later(write: impl FnOnce() -> Vec<u8> + Send + 'static) -> Self {
        let write: WriteLater = Box::new(write);
        Self::of(Text::Later(LazyLock::new(write)), 0)
    }

    fn of(text: Text, common: usize) -> Self {
        Self(Arc::new(Content {
            text,
            common,
            fields: OnceLock::new(),
        }))
    }

    /// Returns a mark by which this payload and its clones can be recognised.
    ///
    /// ```
    /// use hookloop_events::Payload;
    ///
    /// let payload = Payload::from("{}");
    /// let mark = payload.mark();
    /// assert!(mark.is_of(&payload.clone()));
    /// assert!(!mark.is_of(&Payload::from("{}")));
    /// ```
    pub fn mark(&self) -> PayloadMark {
        PayloadMark(Arc::downgrade(&self.0))
    }

    /// Returns the fields, which are parsed once for all clones, or `None` if it isn't a JSON
    /// object.
    pub fn fields(&self) -> Option<&Map<String, Value>> {
        let fields = self.0.fields.get_or_init(|| self.read().ok());
        fields.as_ref()
    }

    /// Returns the fields for modification, or `None` if it isn't a JSON object. They are copied if
    /// [`fields`](Self::fields) was called before, and parsed otherwise.
    pub fn to_fields(&self) -> Option<Map<String, Value>> {
        match self.0.fields.get() {
            Some(fields) => fields.clone(),
            None => self.read().ok(),
        }
    }

    /// Returns the fields for modification as [`to_fields`](Self::to_fields) does, given the value
    /// that the event's own fields were written from. Copying that costs much less than parsing
    /// what was written, which may be long.
    pub fn to_fields_from(&self, own: &impl Serialize) -> Option<Map<String, Value>> {
        if self.0.fields.get().is_some() {
            return self.to_fields();
        }
        self.common_fields()
            .and_then(|mut fields| {
                let Ok(Value::Object(own)) = serde_json::to_value(own) else {
                    return None;
                };
                fields.extend(own);
                Some(fields)
            })
            .or_else(|| self.to_fields())
    }

    /// Parses only the fields that all events have.
    fn common_fields(&self) -> Option<Map<String, Value>> {
        let [head, ..] = self.pieces();
        // The brace that ends them has become a comma where the event has fields of its own.
        let mut common = head.get(..self.0.common)?.to_vec();
        *common.last_mut()? = b'}';
        serde_json::from_slice(&common).ok()
    }

    /// Returns the pieces, in order. Some may be empty.
    pub fn pieces(&self) -> [&[u8]; 3] {
        let Pieces { head, shared, tail } = match &self.0.text {
            Text::Written(pieces) => pieces,
            Text::Later(written) => return [written.as_slice(), b"", b""],
        };
        let shared = shared.as_ref().map_or("", |json| json.get());
        [head, shared.as_bytes(), tail]
    }

    /// Returns the rest of the piece that begins after a number of bytes. It is empty at the end.
    pub fn piece_after(&self, mut bytes: usize) -> &[u8] {
        for piece in self.pieces() {
            match piece.get(bytes..) {
                Some(rest) if !rest.is_empty() => return rest,
                _ => bytes -= piece.len(),
            }
        }
        &[]
    }

    /// Returns the length in bytes.
    pub fn len(&self) -> usize {
        self.pieces().iter().map(|piece| piece.len()).sum()
    }

    /// Returns whether the payload is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Parses the payload, without copying it if it is a single piece.
    ///
    /// # Errors
    /// It isn't JSON, or doesn't have this type.
    pub fn read<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        match self.pieces() {
            [head, [], []] => serde_json::from_slice(head),
            pieces => serde_json::from_slice(&pieces.concat()),
        }
    }

    /// Returns the payload as text, without copying it if it is a single piece.
    pub fn text(&self) -> Cow<'_, str> {
        match self.pieces() {
            // A payload is valid, and finding that out costs a fraction of a lossy conversion.
            [head, [], []] => {
                str::from_utf8(head).map_or_else(|_| String::from_utf8_lossy(head), Cow::Borrowed)
            }
            pieces => Cow::Owned(
                String::from_utf8(pieces.concat())
                    .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
            ),
        }
    }
}

impl From<Vec<u8>> for Payload {
    fn from(head: Vec<u8>) -> Self {
        let pieces = Pieces {
            head,
            ..Pieces::default()
        };
        Self::of(Text::Written(pieces), 0)
    }
}

impl From<String> for Payload {
    fn from(text: String) -> Self {
        text.into_bytes().into()
    }
}

impl From<&str> for Payload {
    fn from(text: &str) -> Self {
        text.as_bytes().to_vec().into()
    }
}

/// Writes a JSON object whose shared part, if it has one, isn't copied.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    written: Vec<u8>,
    shared: Option<Arc<RawValue>>,
    /// The length of the fields that all events have.
    common: usize,
    /// The position of the shared part in what is written, once it is reached.
    seam: Option<usize>,
}

impl Writer {
    /// How much is reserved in addition to a piece that makes the text grow.
    const SLACK: usize = 1024;
    /// The length of a part that isn't worth sharing, in bytes.
    const LONG: usize = 16 * 1024;

    /// Begins an object in which the given part may occur.
    pub(crate) fn sharing(part: Option<Arc<RawValue>>) -> Self {
        Self {
            shared: part.filter(|json| json.get().len() >= Self::LONG),
            ..Self::default()
        }
    }

    /// Reserves room for a text of this many bytes, if it is long, and for its escapes: memory that
    /// grows piece by piece costs more than what is written into it.
    pub(crate) fn make_room(&mut self, text: usize) {
        if text >= Self::LONG {
            self.written.reserve(text + text / 16 + Self::SLACK);
        }
    }

    /// Appends a value that is a JSON object by its type.
    pub(crate) fn append(&mut self, value: &impl Serialize) {
        let start = self.written.len();
        // Serialising fails only for maps with keys that aren't strings, and payloads have none. If
        // it did, an empty object would keep the hook's input valid JSON.
        if serde_json::to_writer(&mut *self, value).is_err() {
            self.written.truncate(start);
            self.seam = self.seam.filter(|seam| *seam <= start);
            self.written.extend_from_slice(b"{}");
        }
    }

    /// Notes that the fields which all events have end here.
    pub(crate) fn end_common(&mut self) {
        self.common = self.written.len();
    }

    /// Appends the fields of a value to an object that has some, without reading or copying
    /// them again.
    pub(crate) fn append_fields(&mut self, value: &impl Serialize) {
        self.written.pop();
        let start = self.written.len();
        self.append(value);
        if self.written[start..] == *b"{}" {
            self.written.truncate(start);
            self.written.push(b'}');
        } else {
            self.written[start] = b',';
        }
    }

    /// Ends the object.
    pub(crate) fn finish(mut self) -> Payload {
        let mut pieces = Pieces::default();
        if let Some(seam) = self.seam {
            pieces.tail = self.written.split_off(seam);
            pieces.shared = self.shared;
        }
        pieces.head = self.written;
        Payload::of(Text::Written(pieces), self.common)
    }
}

impl io::Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    /// Long texts come in many small pieces, one for each line.
    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        // The serialiser passes the shared text on unchanged, as the very same bytes.
        if let Some(shared) = &self.shared
            && self.seam.is_none()
            && std::ptr::eq(bytes, shared.get().as_bytes())
        {
            self.seam = Some(self.written.len());
            return Ok(());
        }
        if self.written.capacity() - self.written.len() < bytes.len() {
            self.written.reserve(bytes.len() + Self::SLACK);
        }
        self.written.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::to_raw_value;

    use super::*;

    #[derive(Serialize)]
    struct Carrier<'a> {
        before: u8,
        part: &'a RawValue,
        after: &'a str,
    }

    fn carried(part: &str) -> (Payload, Arc<RawValue>) {
        let part: Arc<RawValue> = to_raw_value(part).unwrap().into();
        let mut writer = Writer::sharing(Some(Arc::clone(&part)));
        writer.append(&serde_json::json!({"first": 1}));
        writer.append_fields(&Carrier {
            before: 2,
            part: &part,
            after: "é",
        });
        (writer.finish(), part)
    }

    /// IO-1: a long part is in the payload without having been copied, wherever it is.
    #[test]
    fn a_long_part_is_shared() {
        let long = "x".repeat(100_000);
        let (payload, part) = carried(&long);
        assert!(std::ptr::eq(payload.pieces()[1], part.get().as_bytes()));
        let text = format!("{{\"first\":1,\"before\":2,\"part\":\"{long}\",\"after\":\"é\"}}");
        assert_eq!(payload.text(), text);
        assert_eq!(payload.len(), text.len());
    }

    /// IO-1: a short one is copied into the rest, which is one piece.
    #[test]
    fn a_short_part_is_copied() {
        let (payload, _) = carried("short");
        let text = "{\"first\":1,\"before\":2,\"part\":\"short\",\"after\":\"é\"}";
        assert_eq!(payload.pieces(), [text.as_bytes(), b"", b""]);
        assert!(matches!(payload.text(), Cow::Borrowed(it) if it == text));
    }

    /// IO-2: writing a payload in portions of any size writes all of it.
    #[test]
    fn nothing_is_lost_between_pieces() {
        let (payload, _) = carried(&"x".repeat(40_000));
        for portion in [1_000, 7_777, usize::MAX] {
            let mut written = Vec::new();
            loop {
                let rest = payload.piece_after(written.len());
                if rest.is_empty() {
                    break;
                }
                written.extend_from_slice(&rest[..rest.len().min(portion)]);
            }
            assert_eq!(written, payload.text().as_bytes());
        }
        assert!(Payload::default().piece_after(0).is_empty());
    }

    /// FD-10: what is written later is written once, for the first reader, whoever shares it.
    #[test]
    fn a_payload_is_written_when_it_is_read() {
        use std::sync::atomic::{AtomicUsize, Ordering};

        let written = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&written);
        let payload = Payload::written_later(move || {
            counted.fetch_add(1, Ordering::Relaxed);
            b"{\"a\":1}".to_vec()
        });
        let shared = payload.clone();
        assert_eq!(written.load(Ordering::Relaxed), 0);
        assert_eq!(shared.len(), 7);
        assert_eq!(payload.fields().unwrap()["a"], 1);
        assert_eq!(written.load(Ordering::Relaxed), 1);
    }
}
