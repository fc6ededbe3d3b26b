//! Loads everything that is configured for a project: settings, trust, and hooks with their
//! standing.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookloop_engine::{Registry, RunSwitch};
use hookloop_hook::{EventName, HookDeclaration, HookId, Layer, Problem, ProblemCode};
use hookloop_settings::{
    BrokenFile, Claim, Distrusted, ExtensionChoice, LoadRequest, ProjectWord, RunTrust, Settings,
    SystemFiles, find_project_root, load,
};
use hookloop_trust::{
    Acceptance, FolderTrustFile, GoneHook, OwnerCheck, Standing, StoreError, Surroundings,
    TrustStore, Vouched, digest_of, real_path,
};

use serde_json::{Map, Value};

use crate::digests::Digests;
use crate::places::{places, settled_file};

/// Where to load a workspace from, and what is known about this run.
#[derive(Debug, Clone)]
pub struct Opening {
    /// The working directory, absolute. It determines the project (ST-1).
    pub current_dir: PathBuf,
    /// The folder that contains the user's `.gemini`.
    pub home: PathBuf,
    /// The files of the system's layer.
    pub system: SystemFiles,
    /// Whether the workspace is trusted for this run (TR-3).
    pub run: RunTrust,
    /// Which extensions are used.
    pub extensions: ExtensionChoice,
    /// Whether hooks are switched off for this run.
    pub switch: RunSwitch,
    /// Whether the owners of settings, stores and scripts are checked (TR-9).
    pub owners: OwnerCheck,
    /// Where programs that hooks name are found.
    pub surroundings: Surroundings,
    /// The names of tools that the host has besides the built-in ones and those of MCP servers.
    pub host_tools: Vec<String>,
}

impl Opening {
    /// Creates an opening for a project, with the settings of a home folder and of the system, and
    /// defaults for everything else.
    pub fn of(project: impl Into<PathBuf>, home: impl Into<PathBuf>) -> Self {
        let home = home.into();
        Self {
            current_dir: project.into(),
            owners: OwnerCheck::for_home(&home),
            system: SystemFiles::of("/etc/gemini-cli/settings.json"),
            run: RunTrust::NotGiven,
            extensions: ExtensionChoice::Enabled,
            switch: RunSwitch::AsConfigured,
            surroundings: Surroundings {
                home: Some(home.clone()),
                ..Surroundings::default()
            },
            host_tools: Vec::new(),
            home,
        }
    }

    /// Returns the folder of the user's settings and stores.
    pub fn user_folder(&self) -> PathBuf {
        self.home.join(".gemini")
    }
}

/// Everything that is configured for a project, including which hooks may run.
#[derive(Debug)]
pub struct Workspace {
    /// The project's root (ST-1).
    pub project_root: PathBuf,
    /// The settings of all layers.
    pub settings: Settings,
    /// All hooks with their standing, in order.
    pub vouched: Vec<Vouched>,
    /// The same hooks, as they are configured.
    listed: Registry,
    /// Whether hooks are switched off for this run.
    pub switch: RunSwitch,
    /// The trust store.
    pub store: TrustStore,
    /// What was trusted before the trust store was lost during a session.
    lost: Option<Box<TrustStore>>,
    /// The problems found while loading.
    pub problems: Vec<Problem>,
    /// The opening from which it was loaded.
    pub opening: Opening,
    /// The state of the files from which it was loaded.
    digests: Digests,
    /// The hooks that could have run in this session before settings were read again.
    ran: HashSet<(EventName, String)>,
    /// Files that tool calls of earlier sessions changed, and that no person has seen since.
    changed: HashSet<PathBuf>,
    /// Whether it is unknown which ones those are.
    is_changed_lost: bool,
    /// The hooks that stay in force in this session although the settings don't contain them any
    /// more.
    kept: Vec<Vouched>,
}

/// What people trust, and the problems with the file that records it.
struct Trusted {
    store: TrustStore,
    problems: Vec<Problem>,
}

/// Returns whether two hooks are the same in everything but their place.
fn is_same_hook(new: &HookDeclaration, old: &HookDeclaration) -> bool {
    let mut moved = new.clone();
    moved.id.clone_from(&old.id);
    moved.source.clone_from(&old.source);
    moved.places.clone_from(&old.places);
    moved.description.clone_from(&old.description);
    moved.status_message.clone_from(&old.status_message);
    moved == *old
}

/// Returns what identifies a hook, however it was changed.
fn key(vouched: &Vouched) -> (EventName, String) {
    (vouched.hook.event, vouched.hook.label().to_owned())
}

/// Returns what may identify a hook after it changed: its name and what it runs, since either may
/// have stayed.
fn keys(vouched: &Vouched) -> impl Iterator<Item = (EventName, String)> + use<> {
    let hook = Arc::clone(&vouched.hook);
    let names = [hook.label().to_owned(), hook.command().to_owned()];
    let names = names.into_iter().filter(|it| !it.is_empty());
    names.map(move |name| (hook.event, name))
}

impl Workspace {
    /// Loads the workspace of the working directory. It runs, trusts and writes nothing (TR-7), and
    /// never fails: problems are part of the result (ST-5).
    pub fn open(opening: &Opening) -> Self {
        let project_root = find_project_root(&opening.current_dir, &opening.home);
        let file = opening.user_folder().join("trusted_hooks.json");
        let (store, problems) = TrustStore::open_checked(file, opening.owners);
        let store = store.with_surroundings(opening.surroundings.clone());
        Self::for_project(project_root, opening, Trusted { store, problems })
    }

    /// Loads the workspace again in its current state (TR-6). The project stays the same: a folder
    /// that becomes the root of another project must not disable its hooks.
    #[must_use]
    pub fn reopen(&self) -> Self {
        let earlier = self.lost.as_deref().unwrap_or(&self.store);
        let (store, problem) = earlier.reopened(self.opening.owners);
        let lost = problem.is_some().then(|| Box::new(earlier.clone()));
        let problems = problem.into_iter().collect();
        let trusted = Trusted { store, problems };
        let mut workspace = Self::for_project(self.project_root.clone(), &self.opening, trusted);
        workspace.lost = lost;
        workspace.ran.clone_from(&self.ran);
        workspace.changed.clone_from(&self.changed);
        workspace.is_changed_lost = self.is_changed_lost;
        let running = self.vouched.iter().filter(|it| it.may_run());
        workspace.ran.extend(running.flat_map(keys));
        if !workspace.is_settled_since(self) {
            workspace.keep(&self.in_force());
        }
        workspace
    }

    /// Returns what is suspicious about settings and hooks without being wrong (CM-3).
    pub fn suspicions(&self) -> Vec<Problem> {
        let mut problems = hookloop_settings::lint(&self.settings);
        let of_registry = hookloop_engine::lint(&self.listed, &self.settings.host_tools);
        // The settings already report that hooks are off.
        let of_registry = of_registry.into_iter();
        problems.extend(of_registry.filter(|it| it.code != ProblemCode::HooksOff));
        problems
    }

    /// Records hooks that could have run earlier in the session, by event and label. If one of them
    /// has changed since it was agreed to, it refuses instead of being skipped (TR-6).
    pub fn remember_running(&mut self, hooks: impl IntoIterator<Item = (EventName, String)>) {
        self.ran.extend(hooks);
    }

    /// Records files that tool calls of earlier sessions changed, and that no person has seen
    /// since. If a project's hook has changed because of such a file, it refuses instead of being
    /// skipped (TR-8).
    pub fn remember_changed(&mut self, files: impl IntoIterator<Item = PathBuf>) {
        for file in files {
            self.changed.extend(real_path(&file));
            self.changed.insert(file);
        }
    }

    /// Records that the changes of earlier sessions' tool calls aren't known: any file may be one
    /// of them.
    pub fn lose_changed(&mut self) {
        self.is_changed_lost = true;
    }

    /// Returns whether a tool call changed something that keeps a project's hook from running.
    fn was_changed_by_tools(&self, vouched: &Vouched) -> bool {
        let has = |file: &Path| {
            self.is_changed_lost
                || self.changed.contains(file)
                || real_path(file).is_some_and(|it| self.changed.contains(&it))
        };
        let is_nothing = self.changed.is_empty() && !self.is_changed_lost;
        if is_nothing || vouched.accepted != Acceptance::No {
            return false;
        }
        match vouched.standing {
            Standing::Modified { .. } => {
                // The agreed files count as well as the present ones: a script that was removed is
                // among them.
                let now = vouched.fingerprint.iter().flat_map(|it| it.watched_files());
                let agreed = vouched.agreed.iter().flat_map(|it| it.watched.clone());
                let mut watched = now.chain(agreed).map(|it| self.project_root.join(it));
                has(&vouched.hook.source.file) || watched.any(|it| has(&it))
            }
            // If the store was changed, it is unknown whether anybody had agreed to the hook.
            Standing::New => has(self.store.file()),
            Standing::NotNeeded | Standing::Trusted | Standing::FolderUntrusted { .. } => false,
        }
    }

    /// Returns the hooks that may run now, by event and label.
    pub fn running(&self) -> impl Iterator<Item = (EventName, String)> {
        let running = self.vouched.iter().filter(|it| it.may_run());
        running.flat_map(keys)
    }

    /// Returns the trusted hooks of the project that could have run in this session and that no
    /// settings contain any more, unless a person removed them or agreed to a replacement (TR-6,
    /// TR-8).
    pub fn gone_while_running(&self) -> Vec<GoneHook> {
        let gone = self
            .store
            .gone_hooks(&self.project_root, &self.settings.hooks);
        let ran = |event: EventName, label: &str| self.ran.contains(&(event, label.to_owned()));
        let of_event = |event: EventName| {
            let came = self.vouched.iter().filter(|it| {
                it.accepted == Acceptance::ByStore
                    && it.hook.event == event
                    && !keys(it).any(|it| self.ran.contains(&it))
            });
            let gone = gone
                .iter()
                .filter(|it| it.event == event.as_str() && ran(event, &it.label));
            gone.skip(came.count()).cloned().collect::<Vec<_>>()
        };
        EventName::ALL.into_iter().flat_map(of_event).collect()
    }

    /// Returns whether a hook refuses before an action instead of being skipped.
    pub fn refuses(&self, vouched: &Vouched) -> bool {
        let has_changed = vouched.accepted == Acceptance::No
            && matches!(vouched.standing, Standing::Modified { .. });
        let then = vouched.agreed.as_ref().and_then(|it| it.event);
        let ran = || {
            keys(vouched).any(|(event, name)| {
                let at = |event| self.ran.contains(&(event, name.clone()));
                at(event) || then.is_some_and(at)
            })
        };
        let must_refuse = || vouched.is_changed_guard() || vouched.is_guard_without_files();
        // Trust that nobody withdrew has been lost.
        let has_lost = || {
            self.lost.is_some()
                && vouched.accepted == Acceptance::No
                && vouched.standing == Standing::New
        };
        vouched.precedes_action()
            && (has_changed && (must_refuse() || ran())
                || has_lost() && ran()
                || self.was_changed_by_tools(vouched))
    }

    fn for_project(project_root: PathBuf, opening: &Opening, trusted: Trusted) -> Self {
        let folder = opening.user_folder();
        let (folders, folder_problems) =
            FolderTrustFile::open_checked(&folder.join("trustedFolders.json"), opening.owners);
        let Trusted {
            store,
            problems: store_problems,
        } = trusted;
        let mut settings = load(&LoadRequest {
            folder: folders.trust_of(&project_root),
            project_root: project_root.clone(),
            home: opening.home.clone(),
            system: opening.system.clone(),
            run: opening.run,
            extensions: opening.extensions.clone(),
            agreed_words: store
                .agreed_settings(&project_root)
                .map(|agreed| agreed.keys().cloned().collect())
                .unwrap_or_default(),
            distrusted: distrusted_files(opening, &project_root),
        });
        settings.host_tools.clone_from(&opening.host_tools);
        // Another program's list of folders neither grants nor withdraws trust: no agent uses it
        // (TR-9).
        let insecure = folder_problems
            .iter()
            .filter(|it| it.code == ProblemCode::InsecureOwner);
        settings.broken_files.extend(insecure.map(|it| BrokenFile {
            layer: Layer::User,
            scope: None,
            problem: it.clone(),
        }));
        let vouched = store.vouch(&project_root, settings.hooks.clone(), &settings.workspace);
        let listed = Registry::new(
            vouched.clone(),
            &settings.switches,
            opening.switch,
            &project_root,
        );
        let problems = [&settings.problems, &folder_problems, &store_problems];
        Self {
            problems: problems.into_iter().flatten().cloned().collect(),
            settings,
            vouched,
            listed,
            switch: opening.switch,
            store,
            lost: None,
            ran: HashSet::new(),
            changed: HashSet::new(),
            is_changed_lost: false,
            kept: Vec::new(),
            digests: Digests::of(places(
                &opening.system,
                opening.user_folder(),
                &project_root,
            )),
            opening: opening.clone(),
            project_root,
        }
    }

    /// Returns whether every file that changed is as a person's command left it (TR-11).
    fn is_settled_since(&self, before: &Self) -> bool {
        let changed = self.digests.changed_since(&before.digests);
        let (settled, _) = TrustStore::open(settled_file(&self.opening.home));
        let is_settled = |(file, digest): (&PathBuf, &Option<String>)| {
            settled.is_settled(file, digest.as_deref())
        };
        !changed.is_empty() && changed.iter().all(is_settled)
    }

    /// Returns the hooks that don't run as before, unless a person's command left a file as it is
    /// now (TR-8). The change of the file removed or weakened them.
    pub fn removed_hooks<'h>(&self, file: &Path, before: &'h [Vouched]) -> Vec<&'h Vouched> {
        let (settled, _) = TrustStore::open(settled_file(&self.opening.home));
        if settled.is_settled(file, digest_of(file).as_deref()) {
            return Vec::new();
        }
        self.missing(before).collect()
    }

    /// Returns the hooks as they are configured, to be listed and explained. What runs is
    /// [`registry`](Self::registry).
    pub const fn listed(&self) -> &Registry {
        &self.listed
    }

    /// Returns the hooks that run.
    ///
    /// A guard that has changed since it was agreed to refuses instead of being skipped if a person
    /// agreed to one that refuses on failure (TR-8), or if it ran in this session before it changed
    /// (TR-6).
    pub fn registry(&self) -> Registry {
        let vouched = self.vouched.iter().flat_map(|vouched| {
            if self.refuses(vouched) {
                vouched.refusing_replacements()
            } else {
                vec![vouched.clone()]
            }
        });
        let mut registry = Registry::new(
            vouched.collect(),
            &self.settings.switches,
            self.switch,
            &self.project_root,
        );
        registry.keep(&self.kept, &self.project_root);
        registry
    }

    /// Returns how many bytes of each output stream of a hook are kept (IO-17).
    pub fn max_output_bytes(&self) -> usize {
        usize::try_from(self.settings.switches.max_output_bytes.value).unwrap_or(usize::MAX)
    }

    /// Trusts hooks as they were shown (TR-2). The trust of other hooks doesn't change.
    pub fn trust_as_seen(&mut self, seen: &[&Vouched]) -> Result<(), StoreError> {
        self.store.trust_as_seen(&self.project_root, seen)
    }

    /// Returns what the project's settings say about other layers' hooks, if there are such hooks
    /// and nobody has agreed to it yet (ST-13).
    pub fn word_to_agree_to(&self) -> Option<&ProjectWord> {
        let word = &self.settings.project_word;
        let fingerprint = word.fingerprint()?;
        let agreed = self.store.agreed_settings(&self.project_root);
        let is_agreed = agreed.is_some_and(|it| it.contains_key(&fingerprint));
        let is_kept_out = self.settings.workspace.is_kept_out();
        // Switching hooks on also concerns the project's hooks, because a person had switched off
        // all.
        let concerns_all = word.claims.iter().any(Claim::switches_on);
        let concerns = |it: &Vouched| concerns_all || !it.hook.is_from_project();
        (!is_agreed && !is_kept_out && self.vouched.iter().any(concerns)).then_some(word)
    }

    /// Agrees to exactly what the project's settings say about other layers' hooks (ST-13).
    pub fn agree_to(&mut self, word: &ProjectWord) -> Result<(), StoreError> {
        let Some(fingerprint) = word.fingerprint() else {
            return Ok(());
        };
        let values = word.claims.iter();
        let values = values
            .map(|it| (it.key.clone(), it.value.clone()))
            .collect();
        let content = Map::from_iter([(fingerprint, Value::Object(values))]);
        self.store.agree_to_settings(&self.project_root, &content)
    }

    /// Withdraws the agreement to the project's settings (ST-13), and returns whether there was
    /// one.
    pub fn withdraw_word(&mut self) -> Result<bool, StoreError> {
        let root = self.project_root.clone();
        if self.store.agreed_settings(&root).is_none() {
            return Ok(false);
        }
        self.store.agree_to_settings(&root, &Map::new())?;
        Ok(true)
    }

    /// Returns the hooks that no longer run as configured before, and that stay in force in the
    /// running session (TR-8).
    pub fn retained_hooks(&self) -> &[Vouched] {
        &self.kept
    }

    /// Drops the hooks that stay in force although the settings don't contain them any more,
    /// because a person has agreed to that (TR-8).
    pub fn drop_retained_hooks(&mut self) {
        self.kept.clear();
    }

    /// Returns the hooks that run in this session, including those that stay in force.
    pub fn in_force(&self) -> Vec<Vouched> {
        let running = self.listed.list().into_iter();
        let running: HashSet<HookId> = running
            .filter(|it| it.causes.is_empty())
            .map(|it| it.hook.id.clone())
            .collect();
        let vouched = self.vouched.iter();
        let vouched = vouched.filter(|it| running.contains(&it.hook.id));
        vouched.chain(&self.kept).cloned().collect()
    }

    /// Keeps hooks in force that ran before and don't run any more as they did: the agent could
    /// have changed the settings (TR-8). A hook whose trust is in question refuses or waits.
    fn keep(&mut self, before: &[Vouched]) {
        self.kept = self.missing(before).cloned().collect();
    }

    fn missing<'h>(&self, before: &'h [Vouched]) -> impl Iterator<Item = &'h Vouched> {
        let listed = self.listed.list();
        let runs = move |old: &Vouched| {
            listed
                .iter()
                .any(|it| it.causes.is_empty() && is_same_hook(&it.hook, &old.hook))
        };
        let waits = |old: &Vouched| {
            self.vouched.iter().any(|it| {
                !it.may_run()
                    && key(it) == key(old)
                    && it.hook.source.layer == old.hook.source.layer
            })
        };
        let missing = before.iter().filter(|old| !runs(old) && !waits(old));
        missing.collect::<Vec<_>>().into_iter()
    }

    /// Withdraws trust from hooks (TR-4).
    pub fn untrust(&mut self, hooks: &[&HookDeclaration]) -> Result<(), StoreError> {
        let all = &self.settings.hooks;
        self.store.untrust(&self.project_root, all, hooks)
    }

    /// Withdraws trust from hooks that no settings contain any more: all of them, or those with the
    /// given names (TR-8). Returns their labels.
    pub fn untrust_gone(&mut self, names: &[String]) -> Result<Vec<String>, StoreError> {
        let hooks = &self.settings.hooks;
        let gone = self.store.untrust_gone(&self.project_root, hooks, names)?;
        Ok(gone.into_iter().map(|it| it.label).collect())
    }

    /// Rewrites agreements that were recorded under older rules, and returns their hooks (TR-12).
    pub fn renew(&mut self) -> Result<Vec<Vouched>, StoreError> {
        let due = self.vouched.iter().filter(|it| it.renewal.is_some());
        let due: Vec<Vouched> = due.cloned().collect();
        let references: Vec<&Vouched> = due.iter().collect();
        self.store.renew(&self.project_root, &references)?;
        Ok(due)
    }
}

/// Returns the files of settings and extensions that somebody else could have written (TR-9). In a
/// project that belongs completely to one other user (a folder mounted into a container), that
/// owner is expected.
fn distrusted_files(opening: &Opening, project_root: &Path) -> Vec<Distrusted> {
    let places = places(&opening.system, opening.user_folder(), project_root);
    let files = places
        .into_iter()
        .filter(|it| it.symlink_metadata().is_ok());
    files
        .filter_map(|file| {
            let found = if file.starts_with(project_root.join(".gemini")) {
                opening.owners.objection_in_project(&file, project_root)?
            } else {
                opening.owners.objection(&file)?
            };
            Some(Distrusted {
                file,
                why: found.to_string(),
                remedy: found.remedy(),
            })
        })
        .collect()
}

/// Returns a folder name that is unique to a project and shows people which one it is.
pub fn folder_name(project_root: &Path) -> String {
    let path = project_root.to_string_lossy();
    // FNV-1a: enough to keep projects with the same name apart.
    let hash = path.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let name = project_root
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let name: String = name
        .chars()
        .map(|it| if it.is_ascii_alphanumeric() { it } else { '-' })
        .take(40)
        .collect();
    format!("{name}-{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SE-10: two projects with the same name keep their state apart.
    #[test]
    fn projects_of_one_name_are_kept_apart() {
        let names = ["/a/app", "/b/app"].map(|path| folder_name(Path::new(path)));
        assert_ne!(names[0], names[1]);
        assert!(names[0].starts_with("app-"));
        assert!(!folder_name(Path::new("/a/ü /../x")).contains(['/', ' ']));
    }
}
