//! The default locations of the system's settings and of the program's state.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use hookloop_settings::SystemFiles;

/// Returns the files of the system's layer: those in `GEMINI_CLI_SYSTEM_SETTINGS_PATH` and
/// `GEMINI_CLI_SYSTEM_DEFAULTS_PATH`, or else the defaults (ST-1). `variable` looks variables up. A
/// relative path is resolved against `current_dir`.
pub fn system_files<'a>(
    variable: impl Fn(&str) -> Option<&'a OsStr>,
    current_dir: &Path,
) -> SystemFiles {
    let named = |name: &str| Some(current_dir.join(variable(name)?));
    let settings = named("GEMINI_CLI_SYSTEM_SETTINGS_PATH");
    let files = SystemFiles::of(settings.unwrap_or_else(|| usual_settings_file(&variable)));
    match named("GEMINI_CLI_SYSTEM_DEFAULTS_PATH") {
        Some(defaults) => files.with_defaults(defaults),
        None => files,
    }
}

/// Returns the default path of the system's settings file (ST-1).
pub fn usual_settings_file<'a>(variable: impl Fn(&str) -> Option<&'a OsStr>) -> PathBuf {
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

/// Returns the folder for the state of projects and sessions, which only the person can access
/// (TR-9).
pub fn state_folder<'a>(variable: impl Fn(&str) -> Option<&'a OsStr>, home: &Path) -> PathBuf {
    // A moved home folder moves everything.
    let moved = variable("GEMINI_CLI_HOME").is_some();
    let state = variable("XDG_STATE_HOME").map(Path::new);
    match state.filter(|folder| !moved && folder.is_absolute()) {
        Some(folder) => folder.join("hookloop"),
        None => home.join(".local").join("state").join("hookloop"),
    }
}
