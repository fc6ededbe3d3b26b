//! What the hooks of a session consist of when it begins: the files that tools may not change, and
//! the state of those that must stay as they are (TR-8). Each hook is examined once for both.

use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use hookloop_hook::{HookDeclaration, HookId};
use hookloop_trust::{Examined, Loaded, Vouched};

use crate::content::{Content, Contents};
use crate::examining::examine_hooks;
use crate::lazy_protected::LazyProtected;
use crate::protected::Protected;
use crate::start_files::StartFiles;
use crate::workspace::Workspace;

/// What hooks consist of when a session begins. Clones share it.
///
/// However many hooks there are, all are examined before the session goes on: a project could
/// otherwise have so many that its servers change a person's guard before it is recorded.
#[derive(Clone)]
pub struct Held(Arc<Found>);

/// What was found.
struct Found {
    began: Mutex<StartStates>,
    protected: Protected,
}

/// The files of hooks when a session adopted them.
type StartStates = HashMap<HookId, Vec<Arc<StartState>>>;

/// A hook's files, as they were when a session began.
pub(crate) struct StartState {
    loaded: Loaded,
    pub(crate) files: Vec<(PathBuf, Content)>,
    pub(crate) implicit: StartFiles,
    /// A module of the project that is in the way of one of the interpreter's own.
    pub(crate) shadowing: Option<PathBuf>,
}

impl StartState {
    fn of(loaded: Loaded, hook: &HookDeclaration, contents: &mut Contents) -> Self {
        // A project hook's own files are compared with its fingerprint instead.
        let is_own = !hook.is_from_project();
        let own = loaded.files.iter().filter(|_| is_own);
        let files = own.chain(&loaded.rivals);
        let files = files.map(|it| (it.clone(), contents.of(it))).collect();
        let shadowing = loaded.shadowing.iter().find(|_| is_own).cloned();
        Self {
            files,
            implicit: StartFiles::of(&loaded, hook, contents),
            shadowing,
            loaded,
        }
    }
}

impl Held {
    /// Examines the hooks of a workspace; `besides` is what is protected, too.
    pub fn begin(workspace: &Workspace, besides: Protected) -> Self {
        let (mut began, mut contents) = (HashMap::new(), Contents::default());
        let mut protected = besides;
        examine_hooks(workspace, |group, examined| {
            adopt(&mut began, group, examined, &mut contents);
            protected.depend_on(group, examined, &workspace.project_root);
        });
        Self(Arc::new(Found {
            began: Mutex::new(began),
            protected,
        }))
    }

    /// Returns the files that the hooks, and whatever else was named, depend on.
    pub fn protected(&self) -> LazyProtected {
        LazyProtected::of(self.clone())
    }

    /// Returns the states in which a hook's files were when it was adopted.
    pub(crate) fn start_states(&self, hook: &HookDeclaration) -> Vec<Arc<StartState>> {
        let began = &self.0.began;
        let began = began.lock().unwrap_or_else(PoisonError::into_inner);
        began.get(&hook.id).cloned().unwrap_or_default()
    }

    /// Adds the hooks of a workspace that was loaded later, in their current state.
    pub(crate) fn take_up(&self, workspace: &Workspace) {
        let began = &self.0.began;
        let mut began = began.lock().unwrap_or_else(PoisonError::into_inner);
        let mut contents = Contents::default();
        examine_hooks(workspace, |group, examined| {
            adopt(&mut began, group, examined, &mut contents);
        });
    }
}

impl Deref for Held {
    type Target = Protected;

    fn deref(&self) -> &Protected {
        &self.0.protected
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Held").finish_non_exhaustive()
    }
}

/// Reads the files of hooks that consist of the same ones, unless they are known.
fn adopt(
    known: &mut StartStates,
    group: &[&Vouched],
    examined: &Examined,
    contents: &mut Contents,
) {
    let loaded = examined.loaded();
    let mut read: Option<Arc<StartState>> = None;
    for vouched in group {
        let hook = &*vouched.hook;
        let known = known.entry(hook.id.clone()).or_default();
        if !known.iter().any(|it| it.loaded == loaded) {
            let state = read
                .get_or_insert_with(|| Arc::new(StartState::of(loaded.clone(), hook, contents)));
            known.push(Arc::clone(state));
        }
    }
}
