//! The state of a shell at a place in its text: folder, variables, functions, files just written.

mod calls;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

pub(crate) use calls::Certainty;
use calls::Local;

use crate::file_versions::Versions;
use crate::flow::Stream;
use crate::open_files::{is_open_file, is_standard_input, may_be_standard_input};
use crate::surroundings::{FileText, Surroundings, join_path};
use crate::syntax::Node;
use crate::understood::{Assignment, PathUse, Word};

/// The maximum number of folders of a shell; one that may be in more may be in any.
const MAX_FOLDERS: usize = 64;

/// Longer defaults aren't remembered.
const MAX_DEFAULT_LENGTH: usize = 100;

/// The maximum length of a text that is read; a longer one isn't known.
const MAX_LENGTH: usize = 256 * 1024;

/// What a shell knows. Subshells get a copy.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "things that a text did or didn't do, independent of each other"
)]
pub(crate) struct Scope<'a> {
    pub(crate) around: Surroundings<'a>,
    /// The folders that commands may run in; empty if they can't be known.
    pub(crate) folders: Vec<String>,
    /// Variables that were set; `None` if the value can't be known.
    variables: HashMap<String, Option<String>>,
    /// The value of a variable that is set to its default unless something else has set it:
    /// `X=${X:-main}`.
    defaults: HashMap<String, String>,
    /// Variables whose value stands for the names that match it: those of a loop over `*.rs`.
    pub(crate) globs: HashSet<String>,
    pub(crate) arrays: HashMap<String, Vec<Word>>,
    /// Functions, each with all that it may do.
    pub(crate) functions: HashMap<String, Vec<Rc<Node>>>,
    /// Functions that may not exist, so that their names mean programs.
    pub(crate) doubtful: HashSet<String>,
    /// Aliases, each with all that it may stand for.
    pub(crate) aliases: HashMap<String, BTreeSet<String>>,
    /// Programs by the names to which they were copied or linked.
    pub(crate) copies: HashMap<String, BTreeSet<String>>,
    /// What this text wrote to files, by path; `None` if it can't be known.
    pub(crate) files: HashMap<String, Option<String>>,
    /// How the paths of files begin of which nobody knows what is in them: those of an archive that
    /// was unpacked.
    pub(crate) unseen: BTreeSet<String>,
    /// Everything that was written to files on the way there, in any part of the text.
    pub(crate) versions: Versions,
    /// Local variables of the function which is being walked.
    pub(crate) locals: HashMap<String, Local>,
    /// Variables that are exported to programs, and those that aren't although the caller's were.
    exported: HashSet<String>,
    kept_back: HashSet<String>,
    /// All of them are: `set -a`.
    pub(crate) exports_all: bool,
    /// `$1` …; `None` if they can't be known.
    pub(crate) positional: Option<Vec<Word>>,
    /// `$0`, if it was given.
    pub(crate) name: Option<Word>,
    /// What standard input has become for the commands that follow: `exec < file`.
    pub(crate) input: Option<Stream>,
    /// An unknown file was sourced: it may have set anything.
    pub(crate) anything_set: bool,
    /// Arithmetic, or something similar, may have set a variable to a number: what had no value may
    /// have one.
    pub(crate) numbers_set: bool,
    /// Patterns match other names than they do by default: `shopt -s dotglob`, `GLOBIGNORE`.
    pub(crate) other_patterns: bool,
    /// `cd` may go elsewhere than its argument says: `shopt -s cdable_vars`.
    pub(crate) other_folders: bool,
    /// Variables that change the values that they are given, or name another variable:
    /// `declare -l`, `declare -n`.
    pub(crate) shaped: HashSet<String>,
    /// The part of that which a person's files don't change: where the home folder is, and how
    /// words are split.
    pub(crate) basics_set: bool,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(around: Surroundings<'a>) -> Self {
        Self {
            around,
            folders: around.folder.map(str::to_owned).into_iter().collect(),
            variables: HashMap::new(),
            defaults: HashMap::new(),
            globs: HashSet::new(),
            arrays: HashMap::new(),
            functions: HashMap::new(),
            doubtful: HashSet::new(),
            aliases: HashMap::new(),
            copies: HashMap::new(),
            files: HashMap::new(),
            unseen: BTreeSet::new(),
            versions: Versions::default(),
            locals: HashMap::new(),
            exported: HashSet::new(),
            kept_back: HashSet::new(),
            exports_all: false,
            positional: Some(Vec::new()),
            name: None,
            input: None,
            anything_set: false,
            numbers_set: false,
            other_patterns: false,
            other_folders: false,
            shaped: HashSet::new(),
            basics_set: false,
        }
    }

    /// Returns how much is known, which is copied for every command: names, and what they stand
    /// for.
    pub(crate) fn size(&self) -> usize {
        let names = self.variables.len() + self.functions.len() + self.exported.len();
        let more = self.aliases.len() + self.copies.len() + self.shaped.len() + self.folders.len();
        let values = self.variables.values().chain(self.files.values()).flatten();
        let length: usize = values.map(String::len).sum();
        let length = length
            + self
                .input
                .as_ref()
                .and_then(Stream::text)
                .map_or(0, str::len);
        let lists: usize = self.arrays.values().map(Vec::len).sum();
        let arguments = self.positional.as_ref().map_or(0, Vec::len);
        names + more + self.files.len() + lists + arguments + length / 64
    }

    pub(crate) fn set(&mut self, name: &str, value: Option<String>) {
        // Which element is set doesn't matter: the others aren't known any more, either.
        if let Some((list, _)) = name.split_once('[') {
            return self.set(list, None);
        }
        self.arrays.remove(name);
        self.globs.remove(name);
        self.defaults.remove(name);
        self.other_patterns |= matches!(name, "GLOBIGNORE" | "BASHOPTS");
        let is_kept = |it: &String| it.len() <= MAX_LENGTH && !self.shaped.contains(name);
        let value = value.filter(is_kept);
        self.variables.insert(name.to_owned(), value);
    }

    /// Sets a variable to a word. If that is a guess at its default, the guess is remembered.
    pub(crate) fn assign(&mut self, name: &str, word: &Word) {
        self.set(name, word.known.then(|| word.text.clone()));
        let is_guess = !word.known && !word.text.is_empty() && !word.text.contains(['$', '`', '…']);
        if is_guess && word.text.len() <= MAX_DEFAULT_LENGTH {
            self.defaults.insert(name.to_owned(), word.text.clone());
        }
    }

    /// Returns how a variable whose value isn't known is written, with its default if it has one.
    pub(crate) fn written(&self, name: &str) -> String {
        match self.defaults.get(name) {
            Some(default) => format!("${{{name}:-{default}}}"),
            None => format!("${name}"),
        }
    }

    /// Applies a shell option.
    pub(crate) fn switch_on(&mut self, option: &str) {
        match option {
            "dotglob" | "extglob" | "nocaseglob" => self.other_patterns = true,
            "cdable_vars" | "cdspell" | "autocd" => {
                self.other_folders = true;
                self.folders.clear();
            }
            _ => {}
        }
    }

    /// Records a variable whose value isn't what it is set to.
    pub(crate) fn shape(&mut self, name: &str) {
        self.shaped.insert(name.to_owned());
        self.set(name, None);
    }

    /// Sets a variable to a pattern that stands for each of the matching names.
    pub(crate) fn set_glob(&mut self, name: &str, pattern: String) {
        self.set(name, Some(pattern));
        self.globs.insert(name.to_owned());
    }

    /// Sets the variable that a word names in a builtin's arguments. An unknown name may be any,
    /// and with a subscript an element is set.
    pub(crate) fn set_named(&mut self, word: &Word, value: Option<String>) {
        if word.known && !word.pattern {
            self.set(&word.text, value);
        } else {
            self.forget();
        }
    }

    /// Records that any variable may have been set to anything.
    pub(crate) fn forget(&mut self) {
        self.anything_set = true;
        self.basics_set = true;
        self.arrays.clear();
        self.globs.clear();
        self.variables.values_mut().for_each(|it| *it = None);
    }

    /// Adopts a command's changes to what the shell knows, except for variables that were set for
    /// that command alone.
    pub(crate) fn take_effects(&mut self, inner: Self, alone: &[Assignment]) {
        let before = std::mem::replace(self, inner);
        for assignment in alone {
            let name = &assignment.name;
            let given = assignment
                .value
                .known
                .then(|| assignment.value.text.clone());
            let is_as_given = self.variables.get(name) == Some(&given);
            self.variables.remove(name);
            self.arrays.remove(name);
            self.globs.remove(name);
            if !before.exported.contains(name) {
                self.exported.remove(name);
            }
            match before.variables.get(name) {
                // If it was set again, whether it lasts isn't known.
                _ if !is_as_given => drop(self.variables.insert(name.clone(), None)),
                Some(value) => drop(self.variables.insert(name.clone(), value.clone())),
                None => {}
            }
            if let Some(elements) = before.arrays.get(name).filter(|_| is_as_given) {
                self.arrays.insert(name.clone(), elements.clone());
            }
            if before.globs.contains(name) && is_as_given {
                self.globs.insert(name.clone());
            }
        }
    }

    /// Returns whether the shell looks for folders in other places than its current one.
    pub(crate) fn searches_folders(&self) -> bool {
        let is_set = self
            .assigned_value("CDPATH")
            .is_some_and(|it| it.as_deref() != Some(""));
        is_set || self.value("CDPATH").is_some_and(|it| !it.is_empty())
    }

    /// Records that the shell moves to other folders: variables of its own name them.
    pub(crate) fn move_to(&mut self, folders: Vec<String>) {
        self.folders = folders;
        for name in ["PWD", "OLDPWD"] {
            if self.variables.contains_key(name) {
                self.set(name, None);
            }
        }
    }

    /// Returns what this text set a variable to; the inner `None` means that it can't be known.
    pub(crate) fn assigned_value(&self, name: &str) -> Option<&Option<String>> {
        self.variables.get(name)
    }

    /// Returns the value of a variable, if it is known.
    pub(crate) fn value(&self, name: &str) -> Option<String> {
        if let Some(set) = self.variables.get(name) {
            return set.clone();
        }
        if let Some(elements) = self.arrays.get(name) {
            let first = elements.first()?;
            return first.known.then(|| first.text.clone());
        }
        match name {
            "PWD" | "IFS" | "HOME" if self.basics_set => return None,
            "PWD" => return self.folder().map(str::to_owned),
            "IFS" => return Some(" \t\n".to_owned()),
            _ if self.anything_set && name != "HOME" => return None,
            _ => {}
        }
        let known = self.around.variables.and_then(|look_up| look_up(name));
        let known = known.filter(|it| !it.is_empty() || !self.numbers_set);
        match name {
            "HOME" => known.or_else(|| self.around.home.map(str::to_owned)),
            "SHELL" | "BASH" => known.or_else(|| Some("bash".to_owned())),
            _ => known,
        }
    }

    /// The only folder that commands may run in.
    pub(crate) fn folder(&self) -> Option<&str> {
        match &self.folders[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Returns the name of the folder in which commands run, if it isn't known which one of several
    /// it is; `None` if its variable may mean anything else.
    pub(crate) fn relative(&self) -> Option<&'static str> {
        let is_own = !self.variables.contains_key("PWD") && !self.basics_set;
        (is_own && self.folders.len() > 1).then_some(".")
    }

    pub(crate) fn home(&self) -> Option<String> {
        self.value("HOME")
    }

    /// Returns what a word names.
    pub(crate) fn path_of(&self, word: &Word) -> PathUse {
        let text = word.text.as_str();
        let is_known = word.known && !text.is_empty();
        let paths = if !is_known {
            Vec::new()
        } else if text.starts_with('/') {
            vec![join_path("/", text)]
        } else {
            self.folders.iter().map(|it| join_path(it, text)).collect()
        };
        PathUse {
            written: text.to_owned(),
            known: !paths.is_empty(),
            paths,
            pattern: word.pattern,
        }
    }

    /// Returns whether a word certainly names a file as it was before this text ran: nothing was
    /// written yet, and the name can't lead to something that a process has open.
    pub(crate) fn is_untouched(&self, word: &Word) -> bool {
        self.files.is_empty() && self.unseen.is_empty() && !self.may_name_device(word)
    }

    /// Returns whether a word may name something in `/dev` or `/proc`.
    fn may_name_device(&self, word: &Word) -> bool {
        let may_lead = |it: &str| it.contains("dev") || it.contains("proc");
        word.pattern || may_lead(&word.text) || self.folders.iter().any(|it| may_lead(it))
    }

    /// Returns whether a word names the standard input of the command that reads it.
    pub(crate) fn names_input(&self, word: &Word) -> bool {
        if !self.may_name_device(word) {
            return false;
        }
        let is_input = if word.pattern {
            may_be_standard_input
        } else {
            is_standard_input
        };
        let paths = self.path_of(word).paths;
        is_input(&word.text) || paths.iter().any(|it| is_input(it))
    }

    /// Returns whether a word names something that the command that reads it has open.
    pub(crate) fn names_open_file(&self, word: &Word) -> bool {
        if !self.may_name_device(word) {
            return false;
        }
        let paths = self.path_of(word).paths;
        is_open_file(&word.text) || paths.iter().any(|it| is_open_file(it))
    }

    /// Returns what this text wrote to a file: the outer `None` means that it wrote nothing, the
    /// inner one that it can't be known.
    pub(crate) fn written_text(&self, word: &Word) -> Option<&Option<String>> {
        if self.unseen.is_empty() && !word.pattern && !self.may_be_written(&word.text) {
            return None;
        }
        let named = self.path_of(word);
        let keys: Vec<String> = named
            .paths
            .iter()
            .map(|path| crate::normalize_path(path))
            .collect();
        let is_unseen = |path: &String| {
            self.unseen.iter().any(|it| path.starts_with(it))
                || word.pattern
                    && self
                        .files
                        .iter()
                        .any(|(file, text)| text.is_none() && crate::matches(path, file))
        };
        keys.iter()
            .find_map(|path| self.files.get(path))
            .or_else(|| self.files.get(&word.text))
            .or_else(|| keys.iter().any(is_unseen).then_some(&None))
    }

    /// Returns whether this text wrote to a file whose path may be this one, by its last part:
    /// cheaper than to look it up.
    fn may_be_written(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_plain = !["", ".", ".."].contains(&name);
        let mut written = self.files.keys();
        written.any(|it| !is_plain || it.ends_with(name))
    }

    /// Returns what the caller knows about a file that this text hasn't written to.
    pub(crate) fn file_text(&self, file: &Word) -> FileText {
        let Some(look_up) = self.around.files else {
            return FileText::Kept;
        };
        let mut paths = self.path_of(file).paths.into_iter();
        let Some(first) = paths.next() else {
            return FileText::Missing;
        };
        // A file with this name in each possible folder: if they differ, the text isn't known.
        let text = look_up(&first);
        if paths.all(|path| look_up(&path) == text) {
            text
        } else {
            FileText::Unknown
        }
    }

    /// Adopts what a subshell, which is another copy of this shell, did to files.
    pub(crate) fn take_files(&mut self, inner: Self) {
        self.files = inner.files;
        self.unseen = inner.unseen;
    }

    /// Records what is written to a file.
    pub(crate) fn write(&mut self, word: &Word, text: Option<&str>, appends: Appends) {
        let named = self.path_of(word);
        let keys = named.paths.iter().map(|path| crate::normalize_path(path));
        for key in keys.chain([word.text.clone()]) {
            let before = match (appends, self.files.get(&key)) {
                (Appends::Yes, Some(before)) => before.clone(),
                _ => Some(String::new()),
            };
            let whole = before.zip(text).map(|(before, text)| before + text);
            let whole = whole.filter(|it| it.len() <= MAX_LENGTH);
            match whole.as_deref() {
                _ if !key.starts_with('/') => {}
                Some(text) => self.versions.note(&key, text),
                None => self.versions.note_unknown(&key),
            }
            self.files.insert(key, whole);
        }
    }

    /// Returns what is known if it may be this or another.
    pub(crate) fn merged(mut self, other: Option<Self>) -> Self {
        if let Some(other) = other {
            self.merge(&other);
        }
        self
    }

    /// Adopts what may have happened or not: what differs isn't known any more.
    pub(crate) fn merge(&mut self, other: &Self) {
        let names: Vec<String> = self
            .variables
            .keys()
            .chain(other.variables.keys())
            .cloned()
            .collect();
        for name in names {
            if self.variables.get(&name) != other.variables.get(&name) {
                self.variables.insert(name, None);
            }
        }
        if other.folders.is_empty() {
            self.folders.clear();
        }
        let other_folders = other.folders.clone();
        self.also_in(&other_folders);
        self.anything_set |= other.anything_set;
        self.numbers_set |= other.numbers_set;
        self.other_patterns |= other.other_patterns;
        self.other_folders |= other.other_folders;
        self.shaped.extend(other.shaped.iter().cloned());
        self.basics_set |= other.basics_set;
        self.merge_locals(other);
        if self.input != other.input {
            self.input = Some(Stream::Output("exec".to_owned()));
        }
        self.exports_all &= other.exports_all;
        self.exported.retain(|it| other.exported.contains(it));
        self.kept_back.extend(other.kept_back.iter().cloned());
        self.merge_functions(other);
        for (name, texts) in &other.aliases {
            let here = self.aliases.entry(name.clone()).or_default();
            here.extend(texts.iter().cloned());
        }
        for (name, originals) in &other.copies {
            let here = self.copies.entry(name.clone()).or_default();
            here.extend(originals.iter().cloned());
        }
        self.merge_files(other);
    }

    /// A function may be one or the other, or none.
    fn merge_functions(&mut self, other: &Self) {
        let all = self.functions.keys().chain(other.functions.keys());
        let in_one = |name: &&String| {
            self.functions.contains_key(*name) != other.functions.contains_key(*name)
        };
        let in_one: Vec<String> = all.filter(in_one).cloned().collect();
        self.doubtful.extend(in_one);
        self.doubtful.extend(other.doubtful.iter().cloned());
        for (name, bodies) in &other.functions {
            let here = self.functions.entry(name.clone()).or_default();
            for body in bodies {
                if !here.iter().any(|it| Rc::ptr_eq(it, body)) {
                    here.push(Rc::clone(body));
                }
            }
        }
    }

    /// A file contains what both left in it. If one wrote nothing, it may contain what the session
    /// wrote before, but not an absence, nor what a person wrote.
    fn merge_files(&mut self, other: &Self) {
        self.unseen.extend(other.unseen.iter().cloned());
        let paths = self.files.keys().chain(other.files.keys());
        let paths: BTreeSet<String> = paths.cloned().collect();
        for path in paths {
            let text = match (self.files.get(&path), other.files.get(&path)) {
                (Some(one), Some(another)) => one.clone().filter(|_| one == another),
                (Some(one), None) | (None, Some(one)) => {
                    let before = self.around.files.map(|look_up| look_up(&path));
                    let is_ours = match before {
                        Some(FileText::Known(text)) => Some(&text) == one.as_ref(),
                        Some(FileText::Unknown) => false,
                        Some(FileText::Kept | FileText::Missing) | None => true,
                    };
                    one.clone().filter(|_| is_ours)
                }
                (None, None) => continue,
            };
            self.files.insert(path, text);
        }
    }
}

/// Whether a file is written again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Appends {
    /// After its content.
    Yes,
    /// Instead of its content.
    No,
}

impl Scope<'_> {
    /// Returns whether variables or folders differ.
    pub(crate) fn differs(&self, other: &Self) -> bool {
        self.folders != other.folders || self.variables != other.variables
    }

    /// Records additional folders that commands may run in.
    pub(crate) fn also_in(&mut self, folders: &[String]) {
        if self.folders.is_empty() {
            return;
        }
        for folder in folders {
            if !self.folders.contains(folder) {
                self.folders.push(folder.clone());
            }
        }
        if self.folders.len() > MAX_FOLDERS {
            self.folders.clear();
        }
    }
}

#[cfg(test)]
mod tests;
