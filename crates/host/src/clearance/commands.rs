//! Shell commands that would change the files that guards depend on, as far as the commands are
//! understood.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use hookloop_shell::{
    Command, OpaqueReason, PathUse, Place as RunsAt, Surroundings, Understood, Word, is_open_file,
    is_shell, understand,
};

use super::before::Before;
use super::call_texts::CallTexts;
use super::concern::Concern;
use super::created_files::{is_followed, reads_only};
use super::own_program::{OwnProgram, is_mentioned, starts_others};
use super::planted::Planted;
use super::program::effects;
use super::recipes::{self, Recipes};
use super::tokens::{BELOW, Language};
use super::values::with_number_patterns;
use super::{commits, git_trees, modules, running, tables, trees};
use crate::lazy_protected::LazyProtected;
use crate::protected::{Protected, Reach, Touch};

/// How deep nested programs are followed.
const MAX_DEPTH: usize = 4;

/// Variables that hooks have set for commands since.
#[derive(Clone, Default)]
pub(super) struct LaterVariables(pub(super) Option<Arc<LaterValue>>);

/// Looks up a variable that hooks have set for commands. The inner `None` means that a hook removed
/// it.
pub type LaterValue = dyn Fn(&str) -> Option<Option<OsString>> + Send + Sync;

impl fmt::Debug for LaterVariables {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Later").finish_non_exhaustive()
    }
}

/// Where calls run, and what they must not change.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    pub(super) protected: LazyProtected,
    pub(super) cwd: PathBuf,
    pub(super) home: Option<PathBuf>,
    pub(super) variables: Vec<(OsString, OsString)>,
    pub(super) later: LaterVariables,
    /// The agent's memory file.
    pub(super) memory: Option<PathBuf>,
    /// The root of the session's repository.
    pub(super) repository: Option<PathBuf>,
    /// The start of the session: what is written after it was written by a model.
    pub(super) since: Option<SystemTime>,
    /// How commands of this program are judged; `None` if they ask for consent themselves.
    pub(super) own: Option<OwnProgram>,
    /// The folder of the file being examined: modules may be loaded from there.
    pub(super) near: Option<PathBuf>,
    /// The files that the session's calls wrote.
    pub(super) planted: Planted,
    /// The files that the call being judged writes.
    pub(super) texts: CallTexts,
}

impl Place {
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        if let Some(value) = self.later.0.as_ref().and_then(|later| later(name)) {
            return value?.into_string().ok();
        }
        let mut variables = self.variables.iter();
        let (_, value) = variables.find(|(known, _)| known == name)?;
        value.to_str().map(str::to_owned)
    }

    /// Returns the place for examining a file: its folder is searched for modules.
    pub(super) fn in_folder_of(&self, path: &Path) -> Self {
        Self {
            near: path.parent().map(Path::to_path_buf),
            ..self.clone()
        }
    }

    /// Examines shell text that would run in a folder.
    pub(super) fn check_shell(&self, text: &str, folder: &Path, depth: usize) -> Option<Concern> {
        let home = self.home.as_ref().map(|it| it.to_string_lossy());
        let folder = folder.to_string_lossy();
        let is_whole = depth == MAX_DEPTH;
        let unset = |name: &str| (is_whole && self.is_unset(name, text)).then(String::new);
        let look_up = |name: &str| self.variable(name).or_else(|| unset(name));
        let files = |path: &str| self.text_for_shell(Path::new(path));
        let repository = self.repository.as_ref().map(|it| it.to_string_lossy());
        let place = Surroundings {
            folder: Some(&folder),
            home: home.as_deref(),
            repository: repository.as_deref(),
            variables: Some(&look_up),
            files: Some(&files),
        };
        let understood = understand(text, place);
        let written = self.once_written(&understood.versions);
        let place = written.as_ref().unwrap_or(self);
        place.check_understood(&understood, text, Path::new(&*folder), depth)
    }

    /// Examines the commands of a text, given what it writes.
    fn check_understood(
        &self,
        understood: &Understood,
        text: &str,
        folder: &Path,
        depth: usize,
    ) -> Option<Concern> {
        let mut unclear = None;
        let mut before = Before::of(understood);
        before.is_begin = depth == MAX_DEPTH;
        // A link that the text creates applies to the commands after it.
        let mut linked: Option<Self> = None;
        for command in &understood.commands {
            for place in std::iter::once(self).chain(&linked) {
                let beside = || running::kills_beside(command, text).map(Concern::Unclear);
                match place.check_command(command, &before, depth).or_else(beside) {
                    Some(Concern::Unclear(why)) => {
                        unclear = unclear.or(Some(Concern::Unclear(why)));
                    }
                    None => {}
                    touches => return touches,
                }
            }
            if let Some(described) = self.changed_by_command(command, text, &understood.written) {
                return Some(Concern::Touches(described));
            }
            for (link, target) in trees::links_made(command, &before.written) {
                let place = linked.get_or_insert_with(|| self.clone());
                let protected = Protected::clone(&place.protected);
                place.protected = protected.with_link(&link, target).into();
            }
            let written = command.writes.iter().flat_map(|it| &it.paths);
            written.for_each(|it| self.planted.note(Path::new(it)));
            self.note_beside(command);
            before.note(command);
        }
        self.check_written(understood, folder, depth)
            .or(unclear)
            .or_else(|| opaque(understood))
    }

    fn check_command(&self, command: &Command, before: &Before, depth: usize) -> Option<Concern> {
        if command.place != RunsAt::Here {
            return None;
        }
        let touches = |path: Option<PathBuf>| path.map(Concern::Touches);
        touches(self.protected_use(command, before.reach))
            .or_else(|| touches(self.put_into_folder(command)))
            .or_else(|| touches(self.unnamed_download(command)))
            .or_else(|| touches(self.written_by_variables(command, before)))
            .or_else(|| touches(self.re_moded(command, before.reach)))
            .or_else(|| touches(trees::covered_file(&self.protected, command, before)))
            .or_else(|| touches(git_trees::restored_file(&self.protected, command)))
            .or_else(|| touches(self.mentioned_by(command, before.reach)))
            .or_else(|| self.check_container(command, depth))
            .or_else(|| self.listed_by(command))
            .or_else(|| touches(self.new_repository(command)))
            .or_else(|| touches(self.environment_made(command)))
            .or_else(|| self.check_own_program(command, depth))
            .or_else(|| self.check_code(command, depth))
            .or_else(|| self.check_named_scripts(command, depth))
            .or_else(|| self.check_script(command, &before.made, depth))
            .or_else(|| self.check_sources(command, depth))
            .or_else(|| self.check_git_files(command, depth))
            .or_else(|| self.check_recipes(command, depth))
            .or_else(|| self.check_unseen_files(command, before, depth))
            .or_else(|| Self::check_fetched(command, before))
            .or_else(|| commits::check_restored(&self.protected, command, before, &self.variables))
            .or_else(|| self.check_indirect(command, before, depth))
            .or_else(|| self.check_deferred(command, before))
            .or_else(|| trees::unreadable_input(command, &before.written).map(Concern::Unclear))
            .or_else(|| running::target_process(command).map(Concern::Unclear))
            .or_else(|| check_unknown_name(command))
            .or_else(|| check_open_file(command))
    }

    /// Returns whether a program is a file that the session wrote, whatever its name.
    fn is_own(&self, command: &Command) -> bool {
        let name = command.invoked.as_str();
        let mut folders = command.folders.iter().map(|it| Path::new(it).join(name));
        name.contains('/') && folders.any(|it| self.is_of_session(&it))
            || self.program_in_path(command).is_some()
    }

    fn protected_use(&self, command: &Command, reach: Reach) -> Option<PathBuf> {
        let used = |touch: Touch, all: &[PathUse]| {
            all.iter().find_map(|it| self.path_of_use(touch, it, reach))
        };
        used(Touch::Remove, &command.deletes).or_else(|| used(Touch::Write, &command.writes))
    }

    fn path_of_use(&self, touch: Touch, used: &PathUse, reach: Reach) -> Option<PathBuf> {
        let mut paths = used.paths.iter();
        // A loop variable keeps the pattern of its list.
        if used.pattern || reach == Reach::Below || used.written.contains(['*', '?', '[']) {
            let meant = paths
                .clone()
                .find_map(|path| self.protected.matching(touch, path, reach));
            let into = |path: &String| {
                let (folder, name) = path.rsplit_once('/')?;
                let is_plain = !folder.contains(['*', '?', '[']) && !name.is_empty();
                is_plain.then(|| self.protected.affected(Touch::Write, Path::new(folder)))?
            };
            // In a folder that belongs to a guard as a whole, new files count, too.
            let made = || {
                paths
                    .clone()
                    .find_map(into)
                    .filter(|_| touch == Touch::Write)
            };
            if meant.is_some() || used.pattern {
                return meant.or_else(made);
            }
        }
        paths.find_map(|path| self.protected.affected(touch, Path::new(path)))
    }

    /// `curl -J --output-dir .gemini URL`: the names of the files aren't known.
    fn unnamed_download(&self, command: &Command) -> Option<PathBuf> {
        let mut folders = command.fills.iter().flat_map(|it| &it.paths).map(Path::new);
        folders.find_map(|folder| {
            let holds_all = self.cwd.starts_with(folder);
            let makes_folders = [
                "-r",
                "--recursive",
                "-m",
                "--mirror",
                "-x",
                "--force-directories",
            ];
            match command.program.as_str() {
                "wget" | "wget2" if command.has_option(&makes_folders) => {
                    trees::inside_or_below(&self.protected, folder)
                }
                _ if holds_all => None,
                _ => self.protected.possible_file(folder),
            }
        })
    }

    /// `GIT_TRACE=/a/file git status`: variables that name output files.
    fn written_by_variables(&self, command: &Command, before: &Before) -> Option<PathBuf> {
        let writes =
            |name: &str| tables::VARIABLES_OF_FILES.holds(name) || name.starts_with("GIT_TRACE");
        let all = command.env.iter().chain(&before.exported);
        let mut named = all.filter(|it| writes(&it.name));
        named.find_map(|it| self.lookup(Touch::Write, &it.value.text, &command.folders))
    }

    /// `git init`: a repository below the project's root would become another project root.
    fn new_repository(&self, command: &Command) -> Option<PathBuf> {
        if command.program != "git" || command.subcommand.as_deref() != Some("init") {
            return None;
        }
        let named = command.operands().next().map_or("", |it| it.text.as_str());
        let mut folders = command.folders.iter().map(|it| Path::new(it).join(named));
        folders.find_map(|it| self.protected.affected(Touch::Write, &it.join(".git")))
    }

    /// `chmod -x guard.sh`: a guard that can't be started any more.
    fn re_moded(&self, command: &Command, reach: Reach) -> Option<PathBuf> {
        const PROGRAMS: [&str; 6] = ["chmod", "chown", "chgrp", "chattr", "setfacl", "setfattr"];
        if !PROGRAMS.contains(&command.program.as_str()) {
            return None;
        }
        command.operands().find_map(|word| {
            let folders = command.folders.iter();
            let mut paths = folders.map(|folder| Path::new(folder).join(&word.text));
            if word.pattern {
                let mut paths = paths.map(|path| path.to_string_lossy().into_owned());
                return paths.find_map(|path| self.protected.matching(Touch::Remove, &path, reach));
            }
            // Removing access to a folder also affects the files in it.
            paths.find_map(|path| self.protected.affected(Touch::Remove, &path))
        })
    }

    /// `cp settings.json .gemini/`: the source determines the name of the written file.
    fn put_into_folder(&self, command: &Command) -> Option<PathBuf> {
        let names: Vec<&str> = command
            .operands()
            .filter_map(|word| word.text.trim_end_matches('/').rsplit('/').next())
            .filter(|name| !name.is_empty())
            .collect();
        let written = command
            .writes
            .iter()
            .flat_map(|it| &it.paths)
            .map(Path::new);
        written.filter(|path| path.is_dir()).find_map(|folder| {
            names
                .iter()
                .find_map(|name| self.protected.affected(Touch::Replace, &folder.join(name)))
        })
    }

    /// `wipe .gemini/settings.json`: the file is an argument of a program that isn't known to only
    /// read.
    fn mentioned_by(&self, command: &Command, reach: Reach) -> Option<PathBuf> {
        const SEPARATORS: &str = "=,:@'\"()<>|;!{}";
        let program = command.program.as_str();
        let second = ["xxd", "uniq"].contains(&program);
        let changes_by_git = program == "git" && !reads_only(command);
        if is_followed(command) {
            // What runs in the container is examined with the container's view of this machine.
            return None;
        }
        let is_known = tables::PROGRAMS_THAT_READ.holds(program) && !self.is_own(command);
        if is_known && !second && !changes_by_git || program.is_empty() {
            return None;
        }
        let is_interpreter = is_shell(program) || Language::from_program(program).is_some();
        if is_interpreter && !changes_in_place(command) {
            // Its arguments are examined together with its program text.
            return None;
        }
        let operands = command.operands().skip(1);
        let words: Vec<&Word> = if second {
            operands.collect()
        } else {
            command.words_after_program().iter().collect()
        };
        let touch = if tables::PROGRAMS_FOR_FOLDERS.holds(program) {
            Touch::Remove
        } else {
            Touch::Write
        };
        let mut patterns = words.iter().filter(|it| it.pattern);
        let folders = &command.folders;
        let meant = patterns.find_map(|word| {
            let mut paths = folders
                .iter()
                .map(|it| hookloop_shell::join_path(it, &word.text));
            paths.find_map(|path| self.protected.matching(touch, &path, reach))
        });
        if meant.is_some() {
            return meant;
        }
        words
            .iter()
            .map(|it| it.text.as_str())
            .flat_map(|word| {
                // `-o.gemini/settings.json`
                let attached = word.strip_prefix('-').and_then(|it| it.get(1..));
                // `-V9.gemini/settings.json`
                let behind = || word.get(word.find(['/', '.', '~'])?..);
                let behind = behind().filter(|_| attached.is_some());
                let parts = word.split(|it: char| SEPARATORS.contains(it) || it.is_whitespace());
                std::iter::once(word)
                    .chain(attached)
                    .chain(behind)
                    .chain(parts)
            })
            .filter(|word| !word.is_empty())
            .find_map(|word| self.lookup(touch, word, folders))
    }

    /// Returns the protected file that a word names, from one of the folders.
    pub(super) fn lookup(&self, touch: Touch, word: &str, folders: &[String]) -> Option<PathBuf> {
        let word = match (word.strip_prefix("~/"), &self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => PathBuf::from(word),
        };
        folders.iter().find_map(|folder| {
            let path = Path::new(folder).join(&word);
            let hit = self.protected.affected(touch, &path)?;
            // A folder that contains the current one isn't a guard's file.
            (!self.cwd.starts_with(&hit)).then_some(hit)
        })
    }

    /// A command of this program that would change files that guards depend on, given as words, or
    /// in a text that a program runs.
    fn check_own_program(&self, command: &Command, depth: usize) -> Option<Concern> {
        let own = self.own.as_ref()?;
        let searched = self.variable("PATH").unwrap_or_default();
        if let Some(held) = own.check(command, &searched) {
            return Some(held);
        }
        let depth = depth.checked_sub(1).filter(|_| starts_others(command))?;
        let folder = command.folders.first().map_or("", String::as_str);
        let mut texts = command.texts_after_program();
        texts.find_map(|text| self.in_text(text, Path::new(folder), depth))
    }

    /// Returns what a text changes through this program, if a shell would run the text.
    pub(super) fn in_text(&self, text: &str, folder: &Path, depth: usize) -> Option<Concern> {
        self.own.as_ref().filter(|_| is_mentioned(text))?;
        self.check_shell(text, folder, depth)
            .filter(|it| matches!(it, Concern::Changes(_)))
    }

    /// Examines program text passed to an interpreter.
    pub(super) fn check_text(
        &self,
        text: &str,
        language: Language,
        folders: &[String],
        given: &[String],
        depth: usize,
    ) -> Option<Concern> {
        let mut found = with_number_patterns(effects(text, language, given));
        if let Some(handled) = running::handled_by_text(text) {
            found.unclear.get_or_insert(handled);
        }
        if language == Language::Perl && text.contains("$^I") {
            found.unclear.get_or_insert_with(|| "$^I".to_owned());
        }
        let inside = found.folders.iter().flat_map(|inside| {
            let join = move |it: &String| hookloop_shell::join_path(it, inside);
            let of_home = self.of_home(inside);
            let of_home = of_home.map(|it| it.to_string_lossy().into_owned());
            folders.iter().map(join).chain(of_home)
        });
        let folders: Vec<String> = folders.iter().cloned().chain(inside).collect();
        let folders = folders.as_slice();
        for name in found
            .named
            .iter()
            .filter(|it| it.len() < 512 && !it.contains('\n'))
        {
            let mut written = folders.iter().map(|it| Path::new(it).join(name));
            written.by_ref().for_each(|it| self.planted.note(&it));
        }
        let mut names = found.named.iter();
        if let Some(hit) = names.find_map(|name| self.named_by_text(name, folders)) {
            return Some(Concern::Touches(hit));
        }
        let mut open = found.named.iter().filter(|it| is_open_file(it));
        let open = open.next().cloned();
        let open = open.or_else(|| modules::open_file_loaded_by(text, language, given));
        let mut unclear = found.unclear.or(open).map(Concern::Unclear);
        let depth = depth.checked_sub(1);
        let inner = found
            .starts
            .iter()
            .flat_map(|started| folders.iter().map(move |folder| (started, folder)))
            .filter_map(|(started, folder)| {
                depth.map(|depth| self.check_shell(started, Path::new(folder), depth))
            })
            .chain(found.evaluates.iter().filter_map(|text| {
                depth.map(|depth| self.check_text(text, language, folders, given, depth))
            }));
        let near = self
            .near
            .as_ref()
            .map(|it| it.to_string_lossy().into_owned());
        let searched: Vec<String> = folders.iter().cloned().chain(near).collect();
        let loaded = modules::loaded_by(text, language, &searched);
        // Installed packages weren't written by the model.
        let is_own = |it: &PathBuf| {
            let is_installed = it.components().any(|it| it.as_os_str() == "node_modules");
            !is_installed || self.planted.knows(it)
        };
        let loaded = loaded.filter(|it| self.is_of_session(it) && is_own(it));
        let loaded = loaded.filter_map(|path| match self.script_text(&path)? {
            Ok(text) => depth.map(|depth| {
                let place = self.in_folder_of(&path);
                place.check_text(&text, language, folders, given, depth)
            }),
            Err(unclear) => Some(Some(unclear)),
        });
        let loaded: Vec<Option<Concern>> = loaded.collect();
        for concern in inner.chain(loaded).flatten() {
            match concern {
                Concern::Touches(_) | Concern::Changes(_) => return Some(concern),
                Concern::Unclear(_) => unclear = unclear.or(Some(concern)),
            }
        }
        unclear
    }

    pub(super) fn named_by_text(&self, name: &str, folders: &[String]) -> Option<PathBuf> {
        if name.is_empty() || name.len() > 4096 || name.contains('\n') {
            return None;
        }
        if name.contains(BELOW) {
            return folders.iter().find_map(|it| self.below_by_text(name, it));
        }
        let of_home = self.of_home(name);
        if name.contains(['*', '?', '[']) {
            let patterns = folders.iter().map(|it| hookloop_shell::join_path(it, name));
            let at_home = of_home.iter().map(|it| it.to_string_lossy().into_owned());
            let meant = patterns
                .chain(at_home)
                .find_map(|it| self.protected.matching(Touch::Write, &it, Reach::OneFolder));
            if meant.is_some() {
                return meant;
            }
        }
        let folders = folders.iter();
        let paths = folders.map(|folder| Path::new(folder).join(name));
        paths.chain(of_home).find_map(|path| {
            let hit = self.protected.affected(Touch::Remove, &path)?;
            // A folder that contains the current one isn't a guard's file.
            let holds_all = self.cwd.starts_with(&hit);
            (!holds_all).then_some(hit)
        })
    }

    /// Returns where a path of the home folder leads: `os.path.expanduser("~/…")`, and other
    /// functions that expand `~`.
    fn of_home(&self, name: &str) -> Option<PathBuf> {
        let rest = name
            .strip_prefix('~')
            .filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
        Some(self.home.as_ref()?.join(rest.trim_start_matches('/')))
    }

    /// `make`, `npm run x`: examines the shell text in a build file. Text that is piped in can't be
    /// seen; for text that was, only a certain change of a guard counts.
    fn check_recipes(&self, command: &Command, depth: usize) -> Option<Concern> {
        let depth = depth.checked_sub(1)?;
        let lines = match recipes::of(command)? {
            Recipes::Unseen(what) => return Some(Concern::Unclear(what)),
            Recipes::Lines(lines) => lines,
        };
        let folder = command.folders.first().map(PathBuf::from)?;
        lines
            .iter()
            .filter_map(|line| self.check_shell(line, &folder, depth))
            .find(|concern| !matches!(concern, Concern::Unclear(_)))
    }
}

/// Reports an opaque part, which could do anything.
fn opaque(understood: &Understood) -> Option<Concern> {
    let spot = understood.opaque_parts.iter().find(|it| {
        // The text is nested too deeply, or the grammar doesn't cover it.
        !matches!(it.why, OpaqueReason::Unreadable) || !understood.parsed
    })?;
    Some(Concern::Unclear(spot.written.chars().take(80).collect()))
}

/// `rm "$X"`: the name isn't known before the command runs.
fn check_unknown_name(command: &Command) -> Option<Concern> {
    let mut all = command
        .writes
        .iter()
        .chain(&command.deletes)
        .chain(&command.fills);
    let unknown = all.find(|it| {
        !it.known && !it.written.is_empty() && it.written != "-" && !it.written.starts_with('&')
    })?;
    Some(Concern::Unclear(format!(
        "{} {}",
        command.program, unknown.written
    )))
}

/// `echo x > /dev/fd/3`: the name doesn't show which file is open under that number, or the folder
/// of a process.
fn check_open_file(command: &Command) -> Option<Concern> {
    let changes = command.writes.iter().chain(&command.deletes);
    let mut paths = changes.chain(&command.fills).flat_map(|it| &it.paths);
    let path = paths.find(|it| is_open_file(it))?;
    Some(Concern::Unclear(format!("{} {path}", command.program)))
}

/// Returns whether an interpreter changes the files that it reads: `perl -pi.bak -e …`.
fn changes_in_place(command: &Command) -> bool {
    // Option letters that take the rest of their word as a value.
    let valued = match command.program.as_str() {
        "perl" => "CDFIMVeEmx",
        "ruby" => "CEFIKTWXer",
        "awk" | "gawk" => "FvfEelL",
        _ => return false,
    };
    command.words_after_program().iter().any(|word| {
        let Some(letters) = word.text.strip_prefix('-') else {
            return word.text.contains("inplace");
        };
        if let Some(name) = letters.strip_prefix('-') {
            return name.contains("inplace") || name.starts_with("in-place");
        }
        let mut letters = letters.chars().take_while(|it| !valued.contains(*it));
        letters.any(|it| it == 'i')
    })
}

pub(super) fn language_of(text: &str) -> Option<Language> {
    Language::from_script(text)
}

/// Returns how deep a call is followed.
pub(super) const fn max_depth() -> usize {
    MAX_DEPTH
}
