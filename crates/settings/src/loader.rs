//! Collects problems, texts and broken files while settings are read (ST-5).

use hookloop_hook::{ExtensionScope, Layer, Position, Problem, ProblemCode, Source};

use crate::adopted_file::AdoptedFile;
use crate::file_text::Documents;
use crate::hook_ids::HookIds;
use crate::layer_state::LoadedLayer;
use crate::load_request::Distrusted;

/// A settings file, or the hooks of an extension, that can't be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenFile {
    /// Its layer.
    pub layer: Layer,
    /// Where its extension was found, if it belongs to one.
    pub scope: Option<ExtensionScope>,
    /// The problem, with its place and remedy.
    pub problem: Problem,
}

/// Collects while files are read.
#[derive(Default)]
pub(crate) struct Loader {
    pub(crate) layers: Vec<LoadedLayer>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) broken_files: Vec<BrokenFile>,
    pub(crate) documents: Documents,
    pub(crate) hook_ids: HookIds,
    /// The files of other agents that were looked for (FD-2).
    pub(crate) adopted: Vec<AdoptedFile>,
    pub(crate) distrusted: Vec<Distrusted>,
}

impl Loader {
    /// Returns what is wrong with a file that somebody else could have written (TR-9).
    pub(crate) fn objection(&self, origin: &Source) -> Option<Problem> {
        let mut files = self.distrusted.iter();
        let found = files.find(|it| *it.file == *origin.file)?;
        let message = format!("the file could be somebody else's: {}", found.why);
        let code = ProblemCode::InsecureOwner;
        Some(Problem::new(code, origin.clone(), message, &*found.remedy))
    }

    /// Keeps what is wrong with a file that can't be read, and the problem that says why (ST-5).
    pub(crate) fn add_broken(
        &mut self,
        layer: Layer,
        place: Option<Position>,
        problems: Vec<Problem>,
    ) {
        let cause = problems
            .iter()
            .find(|problem| place.is_none() || problem.source.position == place)
            .or(problems.first());
        if let Some(problem) = cause.cloned() {
            self.broken_files.push(BrokenFile {
                layer,
                scope: None,
                problem,
            });
        }
        self.problems.extend(problems);
    }
}
