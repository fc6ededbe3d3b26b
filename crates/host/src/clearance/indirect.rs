//! What programs run without naming it in their arguments: scripts in variables, options and
//! settings files, and files in places where a program looks automatically.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hookloop_shell::{Assignment, Command, Input, usual_name};

use super::before::Before;
use super::built::builds;
use super::carriers::{self, As, DEFAULTS, VARIABLES};
use super::commands::{Place, language_of};
use super::concern::Concern;
use super::own_program::starts_others;
use super::tables;
use super::tokens::Language;

/// How many of the session's files are examined in one folder; if there are more, their effect
/// isn't known.
const MAX_FILES: usize = 256;

/// How many different pieces of one text are examined.
const MAX_PIECES: usize = 1 << 16;

/// The maximum length of a file name.
const MAX_NAME_LENGTH: usize = 4096;

/// Characters that separate the pieces of a word.
const SEPARATORS: &str = "=,:;@'\"()<>|!&{}[]`\\%";

impl Place {
    /// Examines what a command runs without naming it in its arguments.
    pub(super) fn check_indirect(
        &self,
        command: &Command,
        before: &Before,
        depth: usize,
    ) -> Option<Concern> {
        let depth = depth.checked_sub(1)?;
        let program = command.program.as_str();
        if program.is_empty() || hookloop_shell::is_builtin(program) && program != "enable" {
            return None;
        }
        let set: Vec<&Assignment> = command.env.iter().chain(&before.exported).collect();
        let mut variables = set.iter();
        variables
            .find_map(|it| self.check_variable(command, it, depth))
            .or_else(|| self.check_mentioned(command, depth))
            .or_else(|| self.check_defaults(command, &set, before, depth))
            .or_else(|| self.check_loaded_library(command))
            .or_else(|| self.check_helpers(command, depth))
            .or_else(|| self.check_timed(command, depth))
            .or_else(|| Self::check_typed_part(command))
    }

    /// `GIT_EDITOR=./x.sh`, `NODE_OPTIONS='-r ./x.js'`: what programs run because of a variable.
    fn check_variable(&self, command: &Command, set: &Assignment, depth: usize) -> Option<Concern> {
        let value = set.value.text.as_str();
        if set.name == "PATH" || value.is_empty() {
            return None;
        }
        let folder = PathBuf::from(command.folders.first()?);
        let named = || self.session_files(value, &command.folders);
        let how = VARIABLES.iter().find(|(name, _)| *name == set.name);
        let said = |line: String| self.check_shell(&line, &folder, depth);
        let concern = how.and_then(|(_, how)| match how {
            As::Value(line) => said(line.replace("{}", &hookloop_shell::quote(value))),
            As::Vim => said(format!("vim -c {}", hookloop_shell::quote(value))).or_else(|| {
                let files = named();
                let paths = files.iter().map(|it| it.to_string_lossy());
                let mut lines = paths.map(|it| format!("vim -u {}", hookloop_shell::quote(&it)));
                lines.find_map(said)
            }),
            As::Options(program) => {
                let files = named();
                let mut files = files.iter();
                files.find_map(|it| self.check_options(program, it, &folder, depth))
            }
            As::Words(line) => said(line.replace("{}", value)),
            As::File(line) => named().iter().find_map(|path| {
                let path = path.to_string_lossy();
                said(line.replace("{}", &hookloop_shell::quote(&path)))
            }),
            As::Code => (!named().is_empty()).then(|| Concern::Unclear(set.name.clone())),
            As::Folder => {
                let files = self.session_folders(value, &command.folders);
                self.check_own_files(files, &set.name, depth)
            }
            As::Settings => named().iter().find_map(|it| self.check_settings(it, depth)),
            As::Startup => {
                let mut files = self.session_folders(value, &command.folders);
                let starts = |it: &PathBuf| {
                    it.ends_with("sitecustomize.py") || it.ends_with("usercustomize.py")
                };
                let started = files.find(starts).and_then(|it| {
                    let path = it.to_string_lossy();
                    said(format!("python3 {}", hookloop_shell::quote(&path)))
                });
                started.or_else(|| self.check_modules(command, value, depth))
            }
            As::Modules => self.check_modules(command, value, depth),
            As::Libraries => {
                let mut files = self.session_folders(value, &command.folders);
                let hides = |it: &PathBuf| {
                    let name = it.file_name().unwrap_or_default();
                    carriers::FOLDERS_OF_LIBRARIES
                        .iter()
                        .any(|folder| Path::new(folder).join(name).exists())
                };
                files
                    .find(hides)
                    .map(|_| Concern::Unclear(set.name.clone()))
            }
            As::Any => (value != "0").then(|| Concern::Unclear(set.name.clone())),
        });
        concern.or_else(|| {
            let mut named = named().into_iter();
            named.find_map(|it| self.check_own_shell_script(&it, depth))
        })
    }

    /// `PYTHONPATH=lib python3 -c 'import x'`: modules that a program text loads from other
    /// folders.
    fn check_modules(&self, command: &Command, value: &str, depth: usize) -> Option<Concern> {
        let language = Language::from_program(&command.program)?;
        let code = command.code.as_ref()?;
        let join = |it: &str| {
            let folder = command.folders.first().map_or("", String::as_str);
            hookloop_shell::join_path(folder, it)
        };
        let folders: Vec<String> = value
            .split(':')
            .filter(|it| !it.is_empty())
            .map(join)
            .collect();
        self.check_text(code, language, &folders, &[], depth)
    }

    /// `make SHELL=./x.sh`, `tmux -f conf`: the session's scripts among the arguments of a program
    /// that may start them, and in files that it is given.
    fn check_mentioned(&self, command: &Command, depth: usize) -> Option<Concern> {
        let program = command.program.as_str();
        let mut files: BTreeSet<PathBuf> = BTreeSet::new();
        let finds = program == "git" || tables::COMPILERS.holds(program);
        let folders = command.values_of(carriers::FOLDERS_OF_PROGRAMS);
        for folder in folders.iter().filter(|_| finds) {
            files.extend(self.session_folders(&folder.text, &command.folders));
        }
        for script in command.values_of(hookloop_shell::script_options(program)) {
            files.extend(self.session_files(&script.text, &command.folders));
        }
        for word in Self::words_that_start(command) {
            files.extend(self.session_files(word, &command.folders));
            if program == "run-parts" {
                files.extend(self.session_folders(word, &command.folders));
            }
        }
        let given = || {
            let mut files = files.iter().filter(|_| builds(command));
            files.find_map(|it| self.check_given_file(it, &self.text_of_own(it)?, depth))
        };
        let mut found = files.iter();
        let held = found.find_map(|it| {
            self.check_own_shell_script(it, depth)
                .or_else(|| self.check_settings(it, depth))
        });
        held.or_else(given)
            .or_else(|| self.check_fed_lines(command, depth))
    }

    /// `tmux source -`: lines that a program is fed, of which some say what is run.
    fn check_fed_lines(&self, command: &Command, depth: usize) -> Option<Concern> {
        let program = command.program.as_str();
        let Input::Text(text) = &command.input else {
            return None;
        };
        let looks = tables::PROGRAMS_THAT_READ.holds(program)
            || carriers::LOOK_AT_SCRIPTS.holds(program)
            || Language::from_program(program).is_some()
            || hookloop_shell::is_shell(program);
        (!looks).then(|| self.check_running_lines(text, depth))?
    }

    /// Examines the lines of a text that say what is run.
    fn check_running_lines(&self, text: &str, depth: usize) -> Option<Concern> {
        let runs = text.lines().filter_map(carriers::run_by_line);
        let mut runs = runs.filter(|it| !it.is_empty());
        runs.find_map(|it| self.check_shell(it, &self.cwd, depth))
    }

    /// Returns the arguments of a command that may name what it starts.
    fn words_that_start(command: &Command) -> Vec<&str> {
        let program = command.program.as_str();
        let is_language =
            hookloop_shell::is_shell(program) || Language::from_program(program).is_some();
        let code = command.code.as_deref().filter(|_| !is_language);
        let by_option = carriers::starts_by_option(program) || is_language;
        let looks =
            carriers::LOOK_AT_SCRIPTS.holds(program) || !by_option && !starts_others(command);
        let texts: Vec<&str> = command.texts_after_program().collect();
        let may_start = |at: &usize| {
            let text = texts[*at];
            let before = at.checked_sub(1).map_or("", |it| texts[it]);
            !looks
                && (!by_option
                    || text.starts_with('-') && !is_language
                    || text.starts_with("--env-file")
                    || text.contains(' ') && !is_language
                    || carriers::NAME_PROGRAMS.contains(&before) && !is_language)
        };
        let named = (0..texts.len()).filter(may_start).map(|it| texts[it]);
        named.chain(code).collect()
    }

    /// `git foo`, `cargo foo`: the session's programs that others find by a prefix of their names.
    fn check_helpers(&self, command: &Command, depth: usize) -> Option<Concern> {
        let set = command.search_path.clone().flatten();
        let searched = set.or_else(|| self.variable("PATH"))?;
        let begin = format!("{}-", command.program);
        std::env::split_paths(&searched).find_map(|place| {
            let mut folders = command.folders.iter().map(|it| Path::new(it).join(&place));
            folders.find_map(|folder| {
                if !self.is_of_session(&folder) {
                    return None;
                }
                let entries = std::fs::read_dir(folder).ok()?.flatten();
                let named =
                    entries.filter(|it| it.file_name().to_string_lossy().starts_with(&begin));
                let paths = named.map(|it| it.path()).filter(|it| it.is_file());
                let own = paths.filter(|it| self.is_of_session(it));
                self.check_own_files(own, &begin, depth)
            })
        })
    }

    /// `tmux send-keys 'rm x'` without a line end: another call may complete the command.
    fn check_typed_part(command: &Command) -> Option<Concern> {
        let senders = ["send-keys", "send"];
        let words: Vec<&str> = command.texts_after_program().collect();
        let at = words.iter().position(|it| senders.contains(it))?;
        let typed = words.get(at + 1..).filter(|_| command.program == "tmux")?;
        let last = typed.last()?;
        let is_whole = ["Enter", "C-m", "KPEnter"].contains(last) || last.ends_with('\n');
        let is_text = |it: &&str| it.len() > 3 && it.contains([' ', '/', '.']);
        let text = typed.iter().find(|it| is_text(it)).filter(|_| !is_whole)?;
        Some(Concern::Unclear((*text).to_owned()))
    }

    /// `~/.curlrc`, `.npmrc`: files that a program reads automatically.
    fn check_defaults(
        &self,
        command: &Command,
        set: &[&Assignment],
        before: &Before,
        depth: usize,
    ) -> Option<Concern> {
        let program = command.program.as_str();
        let program = program.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.');
        let usual = usual_name(program);
        let folder = PathBuf::from(command.folders.first()?);
        let mut homes: Vec<PathBuf> = self.home.iter().cloned().collect();
        let other = set
            .iter()
            .filter(|it| carriers::HOMES.contains(&it.name.as_str()));
        homes.extend(other.map(|it| folder.join(&it.value.text)));
        let mut recipes = hookloop_shell::build_files(program).iter();
        let by_recipes = recipes.find_map(|name| {
            let path = folder.join(name);
            let is_own =
                self.has_file(&path) && self.is_of_session(&path) && !self.is_guards(&path);
            is_own.then(|| self.check_default("", &path, &folder, depth))?
        });
        if by_recipes.is_some() {
            return by_recipes;
        }
        let mut known = DEFAULTS.iter().filter(|it| {
            it.programs
                .split(' ')
                .any(|it| it == program || it == usual)
        });
        known.find_map(|default| {
            let mut names = default.files.split(' ');
            names.find_map(|name| {
                let places = match name.strip_prefix("~/") {
                    Some(rest) => homes.iter().map(|it| it.join(rest)).collect(),
                    None => vec![folder.join(name)],
                };
                let mut places = places
                    .into_iter()
                    .flat_map(|it| super::created_files::matching_files(&it));
                places.find_map(|path| {
                    let is_new = before.written.contains(&path) && !before.knows(&path);
                    if is_new {
                        return Some(Concern::Unclear(name.to_owned()));
                    }
                    if !self.has_file(&path) || !self.is_of_session(&path) || self.is_guards(&path)
                    {
                        return None;
                    }
                    self.check_default(default.line, &path, &folder, depth)
                })
            })
        })
    }

    fn check_default(
        &self,
        line: &str,
        path: &Path,
        folder: &Path,
        depth: usize,
    ) -> Option<Concern> {
        let shown = path.to_string_lossy();
        let said = match line {
            "" => self.check_own_shell_script(path, depth),
            "git" => self.text_of_own(path).and_then(|text| {
                let settings = hookloop_shell::settings_of_git(&text);
                settings
                    .runs
                    .iter()
                    .find_map(|it| self.check_shell(it, folder, depth))
            }),
            "npm" | "wget" => self.check_options(line, path, folder, depth),
            // Lines of a `.pth` file can import modules, and so run them.
            _ if path.extension() == Some("pth".as_ref()) => {
                let text = self.text_of_own(path).unwrap_or_default();
                let imports = text.lines().any(|it| it.trim_start().starts_with("import"));
                imports.then(|| Concern::Unclear(shown.into_owned()))
            }
            line => {
                let line = line.replace("{}", &hookloop_shell::quote(&shown));
                self.check_shell(&line, folder, depth)
            }
        };
        said.or_else(|| self.check_settings(path, depth))
    }

    /// Examines a file in which each line is an option of a program: `script-shell=./x.sh`.
    fn check_options(
        &self,
        program: &str,
        path: &Path,
        folder: &Path,
        depth: usize,
    ) -> Option<Concern> {
        let text = self.text_of_own(path)?;
        let mut settings = text.lines().filter_map(|it| it.split_once('='));
        settings.find_map(|(key, value)| {
            let value = value.trim().trim_matches('"');
            let key = key.trim().replace('_', "-");
            let line = match key.as_str() {
                "node-options" => format!("NODE_OPTIONS={} env", hookloop_shell::quote(value)),
                "logfile" => format!("wget -o {} x", hookloop_shell::quote(value)),
                _ => {
                    let option = format!("--{key}={value}");
                    format!("{program} {} x", hookloop_shell::quote(&option))
                }
            };
            self.check_shell(&line, folder, depth)
        })
    }

    /// `python3 -m timeit 'x()'`: program text among a module's arguments.
    fn check_timed(&self, command: &Command, depth: usize) -> Option<Concern> {
        let words: Vec<&str> = command.texts_after_program().collect();
        let is_timed = words
            .windows(2)
            .any(|it| it[0] == "-m" && it[1] == "timeit");
        if !is_timed || Language::from_program(&command.program) != Some(Language::Python) {
            return None;
        }
        let mut texts = words.iter().filter(|it| !it.starts_with('-'));
        texts.find_map(|it| self.check_text(it, Language::Python, &command.folders, &[], depth))
    }

    /// `enable -f ./x.so`, `sqlite3 x '.load ./x'`: a library that the session created runs as soon
    /// as it is loaded.
    fn check_loaded_library(&self, command: &Command) -> Option<Concern> {
        let loads = |text: &str| {
            let pieces = text.split(|it: char| it.is_whitespace() || SEPARATORS.contains(it));
            let longer: Vec<String> = pieces.map(|it| format!("{it} {it}.so ")).collect();
            let named = self.session_files(&longer.concat(), &command.folders);
            named.into_iter().find(|it| {
                let name = it.to_string_lossy();
                let ending = it.extension().unwrap_or_default();
                ending == "so" || ending == "dylib" || name.contains(".so.")
            })
        };
        let is_builder = tables::COMPILERS.holds(&command.program)
            || !starts_others(command) && !carriers::starts_by_option(&command.program);
        if is_builder || carriers::LOOK_AT_SCRIPTS.holds(&command.program) {
            return None;
        }
        let words = command.texts_after_program();
        let found = words.chain(command.code.as_deref()).find_map(loads)?;
        let name = found.file_name()?.to_string_lossy().into_owned();
        Some(Concern::Unclear(name))
    }

    /// Examines a settings file, or a program's command file: the scripts that it names, and lines
    /// that say what is run.
    fn check_settings(&self, path: &Path, depth: usize) -> Option<Concern> {
        let depth = depth.checked_sub(1)?;
        let name = path.file_name()?.to_string_lossy().into_owned();
        let (_, ending) = name.rsplit_once('.').unwrap_or_default();
        if carriers::ENDINGS_OF_TEXTS.holds(ending) || self.is_guards(path) {
            return None;
        }
        let text = self.text_of_own(path)?;
        if pieces_of(&text).len() > MAX_PIECES {
            return Some(Concern::Unclear(name));
        }
        let mut folders = vec![self.cwd.to_string_lossy().into_owned()];
        folders.extend(path.parent().map(|it| it.to_string_lossy().into_owned()));
        let concern = self.check_running_lines(&text, depth);
        let set = text.lines().filter_map(|it| it.trim().split_once('='));
        let mut set = set.filter(|(name, _)| VARIABLES.iter().any(|(known, _)| known == name));
        let by_variables = || {
            set.find_map(|(name, value)| {
                let line = format!(
                    "{name}={} env",
                    hookloop_shell::quote(value.trim_matches(['"', '\'']))
                );
                self.check_shell(&line, &self.cwd, depth)
            })
        };
        concern.or_else(by_variables).or_else(|| {
            let files = self.session_files(&text, &folders);
            let mut files = files.iter().filter(|it| *it != path);
            files.find_map(|it| {
                self.check_own_shell_script(it, depth)
                    .or_else(|| self.check_settings(it, depth))
            })
        })
    }

    /// Returns the session's files that pieces of a text name.
    fn session_files(&self, text: &str, folders: &[String]) -> BTreeSet<PathBuf> {
        let pieces = pieces_of(text);
        let mut found = BTreeSet::new();
        for piece in pieces {
            let piece = match (piece.strip_prefix("~/"), &self.home) {
                (Some(rest), Some(home)) => home.join(rest),
                _ => PathBuf::from(piece),
            };
            for folder in folders {
                let path = Path::new(folder).join(&piece);
                if self.has_file(&path) && self.is_of_session(&path) && !self.is_guards(&path) {
                    found.insert(path);
                }
            }
        }
        found
    }

    /// Returns the session's files in folders that a text names.
    fn session_folders<'p>(
        &'p self,
        text: &'p str,
        folders: &'p [String],
    ) -> impl Iterator<Item = PathBuf> + 'p {
        let pieces = text.split([':', ' ']).filter(|it| !it.is_empty());
        let paths = pieces.flat_map(move |piece| {
            let join = move |folder: &String| Path::new(folder).join(piece);
            folders.iter().map(join)
        });
        let files = paths.flat_map(|folder| {
            let written = self.texts.files_in(&folder);
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            entries.map(|it| it.path()).chain(written)
        });
        let files = files.filter(|it| self.has_file(it));
        files.filter(|it| self.is_of_session(it) && !self.is_guards(it))
    }

    /// Examines files that would be started directly.
    fn check_own_files(
        &self,
        files: impl Iterator<Item = PathBuf>,
        named_by: &str,
        depth: usize,
    ) -> Option<Concern> {
        let mut files = files.enumerate();
        files.find_map(|(number, file)| {
            if number >= MAX_FILES {
                return Some(Concern::Unclear(named_by.to_owned()));
            }
            self.check_own_file(&file, depth)
        })
    }

    /// Examines a file that would be started directly.
    pub(super) fn check_own_file(&self, path: &Path, depth: usize) -> Option<Concern> {
        let depth = depth.checked_sub(1)?;
        let text = match self.script_text(path)? {
            Ok(text) => text,
            Err(unclear) => return Some(unclear),
        };
        let near = path.parent().unwrap_or(&self.cwd);
        let folders = [self.cwd.as_path(), near];
        let mut places = folders.iter().copied();
        match language_of(&text) {
            Some(language) => {
                let folders = folders.map(|it| it.to_string_lossy().into_owned());
                self.check_text(&text, language, &folders, &[], depth)
            }
            None => places.find_map(|it| self.check_shell(&text, it, depth)),
        }
    }

    /// Examines a file that is a shell script by its first line, name or permissions.
    fn check_own_shell_script(&self, path: &Path, depth: usize) -> Option<Concern> {
        let text = self.text_of_own(path)?;
        let name = path.file_name()?.to_string_lossy();
        let is_named = [".sh", ".bash", ".zsh"].iter().any(|it| name.ends_with(it));
        let is_marked = text.starts_with("#!") && language_of(&text).is_none();
        let is_started = || self.texts.holds(path) || is_executable(path);
        let is_plain = !name.contains('.') && is_started() && language_of(&text).is_none();
        (is_named || is_marked || is_plain).then(|| self.check_own_file(path, depth))?
    }

    fn text_of_own(&self, path: &Path) -> Option<String> {
        self.script_text(path)?.ok()
    }

    pub(super) fn is_guards(&self, path: &Path) -> bool {
        let touched = self
            .protected
            .affected(crate::protected::Touch::Write, path);
        touched.is_some()
    }
}

/// Returns the pieces of a text that may be file names.
fn pieces_of(text: &str) -> BTreeSet<&str> {
    let pieces = text.split(|it: char| it.is_whitespace() || SEPARATORS.contains(it));
    let attached = text.get(2..).filter(|_| text.starts_with('-'));
    let pieces = pieces.chain(attached);
    pieces
        .filter(|it| !it.is_empty() && it.len() < MAX_NAME_LENGTH)
        .collect()
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata()
        .is_ok_and(|it| it.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(_: &Path) -> bool {
    true
}
