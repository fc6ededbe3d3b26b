//! Whether somebody else could have written a file (TR-9).

use std::fmt;
use std::path::{Path, PathBuf};

/// Whether the owners of files are checked, and if not, why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OwnerCheck {
    /// They are checked.
    #[default]
    Enforced,
    /// The environment of the person who started the program contains `HOOKLOOP_OWNER_CHECK=off`.
    TurnedOff,
    /// The file system has no owners, or the whole home folder belongs to one other user: ownership
    /// doesn't show who could have written a file.
    NotKnown,
}

/// A file that somebody else could have written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Insecure {
    /// The file, or a folder or link target on the path to it.
    pub path: PathBuf,
    /// Why others can write it.
    pub why: OpenTo,
}

/// Who else can write a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenTo {
    /// It belongs to a user other than this one and root.
    Owner(u32),
    /// Members of a group can write it, and the group has other members.
    Group(u32),
    /// Everybody can write it.
    Everybody,
}

impl fmt::Display for Insecure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match self.why {
            OpenTo::Owner(owner) => write!(
                formatter,
                "{path} belongs to user {owner}, who is neither you nor root"
            ),
            OpenTo::Group(group) => write!(
                formatter,
                "{path} can be written by group {group}, which has other members"
            ),
            OpenTo::Everybody => write!(formatter, "{path} can be written by everybody"),
        }
    }
}

impl Insecure {
    /// Returns the remedy, as a command if there is one.
    pub fn remedy(&self) -> String {
        let path = self.path.display();
        let mend = match self.why {
            OpenTo::Owner(_) => format!("look at it, then `chown \"$(id -u)\" '{path}'`"),
            OpenTo::Group(_) => format!("look at it, then `chmod g-w '{path}'`"),
            OpenTo::Everybody => format!("look at it, then `chmod go-w '{path}'`"),
        };
        format!("{mend}; HOOKLOOP_OWNER_CHECK=off in the environment turns this check off")
    }
}

impl OwnerCheck {
    /// Returns how owners are checked below a home folder. If the home folder itself belongs to
    /// somebody else (containers), or if the file system has no permissions (a Windows drive),
    /// owners show nothing.
    pub fn for_home(home: &Path) -> Self {
        imp::for_home(home)
    }

    /// Returns who else could have written a file, because of its owner or permissions, or those of
    /// the targets of its links and the folders above. Returns `None` for a file that doesn't
    /// exist, and if owners aren't checked.
    pub fn objection(self, path: &Path) -> Option<Insecure> {
        match self {
            Self::Enforced => imp::objection(path),
            Self::TurnedOff | Self::NotKnown => None,
        }
    }

    /// Returns who else could have written a file of a project. If the whole project belongs to one
    /// other user, that user doesn't count as somebody else.
    pub fn objection_in_project(self, path: &Path, project_root: &Path) -> Option<Insecure> {
        let found = self.objection(path)?;
        let is_of_project =
            imp::owner_of(project_root).is_some_and(|owner| found.why == OpenTo::Owner(owner));
        (!is_of_project).then_some(found)
    }
}

#[cfg(unix)]
mod imp {
    use std::collections::BTreeSet;
    use std::fs::Metadata;
    use std::os::unix::fs::MetadataExt as _;
    use std::path::{Path, PathBuf};

    use hookloop_settings::bounded::read_file;

    use super::{Insecure, OpenTo, OwnerCheck};
    use crate::real_path::real_path;

    const ROOT: u32 = 0;
    const WRITABLE_BY_GROUP: u32 = 0o020;
    const WRITABLE_BY_ALL: u32 = 0o002;
    const STICKY: u32 = 0o1000;
    const ALL_RIGHTS: u32 = 0o777;

    pub(super) fn for_home(home: &Path) -> OwnerCheck {
        let user = rustix::process::geteuid().as_raw();
        let Ok(metadata) = home.metadata() else {
            return OwnerCheck::Enforced;
        };
        let is_others = metadata.uid() != user && metadata.uid() != ROOT && user != ROOT;
        // In a container, root may work in a home folder mounted from the host's user.
        let is_mounted = user == ROOT && metadata.uid() != ROOT;
        if is_others || is_mounted || has_no_rights(home) {
            OwnerCheck::NotKnown
        } else {
            OwnerCheck::Enforced
        }
    }

    /// Returns whether every file has all rights, as on file systems that know none.
    fn has_no_rights(home: &Path) -> bool {
        let everything = |path: &Path| {
            path.metadata()
                .is_ok_and(|it| it.mode() & ALL_RIGHTS == ALL_RIGHTS)
        };
        let settings = home.join(".gemini").join("settings.json");
        // No settings file has a reason to be executable for everybody: such a file system has no
        // permissions.
        everything(home) && everything(&settings)
    }

    pub(super) fn owner_of(path: &Path) -> Option<u32> {
        path.metadata().ok().map(|it| it.uid())
    }

    pub(super) fn objection(path: &Path) -> Option<Insecure> {
        let mut looked_at = BTreeSet::new();
        // The path as named and the real path: each folder on both could be replaced by anyone who
        // may write to its parent.
        for way in [Some(path.to_path_buf()), real_path(path)]
            .into_iter()
            .flatten()
        {
            for part in way.ancestors() {
                if part.as_os_str().is_empty() || !looked_at.insert(part.to_path_buf()) {
                    continue;
                }
                if let Some(insecure) = check_part(part) {
                    return Some(insecure);
                }
            }
        }
        None
    }

    fn check_part(part: &Path) -> Option<Insecure> {
        let metadata = part.symlink_metadata().ok()?;
        let why = if metadata.is_symlink() {
            // A link's permissions mean nothing. Its owner counts, and its target is on the real
            // path.
            foreign_owner(&metadata)?
        } else {
            open_to(&metadata)?
        };
        let path: PathBuf = part.to_path_buf();
        Some(Insecure { path, why })
    }

    fn foreign_owner(metadata: &Metadata) -> Option<OpenTo> {
        let user = rustix::process::geteuid().as_raw();
        let owner = metadata.uid();
        (owner != user && owner != ROOT).then_some(OpenTo::Owner(owner))
    }

    fn open_to(metadata: &Metadata) -> Option<OpenTo> {
        if let Some(owner) = foreign_owner(metadata) {
            return Some(owner);
        }
        let mode = metadata.mode();
        // In a sticky folder, others can't rename or remove files that aren't theirs.
        let is_sticky = metadata.is_dir() && mode & STICKY != 0;
        if is_sticky {
            return None;
        }
        if mode & WRITABLE_BY_ALL != 0 {
            return Some(OpenTo::Everybody);
        }
        let is_shared = mode & WRITABLE_BY_GROUP != 0 && has_other_members(metadata.gid());
        is_shared.then_some(OpenTo::Group(metadata.gid()))
    }

    /// Returns whether a group has members besides this user: a group that contains only its own
    /// user is fine. A group that can't be looked up counts as one with other members.
    fn has_other_members(group: u32) -> bool {
        let user = rustix::process::geteuid().as_raw();
        if group == ROOT {
            return false;
        }
        let users = read("/etc/passwd");
        let mine = users
            .lines()
            .map(|line| line.split(':').collect::<Vec<_>>())
            .find(|fields| field(fields, 2) == Some(user));
        let my_name = mine.as_ref().and_then(|fields| fields.first().copied());
        let is_primary_of_others = users.lines().any(|line| {
            let fields: Vec<&str> = line.split(':').collect();
            field(&fields, 3) == Some(group) && field(&fields, 2) != Some(user)
        });
        let groups = read("/etc/group");
        let entry = groups
            .lines()
            .map(|line| line.split(':').collect::<Vec<_>>())
            .find(|fields| field(fields, 2) == Some(group));
        let Some(entry) = entry else {
            return true;
        };
        let members = entry.get(3).copied().unwrap_or_default();
        let has_others = members
            .split(',')
            .map(str::trim)
            .any(|member| !member.is_empty() && Some(member) != my_name);
        is_primary_of_others || has_others
    }

    fn field(fields: &[&str], index: usize) -> Option<u32> {
        fields.get(index)?.parse().ok()
    }

    fn read(path: &str) -> String {
        read_file(Path::new(path))
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default()
    }
}

#[cfg(not(unix))]
mod imp {
    use std::path::Path;

    use super::{Insecure, OwnerCheck};

    // Permissions are access control lists there, and a user's folders belong to the user by
    // default.
    pub(super) const fn for_home(_home: &Path) -> OwnerCheck {
        OwnerCheck::NotKnown
    }

    pub(super) const fn owner_of(_path: &Path) -> Option<u32> {
        None
    }

    pub(super) const fn objection(_path: &Path) -> Option<Insecure> {
        None
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[expect(clippy::expect_used, reason = "a test that can't be set up fails")]
    fn chmod(path: &Path, mode: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("rights");
    }

    /// Returns a folder that belongs to this user, without folders above it that others may write
    /// to.
    #[expect(clippy::expect_used, reason = "a test that can't be set up fails")]
    fn folder() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().canonicalize().expect("a path");
        (folder, path)
    }

    /// TR-9: a file that everybody may write, in a folder that everybody may write to, or behind a
    /// link to such a place, could be somebody else's; in a sticky folder it couldn't.
    #[test]
    fn what_others_could_have_written_is_told() {
        let (_kept, folder) = folder();
        let inner = folder.join("inner");
        std::fs::create_dir(&inner).expect("a folder");
        let file = inner.join("settings.json");
        std::fs::write(&file, "{}").expect("a file");
        let link = folder.join("link.json");
        symlink(&file, &link).expect("a link");
        let objection = |path: &Path| OwnerCheck::Enforced.objection(path);
        assert_eq!((objection(&file), objection(&link)), (None, None));
        chmod(&file, 0o666);
        for path in [&file, &link] {
            let insecure = objection(path).expect("an objection");
            assert_eq!((&insecure.path, insecure.why), (&file, OpenTo::Everybody));
        }
        assert_eq!(OwnerCheck::TurnedOff.objection(&file), None);
        chmod(&file, 0o600);
        chmod(&inner, 0o777);
        assert_eq!(objection(&link).expect("an objection").path, inner);
        chmod(&inner, 0o1777);
        assert_eq!(objection(&link), None);
    }

    /// TR-9: what doesn't exist belongs to nobody, but the folder that it would be in counts.
    #[test]
    fn a_missing_file_is_as_safe_as_its_folder() {
        let (_kept, folder) = folder();
        let file = folder.join("missing");
        assert_eq!(OwnerCheck::Enforced.objection(&file), None);
        chmod(&folder, 0o777);
        assert!(OwnerCheck::Enforced.objection(&file).is_some());
        chmod(&folder, 0o700);
    }
}
