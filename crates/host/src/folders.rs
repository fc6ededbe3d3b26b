//! Where the system's settings and what is remembered stand, unless somebody says otherwise.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Returns the system's settings file as `GEMINI_CLI_SYSTEM_SETTINGS_PATH` says, else as the system
/// has it (ST-1). `variable` looks a variable up; a relative path is one below `current_dir`.
pub fn system_settings_file<'a>(
    variable: impl Fn(&str) -> Option<&'a OsStr>,
    current_dir: &Path,
) -> PathBuf {
    if let Some(file) = variable("GEMINI_CLI_SYSTEM_SETTINGS_PATH") {
        return current_dir.join(file);
    }
    let folder = if cfg!(target_os = "macos") {
        PathBuf::from("/Library/Application Support/GeminiCli")
    } else if cfg!(windows) {
        let data = variable("ProgramData").unwrap_or(OsStr::new("C:\\ProgramData"));
        Path::new(data).join("gemini-cli")
    } else {
        PathBuf::from("/etc/gemini-cli")
    };
    folder.join("settings.json")
}

/// Returns the folder for what is remembered of projects and sessions, which is the person's alone
/// (TR-9).
pub fn state_folder<'a>(variable: impl Fn(&str) -> Option<&'a OsStr>, home: &Path) -> PathBuf {
    // Who moves the home folder wants everything moved.
    let moved = variable("GEMINI_CLI_HOME").is_some();
    let state = variable("XDG_STATE_HOME").map(Path::new);
    match state.filter(|folder| !moved && folder.is_absolute()) {
        Some(folder) => folder.join("hookloop"),
        None => home.join(".local").join("state").join("hookloop"),
    }
}
