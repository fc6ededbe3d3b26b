//! Packages that JavaScript scripts load, and how those scripts are interpreted (TR-8).

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::named_file::text_of;
use crate::real_path::real_path;
use crate::resolve::scripts::package;
use crate::resolve::{Finder, commands};

impl Finder<'_> {
    /// Notes what determines how a JavaScript text is read: the next `package.json`.
    pub(super) fn javascript_kind(&mut self, path: &Path) {
        let ending = path.extension().and_then(|it| it.to_str());
        if !matches!(ending, Some("mjs" | "cjs" | "mts" | "cts"))
            && let Some(real) = self.reader.real(path)
        {
            self.found.javascript.insert(real);
        }
    }

    /// Adds an installed package that a JavaScript text loads, where Node finds it, and what would
    /// be found before it.
    pub(super) fn follow_package(&mut self, loaded: &str, path: &Path) {
        let Some(name) = package(loaded).filter(|it| !BUILT_IN.contains(it)) else {
            return;
        };
        let folder = path.parent().unwrap_or(path).to_path_buf();
        if !self.packages.insert((folder, loaded.to_owned())) {
            return;
        }
        let folders = self.package_folders(path);
        let is_there = |folder: &PathBuf| {
            let has_file = || as_file(&folder.join(loaded)).iter().any(|it| it.is_file());
            folder.is_dir() && (folder.join(name).is_dir() || has_file())
        };
        let Some(at) = folders.iter().position(is_there) else {
            return;
        };
        for nearer in &folders[..at] {
            self.note_nearer(nearer, name, loaded);
        }
        // A file takes precedence over a folder with its name, unless the folder declares exports.
        let found = folders[at].join(name);
        if loaded == name {
            self.first_of(&as_file(&found));
        }
        self.entered(&found, loaded[name.len()..].trim_start_matches('/'));
    }

    /// Notes where a package would be found before the current one.
    fn note_nearer(&mut self, folder: &Path, name: &str, loaded: &str) {
        let is_of_package = folder.parent().is_some_and(|it| {
            let mut components = it.components();
            components.any(|it| it.as_os_str() == "node_modules")
        });
        if is_of_package && !folder.is_dir() {
            // A package that appears there would be loaded instead.
            self.implicit(folder);
            self.found.libraries.insert(folder.to_path_buf());
            return;
        }
        let package = folder.join(name);
        for file in as_file(&package).into_iter().chain(as_folder(&package)) {
            self.implicit(&file);
        }
        self.implicit(&package.join(DESCRIPTION));
        if loaded != name {
            let inside = folder.join(loaded);
            for file in as_file(&inside).into_iter().chain(as_folder(&inside)) {
                self.implicit(&file);
            }
        }
    }

    /// Adds the entry point of a package, as it declares it, or the file that is named inside of
    /// it.
    fn entered(&mut self, package: &Path, inside: &str) {
        let described = self.read_manifest(package);
        let main = described.as_ref().and_then(|it| it.get("main")?.as_str());
        if !inside.is_empty() {
            self.first_below(&package.join(inside));
        } else if !main.is_some_and(|it| self.first_below(&package.join(it))) {
            self.first_of(&as_folder(package));
        }
        let mut exported = Vec::new();
        strings_in(
            described.as_ref().and_then(|it| it.get("exports")),
            &mut exported,
        );
        let stays_inside =
            |it: &&String| !it.split('/').any(|part| part == "..") && !it.contains('*');
        for entry in exported.iter().filter(stays_inside).take(MAX_ENTRIES) {
            self.first_of(&[package.join(entry)]);
        }
        if package.is_dir() {
            let real = self.reader.real(package);
            self.found.start_folders.extend(real);
        }
    }

    /// Adds what Node would load by a path: a file, or the entry point of a folder.
    fn first_below(&mut self, path: &Path) -> bool {
        self.first_of(&as_file(path)) || self.first_of(&as_folder(path))
    }

    /// Adds the first of some files that exists, and notes those before it; returns whether one
    /// exists.
    fn first_of(&mut self, files: &[PathBuf]) -> bool {
        files.iter().any(|file| {
            self.implicit(file);
            let is_there = file.is_file();
            if is_there && !self.hook.is_from_project() {
                self.script(file);
            }
            is_there
        })
    }

    /// Returns the folders in which Node looks for a package, in order.
    fn package_folders(&self, path: &Path) -> Vec<PathBuf> {
        let is_searched = |it: &&Path| !it.ends_with("node_modules");
        let above = path.ancestors().skip(1).filter(is_searched);
        let mut folders: Vec<PathBuf> = above.map(|it| it.join("node_modules")).collect();
        let own = self
            .hook
            .env
            .get("NODE_PATH")
            .map(|it| commands::expand(it, self.ground));
        let listed = own
            .or_else(|| self.start_variable("NODE_PATH"))
            .unwrap_or_default();
        let listed = listed.split(':').filter(|it| !it.is_empty());
        folders.extend(listed.map(|it| self.ground.cwd.join(it)));
        let home = self.ground.surroundings.home.iter();
        folders.extend(
            home.flat_map(|it| [".node_modules", ".node_libraries"].map(|name| it.join(name))),
        );
        folders
    }

    /// Reads what a package says about itself.
    fn read_manifest(&mut self, folder: &Path) -> Option<Value> {
        let description = folder.join(DESCRIPTION);
        self.implicit(&description);
        let text = text_of(&self.reader.real(&description)?)?;
        serde_json::from_str(&text).ok()
    }
}

/// How many entries that a package exports are examined.
const MAX_ENTRIES: usize = 16;

/// Modules that Node contains, and loads from nowhere else.
const BUILT_IN: [&str; 38] = [
    "assert",
    "async_hooks",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "domain",
    "events",
    "fs",
    "http",
    "http2",
    "https",
    "inspector",
    "module",
    "net",
    "os",
    "path",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "repl",
    "stream",
    "string_decoder",
    "timers",
    "tls",
    "tty",
    "url",
    "util",
    "v8",
    "vm",
    "zlib",
];

/// What says what a package's entry point is.
const DESCRIPTION: &str = "package.json";

/// Returns the files that Node would load by a name, in order.
fn as_file(name: &Path) -> [PathBuf; 4] {
    ["", ".js", ".json", ".node"].map(|ending| {
        let mut name = name.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    })
}

/// Returns the files that Node would load for a folder that doesn't declare its entry point.
fn as_folder(name: &Path) -> [PathBuf; 3] {
    ["index.js", "index.json", "index.node"].map(|it| name.join(it))
}

pub(super) fn strings_in(value: Option<&Value>, found: &mut Vec<String>) {
    match value {
        Some(Value::String(text)) => found.push(text.trim_start_matches("./").to_owned()),
        Some(Value::Array(values)) => values.iter().for_each(|it| strings_in(Some(it), found)),
        Some(Value::Object(fields)) => fields.values().for_each(|it| strings_in(Some(it), found)),
        _ => {}
    }
}

/// Returns how Node interprets a script whose name doesn't determine it: the `type` in the nearest
/// `package.json` above (TR-8). If two results are equal, the script is interpreted in the same
/// way.
pub fn javascript_kind(script: &Path) -> String {
    for folder in script.ancestors().skip(1) {
        let file = folder.join("package.json");
        if file.symlink_metadata().is_err() {
            continue;
        }
        let text = real_path(&file).and_then(|it| text_of(&it));
        let described: Option<Value> = text.and_then(|it| serde_json::from_str(&it).ok());
        let kind = match described.as_ref().map(|it| it.get("type")) {
            None => "unreadable",
            Some(Some(Value::String(kind))) if kind == "module" => "module",
            Some(_) => "commonjs",
        };
        return kind.to_owned();
    }
    "commonjs".to_owned()
}
