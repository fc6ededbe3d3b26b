//! The last look at a project's hook before it runs (TR-6).

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use hookloop_engine::{BoxFuture, Completion, Executor, Invocation};
use hookloop_hook::{HookDeclaration, HookId};
use hookloop_settings::{UseOfWord, WorkspaceTrust, command_words, expand_project_variables};
use hookloop_trust::{Acceptance, Standing, TrustStore, Vouched};

use crate::workspace::Workspace;

/// Lets a project's hook run only as long as it is what a person agreed to: the agent itself may
/// have written to its script since the session began.
pub(crate) struct Gate<E> {
    executor: E,
    project_root: PathBuf,
    /// Where it is looked up whether somebody agreed to the change in the meantime.
    store_file: PathBuf,
    workspace: WorkspaceTrust,
    /// The hooks as they were when the session began.
    vouched: HashMap<HookId, Vouched>,
}

impl<E> Gate<E> {
    /// Stands in front of an executor.
    pub(crate) fn new(executor: E, workspace: &Workspace) -> Self {
        let vouched = workspace.vouched.iter();
        Self {
            executor,
            project_root: workspace.project_root.clone(),
            store_file: workspace.store.file().to_owned(),
            workspace: workspace.settings.workspace.clone(),
            vouched: vouched.map(|it| (it.hook.id.clone(), it.clone())).collect(),
        }
    }

    /// Says why a hook that was planned may not run any more.
    fn objection(&self, hook: &HookDeclaration) -> Option<String> {
        if !hook.is_from_project() || self.is_as_it_was(hook) {
            return None;
        }
        // What can't be read of the store trusts nobody.
        let (store, _) = TrustStore::open(&self.store_file);
        let vouched = store.vouch(&self.project_root, vec![hook.clone()], &self.workspace);
        let refused = vouched.into_iter().find(|it| !it.may_run())?;
        let what = match refused.standing {
            Standing::Modified { message, .. } => message,
            _ => "nobody has agreed to it yet".to_owned(),
        };
        Some(format!(
            "{what}; look at it and run `hookloop hooks trust` to let it run"
        ))
    }

    /// Says which file a trusted hook would run that nobody has seen: its words are trusted as
    /// files from the project's root (TR-1), and a session may start in a folder below.
    fn stranger(&self, hook: &HookDeclaration, folder: &Path) -> Option<String> {
        let accepted = self.vouched.get(&hook.id).map(|vouched| vouched.accepted);
        let anything_goes = accepted == Some(Acceptance::ThisRun);
        if !hook.is_from_project() || anything_goes || folder == self.project_root {
            return None;
        }
        command_words(hook.command())
            .into_iter()
            .filter(|word| word.use_of_word == UseOfWord::Said)
            .map(|word| expand_project_variables(&word.text, &self.project_root))
            .find(|word| {
                let here = folder.join(word);
                let trusted = self.project_root.join(word).canonicalize().ok();
                here.is_file() && here.canonicalize().ok() != trusted
            })
            .map(|word| {
                format!(
                    "`{word}` is another file in {} than the one that is trusted, which is in the \
                     project's root; write $GEMINI_PROJECT_DIR/{word} to name that one",
                    folder.display()
                )
            })
    }

    fn is_as_it_was(&self, hook: &HookDeclaration) -> bool {
        self.vouched
            .get(&hook.id)
            .filter(|vouched| *vouched.hook == *hook)
            .is_some_and(|it| it.may_run() && it.changes_since(&self.project_root).is_empty())
    }
}

impl<E: Executor> Executor for Gate<E> {
    fn execute(&self, invocation: Invocation) -> BoxFuture<'_, Completion> {
        Box::pin(async move {
            let hook = &invocation.hook;
            let objection = self.objection(hook);
            match objection.or_else(|| self.stranger(hook, &invocation.session.cwd)) {
                Some(why) => Completion::not_started(why),
                None => self.executor.execute(invocation).await,
            }
        })
    }
}
