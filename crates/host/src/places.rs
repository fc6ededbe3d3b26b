//! The locations of settings, trust and extensions.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hookloop_settings::SystemFiles;

/// The files of an extension that hooks depend on.
pub(crate) const EXTENSION_FILES: [&str; 5] = [
    ".claude-plugin/plugin.json",
    "gemini-extension.json",
    "hooks/hooks.json",
    ".env",
    ".gemini-extension-install.json",
];

/// Returns the file that records the results of a person's commands (TR-11).
pub(crate) fn settled_file(home: &Path) -> PathBuf {
    let state = home.join(".local").join("state").join("hookloop");
    state.join("settled.json")
}

/// Returns the files of all layers, of trust, and of installed extensions.
pub(crate) fn places(
    system: &SystemFiles,
    user: PathBuf,
    project_root: &Path,
) -> BTreeSet<PathBuf> {
    let project = project_root.join(".gemini");
    let mut files = BTreeSet::from([
        system.settings.clone(),
        system.defaults.clone(),
        user.join("trustedFolders.json"),
        user.join("trusted_hooks.json"),
    ]);
    for folder in [user, project] {
        files.insert(folder.join("settings.json"));
        let extensions = folder.join("extensions");
        files.insert(extensions.join("extension-enablement.json"));
        for extension in std::fs::read_dir(extensions)
            .into_iter()
            .flatten()
            .flatten()
        {
            files.extend(EXTENSION_FILES.map(|it| extension.path().join(it)));
        }
    }
    files
}
