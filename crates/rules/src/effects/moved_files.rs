//! Files that are moved to where things may be deleted, and deleted there.

use hookloop_shell::Command;

use super::places::{PlaceKind, Places};
use super::{Effect, note};

/// Where parts of the project were moved to.
#[derive(Default)]
pub(super) struct Carried {
    places: Vec<String>,
}

impl Carried {
    /// Notes what a command moves away, and what it deletes of that.
    pub(super) fn by_path(
        &mut self,
        command: &Command,
        places: &Places,
        effects: &mut Vec<Effect>,
    ) {
        if command.program == "mv" || command.subcommand.as_deref() == Some("mv") {
            let sources = command.deletes.iter().flat_map(|it| &it.paths);
            if sources.clone().any(|it| is_kept(it, places)) {
                let written = command
                    .writes
                    .iter()
                    .flat_map(|it| it.paths.iter().cloned());
                self.places.extend(written);
            }
            return;
        }
        for path in command.deletes.iter().flat_map(|it| &it.paths) {
            let folder = format!("{}/", path.trim_end_matches('/'));
            let holds = |place: &String| format!("{place}/").starts_with(&folder);
            if self.places.iter().any(holds) {
                note(effects, "delete.project", command, path);
            }
        }
    }
}

/// Returns whether a path, judging by its name, is a folder of the project that must not be
/// deleted.
fn is_kept(path: &str, places: &Places) -> bool {
    let name = path.rsplit('/').next().unwrap_or("");
    let is_folder = !name.trim_start_matches('.').contains('.');
    match places.kind(path, false) {
        PlaceKind::Inside => is_folder,
        PlaceKind::Whole | PlaceKind::Repository => true,
        _ => false,
    }
}
