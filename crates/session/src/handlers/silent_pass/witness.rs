//! What was on the disk when a hook was examined (IO-27): the findings are valid while that is
//! unchanged.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use hookloop_hook::HookDeclaration;
use hookloop_lint::{FileProbe, Probed};

/// A probe that remembers which files it was asked about, and what it found.
pub(super) struct Witness<'p> {
    probe: &'p dyn FileProbe,
    seen: RefCell<Seen>,
}

/// Files as they were found.
#[derive(Debug, Default)]
pub(super) struct Seen {
    kinds: Vec<(PathBuf, Probed)>,
    texts: Vec<(PathBuf, Option<String>)>,
}

impl Seen {
    /// Returns whether all of the files are what they were. Their bytes are compared: a time of
    /// change and a length may be the same for two texts.
    pub(super) fn is_still_so(&self, probe: &dyn FileProbe) -> bool {
        self.kinds
            .iter()
            .all(|(path, was)| probe.probe(path) == *was)
            && self
                .texts
                .iter()
                .all(|(path, was)| probe.text(path) == *was)
    }
}

impl<'p> Witness<'p> {
    pub(super) fn of(probe: &'p dyn FileProbe) -> Self {
        Self {
            probe,
            seen: RefCell::default(),
        }
    }

    /// Returns what was found.
    pub(super) fn into_seen(self) -> Seen {
        self.seen.into_inner()
    }
}

impl FileProbe for Witness<'_> {
    fn probe(&self, path: &Path) -> Probed {
        let found = self.probe.probe(path);
        self.seen.borrow_mut().kinds.push((path.to_owned(), found));
        found
    }

    fn text(&self, path: &Path) -> Option<String> {
        let found = self.probe.text(path);
        let copy = (path.to_owned(), found.clone());
        self.seen.borrow_mut().texts.push(copy);
        found
    }

    fn real_path(&self, path: &Path) -> Option<PathBuf> {
        self.probe.real_path(path)
    }

    fn names_in(&self, folder: &Path) -> Vec<String> {
        self.probe.names_in(folder)
    }

    fn home(&self) -> Option<&Path> {
        self.probe.home()
    }

    fn is_on_path(&self, program: &str, own: Option<&str>) -> bool {
        self.probe.is_on_path(program, own)
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.probe.variable(name)
    }

    fn withheld_variables(&self, hook: &HookDeclaration) -> Vec<String> {
        self.probe.withheld_variables(hook)
    }
}
