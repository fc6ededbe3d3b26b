//! Hooks whose processes are confined by the `sandbox` of their entry.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use hookloop_hook::HookDeclaration;
use hookloop_sandbox::{Confinement, Network, Sandbox, temporary_folders};

use crate::child_environment::ChildEnvironment;
use crate::surroundings::Surroundings;

/// What a project's guards depend on, and what other programs run unasked: a hook changes it only
/// if its entry names it.
const PROTECTED_FOLDERS: [&str; 2] = [".gemini", ".git"];

/// What the process of one hook is confined to, and by what.
#[derive(Debug)]
pub(crate) struct Confined<'a> {
    sandbox: Option<&'a Sandbox>,
    confinement: Confinement,
}

impl<'a> Confined<'a> {
    /// Reads what a hook's entry says; nothing if it says nothing.
    pub(crate) fn of(
        hook: &HookDeclaration,
        surroundings: &'a Surroundings,
        environment: &ChildEnvironment<'_>,
    ) -> Option<Self> {
        let asked = hook.sandbox.as_ref()?;
        let root = &surroundings.project_root;
        let named: Vec<_> = asked.write.iter().map(|it| root.join(it)).collect();
        let variables = &surroundings.variables;
        let home = variables.iter().find(|(name, _)| name == "HOME");
        let home = home.map(|(_, home)| PathBuf::from(home));
        let kept = PROTECTED_FOLDERS.iter().map(|it| root.join(it));
        let kept = kept.chain(home.map(|it| it.join(".gemini")));
        // Compares real paths: an alternative spelling of the project's folder doesn't lift its
        // protection. A protected folder inside it can be granted by itself.
        let is_named = |kept: &Path| {
            let real = kept.canonicalize().ok();
            let mut named = named.iter().filter_map(|it| it.canonicalize().ok());
            real.is_some() && named.any(|it| Some(it) == real)
        };
        let protected = kept.filter(|it| !is_named(it)).collect();
        // The host's temporary folders: a hook can't grant itself others through its own variables.
        let mut writable = temporary_folders(variables);
        writable.extend(environment.later_variables_file().map(Path::to_owned));
        writable.extend(named);
        let network = if asked.network {
            Network::Open
        } else {
            Network::Closed
        };
        Some(Self {
            sandbox: surroundings.sandbox.as_ref(),
            confinement: Confinement {
                writable,
                protected,
                network,
            },
        })
    }

    /// Makes of a program with its arguments one that runs confined.
    ///
    /// # Errors
    /// There is no sandbox: the hook can't start.
    pub(crate) fn command(&self, command: &Command) -> io::Result<Command> {
        let Some(sandbox) = self.sandbox else {
            let why = "the hook requires a sandbox, and this host has none";
            return Err(io::Error::other(why));
        };
        sandbox
            .confine(command, &self.confinement)
            .map_err(io::Error::other)
    }
}
