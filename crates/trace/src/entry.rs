//! A run as it will be written: what may be recorded, cut to the limit.

use std::borrow::Cow;

use hookloop_engine::{RunRecord, Truncation};

use crate::ignored::ignored_fields;

/// The approximate overhead of a row, in bytes.
const ROW_OVERHEAD: u64 = 512;

/// What may be recorded of a run (OUT-2).
pub(crate) struct Entry<'a> {
    pub(crate) record: &'a RunRecord,
    pub(crate) input: Option<Cow<'a, str>>,
    pub(crate) stdout: Option<Cow<'a, str>>,
    pub(crate) stderr: Option<Cow<'a, str>>,
    pub(crate) reply: Option<String>,
    pub(crate) is_cut: bool,
    /// A JSON list of names, or `None` if the list is empty.
    pub(crate) ignored: Option<String>,
    /// The fields that the event doesn't know, or `None` if there are none.
    pub(crate) unknown_fields: Option<&'a [String]>,
}

impl<'a> Entry<'a> {
    pub(crate) fn new(record: &'a RunRecord) -> Self {
        let content = record.recordable_content();
        let ignored = ignored_fields(record);
        Self {
            record,
            input: content.map(|content| on_one_line(content.input.text())),
            stdout: content.map(|content| Cow::Borrowed(content.stdout.as_str())),
            stderr: content.map(|content| Cow::Borrowed(content.stderr.as_str())),
            reply: content
                .and_then(|content| content.reply.as_ref())
                .and_then(|reply| serde_json::to_string(reply).ok()),
            unknown_fields: content
                .map(|_| record.unknown_fields.as_slice())
                .filter(|fields| !fields.is_empty()),
            is_cut: record.content.truncation == Truncation::Cut,
            ignored: (!ignored.is_empty())
                .then(|| serde_json::to_string(&ignored).ok())
                .flatten(),
        }
    }

    /// Returns the duration in microseconds.
    pub(crate) fn microseconds(&self) -> i64 {
        i64::try_from(self.record.duration.as_micros()).unwrap_or(i64::MAX)
    }

    /// Returns the approximate size of the run without its input, in bytes.
    pub(crate) fn bytes_without_input(&self) -> u64 {
        let texts = [&self.stdout, &self.stderr];
        let streams: usize = texts.into_iter().flatten().map(|text| text.len()).sum();
        let reply = self.reply.as_ref().map_or(0, String::len);
        (streams + reply) as u64 + ROW_OVERHEAD
    }

    /// Returns the size of the input, in bytes.
    pub(crate) fn input_bytes(&self) -> u64 {
        self.input.as_ref().map_or(0, |text| text.len() as u64)
    }

    /// Cuts the run to a size in bytes: streams are shortened; an input or a reply that is too
    /// large is left out, because half an object isn't valid JSON. Returns whether anything was
    /// lost.
    pub(crate) fn cut_to(&mut self, bytes: u64) -> bool {
        let share = usize::try_from(bytes / 4).unwrap_or(usize::MAX);
        let mut lost = false;
        for stream in [&mut self.stdout, &mut self.stderr].into_iter().flatten() {
            if stream.len() > share {
                let kept = &stream[..stream.floor_char_boundary(share)];
                *stream = Cow::Owned(kept.to_owned());
                self.is_cut = true;
                lost = true;
            }
        }
        if self.input.as_ref().is_some_and(|text| text.len() > share) {
            self.input = None;
            lost = true;
        }
        if self.reply.as_ref().is_some_and(|text| text.len() > share) {
            self.reply = None;
            lost = true;
        }
        lost
    }
}

/// Puts a JSON text on one line, because `trace --follow` prints one run a line: outside
/// strings a line break is white space, and inside them there is none.
fn on_one_line(json: Cow<'_, str>) -> Cow<'_, str> {
    if json.contains(['\n', '\r']) {
        Cow::Owned(json.replace(['\n', '\r'], " "))
    } else {
        json
    }
}
