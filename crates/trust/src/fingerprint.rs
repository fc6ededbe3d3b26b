//! The fingerprint of a hook (TR-1).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hookloop_hook::HookDeclaration;
use sha2::{Digest, Sha256};

use crate::digest::hexadecimal;
use crate::fields::{Fields, fields};
use crate::named_file::{FileReader, FileState, NamedFile, NamedPart};
use crate::resolve::{Ground, Reading, Resolved, javascript_kind, resolve_by};

/// The current version of the rules for fingerprints (TR-12). Rules 1 are those of version 0.1; by
/// rules 2, fewer of the files that tell a program what to run were examined; by rules 3, what a
/// command searches for, or a program text compares, could name a file; by rules 4, files that a
/// guard's script only reads didn't count.
pub(crate) const RULES: u32 = 5;

/// The rules of records whose fingerprints were made by one of the former ways of reading.
const FORMER_RULES: u32 = 2;

/// The rules of records that were made when what a command searches for, or a program text
/// compares, could name a file.
const RULES_WITH_SEARCHED: u32 = 3;

/// The rules of records that were made when files that a guard's script only reads didn't count.
const RULES_WITHOUT_DATA: u32 = 4;

/// Where the system's own programs are, such as the interpreter of a virtual environment: they
/// aren't watched.
const SYSTEM: [&str; 6] = ["/bin", "/sbin", "/usr", "/lib", "/nix", "/snap"];

/// What a person trusts: every field of a hook that counts, and the bytes of the files inside the
/// project that the hook names (TR-1).
#[derive(Debug, Clone, PartialEq)]
pub struct Fingerprint {
    /// SHA-256 over everything, in hexadecimal.
    pub digest: String,
    /// The files, by path.
    pub files: Vec<NamedFile>,
    /// The parts that count in files that also contain other things, by path and part.
    pub parts: Vec<NamedPart>,
    /// Why the hook may run files that can't be determined in advance, each as a sentence without
    /// its name. Such a hook is *unpinned*. Empty if everything that it runs is watched.
    pub unpinned: Vec<String>,
    /// SHA-256 over the settings of the hook's extension, which are in its environment (EX-3), or
    /// `None` if there are none. The values may be secrets, and aren't stored.
    pub extension_settings: Option<String>,
    /// The fields that count, as they would be written.
    pub(crate) fields: Fields,
    /// The rules that made it (TR-12).
    pub(crate) rules: u32,
}

impl Fingerprint {
    /// Takes the fingerprint of a hook as it is now; reads files, runs nothing (TR-7).
    pub(crate) fn take(
        hook: &HookDeclaration,
        ground: Ground<'_>,
        reader: &mut FileReader,
    ) -> Self {
        Self::take_by(Reading::Today, hook, ground, reader)
    }

    /// Takes the hook's current fingerprint by the given rules for reading scripts (TR-12).
    pub(crate) fn take_by(
        reading: Reading,
        hook: &HookDeclaration,
        ground: Ground<'_>,
        reader: &mut FileReader,
    ) -> Self {
        Self::of_files(
            reading,
            hook,
            resolve_by(reading, hook, ground, reader),
            reader,
        )
    }

    /// Takes the fingerprint of a hook whose files were found by the given rules.
    pub(crate) fn of_files(
        reading: Reading,
        hook: &HookDeclaration,
        resolved: Resolved,
        reader: &FileReader,
    ) -> Self {
        let parts = match reading {
            Reading::Today | Reading::WithoutData | Reading::WithSearched => {
                parts(&resolved, reader)
            }
            Reading::WithoutTellers | Reading::WithoutTasks | Reading::Former => Vec::new(),
        };
        let fields = fields(hook);
        let extension_settings = extension_settings(hook);
        let mut files = BTreeMap::new();
        let mut unpinned: BTreeSet<String> = resolved.unpinned;
        for file in resolved.files {
            if matches!(file.state, FileState::TooLarge { .. }) {
                unpinned.insert(format!("{} is larger than 64 MiB", file.path));
            }
            if let FileState::Outside { target } = &file.state
                && !SYSTEM.iter().any(|folder| target.starts_with(folder))
            {
                let why = format!(
                    "{} links out to {}; its content isn't watched",
                    file.path,
                    target.display()
                );
                unpinned.insert(why);
            }
            files.insert(file.path.clone(), file);
        }
        let mut hasher = Sha256::new();
        let mut part = |text: Option<&str>| {
            // The length before each text keeps neighbouring texts apart.
            let length = text.map_or(u64::MAX, |text| text.len() as u64);
            hasher.update(length.to_le_bytes());
            hasher.update(text.unwrap_or_default());
        };
        part(Some("hookloop-2"));
        if reading.watches_tellers() {
            // A fingerprint made by a former way of reading never counts as one made by the current
            // one.
            part(Some("tellers"));
        }
        if reading == Reading::Today {
            part(Some("data"));
        }
        for (name, value) in &fields {
            part(Some(name));
            part(Some(&value.to_string()));
        }
        part(None);
        part(extension_settings.as_deref());
        for file in files.values() {
            part(Some(&file.path));
            part(Some(&file.state.mark()));
        }
        for it in &parts {
            part(None);
            part(Some(&it.path));
            part(Some(&it.part));
            part(Some(&it.text));
        }
        Self {
            digest: hexadecimal(&hasher.finalize()),
            files: files.into_values().collect(),
            parts,
            unpinned: unpinned.into_iter().collect(),
            extension_settings,
            fields,
            rules: match reading {
                Reading::Today => RULES,
                Reading::WithoutData => RULES_WITHOUT_DATA,
                Reading::WithSearched => RULES_WITH_SEARCHED,
                Reading::WithoutTellers | Reading::WithoutTasks | Reading::Former => FORMER_RULES,
            },
        }
    }
}

impl Fingerprint {
    /// Returns the files that are watched completely or in part, relative to the project's root.
    pub fn watched_files(&self) -> impl Iterator<Item = String> {
        let parts = self.parts.iter().map(|it| &it.path);
        let files = self.files.iter().map(|it| &it.path);
        let all: BTreeSet<&String> = files.chain(parts).collect();
        all.into_iter().cloned().collect::<Vec<_>>().into_iter()
    }
}

/// Returns the parts that decide in files of the project that also contain other things.
fn parts(resolved: &Resolved, reader: &FileReader) -> Vec<NamedPart> {
    let of_project = resolved.aspects.iter().filter_map(|aspect| {
        let text = aspect.current_content();
        Some(NamedPart {
            path: reader.inside(&aspect.file)?,
            part: aspect.part.agreed_as()?,
            text: Arc::from(text),
        })
    });
    let scripts = resolved.javascript.iter().filter_map(|script| {
        let kind = javascript_kind(script);
        // The default, unless something says otherwise.
        let text = if kind == "commonjs" {
            String::new()
        } else {
            kind
        };
        Some(NamedPart {
            path: reader.inside(script)?,
            part: "kind of modules".to_owned(),
            text: Arc::from(text),
        })
    });
    let all = of_project.chain(scripts);
    let mut parts: Vec<NamedPart> = all.filter(|it| !it.text.is_empty()).collect();
    parts.sort_by(|one, other| (&one.path, &one.part).cmp(&(&other.path, &other.part)));
    parts
}

pub(crate) fn extension_settings(hook: &HookDeclaration) -> Option<String> {
    let settings = &hook.extension.as_ref()?.settings_env;
    if settings.is_empty() {
        return None;
    }
    let mut hasher = Sha256::new();
    for text in settings.iter().flat_map(|(name, value)| [name, value]) {
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text);
    }
    Some(hexadecimal(&hasher.finalize()))
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use hookloop_hook::{EventName, Handler, HookDeclaration, HookId, Layer, Source};
    use hookloop_settings::WorkspaceTrust;

    use super::*;
    use crate::resolve::Surroundings;
    use crate::standing::{Standing, Vouched};
    use crate::store::TrustStore;

    fn vouched(root: &Path) -> (TrustStore, Vouched) {
        let source = Source {
            layer: Some(Layer::Project),
            ..Source::of_file(root.join("settings.json"))
        };
        let handler = Handler::command("bash g.sh");
        let hook = HookDeclaration::new(
            HookId::from_text("h"),
            EventName::BeforeTool,
            handler,
            source,
        );
        let (store, _) = TrustStore::open(root.join("store/trusted.json"));
        let vouched = store.vouch(root, vec![hook], &WorkspaceTrust::Untold);
        (store, vouched.into_iter().next().expect("one"))
    }

    /// TR-12: what was agreed to when fewer texts were read stays agreed to, with a report of what
    /// was never shown; any other change still counts as a change.
    #[test]
    fn agreements_outlive_better_reading() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let write = |name: &str, text: &str| std::fs::write(root.join(name), text).expect("a file");
        write("g.sh", ". ./lib\nfirst\n");
        write("lib", ". ./deeper.sh\n");
        write("deeper.sh", "# check\ncheck() { . ./late.sh; }\n");
        write("late.sh", "true");
        let (mut store, mut seen) = vouched(root);
        let surroundings = Surroundings::default();
        let ground = Ground {
            root,
            cwd: root,
            surroundings: &surroundings,
        };
        let reader = &mut FileReader::new(root);
        let former = Fingerprint::take_by(Reading::Former, &seen.hook, ground, reader);
        seen.fingerprint = Some(Arc::new(former));
        store.trust_as_seen(root, &[&seen]).expect("a store");
        let (mut store, now) = vouched(root);
        assert_eq!(now.standing, Standing::Trusted);
        let renewal = now.renewal.clone().expect("a renewal");
        assert_eq!(renewal.never_shown, ["deeper.sh", "late.sh"]);
        store.renew(root, &[&now]).expect("a store");
        let (_, again) = vouched(root);
        assert_eq!((again.standing, again.renewal), (Standing::Trusted, None));
        write("late.sh", "false");
        assert!(!vouched(root).1.may_run());
        write("late.sh", "true");
        write("lib", ". ./deeper.sh; true");
        assert!(!vouched(root).1.may_run());
    }

    /// TR-12: an agreement from before the files were examined that tell a program what to run
    /// stays valid.
    #[test]
    fn agreements_outlive_a_look_into_tasks() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let write = |name: &str, text: &str| std::fs::write(root.join(name), text).expect("a file");
        write("g.sh", "make -s guard\n");
        write("Makefile", "guard:\n\tsh deep.sh\n");
        write("deep.sh", "true");
        let (mut store, mut seen) = vouched(root);
        let surroundings = Surroundings::default();
        let ground = Ground {
            root,
            cwd: root,
            surroundings: &surroundings,
        };
        let reader = &mut FileReader::new(root);
        let former = Fingerprint::take_by(Reading::WithoutTasks, &seen.hook, ground, reader);
        seen.fingerprint = Some(Arc::new(former));
        store.trust_as_seen(root, &[&seen]).expect("a store");
        let (mut store, now) = vouched(root);
        let renewal = now.renewal.clone().expect("a renewal");
        let new = ["Makefile", "deep.sh"].map(str::to_owned).to_vec();
        assert_eq!(
            (now.standing.clone(), renewal.never_shown),
            (Standing::Trusted, new)
        );
        store.renew(root, &[&now]).expect("a store");
        write("deep.sh", "false");
        assert!(!vouched(root).1.may_run());
    }

    /// TR-12: an agreement from before the files counted that a guard's script only reads stays
    /// valid; from then on they belong to the guard.
    #[test]
    fn agreements_outlive_a_look_at_what_scripts_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let write = |name: &str, text: &str| std::fs::write(root.join(name), text).expect("a file");
        write("g.sh", "grep -qf deny.txt && exit 2\n");
        write("deny.txt", "rm");
        let (mut store, mut seen) = vouched(root);
        let surroundings = Surroundings::default();
        let ground = Ground {
            root,
            cwd: root,
            surroundings: &surroundings,
        };
        let reader = &mut FileReader::new(root);
        let former = Fingerprint::take_by(Reading::WithoutData, &seen.hook, ground, reader);
        seen.fingerprint = Some(Arc::new(former));
        store.trust_as_seen(root, &[&seen]).expect("a store");
        let (mut store, now) = vouched(root);
        let renewal = now.renewal.clone().expect("a renewal");
        assert_eq!(
            (now.standing.clone(), renewal.never_shown),
            (Standing::Trusted, vec!["deny.txt".to_owned()])
        );
        store.renew(root, &[&now]).expect("a store");
        assert_eq!(vouched(root).1.standing, Standing::Trusted);
        write("deny.txt", "");
        assert!(!vouched(root).1.may_run());
    }

    /// TR-12: an agreement from before those files counted that tell a program what to run stays
    /// valid.
    #[test]
    fn agreements_outlive_a_look_at_what_tells_programs() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let write = |name: &str, text: &str| std::fs::write(root.join(name), text).expect("a file");
        write("g.sh", "npm run -s guard\n");
        write("package.json", r#"{"scripts":{"guard":"sh deep.sh"}}"#);
        write("deep.sh", "true");
        let (mut store, mut seen) = vouched(root);
        let surroundings = Surroundings::default();
        let ground = Ground {
            root,
            cwd: root,
            surroundings: &surroundings,
        };
        let reader = &mut FileReader::new(root);
        let former = Fingerprint::take_by(Reading::WithoutTellers, &seen.hook, ground, reader);
        seen.fingerprint = Some(Arc::new(former));
        store.trust_as_seen(root, &[&seen]).expect("a store");
        let (mut store, now) = vouched(root);
        let renewal = now.renewal.clone().expect("a renewal");
        assert_eq!(
            (now.standing.clone(), renewal.never_shown),
            (Standing::Trusted, vec!["package.json".to_owned()])
        );
        store.renew(root, &[&now]).expect("a store");
        write(
            "package.json",
            r#"{"version":"2","scripts":{"guard":"sh deep.sh"}}"#,
        );
        assert!(vouched(root).1.may_run());
        write(
            "package.json",
            r#"{"scripts":{"guard":"sh deep.sh; true"}}"#,
        );
        assert!(!vouched(root).1.may_run());
    }
}
