//! Commands in containers that can access files that guards depend on.

use std::path::{Path, PathBuf};

use hookloop_shell::{Command, Contained, Mount, contained, join, join_path, normalize_path};

use super::commands::Place;
use super::concern::Concern;
use super::created_files::copies_out_of_containers;
use super::trees::inside_or_below;
use crate::protected::Touch;

/// A path for a container's own files.
const ELSEWHERE: &str = "/.container";

impl Place {
    /// `docker run -v .:/w image rm /w/guard.sh`: what a container does to mounted files.
    pub(super) fn check_container(&self, command: &Command, depth: usize) -> Option<Concern> {
        if let Some(hit) = self.copied_file(command) {
            return Some(Concern::Touches(hit));
        }
        let container = contained(command)?;
        let writable = || container.mounts.iter().filter(|it| it.is_writable);
        let mut given = writable().map(|it| Path::new(&it.here));
        let given_itself = given.find_map(|it| {
            let hit = self.protected.affected(Touch::Write, it)?;
            // A mounted folder that merely contains a protected one isn't mounted because of it.
            (hit == it || it.starts_with(&hit)).then_some(hit)
        });
        if given_itself.is_some() {
            return given_itself.map(Concern::Touches);
        }
        let depth = depth.checked_sub(1)?;
        writable().next()?;
        let folder = match &container.folder {
            Some(folder) => on_this_machine(&container.mounts, folder),
            // The image's working folder is unknown, so the mounted folder is assumed.
            None => writable().next().map(|it| it.here.clone()),
        };
        let folder = folder.unwrap_or_else(|| ELSEWHERE.to_owned());
        let texts = container
            .commands
            .iter()
            .map(|words| seen_from_here(&container, words));
        let found = texts.filter_map(|text| self.check_shell(&text, Path::new(&folder), depth));
        found.reduce(|one, other| match one {
            Concern::Touches(_) => one,
            _ => other,
        })
    }

    /// `docker cp box:/tools .`
    fn copied_file(&self, command: &Command) -> Option<PathBuf> {
        let named: Vec<&str> = command.operands().map(|it| it.text.as_str()).collect();
        let [.., source, target] = named.as_slice() else {
            return None;
        };
        if !copies_out_of_containers(command) || !source.contains(':') || target.contains(':') {
            return None;
        }
        let name = source.rsplit(['/', ':']).next().filter(|it| !it.is_empty());
        command.folders.iter().find_map(|folder| {
            let target = PathBuf::from(join_path(folder, target));
            match name.filter(|it| *it != ".") {
                None => inside_or_below(&self.protected, &target),
                Some(name) if target.is_dir() => {
                    self.protected.affected(Touch::Remove, &target.join(name))
                }
                Some(_) => self.protected.affected(Touch::Remove, &target),
            }
        })
    }
}

/// Returns the path on this machine for a path in a container, if the container can write there.
fn on_this_machine(mounts: &[Mount], path: &str) -> Option<String> {
    let path = normalize_path(&join_path("/", path));
    let below = |it: &Mount| {
        let rest = path.strip_prefix(it.inside.trim_end_matches('/'))?;
        (rest.is_empty() || rest.starts_with('/')).then(|| rest.to_owned())
    };
    // The innermost mount counts.
    let mut found: Vec<(&Mount, String)> = mounts
        .iter()
        .filter_map(|it| Some((it, below(it)?)))
        .collect();
    found.sort_by_key(|(_, rest)| rest.len());
    let (mount, rest) = found.into_iter().next()?;
    mount
        .is_writable
        .then(|| normalize_path(&format!("{}{rest}", mount.here)))
}

/// Rewrites a container's command with the paths of this machine.
fn seen_from_here(container: &Contained, words: &[String]) -> String {
    let changes_root = words
        .iter()
        .any(|it| it == "chroot" || it.ends_with("/chroot"));
    let words = words.iter().enumerate().map(|(number, word)| {
        if number > 0 && word.starts_with('/') && !word.contains(char::is_whitespace) {
            let elsewhere = if changes_root { "" } else { ELSEWHERE };
            return on_this_machine(&container.mounts, word)
                .unwrap_or_else(|| format!("{elsewhere}{word}"));
        }
        let mut text = word.clone();
        for mount in &container.mounts {
            text = with_mount(&text, mount);
        }
        text
    });
    let words: Vec<String> = words.collect();
    join(words.iter().map(String::as_str))
}

/// Replaces the container's path of a mount by this machine's path.
fn with_mount(text: &str, mount: &Mount) -> String {
    let inside = mount.inside.trim_end_matches('/');
    if inside.is_empty() {
        return text.to_owned();
    }
    let is_of_path = |it: char| it.is_alphanumeric() || "/._-".contains(it);
    let here = if mount.is_writable {
        mount.here.as_str()
    } else {
        ELSEWHERE
    };
    let mut whole = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(inside) {
        let (before, behind) = (&rest[..at], &rest[at + inside.len()..]);
        let begins = !before.ends_with(is_of_path);
        let ends = !behind.starts_with(|it| is_of_path(it) && it != '/');
        whole.push_str(before);
        whole.push_str(if begins && ends { here } else { inside });
        rest = behind;
    }
    whole.push_str(rest);
    whole
}
