//! Where a path is, to decide whether it may be deleted or written.

use std::sync::Arc;

use super::disposable::{DISPOSABLE, DISPOSABLE_AT_HOME, DISPOSABLE_PATHS};
use hookloop_shell::{component_may_meet, matches, may_meet, normalize_path};

use crate::repositories::Repositories;

/// The folders and branches that effects depend on.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// The workspace, absolute.
    pub workspace: String,
    /// The home folder, absolute.
    pub home: String,
    /// Names of folders, and patterns of files, that may be deleted.
    pub disposable: Vec<String>,
    /// The branch that is checked out in the workspace, if it is known.
    pub branch: Option<String>,
    /// Looks into repositories. Without it, only the workspace's branch is known.
    pub repositories: Option<Arc<dyn Repositories>>,
    /// Patterns of branches that must not be committed to.
    pub protected_branches: Vec<String>,
}

/// Where a path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlaceKind {
    Root,
    System,
    Home,
    Outside,
    Temporary,
    Whole,
    Repository,
    Disposable,
    Inside,
}

const TEMPORARY: &[&str] = &[
    "/tmp",
    "/var/tmp",
    "/private/tmp",
    "/private/var/tmp",
    "/private/var/folders",
    "/dev/shm",
    "/var/folders",
];
const SYSTEM: &[&str] = &[
    "/etc",
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/boot",
    "/var",
    "/opt",
    "/root",
    "/sys",
    "/proc",
    "/dev",
    "/srv",
    "/run",
    "/System",
    "/Library",
    "/Applications",
    "/private/etc",
    "/nix",
    "/snap",
    "/Windows",
    "/mnt",
    "/media",
    "/Volumes",
];
const HARMLESS_DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/tty",
    "/dev/zero",
    "/dev/stdin",
];
impl Places {
    pub(super) fn kind(&self, absolute: &str, pattern: bool) -> PlaceKind {
        let path = normalize_path(absolute);
        let workspace = self.workspace.trim_end_matches('/');
        let below = |folder: &str| {
            let folder = folder.trim_end_matches('/');
            !folder.is_empty()
                && path
                    .strip_prefix(folder)
                    .is_some_and(|rest| rest.starts_with('/'))
        };
        if path == "/" || path.len() > 1 && path[1..].chars().all(|it| "*?.".contains(it)) {
            return PlaceKind::Root;
        }
        if path == workspace
            || path == format!("{workspace}/*")
            || path == format!("{workspace}/.*")
            || path == format!("{workspace}/**")
            || pattern && path == format!("{workspace}/?*")
        {
            return PlaceKind::Whole;
        }
        if below(workspace) {
            let inner = &path[workspace.len() + 1..];
            if inner == ".git"
                || inner.ends_with("/.git")
                || inner.starts_with(".git/")
                    && std::path::Path::new(inner)
                        .extension()
                        .is_none_or(|it| it != "lock")
                || inner.starts_with(".g") && may_meet(inner, ".git")
            {
                return PlaceKind::Repository;
            }
            let filled = |it: &&str| inner.starts_with(*it) || inner.contains(&format!("/{it}"));
            if inner.split('/').any(|it| self.is_disposable(it))
                || DISPOSABLE_PATHS.iter().any(filled)
            {
                return PlaceKind::Disposable;
            }
            return PlaceKind::Inside;
        }
        if workspace.starts_with(&format!("{path}/")) {
            return PlaceKind::Outside;
        }
        if path == self.home
            || path == format!("{}/*", self.home)
            || path == format!("{}/.*", self.home)
        {
            return PlaceKind::Home;
        }
        let temporary =
            |it: &&str| below(it) && !path[it.len()..].chars().all(|it| "/*?.".contains(it));
        if TEMPORARY.iter().any(temporary) {
            return if self.shares_temporary(&path) {
                PlaceKind::Outside
            } else {
                PlaceKind::Temporary
            };
        }
        if HARMLESS_DEVICES.contains(&path.as_str()) || path.starts_with("/dev/fd/") {
            return PlaceKind::Temporary;
        }
        let first = format!("/{}", path[1..].split('/').next().unwrap_or(""));
        if SYSTEM.iter().any(|it| {
            component_may_meet(first.trim_start_matches('/'), it.trim_start_matches('/'))
                || path == *it
                || below(it)
        }) {
            return PlaceKind::System;
        }
        if below(&self.home) {
            let inner = &path[self.home.len() + 1..];
            let filled = DISPOSABLE_AT_HOME.iter().any(|it| inner.starts_with(it));
            if filled || inner.contains("/Caches/") {
                return PlaceKind::Temporary;
            }
        }
        PlaceKind::Outside
    }

    /// Returns whether a path is in the temporary folder that the workspace or the home is in: a
    /// test or a container may have put them there, and what is beside them isn't temporary.
    fn shares_temporary(&self, path: &str) -> bool {
        let entry = |path: &str| {
            let root = TEMPORARY
                .iter()
                .find_map(|root| path.strip_prefix(root)?.strip_prefix('/'));
            root.and_then(|it| it.split('/').next()).map(str::to_owned)
        };
        let of_path = entry(path);
        of_path.is_some()
            && [&self.workspace, &self.home]
                .iter()
                .any(|it| entry(it) == of_path)
    }

    fn is_disposable(&self, name: &str) -> bool {
        let own = self.disposable.iter().map(String::as_str);
        DISPOSABLE
            .iter()
            .copied()
            .chain(own)
            .any(|it| name == it || it.contains('*') && name != "*" && matches(it, name))
    }

    /// Returns whether a pattern means more than a few files.
    pub(super) fn is_broad(absolute: &str) -> bool {
        let name = absolute.rsplit('/').next().unwrap_or("");
        let letters = name.chars().filter(|it| it.is_alphanumeric()).count();
        letters < 3 || name.starts_with("*.")
    }

    /// Returns whether an unknown path may be one that matters.
    pub(super) fn unknown_is_dangerous(&self, written: &str) -> bool {
        if is_wholesale(written) {
            return true;
        }
        let whole = written.trim_end_matches(['/', '*']);
        let last = whole.rsplit('/').next().unwrap_or("");
        // `..` leads out of a variable's folder, whatever its value.
        let leaves = written.split('/').any(|it| it == "..");
        if leaves && !self.is_disposable(last) {
            return true;
        }
        let lower = written.to_lowercase();
        let temporary = [
            "tmp", "temp", "build", "cache", "dist", "out_dir", "work_dir", "workdir", "staging",
        ];
        !(temporary.iter().any(|it| lower.contains(it))
            || self.is_disposable(last) && written.contains('/'))
    }

    /// Returns whether emptying a file loses something.
    pub(super) fn is_worth_keeping(&self, written: &str) -> bool {
        let name = written
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap_or("");
        let temporary = written.starts_with("/tmp/")
            || written.starts_with("/dev/")
            || written.starts_with("/var/tmp/");
        let new = [".gitkeep", "__init__.py", ".keep", ".nojekyll"].contains(&name);
        !temporary
            && !new
            && !self.is_disposable(name)
            && !written.split('/').any(|it| self.is_disposable(it))
            && !written.starts_with('$')
    }

    /// Returns the branch that is checked out in a folder.
    pub(super) fn branch_at(&self, folder: &str) -> Option<String> {
        if let Some(repositories) = &self.repositories {
            return repositories.branch(folder);
        }
        let workspace = self.workspace.trim_end_matches('/');
        let inside = folder.strip_prefix(workspace);
        let is_inside = inside.is_some_and(|it| it.is_empty() || it.starts_with('/'));
        self.branch.clone().filter(|_| is_inside)
    }

    pub(super) fn is_protected_branch(&self, name: &str) -> bool {
        self.protected_branches.iter().any(|it| matches(it, name))
    }

    /// Returns whether a file is run when somebody logs in, a shell starts or a service begins.
    pub(super) fn is_start_file(&self, path: &str) -> bool {
        const BELOW_HOME: &[&str] = &[
            ".bashrc",
            ".bash_profile",
            ".bash_login",
            ".profile",
            ".zshrc",
            ".zprofile",
            ".zshenv",
            ".zlogin",
            ".kshrc",
            ".cshrc",
            ".tcshrc",
            ".login",
            ".xinitrc",
            ".xprofile",
            ".inputrc",
            ".bash_logout",
            ".config/fish/config.fish",
            ".config/autostart/*",
            ".config/systemd/user/*",
            ".ssh/authorized_keys*",
            ".ssh/config",
            ".ssh/rc",
            ".gitconfig",
            ".npmrc",
            ".pip/pip.conf",
            ".config/fish/conf.d/*",
            ".bash_aliases",
            "Library/LaunchAgents/*",
            ".vimrc",
            ".pythonrc",
            ".config/git/config",
            ".zlogout",
            ".pam_environment",
            ".forward",
        ];
        const SYSTEM_FILES: &[&str] = &[
            "/etc/cron*",
            "/etc/crontab",
            "/var/spool/cron/*",
            "/etc/systemd/*",
            "/lib/systemd/*",
            "/usr/lib/systemd/*",
            "/etc/init.d/*",
            "/etc/rc.local",
            "/etc/profile*",
            "/etc/bash*",
            "/etc/ld.so.preload",
            "/Library/Launch*",
            "/etc/sudoers*",
            "/etc/passwd",
            "/etc/shadow",
            "/etc/hosts",
            "/etc/pam.d/*",
            "/etc/zsh*",
            "/root/.*",
        ];
        let home = self.home.trim_end_matches('/');
        let inner = path.strip_prefix(home).and_then(|it| it.strip_prefix('/'));
        // Another user's home folder is one, too.
        let of_other = || {
            let rest = path
                .strip_prefix("/home/")
                .or_else(|| path.strip_prefix("/Users/"))?;
            rest.split_once('/').map(|(_, inner)| inner)
        };
        let inner = inner.or_else(of_other);
        inner.is_some_and(|inner| BELOW_HOME.iter().any(|it| matches(it, inner)) || shadows(inner))
            || SYSTEM_FILES.iter().any(|it| matches(it, path))
            || path.contains("/.git/hooks/")
            || path.ends_with("/.git/config")
    }
}

/// Returns whether a path means everything in a folder named by a variable that may be empty, or in
/// the system's temporary folder: `$BUILD_DIR/*` may be `/*`.
fn is_wholesale(written: &str) -> bool {
    let Some(rest) = written.strip_prefix('$') else {
        return false;
    };
    let (inner, behind) = if let Some(rest) = rest.strip_prefix('{') {
        let Some(parts) = rest.split_once('}') else {
            return false;
        };
        parts
    } else {
        let is_name = |it: char| it.is_ascii_alphanumeric() || it == '_';
        rest.split_at(rest.find(|it| !is_name(it)).unwrap_or(rest.len()))
    };
    if behind.is_empty() || behind.chars().any(|it| !"/*?.".contains(it)) {
        return false;
    }
    let (name, default) = match inner.find([':', '?', '-', '=', '+', '#', '%', '[', '^', ',']) {
        Some(at) => inner.split_at(at),
        None => (inner, ""),
    };
    let is_of_system = ["TMP", "TEMP", "TMPDIR", "TEMPDIR", "HOME", "PWD"].contains(&name);
    let is_never_empty = ["?", ":?", ":-", "-", ":=", "="]
        .iter()
        .any(|it| default.starts_with(it))
        && !["-", ":-", "=", ":=", "-/", ":-/", ":=/"].contains(&default);
    !name.is_empty() && (is_of_system || !is_never_empty)
}

/// Returns whether a path is a disk or another device that contains data.
pub(super) fn is_device(path: &str) -> bool {
    [
        "/dev/sd*",
        "/dev/hd*",
        "/dev/nvme*",
        "/dev/vd*",
        "/dev/xvd*",
        "/dev/disk*",
        "/dev/rdisk*",
        "/dev/mmcblk*",
        "/dev/mapper/*",
        "/dev/md*",
        "/dev/loop*",
        "/dev/mem",
        "/dev/kmem",
        "/dev/port",
        "/proc/sysrq-trigger",
        "/dev/dm-*",
    ]
    .iter()
    .any(|it| matches(it, path))
}

/// Returns whether a file is a database, and not one that a test creates anew.
pub(super) fn is_database(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or("").to_lowercase();
    let passing = ["test", "tmp", "temp", "dev", "cache", "example", "*"];
    [".db", ".sqlite", ".sqlite3"]
        .iter()
        .any(|it| name.ends_with(it))
        && !passing.iter().any(|it| name.contains(it))
}

/// Returns whether a file is made to be filled: a disk image.
pub(super) fn is_image(written: &str) -> bool {
    let ending = written.rsplit('.').next().unwrap_or_default();
    ["img", "iso", "bin", "raw", "qcow2", "swap", "dat"].contains(&ending)
}

/// Returns whether a program in the home folder shadows one that everybody calls.
fn shadows(inner: &str) -> bool {
    const CALLED: &[&str] = &[
        "git", "ssh", "scp", "sudo", "su", "ls", "cat", "cp", "mv", "rm", "cd", "sh", "bash",
        "zsh", "env", "python", "python3", "pip", "node", "npm", "npx", "docker", "kubectl",
        "curl", "wget", "make", "grep", "sed", "awk", "find", "tar", "gpg", "vim", "vi", "nano",
        "less", "which",
    ];
    ["bin/", ".local/bin/", ".bin/"]
        .iter()
        .filter_map(|it| inner.strip_prefix(it))
        .any(|name| CALLED.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::{PlaceKind, Places, is_wholesale};

    /// HT-40: everything below a variable's folder may be everything below the root, whatever the
    /// variable is called.
    #[test]
    fn all_below_what_may_be_empty_is_dangerous() {
        let places = Places::default();
        for written in [
            "${BUILD_DIR}/*",
            "$build/*",
            "$TMP/*",
            "${TMPDIR:-/tmp}/*",
            "$DIST/",
            "$OUT*",
            "${BUILD_DIR:?}/../src",
            "$DIST/..",
            "$TMPDIR/../../home",
        ] {
            assert!(places.unknown_is_dangerous(written), "{written}");
        }
        for written in [
            "$TMPDIR/x",
            "${BUILD_DIR:?}/*",
            "${BUILD_DIR:-build}/*",
            "$build",
            "$BUILD_DIR/objects",
            "$here/../build",
            "out/*",
        ] {
            assert!(!places.unknown_is_dangerous(written), "{written}");
        }
        assert!(!is_wholesale("$") && !is_wholesale("${x"));
    }

    /// HT-40: where workspace and home are in a temporary folder, what is beside them isn't
    /// temporary.
    #[test]
    fn a_home_in_a_temporary_folder_is_none() {
        let places = Places {
            workspace: "/tmp/x/project".to_owned(),
            home: "/tmp/x/home".to_owned(),
            ..Places::default()
        };
        assert_eq!(places.kind("/tmp/x/home", false), PlaceKind::Home);
        assert_eq!(places.kind("/tmp/x/home/work", false), PlaceKind::Outside);
        assert_eq!(places.kind("/tmp/x/other", false), PlaceKind::Outside);
        assert_eq!(places.kind("/tmp/y", false), PlaceKind::Temporary);
    }
}
