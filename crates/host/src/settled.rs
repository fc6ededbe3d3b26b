//! Records of a person's commands, which running sessions adopt at once (TR-11, CM-2).

use hookloop_settings::find_project_root;
use hookloop_trust::TrustStore;

use crate::digests::Digests;
use crate::places::{places, settled_file};
use crate::private::make_private_folder;
use crate::workspace::Opening;

/// Runs a command that a person gave, and records what it changed: that is an agreement, which
/// running sessions adopt. If it can't be recorded, the command still runs, and the sessions ask.
pub fn settling<T>(opening: &Opening, command: impl FnOnce() -> T) -> T {
    let root = find_project_root(&opening.current_dir, &opening.home);
    let look = || Digests::of(places(&opening.system, opening.user_folder(), &root));
    let before = look();
    let done = command();
    let changed = look().changed_since(&before);
    if !changed.is_empty() {
        let file = settled_file(&opening.home);
        let folder = file.parent().map(make_private_folder);
        if matches!(folder, Some(Ok(()))) {
            let (mut store, _) = TrustStore::open(file);
            let _ = store.settle(&changed);
        }
    }
    done
}
