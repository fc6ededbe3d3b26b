//! Finds the files that a hook runs, as the shell and the kernel will find them (TR-1).
//!
//! The same code runs when a person reviews a hook and right before the hook runs, then with the
//! real working directory. So nobody can replace a file that a person agreed to with one that
//! nobody has seen.

mod ahead;
mod builds;
mod caches;
mod calls;
mod commands;
mod compared;
mod data_files;
mod elsewhere;
mod folders;
mod implicit;
mod judged;
mod links;
mod listed;
mod literals;
mod makefiles;
mod modules;
mod network;
mod packages;
mod python;
mod reading;
mod repository;
mod rust;
mod scripts;
mod searched;
mod searching;
mod shadowing;
mod shells;
mod start;
mod tasks;
mod workspaces;
mod written;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use ahead::Ahead;
pub use caches::decisive_files;
use calls::Tongue;
use commands::Asking;
use hookloop_hook::{COMMAND_VARIABLES, Handler, HookDeclaration, Rules};
use hookloop_shell::Command;
pub use implicit::START_VARIABLES;
use listed::Listed;
pub use packages::javascript_kind;
pub(crate) use reading::Reading;
pub use shadowing::BUN_SETTINGS;
use shadowing::is_python;

use crate::aspect::{FilePart, NamedFiles};
use crate::named_file::{FileReader, FileState, Kind, NamedFile, text_of};
use crate::real_path::real_path;

/// How many files one hook may lead to; the rest isn't watched, which is reported.
const MAX_FILES: usize = 512;

/// Where hooks will run.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// The home folder, for `~` and `$HOME`.
    pub home: Option<PathBuf>,
    /// The folders that are searched for programs.
    pub search_path: Vec<PathBuf>,
    /// The values of the environment variables that make programs load files without naming them in
    /// a command: those of [`START_VARIABLES`] that are set.
    pub start_variables: BTreeMap<String, String>,
}

/// Where a hook runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ground<'a> {
    /// The project's root.
    pub(crate) root: &'a Path,
    /// The session's working directory.
    pub(crate) cwd: &'a Path,
    /// The rest.
    pub(crate) surroundings: &'a Surroundings,
}

/// What a hook names.
#[derive(Debug, Clone, Default)]
pub(crate) struct Resolved {
    /// The files inside the project.
    pub(crate) files: Vec<NamedFile>,
    /// Every existing file, wherever it is, under the path to which its name leads: also programs
    /// and scripts of hooks that need no trust (TR-8).
    pub(crate) existing: BTreeSet<PathBuf>,
    /// Every file that it names and that doesn't exist: whoever writes it writes the hook (TR-8).
    pub(crate) missing: BTreeSet<PathBuf>,
    /// Words that name no file now, but would be part of the hook if that file appeared (TR-8).
    pub(crate) awaited: BTreeSet<PathBuf>,
    /// The files that it runs or loads, including those that don't exist yet: they are the hook,
    /// not data.
    pub(crate) loaded: BTreeSet<PathBuf>,
    /// Files of the project that an interpreter loads without being told to, because it searches
    /// the working directory first: modules with the names of its own, files that settings name.
    pub(crate) shadowing: BTreeSet<PathBuf>,
    /// Those of them that were found through the search path.
    pub(crate) searched: BTreeSet<PathBuf>,
    /// The programs that it starts and that are searched for: where they are, and where they lead.
    pub(crate) programs: BTreeSet<PathBuf>,
    /// Paths at which a program would be found before the one that is started now (TR-8).
    pub(crate) rivals: BTreeSet<PathBuf>,
    /// Files that one of its scripts reads by a literal name: they affect its decisions (TR-8).
    pub(crate) reads: BTreeSet<PathBuf>,
    /// Files that its programs read at startup although nothing names them, including those that
    /// don't exist yet (TR-8).
    pub(crate) implicit: BTreeSet<PathBuf>,
    /// Folders in which its programs look for modules: whoever writes there affects its decisions
    /// (TR-8).
    pub(crate) start_folders: BTreeSet<PathBuf>,
    /// Folders of scripts that read files there whose names aren't known: whoever writes there may
    /// affect its decisions (TR-8).
    pub(crate) own_folders: BTreeSet<PathBuf>,
    /// Folders from which its programs load what they compiled themselves: they may be removed, and
    /// whoever writes there affects its decisions (TR-8).
    pub(crate) caches: BTreeSet<PathBuf>,
    /// The names of its files that are links, or lead through links (TR-8).
    pub(crate) names: BTreeSet<PathBuf>,
    /// What its interpreters read at startup from where they are installed (TR-8).
    pub(crate) installed: BTreeSet<PathBuf>,
    /// The package folders of its interpreters: some of the content runs at each start.
    pub(crate) sites: BTreeSet<PathBuf>,
    /// The folders in which its interpreters have their own modules.
    pub(crate) libraries: BTreeSet<PathBuf>,
    /// JavaScript files that are read as a `package.json` says.
    pub(crate) javascript: BTreeSet<PathBuf>,
    /// Files of which a part affects its decisions (TR-8).
    pub(crate) aspects: BTreeSet<FilePart>,
    /// Files with one name, anywhere below a folder, of which a part affects its decisions (TR-8).
    pub(crate) below: BTreeSet<NamedFiles>,
    /// Why it can't be known which files it runs.
    pub(crate) unpinned: BTreeSet<String>,
}

/// Returns the path that a field of a hook's entry names, without following links. It is relative
/// to the project's root, or to the extension's folder; `~/` is the person's home folder. Any code
/// that opens such a file should use this function, because this crate does.
pub fn resolve_path(
    text: &str,
    hook: &HookDeclaration,
    root: &Path,
    cwd: &Path,
    home: Option<&Path>,
) -> PathBuf {
    if let Some((rest, home)) = text.strip_prefix("~/").zip(home) {
        return home.join(rest);
    }
    let surroundings = Surroundings::default();
    let ground = Ground {
        root,
        cwd,
        surroundings: &surroundings,
    };
    let base = match &hook.extension {
        Some(extension) => extension.path.as_path(),
        None => root,
    };
    base.join(commands::expand(text, ground))
}

/// Finds the files that a hook names; reads them, and runs nothing (TR-7).
pub(crate) fn resolve(
    hook: &HookDeclaration,
    ground: Ground<'_>,
    reader: &mut FileReader,
) -> Resolved {
    resolve_by(Reading::Today, hook, ground, reader)
}

/// Finds the files that a hook names, by the given rules.
pub(crate) fn resolve_by(
    reading: Reading,
    hook: &HookDeclaration,
    ground: Ground<'_>,
    reader: &mut FileReader,
) -> Resolved {
    let mut finder = Finder {
        hook,
        ground,
        reader,
        reading,
        compiled_endings: None,
        packages: HashSet::new(),
        unchecked_modules: HashMap::new(),
        data: data(hook, ground.root),
        ahead: Ahead::default(),
        found_paths: HashSet::new(),
        searched_first: Vec::new(),
        listed: Listed::default(),
        depth: 0,
        found: Resolved::default(),
    };
    finder.handler();
    finder.environment();
    finder.look_ahead();
    finder.look_into_listed();
    finder.found
}

/// Returns where the files lead that a hook declares as data: they aren't part of it (TR-8).
fn data(hook: &HookDeclaration, root: &Path) -> BTreeSet<PathBuf> {
    let paths = hook.data.iter();
    paths
        .filter_map(|path| real_path(&root.join(path)))
        .collect()
}

/// Whether something that doesn't exist is still part of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Presence {
    /// It is named as a file: if it appears later, that is a change.
    Expected,
    /// A word that may be anything: it only counts if a file with that name exists.
    Perhaps,
}

struct Finder<'a> {
    hook: &'a HookDeclaration,
    ground: Ground<'a>,
    reader: &'a mut FileReader,
    reading: Reading,
    /// The endings of compiled Python modules, once they were needed.
    compiled_endings: Option<Rc<[String]>>,
    /// The packages that were looked for, by the folders that needed them.
    packages: HashSet<(PathBuf, String)>,
    /// By folder, the compiled modules that Python uses without looking at their source.
    unchecked_modules: HashMap<PathBuf, BTreeSet<PathBuf>>,
    data: BTreeSet<PathBuf>,
    ahead: Ahead,
    /// The files that were found, by their paths.
    found_paths: HashSet<String>,
    /// Folders in which programs are found first, because a runner says so.
    searched_first: Vec<PathBuf>,
    listed: Listed,
    /// How deep lines that runners run are followed.
    depth: u8,
    found: Resolved,
}

impl Finder<'_> {
    /// Returns whether the hook declares what a name leads to as data (TR-8).
    fn is_data(&self, path: &Path) -> bool {
        !self.data.is_empty() && real_path(path).is_some_and(|real| self.data.contains(&real))
    }

    fn handler(&mut self) {
        match &self.hook.handler {
            Handler::Command { command, args, .. } | Handler::Worker { command, args, .. } => {
                if let Some(args) = args {
                    // Without a shell, each word is literal.
                    let words = std::iter::once(command).chain(args);
                    let words: Vec<String> = words
                        .map(|text| commands::expand(text, self.ground))
                        .collect();
                    self.command(&hookloop_shell::join(words.iter().map(String::as_str)));
                } else {
                    self.shell_of_the_hook();
                    // Values of the hook's own variables are never split (ENV-2).
                    let command = hookloop_shell::quote_references(command, &COMMAND_VARIABLES);
                    self.command(&command);
                }
            }
            Handler::McpTool(call) => {
                if let Some(server) = call.configured.clone() {
                    self.server(&server.configuration);
                }
            }
            Handler::Plugin(plugin) => self.named_in_settings(&plugin.plugin),
            Handler::Rule {
                rules: Rules::File(file),
            } => self.named_in_settings(file),
            Handler::Rule {
                rules: Rules::Inline(_),
            }
            | Handler::Http(_)
            | Handler::Prompt(_)
            | Handler::InProcess
            | Handler::Unreadable { .. } => {}
        }
    }

    /// Adds what the program of an MCP server is made of (HT-50). It starts in the session's
    /// working directory, or in its own `cwd`, without a shell.
    fn server(&mut self, configuration: &serde_json::Value) {
        let text = |field: &str| configuration.get(field).and_then(serde_json::Value::as_str);
        let Some(command) = text("command") else {
            return;
        };
        let arguments = configuration
            .get("args")
            .and_then(serde_json::Value::as_array);
        let arguments = arguments
            .into_iter()
            .flatten()
            .filter_map(serde_json::Value::as_str);
        let words: Vec<String> = std::iter::once(command)
            .chain(arguments)
            .map(|word| commands::expand(word, self.ground))
            .collect();
        let line = hookloop_shell::join(words.iter().map(String::as_str));
        match text("cwd") {
            Some(folder) => {
                let folder = commands::expand(folder, self.ground);
                let folder = hookloop_shell::join([folder.as_str()]);
                self.command(&format!("cd {folder} && {line}"));
            }
            None => self.command(&line),
        }
    }

    /// Adds a file that a field names: from the project's root, or the extension's folder.
    fn named_in_settings(&mut self, file: &str) {
        let Ground { root, cwd, .. } = self.ground;
        let home = self.ground.surroundings.home.as_deref();
        let path = resolve_path(file, self.hook, root, cwd, home);
        self.take(&path, Presence::Expected);
        self.loads(&path);
    }

    /// Adds what the values of `env`, and the settings of the extension, name: a file that shells
    /// read first, folders in which programs and modules are looked for.
    fn environment(&mut self) {
        let extension = self.hook.extension.iter();
        let settings = extension.flat_map(|it| it.settings_env.iter());
        let own = self
            .hook
            .env
            .iter()
            .chain(settings.map(|(name, value)| (name, value)));
        let values: Vec<(String, String)> = own
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        for (name, value) in values {
            let value = commands::expand(&value, self.ground);
            let cwd = self.ground.cwd.to_path_buf();
            for piece in commands::pieces(&value, self.ground) {
                let path = cwd.join(&piece);
                if path.is_dir() {
                    self.folder(&path, &name);
                } else {
                    self.take(&path, commands::presence(&piece));
                }
            }
        }
    }

    /// Adds a folder in which programs or modules are looked for, with all its content.
    fn folder(&mut self, folder: &Path, variable: &str) {
        let Some(real) = real_path(folder) else {
            return;
        };
        // If the module path contains the whole project, its modules aren't watched.
        if real_path(self.ground.root).is_some_and(|root| root.starts_with(&real)) {
            self.unpinned(format!("{variable} contains the whole project"));
            return;
        }
        if !self.is_of_project(&real) {
            return;
        }
        match folders::files_below(&real) {
            Some(files) => {
                for file in files {
                    self.take(&file, Presence::Expected);
                }
            }
            None => self.unpinned(format!(
                "{variable} contains {}, which has too many files to watch",
                folder.display()
            )),
        }
    }

    fn is_of_project(&self, real: &Path) -> bool {
        let root = self.reader.real(self.ground.root);
        root.is_some_and(|root| real.starts_with(root))
    }

    /// Adds what the text of a command runs and names.
    fn command(&mut self, text: &str) {
        let look = commands::look(text, self.hook, self.ground, self.reader, None);
        self.shells_in(text);
        for why in &look.named.unpinned {
            self.unpinned(commands::reason(why));
        }
        let looked_at = self.read_only_files(&look);
        let searched = self.searched_only(&look);
        for file in &look.named.files {
            let is_part = !looked_at.contains(&file.path) && !searched.contains(&file.path);
            if !file.runs && !is_part {
                continue;
            }
            let presence = if file.runs {
                Presence::Expected
            } else {
                commands::presence(&file.written)
            };
            for path in folders::expand(&file.path, file.pattern) {
                self.take(&path, presence);
                if file.runs {
                    self.run(&path);
                } else {
                    self.given_to_unknown(&path);
                }
            }
        }
        let is_seen_through = look.is_seen_through();
        for command in &look.commands {
            self.around(command);
            // Words that are only printed name no files, and files that a command only queries are
            // what the hook judges.
            let names_nothing = match commands::asking(command) {
                Asking::No => false,
                Asking::Tells => is_seen_through,
                Asking::Silently => true,
            };
            if !names_nothing {
                let without = self
                    .searched(&look, command)
                    .or_else(|| self.compares(&look, command));
                self.follow_words(command, without, &looked_at);
            }
        }
        self.given_by_options(&look.commands);
    }

    /// Adds what is run: a script with what it loads, or the file that is run for a folder.
    fn run(&mut self, path: &Path) {
        if !path.is_dir() {
            self.loads(path);
            return self.script(path);
        }
        for entry in scripts::ENTRIES {
            let entry = path.join(entry);
            self.take(&entry, Presence::Perhaps);
            self.script(&entry);
        }
    }

    /// Adds what else a command runs or names: its program, if the search path leads into the
    /// project, and what the text loads that it passes to an interpreter.
    fn around(&mut self, command: &Command) {
        if command.folders.is_empty() && !command.program.is_empty() {
            self.unpinned("it changes to a folder that isn't known in advance".to_owned());
        }
        for folder in command.folders.iter().map(Path::new) {
            let program = &command.invoked;
            self.tasks(command, folder);
            self.rivals_of(program, folder);
            self.started_by(command, folder);
            if !program.is_empty()
                && !program.contains('/')
                && let Some(found) = self.search(program, folder)
            {
                self.take(&found, Presence::Perhaps);
                let real = self.reader.real(&found);
                self.found.searched.extend(real.clone());
                if real
                    .as_ref()
                    .is_some_and(|real| self.is_of_project(real) || self.is_of_person(real))
                {
                    self.script(&found);
                } else if let Some(text) = real.and_then(|it| text_of(&it)) {
                    self.shebang(&text, folder);
                }
            }
            self.search_folders(command, folder);
            for script in command.values_of(hookloop_shell::script_options(&command.program)) {
                let script = folder.join(&script.text);
                self.loads(&script);
                self.script(&script);
            }
            if let Some(code) = &command.code {
                self.code(code, folder);
            }
            self.note_shadowed(command, folder);
        }
    }

    /// Adds what the words of a command may name, with the elements of lists; all words but one,
    /// given by its index.
    fn follow_words(
        &mut self,
        command: &Command,
        without: Option<usize>,
        looked_at: &BTreeSet<String>,
    ) {
        let words = command.words.iter().enumerate();
        let words = words
            .filter(|(at, word)| word.known && !command.is_output(*at) && without != Some(*at));
        let code = command.code.as_deref();
        let texts = words.map(|(_, word)| match word.text.as_str() {
            text if Some(text) == code => Cow::Owned(written::without_written(text)),
            text => Cow::Borrowed(text),
        });
        let values = command.env.iter().map(|it| &it.value).filter(|it| it.known);
        let values = values.map(|it| Cow::Borrowed(it.text.as_str()));
        for text in texts.chain(values) {
            for piece in commands::pieces(&text, self.ground) {
                for folder in &command.folders {
                    if !looked_at.contains(&hookloop_shell::join_path(folder, &piece)) {
                        self.take(&Path::new(folder).join(&piece), Presence::Perhaps);
                    }
                }
            }
        }
    }

    /// Adds what the text for an interpreter loads by name.
    fn code(&mut self, code: &str, folder: &Path) {
        let lines = code.replace(';', "\n");
        for name in scripts::python_imports(&lines) {
            self.module(&folder.join(name), Tongue::Python);
        }
        for name in scripts::relative_requires(code) {
            self.module(&folder.join(name), Tongue::JavaScript);
        }
        if scripts::starts_more(code) {
            let start: String = code.chars().take(40).collect();
            self.unpinned(format!(
                "the program `{start}` starts further programs itself"
            ));
        }
    }

    fn loads(&mut self, path: &Path) {
        // Package managers rewrite the same files, so only the content counts.
        if path.components().any(|it| it.as_os_str() == "node_modules") {
            self.implicit(path);
        } else if !self.is_data(path) {
            let names = self.resolve_links(path);
            self.found.loaded.extend(names);
        }
    }

    /// Adds a file by the name that the kernel would get.
    fn take(&mut self, path: &Path, presence: Presence) {
        if path.as_os_str().as_encoded_bytes().contains(&0) {
            return;
        }
        if self.found.files.len() >= MAX_FILES {
            self.unpinned("it names more files than are watched".to_owned());
            return;
        }
        if self.is_data(path) {
            return;
        }
        if let Some(real) = self.reader.real(path) {
            match self.reader.kind(&real) {
                Kind::File => {
                    self.resolve_links(path);
                    self.found.existing.insert(real);
                }
                Kind::Missing if presence == Presence::Expected => {
                    self.found.missing.insert(real);
                }
                Kind::Missing if self.is_of_project(&real) => {
                    self.found.awaited.insert(real);
                }
                Kind::Missing | Kind::Other => {}
            }
        }
        let Some(file) = self.reader.look_at(path) else {
            return;
        };
        let is_missing = file.state == FileState::Missing;
        let counts = !is_missing || presence == Presence::Expected;
        if counts && self.found_paths.insert(file.path.clone()) {
            self.found.files.push(file);
        }
    }
}
