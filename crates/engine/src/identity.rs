//! When two hooks count as the same hook (PL-7).

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use hookloop_hook::HookDeclaration;
use hookloop_settings::expand_project_variables;

/// What makes hooks the same hook: everything that can change what they do or what their answer
/// does.
///
/// Left out is what only says when they run (`matcher`, `if`), how they are shown, and where they
/// are; `sequential` is left out because it then applies to the whole event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    /// A hash of what differs most often, so that most hooks are distinguished by one number.
    pub(crate) hash: u64,
    /// The text that runs, if expanding variables changes it.
    pub(crate) expanded: Option<String>,
}

impl Identity {
    pub(crate) fn new(hook: &HookDeclaration, project_root: &Path) -> Self {
        let program = hook.command();
        let expanded = program
            .contains('$')
            .then(|| expand_project_variables(program, project_root))
            .filter(|expanded| expanded != program);
        let mut hasher = DefaultHasher::new();
        hook.name.hash(&mut hasher);
        expanded
            .as_deref()
            .unwrap_or_else(|| hook.handler.summary())
            .hash(&mut hasher);
        hook.handler.args().hash(&mut hasher);
        hook.env.hash(&mut hasher);
        hook.timeout.hash(&mut hasher);
        Self {
            hash: hasher.finish(),
            expanded,
        }
    }

    /// Returns a number that hooks share which are one.
    pub(crate) const fn hash(&self) -> u64 {
        self.hash
    }
}
