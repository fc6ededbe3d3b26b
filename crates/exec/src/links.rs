//! Resolves links for conditions and rules about paths (HT-1).

use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// How many links are followed for one path, as by the kernel.
const MAX_LINKS: usize = 40;

/// How many entries of a folder are looked at.
const MAX_ENTRIES: usize = 10_000;

/// Follows every link in an absolute path, part by part, as the kernel does: also to what isn't
/// there yet. Below `/dev` and `/proc`, links lead to places that only the process itself knows.
/// Returns `None` if links form a loop.
pub(crate) fn resolve(path: &Path) -> Option<String> {
    let mut left = parts(path);
    let mut found = PathBuf::new();
    let mut links = 0;
    while let Some(part) = left.pop() {
        match part {
            Part::Root => found = PathBuf::from("/"),
            Part::Above => {
                found.pop();
            }
            Part::Name(name) => {
                let here = found.join(name);
                match fs::read_link(&here) {
                    Ok(target) if !here.starts_with("/dev") && !here.starts_with("/proc") => {
                        links += 1;
                        if links > MAX_LINKS {
                            return None;
                        }
                        left.extend(parts(&target));
                    }
                    _ => found = here,
                }
            }
        }
    }
    found
        .is_absolute()
        .then(|| found.to_string_lossy().into_owned())
}

/// Returns the names of the links in a folder.
pub(crate) fn links_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .take(MAX_ENTRIES)
        .filter(|it| it.file_type().is_ok_and(|it| it.is_symlink()))
        .map(|it| it.file_name().to_string_lossy().into_owned())
        .collect()
}

/// A part of a path.
enum Part {
    Root,
    Above,
    Name(OsString),
}

/// Takes a path apart; the first part is the last of the list.
fn parts(path: &Path) -> Vec<Part> {
    let parts = path.components().rev().filter_map(|it| match it {
        Component::RootDir => Some(Part::Root),
        Component::ParentDir => Some(Part::Above),
        Component::Normal(name) => Some(Part::Name(name.to_owned())),
        Component::Prefix(_) | Component::CurDir => None,
    });
    parts.collect()
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::{links_in, resolve};

    /// HT-1: links are followed wherever they are in a path, even if nothing is at their end.
    #[test]
    fn links_are_followed_as_the_kernel_does() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a path");
        fs::create_dir_all(root.join("real/sub")).expect("a folder");
        for (target, link) in [
            ("real", "l"),
            ("real/sub", "deep"),
            (".env", "notes"),
            ("notes", "twice"),
            ("circle", "circle"),
            ("/dev/stdout", "stream"),
        ] {
            symlink(target, root.join(link)).expect("a link");
        }
        let leads = |path: &str| {
            let found = resolve(&root.join(path))?;
            let inner = found.strip_prefix(root.to_str().expect("text"));
            Some(inner.map_or(found.clone(), |it| it.trim_start_matches('/').to_owned()))
        };
        for (path, target) in [
            ("l/a.txt", "real/a.txt"),
            ("deep/../a.txt", "real/a.txt"),
            ("notes", ".env"),
            ("twice", ".env"),
            ("no/such/file", "no/such/file"),
            ("stream", "/dev/stdout"),
        ] {
            assert_eq!(leads(path).as_deref(), Some(target), "{path}");
        }
        assert_eq!(leads("circle"), None);
        let mut links = links_in(&root);
        links.sort();
        assert_eq!(links, ["circle", "deep", "l", "notes", "stream", "twice"]);
        assert!(links_in(&root.join("none")).is_empty());
    }
}
