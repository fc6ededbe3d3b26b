//! Lists the files in a folder of commands, whatever else is there (TR-10).

use std::collections::BTreeSet;
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};

use hookloop_settings::bounded::{Unread, read_inside, read_regular};

/// How deep folders of commands are gone into.
const MAX_DEPTH: usize = 6;
/// How many commands of a folder count.
pub(super) const MAX_COMMANDS: usize = 500;
/// How many entries of a folder and those below it are looked at.
const MAX_EXAMINED: usize = 5000;
/// How many bytes the file of a command may have.
const MAX_BYTES: u64 = 256 * 1024;

/// Where links in a folder of commands may lead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Links {
    /// Anywhere: the user made them.
    Anywhere,
    /// To files of this folder, which contains the commands: somebody else made them.
    Inside(PathBuf),
}

/// What there is in a folder of commands.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Listing {
    /// The files of commands, in the order of their names.
    pub(super) files: Vec<PathBuf>,
    /// What is left out, and why.
    pub(super) left_out: Vec<String>,
}

/// Lists the files of a folder and those below it.
pub(super) fn list(folder: &Path, links: &Links) -> Listing {
    let mut lister = Lister {
        links: links.resolved(),
        listing: Listing::default(),
        seen: BTreeSet::new(),
        looks: 0,
    };
    match folder.canonicalize() {
        Ok(real) if lister.links.may_lead_to(&real) => lister.folder(folder, real, MAX_DEPTH),
        Ok(real) => lister.leave_out(folder, &Unread::LeadsOut(real).to_string()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => lister.leave_out(folder, &error.to_string()),
    }
    if lister.listing.files.len() > MAX_COMMANDS {
        lister.listing.files.truncate(MAX_COMMANDS);
        let text = format!("there are more than {MAX_COMMANDS} commands; only the first are used");
        lister.say(folder, &text);
    }
    lister.listing
}

/// Reads the file of a command.
///
/// # Errors
/// It can't be read: why.
pub(super) fn read(file: &Path, links: &Links) -> Result<String, String> {
    let bytes = match links.resolved() {
        Links::Anywhere => read_regular(file, MAX_BYTES),
        Links::Inside(root) => match read_inside(file, &root, MAX_BYTES) {
            Ok(Some(bytes)) => Ok(bytes),
            Ok(None) => Err(io::Error::from(io::ErrorKind::NotFound).into()),
            Err(why) => Err(why),
        },
    };
    let bytes = bytes.map_err(|why| why.to_string())?;
    String::from_utf8(bytes).map_err(|_| "it isn't UTF-8 text".to_owned())
}

impl Links {
    /// Returns itself, with the real path of the folder that links stay in.
    fn resolved(&self) -> Self {
        match self {
            Self::Anywhere => Self::Anywhere,
            Self::Inside(root) => {
                Self::Inside(root.canonicalize().unwrap_or_else(|_| root.to_owned()))
            }
        }
    }

    fn may_lead_to(&self, real: &Path) -> bool {
        match self {
            Self::Anywhere => true,
            Self::Inside(root) => real.starts_with(root),
        }
    }
}

struct Lister {
    links: Links,
    listing: Listing,
    /// The real paths of the folders that were gone into: links may lead back to them.
    seen: BTreeSet<PathBuf>,
    looks: usize,
}

impl Lister {
    fn say(&mut self, path: &Path, text: &str) {
        let text = format!("{}: {text}", path.display());
        self.listing.left_out.push(text);
    }

    fn leave_out(&mut self, path: &Path, why: &str) {
        self.say(path, &format!("{why}; it is left out"));
    }

    /// Lists a folder whose real path is known.
    fn folder(&mut self, folder: &Path, real: PathBuf, depth: usize) {
        if !self.seen.insert(real) {
            return self.leave_out(folder, "it leads to a folder that is listed already");
        }
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return self.leave_out(folder, &error.to_string()),
        };
        let mut found = Vec::new();
        for entry in entries {
            self.looks += 1;
            if self.looks > MAX_EXAMINED {
                let text = format!(
                    "this folder of commands and those below it contain more than {MAX_EXAMINED} \
                     files; the others are left out"
                );
                self.say(folder, &text);
                break;
            }
            match entry.and_then(|it| Ok((it.path(), it.file_type()?))) {
                Ok(entry) => found.push(entry),
                Err(error) => self.leave_out(folder, &error.to_string()),
            }
        }
        found.sort_by(|one, other| one.0.cmp(&other.0));
        for (path, kind) in found {
            if self.listing.files.len() > MAX_COMMANDS {
                return;
            }
            self.entry(path, kind, depth);
        }
    }

    fn entry(&mut self, path: PathBuf, kind: FileType, depth: usize) {
        let is_command = path.extension().is_some_and(|it| it == "toml");
        if kind.is_symlink() {
            return self.link(path, depth);
        }
        if kind.is_dir() {
            let real = path.canonicalize();
            return match real {
                Ok(real) => self.inner(&path, real, depth),
                Err(error) => self.leave_out(&path, &error.to_string()),
            };
        }
        if kind.is_file() && is_command {
            self.listing.files.push(path);
        } else if is_command {
            self.leave_out(&path, &Unread::NotRegular.to_string());
        }
    }

    fn inner(&mut self, path: &Path, real: PathBuf, depth: usize) {
        if let Some(depth) = depth.checked_sub(1) {
            return self.folder(path, real, depth);
        }
        let why = format!("commands are only searched for {MAX_DEPTH} folders deep, so not here");
        self.leave_out(path, &why);
    }

    /// Follows a link, as far as it may lead.
    fn link(&mut self, path: PathBuf, depth: usize) {
        let is_command = path.extension().is_some_and(|it| it == "toml");
        let real = match path.canonicalize() {
            Ok(real) => real,
            Err(error) if is_command => return self.leave_out(&path, &error.to_string()),
            Err(_) => return,
        };
        let is_folder = real.is_dir();
        if !is_folder && !is_command {
            return;
        }
        if !self.links.may_lead_to(&real) {
            return self.leave_out(&path, &Unread::LeadsOut(real).to_string());
        }
        match (is_folder, &self.links) {
            (true, Links::Anywhere) => self.inner(&path, real, depth),
            // Other folders of the project don't contain commands.
            (true, Links::Inside(_)) => self.leave_out(&path, "it is a link to a folder"),
            (false, _) if real.is_file() => self.listing.files.push(path),
            (false, _) => self.leave_out(&path, &Unread::NotRegular.to_string()),
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    struct Stage(tempfile::TempDir);

    impl Stage {
        fn new() -> Self {
            let stage = Self(tempfile::tempdir().expect("a folder"));
            fs::create_dir_all(stage.path("project/commands")).expect("a folder");
            stage
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        fn write(&self, name: &str) {
            fs::write(self.path(name), "prompt = 'x'").expect("a file");
        }

        fn link(&self, name: &str, target: &Path) {
            symlink(target, self.path(name)).expect("a link");
        }

        fn inside(&self) -> Links {
            Links::Inside(self.path("project"))
        }

        /// Lists the names of the commands, and of what is left out.
        fn lists(&self, links: &Links) -> (Vec<String>, Vec<String>) {
            let folder = self.path("project/commands");
            let Listing { files, left_out } = list(&folder, links);
            let start = folder.display().to_string();
            let name = |text: &str| {
                let rest = text.strip_prefix(&start).unwrap_or(text);
                let rest = rest.split(": ").next().unwrap_or(rest);
                rest.trim_start_matches('/').to_owned()
            };
            (
                files.iter().map(|it| name(&it.to_string_lossy())).collect(),
                left_out.iter().map(|it| name(it)).collect(),
            )
        }
    }

    /// TR-10: links that loop, lead out or to the root, pipes and devices are named and left out,
    /// and nothing waits for them.
    #[test]
    fn only_regular_files_inside_count() {
        let stage = Stage::new();
        stage.write("project/commands/a.toml");
        stage.write("project/prompt.toml");
        stage.write("outside.toml");
        stage.link("project/commands/again", &stage.path("project/commands"));
        stage.link("project/commands/root", Path::new("/"));
        stage.link(
            "project/commands/in.toml",
            &stage.path("project/prompt.toml"),
        );
        stage.link("project/commands/out.toml", &stage.path("outside.toml"));
        stage.link("project/commands/zero.toml", Path::new("/dev/zero"));
        stage.link(
            "project/commands/self.toml",
            &stage.path("project/commands/self.toml"),
        );
        let pipe = stage.path("project/commands/pipe.toml");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("a pipe").success());
        let (files, left_out) = stage.lists(&stage.inside());
        assert_eq!(files, ["a.toml", "in.toml"]);
        let expected = [
            "again",
            "out.toml",
            "pipe.toml",
            "root",
            "self.toml",
            "zero.toml",
        ];
        assert_eq!(left_out, expected);
        let read = |name: &str| read(&stage.path("project/commands").join(name), &stage.inside());
        assert!(read("in.toml").is_ok());
        for name in ["out.toml", "pipe.toml", "zero.toml"] {
            assert!(read(name).is_err(), "{name}");
        }
    }

    /// TR-10: a folder that is itself a link out of the project isn't looked into.
    #[test]
    fn the_folder_itself_may_not_lead_out() {
        let stage = Stage::new();
        fs::remove_dir(stage.path("project/commands")).expect("no folder");
        fs::create_dir(stage.path("elsewhere")).expect("a folder");
        stage.write("elsewhere/a.toml");
        stage.link("project/commands", &stage.path("elsewhere"));
        let (files, left_out) = stage.lists(&stage.inside());
        assert!(files.is_empty());
        assert_eq!(left_out.len(), 1);
    }

    /// TU-5: the user's own links lead where the user wants, but not round and round.
    #[test]
    fn the_users_links_are_followed() {
        let stage = Stage::new();
        fs::create_dir(stage.path("dotfiles")).expect("a folder");
        stage.write("dotfiles/a.toml");
        stage.link("dotfiles/loop", &stage.path("project/commands"));
        stage.link("project/commands/mine", &stage.path("dotfiles"));
        stage.link("project/commands/b.toml", &stage.path("dotfiles/a.toml"));
        let (files, left_out) = stage.lists(&Links::Anywhere);
        assert_eq!(files, ["b.toml", "mine/a.toml"]);
        assert_eq!(left_out, ["mine/loop"]);
    }

    /// TR-10: of too many commands, the first ones count, and a large one isn't read; both are
    /// reported.
    #[test]
    fn what_is_too_much_is_left_out() {
        let stage = Stage::new();
        for number in 0..=MAX_COMMANDS {
            stage.write(&format!("project/commands/{number:04}.toml"));
        }
        let (files, left_out) = stage.lists(&stage.inside());
        assert_eq!((files.len(), left_out.len()), (MAX_COMMANDS, 1));
        let large = stage.path("project/commands/large.toml");
        let bytes = usize::try_from(MAX_BYTES).expect("a size") + 1;
        fs::write(&large, vec![b'#'; bytes]).expect("a file");
        assert!(read(&large, &stage.inside()).is_err());
    }
}
