//! Hooks that are WebAssembly components (HT-20): how they run, and what they may access.

use std::path::Path;
use std::process::{Command, Stdio};

use hookloop_engine::{Completion, Invocation};
use hookloop_hook::Plugin;
use hookloop_plugins::{Plugins, Question};

use crate::child_environment::Environments;
use crate::surroundings::Surroundings;

/// Compiles components in separate processes, for a host that exits soon: otherwise a component
/// that takes longer to compile than a hook's timeout would never be ready (HT-20). Each process
/// runs `program` with `words`, followed by the component and by the folder for compiled
/// components.
pub fn leave_compiling(program: &Path, words: &[&str]) {
    for (component, folder) in hookloop_plugins::being_compiled() {
        let mut command = Command::new(program);
        command
            .args(words)
            .arg(component)
            .arg(folder)
            .env_clear()
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        hookloop_process::detach(&mut command);
        // If it can't be started, the next event compiles the component again, and reports that.
        let _ = command.spawn();
    }
}

/// Asks the component of a hook.
pub(crate) async fn run(
    plugins: &Plugins,
    plugin: &Plugin,
    invocation: &Invocation,
    surroundings: &Surroundings,
    environments: &Environments,
) -> Completion {
    // A plugin without granted variables needs no environment.
    let wanted = &plugin.grants.env;
    let environment = (!wanted.is_empty()).then(|| environments.of(surroundings, invocation));
    let environment = match environment.transpose() {
        Ok(environment) => environment,
        Err(why) => return Completion::not_started(why),
    };
    let variable = |name: &str| {
        let value = environment.as_ref()?.get(name)?;
        Some(value.to_string_lossy().into_owned())
    };
    let mut variables = surroundings.variables.iter().rev();
    let home = variables.find(|(name, _)| name == "HOME");
    let question = Question {
        invocation,
        plugin,
        root: &surroundings.project_root,
        home: home.map(|(_, value)| Path::new(value)),
        variable: &variable,
        cache: surroundings.compiled.as_deref(),
    };
    let mut completion = plugins.ask(question).await;
    if let Some(environment) = &environment {
        let withheld = environment.withheld_names().into_iter();
        completion.withheld_env = withheld.filter(|name| wanted.contains(name)).collect();
    }
    completion
}
