//! Modules beside a script, and what an interpreter would load instead of them (TR-1, TR-8).

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::named_file::text_of;
use crate::real_path::real_path;
use crate::resolve::calls::Tongue;
use crate::resolve::{Finder, Presence, Reading};

/// Endings of modules of any language, as they were tried before languages were distinguished
/// (TR-12).
const FORMER_ENDINGS: [&str; 12] = [
    "",
    ".py",
    "/__init__.py",
    ".js",
    ".mjs",
    ".cjs",
    ".ts",
    "/index.js",
    ".rb",
    ".pm",
    ".pl",
    ".sh",
];

/// Returns the endings of modules that the interpreters of a language try.
const fn endings(tongue: Tongue) -> &'static [&'static str] {
    match tongue {
        Tongue::Python => &["", ".py", "/__init__.py"],
        Tongue::JavaScript => &["", ".js", ".mjs", ".cjs", ".ts", "/index.js"],
        Tongue::Perl => &["", ".pm", ".pl"],
        Tongue::Ruby => &["", ".rb"],
        Tongue::Awk => &[""],
    }
}

/// Those of Python, which looks beside the script before it uses its own.
pub(super) const PYTHON_ENDINGS: [&str; 2] = [".py", "/__init__.py"];

/// What Python loads without source text.
const WITHOUT_TEXT: [&str; 2] = [".pyc", "/__init__.pyc"];

/// Python modules that its own modules load, once they are loaded themselves.
const OWN_OF_PYTHON: &str = "\
    argparse ast base64 bisect bz2 calendar collections configparser contextlib copy copyreg csv dataclasses datetime \
    decimal difflib dis email enum fnmatch fractions functools getpass gettext glob hashlib heapq hmac html http \
    importlib inspect ipaddress json keyword linecache locale logging lzma ntpath numbers opcode operator pathlib pickle \
    platform pprint queue quopri random re reprlib secrets select selectors shlex shutil signal socket ssl statistics \
    string stringprep struct subprocess tempfile textwrap threading token tokenize traceback types typing unicodedata \
    urllib uuid warnings weakref zipfile zlib";

impl Finder<'_> {
    /// Adds a module by its path without extension, if it exists, and what would be found before
    /// it.
    pub(super) fn module(&mut self, path: &Path, tongue: Tongue) {
        let endings = match self.reading {
            Reading::Today
            | Reading::WithoutData
            | Reading::WithSearched
            | Reading::WithoutTellers
            | Reading::WithoutTasks => endings(tongue),
            Reading::Former => &FORMER_ENDINGS,
        };
        let mut tried = endings.iter().copied();
        let found = tried.find(|it| with_ending(path, it).is_file());
        if let Some(ending) = found {
            self.follow(&with_ending(path, ending), Presence::Perhaps);
        }
        for ending in found_before(found) {
            self.rival(&with_ending(path, ending));
        }
        match tongue {
            Tongue::Python => self.in_place_of_python(path, found),
            Tongue::JavaScript if found == Some("/index.js") => self.entered_elsewhere(path),
            _ => {}
        }
    }

    /// Adds what may be a Python module, if it exists.
    pub(super) fn module_if_there(&mut self, path: &Path) {
        if PYTHON_ENDINGS
            .iter()
            .any(|it| with_ending(path, it).is_file())
        {
            self.module(path, Tongue::Python);
        }
    }

    /// Notes what would replace a Python module, or one of the interpreter's own.
    fn in_place_of_python(&mut self, path: &Path, found: Option<&str>) {
        self.compiled(path);
        if found == Some("") {
            return;
        }
        self.compiled_rivals(path, found);
        if found.is_none() && !self.hook.is_from_project() {
            for ending in PYTHON_ENDINGS {
                self.loads(&with_ending(path, ending));
            }
        }
    }

    /// Notes what would be found beside a Python script instead of modules that the interpreter's
    /// own load.
    pub(super) fn in_place_of_its_own(&mut self, text: &str, folder: &Path) {
        if self.hook.is_from_project() || !text.contains("import") {
            return;
        }
        for name in OWN_OF_PYTHON.split_ascii_whitespace() {
            for ending in PYTHON_ENDINGS {
                let file = folder.join(format!("{name}{ending}"));
                if !file.exists() {
                    self.loads(&file);
                }
            }
        }
    }

    /// Adds what would be loaded first, even if it doesn't exist yet.
    fn rival(&mut self, file: &Path) {
        if file.is_file() {
            self.follow(file, Presence::Perhaps);
        } else {
            self.loads(file);
        }
    }

    /// Adds the existing compiled forms of a module that Python finds before its source text.
    fn compiled_rivals(&mut self, path: &Path, found: Option<&str>) {
        let endings = self.compiled_endings();
        let of_package = endings.iter().map(|it| format!("/__init__{it}"));
        let mut rivals: Vec<String> = of_package.collect();
        if found != Some("/__init__.py") {
            rivals.extend(endings.iter().cloned());
            rivals.push(WITHOUT_TEXT[1].to_owned());
        }
        if found.is_none() {
            rivals.push(WITHOUT_TEXT[0].to_owned());
        }
        for ending in rivals {
            let rival = with_ending(path, &ending);
            if rival.is_file() {
                self.follow(&rival, Presence::Perhaps);
            } else {
                self.implicit(&rival);
            }
        }
    }

    /// Adds the file with which a folder is entered, if the folder says so itself.
    fn entered_elsewhere(&mut self, folder: &Path) {
        let description = folder.join("package.json");
        let text = real_path(&description).and_then(|it| text_of(&it));
        let described: Option<Value> = text.and_then(|it| serde_json::from_str(&it).ok());
        let Some(main) = described.as_ref().and_then(|it| it.get("main")?.as_str()) else {
            return self.implicit(&description);
        };
        self.follow(&description, Presence::Perhaps);
        let main = folder.join(main);
        for ending in ["", ".js", "/index.js"] {
            let entry = with_ending(&main, ending);
            if entry.is_file() {
                self.follow(&entry, Presence::Perhaps);
            }
        }
    }
}

/// Returns what an interpreter tries before it finds a module by an ending: Python prefers a
/// package to a module; Node tries the name as it is, and prefers one with an ending to a folder.
fn found_before(ending: Option<&str>) -> &'static [&'static str] {
    match ending {
        Some(".py") => &["/__init__.py"],
        Some(".js" | ".mjs" | ".cjs") => &[""],
        Some(".ts") => &["", ".tsx"],
        Some("/index.js") => &["", ".js", ".json", ".node"],
        _ => &[],
    }
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
