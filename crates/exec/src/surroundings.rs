//! What an executor needs to know about the host.

use std::ffi::OsString;
use std::path::PathBuf;

use hookloop_environment::looks_secret;
use hookloop_hook::Layer;
use hookloop_sandbox::Sandbox;

use crate::later_environment::LaterEnvironment;

/// The host that hooks run in. Executors determine none of this themselves.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// The host's environment.
    pub variables: Vec<(OsString, OsString)>,
    /// Variables that the project set for the host. Only the project's own hooks get them (BR-25).
    pub of_project: Vec<(OsString, OsString)>,
    /// The project root, absolute (`GEMINI_PROJECT_DIR`, ENV-1).
    pub project_root: PathBuf,
    /// The folder for plans, absolute (`GEMINI_PLANS_DIR`, ENV-1).
    pub plans_dir: PathBuf,
    /// The parent folder of the data folders of the user's plugins. Without it, plugins have no
    /// data folder (FD-3).
    pub plugin_data: Option<PathBuf>,
    /// Keeps what hooks set for later shell commands. Without it, hooks can't set anything (FD-14).
    pub later_environment: Option<LaterEnvironment>,
    /// A folder that tools may not write to, with proofs for the runs of hooks that keep the audit
    /// log. Without it, there are no proofs (TR-11).
    pub proofs: Option<PathBuf>,
    /// A folder that tools may not write to, for compiled components. Without it, every process
    /// compiles them again (HT-20).
    pub compiled: Option<PathBuf>,
    /// What is withheld from hooks (ENV-3).
    pub redaction: Redaction,
    /// What hooks of projects and extensions may reach over HTTP: origins, or prefixes of addresses
    /// (HT-15).
    pub http_allowed: Vec<String>,
    /// A folder for unnamed files, such as the output of a hook that may outlive the host (SE-2).
    pub scratch_dir: PathBuf,
    /// The host's own current directory, if it is known. A hook that runs there needs no change of
    /// directory.
    pub process_cwd: Option<PathBuf>,
    /// Confines the processes of hooks that request it. Without it, such hooks can't start.
    pub sandbox: Option<Sandbox>,
    /// The command that ends a detached hook if the host has exited (SE-2). The process group and
    /// the remaining milliseconds are appended as two arguments; the command calls
    /// [`watch`](crate::watch).
    pub watchdog: Option<Vec<OsString>>,
}

/// Which variables are withheld from hooks: `security.environmentVariableRedaction` (ENV-3).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Redaction {
    /// `true` filters the environment of all hooks, `false` of none. `None` filters that of project
    /// and extension hooks.
    pub enabled: Option<bool>,
    /// Names that are passed on even if they look like secrets.
    pub allowed: Vec<String>,
    /// Names that are always withheld, from every hook.
    pub blocked: Vec<String>,
}

impl Redaction {
    /// Returns whether secrets are withheld: from hooks whose author isn't the user or the
    /// administrator, unless the setting says otherwise. An unknown origin isn't trusted.
    pub(crate) fn cleans(&self, layer: Option<Layer>) -> bool {
        let is_foreign = !matches!(layer, Some(Layer::User | Layer::System));
        self.enabled.unwrap_or(is_foreign)
    }

    /// Returns whether a variable is withheld from hooks of a layer (ENV-3).
    #[must_use]
    pub fn withholds(&self, layer: Option<Layer>, name: &str, value: &str) -> bool {
        let named = |list: &[String]| list.iter().any(|it| it.eq_ignore_ascii_case(name));
        let may_look_like_one = self.cleans(layer) && !named(&self.allowed);
        named(&self.blocked) || may_look_like_one && looks_secret(name, value)
    }
}
