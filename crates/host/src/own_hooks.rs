//! The files that hooks of the person and the system depend on. No agreement covers them, so
//! nothing else compares them (TR-8).

use std::collections::BTreeSet;
use std::path::PathBuf;

use hookloop_hook::HookDeclaration;

use crate::content::Contents;
use crate::start_files::StartFiles;
use crate::workspace::Workspace;

/// Returns the hooks of the person and the system, with the files that they run and load. If a tool
/// call changed one of these files, the hook doesn't run.
pub fn own_hooks(workspace: &Workspace) -> Vec<(&HookDeclaration, BTreeSet<PathBuf>)> {
    let (root, cwd) = (&workspace.project_root, &workspace.opening.current_dir);
    let mut examination = workspace.store.examine(root, cwd);
    let mut contents = Contents::default();
    let own = workspace.vouched.iter().map(|it| &*it.hook);
    let own = own.filter(|it| !it.is_from_project()).map(|hook| {
        let examined = examination.of(hook);
        let mut files = examined.scripts();
        files.extend(examined.programs());
        let start_files = StartFiles::of(&examined.loaded(), hook, &mut contents);
        files.extend(start_files.deciding_files());
        (hook, files)
    });
    own.collect()
}
