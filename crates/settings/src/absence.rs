//! Whether nothing exists at a path: a single answer for every file that may contain a guard
//! (ST-5).

use std::io::{self, ErrorKind};
use std::path::Path;

/// Returns whether nothing exists at a path. If the target of a link is missing, or a file is in
/// the place of a folder, that isn't known: guards may have been there.
///
/// # Errors
/// It isn't known: the path contains a dangling link or a component that isn't a folder, or the
/// system reports an error.
pub fn is_absent(path: &Path) -> io::Result<bool> {
    match path.symlink_metadata() {
        Ok(metadata) if !metadata.is_symlink() => return Ok(false),
        Ok(_) => {}
        Err(error) if says_absent(&error) => return leads_nowhere_above(path),
        Err(error) => return Err(error),
    }
    match path.metadata() {
        Ok(_) => Ok(false),
        Err(error) if says_absent(&error) => leads_nowhere(path, path),
        Err(error) => Err(error),
    }
}

/// Judges a path at which nothing is by what is above it. Most folders aren't links, so one look at
/// each is enough.
fn leads_nowhere_above(path: &Path) -> io::Result<bool> {
    for place in path.ancestors().skip(1) {
        match place.symlink_metadata() {
            Ok(metadata) if metadata.is_dir() => return Ok(true),
            Ok(_) => return leads_nowhere(path, place),
            Err(error) if says_absent(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

/// Returns whether something may be at a path, also something that can't be looked at.
pub(crate) fn may_stand(path: &Path) -> bool {
    !is_absent(path).is_ok_and(|is_absent| is_absent)
}

/// Returns whether a path is absent, judging by the last of its places that exists: it is if that
/// is a folder. The error is what keeps the path from leading anywhere.
fn leads_nowhere(path: &Path, place: &Path) -> io::Result<bool> {
    let is_whole = path == place;
    let message = match place.metadata() {
        Ok(metadata) if metadata.is_dir() && !is_whole => return Ok(true),
        // The file has appeared since.
        Ok(_) if is_whole => return Ok(false),
        Ok(_) => format!("{} isn't a folder", place.display()),
        Err(error) if !says_absent(&error) => return Err(error),
        Err(_) if is_whole => "it is a link to a file that doesn't exist".to_owned(),
        Err(_) => format!(
            "{} is a link to a place that doesn't exist",
            place.display()
        ),
    };
    Err(io::Error::other(message))
}

fn says_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// ST-5: something is absent only if every place on the way is a folder that doesn't contain
    /// it.
    #[test]
    fn a_way_that_leads_nowhere_is_no_absence() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("real/sub")).unwrap();
        std::fs::write(root.join("file"), "").unwrap();
        symlink(root.join("real"), root.join("linked")).unwrap();
        symlink(root.join("gone"), root.join("nowhere")).unwrap();
        symlink(root.join("nowhere"), root.join("chain")).unwrap();
        symlink(root.join("round"), root.join("round")).unwrap();
        symlink(root.join("real/gone"), root.join("linked/inside")).unwrap();
        for absent in [
            "x",
            "x/y/z",
            "real/x",
            "real/sub/x/y",
            "linked/x",
            "linked/sub/x/y",
        ] {
            assert!(is_absent(&root.join(absent)).unwrap(), "{absent}");
            assert!(!may_stand(&root.join(absent)), "{absent}");
        }
        for there in ["file", "real", "linked", "linked/sub", "real/sub"] {
            assert!(!is_absent(&root.join(there)).unwrap(), "{there}");
        }
        let lost = [
            "nowhere",
            "nowhere/x",
            "nowhere/x/y/z",
            "chain",
            "chain/x/y",
            "file/x",
            "file/x/y",
            "round",
            "round/x",
            "linked/inside",
            "linked/inside/x",
        ];
        for lost in lost {
            assert!(is_absent(&root.join(lost)).is_err(), "{lost}");
            assert!(may_stand(&root.join(lost)), "{lost}");
        }
        assert!(is_absent(Path::new("surely-not-here/x")).unwrap());
    }
}
