//! Which hooks another agent runs by itself (BR-12).

use hookloop_bridge::Agent;
use hookloop_engine::Registry;
use hookloop_hook::{Dialect, HookDeclaration, HookType, Layer};
use hookloop_session::Workspace;

/// Leaves hooks out that are for other agents, or that this one runs by itself (BR-12).
pub(super) fn host_in(registry: &mut Registry, agent: Agent, workspace: &Workspace) {
    registry.host_in(agent.word(), |hook| runs_itself(agent, hook, workspace));
}

/// Tells whether an agent runs a hook by itself: it stands in that agent's own file, was observed to
/// run there, and nothing switches it off (BR-12).
fn runs_itself(agent: Agent, hook: &HookDeclaration, workspace: &Workspace) -> bool {
    let file = &hook.source.file;
    let is_in = |path: &str| file.ends_with(path);
    match agent {
        Agent::GeminiCli => {
            matches!(hook.dialect, Dialect::Hookloop | Dialect::GeminiCli)
                && hook.handler.hook_type() == Some(HookType::Command)
                && is_in(".gemini/settings.json")
        }
        Agent::ClaudeCode => {
            let theirs = is_in(".claude/settings.json") || is_in(".claude/settings.local.json");
            theirs && !is_switched_off(workspace, ".claude")
        }
        Agent::Qwen => is_in(".qwen/settings.json") && !is_switched_off(workspace, ".qwen"),
        Agent::Copilot => {
            hook.source.layer == Some(Layer::User)
                && file
                    .parent()
                    .is_some_and(|it| it.ends_with(".copilot/hooks"))
        }
        // Codex runs what it was told to trust, which can't be seen in its files.
        _ => false,
    }
}

/// Tells whether a file of an agent turns all hooks off, the person's too.
fn is_switched_off(workspace: &Workspace, folder: &str) -> bool {
    let roots = [&workspace.project_root, &workspace.opening.home];
    let files = ["settings.json", "settings.local.json"];
    roots.iter().any(|root| {
        files.iter().any(|file| {
            let bytes = std::fs::read(root.join(folder).join(file)).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            text.contains("disableAllHooks")
        })
    })
}
