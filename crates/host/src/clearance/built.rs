//! Files that the session's calls wrote, and that build and test tools run automatically.

use std::path::{Path, PathBuf};

use hookloop_shell::{Command, Understood};
use serde_json::Value;

use super::before::Before;
use super::commands::Place;
use super::concern::Concern;
use super::created_files::ScriptState;
use super::editors::edits;
use super::planted::FileEffect;
use super::sources;
use super::tables::{self, Table};
use super::tokens::Language;

/// Programs that compile, load or run a project's files without naming them.
static BUILDERS: Table = Table::of(
    "ant ava bazel behave bun bundle buck2 cabal cargo cmake composer coverage ctest cypress deno \
    dotnet dune esbuild eslint fab go gradle gradlew grunt gulp hatch invoke jest just karma \
    lefthook lerna make gmake meson mise mix mocha mvn mvnw ninja nox npm npx nx pdm phpunit pip \
    playwright pnpm poetry pre-commit prove pytest rake rebar3 robot rollup rspec sbt scons stack \
    swift tap task tox trial ts-node tsx turbo uv vite vitest waf webpack xcodebuild yarn zig \
    unittest nose2 build",
);

/// Files whose values are commands for such programs.
static FILES_OF_COMMANDS: Table = Table::of(
    "tox.ini setup.cfg pyproject.toml .pre-commit-config.yaml lefthook.yml lefthook.yaml \
    Taskfile.yml Taskfile.yaml build.ninja Makefile.toml deno.json deno.jsonc composer.json \
    mise.toml .mise.toml project.json Procfile",
);

/// Extensions and names of files that contain commands which change files.
static SCRIPTS_OF_BUILDERS: Table = Table::of(
    "cmake CMakeLists.txt xml gradle kts groovy bzl bazel BUILD WORKSPACE ninja meson.build",
);

/// Names of other files in which such programs look for commands.
static USUAL_FILES: Table = Table::of(
    "Makefile makefile GNUmakefile justfile Justfile .justfile CMakeLists.txt build.xml pom.xml build.gradle \
    build.gradle.kts settings.gradle BUILD BUILD.bazel WORKSPACE meson.build Rakefile SConstruct wscript",
);

/// Extensions and names of files that such programs load automatically.
static LOADED: Table = Table::of(
    "py pyw js mjs cjs jsx ts mts cts tsx pl pm t rb rake gemspec php lua tcl Rakefile Gemfile \
    Guardfile SConstruct SConscript wscript",
);

/// Words for decoding, with which a text can construct hidden names.
const DECODERS: [&str; 34] = [
    "fromhex",
    "unhexlify",
    "b64decode",
    "b32decode",
    "a85decode",
    "base64",
    "rot13",
    "rot_13",
    "decompress",
    "chr(",
    "fromCharCode",
    "fromCodePoint",
    "atob(",
    "'hex'",
    "\"hex\"",
    "pack(",
    "bytes([",
    "bytes((",
    "bytearray(",
    "as char",
    "from_utf8",
    "hex::",
    "char::from",
    "byte{",
    "string.char",
    "[::-1]",
    ".reverse()",
    ".rev()",
    "(char)",
    "Character.toString",
    "toChars",
    "FromBase64",
    "String.valueOf",
    "translate(",
];

/// Calls that run a text.
const CARRY_OUT: [&str; 6] = ["eval", "exec", "Function", "runpy", "run_path", "_compile"];

/// Parts of the name of the guards' folder.
const PARTS: [&str; 12] = [
    ".g", ".ge", ".gem", ".gemi", ".gemin", ".gemini", "gemi", "gemin", "gemini", "emini", "emin",
    "emini/",
];

/// Returns whether a command compiles, loads or runs a project's files without naming them.
pub(super) fn builds(command: &Command) -> bool {
    let words: Vec<&str> = command.texts_after_program().collect();
    let module = words.windows(2).find(|it| it[0] == "-m");
    BUILDERS.holds(&command.program)
        || module.is_some_and(|it| BUILDERS.holds(it[1]))
        || words.iter().any(|it| it.starts_with("--test"))
}

/// Returns whether a program carries out commands from a file that it is given, in a language of
/// its own.
fn takes_commands(command: &Command) -> bool {
    let program = command.program.as_str();
    let is_shell = hookloop_shell::is_shell(program);
    let is_own = hookloop_shell::runs_text(program) && Language::from_program(program).is_none();
    let sources = command
        .words_after_program()
        .iter()
        .any(|it| it.text.starts_with("source"));
    is_own && !is_shell && !edits(program) || program == "tmux" && sources
}

/// Returns whether a file tells programs that build what to run, judging by its name.
fn tells_builders(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    [&FILES_OF_COMMANDS, &USUAL_FILES, &SCRIPTS_OF_BUILDERS]
        .iter()
        .any(|it| it.holds(&name) || it.holds(&ending))
}

impl Place {
    /// Examines files that earlier calls of the session wrote and that programs may run
    /// automatically: modules, startup files, recipes; for a program that builds, also sources and
    /// tests.
    pub(super) fn check_planted(&self, understood: &Understood, depth: usize) -> Option<Concern> {
        let found = self.planted.examine(|it| self.look(it, depth));
        self.held_by_effects(understood, found)
    }

    /// Returns a concern about files with these effects, given the programs that a call runs.
    pub(super) fn held_by_effects(
        &self,
        understood: &Understood,
        files: Vec<(PathBuf, Vec<FileEffect>)>,
    ) -> Option<Concern> {
        let is_built = understood.commands.iter().any(builds);
        let unclear = |path: &Path| {
            let shown = path.strip_prefix(&self.cwd).unwrap_or(path).display();
            Some(Concern::Unclear(format!(
                "{shown}, written in this session,"
            )))
        };
        let (mut naming, mut changes) = (None, false);
        for (path, found) in files {
            let has = |it: FileEffect| found.contains(&it);
            let is_held = has(FileEffect::Touches)
                || is_built && (has(FileEffect::TouchesBuilt) || has(FileEffect::Hides));
            if is_held {
                return unclear(&path);
            }
            changes |= has(FileEffect::Changes);
            if has(FileEffect::Names) {
                naming = Some(path);
            }
        }
        // One source file may name the path that another one changes.
        naming
            .filter(|_| is_built && changes)
            .and_then(|it| unclear(&it))
    }

    fn look(&self, path: &Path, depth: usize) -> Vec<FileEffect> {
        match self.script_text(path).filter(|_| self.is_of_session(path)) {
            Some(Err(_)) if is_loaded(path) => vec![FileEffect::Hides],
            None | Some(Err(_)) => Vec::new(),
            Some(Ok(text)) => self.effects_of(path, &text, depth),
        }
    }

    /// Returns what is in a file, judging by its name and its text.
    pub(super) fn effects_of(&self, path: &Path, text: &str, depth: usize) -> Vec<FileEffect> {
        let mut found = Vec::new();
        let is_certain =
            |it: &Option<Concern>| matches!(it, Some(Concern::Touches(_) | Concern::Changes(_)));
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if tables::ENDINGS_OF_SOURCES.holds(&ending) {
            // Many sources mention the project's own files: only calls that change files count.
            let (changes, computes) = sources::changes_files(text);
            found.extend(changes.then_some(FileEffect::Changes));
            found.extend((computes && hides(text)).then_some(FileEffect::Hides));
            let named = self.named_by_source(text, &self.cwd, depth);
            found.extend(is_certain(&named).then_some(FileEffect::Names));
            return found;
        }
        if FILES_OF_COMMANDS.holds(&name)
            || SCRIPTS_OF_BUILDERS.holds(&ending)
            || SCRIPTS_OF_BUILDERS.holds(&name)
        {
            let near = path.parent().unwrap_or(&self.cwd);
            let folders = [self.cwd.as_path(), near];
            let mut folders = folders.iter();
            let is_held = folders.any(|it| is_certain(&self.check_commands_in(text, it, depth)))
                || !FILES_OF_COMMANDS.holds(&name) && self.names_guard(text);
            found.extend(is_held.then_some(FileEffect::TouchesBuilt));
        }
        let concern = self.check_file(path, text, &self.cwd, depth);
        found.extend(is_certain(&concern).then_some(FileEffect::Touches));
        if let Some(Concern::Unclear(why)) = concern
            && is_loaded(path)
        {
            let is_hidden = hides(text) || CARRY_OUT.contains(&why.as_str());
            found.extend(is_hidden.then_some(FileEffect::Hides));
        }
        found
    }

    /// Examines the values of a settings file as commands.
    fn check_commands_in(&self, text: &str, folder: &Path, depth: usize) -> Option<Concern> {
        let mut lines: Vec<String> = Vec::new();
        if let Ok(value) = serde_json::from_str::<Value>(text) {
            strings_of(&value, &mut lines);
        }
        for line in text.lines() {
            let bare = line.trim().trim_start_matches("- ");
            let value = bare.split_once(['=', ':']).map_or(bare, |(_, value)| value);
            let signs: &[char] = &['"', '\'', '[', ']', ',', ' ', '|', '>'];
            lines.push(value.trim_matches(signs).to_owned());
        }
        let mut lines = lines.iter().filter(|it| it.contains(' '));
        lines.find_map(|it| {
            let concern = self.check_shell(it, folder, depth)?;
            (!matches!(concern, Concern::Unclear(_))).then_some(concern)
        })
    }

    /// `curl … > build.ninja; ninja`: a file that such a program loads or is given, and whose text
    /// isn't known since the same call made it. A copy has the text of what it was made from.
    pub(super) fn check_unseen_files(
        &self,
        command: &Command,
        before: &Before,
        depth: usize,
    ) -> Option<Concern> {
        let names = FILES_OF_COMMANDS.all_words().chain(USUAL_FILES.all_words());
        let names = names.filter(|_| builds(command)).map(str::to_owned);
        let is_given = takes_commands(command);
        let given = command.words_after_program().iter().filter(|_| is_given);
        let names: Vec<String> = names.chain(given.map(|it| it.text.clone())).collect();
        let in_folders = command.folders.iter().flat_map(|folder| {
            let folder = Path::new(folder);
            names.iter().map(move |it| folder.join(it))
        });
        let written = before
            .written
            .iter()
            .filter(|it| builds(command) && tells_builders(it));
        let mut files = in_folders.chain(written.cloned());
        files.find_map(|path| {
            let unclear = || Some(Concern::Unclear(path.display().to_string()));
            match before.made.at(&path) {
                ScriptState::Itself => None,
                ScriptState::Unknown => unclear(),
                ScriptState::Copy(source) => {
                    let is_own = self.has_file(&source) && self.is_of_session(&source);
                    let text = self.script_text(&source).filter(|_| is_own)?.ok();
                    let Some(text) = text else { return unclear() };
                    let is_held = !self.effects_of(&path, &text, depth).is_empty();
                    is_held.then(unclear)?
                }
            }
        })
    }

    /// `scons -f x`, `ant -f x`: a file that such a program is given, and whose name doesn't show
    /// its language.
    pub(super) fn check_given_file(
        &self,
        path: &Path,
        text: &str,
        depth: usize,
    ) -> Option<Concern> {
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        if is_loaded(path) || super::carriers::ENDINGS_OF_TEXTS.holds(&ending) {
            return None;
        }
        let is_held =
            self.check_commands_in(text, &self.cwd, depth).is_some() || self.names_guard(text);
        is_held.then(|| Concern::Unclear(path.display().to_string()))
    }

    /// Returns whether a word in a text is the name of a guard's file.
    fn names_guard(&self, text: &str) -> bool {
        let folders = [self.cwd.to_string_lossy().into_owned()];
        let mut words = text
            .split(|it: char| it.is_whitespace() || "\"'()<>=,;[]{}".contains(it))
            .filter(|it| it.contains(['/', '.']) && it.len() > 2);
        words.any(|it| self.named_by_text(it, &folders).is_some())
    }
}

fn strings_of(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(list) => list.iter().for_each(|it| strings_of(it, found)),
        Value::Object(map) => map.values().for_each(|it| strings_of(it, found)),
        _ => {}
    }
}

/// Returns whether tools load a file automatically because of its place and name. They start shell
/// scripts only if a recipe names them.
fn is_loaded(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    LOADED.holds(&ending) || LOADED.holds(&name) || tables::ENDINGS_OF_SOURCES.holds(&ending)
}

/// Returns whether a text decodes names, or assembles those of guards.
fn hides(text: &str) -> bool {
    let mut pieces = text.split(['"', '\'', '`']);
    text.contains(".gemini")
        || DECODERS.iter().any(|it| text.contains(it))
        || pieces.any(|it| PARTS.contains(&it))
}
