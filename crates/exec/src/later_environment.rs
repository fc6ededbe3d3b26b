//! What other agents' hooks set for later shell commands (FD-14).
//!
//! It is kept in memory, so that only hooks can set it. The file that a hook writes is read once,
//! right after the hook's run, by a shell in the hook's own environment. Whatever that shell
//! exports afterwards and didn't export before is what the hook has set.

mod names;
mod reading;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookloop_engine::events::{EventName, SessionIdentity};
use hookloop_hook::{Authority, Dialect, Handler, HookDeclaration, HookId, Mode};
use tempfile::TempPath;

use crate::transcripts::make_folder;
pub(crate) use names::is_harmless_of_python;
pub(crate) use reading::{Reader, read};

/// The variables that hooks have set for later shell commands of one session. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct LaterEnvironment(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// The folder for the files that hooks write to.
    folder: PathBuf,
    kept: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    session_id: String,
    /// The less trusted come first, so that what the more trusted set counts.
    of_hooks: BTreeMap<Place, Vec<LaterVariable>>,
}

/// A hook's rank among those that set variables.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    authority: Authority,
    line: u32,
    hook: HookId,
}

impl Place {
    fn of(hook: &HookDeclaration) -> Self {
        Self {
            authority: hook.authority(),
            line: hook.source.position.map_or(0, |it| it.line),
            hook: hook.id.clone(),
        }
    }
}

/// A variable that a hook has set for later shell commands, or removed from them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaterVariable {
    /// The name of the variable.
    pub name: OsString,
    /// Its value; `None` if it was removed.
    pub value: Option<OsString>,
}

impl LaterEnvironment {
    /// Creates an empty environment. Hooks write their files to `folder`, which need not exist.
    pub fn new(folder: PathBuf, session_id: &str) -> Self {
        let kept = State {
            session_id: session_id.to_owned(),
            of_hooks: BTreeMap::new(),
        };
        Self(Arc::new(Shared {
            folder,
            kept: Mutex::new(kept),
        }))
    }

    /// Forgets all variables and starts with another session, whose own hooks run as it starts.
    pub fn begin(&self, session_id: &str) {
        let mut kept = self.lock();
        session_id.clone_into(&mut kept.session_id);
        kept.of_hooks.clear();
    }

    /// Returns the variables that hooks have set, in order of precedence. Variables from hooks that
    /// may no longer run are forgotten.
    pub fn variables(&self, may_run: impl Fn(&HookId) -> bool) -> Vec<LaterVariable> {
        let mut kept = self.lock();
        kept.of_hooks.retain(|place, _| may_run(&place.hook));
        kept.of_hooks.values().flatten().cloned().collect()
    }

    /// Takes over what a hook has set, replacing what it set before, and returns what has to be
    /// reported as without effect.
    pub(crate) fn set(
        &self,
        hook: &HookDeclaration,
        session: &SessionIdentity,
        mut variables: Vec<LaterVariable>,
    ) -> Option<String> {
        let authority = hook.authority();
        let mut dropped = Vec::new();
        variables.retain(|variable| {
            let name = variable.name.to_string_lossy();
            let may_be_set = names::may_set(authority, &name);
            if !may_be_set {
                dropped.push(name.into_owned());
            }
            may_be_set
        });
        let mut kept = self.lock();
        if kept.session_id != session.session_id {
            return Some(
                "what it sets for later commands has no effect: its session is over".into(),
            );
        }
        kept.of_hooks.insert(Place::of(hook), variables);
        let names = dropped.join(", ");
        let why = if authority > Authority::Project {
            "only Hookloop itself sets that"
        } else {
            "with such variables, hooks of projects and extensions could make commands run other \
             programs than they name; only a hook in the user's own settings may set them"
        };
        let message = format!("what it sets for later commands has no effect for {names}: {why}");
        (!dropped.is_empty()).then_some(message)
    }

    /// Creates the file in which a hook sets variables, empty for each run, if its dialect has one:
    /// when a session begins.
    pub(crate) fn file(
        &self,
        hook: &HookDeclaration,
        event: EventName,
    ) -> Result<Option<TempPath>, String> {
        let has_one = matches!(hook.dialect, Dialect::ClaudeCode | Dialect::Qwen)
            && event == EventName::SessionStart
            && matches!(hook.handler, Handler::Command { .. });
        if !has_one {
            return Ok(None);
        }
        let folder = &self.0.folder;
        let file = make_folder(folder).and_then(|()| {
            let mut builder = tempfile::Builder::new();
            builder.prefix("later-").suffix(".sh").tempfile_in(folder)
        });
        match file {
            Ok(file) => Ok(Some(file.into_temp_path())),
            Err(error) => Err(format!(
                "no file for later commands can be created in {}: {error}",
                folder.display()
            )),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The value is replaced as a whole, so a poisoned lock guards nothing broken.
        self.0.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes over the variables that a reply sets, and returns what has to be reported about them.
pub(crate) fn set_from_reply(
    later: Option<&LaterEnvironment>,
    hook: &HookDeclaration,
    session: &SessionIdentity,
    variables: &[(String, String)],
) -> Option<String> {
    let no_effect = |why: &str| {
        Some(format!(
            "the environment variables that it sets have no effect: {why}"
        ))
    };
    if hook.mode == Mode::Shadow {
        return None;
    }
    let Some(later) = later else {
        return no_effect("no variables are kept for later commands here");
    };
    let is_own = hook.authority() > Authority::Project;
    if !is_own && !matches!(hook.handler, Handler::Command { .. }) {
        return no_effect(
            "among the hooks of projects and extensions, only commands may set variables, \
             because nobody has agreed to what a service answers",
        );
    }
    if let Some((name, _)) = variables.iter().find(|(name, _)| !names::is_name(name)) {
        return no_effect(&format!("{name:?} can't be the name of a variable"));
    }
    if let Some((name, _)) = variables.iter().find(|(_, value)| value.contains('\0')) {
        return no_effect(&format!("the value of {name} contains a NUL character"));
    }
    let variables = variables.iter().map(|(name, value)| LaterVariable {
        name: name.into(),
        value: Some(value.into()),
    });
    later.set(hook, session, variables.collect())
}

#[cfg(test)]
mod tests {
    use hookloop_hook::{Layer, Source};

    use super::*;

    fn hook(layer: Layer, id: &str) -> HookDeclaration {
        let source = Source {
            layer: Some(layer),
            extension: None,
            file: PathBuf::from("/settings.json").into(),
            position: None,
        };
        let id = HookId::from_text(id);
        HookDeclaration::new(id, EventName::SessionStart, Handler::command("x"), source)
    }

    fn session(id: &str) -> SessionIdentity {
        SessionIdentity {
            session_id: id.to_owned(),
            transcript_path: PathBuf::new(),
            cwd: PathBuf::new(),
            agent: None,
        }
    }

    fn set(later: &LaterEnvironment, hook: &HookDeclaration, value: &str) -> Option<String> {
        let variables = [("STAGE".to_owned(), value.to_owned())];
        set_from_reply(Some(later), hook, &session("s"), &variables)
    }

    fn last(later: &LaterEnvironment, may_run: impl Fn(&HookId) -> bool) -> Option<OsString> {
        later.variables(may_run).pop().and_then(|it| it.value)
    }

    /// FD-14: of two hooks that set one variable, the more trusted one counts, whichever came
    /// later.
    #[test]
    fn the_more_trusted_counts() {
        let later = LaterEnvironment::new(PathBuf::new(), "s");
        set(&later, &hook(Layer::User, "a"), "user's");
        set(&later, &hook(Layer::Project, "b"), "project's");
        assert_eq!(last(&later, |_| true).unwrap(), "user's");
    }

    /// FD-14: what a hook has set is removed with the hook, and doesn't come back.
    #[test]
    fn what_a_hook_set_goes_with_it() {
        let later = LaterEnvironment::new(PathBuf::new(), "s");
        set(&later, &hook(Layer::User, "a"), "x");
        assert_eq!(last(&later, |_| false), None);
        assert_eq!(last(&later, |_| true), None);
    }

    /// FD-14, SE-11: another session begins with nothing, and a hook of the one before that is late
    /// sets nothing for it.
    #[test]
    fn another_session_begins_with_nothing() {
        let later = LaterEnvironment::new(PathBuf::new(), "s");
        set(&later, &hook(Layer::User, "a"), "x");
        later.begin("t");
        assert_eq!(last(&later, |_| true), None);
        let message = set(&later, &hook(Layer::User, "a"), "x").unwrap();
        assert!(message.contains("session is over"), "{message}");
        assert_eq!(last(&later, |_| true), None);
    }

    /// FD-14: a service of a project sets nothing, and that is reported; the user's own does.
    #[test]
    fn a_service_of_a_project_sets_nothing() {
        let later = LaterEnvironment::new(PathBuf::new(), "s");
        let service = |layer| HookDeclaration {
            handler: Handler::Http(hookloop_hook::HttpRequest::default()),
            ..hook(layer, "a")
        };
        let message = set(&later, &service(Layer::Project), "x").unwrap();
        assert!(message.contains("no effect"), "{message}");
        assert_eq!(last(&later, |_| true), None);
        assert_eq!(set(&later, &service(Layer::User), "x"), None);
        assert_eq!(last(&later, |_| true).unwrap(), "x");
    }

    /// HT-2: a hook in shadow sets nothing.
    #[test]
    fn a_hook_in_shadow_sets_nothing() {
        let later = LaterEnvironment::new(PathBuf::new(), "s");
        let shadow = HookDeclaration {
            mode: Mode::Shadow,
            ..hook(Layer::User, "a")
        };
        set(&later, &shadow, "x");
        assert_eq!(last(&later, |_| true), None);
    }
}
