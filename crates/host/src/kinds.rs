//! Files of which a part decides with hooks, and the rest is what people work on (TR-8): the `type` of a
//! `package.json` by which Node reads scripts whose names don't tell, the scripts in it, settings of git and npm.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hookloop_trust::{Aspect, Below, Loaded, Part, javascript_kind};
use serde_json::Value;

/// The file that tells.
const DESCRIPTION: &str = "package.json";

/// What tells nothing else is read so.
const USUAL: &str = "commonjs";

/// What decides in files, as it is now.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kinds {
    /// Scripts by how they are read.
    scripts: BTreeMap<PathBuf, Kind>,
    /// Parts of files, by what they say.
    parts: BTreeMap<Aspect, String>,
    /// The same of files by their names, wherever they are below a folder. Calls that would change them are seen
    /// beforehand; they aren't compared, for there may be thousands of folders.
    below: BTreeSet<Below>,
}

/// How a script is read.
#[derive(Debug, Clone)]
struct Kind {
    name: String,
    /// What says so, if anything does.
    by: Option<PathBuf>,
}

impl Kinds {
    /// Looks at what decides with a hook.
    pub(crate) fn of(loaded: &Loaded) -> Self {
        Self {
            below: loaded.below.clone(),
            ..Self::looking_at(&loaded.javascript, &loaded.aspects)
        }
    }

    fn looking_at<'p>(
        scripts: impl IntoIterator<Item = &'p PathBuf>,
        parts: impl IntoIterator<Item = &'p Aspect>,
    ) -> Self {
        let scripts = scripts.into_iter().map(|script| {
            let kind = Kind {
                name: javascript_kind(script),
                by: description_of(script),
            };
            (script.clone(), kind)
        });
        let parts = parts.into_iter().map(|it| (it.clone(), it.now()));
        Self {
            scripts: scripts.collect(),
            parts: parts.collect(),
            below: BTreeSet::new(),
        }
    }

    /// Leaves out lists of what git ignores and its like: people work on them while a session runs.
    #[must_use]
    pub(crate) fn without_lists(mut self) -> Self {
        self.parts.retain(|it, _| it.part != Part::GitLines);
        self
    }

    /// Looks again at the same files.
    pub(crate) fn now(&self) -> Self {
        Self {
            below: self.below.clone(),
            ..Self::looking_at(self.scripts.keys(), self.parts.keys())
        }
    }

    /// Takes in further ones.
    pub(crate) fn extend(&mut self, others: Self) {
        self.scripts.extend(others.scripts);
        self.parts.extend(others.parts);
        self.below.extend(others.below);
    }

    /// Returns the files in which something changed that decides: a description, or the script that has none.
    pub(crate) fn changed<'k>(&'k self, later: &'k Self) -> impl Iterator<Item = PathBuf> + 'k {
        let scripts = self.scripts.iter().filter_map(|(script, before)| {
            let now = later.scripts.get(script)?;
            let by = now.by.as_ref().or(before.by.as_ref());
            (now.name != before.name).then(|| by.unwrap_or(script).clone())
        });
        let parts = self.parts.iter().filter_map(|(aspect, before)| {
            let now = later.parts.get(aspect)?;
            (now != before).then(|| aspect.file.clone())
        });
        scripts.chain(parts)
    }

    /// Returns the files in which something decides.
    pub(crate) fn descriptions(&self) -> impl Iterator<Item = &PathBuf> {
        let scripts = self.scripts.values().filter_map(|it| it.by.as_ref());
        scripts.chain(self.parts.keys().map(|it| &it.file))
    }

    /// Returns the parts of a file that decide.
    pub(crate) fn parts_of<'k>(&'k self, file: &'k Path) -> impl Iterator<Item = &'k Part> {
        let named = self.parts.keys().filter(move |it| it.file == file);
        let below = self.below.iter().filter(move |it| it.holds(file));
        named.map(|it| &it.part).chain(below.map(|it| &it.part))
    }

    /// Returns the files of which a part decides.
    pub(crate) fn files_of_parts(&self) -> impl Iterator<Item = &PathBuf> {
        self.parts.keys().map(|it| &it.file)
    }

    /// Tells whether something in a file decides, or would if it were there.
    pub(crate) fn depend_on(&self, file: &Path) -> bool {
        self.decided_by(file).next().is_some() || self.parts_of(file).next().is_some()
    }

    /// Tells whether what decides would be another thing if a file held this; nothing stands for no file.
    pub(crate) fn differ_with(&self, file: &Path, text: Option<&str>) -> bool {
        let mut parts = self.parts.iter().filter(|(it, _)| it.file == file);
        if parts.any(|(aspect, now)| aspect.part.of(text) != *now) {
            return true;
        }
        let mut below = self.below.iter().filter(|it| it.holds(file));
        let is_new = |it: &Below| {
            let part = it.part.clone();
            let file = file.to_path_buf();
            it.part.of(text) != Aspect { file, part }.now()
        };
        if below.any(is_new) {
            return true;
        }
        let mut scripts = self.decided_by(file);
        match text {
            Some(text) => {
                let name = kind_in(text);
                scripts.any(|kind| kind.name != name)
            }
            // Another one above it may tell the same.
            None => scripts.any(|kind| kind.by.as_deref() == Some(file) && kind.name != USUAL),
        }
    }

    fn decided_by<'k>(&'k self, file: &'k Path) -> impl Iterator<Item = &'k Kind> {
        let folder = file.parent().filter(|_| file.ends_with(DESCRIPTION));
        let scripts = self.scripts.iter().filter(move |(script, kind)| {
            folder.is_some_and(|folder| {
                let nearest = kind.by.as_deref().and_then(Path::parent);
                script.starts_with(folder) && nearest.is_none_or(|it| folder.starts_with(it))
            })
        });
        scripts.map(|(_, kind)| kind)
    }
}

fn description_of(script: &Path) -> Option<PathBuf> {
    let folders = script.ancestors().skip(1);
    let mut descriptions = folders.map(|it| it.join(DESCRIPTION));
    descriptions.find(|it| it.symlink_metadata().is_ok())
}

/// Returns what a description says, as [`javascript_kind`] does.
fn kind_in(text: &str) -> &'static str {
    let described: Option<Value> = serde_json::from_str(text).ok();
    match described.as_ref().map(|it| it.get("type")) {
        None => "unreadable",
        Some(Some(Value::String(kind))) if kind == "module" => "module",
        Some(_) => USUAL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TR-8: what would change how a script is read is known beforehand, and what wouldn't is let go.
    #[test]
    fn what_changes_how_a_script_is_read_is_known() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("project");
        let script = root.join("tools/guard.js");
        std::fs::create_dir_all(root.join("tools/lib")).expect("a folder");
        std::fs::write(&script, "").expect("a file");
        let (outer, inner) = (root.join("package.json"), root.join("tools/package.json"));
        std::fs::write(&outer, r#"{"name": "a"}"#).expect("a file");
        let kinds = Kinds::looking_at([&script], []);
        for (file, text, differs) in [
            (&outer, Some(r#"{"type": "module"}"#), true),
            (&outer, Some("{"), true),
            (&outer, Some(r#"{"name": "b", "version": "2.0.0"}"#), false),
            (&outer, Some(r#"{"type": "commonjs"}"#), false),
            (&outer, None, false),
            (&inner, Some(r#"{"type": "module"}"#), true),
            (&inner, Some("{}"), false),
            (
                &root.join("tools/lib/package.json"),
                Some(r#"{"type": "module"}"#),
                false,
            ),
            (
                &folder.path().join("package.json"),
                Some(r#"{"type": "module"}"#),
                false,
            ),
            (
                &root.join("tsconfig.json"),
                Some(r#"{"type": "module"}"#),
                false,
            ),
        ] {
            assert_eq!(
                kinds.differ_with(file, text),
                differs,
                "{} {text:?}",
                file.display()
            );
        }
        std::fs::write(&inner, r#"{"type": "module"}"#).expect("a file");
        assert_eq!(
            kinds.changed(&kinds.now()).collect::<Vec<_>>(),
            std::slice::from_ref(&inner)
        );
        let module = kinds.now();
        assert!(module.differ_with(&inner, None) && !module.differ_with(&outer, None));
        std::fs::remove_file(&inner).expect("a file");
        assert_eq!(module.changed(&module.now()).count(), 1);
        assert_eq!(kinds.changed(&kinds.now()).count(), 0);
    }
}
