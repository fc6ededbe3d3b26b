//! Folders of this machine that a container sees.

use hookloop_shell::{Command, PathUse, Place, join_path, normalize_path};

use super::Effect;

/// The folders that the last container was given.
#[derive(Debug, Default)]
pub(super) struct Mounts {
    /// Of this machine, and where the container sees it.
    folders: Vec<(String, String)>,
    /// It sees those of another container, too.
    sees_another: bool,
}

impl Mounts {
    /// Records the folders that a command gives to the container that it starts, and notes if a
    /// command of a container deletes what another keeps.
    pub(super) fn note(&mut self, command: &Command, effects: &mut Vec<Effect>) {
        if self.takes_from_another(command) {
            super::note(effects, "container", command, "");
        }
        if !["docker", "podman", "nerdctl"].contains(&command.program.as_str())
            || command.place != Place::Here
        {
            return;
        }
        self.sees_another = command
            .words
            .iter()
            .any(|it| it.text.starts_with("--volumes-from"));
        let here = command.folders.first().map_or("/", String::as_str);
        let behind = command.words.windows(2).filter_map(|pair| {
            let is_mount = ["-v", "--volume", "--mount"].contains(&pair[0].text.as_str());
            is_mount.then_some(pair[1].text.as_str())
        });
        let attached = command.words.iter().filter_map(|it| {
            let text = it.text.as_str();
            text.strip_prefix("--volume=")
                .or_else(|| text.strip_prefix("--mount="))
        });
        let folders = behind.chain(attached).filter_map(mount);
        self.folders = folders
            .filter(|(host, _)| host.starts_with(['/', '.', '~']))
            .map(|(host, inside)| (normalize_path(&join_path(here, host)), inside.to_owned()))
            .collect();
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

    /// Returns a command of the container with the paths of this machine that it deletes.
    pub(super) fn on_this_machine(&self, command: &Command) -> Option<Command> {
        if self.folders.is_empty() || command.place != Place::Container {
            return None;
        }
        let mapped = |used: &PathUse| {
            let written = normalize_path(&join_path("/", &used.written));
            let found = self.folders.iter().find_map(|(host, inside)| {
                let inside = inside.trim_end_matches('/');
                let rest = written.strip_prefix(inside)?;
                (rest.is_empty() || rest.starts_with('/')).then(|| format!("{host}{rest}"))
            });
            // A container's working folder isn't known, so the mounted folder is assumed.
            let absolute = found.or_else(|| {
                let (host, _) = self.folders.first()?;
                (!used.written.starts_with('/')).then(|| format!("{host}/{}", used.written))
            })?;
            Some(PathUse {
                paths: vec![absolute],
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
}

/// Reads `/here:/there:ro` and `type=bind,source=/here,target=/there`; what is read-only can't be
/// changed.
fn mount(text: &str) -> Option<(&str, &str)> {
    if text.contains("target=") || text.contains("dst=") {
        let value = |keys: &[&str]| {
            let mut parts = text.split(',').filter_map(|it| it.split_once('='));
            parts.find(|(key, _)| keys.contains(key)).map(|(_, it)| it)
        };
        return Some((
            value(&["source", "src"])?,
            value(&["target", "dst", "destination"])?,
        ));
    }
    let mut parts = text.split(':');
    let (host, inside) = (parts.next()?, parts.next()?);
    (parts.next() != Some("ro")).then_some((host, inside))
}
