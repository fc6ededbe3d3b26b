//! What a confined program may do.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Whether a confined program may use the network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Network {
    /// No network, not even this machine.
    #[default]
    Closed,
    /// It may connect and listen over IP. Unix sockets of other programs (a container service, a
    /// desktop's bus, an agent for keys) stay out of reach, because those programs could do what
    /// the confined one may not.
    Open,
}

/// The rights of a confined program. It may read and run everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Confinement {
    /// Folders and files that it may write to, with everything below. Missing ones are ignored.
    pub writable: Vec<PathBuf>,
    /// Files and folders below those that stay read-only. Missing ones aren't protected.
    pub protected: Vec<PathBuf>,
    /// Whether it may use the network.
    pub network: Network,
}

const WRITE: &str = "--write";
const PROTECT: &str = "--protect";
const NETWORK: &str = "--network";
const END: &str = "--";

impl Confinement {
    /// Encodes this as arguments for the intermediate process, followed by the end marker.
    #[cfg_attr(
        not(any(target_os = "linux", test)),
        expect(dead_code, reason = "only Linux has such a program")
    )]
    pub(crate) fn to_arguments(&self) -> Vec<OsString> {
        let mut words = Vec::new();
        for (word, paths) in [(WRITE, self.writable()), (PROTECT, self.protected_paths())] {
            for path in paths {
                words.extend([word.into(), path.into_os_string()]);
            }
        }
        if self.network == Network::Open {
            words.push(NETWORK.into());
        }
        words.push(END.into());
        words
    }

    /// Decodes the arguments, and returns the remaining ones: the program with its arguments.
    #[cfg_attr(
        not(any(target_os = "linux", test)),
        expect(dead_code, reason = "only Linux has such a program")
    )]
    pub(crate) fn from_arguments(
        words: impl IntoIterator<Item = OsString>,
    ) -> Result<(Self, Vec<OsString>), String> {
        let mut words = words.into_iter();
        let mut confinement = Self::default();
        loop {
            let word = words.next().ok_or("there is nothing to run")?;
            let list = match word.to_str() {
                Some(WRITE) => &mut confinement.writable,
                Some(PROTECT) => &mut confinement.protected,
                Some(NETWORK) => {
                    confinement.network = Network::Open;
                    continue;
                }
                Some(END) => return Ok((confinement, words.collect())),
                _ => return Err(format!("{} isn't understood", word.to_string_lossy())),
            };
            list.push(words.next().ok_or("a path is missing")?.into());
        }
    }

    /// Returns the real paths of the writable folders, parents first. The root of the file system
    /// is never one, because everything would be below it.
    pub(crate) fn writable(&self) -> Vec<PathBuf> {
        let mut paths = real_paths(&self.writable);
        paths.retain(|it| it.parent().is_some());
        paths
    }

    /// Returns the real paths that are protected, parents first; a link counts as its target. A
    /// path outside every writable folder needs no protection, and neither does one in a protected
    /// folder, unless something between them is writable.
    pub(crate) fn protected_paths(&self) -> Vec<PathBuf> {
        let writable = self.writable();
        let is_inside = |path: &Path| {
            writable
                .iter()
                .any(|it| path.starts_with(it) && path != it.as_path())
        };
        let mut paths = real_paths(&self.protected);
        paths.retain(|it| is_inside(it));
        let mut kept: Vec<PathBuf> = Vec::new();
        // The paths are sorted, so the content of a protected folder follows it.
        for path in paths {
            let above = kept.iter().rev().find(|it| path.starts_with(it));
            let is_open = above.is_none_or(|above| {
                let between = |it: &&PathBuf| path.starts_with(it) && it.starts_with(above);
                writable.iter().filter(between).any(|it| it != above)
            });
            if is_open {
                kept.push(path);
            }
        }
        kept
    }
}

/// What may be done to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// It may be written.
    Writable,
    /// It is read-only, although a folder above it is writable.
    Protected,
    /// It is read-only.
    ReadOnly,
}

/// The rights by path of a confinement.
pub(crate) struct Ways {
    pub(crate) writable: Vec<PathBuf>,
    pub(crate) protected: Vec<PathBuf>,
}

#[cfg_attr(
    not(any(target_os = "linux", test)),
    expect(dead_code, reason = "only Linux mounts")
)]
impl Ways {
    pub(crate) fn of(confinement: &Confinement) -> Self {
        Self {
            writable: confinement.writable(),
            protected: confinement.protected_paths(),
        }
    }

    /// Returns whether a path is a writable folder or in one.
    pub(crate) fn is_in_writable(&self, path: &Path) -> bool {
        self.writable.iter().any(|it| path.starts_with(it))
    }

    /// Returns the rights for a path, as the nearest listed path above it determines.
    pub(crate) fn way_for(&self, path: &Path) -> Way {
        let nearest = |all: &[PathBuf]| {
            let holding = all.iter().filter(|it| path.starts_with(it));
            holding.map(|it| it.components().count()).max()
        };
        match (nearest(&self.writable), nearest(&self.protected)) {
            (None, None) => Way::ReadOnly,
            (writable, protected) if writable > protected => Way::Writable,
            _ => Way::Protected,
        }
    }
}

fn real_paths(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = paths
        .iter()
        .filter_map(|it| it.canonicalize().ok())
        .collect();
    paths.sort();
    paths.dedup();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TO-2: the arguments for the program that confines itself are decoded as they were encoded,
    /// whatever the names look like.
    #[test]
    fn words_are_read_as_they_were_written() {
        let folder = std::env::temp_dir().canonicalize().expect("a folder");
        let odd = folder.join(format!("--network {}", std::process::id()));
        std::fs::create_dir_all(odd.join("--")).expect("a folder");
        let confinement = Confinement {
            writable: vec![odd.clone()],
            protected: vec![odd.join("--")],
            network: Network::Closed,
        };
        let mut words = confinement.to_arguments();
        words.extend(["--write".into(), "--network".into()]);
        let (read, rest) = Confinement::from_arguments(words).expect("words");
        assert_eq!(read, confinement);
        assert_eq!(rest, ["--write", "--network"]);
        std::fs::remove_dir_all(odd).expect("removed");
        let unknown = Confinement::from_arguments(["--all".into(), "--".into()]);
        assert!(unknown.is_err());
        assert!(Confinement::from_arguments(["--write".into()]).is_err());
    }

    /// TO-2: the root of the file system is never writable, and only what could be
    /// written to is protected.
    #[test]
    fn the_root_is_no_folder_to_write_to() {
        let confinement = Confinement {
            writable: vec!["/".into()],
            protected: vec!["/".into(), std::env::temp_dir()],
            network: Network::Closed,
        };
        assert_eq!(confinement.writable(), Vec::<PathBuf>::new());
        assert_eq!(confinement.protected_paths(), Vec::<PathBuf>::new());
    }

    /// TO-2, HT-4: the nearest folder determines what may be done: what is in a protected one stays
    /// unchanged, including mounts, unless it was named itself, and what is protected in that stays
    /// too.
    #[test]
    fn the_nearest_folder_says_what_may_be_done() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a folder");
        let git = root.join(".git");
        let inner = git.join("objects/inner");
        std::fs::create_dir_all(&inner).expect("folders");
        let all = |writable: &[&Path]| {
            Ways::of(&Confinement {
                writable: writable.iter().map(|it| it.to_path_buf()).collect(),
                protected: vec![git.clone(), git.join("objects"), inner.clone()],
                network: Network::Closed,
            })
        };
        let ways = all(&[&root]);
        assert_eq!(ways.protected, std::slice::from_ref(&git));
        assert_eq!(ways.way_for(&root.join("src")), Way::Writable);
        assert_eq!(ways.way_for(&git.join("a/mount")), Way::Protected);
        assert_eq!(ways.way_for(Path::new("/")), Way::ReadOnly);
        let ways = all(&[&root, &git.join("objects")]);
        assert_eq!(ways.way_for(&git.join("objects/more")), Way::Protected);
        let ways = all(&[&root, &git, &inner.join("..")]);
        assert_eq!(ways.way_for(&git), Way::Protected);
        assert_eq!(ways.way_for(&inner), Way::Protected);
    }
}
