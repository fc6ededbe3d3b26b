//! Scripts that a call runs, and files that it reads: people know what was written before the
//! session; what was written during it is the model's.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hookloop_shell::{Command, FileText, Input, RedirectKind, is_shell};

use super::commands::{Place, language_of};
use super::concern::Concern;
use super::created_files::{CreatedFiles, ScriptState, matching_files, reads_only};
use super::modules;
use super::reading::bytes_of;
use super::recipes::PACKAGE_PROGRAMS;
use super::tokens::Language;
use crate::protected::Touch;

/// The maximum length of a script, in bytes.
const MAX_SCRIPT_BYTES: u64 = 4 << 20;

/// How many bytes of a command's input file are followed.
const MAX_INPUT_BYTES: u64 = 256 << 10;

/// The first bytes of compiled programs: ELF, Mach-O in four forms, PE, WebAssembly, Java classes,
/// archives.
const COMPILED: [&[u8]; 11] = [
    b"\x7fELF",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
    b"MZ",
    b"\0asm",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"!<arch>",
];

/// Programs that start packages' programs.
const STARTERS_OF_PACKAGES: [&str; 7] = ["npm", "npx", "pnpm", "pnpx", "yarn", "bun", "bunx"];

impl Place {
    /// Returns the place for examining a call that writes these files; `None` if it writes none.
    pub(super) fn once_written(&self, written: &[(String, String)]) -> Option<Self> {
        (!written.is_empty()).then(|| Self {
            texts: self.texts.with(written),
            ..self.clone()
        })
    }

    /// Returns whether a file exists, or will once the call has written it.
    pub(super) fn has_file(&self, path: &Path) -> bool {
        self.texts.holds(path) || path.is_file()
    }

    /// Returns whether a file was written or renamed, or its permissions changed, since the session
    /// began. Its modification time can be set by anybody, its change time can't. A file that an
    /// earlier session wrote, and nobody has changed since, counts too.
    pub(super) fn is_of_session(&self, path: &Path) -> bool {
        self.is_changed_since(path) || self.planted.is_of_earlier(path)
    }

    /// Returns whether a file was changed in any way since the session began.
    pub(super) fn is_changed_since(&self, path: &Path) -> bool {
        self.texts.holds(path) || self.is_changed_on_disk(path)
    }

    fn is_changed_on_disk(&self, path: &Path) -> bool {
        let since = self.since.unwrap_or(SystemTime::UNIX_EPOCH);
        path.metadata().is_ok_and(|it| last_change(&it) >= since)
    }

    /// Returns what a shell would find in a file (HT-30).
    pub(super) fn text_for_shell(&self, path: &Path) -> FileText {
        let Ok(metadata) = path.metadata() else {
            return FileText::Missing;
        };
        if is_pipe(&metadata) {
            return FileText::Unknown;
        }
        let is_guards = || self.protected.affected(Touch::Write, path).is_some();
        if !metadata.is_file() || !self.is_of_session(path) || is_guards() {
            return FileText::Kept;
        }
        match bytes_of(path, MAX_INPUT_BYTES) {
            Some(bytes) => FileText::Known(text(&bytes)),
            None => FileText::Unknown,
        }
    }

    /// Returns the text of a script, or why it can't be examined. Compiled programs have none, nor
    /// has data from before the session.
    pub(super) fn script_text(&self, path: &Path) -> Option<Result<String, Concern>> {
        self.text_of(path, Chooses::Interpreter)
    }

    fn text_of(&self, path: &Path, chooses: Chooses) -> Option<Result<String, Concern>> {
        if let Some(mut text) = self.texts.text(path) {
            // Before the call writes it, the file has the text that is there now.
            let is_ours = self.is_changed_on_disk(path) || self.planted.is_of_earlier(path);
            if let Some(bytes) = bytes_of(path, MAX_SCRIPT_BYTES).filter(|_| is_ours) {
                text.push('\n');
                text.push_str(&String::from_utf8_lossy(&bytes));
            }
            return Some(Ok(text));
        }
        let is_file = path.metadata().is_ok_and(|it| it.is_file());
        let is_of_session = self.is_of_session(path);
        let bytes = match bytes_of(path, MAX_SCRIPT_BYTES) {
            _ if !is_file => return None,
            Some(bytes) => bytes,
            _ if !is_of_session => return None,
            _ => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                return Some(Err(Concern::Unclear(name.into_owned())));
            }
        };
        let is_compiled = chooses == Chooses::FirstLine && is_program(&bytes);
        // A shell ignores NUL characters in a script.
        let is_data = !is_of_session && bytes.contains(&0);
        (!is_compiled && !is_data).then(|| Ok(text(&bytes)))
    }

    /// `tar --remove-files -T names`: a file that lists what a program changes.
    pub(super) fn listed_by(&self, command: &Command) -> Option<Concern> {
        let (options, reads_input): (&[&str], bool) = match command.program.as_str() {
            "tar" | "gtar" | "bsdtar" => (&["-T", "--files-from"], true),
            "rsync" => (&["--files-from"], true),
            "git" if !reads_only(command) => (&["--pathspec-from-file"], true),
            "cpio" | "pax" | "zip" => (&[], true),
            "7z" | "7za" | "7zz" | "rar" | "jar" => (&[], false),
            _ => return None,
        };
        let moved = command.values_of(&["-C", "--directory"]);
        let moved = moved.iter().flat_map(|it| {
            let join = |folder: &String| hookloop_shell::join_path(folder, &it.text);
            command.folders.iter().map(join)
        });
        let folders: Vec<String> = command.folders.iter().cloned().chain(moved).collect();
        let marked = command.words_after_program().iter();
        let marked = marked.filter_map(|it| it.text.strip_prefix('@').map(str::to_owned));
        let named = command.values_of(options).into_iter().map(|it| it.text);
        let files = named.chain(marked).flat_map(|name| {
            let join = move |folder: &String| Path::new(folder).join(&name);
            command.folders.iter().map(join)
        });
        let mut texts = Vec::new();
        for path in files.filter(|it| it.is_file()) {
            let Some(bytes) = bytes_of(&path, MAX_SCRIPT_BYTES) else {
                return Some(Concern::Unclear(path.display().to_string()));
            };
            texts.push(String::from_utf8_lossy(&bytes).into_owned());
        }
        let given = match &command.input {
            Input::Text(text) if reads_input => Some(text.clone()),
            _ => None,
        };
        texts.iter().chain(&given).find_map(|text| {
            let mut listed = text.split(['\n', '\0']).filter(|it| !it.is_empty());
            let named = listed.find_map(|name| self.lookup(Touch::Remove, name, &folders));
            named.map(Concern::Touches)
        })
    }

    /// Examines a script that is run by its path, by an interpreter, or because it is in the search
    /// path.
    pub(super) fn check_script(
        &self,
        command: &Command,
        made: &CreatedFiles,
        depth: usize,
    ) -> Option<Concern> {
        let depth = depth.checked_sub(1)?;
        if let Some(found) = self.program_in_path(command) {
            return self.check_one_script(command, &found, depth);
        }
        let read = command.redirects.iter().rev();
        let mut read = read.filter(|it| it.kind == RedirectKind::Read);
        let changed = read.find(|it| {
            let mut folders = command.folders.iter();
            folders.any(|at| made.at(&Path::new(at).join(&it.target.text)) != ScriptState::Itself)
        });
        let named = named_script(command).filter(|it| {
            let path = it.path.to_string_lossy();
            !hookloop_shell::is_standard_input(&path)
        });
        let named = match (named, changed) {
            // The input examined beforehand isn't what the program will read.
            (None, Some(changed)) if runs_files(&command.program) && command.code.is_none() => {
                Script {
                    path: PathBuf::from(&changed.target.text),
                    given: Vec::new(),
                    chooses: Chooses::Interpreter,
                }
            }
            (named, _) => named?,
        };
        if named.path.starts_with("/dev") {
            return None;
        }
        let folders = command.folders.iter();
        let paths = folders.map(|folder| Path::new(folder).join(&named.path));
        let paths = paths.flat_map(|it| matching_files(&it));
        let paths: Vec<PathBuf> = paths
            .map(|it| modules::entry(&it, &command.program).unwrap_or(it))
            .collect();
        let is_there = paths.iter().any(|it| self.has_file(it));
        let mut unclear = None;
        for path in paths {
            let path = match made.at(&path) {
                ScriptState::Itself => path,
                ScriptState::Copy(source) if self.has_file(&source) => source,
                _ => {
                    unclear = unclear.or_else(|| Some(named.unclear_concern()));
                    continue;
                }
            };
            let script = Script {
                path,
                ..named.clone()
            };
            match self.check_one_script(command, &script, depth) {
                Some(Concern::Unclear(why)) => unclear = unclear.or(Some(Concern::Unclear(why))),
                None => {}
                held => return held,
            }
        }
        let runs_text =
            runs_files(&command.program) && Language::from_program(&command.program).is_none();
        // A tool that creates an environment writes this file to be sourced.
        let name = named.path.to_string_lossy();
        let is_made = made.may_create_files()
            && !name.ends_with("bin/activate")
            && !name.starts_with('-')
            && !name.contains(['$', '~']);
        unclear.or_else(|| (!is_there && runs_text && is_made).then(|| named.unclear_concern()))
    }

    fn check_one_script(
        &self,
        command: &Command,
        script: &Script,
        depth: usize,
    ) -> Option<Concern> {
        let Script {
            path,
            given,
            chooses,
        } = script;
        if self.planted.is_restless(path) {
            return Some(script.unclear_concern());
        }
        // A guard's own script has been agreed to.
        if self.protected.affected(Touch::Write, path).is_some() {
            return None;
        }
        let text = match self.text_of(path, *chooses)? {
            Ok(text) => text,
            Err(unclear) => return Some(unclear),
        };
        // Compiled modules, and archives.
        let is_packed =
            text.starts_with("PK\u{3}\u{4}") || path.extension() == Some("pyc".as_ref());
        if *chooses == Chooses::Interpreter && is_packed && self.is_of_session(path) {
            return Some(script.unclear_concern());
        }
        let language = match chooses {
            Chooses::Interpreter => Language::from_program(&command.program),
            Chooses::FirstLine => language_of(&text),
        };
        let folder = command.folders.first().map(PathBuf::from)?;
        let concern = if let Some(language) = language {
            let place = self.in_folder_of(path);
            place.check_text(&text, language, &command.folders, given, depth)
        } else {
            let arguments = hookloop_shell::join(given.iter().map(String::as_str));
            let text = format!("set -- {arguments}\n{text}");
            let found = self.check_shell(&text, &folder, depth);
            // A shell that changes its own script continues in the changed text.
            let changes_itself =
                || writes_to(&text, &folder, path).then(|| script.unclear_concern());
            found.or_else(changes_itself)
        }?;
        match concern {
            Concern::Unclear(_) if !self.is_of_session(path) => None,
            other => Some(other),
        }
    }

    /// Returns the program that the search path finds, if the session wrote it.
    pub(super) fn program_in_path(&self, command: &Command) -> Option<Script> {
        let name = command.invoked.as_str();
        if name.is_empty() || name.contains('/') || hookloop_shell::is_builtin(name) {
            return None;
        }
        let set = command.search_path.clone().flatten();
        let searched = set.or_else(|| self.variable("PATH"))?;
        let places = std::env::split_paths(&searched).flat_map(|place| {
            let folders = command.folders.iter();
            folders.map(move |folder| Path::new(folder).join(&place).join(name))
        });
        let starts = |it: &String| STARTERS_OF_PACKAGES.contains(&it.as_str());
        let by_package = command.through.iter().any(starts);
        let above = command
            .folders
            .iter()
            .flat_map(|it| Path::new(it).ancestors());
        let of_packages = above
            .filter(|_| by_package)
            .map(|it| it.join(PACKAGE_PROGRAMS).join(name));
        let mut found = of_packages.chain(places).filter(|it| it.is_file());
        let path = found.next()?;
        // Installed packages weren't written by the model.
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        let is_installed = real.components().any(|it| it.as_os_str() == "node_modules");
        let is_own = self.is_of_session(&path) && (!is_installed || self.planted.knows(&path));
        let path = Some(path).filter(|_| is_own)?;
        Some(Script {
            path,
            given: command
                .words_after_program()
                .iter()
                .map(|it| it.text.clone())
                .collect(),
            chooses: Chooses::FirstLine,
        })
    }
}

/// A script that is run.
#[derive(Debug, Clone)]
pub(super) struct Script {
    path: PathBuf,
    /// Its arguments.
    given: Vec<String>,
    chooses: Chooses,
}

impl Script {
    fn unclear_concern(&self) -> Concern {
        Concern::Unclear(self.path.to_string_lossy().into_owned())
    }
}

/// What determines a script's language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chooses {
    /// The interpreter that it is passed to, whatever its first line.
    Interpreter,
    /// Its first line.
    FirstLine,
}

/// Returns whether a program runs files passed to it.
fn runs_files(program: &str) -> bool {
    is_shell(program)
        || ["source", "."].contains(&program)
        || Language::from_program(program).is_some()
}

/// Returns the script that a command names, with its arguments.
fn named_script(command: &Command) -> Option<Script> {
    let program = command.program.as_str();
    let interpreter = runs_files(program);
    let named = command.values_of(hookloop_shell::script_options(program));
    let language = Language::from_program(program);
    if !named.is_empty() && matches!(language, Some(Language::Lua | Language::Other)) {
        return None;
    }
    let operands: Vec<String> = command
        .operands()
        .map(|it| it.text.clone())
        .filter(|it| named.iter().all(|named| named.text != *it))
        .collect();
    let (name, given, chooses) = if interpreter {
        if command.code.is_some() || command.has_flag("-c") {
            return None;
        }
        match (&command.input, modules::run_by_option(command)) {
            (_, Some(file)) => (file, Vec::new(), Chooses::Interpreter),
            (Input::File(file), None) if operands.is_empty() => {
                (file.clone(), Vec::new(), Chooses::Interpreter)
            }
            _ => {
                let (name, given) = operands.split_first()?;
                let given = words_behind(command, name).unwrap_or_else(|| given.to_vec());
                (name.clone(), given, Chooses::Interpreter)
            }
        }
    } else if command.invoked.contains('/') {
        let given = command
            .words_after_program()
            .iter()
            .map(|it| it.text.clone());
        (command.invoked.clone(), given.collect(), Chooses::FirstLine)
    } else {
        return None;
    };
    Some(Script {
        path: PathBuf::from(name),
        given,
        chooses,
    })
}

/// Returns whether a shell script writes to a file.
fn writes_to(text: &str, folder: &Path, file: &Path) -> bool {
    let name = file.file_name().and_then(|it| it.to_str());
    if !name.is_some_and(|it| text.contains(it)) && !text.contains("$0") {
        return false;
    }
    let text = text.replace("$0", &hookloop_shell::quote(&file.to_string_lossy()));
    let place = hookloop_shell::Surroundings {
        folder: folder.to_str(),
        ..hookloop_shell::Surroundings::default()
    };
    let understood = hookloop_shell::understand(&text, place);
    let mut written = understood.commands.iter().flat_map(|it| &it.writes);
    written.any(|it| it.paths.iter().any(|path| Path::new(path) == file))
}

/// Returns the words after a script's name, including options.
fn words_behind(command: &Command, name: &str) -> Option<Vec<String>> {
    let at = command.words.iter().position(|it| it.text == name)?;
    let behind = command.words.get(at + 1..)?;
    Some(behind.iter().map(|it| it.text.clone()).collect())
}

/// Returns when a file was last changed in any way.
#[cfg(unix)]
fn last_change(metadata: &std::fs::Metadata) -> SystemTime {
    use std::os::unix::fs::MetadataExt as _;
    use std::time::Duration;
    let seconds = u64::try_from(metadata.ctime()).unwrap_or_default();
    let nanoseconds = u32::try_from(metadata.ctime_nsec()).unwrap_or_default();
    let changed = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds);
    metadata.modified().map_or(changed, |it| it.max(changed))
}

#[cfg(not(unix))]
fn last_change(metadata: &std::fs::Metadata) -> SystemTime {
    // A file without a modification time may have been written just now.
    metadata.modified().unwrap_or_else(|_| SystemTime::now())
}

#[cfg(unix)]
fn is_pipe(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    metadata.file_type().is_fifo()
}

#[cfg(not(unix))]
fn is_pipe(_: &std::fs::Metadata) -> bool {
    false
}

/// Returns whether the system would start a file as a binary. A shell treats a file as text if its
/// first line contains no NUL, whatever it begins with.
fn is_program(bytes: &[u8]) -> bool {
    let first = bytes.split(|it| *it == b'\n').next().unwrap_or_default();
    COMPILED.iter().any(|it| bytes.starts_with(it)) && first.contains(&0)
}

fn text(bytes: &[u8]) -> String {
    let kept: Vec<u8> = bytes.iter().copied().filter(|it| *it != 0).collect();
    String::from_utf8_lossy(&kept).into_owned()
}
