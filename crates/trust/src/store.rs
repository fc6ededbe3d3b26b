//! The trust store: who may run, and what a person agreed to (TR-1…5, TR-7).

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookloop_hook::{HookDeclaration, Problem, ProblemCode, Source};
use hookloop_settings::WorkspaceTrust;

use crate::fingerprint::Fingerprint;
use crate::named_files::FileReader;
use crate::record::TrustRecord;
use crate::standing::{Acceptance, Standing, Vouched};
use crate::store_file::{StoreContent, StoreError, update};

/// Holds what is trusted, as kept in `trusted_hooks.json` (TR-4).
#[derive(Debug, Clone)]
pub struct TrustStore {
    file: PathBuf,
    content: StoreContent,
}

impl TrustStore {
    /// Opens the store. A missing file is an empty store; a broken one is reported, counts as
    /// empty, and is never overwritten.
    pub fn open(file: impl Into<PathBuf>) -> (Self, Vec<Problem>) {
        let file = file.into();
        let (content, problems) = match StoreContent::read(&file) {
            Ok(content) => (content, Vec::new()),
            Err(reason) => {
                let message = format!("the list of trusted hooks can't be read: {reason}");
                let help = "repair or remove the file; until then no project hook is trusted";
                let source = Source::of_file(file.as_path());
                let code = ProblemCode::TrustFileInvalid;
                (
                    StoreContent::default(),
                    vec![Problem::new(code, source, message, help)],
                )
            }
        };
        (Self { file, content }, problems)
    }

    /// Returns the file that the store is kept in.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Tells whether a person ever trusted a hook of a project in its folder (ST-5).
    pub fn knows_project(&self, project_root: &Path) -> bool {
        !self.content.records(&project_key(project_root)).is_empty()
    }

    /// Finds the standing of each hook, in order (TR-1, TR-2, TR-3, TR-5). Reads the files that
    /// commands name; runs, trusts and writes nothing (TR-7).
    pub fn vouch(
        &self,
        project_root: &Path,
        hooks: Vec<HookDeclaration>,
        workspace: &WorkspaceTrust,
    ) -> Vec<Vouched> {
        let mut reader = FileReader::new(project_root);
        let known = Known::of(&self.content, project_root);
        hooks
            .into_iter()
            .map(|hook| known.vouch(hook, &mut reader, workspace))
            .collect()
    }

    /// Trusts hooks as they are now. A hook that needs no trust is passed over.
    pub fn trust(
        &mut self,
        project_root: &Path,
        hooks: &[&HookDeclaration],
    ) -> Result<(), StoreError> {
        let mut reader = FileReader::new(project_root);
        let taken = hooks
            .iter()
            .filter(|hook| hook.is_from_project())
            .map(|hook| (*hook, Fingerprint::take(hook, &mut reader)));
        self.record(project_root, &taken.collect::<Vec<_>>())
    }

    /// Trusts hooks as they were when they were vouched for, and shown to a person: what changed
    /// in the meantime is not trusted (TR-2).
    ///
    /// What hooks of the same event, name and matcher were before is no longer trusted: a hook
    /// that shares its name with them, and is to stay trusted, has to be given too.
    pub fn trust_as_seen(
        &mut self,
        project_root: &Path,
        seen: &[&Vouched],
    ) -> Result<(), StoreError> {
        let taken = seen.iter().filter_map(|vouched| {
            let fingerprint = vouched.fingerprint.as_deref()?.clone();
            Some((&*vouched.hook, fingerprint))
        });
        self.record(project_root, &taken.collect::<Vec<_>>())
    }

    /// Takes trust away, also what upstream's list gives (TR-4).
    pub fn untrust(
        &mut self,
        project_root: &Path,
        hooks: &[&HookDeclaration],
    ) -> Result<(), StoreError> {
        self.content = update(&self.file, |content| {
            let project = project_key(project_root);
            let mut records = content.records(&project);
            records.retain(|record| !hooks.iter().any(|hook| record.is_named_like(hook)));
            content.set_records(&project, &records);
            let keys: Vec<String> = hooks.iter().flat_map(|hook| upstream_keys(hook)).collect();
            for key in upstream_keys_of_project(content, project_root) {
                content.remove_upstream(&key, &keys);
            }
        })?;
        Ok(())
    }

    /// Stores the baseline of those hooks that upstream's list trusts, when they first run: from
    /// then on a change of their script is noticed (TR-4).
    pub fn record_baseline(
        &mut self,
        project_root: &Path,
        vouched: &[&Vouched],
    ) -> Result<(), StoreError> {
        let due: Vec<&Vouched> = vouched
            .iter()
            .copied()
            .filter(|vouched| vouched.accepted == Acceptance::ByUpstream)
            .collect();
        if due.is_empty() {
            return Ok(());
        }
        self.trust_as_seen(project_root, &due)
    }

    fn record(
        &mut self,
        project_root: &Path,
        taken: &[(&HookDeclaration, Fingerprint)],
    ) -> Result<(), StoreError> {
        if taken.is_empty() {
            return Ok(());
        }
        self.content = update(&self.file, |content| {
            let project = project_key(project_root);
            let mut records = content.records(&project);
            let new: Vec<TrustRecord> = taken
                .iter()
                .map(|(hook, fingerprint)| TrustRecord::new(hook, fingerprint))
                .collect();
            // What they were before is no longer trusted. Twins that differ in matcher stay, and
            // so do those that are trusted together.
            let names: HashSet<_> = new.iter().map(TrustRecord::name_and_matcher).collect();
            records.retain(|record| !names.contains(&record.name_and_matcher()));
            let mut seen = HashSet::new();
            records.extend(
                new.iter()
                    .filter(|record| seen.insert(&record.fingerprint))
                    .cloned(),
            );
            content.set_records(&project, &records);
        })?;
        Ok(())
    }

    /// Returns the records of a project.
    pub(crate) fn records(&self, project_root: &Path) -> Vec<TrustRecord> {
        self.content.records(&project_key(project_root))
    }
}

/// What is known about the hooks of one project.
struct Known {
    records: Vec<TrustRecord>,
    fingerprints: HashSet<String>,
    upstream: Vec<String>,
}

impl Known {
    fn of(content: &StoreContent, project_root: &Path) -> Self {
        let upstream = upstream_keys_of_project(content, project_root)
            .iter()
            .flat_map(|key| content.upstream(key))
            .map(str::to_owned)
            .collect();
        let records = content.records(&project_key(project_root));
        let fingerprints = records
            .iter()
            .map(|record| record.fingerprint.clone())
            .collect();
        Self {
            records,
            fingerprints,
            upstream,
        }
    }

    fn vouch(
        &self,
        hook: HookDeclaration,
        reader: &mut FileReader,
        workspace: &WorkspaceTrust,
    ) -> Vouched {
        let hook = Arc::new(hook);
        if !hook.is_from_project() {
            let (standing, accepted) = (Standing::NotNeeded, Acceptance::NotNeeded);
            return Vouched {
                hook,
                standing,
                accepted,
                fingerprint: None,
            };
        }
        if let WorkspaceTrust::DoNotTrust { source } = workspace {
            let standing = Standing::FolderUntrusted {
                source: source.clone(),
            };
            return Vouched {
                hook,
                standing,
                accepted: Acceptance::No,
                fingerprint: None,
            };
        }
        let fingerprint = Fingerprint::take(&hook, reader);
        let (standing, mut accepted) = self.standing(&hook, &fingerprint);
        if accepted == Acceptance::No && workspace.lets_hooks_run() {
            accepted = Acceptance::ThisRun;
        }
        Vouched {
            hook,
            standing,
            accepted,
            fingerprint: Some(Arc::new(fingerprint)),
        }
    }

    fn standing(&self, hook: &HookDeclaration, now: &Fingerprint) -> (Standing, Acceptance) {
        if self.fingerprints.contains(&now.digest) {
            return (Standing::Trusted, Acceptance::ByStore);
        }
        if self.is_upstream_trusted(hook) {
            // A baseline under another event is one all the same: the script is what it names.
            let changed = self.records.iter().find(|record| {
                record.has_same_upstream_key(hook)
                    && (record.event == hook.event.as_str() || !record.runs_the_same(hook, now))
            });
            return match changed {
                None => (Standing::Trusted, Acceptance::ByUpstream),
                Some(record) => (
                    Standing::modified(record.changes(hook, now)),
                    Acceptance::No,
                ),
            };
        }
        match nearest_record(&self.records, hook) {
            Some(record) => (
                Standing::modified(record.changes(hook, now)),
                Acceptance::No,
            ),
            None => (Standing::New, Acceptance::No),
        }
    }

    fn is_upstream_trusted(&self, hook: &HookDeclaration) -> bool {
        !self.upstream.is_empty()
            && upstream_keys(hook)
                .iter()
                .any(|key| self.upstream.iter().any(|it| it == key))
    }
}

/// Returns the record that is nearest to a hook, if it is one of its earlier states.
pub(crate) fn nearest_record<'a>(
    records: &'a [TrustRecord],
    hook: &HookDeclaration,
) -> Option<&'a TrustRecord> {
    records
        .iter()
        .filter(|record| record.is_earlier_state_of(hook))
        .max_by_key(|record| {
            [
                record.name == hook.name && record.command == hook.command(),
                record.name == hook.name,
                record.matcher == hook.matcher,
                record.env == hook.env,
            ]
        })
}

/// Returns the spellings under which upstream may have listed a hook (TR-4). A name with a colon
/// has none: it could have been cut out of the command that was trusted, so that another one runs.
fn upstream_keys(hook: &HookDeclaration) -> Vec<String> {
    let command = hook.command();
    match &hook.name {
        Some(name) if name.contains(':') => Vec::new(),
        Some(name) => vec![format!("{name}:{command}")],
        None => ["", "undefined", command]
            .map(|name| format!("{name}:{command}"))
            .into(),
    }
}

fn project_key(project_root: &Path) -> String {
    let real = project_root
        .canonicalize()
        .unwrap_or_else(|_| project_root.to_path_buf());
    real.to_string_lossy().into_owned()
}

/// Returns the keys under which upstream's file has the project: its path as it was reached then.
fn upstream_keys_of_project(content: &StoreContent, project_root: &Path) -> Vec<String> {
    let real = project_key(project_root);
    let plain = project_root.to_string_lossy();
    content
        .upstream_projects()
        .filter(|key| {
            let key = key.trim_end_matches('/');
            key == real || key == plain
        })
        .map(str::to_owned)
        .collect()
}
