//! A settings file: from bytes to declarations and problems.

use std::path::PathBuf;
use std::{fs, io};

use hookloop_hook::{Layer, OnFailure};
use hookloop_settings::{
    ExtensionChoice, FolderTrust, LayerState, LoadRequest, RunTrust, Settings, SystemFiles, lint,
    load,
};
use tempfile::TempDir;

/// Words of the settings file.
pub const WORDS: &[&str] = &[
    "AfterAgent",
    "AfterModel",
    "AfterTool",
    "BeforeAgent",
    "BeforeModel",
    "BeforeTool",
    "BeforeToolSelection",
    "Notification",
    "PreCompress",
    "SessionEnd",
    "SessionStart",
    "allowed",
    "args",
    "blocked",
    "command",
    "core",
    "description",
    "disabled",
    "enableHooks",
    "enabled",
    "env",
    "environmentVariableRedaction",
    "exclude",
    "extensions",
    "folderTrust",
    "guard",
    "hooks",
    "hooksConfig",
    "locked",
    "matcher",
    "maxOutputBytes",
    "maxRetries",
    "mcpServers",
    "model",
    "name",
    "notifications",
    "onFailure",
    "deny",
    "security",
    "sequential",
    "telemetry",
    "timeout",
    "30s",
    "tools",
    "trace",
    "type",
    "worker",
    "//",
    "/*",
    "*/",
    "\u{feff}",
    "\r",
];

/// The user's own hook, which a project must not weaken.
const GUARD: &str = r#"{"hooks": {"BeforeTool": [{"hooks": [
    {"type": "command", "name": "guard", "command": "true", "onFailure": "deny"}
]}]}}"#;

/// A home and a project, written over for each input.
struct Place {
    // Removes the folders in the end.
    _folder: TempDir,
    settings_file: PathBuf,
    request: LoadRequest,
}

impl Place {
    fn new() -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let (home, project_root) = (folder.path().join("home"), folder.path().join("project"));
        for root in [&home, &project_root] {
            fs::create_dir_all(root.join(".gemini"))?;
        }
        fs::write(home.join(".gemini/settings.json"), GUARD)?;
        let settings_file = project_root.join(".gemini/settings.json");
        let request = LoadRequest {
            project_root,
            home,
            system: SystemFiles::of(folder.path().join("system.json")),
            folder: FolderTrust::Untold,
            run: RunTrust::NotGiven,
            extensions: ExtensionChoice::Enabled,
            agreed_words: Vec::new(),
            distrusted: Vec::new(),
        };
        Ok(Self {
            _folder: folder,
            settings_file,
            request,
        })
    }
}

thread_local! {
    static PLACE: io::Result<Place> = Place::new();
}

/// Loads the bytes as the settings of a project that nobody trusts.
///
/// # Panics
/// When the project weakens the user's guard (ST-7), when a place is outside of the file (ST-4),
/// when a file that doesn't count isn't reported (ST-5), or when there is no folder to write to.
#[expect(
    clippy::expect_used,
    reason = "without a folder there is nothing to run"
)]
pub fn run(data: &[u8]) {
    PLACE.with(|place| {
        let place = place
            .as_ref()
            .expect("there is a folder for temporary files");
        fs::write(&place.settings_file, data).expect("the project's settings can be written");
        let mut settings = load(&place.request);
        let suspicions = lint(&settings);
        settings.problems.extend(suspicions);
        the_guard_stands(&settings);
        places_lie_inside(&settings, &String::from_utf8_lossy(data));
        a_bad_file_is_reported(&settings);
    });
}

fn the_guard_stands(settings: &Settings) {
    let users: Vec<_> = settings
        .hooks
        .iter()
        .filter(|hook| hook.source.layer == Some(Layer::User))
        .collect();
    assert_eq!(users.len(), 1, "the user's guard isn't there once");
    for guard in users {
        assert_eq!(
            guard.on_failure,
            OnFailure::Deny,
            "the guard's policy was changed"
        );
        assert!(
            settings.switches.disabled_by(guard).is_empty(),
            "the guard was disabled"
        );
        assert!(
            settings.switches.turned_off_by(guard).is_none(),
            "the guard was turned off"
        );
    }
}

fn places_lie_inside(settings: &Settings, text: &str) {
    // Line ends of every kind; the number of characters bounds the column.
    let lines = 1 + text.matches(['\n', '\r']).count();
    let columns = 1 + text.chars().count();
    let hooks = settings.hooks.iter().map(|hook| &hook.source);
    let problems = settings.problems.iter().map(|problem| &problem.source);
    for source in hooks
        .chain(problems)
        .filter(|source| source.layer == Some(Layer::Project))
    {
        let Some(position) = source.position else {
            continue;
        };
        let (line, column) = (position.line as usize, position.column as usize);
        assert!((1..=lines).contains(&line), "line {line} of {lines}");
        assert!(
            (1..=columns).contains(&column),
            "column {column} of at most {columns}"
        );
    }
    assert!(
        settings
            .hooks
            .iter()
            .all(|hook| hook.source.position.is_some()),
        "a hook doesn't know where it stands"
    );
}

fn a_bad_file_is_reported(settings: &Settings) {
    let counts = |state: LayerState| matches!(state, LayerState::Loaded | LayerState::Missing);
    for layer in settings.layers.iter().filter(|layer| !counts(layer.state)) {
        assert!(
            settings
                .problems
                .iter()
                .any(|problem| problem.source.file == layer.file),
            "a file that doesn't count isn't reported"
        );
    }
}
