//! Which executor runs each type of hook: commands, workers, services and rules run in processes
//! and by themselves, tools of MCP servers and questions to a model use what the session has
//! (HT-50).

mod named_files;
mod silent_pass;
#[cfg(feature = "mcp")]
mod tools;

use std::sync::Arc;

use hookloop_engine::{Executors, HookType};
use hookloop_exec::CommandExecutor;
use hookloop_model::{AskedModel, ModelClient, PromptHooks};
use hookloop_settings::AgentSettings;

use crate::environment::Environment;
use crate::exit::SessionError;
use crate::model::{self, chosen_model};
use crate::options::Options;
use crate::workspace::Workspace;

use named_files::NamedFiles;
pub(crate) use silent_pass::Looker;
use silent_pass::SilentPass;

pub(crate) use tools::Tools;

/// The executors of hooks, with what has to be ended after them.
pub(crate) struct Handlers {
    pub(crate) executors: Executors,
    pub(crate) tools: Tools,
}

impl Handlers {
    /// Assembles the executors of a session, whose model answers questions, too. `files` are the
    /// folders that its tools may touch.
    pub(crate) fn for_session(
        commands: &CommandExecutor,
        client: &Arc<dyn ModelClient>,
        model: &str,
        files: &hookloop_tools::Workspace,
        looker: Looker,
    ) -> Self {
        let asked = AskedModel {
            client: Arc::clone(client),
            model: model.to_owned(),
        };
        let files = Some(Arc::new(files.clone()));
        let prompts = PromptHooks::new(move || Ok(asked.clone()));
        Self::with(commands, prompts, files, looker)
    }

    fn with(
        commands: &CommandExecutor,
        prompts: PromptHooks,
        files: Option<Arc<hookloop_tools::Workspace>>,
        looker: Looker,
    ) -> Self {
        let (tools, executors) = Tools::of(commands);
        let executors = executors
            .with_others(SilentPass::new(
                NamedFiles::new(commands.clone(), files),
                looker,
            ))
            .with(HookType::Prompt, prompts);
        Self { executors, tools }
    }
}

/// Returns the executors for hooks outside a session, as for `hooks fire`, `hooks test` and the
/// bridge. Questions go to the model that a session would use, and servers live as long as the
/// executors.
pub fn executors(
    commands: &CommandExecutor,
    workspace: &Workspace,
    environment: &Environment,
) -> Executors {
    let settings = workspace.settings.agent.clone();
    let folders = [workspace.project_root.clone()];
    let files = hookloop_tools::Workspace::open(&environment.current_dir, &folders);
    let looker = Looker::of(workspace, environment);
    let environment = environment.clone();
    let chosen = std::sync::OnceLock::new();
    let prompts = PromptHooks::new(move || {
        let chosen = chosen.get_or_init(|| {
            model_for_prompts(&environment, &settings).map_err(|error| error.to_string())
        });
        chosen.clone()
    });
    Handlers::with(commands, prompts, files.ok().map(Arc::new), looker).executors
}

fn model_for_prompts(
    environment: &Environment,
    settings: &AgentSettings,
) -> Result<AskedModel, SessionError> {
    let options = Options::default();
    // Notices of this client are dropped: the run's ending reports what went wrong.
    let client = model::client(&options, environment, settings, |_| {})?;
    let model = chosen_model(&options, environment, settings)?.served;
    Ok(AskedModel { client, model })
}

/// A build without MCP: its hooks can't start, and say so (IO-21).
#[cfg(not(feature = "mcp"))]
mod tools {
    use hookloop_engine::Executors;
    use hookloop_exec::CommandExecutor;

    /// No servers.
    #[derive(Clone)]
    pub(crate) struct Tools;

    impl Tools {
        /// Sets nothing: the executor of all others reports that it can't.
        pub(crate) fn of(_commands: &CommandExecutor) -> (Self, Executors) {
            (Self, Executors::default())
        }

        /// Ends nothing.
        #[expect(clippy::unused_async, reason = "the same as with MCP")]
        pub(crate) async fn close(&self) {}
    }
}
