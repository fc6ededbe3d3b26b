//! What keeps an agent from starting.

use hookloop_hook::{Layer, Problem, ProblemCode, Source, quoted};
use hookloop_settings::{ProjectHistory, Strictness};
use hookloop_trust::GoneHook;

use crate::diagnostics;
use crate::environment::Environment;
use crate::workspace::Workspace;

impl Workspace {
    /// Returns what keeps an agent from starting: files that can't be read and may contain a guard
    /// (ST-5), and, if strictness is set, whatever `hooks check` calls an error (ST-11).
    pub fn start_refusals(
        &self,
        strictness: Strictness,
        environment: &Environment,
    ) -> Vec<Problem> {
        let history = if self.store.knows_project(&self.project_root) {
            ProjectHistory::Trusted
        } else {
            ProjectHistory::NeverTrusted
        };
        let mut found = self.problems.clone();
        if strictness == Strictness::Strict || self.settings.switches.strict.value {
            found.extend(self.suspicions());
            found.extend(diagnostics::watch_problems(self, environment));
            found.extend(self.gone_hooks());
        }
        self.settings
            .start_refusals(history, strictness, &found)
            .into_iter()
            .cloned()
            .collect()
    }

    /// Returns a problem for each hook that was trusted in this folder and is gone (TR-8).
    pub(crate) fn gone_hooks(&self) -> Vec<Problem> {
        let file = self.project_root.join(".gemini").join("settings.json");
        let gone = self
            .store
            .gone_hooks(&self.project_root, &self.settings.hooks);
        let problem = |hook: &GoneHook| {
            let message = format!(
                "{} hook {} was trusted in this folder and is no longer configured",
                hook.event,
                quoted(&hook.label)
            );
            let help = "restore it, or withdraw the trust with `hookloop hooks untrust`";
            let source = Source {
                layer: Some(Layer::Project),
                ..Source::of_file(file.as_path())
            };
            Problem::new(ProblemCode::TrustedHookGone, source, message, help)
        };
        gone.iter().map(problem).collect()
    }
}
