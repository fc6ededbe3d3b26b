//! Resolves paths as the kernel does (TR-1).

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// How many links one path may lead through, as on Linux.
const MAX_LINKS: usize = 40;

/// Resolves an absolute path component by component: each link is followed before the next `..` is
/// applied. Components that don't exist stay as they are. Returns `None` if links form a loop.
///
/// `a/link/../x` is next to the link's target, not next to the link: the text of a path alone
/// doesn't show which file will be opened.
pub fn real_path(path: &Path) -> Option<PathBuf> {
    follow(path, |it| std::fs::read_link(it).ok())
}

/// Resolves a path as [`real_path`] does, with additional links that don't exist yet: each by its
/// future real path, with its target.
pub fn real_path_with(path: &Path, links: &BTreeMap<PathBuf, PathBuf>) -> Option<PathBuf> {
    follow(path, |it| {
        let planned = links.get(it).cloned();
        planned.or_else(|| std::fs::read_link(it).ok())
    })
}

/// Returns the links that lead a path to its target, each by the folder in which it really is.
pub(crate) fn links_of(path: &Path) -> Vec<PathBuf> {
    let mut links = Vec::new();
    follow(path, |it| {
        let target = std::fs::read_link(it).ok()?;
        links.push(it.to_path_buf());
        Some(target)
    });
    links
}

/// Resolves many paths at one moment. Components that several paths share are examined once.
#[derive(Debug, Clone, Default)]
pub struct RealPaths {
    folders: HashMap<PathBuf, Option<RealFolder>>,
}

/// Where a folder leads.
#[derive(Debug, Clone)]
struct RealFolder {
    path: PathBuf,
    /// Whether something is there: nothing is below a name that doesn't exist.
    is_there: bool,
}

impl RealPaths {
    /// Resolves a path as [`real_path`] does.
    pub fn of(&mut self, path: &Path) -> Option<PathBuf> {
        self.lead(path).map(|it| it.path)
    }

    fn lead(&mut self, path: &Path) -> Option<RealFolder> {
        // `..` is relative to the target of a link before it.
        let is_plain = !path.components().any(|it| it == Component::ParentDir);
        let (Some(folder), Some(name), true) = (path.parent(), path.file_name(), is_plain) else {
            return real_path(path).map(|path| RealFolder {
                path,
                is_there: true,
            });
        };
        let folder = self.folder(folder)?;
        let path = folder.path.join(name);
        if !folder.is_there {
            return Some(RealFolder {
                path,
                is_there: false,
            });
        }
        match std::fs::read_link(&path) {
            Ok(target) => Some(RealFolder {
                path: real_path(&folder.path.join(target))?,
                is_there: true,
            }),
            Err(error) => Some(RealFolder {
                path,
                is_there: error.kind() != ErrorKind::NotFound,
            }),
        }
    }

    fn folder(&mut self, folder: &Path) -> Option<RealFolder> {
        if let Some(known) = self.folders.get(folder) {
            return known.clone();
        }
        let led = self.lead(folder);
        self.folders.insert(folder.to_path_buf(), led.clone());
        led
    }
}

fn follow(path: &Path, mut link: impl FnMut(&Path) -> Option<PathBuf>) -> Option<PathBuf> {
    let mut real = PathBuf::new();
    let mut ahead: Vec<OsString> = Vec::new();
    put_ahead(&mut ahead, path);
    let mut links = 0;
    while let Some(component) = ahead.pop() {
        match Path::new(&component).components().next() {
            Some(Component::Prefix(_) | Component::RootDir) => real.push(&component),
            Some(Component::ParentDir) => {
                real.pop();
            }
            Some(Component::Normal(name)) => {
                let next = real.join(name);
                match link(&next) {
                    Some(target) => {
                        links += 1;
                        if links > MAX_LINKS {
                            return None;
                        }
                        put_ahead(&mut ahead, &target);
                    }
                    None => real = next,
                }
            }
            Some(Component::CurDir) | None => {}
        }
    }
    Some(real)
}

/// Puts the components of a path before the remaining ones.
fn put_ahead(ahead: &mut Vec<OsString>, path: &Path) {
    let components = path.components().rev();
    ahead.extend(components.map(|component| component.as_os_str().to_owned()));
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// TR-1: `..` behind a link is relative to the link's target.
    #[test]
    fn links_are_followed_before_the_next_component() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a path");
        std::fs::create_dir_all(root.join("src/deep")).expect("a folder");
        std::fs::create_dir(root.join("hooks")).expect("a folder");
        symlink("../src/deep", root.join("hooks/link")).expect("a link");
        symlink(root.join("src"), root.join("absolute")).expect("a link");
        for (path, real) in [
            ("hooks/link/../guard.sh", "src/guard.sh"),
            ("hooks/link/./x", "src/deep/x"),
            ("absolute/../a", "a"),
            ("hooks/none/../a", "hooks/a"),
        ] {
            assert_eq!(real_path(&root.join(path)), Some(root.join(real)), "{path}");
        }
        symlink("loop", root.join("loop")).expect("a link");
        assert_eq!(real_path(&root.join("loop/x")), None);
        symlink(root.join("nowhere"), root.join("dangling")).expect("a link");
        std::fs::write(root.join("file"), "").expect("a file");
        // Cached results are the same as individual ones, whatever was resolved before.
        let mut together = RealPaths::default();
        for path in [
            "hooks/link/../guard.sh",
            "hooks/link/x",
            "hooks/link",
            "hooks/none/a/b",
            "hooks/none/a/../c",
            "absolute/deep/x",
            "absolute",
            "dangling/x",
            "dangling",
            "loop/x",
            "loop",
            "file/x",
            "file",
            "./file",
            "",
        ] {
            for _ in 0..2 {
                let path = root.join(path);
                assert_eq!(together.of(&path), real_path(&path), "{}", path.display());
            }
        }
        for path in ["", ".", "./x", "x/y", "../x", "/"] {
            let path = Path::new(path);
            assert_eq!(together.of(path), real_path(path), "{}", path.display());
        }
    }
}
