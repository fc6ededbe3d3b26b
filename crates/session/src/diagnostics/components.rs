//! What is wrong with hooks that are WebAssembly components, as far as it shows without compiling
//! them (HT-20, TR-7).

use hookloop_exec::{unfit_component, unfit_grants};
use hookloop_hook::{Handler, HookDeclaration, Problem, ProblemCode};
use hookloop_settings::bounded::read_start;
use hookloop_trust::resolve_path;

use crate::environment::Environment;
use crate::workspace::Workspace;

/// How much of a file is read to see what it is, in bytes.
const HEAD: u64 = 8;

/// Reports components that aren't there or are something else, and rights that can't be read.
pub(super) fn diagnostics(
    workspace: &Workspace,
    environment: &Environment,
    hooks: &[&HookDeclaration],
) -> Vec<Problem> {
    let found = hooks.iter().filter_map(|hook| {
        let (message, help) = complaint(workspace, environment, hook)?;
        let place = hook.source_of(hook.places.command);
        let mut problem = Problem::new(ProblemCode::PluginInvalid, place, message, help);
        problem.event = Some(hook.event);
        problem.hook_id = Some(hook.id.clone());
        Some(problem)
    });
    found.collect()
}

fn complaint(
    workspace: &Workspace,
    environment: &Environment,
    hook: &HookDeclaration,
) -> Option<(String, &'static str)> {
    let Handler::Plugin(plugin) = &hook.handler else {
        return None;
    };
    if hook.broken.is_some() {
        return None;
    }
    if let Some(why) = unfit_grants(&plugin.grants) {
        return Some((why, "until then the hook can't start"));
    }
    let root = &workspace.project_root;
    let home = environment.home_of_programs();
    let cwd = &environment.current_dir;
    let path = resolve_path(&plugin.plugin, hook, root, cwd, home.as_deref());
    let shown = path.display();
    let head = match read_start(&path, HEAD) {
        Ok(head) => head,
        Err(error) => {
            let message = if path.symlink_metadata().is_ok() {
                format!("the component {shown} can't be read: {error}")
            } else {
                format!("there is no component {shown}")
            };
            let help = "build it and then trust the hook, or name the file that was built";
            return Some((message, help));
        }
    };
    let why = unfit_component(&head)?;
    let message = format!("the component {shown} can't be loaded: {why}");
    Some((
        message,
        "name a component for the world `hookloop:hook/hook@1.0.0`",
    ))
}
