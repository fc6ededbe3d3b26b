//! What keeps an agent from starting: broken files that may contain a guard (ST-5), and strictness
//! (ST-11).

use hookloop_hook::{ExtensionScope, Layer, Problem, Severity};

use crate::settings::Settings;

/// Whether a person ever trusted a hook of the project in its folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProjectHistory {
    /// Nobody did.
    #[default]
    NeverTrusted,
    /// Somebody did: its settings may have contained that hook.
    Trusted,
}

/// Whether errors keep an agent from starting (ST-11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// Only files that can't be read do.
    #[default]
    AsConfigured,
    /// All errors do, for this run (`--strict`).
    Strict,
}

impl Settings {
    /// Returns the files without which no agent may run: a guard may be in them (ST-5). The user's
    /// and the system's always; the project's if it would count if it were intact, or if one of its
    /// hooks was ever trusted.
    pub fn broken_guards(&self, history: ProjectHistory) -> Vec<&Problem> {
        let project_counts = self.workspace.is_trusted() || history == ProjectHistory::Trusted;
        let is_kept_out = self.workspace.is_kept_out();
        self.broken_files
            .iter()
            .filter(|file| match (file.layer, file.scope) {
                (Layer::Project, _) | (_, Some(ExtensionScope::Project)) => {
                    project_counts && !is_kept_out
                }
                _ => true,
            })
            .map(|file| &file.problem)
            .collect()
    }

    /// Returns what keeps an agent from starting: broken files (ST-5), and, if strictness is set,
    /// all errors among the diagnostics in layers that count (ST-11).
    pub fn start_refusals<'a>(
        &'a self,
        history: ProjectHistory,
        strictness: Strictness,
        diagnostics: &'a [Problem],
    ) -> Vec<&'a Problem> {
        let mut refusals = self.broken_guards(history);
        if strictness == Strictness::Strict || self.switches.strict.value {
            let is_kept_out = self.workspace.is_kept_out();
            for problem in diagnostics {
                let counts = problem.severity == Severity::Error
                    && !(is_kept_out && problem.source.layer == Some(Layer::Project));
                if counts && !refusals.contains(&problem) {
                    refusals.push(problem);
                }
            }
        }
        refusals
    }
}
