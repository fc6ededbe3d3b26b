//! Everything that was configured, with its origin.

use crate::adopted_file::AdoptedFile;
use crate::agent::AgentSettings;
use crate::extension::Extension;
use crate::file_text::Documents;
use crate::layer_state::LoadedLayer;
use crate::loader::BrokenFile;
use crate::loosening::{Power, power_of};
use crate::project_word::ProjectWord;
use crate::provided::Provided;
use crate::switches::HookSwitches;
use crate::syntax::{is_null, member, parse, start, to_json};
use crate::workspace::WorkspaceTrust;
use hookloop_hook::HookDeclaration;
use hookloop_hook::Layer;
use hookloop_hook::Source;
use hookloop_hook::{Problem, ProblemCode};

/// Contains everything that was configured, with its origin. Layers are never flattened into one.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The files that were looked for, highest layer first.
    pub layers: Vec<LoadedLayer>,
    /// The files of other agents that hooks are read from (FD-2).
    pub adopted: Vec<AdoptedFile>,
    /// All hooks in order: project, user, system, extensions (ST-2, PL-6).
    pub hooks: Vec<HookDeclaration>,
    /// The switches of `hooksConfig`.
    pub switches: HookSwitches,
    /// What is wrong.
    pub problems: Vec<Problem>,
    /// Files that can't be read and may contain a guard (ST-5).
    pub broken_files: Vec<BrokenFile>,
    /// What the project says that could loosen hooks of others (ST-13).
    pub project_word: ProjectWord,
    /// Settings that aren't about hooks.
    pub agent: AgentSettings,
    /// The extensions that are sound, the user's first, by name of their folder.
    pub extensions: Vec<Extension>,
    /// Whether the workspace is trusted, and why.
    pub workspace: WorkspaceTrust,
    /// The texts, for the snippets of later problems.
    pub documents: Documents,
    /// The names of tools that the host has besides the built-in ones and those of MCP servers. No
    /// file provides them: whoever loads the settings adds them, so that [`lint`](crate::lint)
    /// knows them.
    pub host_tools: Vec<String>,
}

impl Settings {
    /// Returns a problem with the line its source points to.
    pub fn problem(
        &self,
        code: ProblemCode,
        source: Source,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Problem {
        let mut problem = Problem::new(code, source, message, help);
        problem.snippet = self.documents.snippet(&problem.source);
        problem
    }

    /// Looks up any setting by its path, the highest layer that has it first. The project's file
    /// is asked only if the workspace is trusted, and never for what others have to say (ST-13).
    pub fn lookup(&self, path: &[&str]) -> Option<Provided<serde_json::Value>> {
        let files = self.layers.iter().filter(|layer| match layer.layer {
            Layer::Project => {
                self.workspace.is_trusted()
                    && power_of(&path.join(".")) != Some(Power::UserAndSystem)
            }
            Layer::User | Layer::System => true,
            Layer::Extension => false,
        });
        files.into_iter().find_map(|layer| {
            let text = self.documents.get(&layer.file)?;
            if !may_contain(text.text(), path) {
                return None;
            }
            let root = parse(text.text()).ok()?;
            let mut value = &root;
            for key in path {
                value = &member(value.as_object()?, key)?.value;
            }
            let source = text.source_at(start(value));
            (!is_null(value)).then(|| Provided {
                value: to_json(value),
                source: Some(source),
            })
        })
    }
}

/// Returns whether a settings file may contain a path. One that doesn't needn't be parsed again:
/// only an escape could spell a key otherwise.
fn may_contain(text: &str, path: &[&str]) -> bool {
    text.contains("\\u") || path.iter().all(|key| text.contains(key))
}
