//! Examines all hooks of a workspace (TR-8).

use hookloop_trust::{Examined, Vouched, alike};

use crate::workspace::Workspace;

/// Examines the hooks of a workspace, those that consist of the same files together.
pub(crate) fn examine_hooks(workspace: &Workspace, mut look: impl FnMut(&[&Vouched], &Examined)) {
    let (root, cwd) = (&workspace.project_root, &workspace.opening.current_dir);
    let mut examination = workspace.store.examine(root, cwd);
    for group in alike(&workspace.vouched, |it| &*it.hook) {
        if let Some(first) = group.first() {
            look(&group, &examination.of(&first.hook));
        }
    }
}
