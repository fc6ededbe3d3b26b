//! What hooks set for later shell commands (FD-14), as long as they may run.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use hookloop_engine::Hooks;
use hookloop_exec::LaterEnvironment;
use hookloop_host::Vouching;
use hookloop_tools::LaterVariables;

use crate::environment::Environment;

/// What is consulted before a shell command runs, or is judged.
#[derive(Clone)]
pub(crate) struct Later {
    kept: LaterEnvironment,
    hooks: Hooks,
    vouching: Vouching,
    cwd: PathBuf,
}

impl Later {
    pub(crate) fn new(
        kept: &LaterEnvironment,
        hooks: &Hooks,
        vouching: Vouching,
        environment: &Environment,
    ) -> Self {
        Self {
            kept: kept.clone(),
            hooks: hooks.clone(),
            vouching,
            cwd: environment.current_dir.clone(),
        }
    }

    /// Returns what says which hooks may run.
    pub(crate) fn vouching(&self) -> Vouching {
        self.vouching.clone()
    }

    /// Returns what those hooks have set that are still configured, and may run as they are now.
    fn variables(&self) -> Vec<(OsString, Option<OsString>)> {
        let variables = self.kept.variables(|id| {
            let hook = self.hooks.running(id);
            hook.is_some_and(|hook| self.vouching.objection(&hook, &self.cwd).is_none())
        });
        let pairs = variables.into_iter().map(|it| (it.name, it.value));
        pairs.collect()
    }

    /// Returns what the shell tool consults.
    pub(crate) fn for_commands(&self) -> Arc<LaterVariables> {
        let later = self.clone();
        Arc::new(move || later.variables())
    }

    /// Returns the value that a variable has for commands, if hooks have set it.
    #[expect(
        clippy::option_option,
        reason = "no hook said anything, or hooks withheld it"
    )]
    pub(crate) fn value(&self, name: &str) -> Option<Option<OsString>> {
        let mut variables = self.variables().into_iter().rev();
        variables.find(|it| it.0 == name).map(|it| it.1)
    }
}
