//! What scripts in Python, JavaScript and Perl reach through literal names: rule files that they
//! read, folders in which they look for modules (TR-8).

use std::path::{Path, PathBuf};

use crate::named_file::text_of;
use crate::real_path::real_path;
use crate::resolve::calls::{Tongue, strings};
use crate::resolve::{Finder, Presence};

/// How many texts of a script are looked up.
const MAX_TEXTS: usize = 512;

/// How long a name may be.
const MAX_LENGTH: usize = 256;

/// Words with which a script writes files: what it reads may then be its own.
const WRITING: [&str; 25] = [
    ".write(",
    "write_text",
    "write_bytes",
    "writeFile",
    "appendFile",
    "createWriteStream",
    "openSync",
    "'w'",
    "\"w\"",
    "'a'",
    "\"a\"",
    "'w+",
    "\"w+",
    "'a+",
    "\"a+",
    "'wb",
    "\"wb",
    "'ab",
    "\"ab",
    "'x'",
    "dump(",
    "touch(",
    "sqlite",
    "shelve",
    "logging",
];

/// Endings of files that may contain rules.
const DATA: [&str; 15] = [
    "cfg", "conf", "csv", "ini", "json", "jsonc", "list", "lst", "patterns", "regex", "rules",
    "toml", "txt", "yaml", "yml",
];

/// Words with which a path begins in the home folder.
const AT_HOME: [&str; 5] = ["home()", "homedir", "HOME", "expanduser", "'~"];

impl Finder<'_> {
    /// Adds what a script of the person or the system names in strings.
    pub(super) fn literals(&mut self, text: &str, tongue: Tongue, path: &Path) {
        if self.hook.is_from_project() {
            return;
        }
        let reads = matches!(tongue, Tongue::Python | Tongue::JavaScript) && !writes(text);
        let Some(folder) = path.parent().map(Path::to_path_buf) else {
            return;
        };
        let lines = text
            .lines()
            .filter(|it| !it.trim_start().starts_with(['#', '/']));
        let mut left = MAX_TEXTS;
        for line in lines {
            let looks_for_modules = match tongue {
                Tongue::Python => line.contains("sys.path"),
                Tongue::Perl => line.trim_start().starts_with("use lib"),
                _ => false,
            };
            if !looks_for_modules && !reads {
                continue;
            }
            for name in self.names_in(line, &folder) {
                left = left.saturating_sub(1);
                if left == 0 {
                    return;
                }
                if looks_for_modules && name.is_dir() {
                    self.looks_in(&name);
                } else if !looks_for_modules && is_data(&name) && name.is_file() {
                    self.reads(&name, path);
                }
            }
        }
    }

    /// Returns the paths that the strings of a line may be: each by itself, and joined in their
    /// order.
    fn names_in(&self, line: &str, folder: &Path) -> Vec<PathBuf> {
        let home = self.ground.surroundings.home.as_deref();
        let mut begins = vec![folder.to_path_buf()];
        if AT_HOME.iter().any(|it| line.contains(it)) {
            begins.extend(home.map(Path::to_path_buf));
        }
        let (texts, _) = strings(line);
        let own = folder.to_string_lossy();
        let mut found = Vec::new();
        let mut joined = PathBuf::new();
        for text in texts {
            let text = text
                .replace("$FindBin::Bin", &own)
                .replace("$FindBin::RealBin", &own);
            let text = text.trim_start_matches("~/");
            let is_name =
                |it: char| !it.is_whitespace() && !it.is_control() && !"*?<>|\\{}".contains(it);
            if text.is_empty() || text.len() > MAX_LENGTH || !text.chars().all(is_name) {
                continue;
            }
            joined.push(text);
            for begin in &begins {
                found.push(begin.join(text));
                found.push(begin.join(&joined));
            }
        }
        found.sort();
        found.dedup();
        found
    }

    /// Notes a folder in which a program looks for modules, unless it contains everything.
    pub(super) fn looks_in(&mut self, folder: &Path) {
        let Some(real) = real_path(folder) else {
            return;
        };
        let holds = |inner: Option<&Path>| {
            let inner = inner.and_then(real_path);
            inner.is_some_and(|it| it.starts_with(&real))
        };
        let home = self.ground.surroundings.home.as_deref();
        if !holds(home) && !holds(Some(self.ground.root)) {
            self.found.start_folders.insert(real);
        }
    }

    /// Adds what a JavaScript text loads by a name that its own package gives to a file (`#rules`).
    pub(super) fn imported_by_its_package(&mut self, name: &str, path: &Path) {
        let mut folders = path.ancestors().skip(1);
        let Some(folder) = folders.find(|it| it.join("package.json").is_file()) else {
            return;
        };
        let description = folder.join("package.json");
        let text = real_path(&description).and_then(|it| text_of(&it));
        let described: Option<serde_json::Value> =
            text.and_then(|it| serde_json::from_str(&it).ok());
        let imports = described
            .as_ref()
            .and_then(|it| it.get("imports")?.as_object());
        let start = name.split('/').next().unwrap_or(name);
        let given = imports
            .into_iter()
            .flatten()
            .filter(|(key, _)| key.starts_with(start));
        let mut files = Vec::new();
        for (_, value) in given {
            super::packages::strings_in(Some(value), &mut files);
        }
        if self.hook.is_from_project() || files.is_empty() {
            return;
        }
        self.description(&description);
        for file in files {
            self.follow(&folder.join(file), Presence::Perhaps);
        }
    }
}

/// Returns whether a file may contain rules, rather than a log or state.
fn is_data(path: &Path) -> bool {
    let ending = path.extension().and_then(|it| it.to_str());
    ending.is_some_and(|it| DATA.contains(&it))
}

/// Returns whether a script may write files of its own.
fn writes(text: &str) -> bool {
    let text = text
        .replace("stdout.write(", "")
        .replace("stderr.write(", "");
    WRITING.iter().any(|it| text.contains(it))
}
