//! The files that guards depend on, while a session runs (TR-8): calls that would change them need
//! a person's consent, and what a call changed without it is reported and has no effect.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookloop_agent::{
    Audience, Confirmation, Consent, Frontend, Permission, Protection, SessionEvent,
};
use hookloop_engine::BoxFuture;
use hookloop_events::{ToolArguments, ToolCall};
use hookloop_hook::Mode;
use hookloop_host::{
    CallWatch, Concern, Held, Judged, Opening, OuterAgents, OwnProgram, Protected, ProtectedChange,
    Snapshot, Tainted,
};
use hookloop_trust::Vouched;
use serde_json::Value;

use crate::assets;
use crate::environment::Environment;
use crate::hook_times::{HookTimes, HookWatch};
use crate::hook_words::short_label;
use crate::later::Later;
use crate::options::{ConfigEdits, Options};
use crate::policy_files;
use crate::suspects::{RemovedGuard, Suspects};
use crate::watching::{Holding, Watching};
use crate::workspace::Workspace;

/// Programs that install others and modules.
const INSTALLERS: [&str; 16] = [
    "bun", "bundle", "cargo", "conda", "cpanm", "gem", "npm", "pdm", "pip", "pip3", "pipenv",
    "pipx", "pnpm", "poetry", "uv", "yarn",
];

/// Their verbs.
const INSTALLS: [&str; 8] = [
    "add", "ci", "create", "i", "install", "sync", "update", "upgrade",
];

/// Programs that do nothing else.
const ENVIRONMENTS: [&str; 3] = ["pyvenv", "venv", "virtualenv"];

/// Tells the policy what it has to know about protected files.
#[derive(Debug)]
pub(crate) struct Guarding {
    pub(crate) watch: Watching,
    pub(crate) audience: Audience,
    /// Which guards an earlier session removed, if nobody has noticed since.
    pub(crate) removed: Option<String>,
}

impl Protection for Guarding {
    fn permission(&self, tool: &str, arguments: &ToolArguments) -> Option<Permission> {
        // In a terminal, this is reported when the session starts.
        if let (Some(removed), true) = (&self.removed, self.audience != Audience::Present) {
            return Some(Permission::Refused(removed.clone()));
        }
        let concern = self.watch.current().concern(tool, arguments)?;
        if self.audience == Audience::Present {
            return Some(Permission::NeedsConfirmation);
        }
        let what = match concern {
            Concern::Touches(path) => format!(
                "this call of \"{tool}\" would change {}, which hooks, settings or other guards of \
                 this session depend on",
                path.display()
            ),
            Concern::Changes(command) => format!(
                "this call of \"{tool}\" would run `{command}`, which changes files that hooks, \
                 settings or other guards of this session depend on"
            ),
            Concern::Unclear(what) => format!(
                "this call of \"{tool}\" could change files that hooks, settings or other guards \
                 of this session depend on: what `{what}` does is only known when it runs; use \
                 plain commands with plain file names"
            ),
        };
        Some(Permission::Refused(format!(
            "{what}, and nobody is there to agree to it (a person can start the run with \
             --allow-config-edits)"
        )))
    }
}

/// Shows a session, and compares protected files around every tool call.
pub(crate) struct Comparing {
    pub(crate) screen: Arc<dyn Frontend>,
    pub(crate) watch: Watching,
    pub(crate) tainted: Arc<Tainted>,
    /// Where changes are kept for the next session, and the id of this one; nothing if none
    /// follows.
    kept: Option<(Suspects, String)>,
    /// What is recorded anew once a person agreed to a change, and how that is found.
    held: Option<(Holding, Opening)>,
    /// The guards that were in force when the session began.
    guards: Vec<Vouched>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// How many calls run.
    running: usize,
    /// How many hooks run that are waited for.
    hooks: usize,
    before: Option<Snapshot>,
    /// What changed beside hooks before one of them ran.
    beside_hooks: Vec<ProtectedChange>,
    /// The folders about which it was reported that they are compared only in part.
    in_part: BTreeSet<PathBuf>,
    /// The changes that the next session has to report.
    unreported: Vec<ProtectedChange>,
    /// Whether they were kept for it when the current calls began.
    were_kept: bool,
    /// What a person agreed to, until all current calls have ended.
    agreed: Agreed,
}

/// What a person agreed to.
#[derive(Default)]
struct Agreed {
    files: BTreeSet<PathBuf>,
    /// Whether a command may install what it does.
    installs: bool,
    /// Whatever changes: the person typed the command.
    all: bool,
}

impl Agreed {
    fn covers(&self, file: &Path, protected: &Protected) -> bool {
        let is_installed = |it: &PathBuf| self.installs && file.parent() == it.parent();
        let mut files = self.files.iter();
        self.all
            || self.installs && protected.is_searched(file)
            || files.any(|it| file.starts_with(it) || is_installed(it))
    }

    /// Takes a yes to a call.
    fn add(&mut self, call: &ToolCall, touched: Option<PathBuf>) {
        let command = call.arguments.get("command").and_then(Value::as_str);
        let words: Vec<&str> = command
            .into_iter()
            .flat_map(str::split_whitespace)
            .collect();
        let has = |known: &[&str]| words.iter().any(|it| known.contains(it));
        self.installs |= has(&ENVIRONMENTS) || has(&INSTALLERS) && has(&INSTALLS);
        self.files.extend(touched);
    }
}

impl Comparing {
    pub(crate) fn new(screen: Arc<dyn Frontend>, watch: Watching, tainted: Arc<Tainted>) -> Self {
        Self {
            screen,
            watch,
            tainted,
            kept: None,
            held: None,
            guards: Vec::new(),
            state: Mutex::default(),
        }
    }

    /// Keeps what calls change for the next session (TR-8).
    pub(crate) fn with_suspects(mut self, suspects: Suspects, session: &str) -> Self {
        self.kept = Some((suspects, session.to_owned()));
        self
    }

    /// Records what a person agreed to as it is then.
    pub(crate) fn with_holding(mut self, holding: Holding, opening: Opening) -> Self {
        self.held = Some((holding, opening));
        self
    }

    /// Sets which guards are in force: which of them a change removes is kept with it.
    pub(crate) fn missing(mut self, guards: Vec<Vouched>) -> Self {
        self.guards = guards;
        self
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The state is replaced as a whole, so a poisoned lock guards nothing broken.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begins(&self) {
        self.watch.current().call_begins();
        let (mut in_part, mut too_large) = (Vec::new(), Vec::new());
        let mut state = self.state();
        if state.running == 0 {
            let earlier = state.before.take().unwrap_or_default();
            let before = self.watch.current().protected().snapshot_after(&earlier);
            let folders = before.in_part().map(Path::to_owned);
            in_part.extend(folders.filter(|it| state.in_part.insert(it.clone())));
            let folders = before.too_large().map(Path::to_owned);
            too_large.extend(folders.filter(|it| state.in_part.insert(it.clone())));
            state.before = Some(before);
            let kept = self.kept.as_ref();
            state.were_kept = kept.is_some_and(|(suspects, _)| suspects.is_there());
        }
        state.running += 1;
        drop(state);
        for folder in in_part {
            self.tell_in_part(&folder);
        }
        for folder in too_large {
            self.tell_too_large(&folder);
        }
    }

    fn ends(&self) {
        self.watch.current().call_ended();
        let mut state = self.state();
        state.running = state.running.saturating_sub(1);
        let watch = self.watch.current();
        let protected = watch.protected();
        let Some(before) = &state.before else { return };
        let now = protected.snapshot_after(before);
        let mut changes = before.changes_to(&now);
        state.before = Some(now);
        if state.hooks > 0 {
            changes.retain(|it| !protected.is_read_anew(&it.path));
        }
        let early = std::mem::take(&mut state.beside_hooks);
        changes.extend(early);
        let found = changes.len();
        changes.retain(|change| {
            let is_agreed = state.agreed.covers(&change.path, protected);
            if is_agreed {
                self.tainted.settle(change.path.clone());
            }
            !is_agreed
        });
        let is_settled = changes.len() < found;
        state.agreed.all = false;
        self.keep_again(&mut state);
        state.unreported.extend(changes.iter().cloned());
        if state.running == 0 {
            // Consent applies only to the call that was asked about.
            state.agreed = Agreed::default();
        }
        // A file added to the comparison during a call would seem to have been changed by it.
        let protection = self
            .held
            .as_ref()
            .filter(|_| is_settled && state.running == 0);
        drop(state);
        self.tell(changes);
        if let Some((holding, opening)) = protection {
            holding.take_up(&hookloop_host::Workspace::open(opening));
        }
    }

    fn tell_in_part(&self, folder: &Path) {
        let text = format!(
            "{} has more folders than are compared around tool calls: in the others, a change of a .gitignore, \
             .gitattributes or similar file, which affects git's answers to hooks, is only noticed if the call itself shows \
             it",
            folder.display()
        );
        self.screen.show(&SessionEvent::Warning(&text));
    }

    fn tell_too_large(&self, folder: &Path) {
        let text = format!(
            "{} has more files than are compared around tool calls, and hooks depend on its content: a change of \
             the others is only noticed if the call itself shows it. Move out of it whatever doesn't belong to hooks",
            folder.display()
        );
        self.screen.show(&SessionEvent::Warning(&text));
    }

    fn tell(&self, changes: Vec<ProtectedChange>) {
        for change in changes {
            let path = change.path.display();
            let follows = if self.watch.current().protected().is_read_anew(&change.path) {
                "Whatever reads it next gets the changed version: check it at once"
            } else {
                "This has no effect in this session; check it before the next one"
            };
            let text = format!(
                "{path} {} during a tool call, and hooks, settings or other guards depend on it. \
                 {follows}",
                change.what
            );
            self.screen.show(&SessionEvent::Warning(&text));
            self.keep(&change);
            self.tainted.add(change.path);
        }
    }

    /// Looks again at what is beside hooks, while calls run; returns what has changed.
    fn look_beside_hooks(&self, state: &mut State) -> Vec<ProtectedChange> {
        let watch = self.watch.current();
        let protected = watch.protected();
        let before = state.before.as_mut().filter(|_| state.running > 0);
        let Some(before) = before else {
            return Vec::new();
        };
        let earlier = before.of(|it| protected.is_read_anew(it));
        let now = protected.beside_hooks_after(&earlier);
        let changes = earlier.changes_to(&now);
        before.replace(&earlier, now);
        changes
    }

    /// Keeps a change for the next session.
    fn keep(&self, change: &ProtectedChange) {
        let kept = self.kept.as_ref();
        let took = || self.removed(&change.path);
        let kept = kept.map(|(suspects, session)| suspects.add(change, session, took()));
        if let Some(Err(error)) = kept {
            let path = change.path.display();
            let text = format!(
                "the note for the next session that {path} {} can't be written: {error}",
                change.what
            );
            self.screen.show(&SessionEvent::Warning(&text));
        }
    }

    /// Returns the guards that a change removed.
    fn removed(&self, file: &Path) -> Vec<RemovedGuard> {
        let Some((_, opening)) = self.held.as_ref().filter(|_| !self.guards.is_empty()) else {
            return Vec::new();
        };
        let now = hookloop_host::Workspace::open(opening);
        let removed = now.removed_hooks(file, &self.guards).into_iter();
        let removed = removed.map(|it| RemovedGuard {
            hook: short_label(&it.hook),
            project: it.hook.is_from_project().then(|| now.project_root.clone()),
        });
        removed.collect()
    }

    /// Records again what a call has removed of it.
    fn keep_again(&self, state: &mut State) {
        let is_gone = |(suspects, _): &(Suspects, String)| !suspects.is_there();
        if !state.were_kept
            || state.unreported.is_empty()
            || !self.kept.as_ref().is_some_and(is_gone)
        {
            return;
        }
        let text = "a tool call removed the note that tells the next session which guards' files were \
                    changed; it has been written again";
        self.screen.show(&SessionEvent::Warning(text));
        for change in &state.unreported {
            self.keep(change);
        }
    }
}

impl HookWatch for Comparing {
    /// What is beside hooks is compared before they run: what they write there is theirs.
    fn hook_begins(&self) {
        let mut state = self.state();
        state.hooks += 1;
        if state.hooks == 1 {
            let changes = self.look_beside_hooks(&mut state);
            state.beside_hooks.extend(changes);
        }
    }

    fn hook_ended(&self) {
        let mut state = self.state();
        state.hooks = state.hooks.saturating_sub(1);
        if state.hooks == 0 {
            self.look_beside_hooks(&mut state);
        }
    }
}

impl Frontend for Comparing {
    fn show(&self, event: &SessionEvent<'_>) {
        if matches!(event, SessionEvent::ToolRequested(_)) {
            self.begins();
        }
        self.screen.show(event);
        if matches!(event, SessionEvent::ToolFinished(_)) {
            self.ends();
        }
    }

    fn typed_by_person(&self, call: &ToolCall) {
        // Without a person at the screen, nobody typed it.
        if self.screen.audience() == Audience::Present {
            self.state().agreed.all = true;
        }
        self.screen.typed_by_person(call);
    }

    fn audience(&self) -> Audience {
        self.screen.audience()
    }

    fn confirm<'a>(&'a self, request: Confirmation<'a>) -> BoxFuture<'a, Consent> {
        let touched = self
            .watch
            .current()
            .affected_file(&request.call.name, &request.call.arguments);
        Box::pin(async move {
            let consent = self.screen.confirm(request).await;
            if matches!(consent, Consent::Given | Consent::GivenForSession) {
                self.state().agreed.add(request.call, touched);
            }
            consent
        })
    }
}

/// Finds what hooks consist of now, so that they run only as they are and tools don't change them;
/// nothing if tools may change everything.
pub(crate) fn hold(
    options: &Options,
    workspace: &Workspace,
    environment: &Environment,
) -> Option<Held> {
    if !are_kept(options, environment) {
        return None;
    }
    let state = workspace.state_dir(environment);
    let records = ["trace.sqlite", "trace.sqlite-wal"].map(|it| state.join(it));
    let records = records.into_iter().chain([
        Suspects::of(environment).file(),
        written_file(workspace, environment),
    ]);
    let own = environment.program.iter().cloned().chain(records);
    let rules = policy_files::named_places(&options.policy, environment, &workspace.settings);
    let (folders, files): (Vec<_>, Vec<_>) = rules.into_iter().partition(|it| it.is_dir());
    let own = own.chain(files);
    let agents = OuterAgents::find(&environment.variables);
    let outer = agents.places().map(|(home, project)| {
        Protected::of(&hookloop_host::Workspace::open(&Opening::of(project, home)))
    });
    let records = workspace.records(environment).into_iter().chain(folders);
    let besides = Protected::besides_hooks(workspace);
    let besides = besides.and(own).and_folders(records);
    let besides = outer.fold(besides, Protected::with);
    Some(Held::begin(workspace, besides))
}

/// Returns the file that records what tool calls wrote.
fn written_file(workspace: &Workspace, environment: &Environment) -> PathBuf {
    workspace.state_dir(environment).join("written.jsonl")
}

/// Returns whether tools may not change files that guards depend on. A run below an agent loosens
/// none of it, whatever its options (TR-11).
fn are_kept(options: &Options, environment: &Environment) -> bool {
    let is_asked = options.config_edits == ConfigEdits::Asked;
    is_asked || !OuterAgents::find(&environment.variables).is_empty()
}

/// Returns what `--allow-config-edits` does to a session: whoever started it may not be the one who
/// reads what it does (TR-8).
pub(crate) fn loosening_warning(
    options: &Options,
    environment: &Environment,
) -> Option<&'static str> {
    if options.config_edits == ConfigEdits::Asked {
        return None;
    }
    Some(if are_kept(options, environment) {
        "--allow-config-edits has no effect here: this session was started by another agent, whose \
         restrictions it can't loosen"
    } else {
        "--allow-config-edits: tools of this session may change settings, hooks, their scripts, \
         policies and trust without a person's yes, and such changes aren't watched for; hooks of \
         the user and the system run in their changed form"
    })
}

/// What a session does for its guards.
pub(crate) struct Guards {
    /// Nothing if whoever started the run lets tools change everything.
    watch: Option<Watching>,
    holding: Holding,
    /// How files that guards depend on are found once a person has agreed to a change of them.
    opening: Opening,
    tainted: Arc<Tainted>,
    /// Those in force that are before an action.
    in_force: Vec<Vouched>,
    /// Which ones an earlier session removed.
    removed: Option<String>,
}

impl Guards {
    pub(crate) fn of(
        held: Option<&Held>,
        workspace: &Workspace,
        environment: &Environment,
        tainted: &Arc<Tainted>,
        later: &Later,
    ) -> Self {
        let watch = held.map(|held| {
            let cwd = environment.current_dir.clone();
            let watch = CallWatch::new(held.protected(), cwd, environment.home_of_programs());
            let watch =
                watch.with_variables(environment.variables_of_tools(&workspace.project_root));
            let watch = watch.remembering_in(assets::memory_file(environment));
            let watch = watch.keeping_in(written_file(workspace, environment));
            let watch = watch.with_own_program(OwnProgram {
                files: environment.program.iter().cloned().collect(),
                // A detached command always counts as a change: one that only reads needn't be
                // detached.
                changes: |_| true,
                judged: Judged::SetLoose,
            });
            let later = later.clone();
            Watching::new(watch.asking(Arc::new(move |name| later.value(name))))
        });
        Self {
            holding: Holding::new(later.vouching(), watch.clone()),
            opening: workspace.opening.clone(),
            in_force: in_force(workspace),
            removed: Suspects::of(environment).describe_removed(&workspace.project_root),
            watch,
            tainted: Arc::clone(tainted),
        }
    }

    /// Returns what makes sure that hooks run only as they were loaded.
    pub(crate) fn holding(&self) -> Holding {
        self.holding.clone()
    }

    /// Returns whether tools may not change files that guards depend on.
    pub(crate) fn are_kept(&self) -> bool {
        self.watch.is_some()
    }

    /// Returns the files and folders below a folder that guards are made of.
    pub(crate) fn below(&self, folder: &Path) -> Vec<PathBuf> {
        let watch = self.watch.iter();
        watch
            .flat_map(|it| it.current().protected().below(folder))
            .collect()
    }

    /// Returns what the policy asks about calls.
    pub(crate) fn protection(&self, audience: Audience) -> Option<Arc<dyn Protection>> {
        let watch = self.watch.clone()?;
        Some(Arc::new(Guarding {
            watch,
            audience,
            removed: self.removed.clone(),
        }))
    }

    /// Returns the screen, with a look at protected files around every call.
    pub(crate) fn frontend(
        &self,
        screen: Arc<dyn Frontend>,
        environment: &Environment,
        session: &str,
        hooks: &HookTimes,
    ) -> Arc<dyn Frontend> {
        match &self.watch {
            None => screen,
            Some(watch) => {
                let (watch, tainted) = (watch.clone(), Arc::clone(&self.tainted));
                let comparing = Comparing::new(screen, watch, tainted);
                let comparing = comparing.with_suspects(Suspects::of(environment), session);
                let comparing = comparing.with_holding(self.holding(), self.opening.clone());
                let comparing = comparing.missing(self.in_force.clone());
                let comparing = Arc::new(comparing);
                let shared: Arc<dyn HookWatch> = Arc::<Comparing>::clone(&comparing);
                hooks.tell(Arc::downgrade(&shared));
                comparing
            }
        }
    }
}

/// Returns the hooks in force whose answers keep an action from happening.
fn in_force(workspace: &Workspace) -> Vec<Vouched> {
    let guards = workspace.in_force().into_iter();
    let counts = |it: &Vouched| it.hook.event.is_before_action() && it.hook.mode == Mode::Active;
    guards.filter(counts).collect()
}

#[cfg(test)]
mod tests;
