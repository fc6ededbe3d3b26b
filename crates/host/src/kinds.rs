//! How Node reads scripts of hooks whose names don't tell: the `type` of the next `package.json` above them (TR-8).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hookloop_trust::javascript_kind;
use serde_json::Value;

/// The file that tells.
const DESCRIPTION: &str = "package.json";

/// What tells nothing else is read so.
const USUAL: &str = "commonjs";

/// Scripts by how they are read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kinds(BTreeMap<PathBuf, Kind>);

/// How a script is read.
#[derive(Debug, Clone)]
struct Kind {
    name: String,
    /// What says so, if anything does.
    by: Option<PathBuf>,
}

impl Kinds {
    /// Looks at scripts.
    pub(crate) fn of<'p>(scripts: impl IntoIterator<Item = &'p PathBuf>) -> Self {
        let scripts = scripts.into_iter().map(|script| {
            let kind = Kind {
                name: javascript_kind(script),
                by: description_of(script),
            };
            (script.clone(), kind)
        });
        Self(scripts.collect())
    }

    /// Returns the scripts.
    pub(crate) fn scripts(&self) -> impl Iterator<Item = &PathBuf> {
        self.0.keys()
    }

    /// Looks again at the same scripts.
    pub(crate) fn now(&self) -> Self {
        Self::of(self.scripts())
    }

    /// Takes in further scripts.
    pub(crate) fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// Returns what changed how scripts are read: the description, or the script that has none.
    pub(crate) fn changed<'k>(&'k self, later: &'k Self) -> impl Iterator<Item = PathBuf> + 'k {
        self.0.iter().filter_map(|(script, before)| {
            let now = later.0.get(script)?;
            let by = now.by.as_ref().or(before.by.as_ref());
            (now.name != before.name).then(|| by.unwrap_or(script).clone())
        })
    }

    /// Returns the files that tell how scripts are read.
    pub(crate) fn descriptions(&self) -> impl Iterator<Item = &PathBuf> {
        self.0.values().filter_map(|it| it.by.as_ref())
    }

    /// Tells whether a file decides how a script is read, or would if it were there.
    pub(crate) fn depend_on(&self, file: &Path) -> bool {
        self.decided_by(file).next().is_some()
    }

    /// Tells whether a script would be read in another way if a file held this; nothing stands for no file.
    pub(crate) fn differ_with(&self, file: &Path, text: Option<&str>) -> bool {
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
        let scripts = self.0.iter().filter(move |(script, kind)| {
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
        let kinds = Kinds::of([&script]);
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
