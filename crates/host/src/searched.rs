//! Folders in which hooks' programs look for modules, and what in them affects a hook (TR-8).
//!
//! Programs install files there all the time. If the interpreter looks in a folder only after its
//! own modules, a file there counts only if the hook loads it by name, or if something that the
//! hook loads may do so.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use hookloop_hook::HookDeclaration;
use hookloop_settings::bounded::read_start;
use hookloop_trust::{Loaded, decisive_files};

/// Extensions of modules for interpreters and loaders.
const MODULES: [&str; 12] = [
    "py", "so", "dylib", "pm", "pl", "rb", "js", "cjs", "mjs", "node", "ts", "jq",
];

/// How many modules of a folder are examined.
const MAX_MODULES: usize = 4096;

/// How many bytes of a text are read to find what it loads.
const MAX_BYTES: u64 = 1 << 20;

/// Extensions of scripts that load modules.
const SCRIPTS: [&str; 10] = [
    "py", "pyw", "sh", "bash", "js", "mjs", "cjs", "ts", "rb", "pl",
];

/// Words with which a text loads modules that it doesn't name.
const UNNAMED: [&str; 8] = [
    "importlib",
    "__import__",
    "import_module",
    "pkgutil",
    "runpy",
    "exec_module",
    "entry_points",
    "load_entry_point",
];

/// A folder in which programs of a hook look for modules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Searched {
    folder: PathBuf,
    kind: Kind,
    names: Names,
}

/// The role of a folder in the module search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Searched before the interpreter's own modules.
    Before,
    /// Searched after them: Python packages.
    Behind,
    /// A package that a hook loads.
    Package,
    /// Only files that run without being named count: `.pth` files that contain code, and compiled
    /// modules that aren't compared.
    Listed,
}

/// What a hook loads.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Names {
    /// These modules.
    Known(BTreeSet<String>),
    /// These, and anything that they load.
    Any,
}

impl Names {
    fn hold(&self, name: &str) -> bool {
        match self {
            Self::Known(names) => names.contains(name),
            Self::Any => true,
        }
    }
}

impl Searched {
    /// Returns the folders of a hook.
    pub(crate) fn of(loaded: &Loaded, hook: &HookDeclaration) -> Vec<Self> {
        let listed = loaded.listed.iter().map(|folder| Self {
            folder: folder.clone(),
            kind: Kind::Listed,
            names: Names::Known(BTreeSet::new()),
        });
        if loaded.folders.is_empty() {
            return listed.collect();
        }
        let names = names(loaded, hook);
        let folders = loaded.folders.iter().map(|folder| Self {
            folder: folder.clone(),
            kind: kind(folder),
            names: names.clone(),
        });
        let mut folders: Vec<Self> = folders.collect();
        // What a package loads can't be known.
        let loads_packages = folders.iter().any(Self::holds_named);
        if loads_packages {
            for folder in &mut folders {
                folder.names = Names::Any;
            }
        }
        folders.extend(listed);
        folders
    }

    /// Returns whether a path is in it.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        path.starts_with(&self.folder)
    }

    /// Returns the files in it that affect the hook; the folder itself if there are too many, so
    /// that any new or removed file is a change.
    pub(crate) fn files(&self) -> BTreeSet<PathBuf> {
        if self.kind == Kind::Listed {
            return decisive_files(&self.folder);
        }
        let mut files: BTreeSet<PathBuf> = self.modules().collect();
        if files.len() > MAX_MODULES {
            files = files.into_iter().take(MAX_MODULES).collect();
            files.insert(self.folder.clone());
        }
        files
    }

    fn modules(&self) -> impl Iterator<Item = PathBuf> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten();
        entries.flatten().filter_map(|entry| {
            let path = entry.path();
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let module = name.split('.').next().unwrap_or_default();
            if is_module(&name) || self.kind == Kind::Package && name.ends_with(".json") {
                let counts = self.kind != Kind::Behind || self.names.hold(module);
                return counts.then_some(path);
            }
            if name.ends_with(".pth") {
                return Some(path);
            }
            // Entry files of a Python or Node package.
            let is_meant = self.kind != Kind::Package && self.names.hold(&name);
            let entries = ["__init__.py", "package.json", "index.js"];
            let mut entries = entries.iter().filter(|_| is_meant).map(|it| path.join(it));
            entries.find(|it| it.is_file())
        })
    }

    /// Returns whether a module that the hook loads by name exists.
    fn holds_named(&self) -> bool {
        let Names::Known(names) = &self.names else {
            return true;
        };
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten();
        let mut entries = entries.flatten().map(|it| it.file_name());
        self.kind != Kind::Package
            && entries.any(|name| {
                let name = name.to_string_lossy();
                let module = name.split('.').next().unwrap_or_default();
                let is_one = is_module(&name) || !name.contains('.');
                is_one && names.contains(module)
            })
    }
}

fn kind(folder: &Path) -> Kind {
    let is_named = |name: &OsStr| name == "site-packages" || name == "dist-packages";
    if folder.iter().any(|it| it == "node_modules") {
        Kind::Package
    } else if folder.file_name().is_some_and(is_named) {
        Kind::Behind
    } else {
        Kind::Before
    }
}

fn is_module(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    MODULES.contains(&ending) || name.contains(".so.")
}

/// Returns what the texts of a hook load.
fn names(loaded: &Loaded, hook: &HookDeclaration) -> Names {
    let mut names: BTreeSet<String> = module_names(&hook.describe_run()).collect();
    for file in &loaded.files {
        let Ok(bytes) = read_start(file, MAX_BYTES + 1) else {
            continue;
        };
        let is_whole = u64::try_from(bytes.len()).is_ok_and(|it| it <= MAX_BYTES);
        let text = String::from_utf8(bytes).ok().filter(|_| is_whole);
        let Some(text) = text else {
            let ending = file.extension().and_then(OsStr::to_str);
            // A compiled program isn't a script.
            if ending.is_some_and(|it| SCRIPTS.contains(&it)) {
                return Names::Any;
            }
            continue;
        };
        names.extend(module_names(&text));
    }
    if UNNAMED.iter().any(|it| names.contains(*it)) {
        return Names::Any;
    }
    Names::Known(names)
}

/// Returns the words of a text that may name modules: those in lines that load something.
fn module_names(text: &str) -> impl Iterator<Item = String> {
    let mut goes_on = false;
    let lines = text.lines().filter(move |line| {
        let is_meant = goes_on || loads(line.trim());
        goes_on = is_meant && line.trim_end().ends_with('\\');
        is_meant
    });
    lines.flat_map(words_of).collect::<Vec<_>>().into_iter()
}

/// Returns whether a line may load a module.
fn loads(line: &str) -> bool {
    let is_comment = line.starts_with('#') && !line.contains('(') || line.starts_with("//");
    let begins = ["import ", "from ", "require "];
    let holds = [
        " import ",
        "import(",
        "import{",
        "\timport ",
        ";import ",
        "require(",
        "require ",
        "__import__",
        "runpy",
        "importlib",
        "pkgutil",
        "entry_point",
        "load_module",
    ];
    // `python3 -m`, `-c`, and a script on standard input.
    let of_python = line.contains("python") || line.contains("pypy");
    let given = [" -m", " -c", " -", "<<"];
    !is_comment
        && (begins.iter().any(|it| line.starts_with(it))
            || line.starts_with("use ") && line.ends_with(';')
            || holds.iter().any(|it| line.contains(it))
            || of_python && given.iter().any(|it| line.contains(it)))
}

fn words_of(text: &str) -> impl Iterator<Item = String> {
    let is_part = |it: char| it.is_alphanumeric() || it == '_';
    let words = text.split(move |it| !is_part(it));
    words
        .filter(|it| !it.is_empty())
        .map(str::to_owned)
        .collect::<Vec<_>>()
        .into_iter()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use hookloop_hook::{EventName, Handler, HookId, Source};

    use super::*;

    /// What a hook loads, what exists, and whether it affects the hook.
    type Case = (&'static str, &'static str, &'static [(&'static str, bool)]);

    const CASES: &[Case] = &[
        (
            "import json, re\n# we import six, with pip from requests\nuse = 'six'\n",
            "lib/python3.11/site-packages",
            &[
                ("six.py", false),
                ("orjson.cpython-311-x86_64-linux-gnu.so", false),
                ("requests/__init__.py", false),
                ("json/__init__.py", true),
                ("re.py", true),
                ("a.pth", true),
                ("notes.txt", false),
            ],
        ),
        (
            "try:\n    import orjson as json\nexcept ImportError:\n    import json\n",
            "lib/python3.11/site-packages",
            &[
                ("orjson/__init__.py", true),
                ("orjson.abi3.so", true),
                ("six.py", false),
            ],
        ),
        (
            "from importlib import import_module\nimport_module(name)\n",
            "lib/python3.11/site-packages",
            &[
                ("six.py", true),
                ("requests/__init__.py", true),
                ("data/x.json", false),
            ],
        ),
        (
            "import json\n",
            "modules",
            &[
                ("json/__init__.py", true),
                ("json.py", true),
                ("other.py", true),
                ("other/__init__.py", false),
                ("libfoo.so.1", true),
                ("libfoo.dylib", true),
                ("README", false),
            ],
        ),
        (
            "const a = require('a');\n",
            "modules",
            &[
                ("a/package.json", true),
                ("a.js", true),
                ("b/package.json", false),
                ("b.mjs", true),
            ],
        ),
        (
            "use strict;\nuse Rules;\n",
            "perl/site-packages",
            &[("Rules.pm", true), ("Other.pm", false)],
        ),
        (
            "require('a');\n",
            "node_modules/a",
            &[
                ("index.js", true),
                ("rules.json", true),
                ("lib/index.js", false),
                ("README.md", false),
            ],
        ),
    ];

    fn hook(command: &str) -> HookDeclaration {
        let source = Source::of_file(Path::new("settings.json"));
        let handler = Handler::command(command);
        HookDeclaration::new(
            HookId::from_text("a"),
            EventName::BeforeTool,
            handler,
            source,
        )
    }

    /// TR-8: in a folder of modules, what the hook may load affects it.
    #[test]
    fn what_a_hook_may_load_decides_with_it() {
        for (text, folder, files) in CASES {
            for (file, decides) in *files {
                let place = tempfile::tempdir().expect("a folder");
                let (script, folder) = (place.path().join("guard.py"), place.path().join(folder));
                fs::write(&script, text).expect("a file");
                let loaded = Loaded {
                    files: BTreeSet::from([script]),
                    folders: BTreeSet::from([folder.clone()]),
                    ..Loaded::default()
                };
                let searched = Searched::of(&loaded, &hook("python3 ~/guards/guard.py"));
                let file = folder.join(file);
                fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
                fs::write(&file, "").expect("a file");
                assert_eq!(
                    searched[0].files().contains(&file),
                    *decides,
                    "{text}: {}",
                    file.display()
                );
            }
        }
    }

    /// TR-8: a module that a command names is loaded; its script's extension isn't a module, and a
    /// program isn't a script.
    #[test]
    fn what_a_command_names_is_loaded() {
        for (command, file, decides) in [
            (
                "/usr/bin/python3.11 ~/guards/guard.py",
                "py/__init__.py",
                false,
            ),
            ("/usr/bin/python3.11 ~/guards/guard.py", "six.py", false),
            ("python3 -m tool", "tool/__init__.py", true),
            ("cd x && python3 -c 'import six'", "six.py", true),
            ("python3 -m tool", "six.py", false),
        ] {
            let place = tempfile::tempdir().expect("a folder");
            let (program, folder) = (
                place.path().join("python3.11"),
                place.path().join("site-packages"),
            );
            fs::write(&program, b"\x7fELF\xff").expect("a file");
            let loaded = Loaded {
                files: BTreeSet::from([program]),
                folders: BTreeSet::from([folder.clone()]),
                ..Loaded::default()
            };
            let searched = Searched::of(&loaded, &hook(command));
            let file = folder.join(file);
            fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            fs::write(&file, "").expect("a file");
            assert_eq!(
                searched[0].files().contains(&file),
                decides,
                "{command}: {}",
                file.display()
            );
        }
    }

    /// TR-8: what an installed package loads isn't known, so all of its neighbours count.
    #[test]
    fn beside_a_package_that_a_hook_loads_everything_counts() {
        for (there, counts) in [
            ("requests/__init__.py", true),
            ("urllib3/__init__.py", false),
        ] {
            let place = tempfile::tempdir().expect("a folder");
            let (script, folder) = (
                place.path().join("guard.py"),
                place.path().join("site-packages"),
            );
            fs::write(&script, "import requests\n").expect("a file");
            for file in [there, "six.py"] {
                let file = folder.join(file);
                fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
                fs::write(&file, "").expect("a file");
            }
            let loaded = Loaded {
                files: BTreeSet::from([script]),
                folders: BTreeSet::from([folder.clone()]),
                ..Loaded::default()
            };
            let searched = Searched::of(&loaded, &hook("python3 ~/guards/guard.py"));
            assert_eq!(
                searched[0].files().contains(&folder.join("six.py")),
                counts,
                "{there}"
            );
        }
    }

    /// TR-8: other files in a folder, however many, hide no module; if there are too many modules,
    /// any new file is a change.
    #[test]
    fn many_files_hide_no_module() {
        let place = tempfile::tempdir().expect("a folder");
        let loaded = Loaded {
            folders: BTreeSet::from([place.path().to_path_buf()]),
            ..Loaded::default()
        };
        for number in 0..=MAX_MODULES {
            fs::write(place.path().join(format!("{number}.txt")), "").expect("a file");
        }
        let module = place.path().join("zz.py");
        fs::write(&module, "").expect("a file");
        let searched = Searched::of(&loaded, &hook("python3 ~/guards/guard.py"));
        assert_eq!(searched[0].files(), BTreeSet::from([module]));
        for number in 0..=MAX_MODULES {
            fs::write(place.path().join(format!("{number}.py")), "").expect("a file");
        }
        assert!(searched[0].files().contains(place.path()));
    }
}
