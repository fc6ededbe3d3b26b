//! What a session's commands are confined to (`tools.sandbox`).

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use hookloop_sandbox::{Confinement, Network, Sandbox, temporary_folders};
use hookloop_settings::SandboxMode;
use hookloop_tools::{Leaving, ShellSandbox};

use crate::environment::Environment;
use crate::guarding::Guards;
use crate::included;
use crate::options::Options;
use crate::stage::Stage;
use crate::workspace::Workspace;

/// What other programs run unasked, or read as settings: commands can't change it.
const PROTECTED_FOLDERS: [&str; 2] = [".gemini", ".git"];

/// What belongs to a repository.
const REPOSITORY: &str = ".git";

/// How many folders are looked into for repositories, and how many of those are protected.
const MAX_FOLDERS: usize = 20_000;
const MAX_REPOSITORIES: usize = 200;

/// The variable that turns on Gemini CLI's sandbox.
const SANDBOX_VARIABLE: &str = "GEMINI_SANDBOX";

/// Returns whether commands are confined: as the settings say, or if the environment requires it
/// (TO-2). The variable can't turn it off.
pub(crate) fn mode(environment: &Environment, workspace: &Workspace) -> SandboxMode {
    let tools = &workspace.settings.agent.tools;
    match tools.sandbox.as_ref().map(|it| it.value) {
        None | Some(SandboxMode::Off) if is_asked(environment) => SandboxMode::On,
        set => set.unwrap_or(SandboxMode::Off),
    }
}

/// Other words, such as `docker`, require one too: there is only ours.
fn is_asked(environment: &Environment) -> bool {
    const NO: [&str; 5] = ["", "0", "false", "no", "off"];
    let word = environment.variable(SANDBOX_VARIABLE).unwrap_or_default();
    !NO.contains(&word.trim().to_ascii_lowercase().as_str())
}

/// Returns what commands are confined to; nothing if no sandbox is required.
pub(crate) fn for_commands<S: Stage>(
    options: &Options,
    environment: &Environment,
    workspace: &Workspace,
    guards: &Guards,
    stage: &S,
) -> Option<ShellSandbox> {
    let tools = &workspace.settings.agent.tools;
    let leaving = match mode(environment, workspace) {
        SandboxMode::Off => return None,
        SandboxMode::Ask => Leaving::Asked,
        SandboxMode::On => Leaving::Never,
    };
    let root = &workspace.project_root;
    let mut own: Vec<PathBuf> = vec![root.clone()];
    own.extend(included::of_options(options, environment));
    own.extend(included::trusted_settings_folders(environment, workspace));
    let named = tools.sandbox_paths.iter().flat_map(|it| &it.value);
    own.extend(named.map(|it| root.join(it)));
    let variables = environment.variables_of_tools(root);
    let temporary = temporary_folders(&variables);
    let writable: Vec<PathBuf> = own.iter().cloned().chain(temporary).collect();
    let mut protected: Vec<PathBuf> = own.iter().map(|it| it.join(REPOSITORY)).collect();
    for folder in &own {
        protected.extend(repositories_below(folder, &|told| stage.report(told)));
    }
    if guards.are_kept() {
        let inner = environment.current_dir.ancestors();
        let inner = inner.take_while(|it| it.starts_with(root));
        let folders = inner.chain(own.iter().map(PathBuf::as_path));
        protected.extend(folders.flat_map(|it| PROTECTED_FOLDERS.map(|name| it.join(name))));
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

/// Finds what belongs to repositories below a folder, those nearer to it first: a program of the
/// person runs their hooks as it does those of the folder's own repository. If there are too many
/// folders to look into, this is reported.
fn repositories_below(folder: &Path, tell: &dyn Fn(&str)) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = VecDeque::from([folder.to_path_buf()]);
    let mut looked_into = 0;
    while let Some(current) = open.pop_front() {
        if looked_into == MAX_FOLDERS || found.len() == MAX_REPOSITORIES {
            tell(&format!(
                "{}: repositories were searched for in {looked_into} folders of it, and {} of them \
                 are protected from commands in the sandbox; there may be more, which commands can change",
                folder.display(),
                found.len()
            ));
            break;
        }
        looked_into += 1;
        // A folder that can't be read contains nothing that a program of the same user could change
        // unnoticed.
        let entries = std::fs::read_dir(&current).into_iter().flatten().flatten();
        for entry in entries {
            if entry.file_name() == REPOSITORY {
                found.push(entry.path());
            } else if entry.file_type().is_ok_and(|it| it.is_dir()) {
                open.push_back(entry.path());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TO-2: repositories are found however deep they are, even if `.git` is a file, and links
    /// aren't followed.
    #[test]
    fn repositories_below_a_folder_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in [".git/modules/sub", "a/b/.git", "c/.git/inner/.git", "plain"] {
            std::fs::create_dir_all(path(name)).unwrap();
        }
        std::fs::create_dir(path("sub")).unwrap();
        std::fs::write(path("sub/.git"), "gitdir: ../.git/modules/sub").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.path(), path("plain/way")).unwrap();
        let mut found = repositories_below(folder.path(), &|told| panic!("{told}"));
        found.sort();
        assert_eq!(found, [".git", "a/b/.git", "c/.git", "sub/.git"].map(path));
    }
}
