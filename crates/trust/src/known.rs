//! What is known about a project's hooks, and what follows from it for one hook (TR-1, TR-12).

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use hookloop_hook::HookDeclaration;
use hookloop_settings::WorkspaceTrust;

use crate::alike::alike;
use crate::fingerprint::{Fingerprint, RULES, extension_settings};
use crate::looking_up::{
    project_key, projects_of_one_repository, upstream_keys, upstream_keys_of_project,
};
use crate::named_file::FileReader;
use crate::pairing::{Pairing, may_match};
use crate::record::TrustRecord;
use crate::resolve::{Ground, Reading, Resolved, resolve};
use crate::rules_one;
use crate::standing::{Acceptance, Agreed, Renewal, Standing, Vouched};
use crate::store_file::StoreContent;

/// What is known about the hooks of one project.
pub(crate) struct Known {
    /// The records of this worktree.
    records: Vec<TrustRecord>,
    /// Which of them are about which hooks.
    pairing: Pairing,
    /// The records of the repository's other worktrees (TR-12).
    of_others: Vec<TrustRecord>,
    /// What was agreed to in any of them.
    fingerprints: HashSet<String>,
    upstream: Vec<String>,
}

impl Known {
    pub(crate) fn of(
        content: &StoreContent,
        project_root: &Path,
        hooks: &[HookDeclaration],
    ) -> Self {
        let upstream = upstream_keys_of_project(content, project_root)
            .iter()
            .flat_map(|key| content.upstream(key))
            .map(str::to_owned)
            .collect();
        let own = project_key(project_root);
        let mut others = projects_of_one_repository(content, project_root);
        others.retain(|it| *it != own);
        let of_others = others.iter().flat_map(|it| content.records(it));
        let of_others: Vec<TrustRecord> = of_others.collect();
        let records = content.records(&own);
        let all = records.iter().chain(&of_others);
        let fingerprints = all.map(|it| it.fingerprint.clone()).collect();
        Self {
            pairing: Pairing::of(&records, hooks, &of_others),
            records,
            of_others,
            fingerprints,
            upstream,
        }
    }

    /// Determines the standing of hooks, in order: all of the project's are among them.
    pub(crate) fn vouch_all(
        &self,
        hooks: Vec<HookDeclaration>,
        ground: Ground<'_>,
        reader: &mut FileReader,
        workspace: &WorkspaceTrust,
    ) -> Vec<Vouched> {
        let hooks: Vec<_> = hooks.into_iter().map(Arc::new).enumerate().collect();
        let mut all: Vec<(usize, Vouched)> = Vec::with_capacity(hooks.len());
        for group in alike(&hooks, |(_, hook)| hook) {
            let mut found: Option<Resolved> = None;
            for (place, hook) in group {
                let mut files = |reader: &mut FileReader| {
                    let found = found.get_or_insert_with(|| resolve(hook, ground, reader));
                    found.clone()
                };
                let hook = Arc::clone(hook);
                let vouched = self.vouch(*place, hook, &mut files, (ground, workspace), reader);
                all.push((*place, vouched));
            }
        }
        all.sort_unstable_by_key(|(place, _)| *place);
        all.into_iter().map(|(_, vouched)| vouched).collect()
    }

    /// Determines the standing of one of the project's hooks, by its place. `files` finds its
    /// files.
    fn vouch(
        &self,
        place: usize,
        hook: Arc<HookDeclaration>,
        files: &mut dyn FnMut(&mut FileReader) -> Resolved,
        (ground, workspace): (Ground<'_>, &WorkspaceTrust),
        reader: &mut FileReader,
    ) -> Vouched {
        if !hook.is_from_project() {
            return Vouched::of(hook, Standing::NotNeeded, Acceptance::NotNeeded);
        }
        if let WorkspaceTrust::DoNotTrust { source } = workspace {
            let standing = Standing::FolderUntrusted {
                source: source.clone(),
            };
            return Vouched::of(hook, standing, Acceptance::No);
        }
        let found = files(reader);
        let fingerprint = Fingerprint::of_files(Reading::Today, &hook, found, reader);
        let record = self.pairing.record_of(place).map(|it| &self.records[it]);
        let mut vouched = self.judge(hook, record, &fingerprint, ground, reader);
        vouched.recorded = record.map(|it| it.fingerprint.clone());
        if vouched.accepted == Acceptance::No && workspace.lets_hooks_run() {
            vouched.accepted = Acceptance::ThisRun;
        }
        vouched.fingerprint = Some(Arc::new(fingerprint));
        vouched
    }

    fn judge(
        &self,
        hook: Arc<HookDeclaration>,
        record: Option<&TrustRecord>,
        now: &Fingerprint,
        ground: Ground<'_>,
        reader: &mut FileReader,
    ) -> Vouched {
        if self.fingerprints.contains(&now.digest) {
            return Vouched::of(hook, Standing::Trusted, Acceptance::ByStore);
        }
        let (first, older) = self.records_of_older_rules(&hook, record);
        let by_first = renewal(&first, &hook, now, ground.root);
        if let Some(renewal) = by_first.or_else(|| reading_anew(&older, &hook, now, ground, reader))
        {
            let mut vouched = Vouched::of(hook, Standing::Trusted, Acceptance::ByStore);
            vouched.renewal = Some(renewal);
            return vouched;
        }
        let known_to_gemini = self.is_known_to_gemini(&hook);
        let mut vouched = match record {
            Some(record) => {
                let standing = Standing::from_changes(record.changes(&hook, now));
                let mut vouched = Vouched::of(hook, standing, Acceptance::No);
                vouched.agreed = Some(Agreed {
                    event: record.event.parse().ok(),
                    matcher: record.matcher.clone(),
                    on_failure: record.on_failure(),
                    has_lost_files: record.has_lost_files(now),
                    watched: record.watched_files(),
                });
                vouched
            }
            None => Vouched::of(hook, Standing::New, Acceptance::No),
        };
        vouched.known_to_gemini = known_to_gemini;
        vouched
    }

    /// Returns the records of version 0.1 and of other older rules according to which a hook may
    /// still be what was agreed to. If this worktree has a record of the hook, that one counts, not
    /// what other worktrees have by older rules; once a hook was renewed anywhere, the older
    /// records of worktrees without a current one are about something else.
    fn records_of_older_rules(
        &self,
        hook: &HookDeclaration,
        record: Option<&TrustRecord>,
    ) -> (Vec<&TrustRecord>, Vec<&TrustRecord>) {
        let is_older = |it: &&TrustRecord| it.rules < RULES;
        let older: Vec<&TrustRecord> = match record {
            Some(record) if record.rules == RULES => Vec::new(),
            Some(_) => self.records.iter().filter(is_older).collect(),
            None => {
                let mut renewed = self.of_others.iter().filter(|it| it.rules == RULES);
                let others = self.of_others.iter().filter(is_older);
                let is_any = others.clone().next().is_some();
                let counts = is_any && !renewed.any(|it| may_match(it, hook));
                let own = self.records.iter().filter(is_older);
                own.chain(others.filter(|_| counts)).collect()
            }
        };
        older.into_iter().partition(|it| it.is_of_first_rules())
    }

    fn is_known_to_gemini(&self, hook: &HookDeclaration) -> bool {
        !self.upstream.is_empty()
            && upstream_keys(hook)
                .iter()
                .any(|key| self.upstream.iter().any(|it| it == key))
    }
}

/// Compares a hook with records of version 0.1, by its rules (TR-12).
fn renewal(
    older: &[&TrustRecord],
    hook: &HookDeclaration,
    now: &Fingerprint,
    root: &Path,
) -> Option<Renewal> {
    if older.is_empty() {
        return None;
    }
    let old = rules_one::take(hook, extension_settings(hook).as_deref(), root);
    let is_it = older.iter().any(|it| it.fingerprint == old.digest);
    is_it.then(|| Renewal {
        never_shown: now
            .watched_files()
            .filter(|path| !old.paths.contains(path))
            .collect(),
    })
}

/// Compares a hook with records from when fewer texts were read (TR-12).
fn reading_anew(
    older: &[&TrustRecord],
    hook: &HookDeclaration,
    now: &Fingerprint,
    ground: Ground<'_>,
    reader: &mut FileReader,
) -> Option<Renewal> {
    if older.is_empty() {
        return None;
    }
    let mut former = [
        Reading::WithoutData,
        Reading::WithSearched,
        Reading::WithoutTellers,
        Reading::WithoutTasks,
        Reading::Former,
    ]
    .into_iter();
    former.find_map(|reading| {
        let then = Fingerprint::take_by(reading, hook, ground, reader);
        let is_new = |path: &String| then.files.iter().all(|it| it.path != *path);
        let is_it = older.iter().any(|it| it.fingerprint == then.digest);
        is_it.then(|| Renewal {
            never_shown: now.watched_files().filter(is_new).collect(),
        })
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;
    use std::sync::Arc;

    use hookloop_hook::{EventName, Handler, HookDeclaration, HookId, Layer, Source};
    use hookloop_settings::WorkspaceTrust;

    use super::*;
    use crate::resolve::Surroundings;
    use crate::store::TrustStore;

    fn vouched(root: &Path) -> (TrustStore, Vouched) {
        vouched_of(root, "make -s guard")
    }

    fn vouched_of(root: &Path, command: &str) -> (TrustStore, Vouched) {
        let source = Source {
            layer: Some(Layer::Project),
            ..Source::of_file(root.join("settings.json"))
        };
        let hook = HookDeclaration::new(
            HookId::from_text("h"),
            EventName::BeforeTool,
            Handler::command(command),
            source,
        );
        let store = root.parent().expect("a folder").join("trusted.json");
        let (store, _) = TrustStore::open(store);
        let vouched = store.vouch(root, vec![hook], &WorkspaceTrust::Untold);
        (store, vouched.into_iter().next().expect("one"))
    }

    /// Makes a repository with a second worktree, and trusts its hook by former rules in the first.
    fn with_worktrees(folder: &Path) -> (std::path::PathBuf, std::path::PathBuf) {
        let (first, second) = (folder.join("first"), folder.join("second"));
        std::fs::create_dir(&first).expect("a folder");
        std::fs::write(first.join("Makefile"), "guard:\n\tsh g.sh\n").expect("a file");
        std::fs::write(first.join("g.sh"), "true\n").expect("a file");
        for words in [
            &["init", "-q"][..],
            &["add", "-A"],
            &[
                "-c",
                "user.name=n",
                "-c",
                "user.email=e@x",
                "commit",
                "-qm",
                "m",
            ],
            &["worktree", "add", "-q", "../second"],
        ] {
            let done = Command::new("git").args(words).current_dir(&first).output();
            assert!(done.expect("git").status.success(), "{words:?}");
        }
        let surroundings = Surroundings::default();
        let ground = Ground {
            root: &first,
            cwd: &first,
            surroundings: &surroundings,
        };
        let (mut store, mut seen) = vouched(&first);
        let reader = &mut FileReader::new(&first);
        let former = Fingerprint::take_by(Reading::WithoutTasks, &seen.hook, ground, reader);
        seen.fingerprint = Some(Arc::new(former));
        store.trust_as_seen(&first, &[&seen]).expect("a store");
        (first, second)
    }

    /// TR-12: an agreement from when what is searched for could name a file counts as long as that
    /// file is unchanged, and is renewed; from then on the file doesn't belong to the hook.
    #[test]
    fn an_agreement_to_what_is_searched_for_is_renewed() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("project");
        std::fs::create_dir(&root).expect("a folder");
        let write = |text: &str| std::fs::write(root.join("package.json"), text).expect("a file");
        write("one");
        let command = "grep -q package.json && exit 2";
        let surroundings = Surroundings::default();
        let ground = Ground {
            root: &root,
            cwd: &root,
            surroundings: &surroundings,
        };
        let (mut store, mut seen) = vouched_of(&root, command);
        let reader = &mut FileReader::new(&root);
        let former = Fingerprint::take_by(Reading::WithSearched, &seen.hook, ground, reader);
        seen.fingerprint = Some(Arc::new(former));
        store.trust_as_seen(&root, &[&seen]).expect("a store");
        write("two");
        assert_eq!(vouched_of(&root, command).1.accepted, Acceptance::No);
        write("one");
        let (mut store, now) = vouched_of(&root, command);
        assert!(now.renewal.is_some(), "{:?}", now.standing);
        store.renew(&root, &[&now]).expect("a store");
        write("two");
        assert_eq!(vouched_of(&root, command).1.standing, Standing::Trusted);
    }

    /// TR-12: once a hook of one worktree was renewed by the current rules, another worktree's
    /// records by older rules don't renew a change of it; the other worktree keeps its own
    /// agreement.
    #[test]
    fn records_of_other_worktrees_renew_nothing_twice() {
        let folder = tempfile::tempdir().expect("a folder");
        let (first, second) = with_worktrees(folder.path());
        let (mut store, now) = vouched(&second);
        assert!(now.renewal.is_some(), "{:?}", now.standing);
        store.renew(&second, &[&now]).expect("a store");
        assert_eq!(vouched(&second).1.standing, Standing::Trusted);
        std::fs::write(second.join("Makefile"), "guard:\n\ttrue\n").expect("a file");
        let changed = vouched(&second).1;
        assert_eq!(changed.accepted, Acceptance::No, "{:?}", changed.standing);
        assert_eq!(vouched(&first).1.accepted, Acceptance::ByStore);
    }

    /// TR-12: a hook that was renewed in one worktree, and never seen in a third, isn't renewed
    /// there from the older record of another.
    #[test]
    fn what_was_renewed_anywhere_counts_for_worktrees_without_a_record() {
        let folder = tempfile::tempdir().expect("a folder");
        let (first, second) = with_worktrees(folder.path());
        let (mut store, now) = vouched(&second);
        store.renew(&second, &[&now]).expect("a store");
        let third = ["worktree", "add", "-q", "../third"];
        let done = Command::new("git").args(third).current_dir(&first).output();
        assert!(done.expect("git").status.success());
        let third = folder.path().join("third");
        assert_eq!(vouched(&third).1.standing, Standing::Trusted);
        std::fs::write(third.join("Makefile"), "guard:\n\ttrue\n").expect("a file");
        assert_eq!(vouched(&third).1.accepted, Acceptance::No);
    }

    /// TR-12: a program with former rules keeps the records that the current one wrote, and trusts
    /// nothing because of them.
    #[test]
    fn records_are_of_newer_rules_than_those_of_former_readings() {
        let folder = tempfile::tempdir().expect("a folder");
        let (first, _) = with_worktrees(folder.path());
        let rules = |store: &TrustStore| store.records(&first).iter().map(|it| it.rules).collect();
        let (mut store, now) = vouched(&first);
        let before: Vec<u32> = rules(&store);
        store.renew(&first, &[&now]).expect("a store");
        let after: Vec<u32> = rules(&store);
        assert!(before < after, "{before:?} {after:?}");
    }
}
