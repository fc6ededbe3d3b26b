//! Files of which only a part affects hooks (TR-8): the `type` in a `package.json`, by which Node
//! interprets scripts with ambiguous names, the scripts in it, and settings of git and npm. People
//! edit the rest.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hookloop_trust::{FilePart, Loaded, NamedFiles, Part, javascript_kind};
use serde_json::Value;

/// The file that determines how scripts are read.
const DESCRIPTION: &str = "package.json";

/// The default kind of a script.
const USUAL: &str = "commonjs";

/// The deciding parts of files, in their current state.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kinds {
    /// Scripts, with how they are read.
    scripts: BTreeMap<PathBuf, Kind>,
    /// Parts of files, with their content.
    parts: BTreeMap<FilePart, String>,
    /// Deciding files by name, anywhere in a folder.
    below: BTreeSet<NamedFiles>,
    /// Those of them that exist.
    there: BTreeMap<FilePart, String>,
    /// Folders that are too large to be searched completely.
    in_part: BTreeSet<PathBuf>,
}

/// How a script is read.
#[derive(Debug, Clone)]
struct Kind {
    name: String,
    /// The file that determines it, if there is one.
    by: Option<PathBuf>,
}

impl Kinds {
    /// Reads what a hook depends on.
    pub(crate) fn of(loaded: &Loaded) -> Self {
        Self::for_scripts(&loaded.javascript, &loaded.aspects).with_folders(loaded.below.clone())
    }

    fn with_folders(self, below: BTreeSet<NamedFiles>) -> Self {
        let mut in_part = BTreeSet::new();
        let there = below.iter().flat_map(|it| it.existing(&mut in_part));
        let there = there.map(|it| {
            let content = it.current_content();
            (it, content)
        });
        Self {
            there: there.collect(),
            in_part,
            below,
            ..self
        }
    }

    fn for_scripts<'p>(
        scripts: impl IntoIterator<Item = &'p PathBuf>,
        parts: impl IntoIterator<Item = &'p FilePart>,
    ) -> Self {
        let scripts = scripts.into_iter().map(|script| {
            let kind = Kind {
                name: javascript_kind(script),
                by: description_of(script),
            };
            (script.clone(), kind)
        });
        let parts = parts
            .into_iter()
            .map(|it| (it.clone(), it.current_content()));
        Self {
            scripts: scripts.collect(),
            parts: parts.collect(),
            ..Self::default()
        }
    }

    /// Removes ignore lists of git and the like: people edit them while a session runs.
    #[must_use]
    pub(crate) fn without_lists(mut self) -> Self {
        self.parts.retain(|it, _| it.part != Part::GitLines);
        self.below.retain(|it| it.part != Part::GitLines);
        self.there.retain(|it, _| it.part != Part::GitLines);
        self
    }

    /// Reads the same files again.
    pub(crate) fn reread(&self) -> Self {
        Self::for_scripts(self.scripts.keys(), self.parts.keys()).with_folders(self.below.clone())
    }

    /// Adds others.
    pub(crate) fn extend(&mut self, others: Self) {
        self.scripts.extend(others.scripts);
        self.parts.extend(others.parts);
        self.below.extend(others.below);
        self.there.extend(others.there);
        self.in_part.extend(others.in_part);
    }

    /// Returns the folders that are too large to compare everything in them that decides.
    pub(crate) fn in_part(&self) -> impl Iterator<Item = &Path> {
        self.in_part.iter().map(PathBuf::as_path)
    }

    /// Returns the files in which something that decides changed: a description, or the script that
    /// has none.
    pub(crate) fn changed_files<'k>(
        &'k self,
        later: &'k Self,
    ) -> impl Iterator<Item = PathBuf> + 'k {
        let scripts = self.scripts.iter().filter_map(|(script, before)| {
            let now = later.scripts.get(script)?;
            let by = now.by.as_ref().or(before.by.as_ref());
            (now.name != before.name).then(|| by.unwrap_or(script).clone())
        });
        let parts = self.parts.iter().filter_map(|(aspect, before)| {
            let now = later.parts.get(aspect)?;
            (now != before).then(|| aspect.file.clone())
        });
        // A new file matters if its absence decided something before, and vice versa.
        let all: BTreeSet<&FilePart> = self.there.keys().chain(later.there.keys()).collect();
        let below = all.into_iter().filter_map(|it| {
            let said = |kinds: &Self| kinds.there.get(it).cloned().unwrap_or_default();
            (said(self) != said(later)).then(|| it.file.clone())
        });
        scripts.chain(parts).chain(below)
    }

    /// Returns the existing files that decide by their names, anywhere in a folder.
    pub(crate) fn existing_files(&self) -> impl Iterator<Item = &PathBuf> {
        self.there.keys().map(|it| &it.file)
    }

    /// Returns whether a file is deciding by its name, even if it doesn't exist yet.
    pub(crate) fn hold(&self, file: &Path) -> bool {
        self.below.iter().any(|it| it.holds(file))
    }

    /// Returns whether files decide by their names.
    pub(crate) fn have_names(&self) -> bool {
        !self.below.is_empty()
    }

    /// Returns the files in which something decides.
    pub(crate) fn descriptions(&self) -> impl Iterator<Item = &PathBuf> {
        let scripts = self.scripts.values().filter_map(|it| it.by.as_ref());
        scripts
            .chain(self.parts.keys().map(|it| &it.file))
            .chain(self.existing_files())
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

    /// Returns whether something in a file decides, or would if the file existed.
    pub(crate) fn depend_on(&self, file: &Path) -> bool {
        self.kinds_decided_by(file).next().is_some() || self.parts_of(file).next().is_some()
    }

    /// Returns whether a deciding part would change if a file had this content; `None` means no
    /// file.
    pub(crate) fn differ_with(&self, file: &Path, text: Option<&str>) -> bool {
        let mut parts = self.parts.iter().filter(|(it, _)| it.file == file);
        if parts.any(|(aspect, now)| aspect.part.of(text) != *now) {
            return true;
        }
        let mut below = self.below.iter().filter(|it| it.holds(file));
        let is_new = |it: &NamedFiles| {
            let part = it.part.clone();
            let file = file.to_path_buf();
            it.part.of(text) != FilePart { file, part }.current_content()
        };
        if below.any(is_new) {
            return true;
        }
        let mut scripts = self.kinds_decided_by(file);
        match text {
            Some(text) => {
                let name = kind_in(text);
                scripts.any(|kind| kind.name != name)
            }
            // Another file above it may decide the same.
            None => scripts.any(|kind| kind.by.as_deref() == Some(file) && kind.name != USUAL),
        }
    }

    fn kinds_decided_by<'k>(&'k self, file: &'k Path) -> impl Iterator<Item = &'k Kind> {
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

/// Returns the kind that a description declares, as [`javascript_kind`] does.
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

    /// TR-8: what would change how a script is read is known beforehand, and anything else is let
    /// through.
    #[test]
    fn what_changes_how_a_script_is_read_is_known() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("project");
        let script = root.join("tools/guard.js");
        std::fs::create_dir_all(root.join("tools/lib")).expect("a folder");
        std::fs::write(&script, "").expect("a file");
        let (outer, inner) = (root.join("package.json"), root.join("tools/package.json"));
        std::fs::write(&outer, r#"{"name": "a"}"#).expect("a file");
        let kinds = Kinds::for_scripts([&script], []);
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
            kinds.changed_files(&kinds.reread()).collect::<Vec<_>>(),
            std::slice::from_ref(&inner)
        );
        let module = kinds.reread();
        assert!(module.differ_with(&inner, None) && !module.differ_with(&outer, None));
        std::fs::remove_file(&inner).expect("a file");
        assert_eq!(module.changed_files(&module.reread()).count(), 1);
        assert_eq!(kinds.changed_files(&kinds.reread()).count(), 0);
    }
}
