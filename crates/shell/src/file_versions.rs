//! The texts that files have in turn while a shell text runs.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The maximum length of all versions together, in bytes.
const MAX_BYTES: usize = 4 << 20;

/// What was written to files, in order. All copies share it, so that what a subshell or a branch
/// writes is included.
#[derive(Debug, Clone, Default)]
pub(crate) struct Versions(Rc<RefCell<Log>>);

#[derive(Debug, Default)]
struct Log {
    texts: Vec<(String, String)>,
    unsettled: BTreeSet<String>,
    bytes: usize,
    is_cut: bool,
}

/// All that was written.
#[derive(Debug)]
pub(crate) struct Taken {
    /// Files with their texts, in order.
    pub(crate) texts: Vec<(String, String)>,
    /// Files that had a text which isn't known.
    pub(crate) unsettled: BTreeSet<String>,
}

impl Versions {
    /// Notes that a file has this text now.
    pub(crate) fn note(&self, path: &str, text: &str) {
        let mut log = self.0.borrow_mut();
        let known = |it: &(String, String)| it.0 == path && it.1 == text;
        if log.texts.iter().any(known) {
            return;
        }
        log.bytes += path.len() + text.len();
        if log.bytes > MAX_BYTES {
            log.is_cut = true;
            return;
        }
        log.texts.push((path.to_owned(), text.to_owned()));
    }

    /// Notes that nobody knows what a file contains now.
    pub(crate) fn note_unknown(&self, path: &str) {
        self.0.borrow_mut().unsettled.insert(path.to_owned());
    }

    /// Takes all versions; returns `None` if there were too many to keep.
    pub(crate) fn take(&self) -> Option<Taken> {
        let log = self.0.take();
        (!log.is_cut).then_some(Taken {
            texts: log.texts,
            unsettled: log.unsettled,
        })
    }
}
