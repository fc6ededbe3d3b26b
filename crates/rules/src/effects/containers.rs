//! Folders of this machine that a container sees.

use std::borrow::Cow;

use hookloop_shell::{Command, Mount, PathUse, Place, contained, join_path, normalize_path};

use super::Effect;

/// How much is known of what is in a container's folders.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Sight {
    /// Nothing.
    Nothing,
    /// Its mounts, if there are any. Other folders of this machine may be mounted, too.
    #[default]
    Mounts,
    /// Everything that is of this machine.
    All,
}

/// The container that was started last: what it sees of this machine.
#[derive(Debug, Default)]
pub(super) struct LastContainer {
    mounts: Vec<Mount>,
    sight: Sight,
    /// It sees those of another container, too.
    sees_another: bool,
}

impl LastContainer {
    /// Records the folders that a command gives to the container that it starts, and notes if a
    /// command of a container deletes what another keeps.
    pub(super) fn note(&mut self, command: &Command, effects: &mut Vec<Effect>) {
        if self.takes_from_another(command) {
            super::note(effects, "container", command, "");
        }
        if command.place != Place::Here {
            return;
        }
        let Some(container) = contained(command) else {
            *self = Self::default();
            return;
        };
        let words = || command.words.iter().map(|it| it.text.as_str());
        let is_composed = words().any(|it| ["compose", "docker-compose"].contains(&it));
        // A mounted `.git` makes a folder part of another repository.
        let hides = command.folders.len() > 1 || words().any(|it| it.contains("/.git"));
        *self = Self {
            mounts: container.mounts,
            sight: match (hides, is_composed) {
                (true, _) => Sight::Nothing,
                (false, true) => Sight::Mounts,
                (false, false) => Sight::All,
            },
            sees_another: words().any(|it| it.starts_with("--volumes-from")),
        };
    }

    /// Returns whether a command of the container deletes what another container keeps.
    fn takes_from_another(&self, command: &Command) -> bool {
        let is_kept = |it: &PathUse| {
            !["/tmp/", "/var/tmp/"]
                .iter()
                .any(|tmp| it.written.starts_with(tmp))
        };
        self.sees_another
            && command.place == Place::Container
            && command.deletes.iter().any(is_kept)
    }

    /// Returns a command with the folders of this machine that it works in: those of the container
    /// aren't ours. There are none if nobody sees which.
    pub(super) fn placed<'c>(&self, command: &'c Command) -> Cow<'c, Command> {
        if command.place != Place::Container || command.folders.is_empty() {
            return Cow::Borrowed(command);
        }
        // Git is sent to a folder that only the container knows by this name.
        let words = || command.words.iter().map(|it| it.text.as_str());
        let is_sent = words().any(|it| it == "-C" || it.starts_with("--git-dir"))
            || command.env.iter().any(|it| it.name == "GIT_DIR");
        let seen = |folder: &String| match (self.sight, self.mounted(folder)) {
            (Sight::Nothing, _) | (Sight::All, None) => None,
            (_, Some((_, path))) => Some(path),
            (Sight::Mounts, None) => Some(folder.clone()),
        };
        let folders = command.folders.iter().filter(|_| !is_sent);
        let folders: Option<Vec<String>> = folders.map(seen).collect();
        let mut placed = command.clone();
        placed.folders = folders.unwrap_or_default();
        Cow::Owned(placed)
    }

    /// Returns a command of the container with the paths of this machine that it deletes.
    pub(super) fn on_this_machine(&self, command: &Command) -> Option<Command> {
        if command.place != Place::Container {
            return None;
        }
        let mapped = |used: &PathUse| {
            let inside = used.paths.first().unwrap_or(&used.written);
            let (mount, path) = if inside.starts_with('/') {
                self.mounted(inside)?
            } else {
                // The image's working folder isn't known, so the mounted folder is assumed.
                let mount = self.mounts.iter().find(|it| it.is_writable)?;
                (mount, format!("{}/{inside}", mount.here))
            };
            mount.is_writable.then(|| PathUse {
                paths: vec![path],
                known: used.known,
                ..used.clone()
            })
        };
        let deletes: Vec<PathUse> = command.deletes.iter().filter_map(mapped).collect();
        if deletes.is_empty() {
            return None;
        }
        let mut mapped = command.clone();
        mapped.deletes = deletes;
        mapped.writes.clear();
        mapped.redirects.clear();
        mapped.place = Place::Here;
        Some(mapped)
    }

    /// Returns the mount that a path of the container belongs to, and its path on this machine.
    fn mounted(&self, path: &str) -> Option<(&Mount, String)> {
        let path = normalize_path(&join_path("/", path));
        let found = self.mounts.iter().filter_map(|mount| {
            let inside = mount.inside.trim_end_matches('/');
            let rest = path.strip_prefix(inside)?;
            let is_below = rest.is_empty() || rest.starts_with('/');
            is_below.then(|| (mount, format!("{}{rest}", mount.here)))
        });
        found.max_by_key(|(mount, _)| mount.inside.trim_end_matches('/').len())
    }
}
