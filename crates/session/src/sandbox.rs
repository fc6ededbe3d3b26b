//! What the commands of a session are confined to (`tools.sandbox`).

use std::path::PathBuf;

use hookloop_sandbox::{Confinement, Network, Sandbox, temporary_folders};
use hookloop_settings::SandboxMode;
use hookloop_tools::{Leaving, ShellSandbox};

use crate::environment::Environment;
use crate::guarding::Guards;
use crate::options::Options;
use crate::workspace::Workspace;

/// What others run unasked, or read as settings: commands leave it as it is.
const KEPT: [&str; 2] = [".gemini", ".git"];

/// Returns what commands are confined to; nothing where the settings ask for no sandbox.
pub(crate) fn of_commands(
    options: &Options,
    environment: &Environment,
    workspace: &Workspace,
    guards: &Guards,
) -> Option<ShellSandbox> {
    let tools = &workspace.settings.agent.tools;
    let leaving = match tools.sandbox.as_ref()?.value {
        SandboxMode::Off => return None,
        SandboxMode::Ask => Leaving::Asked,
        SandboxMode::On => Leaving::Never,
    };
    let root = &workspace.project_root;
    let included = options.include_directories.iter();
    let mut own: Vec<PathBuf> = vec![root.clone()];
    own.extend(included.map(|it| environment.current_dir.join(it)));
    let named = tools.sandbox_paths.iter().flat_map(|it| &it.value);
    own.extend(named.map(|it| root.join(it)));
    let variables = environment.variables_of_tools(root);
    let temporary = temporary_folders(&variables);
    let writable: Vec<PathBuf> = own.iter().cloned().chain(temporary).collect();
    let mut protected: Vec<PathBuf> = own.iter().map(|it| it.join(".git")).collect();
    if guards.are_kept() {
        let inner = environment.current_dir.ancestors();
        let inner = inner.take_while(|it| it.starts_with(root));
        let folders = inner.chain(own.iter().map(PathBuf::as_path));
        protected.extend(folders.flat_map(|it| KEPT.map(|name| it.join(name))));
        protected.extend(environment.home_of_programs().map(|it| it.join(".gemini")));
        protected.extend(writable.iter().flat_map(|it| guards.below(it)));
    }
    let is_open = tools.sandbox_network.as_ref().is_some_and(|it| it.value);
    Some(ShellSandbox {
        sandbox: Sandbox::new(environment.program.as_deref()),
        confinement: Confinement {
            writable,
            protected,
            network: if is_open {
                Network::Open
            } else {
                Network::Closed
            },
        },
        leaving,
    })
}
