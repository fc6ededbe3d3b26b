//! The last check of a hook before it runs (TR-1, TR-6, TR-9).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hookloop_engine::{BoxFuture, Completion, Executor, ExecutorLayer, Invocation};
use hookloop_hook::{Handler, HookDeclaration, HookId};
use hookloop_settings::WorkspaceTrust;
use hookloop_trust::{
    Acceptance, BUN_SETTINGS, OwnerCheck, Standing, TrustStore, Vouched, real_path,
};

use crate::gate::steady::Steady;
use crate::held::{Held, StartState};
use crate::tainted::Tainted;
use crate::watch::Stamp;
use crate::workspace::{Opening, Workspace};

mod steady;

/// Variables that we set for hooks: an entry that sets one would make its own words mean something
/// other than what was shown (TR-1).
const OURS: [&str; 6] = [
    "GEMINI_PROJECT_DIR",
    "GEMINI_CWD",
    "GEMINI_SESSION_ID",
    "GEMINI_PLANS_DIR",
    "CLAUDE_PROJECT_DIR",
    "HOOKLOOP_AGENT",
];

/// The remedy for a hook whose files have changed.
const NEW_SESSION: &str = "check it; if it is as it should be, start a new session (before an \
                           unattended one, agree with `hookloop hooks trust` first)";

/// Lets a hook run only while it is exactly what a person agreed to, and nobody else could have
/// written it: the agent itself may have changed its script since the session started.
pub struct Gate<E> {
    executor: E,
    vouching: Vouching,
}

/// Decides which hooks may run in their current state. Clones share their state.
#[derive(Clone)]
pub struct Vouching {
    known: Arc<Known>,
    tainted: Arc<Tainted>,
    /// The files of hooks when the session adopted them; `None` outside a session.
    began: Option<Held>,
}

/// The hooks of a workspace.
struct Known {
    opening: Opening,
    project_root: PathBuf,
    workspace: WorkspaceTrust,
    /// The hooks as they were when the workspace was loaded.
    vouched: HashMap<HookId, Vouched>,
    /// The trust store at that time, in which later agreements are looked up.
    store: TrustStore,
    store_stamp: Option<Stamp>,
    /// The files of hooks that need no trust.
    files: Mutex<HashMap<HookId, Arc<HookFiles>>>,
}

/// The files of a hook that needs no trust.
struct HookFiles {
    /// Those that somebody else must not be able to write (TR-9).
    scripts: Vec<PathBuf>,
    /// Those that it runs and loads; not those that it only reads or writes.
    loaded: Vec<PathBuf>,
}

impl Known {
    fn of(workspace: &Workspace) -> Self {
        let vouched = workspace.vouched.iter();
        Self {
            opening: workspace.opening.clone(),
            project_root: workspace.project_root.clone(),
            workspace: workspace.settings.workspace.clone(),
            vouched: vouched.map(|it| (it.hook.id.clone(), it.clone())).collect(),
            store: workspace.store.clone(),
            store_stamp: Stamp::of(workspace.store.file()),
            files: Mutex::default(),
        }
    }
}

impl<E> Gate<E> {
    /// Wraps an executor.
    pub fn new(executor: E, workspace: &Workspace) -> Self {
        let vouching = Vouching {
            known: Arc::new(Known::of(workspace)),
            tainted: Arc::default(),
            began: None,
        };
        Self { executor, vouching }
    }

    /// Returns the checks that the gate makes for every hook.
    pub fn vouching(&self) -> Vouching {
        self.vouching.clone()
    }

    /// From now on, refuses the person's and the system's hooks if one of their files changes,
    /// whoever changes it (TR-8).
    #[must_use]
    pub fn holding(self, held: &Held) -> Self {
        let vouching = Vouching {
            began: Some(held.clone()),
            ..self.vouching
        };
        Self { vouching, ..self }
    }

    /// Refuses hooks if a tool call changed one of their files (TR-8).
    #[must_use]
    pub fn refusing_tainted(self, tainted: &Arc<Tainted>) -> Self {
        let vouching = Vouching {
            tainted: Arc::clone(tainted),
            ..self.vouching
        };
        Self { vouching, ..self }
    }
}

impl Vouching {
    /// Adds the hooks of a workspace that was loaded later, in their current state, and what the
    /// hooks that are already pinned load now. Everything else stays as it was.
    pub fn take_up(&self, workspace: &Workspace) {
        if let Some(began) = &self.began {
            began.take_up(workspace);
        }
    }

    fn start_states(&self, hook: &HookDeclaration) -> Vec<Arc<StartState>> {
        let began = self.began.as_ref();
        began.map(|it| it.start_states(hook)).unwrap_or_default()
    }

    /// Returns why a planned hook may not run.
    pub fn objection(&self, hook: &HookDeclaration, cwd: &Path) -> Option<String> {
        self.examine(hook, cwd).err()
    }

    /// Examines a planned hook. The error says why it may not run. Returns the files that a person
    /// agreed to with it, for an executor that reads them itself.
    fn examine(
        &self,
        hook: &HookDeclaration,
        cwd: &Path,
    ) -> Result<Option<BTreeMap<PathBuf, String>>, String> {
        if let Some(name) = ours_in_env(hook) {
            return Err(format!(
                "its `env` sets {name}, which Hookloop itself sets for hooks; give the variable \
                 another name"
            ));
        }
        if !hook.is_from_project() {
            let taint = self.taint(hook, cwd, |_| true);
            let taint = taint.or_else(|| self.changed_file(hook));
            let objection = taint.or_else(|| self.known.insecure(hook, cwd));
            return objection.map_or(Ok(None), Err);
        }
        let vouched = self.known.current(hook)?;
        if let Some(why) = self.changed_file(hook) {
            return Err(why);
        }
        let root = real_path(&self.known.project_root);
        let rests_on_content = vouched.accepted == Acceptance::ByStore;
        // The agreed files have been compared already. Targets of links out of them, and files read
        // without being named, haven't.
        let agreed = vouched.fingerprint.as_ref().map(|it| it.files.as_slice());
        let agreed = agreed.unwrap_or_default();
        let is_compared = |file: &Path| {
            let inside = root.as_ref().and_then(|root| file.strip_prefix(root).ok());
            rests_on_content
                && inside
                    .is_some_and(|inside| agreed.iter().any(|it| Path::new(&it.path) == inside))
        };
        if let Some(why) = self.taint(hook, cwd, |file| !is_compared(file)) {
            return Err(why);
        }
        match self.known.foreign_file(&vouched, cwd) {
            Some(why) => Err(why),
            None => Ok(match hook.handler {
                Handler::Plugin(_) => vouched.agreed_files(&self.known.project_root),
                _ => None,
            }),
        }
    }

    /// Returns the relevant file of a hook that a tool call changed in this session, or in an
    /// earlier one without anybody having seen it since (TR-8).
    fn taint(
        &self,
        hook: &HookDeclaration,
        cwd: &Path,
        matters: impl Fn(&Path) -> bool,
    ) -> Option<String> {
        let lost = self.tainted.lost_earlier();
        if let Some(file) = lost.filter(|_| !hook.is_from_project()) {
            return Some(format!(
                "{}, the record of guards' files that tool calls of earlier sessions changed, can't be read; check \
                 the files that your hooks depend on, and agree with `hookloop hooks trust`",
                file.display()
            ));
        }
        if self.tainted.is_empty() {
            return None;
        }
        let files = self.known.files(hook, cwd);
        let known = &self.known;
        let mut examination = known.store.examine(&known.project_root, cwd);
        let programs = examination.of(hook).programs();
        let began = self.start_states(hook);
        let deciding = began.iter().flat_map(|it| it.implicit.deciding_files());
        let named = files.scripts.iter().cloned().chain(programs);
        let mut changed = named
            .chain(deciding)
            .filter(|file| self.tainted.holds(file));
        let changed = changed.find(|file| matters(file))?;
        if self.tainted.holds_of_earlier(&changed) {
            return Some(format!(
                "a tool call of an earlier session changed {}, and no person has seen it since; \
                 check it, and agree with `hookloop hooks trust`",
                changed.display()
            ));
        }
        Some(format!(
            "a tool call changed {} in this session; {NEW_SESSION}",
            changed.display()
        ))
    }
}

impl Vouching {
    /// Looks at the files of a hook that is about to run. Something else may exchange them between
    /// the check and the moment when they are read.
    fn steady(&self, hook: &HookDeclaration, cwd: &Path) -> Steady {
        if !hook.event.is_before_action() || hook.asynchronous {
            return Steady::default();
        }
        let mut files: BTreeSet<PathBuf> = BTreeSet::new();
        if let Some(vouched) = self.known.vouched.get(&hook.id) {
            let agreed = vouched.fingerprint.iter().flat_map(|it| &it.files);
            files.extend(agreed.map(|it| self.known.project_root.join(&it.path)));
        }
        if !hook.is_from_project() {
            files.extend(self.known.files(hook, cwd).loaded.iter().cloned());
            let began = self.start_states(hook);
            let began = began.iter().flat_map(|it| &it.files);
            files.extend(began.map(|(file, _)| file.clone()));
        }
        Steady::of(hook.command(), files)
    }

    /// Returns the file of a hook that has changed since the session began without agreement,
    /// whatever changed it.
    fn changed_file(&self, hook: &HookDeclaration) -> Option<String> {
        let began = self.start_states(hook);
        began.iter().find_map(|it| self.changed_since(it))
    }

    fn changed_since(&self, began: &StartState) -> Option<String> {
        if let Some(module) = &began.shadowing {
            return Some(shadowed_by(module));
        }
        let mut files = began.files.iter();
        let found = files.find_map(|(file, before)| {
            let what = before.change(file)?;
            (!self.tainted.has_settled(file)).then(|| (file.clone(), what))
        });
        let (file, what) = found.or_else(|| {
            let is_settled = |file: &Path| self.tainted.has_settled(file);
            began.implicit.changed_file(is_settled)
        })?;
        Some(format!(
            "{} {what} since this session began; {NEW_SESSION}",
            file.display()
        ))
    }
}

/// Returns the message about a file of the working directory that an interpreter would load, with
/// the remedy.
fn shadowed_by(file: &Path) -> String {
    let shown = file.display();
    if file.file_name().is_some_and(|it| it == BUN_SETTINGS) {
        return format!(
            "bun would load what {shown} in this folder lists (`preload`); start it with \
             `bun --config=/dev/null`"
        );
    }
    format!(
        "Python would load {shown} from this folder instead of its own module; start it with \
         `python3 -I`"
    )
}

impl Known {
    /// Returns the files of a hook that needs no trust.
    fn files(&self, hook: &HookDeclaration, cwd: &Path) -> Arc<HookFiles> {
        let mut known = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let files = known.entry(hook.id.clone()).or_insert_with(|| {
            let mut examination = self.store.examine(&self.project_root, cwd);
            let examined = examination.of(hook);
            Arc::new(HookFiles {
                scripts: examined.scripts().into_iter().collect(),
                loaded: examined.loaded().files.into_iter().collect(),
            })
        });
        Arc::clone(files)
    }

    /// Returns the script of a user's or system's hook that somebody else could have written
    /// (TR-9).
    fn insecure(&self, hook: &HookDeclaration, cwd: &Path) -> Option<String> {
        if self.opening.owners != OwnerCheck::Enforced {
            return None;
        }
        let files = self.files(hook, cwd);
        let mut files = files.scripts.iter();
        let insecure = files.find_map(|it| self.opening.owners.objection(it))?;
        Some(format!(
            "what it runs could be somebody else's: {insecure}; {}",
            insecure.remedy()
        ))
    }

    /// Returns a project's hook with its current standing, or what has changed since the agreement
    /// (TR-6).
    fn current(&self, hook: &HookDeclaration) -> Result<Cow<'_, Vouched>, String> {
        // Another process may have withdrawn or granted trust since (TR-12).
        let is_store_unchanged = Stamp::of(self.store.file()) == self.store_stamp;
        if is_store_unchanged && let Some(vouched) = self.as_it_was(hook) {
            return Ok(Cow::Borrowed(vouched));
        }
        // Unreadable parts of the store grant no trust.
        let (store, _) = TrustStore::open_checked(self.store.file(), self.opening.owners);
        let store = store.with_surroundings(self.store.surroundings().clone());
        let declared = self.declared_hook(hook).clone();
        let vouched = store.vouch(&self.project_root, vec![declared], &self.workspace);
        let Some(vouched) = vouched.into_iter().next() else {
            return Err("it isn't trusted".to_owned());
        };
        if vouched.may_run() {
            return Ok(Cow::Owned(vouched));
        }
        let what = match &vouched.standing {
            Standing::Modified { message, .. } => message.clone(),
            _ => "nobody has agreed to it yet, or trust was withdrawn".to_owned(),
        };
        let label = hookloop_text::shell_argument(hook.label());
        Err(format!(
            "{what}; review it with `hookloop hooks review {label}`, and let it run with \
             `hookloop hooks trust {label}`"
        ))
    }

    /// Returns a hook as its entry declares it: a replacement that refuses has other failure
    /// settings, which isn't a change of the entry.
    fn declared_hook<'h>(&'h self, hook: &'h HookDeclaration) -> &'h HookDeclaration {
        let own = self.vouched.get(&hook.id).map(|it| &*it.hook);
        let is_same = |own: &&HookDeclaration| {
            let refusing = HookDeclaration {
                on_failure: hook.on_failure,
                ..HookDeclaration::clone(own)
            };
            refusing == *hook
        };
        own.filter(is_same).unwrap_or(hook)
    }

    fn as_it_was(&self, hook: &HookDeclaration) -> Option<&Vouched> {
        let surroundings = self.store.surroundings();
        let vouched = self.vouched.get(&hook.id)?;
        let is_same = *vouched.hook == *hook
            && vouched.may_run()
            && vouched
                .changes_since(&self.project_root, surroundings)
                .is_empty();
        is_same.then_some(vouched)
    }

    /// Returns the file that a project's hook would run in this working directory without agreement
    /// (TR-1).
    fn foreign_file(&self, vouched: &Vouched, cwd: &Path) -> Option<String> {
        let surroundings = self.store.surroundings();
        let strangers = vouched.strangers_in(cwd, &self.project_root, surroundings);
        strangers.into_iter().next().map(|change| change.message)
    }
}

/// Returns a variable of ours that an entry, or its extension's settings, set.
fn ours_in_env(hook: &HookDeclaration) -> Option<&str> {
    let settings = hook.extension.iter().flat_map(|it| &it.settings_env);
    let names = settings.map(|(name, _)| name).chain(hook.env.keys());
    names.map(String::as_str).find(|name| OURS.contains(name))
}

impl<E: Executor> ExecutorLayer for Gate<E> {
    type Inner = E;

    fn inner(&self) -> &E {
        &self.executor
    }

    fn execute(&self, mut invocation: Invocation) -> BoxFuture<'_, Completion> {
        Box::pin(async move {
            let cwd = &invocation.session.cwd;
            let before = self.vouching.steady(&invocation.hook, cwd);
            match self.vouching.examine(&invocation.hook, cwd) {
                Err(why) => Completion::not_started(why),
                Ok(agreed) => {
                    invocation.agreed = agreed.map(Arc::new);
                    let completion = self.executor.execute(invocation).await;
                    before.judge(completion)
                }
            }
        })
    }
}

#[cfg(test)]
mod tests;
