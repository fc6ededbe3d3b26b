//! Settings as a session loads them, from a temporary folder.

#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use hookloop_settings::{
    ExtensionChoice, FolderTrust, LoadRequest, RunTrust, Settings, SystemFiles, load,
};

/// Loads one text as the project's settings in a trusted folder.
pub(crate) fn load_text(content: impl AsRef<[u8]>) -> Settings {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for sub in ["home/.gemini", "project/.gemini"] {
        std::fs::create_dir_all(root.join(sub)).unwrap();
    }
    std::fs::write(root.join("project/.gemini/settings.json"), content).unwrap();
    load(&LoadRequest {
        project_root: root.join("project"),
        home: root.join("home"),
        system: SystemFiles::of(root.join("system.json")),
        folder: FolderTrust::Trusted,
        run: RunTrust::NotGiven,
        extensions: ExtensionChoice::Enabled,
        agreed_words: Vec::new(),
        distrusted: Vec::new(),
    })
}
