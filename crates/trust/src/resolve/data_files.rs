//! Files that a guard's scripts only read: lists of patterns, rules (TR-1, TR-8).
//!
//! Such a file decides as much as the script does. It counts if the script names it and doesn't
//! write it: what a script keeps for itself (a log, a counter, a cache) changes with each run.

mod flow;
mod statements;
mod words;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use flow::{DataUse, Flow};
use hookloop_hook::EventName;

use crate::named_file::text_of;
use crate::real_path::real_path;
use crate::resolve::calls::Tongue;
use crate::resolve::commands::OWN_PATH;
use crate::resolve::{Finder, Presence, Reading, folders};

/// Endings of files that may contain rules.
const DATA: [&str; 21] = [
    "cfg", "conf", "csv", "dat", "db", "ini", "json", "json5", "jsonc", "list", "lst", "patterns",
    "regex", "rules", "sqlite", "sqlite3", "toml", "tsv", "txt", "yaml", "yml",
];

/// Files that people work on in every project: a guard that reads one judges it.
const WORKED_ON: [&str; 22] = [
    "cargo.toml",
    "clippy.toml",
    "codecov.yml",
    "composer.json",
    "deno.json",
    "docker-compose.yml",
    "dune-project",
    "jsconfig.json",
    "lerna.json",
    "manifest.json",
    "mkdocs.yml",
    "nx.json",
    "package-lock.json",
    "package.json",
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    "pyproject.toml",
    "requirements.txt",
    "rustfmt.toml",
    "setup.cfg",
    "tsconfig.json",
    "turbo.json",
];

/// Folders of the project in which other programs keep what they need.
const OF_OTHERS: [&str; 11] = [
    ".git",
    ".hg",
    ".svn",
    ".venv",
    ".cache",
    ".idea",
    ".vscode",
    "node_modules",
    "target",
    "dist",
    "build",
];

/// How many names of one script are looked up.
const MAX_LOOKUPS: usize = 4096;

/// How many scripts beside a file are searched for what writes it.
const MAX_NEIGHBOURS: usize = 64;

/// Signs of a shell script that writes a file, in the line of its name.
const SHELL_WRITING: [&str; 7] = [">", "tee ", "mv ", "cp ", "touch ", "sed -i", "install "];

impl Finder<'_> {
    /// Adds the files that a script in Python, JavaScript, Perl, Ruby or awk reads and doesn't
    /// write.
    pub(super) fn data_of_program(&mut self, text: &str, tongue: Tongue, path: &Path) {
        if !self.watches_data() {
            return;
        }
        let flow = Flow::of(text, tongue);
        let mut lookups = 0;
        let bases = self.bases(path);
        let mut exists = |name: &str| {
            lookups += 1;
            let counts = |file: &PathBuf| file.is_file() || file.is_dir();
            lookups < MAX_LOOKUPS
                && could_decide(name)
                && places(&bases, path, name).any(|it| counts(&it))
        };
        let uses = flow.uses(&mut exists);
        let is_written = |it: &&DataUse| it.is_written;
        let written = uses.iter().filter(is_written).flat_map(|it| &it.names);
        let written: BTreeSet<PathBuf> = written
            .flat_map(|it| places(&bases, path, it))
            .filter_map(|it| real_path(&it))
            .collect();
        let mut known: Vec<&DataUse> = Vec::new();
        for used in &uses {
            let mut is_found = false;
            let names: BTreeSet<PathBuf> = used
                .names
                .iter()
                .filter(|it| could_decide(it))
                .flat_map(|it| places(&bases, path, it))
                .collect();
            for file in names {
                is_found |= self.data_file(&file, path, used, &written);
            }
            is_found = is_found || self.missing_data(path, used);
            if is_found {
                known.push(used);
            }
        }
        if !self.hook.event.is_before_action() {
            return;
        }
        let shown = self.shown(path);
        for opening in flow.unknown(&known) {
            self.unpinned(format!(
                "{shown} reads, by `{}`, a file whose name is only known when it runs",
                opening.written
            ));
            self.guard_folder(path);
        }
    }

    /// Adds a file that a script reads and that isn't there: what it refuses without it, or lets
    /// through, changes when it appears.
    fn missing_data(&mut self, script: &Path, used: &DataUse) -> bool {
        let whole = used.whole.as_deref().map(Path::new);
        let Some(name) = whole.filter(|it| used.is_read && has_data_ending(it)) else {
            return false;
        };
        let base = if used.is_own {
            script.parent().unwrap_or(script)
        } else {
            self.ground.cwd
        };
        if !used.is_written {
            self.take(&base.join(name), Presence::Expected);
        }
        true
    }

    /// Adds a file that a shell script of a guard reads, unless the script or one beside it writes
    /// it.
    pub(super) fn data_of_shell(&mut self, file: &Path, script: &Path) {
        if !self.watches_data() {
            return;
        }
        if has_data_ending(file) && !file.exists() && !is_written_beside(file, script) {
            return self.take(file, Presence::Expected);
        }
        let used = DataUse {
            is_read: true,
            ..DataUse::default()
        };
        self.data_file(file, script, &used, &BTreeSet::new());
    }

    /// Reports a file that a shell script reads beside itself by a name that isn't known.
    pub(super) fn unknown_data_of_shell(&mut self, written: &str, text: &str, script: &Path) {
        if !self.watches_data()
            || !self.hook.event.is_before_action()
            || !is_own(written, text, script)
        {
            return;
        }
        let shown = self.shown(script);
        self.unpinned(format!(
            "{shown} reads `{written}`, a file whose name is only known when it runs"
        ));
        self.guard_folder(script);
    }

    /// Returns whether files count that the hook's scripts read: it is a project's, and something
    /// waits for it.
    pub(super) fn watches_data(&self) -> bool {
        let waits = self.hook.event.is_before_action()
            || matches!(
                self.hook.event,
                EventName::BeforeToolSelection | EventName::AfterTool | EventName::AfterModel
            );
        self.hook.is_from_project() && self.reading == Reading::Today && waits
    }

    /// Returns the folders from which a script may name a file.
    fn bases(&self, script: &Path) -> Vec<PathBuf> {
        let above = script.ancestors().skip(1);
        let mut bases: Vec<PathBuf> = above
            .take_while(|it| it.starts_with(self.ground.root))
            .map(Path::to_path_buf)
            .collect();
        bases.push(self.ground.cwd.to_path_buf());
        bases.push(self.ground.root.to_path_buf());
        bases
    }

    /// Adds one file that a script may read; returns whether it is one that counts or is known not
    /// to.
    fn data_file(
        &mut self,
        file: &Path,
        script: &Path,
        used: &DataUse,
        written: &BTreeSet<PathBuf>,
    ) -> bool {
        let Some(real) = real_path(file) else {
            return false;
        };
        let (Some(folder), Some(root)) = (
            script.parent().and_then(real_path),
            real_path(self.ground.root),
        ) else {
            return false;
        };
        let Ok(inside) = real.strip_prefix(&root) else {
            return false;
        };
        let is_beside = real.starts_with(&folder) && folder != root && real != folder;
        if real.is_dir() {
            // A folder of rules.
            if !used.is_read || real == root || root.starts_with(&real) || real == folder {
                return false;
            }
            let files = folders::files_below(&real).unwrap_or_default();
            let files = files.into_iter().filter(|it| has_data_ending(it));
            let mut is_any = false;
            for file in files {
                is_any |= self.data_file(&file, script, used, written);
            }
            return is_any;
        }
        if !real.is_file()
            || self
                .found_paths
                .contains(&inside.to_string_lossy().into_owned())
        {
            return real.is_file();
        }
        let of_others = inside
            .iter()
            .any(|it| OF_OTHERS.iter().any(|other| it == *other));
        let name = real
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_lowercase();
        let is_hidden = inside
            .iter()
            .next()
            .is_some_and(|it| it.as_encoded_bytes().starts_with(b"."))
            && inside.iter().count() > 1;
        let counts = is_beside && (used.is_read || has_data_ending(&real))
            || used.is_read
                && (is_hidden || has_data_ending(&real))
                && !WORKED_ON.contains(&name.as_str())
                && !name.contains("lock");
        if of_others || !counts || self.is_data(file) {
            return used.is_read;
        }
        if used.is_written || written.contains(&real) || is_written_beside(&real, script) {
            if used.is_read {
                self.unpinned(format!(
                    "{} reads {}, which is written while hooks run",
                    self.shown(script),
                    inside.display()
                ));
            }
            if is_beside {
                self.found.reads.insert(real);
            }
            return true;
        }
        self.take(file, Presence::Perhaps);
        true
    }

    /// Protects the folder of a script that reads files there whose names aren't known, unless it
    /// is the project's or the person's own.
    fn guard_folder(&mut self, script: &Path) {
        let Some(folder) = script.parent().and_then(real_path) else {
            return;
        };
        let home = self.ground.surroundings.home.as_deref();
        let contains = |inner: Option<&Path>| {
            inner
                .and_then(real_path)
                .is_some_and(|it| it.starts_with(&folder))
        };
        if !contains(home) && !contains(Some(self.ground.root)) {
            self.found.own_folders.insert(folder);
        }
    }
}

/// Returns whether a script in the folder of another, or of a file, may write that file.
fn is_written_beside(file: &Path, script: &Path) -> bool {
    let Some(name) = file.file_name().and_then(|it| it.to_str()) else {
        return true;
    };
    let folders: BTreeSet<&Path> = [file.parent(), script.parent()]
        .into_iter()
        .flatten()
        .collect();
    folders.into_iter().any(|folder| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let scripts = entries
            .map(|it| it.path())
            .filter(|it| it != script && it != file);
        scripts.take(MAX_NEIGHBOURS).any(|it| may_write(&it, name))
    })
}

/// Returns where a name may lead.
fn places<'n>(
    bases: &'n [PathBuf],
    script: &'n Path,
    name: &'n str,
) -> impl Iterator<Item = PathBuf> + 'n {
    let name = name.trim_start_matches("./");
    let relative = name.trim_start_matches('/');
    let given = bases
        .iter()
        .filter(move |_| !relative.is_empty())
        .map(move |it| it.join(relative));
    let absolute = name.starts_with('/').then(|| PathBuf::from(name));
    // `Path(__file__).with_suffix(".json")`
    let ending = name.strip_prefix('.').filter(|it| !it.contains('/'));
    let renamed = ending.map(|it| script.with_extension(it));
    given.chain(absolute).chain(renamed)
}

/// Returns whether a name may be one of a file or a folder of rules, and not just a word.
fn could_decide(name: &str) -> bool {
    !matches!(name, "." | ".." | "/") && !name.ends_with("/..")
}

fn has_data_ending(file: &Path) -> bool {
    let ending = file.extension().and_then(|it| it.to_str());
    ending.is_some_and(|it| DATA.contains(&it.to_lowercase().as_str()))
}

/// Returns whether a script may write a file with this name.
fn may_write(script: &Path, name: &str) -> bool {
    let Some(text) = real_path(script).and_then(|it| text_of(&it)) else {
        return false;
    };
    if !text.contains(name) {
        return false;
    }
    let ending = script
        .extension()
        .and_then(|it| it.to_str())
        .unwrap_or_default();
    let language = hookloop_shell::Language::from_extension(ending)
        .or_else(|| hookloop_shell::Language::from_script(&text));
    let tongue = match language {
        Some(hookloop_shell::Language::Python) => Tongue::Python,
        Some(hookloop_shell::Language::JavaScript) => Tongue::JavaScript,
        Some(hookloop_shell::Language::Perl) => Tongue::Perl,
        Some(hookloop_shell::Language::Ruby) => Tongue::Ruby,
        Some(hookloop_shell::Language::Shell) => {
            let lines = text.lines().filter(|it| it.contains(name));
            let assigned = lines
                .clone()
                .any(|it| it.trim_start().contains(&format!("={name}")) || it.contains("=\""));
            return lines
                .clone()
                .any(|line| SHELL_WRITING.iter().any(|it| line.contains(it)))
                || assigned && SHELL_WRITING.iter().any(|it| text.contains(it));
        }
        _ => return false,
    };
    let uses = Flow::of(&text, tongue).uses(|it| it.ends_with(name));
    uses.iter().any(|it| it.is_written)
}

/// Returns whether a word of a shell script begins with the place of the script.
fn is_own(written: &str, text: &str, script: &Path) -> bool {
    const OWN: [&str; 4] = ["$0", "BASH_SOURCE", "${0", OWN_PATH];
    let has_own = |text: &str| OWN.iter().any(|it| text.contains(it));
    let is_in = |folder: &Path| Path::new(written).starts_with(folder);
    if has_own(written) || script.parent().is_some_and(is_in) {
        return true;
    }
    let Some(name) = written.strip_prefix('$') else {
        return false;
    };
    let name = name.trim_start_matches('{');
    let end = name.find(|it: char| !(it.is_ascii_alphanumeric() || it == '_'));
    let name = &name[..end.unwrap_or(name.len())];
    let assigns = format!("{name}=");
    text.lines().any(|it| it.contains(&assigns) && has_own(it))
}
