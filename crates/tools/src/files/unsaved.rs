//! Files that an editor has other text of than the disk (TU-7).

use std::path::Path;

use super::text;
use crate::{ErrorKind, ToolError};

/// Refuses a change of a file that the editor has other text of: one of the two would be lost.
pub(crate) fn refuse_unsaved(place: &Path, opened: Option<&str>) -> Result<(), ToolError> {
    let Some(opened) = opened else {
        return Ok(());
    };
    let is_saved = match text::read(place) {
        Ok(saved) => is_same(&saved.content, opened),
        Err(error) if error.kind == ErrorKind::FileNotFound => opened.is_empty(),
        // Of what isn't text, the editor has no text.
        Err(_) => true,
    };
    if is_saved {
        return Ok(());
    }
    let message = format!(
        "{} has changes in the editor that aren't saved, so it was left as it is: ask the user to save or undo them, \
         then read the file again",
        place.display()
    );
    Err(ToolError::new(ErrorKind::WriteFailed, message))
}

/// Tells whether two texts differ in nothing but line ends, which editors keep in their own way.
fn is_same(one: &str, other: &str) -> bool {
    one.lines().eq(other.lines())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TU-7: line ends are no change that isn't saved; everything else is.
    #[test]
    fn line_ends_are_no_change() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("a.txt");
        std::fs::write(&place, "one\r\ntwo\r\n").unwrap();
        for same in [None, Some("one\ntwo\n"), Some("one\r\ntwo")] {
            assert_eq!(refuse_unsaved(&place, same), Ok(()), "{same:?}");
        }
        for other in ["one\ntwo\nthree", "", "one \ntwo"] {
            assert!(refuse_unsaved(&place, Some(other)).is_err(), "{other:?}");
        }
        let missing = folder.path().join("new.txt");
        assert_eq!(refuse_unsaved(&missing, Some("")), Ok(()));
        assert!(refuse_unsaved(&missing, Some("draft")).is_err());
    }
}
