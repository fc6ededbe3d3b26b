//! Files whose text in an editor differs from that on disk (TU-7).

use std::path::Path;

use super::text;
use crate::{ErrorKind, Opened, ToolError};

/// Refuses a change of a file for which the editor has different text, or may have: one of the two
/// would be lost.
pub(crate) fn refuse_unsaved(place: &Path, opened: &Opened) -> Result<(), ToolError> {
    let opened = match opened {
        Opened::Nothing => return Ok(()),
        Opened::Text(opened) => opened,
        Opened::Unknown(why) => {
            let message = format!(
                "{} may have unsaved changes in the editor, so it was left unchanged: the editor was asked, \
                 and {why}. Ask the user to save the file and close it there, or try again",
                place.display()
            );
            return Err(ToolError::new(ErrorKind::WriteFailed, message));
        }
    };
    let is_saved = match text::read(place) {
        Ok(saved) => is_same(&saved.content, opened),
        Err(error) if error.kind == ErrorKind::FileNotFound => opened.is_empty(),
        // If the file isn't text, the editor has no text of it.
        Err(_) => true,
    };
    if is_saved {
        return Ok(());
    }
    let message = format!(
        "{} has unsaved changes in the editor, so it was left unchanged: ask the user to save or undo them, \
         then read the file again",
        place.display()
    );
    Err(ToolError::new(ErrorKind::WriteFailed, message))
}

/// Returns whether two texts differ only in line ends, which editors keep in their own way.
fn is_same(one: &str, other: &str) -> bool {
    one.lines().eq(other.lines())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TU-7: different line ends don't count as an unsaved change; everything else does.
    #[test]
    fn line_ends_are_no_change() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("a.txt");
        std::fs::write(&place, "one\r\ntwo\r\n").unwrap();
        let text = |it: &str| Opened::Text(it.to_owned());
        for same in [Opened::Nothing, text("one\ntwo\n"), text("one\r\ntwo")] {
            assert_eq!(refuse_unsaved(&place, &same), Ok(()), "{same:?}");
        }
        for other in ["one\ntwo\nthree", "", "one \ntwo"] {
            assert!(refuse_unsaved(&place, &text(other)).is_err(), "{other:?}");
        }
        let missing = folder.path().join("new.txt");
        assert_eq!(refuse_unsaved(&missing, &text("")), Ok(()));
        assert!(refuse_unsaved(&missing, &text("draft")).is_err());
    }

    /// TU-7: what the editor may have isn't overwritten, whether or not the file exists.
    #[test]
    fn what_nobody_knows_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("a.txt");
        let unknown = Opened::Unknown("it didn't answer".to_owned());
        for is_there in [false, true] {
            if is_there {
                std::fs::write(&place, "one").unwrap();
            }
            let refused = refuse_unsaved(&place, &unknown).unwrap_err();
            assert_eq!(refused.kind, ErrorKind::WriteFailed, "{is_there}");
        }
    }
}
