//! The trust store: which hooks may run, and what a person agreed to (TR-1…5, TR-7).

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use hookloop_hook::{HookDeclaration, HookId, Problem, ProblemCode};
use hookloop_settings::WorkspaceTrust;
use serde_json::{Map, Value};

use crate::fingerprint::Fingerprint;
use crate::known::Known;
use crate::looking_up::{
    project_key, projects_of_one_repository, upstream_keys, upstream_keys_of_project,
};
use crate::named_file::FileReader;
use crate::ownership::OwnerCheck;
use crate::pairing::{Entries, Pairing, is_surely_about};
use crate::record::TrustRecord;
use crate::resolve::{Ground, Surroundings};
use crate::standing::Vouched;
use crate::store_file::{StoreContent, StoreError, update};
use crate::store_opening::{problem_of, read, read_checked, until_then};

/// The trusted hooks, as stored in `trusted_hooks.json` (TR-4).
#[derive(Debug, Clone)]
pub struct TrustStore {
    file: PathBuf,
    content: StoreContent,
    surroundings: Surroundings,
}

impl TrustStore {
    /// Opens the store. A missing file is an empty store. A broken file is reported, counts as
    /// empty, and is never overwritten.
    pub fn open(file: impl Into<PathBuf>) -> (Self, Vec<Problem>) {
        Self::from_read(file.into(), read)
    }

    /// Opens the store and checks its owner: a store that somebody else could have written trusts
    /// no hook (TR-9).
    pub fn open_checked(file: impl Into<PathBuf>, owners: OwnerCheck) -> (Self, Vec<Problem>) {
        Self::from_read(file.into(), |file| read_checked(file, owners))
    }

    fn from_read(
        file: PathBuf,
        read: impl FnOnce(&Path) -> Result<StoreContent, Box<Problem>>,
    ) -> (Self, Vec<Problem>) {
        let (content, problem) = match read(&file) {
            Ok(content) => (content, None),
            Err(problem) => (
                StoreContent::default(),
                Some(until_then(*problem, "no project hook is trusted")),
            ),
        };
        let store = Self {
            file,
            content,
            surroundings: Surroundings::default(),
        };
        (store, problem.into_iter().collect())
    }

    /// Opens the store again during a session. A problem is returned if agreements from this
    /// session are lost although nobody withdrew them: the file is gone or broken, it lost our
    /// section, which no command removes, or somebody else could have written it (TR-8). The
    /// returned store then trusts what the file trusts, as at the start of a session.
    pub fn reopened(&self, owners: OwnerCheck) -> (Self, Option<Problem>) {
        let (content, problem) = match read_checked(&self.file, owners) {
            Ok(content) if content.has_lost(&self.content) => {
                let message = "the list of trusted hooks is gone".to_owned();
                let help =
                    "restore the file, or review the hooks with `hookloop hooks review` and trust \
                     them again"
                        .to_owned();
                let problem = problem_of(&self.file, ProblemCode::TrustFileInvalid, message, help);
                (content, Some(problem))
            }
            Ok(content) => (content, None),
            Err(problem) => (StoreContent::default(), Some(problem)),
        };
        let what = "hooks of the project that ran in this session refuse, and others don't run";
        let problem = problem.map(|it| until_then(*it, what));
        let store = Self {
            content,
            ..self.clone()
        };
        (store, problem)
    }

    /// Sets where hooks will run, so that the store finds the files that they will find.
    #[must_use]
    pub fn with_surroundings(mut self, surroundings: Surroundings) -> Self {
        self.surroundings = surroundings;
        self
    }

    /// Returns where hooks will run.
    pub fn surroundings(&self) -> &Surroundings {
        &self.surroundings
    }

    /// Returns the store's file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns whether a person has ever trusted a hook of a project in its folder (ST-5).
    pub fn knows_project(&self, project_root: &Path) -> bool {
        !self.content.records(&project_key(project_root)).is_empty()
    }

    /// Determines the standing of each hook, in order (TR-1, TR-2, TR-3, TR-5). Reads the files
    /// that commands name; runs, trusts and writes nothing (TR-7).
    pub fn vouch(
        &self,
        project_root: &Path,
        hooks: Vec<HookDeclaration>,
        workspace: &WorkspaceTrust,
    ) -> Vec<Vouched> {
        let mut reader = FileReader::new(project_root);
        let known = Known::of(&self.content, project_root, &hooks);
        let ground = self.ground(project_root);
        known.vouch_all(hooks, ground, &mut reader, workspace)
    }

    /// Trusts hooks as they are now, if the project's other hooks aren't known. This replaces only
    /// earlier agreements to the same entries. Hooks that need no trust are skipped.
    pub fn trust(
        &mut self,
        project_root: &Path,
        hooks: &[&HookDeclaration],
    ) -> Result<(), StoreError> {
        let mut reader = FileReader::new(project_root);
        let ground = self.ground(project_root);
        let records: Vec<_> = hooks
            .iter()
            .filter(|hook| hook.is_from_project())
            .map(|hook| {
                let fingerprint = Fingerprint::take(hook, ground, &mut reader);
                TrustRecord::new(hook, &fingerprint)
            })
            .collect();
        self.record(project_root, &records, &HashSet::new())
    }

    /// Trusts hooks as they were when they were vouched for and shown to a person. Later changes
    /// aren't trusted (TR-2).
    ///
    /// This replaces the earlier agreements to these hooks, which were found among the records of
    /// all hooks of the project.
    pub fn trust_as_seen(
        &mut self,
        project_root: &Path,
        seen: &[&Vouched],
    ) -> Result<(), StoreError> {
        let records = seen.iter().filter_map(|vouched| {
            let fingerprint = vouched.fingerprint.as_deref()?;
            Some(TrustRecord::new(&vouched.hook, fingerprint))
        });
        let before = seen.iter().filter_map(|it| it.recorded.as_deref());
        self.record(
            project_root,
            &records.collect::<Vec<_>>(),
            &before.collect(),
        )
    }

    /// Withdraws trust from some (`meant`) of all hooks of a project, and removes them from Gemini
    /// CLI's list (TR-4).
    pub fn untrust(
        &mut self,
        project_root: &Path,
        all: &[HookDeclaration],
        meant: &[&HookDeclaration],
    ) -> Result<(), StoreError> {
        let own = project_key(project_root);
        let entries = Entries::from_hooks(meant.iter().copied());
        let ids: HashSet<&HookId> = meant.iter().map(|it| &it.id).collect();
        self.content = update(&self.file, |content| {
            // Hooks trusted in another worktree of the repository are trusted here, too (TR-12).
            for project in projects_of_one_repository(content, project_root) {
                let mut records = content.records(&project);
                let pairing = Pairing::of(&records, all, []);
                let places = all.iter().enumerate();
                let theirs = places.filter(|(_, hook)| ids.contains(&hook.id));
                let theirs: HashSet<usize> = theirs
                    .filter_map(|(place, hook)| {
                        let record = pairing.record_of(place)?;
                        // Another worktree may have other hooks, too.
                        let is_its = project == own || is_surely_about(&records[record], hook);
                        is_its.then_some(record)
                    })
                    .collect();
                let mut place = 0..;
                records.retain(|record| {
                    let is_paired = place.next().is_some_and(|it| theirs.contains(&it));
                    !is_paired && !entries.contain(record)
                });
                content.set_records(&project, &records);
            }
            let keys: Vec<String> = meant.iter().flat_map(|hook| upstream_keys(hook)).collect();
            for key in upstream_keys_of_project(content, project_root) {
                content.remove_upstream(&key, &keys);
            }
        })?;
        Ok(())
    }

    /// Withdraws trust from hooks that no settings contain any more: all of them, or those with the
    /// given names (TR-4, TR-8). Returns them.
    pub fn untrust_gone(
        &mut self,
        project_root: &Path,
        hooks: &[HookDeclaration],
        names: &[String],
    ) -> Result<Vec<GoneHook>, StoreError> {
        let mut gone = self.records_of_gone(project_root, hooks);
        gone.retain(|it| names.is_empty() || names.contains(&gone_of(it).label));
        if gone.is_empty() {
            return Ok(Vec::new());
        }
        let entries = Entries::from_records(&gone);
        self.content = update(&self.file, |content| {
            for project in projects_of_one_repository(content, project_root) {
                let mut records = content.records(&project);
                records.retain(|record| !entries.contain(record));
                content.set_records(&project, &records);
            }
        })?;
        Ok(gone.iter().map(gone_of).collect())
    }

    /// Rewrites the records of hooks that are trusted by records under older rules, so that the
    /// current rules watch them from now on (TR-12).
    pub fn renew(&mut self, project_root: &Path, vouched: &[&Vouched]) -> Result<(), StoreError> {
        let due: Vec<&Vouched> = vouched
            .iter()
            .copied()
            .filter(|vouched| vouched.renewal.is_some())
            .collect();
        self.trust_as_seen(project_root, &due)
    }

    /// Returns the project's settings that weaken other layers' hooks and that a person agreed to
    /// (ST-13), by their paths, such as `hooksConfig.disabled`. Returns `None` if nobody agreed to
    /// any.
    pub fn agreed_settings(&self, project_root: &Path) -> Option<Map<String, Value>> {
        self.content.settings(&project_key(project_root))
    }

    /// Agrees to what the project's settings say about other layers' hooks, as it was shown
    /// (ST-13). An empty content withdraws the agreement.
    pub fn agree_to_settings(
        &mut self,
        project_root: &Path,
        content: &Map<String, Value>,
    ) -> Result<(), StoreError> {
        self.content = update(&self.file, |stored| {
            stored.set_settings(&project_key(project_root), content);
        })?;
        Ok(())
    }

    /// Records the content of settings files after a command that a person gave; `None` for a file
    /// that no longer exists (TR-11).
    pub fn settle(&mut self, files: &BTreeMap<PathBuf, Option<String>>) -> Result<(), StoreError> {
        self.content = update(&self.file, |content| {
            for (file, digest) in files {
                content.set_settled(&file.to_string_lossy(), digest.as_deref());
            }
        })?;
        Ok(())
    }

    /// Returns whether a file is as a person's command left it.
    pub fn is_settled(&self, file: &Path, digest: Option<&str>) -> bool {
        self.content.is_settled(&file.to_string_lossy(), digest)
    }

    /// Returns the hooks that were trusted in this folder and that no settings contain any more
    /// (TR-8), by event and by name or command.
    pub fn gone_hooks(&self, project_root: &Path, hooks: &[HookDeclaration]) -> Vec<GoneHook> {
        let gone = self.records_of_gone(project_root, hooks);
        gone.iter().map(gone_of).collect()
    }

    fn records_of_gone(&self, project_root: &Path, hooks: &[HookDeclaration]) -> Vec<TrustRecord> {
        let mut records = self.records(project_root);
        let gone: HashSet<usize> = Pairing::of(&records, hooks, []).unpaired().collect();
        let mut place = 0..;
        records.retain(|_| place.next().is_some_and(|it| gone.contains(&it)));
        records
    }

    fn ground<'a>(&'a self, project_root: &'a Path) -> Ground<'a> {
        Ground {
            root: project_root,
            cwd: project_root,
            surroundings: &self.surroundings,
        }
    }

    /// Writes records; what the same hooks were before is no longer trusted.
    fn record(
        &mut self,
        project_root: &Path,
        agreed: &[TrustRecord],
        before: &HashSet<&str>,
    ) -> Result<(), StoreError> {
        if agreed.is_empty() {
            return Ok(());
        }
        self.content = update(&self.file, |content| {
            let project = project_key(project_root);
            let mut records = content.records(&project);
            let entries = Entries::from_records(agreed);
            records.retain(|record| {
                !before.contains(&*record.fingerprint) && !entries.contain(record)
            });
            let mut seen = HashSet::new();
            let new = agreed.iter().filter(|it| seen.insert(&it.fingerprint));
            records.extend(new.cloned());
            content.set_records(&project, &records);
        })?;
        Ok(())
    }

    /// Returns the records of a project.
    pub(crate) fn records(&self, project_root: &Path) -> Vec<TrustRecord> {
        self.content.records(&project_key(project_root))
    }
}

/// A hook that was trusted and is gone (TR-8).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoneHook {
    /// Its event, as settings spell it.
    pub event: String,
    /// Its name, else its command.
    pub label: String,
}

fn gone_of(record: &TrustRecord) -> GoneHook {
    GoneHook {
        event: record.event.clone(),
        label: record.name.clone().unwrap_or_else(|| record.label()),
    }
}
