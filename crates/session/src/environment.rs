//! The environment as values, and the only list of the variables that the program reads. The
//! program reads them once.
//!
//! | variable | meaning |
//! |---|---|
//! | `PATH`, `PATHEXT` | where programs of hooks are found |
//! | `HOME`, `USERPROFILE` | the home folder |
//! | `GEMINI_CLI_HOME` | replaces the home folder (ST-1) |
//! | `GEMINI_CLI_SYSTEM_SETTINGS_PATH` | replaces the system's settings file (ST-1) |
//! | `GEMINI_CLI_SYSTEM_DEFAULTS_PATH` | replaces the system's defaults (ST-1) |
//! | `ProgramData` | where the system's settings file is on Windows (ST-1) |
//! | `DBUS_SESSION_BUS_ADDRESS`, `XDG_RUNTIME_DIR` | how to access the keyring (EX-3) |
//! | `GEMINI_FORCE_FILE_STORAGE` | `true` keeps secrets in files, whatever keyring there is (EX-3) |
//! | `XDG_STATE_HOME` | where state is kept, instead of `~/.local/state` |
//! | `TMPDIR`, `TMP`, `TEMP` | the folder for temporary files |
//! | `GEMINI_CLI_TRUST_WORKSPACE` | `true` trusts the workspace for this run (TR-3) |
//! | `GEMINI_CLI_INTEGRATION_TEST`, `CI`, `GITHUB_ACTIONS` | whether a person is present (AG-CLI-1) |
//! | `NO_COLOR` | no colour (TU-4) |
//! | `TERM` | `dumb`: lines are printed and nothing is repainted (TU-5) |
//! | `COLORFGBG` | whether the terminal's background is light (TU-5) |
//! | `TERM`, `COLORTERM` | the number of colours, if the background isn't known (TU-5) |
//! | `FORCE_HYPERLINK`, `TERM_PROGRAM`, `VTE_VERSION` and others | whether broken addresses are hyperlinks (TU-4) |
//! | `VISUAL`, `EDITOR` | the editor that Ctrl+X opens (TU-5) |
//! | `GEMINI_API_KEY`, `GOOGLE_API_KEY`, `GOOGLE_GEMINI_BASE_URL`, `GEMINI_MODEL` | Gemini (MO-1) |
//! | `OPENAI_API_KEY`, `OPENAI_BASE_URL`, `OPENAI_MODEL` | other models (MO-2) |
//! | `ANTHROPIC_API_KEY`, `ANTHROPIC_BASE_URL`, `ANTHROPIC_MODEL` | models of Anthropic (MO-2) |
//! |  | all of Gemini's and of other models' also from `~/.gemini/.env` |
//! | `HOOKLOOP_AGENT` | set for tools and hooks: an agent started them (TR-11) |
//! | `HOOKLOOP_OWNER_CHECK` | `off`: files that others could have written are used (TR-9) |
//! | `TRACEPARENT`, `TRACESTATE` | the trace that a session continues (TE-3) |
//! | `GEMINI_TELEMETRY_*`, `OTEL_EXPORTER_OTLP_ENDPOINT` | where telemetry goes (TE-1) |
//! | `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`, also in lower case | proxies |
//!
//! Hooks and tools inherit all other variables unchanged (ENV-3).

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use hookloop_hook::{Layer, Problem};
use hookloop_host::AgentMark;
use hookloop_keyring::Access;
use hookloop_settings::bounded::read_regular;
use hookloop_settings::{SystemFiles, read_dotenv};
use hookloop_trust::START_VARIABLES;

use crate::path_problems::{near_sibling, unreadable, unreplaced};

/// The maximum size of the file of variables, in bytes.
const MAX_VARIABLES_BYTES: u64 = 1024 * 1024;

/// The variable that names the system's settings file.
const SYSTEM_SETTINGS: &str = "GEMINI_CLI_SYSTEM_SETTINGS_PATH";

/// The variable that names the system's defaults.
const SYSTEM_DEFAULTS: &str = "GEMINI_CLI_SYSTEM_DEFAULTS_PATH";

/// The environment of the program as values, read once.
#[derive(Debug, Clone)]
pub struct Environment {
    /// All variables, for programs that inherit them.
    pub variables: Vec<(OsString, OsString)>,
    /// The current folder, absolute.
    pub current_dir: PathBuf,
    /// The working directory of the program itself, absolute. It differs from the current folder if
    /// a session works elsewhere (TU-7).
    pub process_dir: PathBuf,
    /// The folder that contains the user's `.gemini` (ST-1).
    pub home: PathBuf,
    /// The folder for temporary files.
    pub scratch_dir: PathBuf,
    /// The program itself.
    pub program: Option<PathBuf>,
    /// The program's version.
    pub version: &'static str,
    /// The state folder; `None` if variables determine it.
    pub state: Option<PathBuf>,
    /// Variables that only the project's own hooks receive: those that its settings of another
    /// agent set for everything that this agent runs (BR-25).
    pub of_project: Vec<(OsString, OsString)>,
}

/// The surroundings of a program, as read by it.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// All variables.
    pub variables: Vec<(OsString, OsString)>,
    /// The current folder, absolute.
    pub current_dir: PathBuf,
    /// The folder for temporary files.
    pub scratch_dir: PathBuf,
    /// The program itself, if it can be found.
    pub program: Option<PathBuf>,
    /// The program's version.
    pub version: &'static str,
}

/// Why the environment can't be used.
#[derive(Debug, thiserror::Error)]
pub enum EnvironmentError {
    /// The current folder is gone or not readable.
    #[error("the current folder can't be found: {0}")]
    CurrentFolder(#[source] io::Error),
    /// There is no home folder.
    #[error("there is no home folder: set HOME, or GEMINI_CLI_HOME")]
    Home,
    /// The user's file of variables exists and can't be read.
    #[error("{}: the variables of models can't be read: {source}", file.display())]
    Variables {
        /// The file.
        file: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

impl Environment {
    /// Returns whether colour may be used (TU-4).
    pub fn allows_colour(&self) -> bool {
        self.text("NO_COLOR").is_none()
    }

    /// Creates the environment from the surroundings, and determines the home folder from the
    /// variables.
    pub fn new(surroundings: Surroundings) -> Result<Self, EnvironmentError> {
        let Surroundings {
            variables,
            current_dir,
            scratch_dir,
            program,
            version,
        } = surroundings;
        let mut environment = Self {
            variables,
            process_dir: current_dir.clone(),
            current_dir,
            home: PathBuf::new(),
            scratch_dir,
            program,
            version,
            state: None,
            of_project: Vec::new(),
        };
        let home = ["GEMINI_CLI_HOME", "HOME", "USERPROFILE"]
            .into_iter()
            .find_map(|name| environment.value(name))
            .ok_or(EnvironmentError::Home)?;
        environment.home = environment.current_dir.join(home);
        Ok(environment)
    }

    /// Returns the environment for a session in another folder. Paths relative to the program's own
    /// folder keep their meaning.
    #[must_use]
    pub fn in_folder(&self, folder: PathBuf) -> Self {
        let mut moved = self.clone();
        for system in [SYSTEM_SETTINGS, SYSTEM_DEFAULTS] {
            if let Some(file) = self.value(system) {
                let file = self.current_dir.join(file);
                moved.variables.retain(|(name, _)| name != system);
                moved.variables.push((system.into(), file.into()));
            }
        }
        moved.current_dir = folder;
        moved
    }

    /// Returns the home folder that programs see. `GEMINI_CLI_HOME` doesn't change it.
    pub fn home_of_programs(&self) -> Option<PathBuf> {
        self.value("HOME").map(PathBuf::from)
    }

    /// Returns problems with the paths of the system's settings and defaults that the environment
    /// names: the file doesn't exist, and the path looks like a mistake (ST-1). A plain path to a
    /// missing file means that nothing is set.
    pub fn misnamed_system_settings(&self) -> Vec<Problem> {
        let files = self.system_files();
        let named = [
            (SYSTEM_SETTINGS, "settings", files.settings),
            (SYSTEM_DEFAULTS, "defaults", files.defaults),
        ];
        let misnamed = |(variable, what, file): (&str, &str, PathBuf)| {
            let named = self.value(variable).filter(|_| !file.exists())?;
            let named = named.to_string_lossy();
            let help = unreplaced(&named)
                .map(str::to_owned)
                .or_else(|| near_sibling(&file).map(|near| format!("did you mean \"{near}\"?")))?;
            let message = format!(
                "{variable} names \"{named}\", which doesn't exist: no hook of the system's {what} \
                 runs"
            );
            Some(unreadable(Layer::System, &file, message, help))
        };
        named.into_iter().filter_map(misnamed).collect()
    }

    /// Returns a problem if the home that the environment names can't be one, or looks like a
    /// mistake (ST-1), so that no user settings are read. A plain path to a missing folder is an
    /// empty home.
    pub fn misnamed_home(&self) -> Option<Problem> {
        let named = self.value("GEMINI_CLI_HOME")?;
        let named = named.to_string_lossy();
        let is_missing = !self.home.exists();
        let help = match unreplaced(&named).filter(|_| is_missing) {
            Some(help) => help,
            None if is_missing || self.home.is_dir() => return None,
            None => "name the folder that contains .gemini",
        };
        let message = format!(
            "GEMINI_CLI_HOME names \"{named}\", which isn't an existing folder: no hook of the \
             user's settings runs"
        );
        Some(unreadable(
            Layer::User,
            &self.home,
            message,
            help.to_owned(),
        ))
    }

    /// Returns the files of the system's layer (ST-1).
    pub fn system_files(&self) -> SystemFiles {
        hookloop_host::system_files(|name| self.value(name), &self.current_dir)
    }

    /// Returns the default files of the system's layer (ST-1).
    pub fn usual_system_files(&self) -> SystemFiles {
        SystemFiles::of(hookloop_host::usual_settings_file(|name| self.value(name)))
    }

    /// Returns the folder for the state of projects and sessions.
    pub fn state_dir(&self) -> PathBuf {
        if let Some(state) = &self.state {
            return state.clone();
        }
        // A moved home folder moves everything.
        let moved = self.value("GEMINI_CLI_HOME").is_some();
        let state = self.value("XDG_STATE_HOME").map(Path::new);
        match state.filter(|folder| !moved && folder.is_absolute()) {
            Some(folder) => folder.join("hookloop"),
            None => self.home.join(".local").join("state").join("hookloop"),
        }
    }

    /// Returns the folder with the proofs for hooks that keep the audit log (TR-11).
    pub fn proofs_dir(&self) -> PathBuf {
        self.state_dir().join("proofs")
    }

    /// Returns the parent folder of the state folders of projects.
    pub fn projects_dir(&self) -> PathBuf {
        self.state_dir().join("projects")
    }

    /// Returns whether and how the keyring is used for secrets (EX-3).
    pub fn keyring_access(&self) -> Access {
        if self.says_true("GEMINI_FORCE_FILE_STORAGE") {
            return Access::Files;
        }
        let address = self.text("DBUS_SESSION_BUS_ADDRESS");
        let session_bus = address.or_else(|| {
            let bus = Path::new(self.value("XDG_RUNTIME_DIR")?).join("bus");
            bus.exists().then(|| format!("unix:path={}", bus.display()))
        });
        Access::System { session_bus }
    }

    /// Returns whether the workspace is trusted for this run (TR-3).
    pub fn trusts_workspace(&self) -> bool {
        self.says_true("GEMINI_CLI_TRUST_WORKSPACE")
    }

    /// Returns the variables that tools and hooks inherit, with the mark that an agent started them
    /// (TR-11).
    pub fn variables_of_tools(&self, project_root: &Path) -> Vec<(OsString, OsString)> {
        let system = self.system_files();
        let mark = AgentMark {
            pid: std::process::id(),
            home: self.home.clone(),
            project: project_root.to_owned(),
            system: Some(system.settings),
            defaults: Some(system.defaults),
        };
        let (name, value) = mark.variable();
        let mut variables = self.variables.clone();
        variables.retain(|(known, _)| *known != name);
        variables.push((name, value));
        variables
    }

    /// Returns whether the person turned off the check of file owners (TR-9).
    pub fn leaves_owners_unchecked(&self) -> bool {
        self.value("HOOKLOOP_OWNER_CHECK")
            .is_some_and(|value| value == "off")
    }

    /// Returns whether the program runs unattended (AG-CLI-1).
    pub fn is_automated(&self) -> bool {
        (self.says_true("CI") || self.says_true("GITHUB_ACTIONS"))
            && !self.says_true("GEMINI_CLI_INTEGRATION_TEST")
    }

    /// Returns whether the terminal doesn't support repainting (TU-5).
    pub fn has_dumb_terminal(&self) -> bool {
        self.value("TERM").is_some_and(|value| value == "dumb")
    }

    /// Returns the command of the user's editor (TU-5).
    pub fn editor(&self) -> Option<String> {
        let editor = self.text("VISUAL").or_else(|| self.text("EDITOR"))?;
        (!editor.trim().is_empty()).then_some(editor)
    }

    /// Returns the folders that are searched for programs.
    pub fn search_path(&self) -> Vec<PathBuf> {
        self.value("PATH")
            .map(|path| std::env::split_paths(path).collect())
            .unwrap_or_default()
    }

    /// Returns the variables that make programs load files without naming them in a command (TR-8).
    pub fn start_variables(&self) -> BTreeMap<String, String> {
        let set = START_VARIABLES.into_iter();
        set.filter_map(|name| Some((name.to_owned(), self.text(name)?)))
            .collect()
    }

    /// Returns the extensions of programs on Windows, such as `.exe`; empty elsewhere.
    pub fn program_endings(&self) -> Vec<String> {
        if !cfg!(windows) {
            return Vec::new();
        }
        let endings = self
            .text("PATHEXT")
            .unwrap_or_else(|| ".COM;.EXE;.BAT;.CMD".to_owned());
        endings.split(';').map(str::to_owned).collect()
    }

    /// Returns the variables for models (MO-1, MO-2).
    pub fn models(&self) -> Result<ModelVariables, EnvironmentError> {
        let file = self.home.join(".gemini").join(".env");
        let written = match read_regular(&file, MAX_VARIABLES_BYTES).map_err(io::Error::from) {
            Ok(bytes) => read_dotenv(&String::from_utf8_lossy(&bytes)),
            // A missing file sets nothing; one that can't be read may contain the key.
            Err(source) if is_absent(&source) => Vec::new(),
            Err(source) => return Err(EnvironmentError::Variables { file, source }),
        };
        let of_file = |name: &str| {
            let found = written.iter().find(|(known, _)| known == name);
            found.map(|(_, value)| value.clone())
        };
        let either = |name: &str| {
            let value = self.text(name).or_else(|| of_file(name));
            value.filter(|value| !value.is_empty())
        };
        Ok(ModelVariables {
            gemini_key: either("GEMINI_API_KEY").or_else(|| either("GOOGLE_API_KEY")),
            gemini_base_url: either("GOOGLE_GEMINI_BASE_URL"),
            gemini_model: either("GEMINI_MODEL"),
            openai_key: either("OPENAI_API_KEY"),
            openai_base_url: either("OPENAI_BASE_URL"),
            openai_model: either("OPENAI_MODEL"),
            anthropic_key: either("ANTHROPIC_API_KEY"),
            anthropic_base_url: either("ANTHROPIC_BASE_URL"),
            anthropic_model: either("ANTHROPIC_MODEL"),
        })
    }

    /// Returns the proxies.
    #[cfg(feature = "http")]
    pub fn proxies(&self) -> hookloop_model::Proxies {
        hookloop_model::Proxies {
            http: self.first_of("http_proxy", "HTTP_PROXY"),
            https: self.first_of("https_proxy", "HTTPS_PROXY"),
            all: self.first_of("all_proxy", "ALL_PROXY"),
            none_for: self.first_of("no_proxy", "NO_PROXY"),
        }
    }

    /// Returns a variable that a setting names.
    pub fn variable(&self, name: &str) -> Option<String> {
        self.text(name)
    }

    /// Returns the trace in which the program was started (TE-3).
    #[cfg(feature = "otlp")]
    pub fn trace(&self) -> TraceVariables {
        TraceVariables {
            trace_parent: self.text("TRACEPARENT"),
            trace_state: self.text("TRACESTATE"),
        }
    }

    #[cfg(feature = "http")]
    fn first_of(&self, name: &str, other: &str) -> Option<String> {
        self.text(name).or_else(|| self.text(other))
    }

    fn says_true(&self, name: &str) -> bool {
        self.value(name).is_some_and(|value| value == "true")
    }

    /// Returns a variable as text.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.value(name)
            .map(|value| value.to_string_lossy().into_owned())
    }

    /// Returns a variable; an empty one counts as absent.
    fn value(&self, name: &str) -> Option<&OsStr> {
        let is_it = |key: &OsStr| {
            if cfg!(windows) {
                key.eq_ignore_ascii_case(name)
            } else {
                key == name
            }
        };
        let found = self.variables.iter().find(|(key, _)| is_it(key));
        found
            .map(|(_, value)| value.as_os_str())
            .filter(|value| !value.is_empty())
    }
}

/// The trace in which the program was started, from the environment.
#[cfg(feature = "otlp")]
pub struct TraceVariables {
    /// The parent span.
    pub trace_parent: Option<String>,
    /// What tracing systems add to it.
    pub trace_state: Option<String>,
}

/// The variables for models.
///
/// They may also be in the user's `~/.gemini/.env`. A project's file isn't read, because it could
/// send the user's key and everything that the model reads to somebody else.
#[derive(Clone, Default)]
pub struct ModelVariables {
    /// The key of the Gemini API.
    pub gemini_key: Option<String>,
    /// The address of the Gemini API.
    pub gemini_base_url: Option<String>,
    /// The model of the Gemini API.
    pub gemini_model: Option<String>,
    /// The key of a service that speaks `OpenAI`'s protocol.
    pub openai_key: Option<String>,
    /// The address of a service that speaks `OpenAI`'s protocol.
    pub openai_base_url: Option<String>,
    /// The model of a service that speaks `OpenAI`'s protocol.
    pub openai_model: Option<String>,
    /// The key of a service that speaks Anthropic's messages.
    pub anthropic_key: Option<String>,
    /// The address of a service that speaks Anthropic's messages.
    pub anthropic_base_url: Option<String>,
    /// The model of a service that speaks Anthropic's messages.
    pub anthropic_model: Option<String>,
}

#[cfg(test)]
impl Environment {
    /// Returns an environment with only these variables.
    pub(crate) fn from_variables(variables: &[(&str, &str)]) -> Self {
        Self {
            variables: variables
                .iter()
                .map(|(key, value)| (key.into(), value.into()))
                .collect(),
            current_dir: "/work".into(),
            process_dir: "/work".into(),
            home: "/home/me".into(),
            scratch_dir: "/tmp".into(),
            program: None,
            version: "0",
            state: None,
            of_project: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        Environment::from_variables(variables)
    }

    /// MO-1: variables of models may be in the user's file; those of the environment count
    /// before them.
    #[test]
    fn the_users_file_may_hold_keys() {
        let home = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(home.path().join(".gemini")).expect("a folder");
        let file = "export GEMINI_API_KEY=\"file\"\nOPENAI_BASE_URL=http://f\nPATH=/evil\n";
        std::fs::write(home.path().join(".gemini/.env"), file).expect("a file");
        let mut environment = environment(&[("OPENAI_BASE_URL", "http://e")]);
        environment.home = home.path().to_owned();
        let models = environment.models().expect("variables");
        assert_eq!(models.gemini_key.as_deref(), Some("file"));
        assert_eq!(models.openai_base_url.as_deref(), Some("http://e"));
        assert!(environment.search_path().is_empty());
    }

    /// MO-1, MO-4: a file that is there but can't be read is named: "there is no key" would be the
    /// wrong message.
    #[test]
    fn a_file_that_cannot_be_read_is_named() {
        let home = tempfile::tempdir().expect("a folder");
        let file = home.path().join(".gemini").join(".env");
        let mut environment = environment(&[]);
        environment.home = home.path().to_owned();
        assert!(environment.models().is_ok());
        std::fs::create_dir_all(&file).expect("a folder in the place of the file");
        let error = environment.models().err().expect("an error").to_string();
        assert!(error.contains(&file.display().to_string()), "{error}");
    }

    /// ST-1: the system's settings file can be replaced; an empty variable says nothing.
    #[test]
    fn the_system_file_can_be_replaced() {
        let name = "GEMINI_CLI_SYSTEM_SETTINGS_PATH";
        let replaced = environment(&[(name, "other.json")]).system_files();
        assert_eq!(replaced.settings, Path::new("/work/other.json"));
        assert_eq!(replaced.defaults, Path::new("/work/system-defaults.json"));
        let usual = environment(&[]).system_files();
        assert_eq!(environment(&[(name, "")]).system_files(), usual);
    }

    /// ST-1: so can the defaults alone.
    #[test]
    fn the_defaults_of_the_system_can_be_replaced() {
        let name = "GEMINI_CLI_SYSTEM_DEFAULTS_PATH";
        let replaced = environment(&[(name, "low.json")]).system_files();
        assert_eq!(replaced.defaults, Path::new("/work/low.json"));
        let usual = environment(&[]).system_files();
        assert_eq!(replaced.settings, usual.settings);
        assert_eq!(environment(&[(name, "")]).system_files(), usual);
    }

    /// ST-1, TU-7: a session in another folder reads the same system settings.
    #[test]
    fn another_folder_has_the_same_system_settings() {
        let environment = environment(&[
            ("GEMINI_CLI_SYSTEM_SETTINGS_PATH", "other.json"),
            ("GEMINI_CLI_SYSTEM_DEFAULTS_PATH", "low/defaults.json"),
        ]);
        let moved = environment.in_folder("/elsewhere".into());
        let files = moved.system_files();
        assert_eq!(files.settings, Path::new("/work/other.json"));
        assert_eq!(files.defaults, Path::new("/work/low/defaults.json"));
        assert_eq!(moved.current_dir, Path::new("/elsewhere"));
        assert_eq!(moved.process_dir, Path::new("/work"));
    }

    /// TR-3: only the word `true` trusts the workspace.
    #[test]
    fn only_true_trusts_the_workspace() {
        let trusts =
            |value| environment(&[("GEMINI_CLI_TRUST_WORKSPACE", value)]).trusts_workspace();
        assert!(trusts("true"));
        assert!(!trusts("1") && !trusts("false") && !trusts(""));
    }

    /// AG-CLI-1: `CI` is automated, unless a test of a terminal session says otherwise.
    #[test]
    fn continuous_integration_is_automated() {
        assert!(environment(&[("CI", "true")]).is_automated());
        assert!(environment(&[("GITHUB_ACTIONS", "true")]).is_automated());
        let test = [("CI", "true"), ("GEMINI_CLI_INTEGRATION_TEST", "true")];
        assert!(!environment(&test).is_automated());
    }

    /// ST-1: state follows a home folder that was replaced.
    #[test]
    fn state_follows_the_home_folder() {
        let state = environment(&[("XDG_STATE_HOME", "/state")]).state_dir();
        assert_eq!(state, Path::new("/state/hookloop"));
        let moved = [
            ("XDG_STATE_HOME", "/state"),
            ("GEMINI_CLI_HOME", "/home/me"),
        ];
        assert!(environment(&moved).state_dir().starts_with("/home/me"));
    }
}
