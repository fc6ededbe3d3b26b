//! Program text in other languages: the shell commands that it starts are followed.

use crate::build_files::{build_file_options, build_files, recipe_of_line};
use crate::consoles::{is_console, is_fed_by_name};
use crate::flow::Stream;
use crate::interpreters::{script_options, text_options};
use crate::languages::is_shell;
use crate::run::carried::fetched_by_text;
use crate::run::program_strings::{Constants, arguments};
use crate::run::renamed::{renamed_starters, with_computed};
use crate::same_programs::usual_name;
use crate::scope::Scope;
use crate::scripts::{self, TextPlace, module_of, text_place};
use crate::simple::Simple;
use crate::understood::{OpaqueReason, Word};
use crate::walk::Walker;

/// Clients of databases: what they are fed is mostly data, though a line of it may start a command.
const DATABASE_CLIENTS: &[&str] = &["psql", "mysql", "mariadb", "sqlite3"];

/// Programs that print what is in a database, quoted as it has to be.
const DUMPS: &[&str] = &[
    "pg_dump",
    "pg_dumpall",
    "pg_restore",
    "mysqldump",
    "mariadb-dump",
];

/// Programs that hand a line beginning with `!` to a shell.
const ESCAPE_WITH_BANG: &[&str] = &["dc", "ftp", "sftp", "lftp", "ipython"];

/// Functions that start a program from text or a list of words.
const STARTERS: &[&str] = &[
    "system",
    "popen",
    "Popen",
    "exec",
    "execSync",
    "execFile",
    "execFileSync",
    "spawn",
    "spawnSync",
    "run",
    "call",
    "check_call",
    "check_output",
    "getoutput",
    "getstatusoutput",
    "passthru",
    "shell_exec",
    "proc_open",
    "execvp",
    "execv",
    "execve",
    "execl",
    "execlp",
    "execvpe",
    "execa",
    "execaSync",
    "execaCommand",
    "execaCommandSync",
    "shell-command",
    "call-process",
    "capture2",
    "capture3",
    "spawnlp",
    "spawnvp",
    "execute",
    "exec_command",
    "sendline",
    "do shell script",
    "shell",
    "sh",
    "create_subprocess_shell",
    "create_subprocess_exec",
    "posix_spawn",
    "startfile",
    "ProcessBuilder",
    "Command",
];

/// Those of these functions that take the name by which a program is called, after the file that it
/// is in.
const NAME_TWICE: &[&str] = &[
    "execv", "execve", "execvp", "execvpe", "execl", "execlp", "spawnlp", "spawnvp",
];

fn is_awk(program: &str) -> bool {
    ["awk", "gawk", "mawk", "nawk"].contains(&program)
}

/// Returns the word that is an `awk` program, if the program isn't in a file.
fn program_of_awk(words: &[Word]) -> Option<&Word> {
    if words.iter().any(|it| it.text.starts_with("-f")) {
        return None;
    }
    // `-v name=value` isn't the program.
    let valued = ["-v", "-F", "--assign", "--field-separator"];
    let mut operands = words.iter().enumerate().filter(|(at, it)| {
        let before = at.checked_sub(1).map(|it| words[it].text.as_str());
        !it.text.starts_with('-') && !before.is_some_and(|it| valued.contains(&it))
    });
    operands.next().map(|(_, it)| it)
}

/// Returns the program text in the same word as its option: `-c'text'`, `--eval=text`,
/// `-wne'text'`.
fn attached_text(program: &str, word: &Word, options: &[&str]) -> Option<String> {
    if let Some(TextPlace::Attached(text)) = text_place(program, &word.text) {
        return Some(text.to_owned());
    }
    options.iter().find_map(|option| {
        let rest = word.text.strip_prefix(option)?;
        let rest = if option.len() == 2 {
            rest
        } else {
            rest.strip_prefix('=')?
        };
        (!rest.is_empty()).then(|| rest.to_owned())
    })
}

/// Returns whether a word is several options of such an editor, of which the last takes a command:
/// `-sc`.
fn is_cluster_of_editor(word: &str) -> bool {
    let flags = word.strip_prefix('-').and_then(|it| it.strip_suffix('c'));
    flags.is_some_and(|it| !it.is_empty() && it.chars().all(|it| "beEnNRsvyZ".contains(it)))
}

/// Returns whether an editor or a client runs what it reads from standard input, whatever file it
/// is given.
fn carries_out_input(program: &str, words: &[Word]) -> bool {
    let is_vi = usual_name(program) == "vim";
    let in_lines = |it: &Word| {
        let letters = it.text.strip_prefix('-').unwrap_or_default();
        letters.starts_with(['e', 'E']) && letters.len() < 3
    };
    let takes_lines = ["ed", "red", "ex", "sqlite3", "psql", "mysql", "mariadb"];
    takes_lines.contains(&program)
        || ESCAPE_WITH_BANG.contains(&program)
        || is_vi && words.iter().any(in_lines)
}

/// Programs that compile a source and run its result.
const COMPILERS: &[&str] = &[
    "go",
    "java",
    "swift",
    "kotlin",
    "dotnet",
    "gcc",
    "cc",
    "clang",
    "g++",
    "c++",
    "clang++",
    "tcc",
    "rustc",
    "nim",
    "v",
    "crystal",
    "zig",
    "dart",
    "rdmd",
    "dmd",
    "ldc2",
    "runghc",
    "odin",
    "haxe",
    "rust-script",
];

/// Returns the words that may be the script that is passed to an interpreter.
fn scripts_of<'w>(program: &str, words: &'w [Word]) -> Vec<&'w Word> {
    if takes_no_options(program, words) {
        return Vec::new();
    }
    scripts::scripts_of(program, words)
}

/// Returns whether a program reads its input because its first word is an option: Tcl knows
/// `-encoding` alone.
fn takes_no_options(program: &str, words: &[Word]) -> bool {
    let is_option = |it: &Word| it.text.starts_with('-') && it.text != "-encoding";
    ["tclsh", "wish"].contains(&program) && words.first().is_some_and(is_option)
}

/// Returns the words that are program text without an option: `sqlite3 FILE 'statements'`,
/// `vim '+command'`.
fn bare_texts<'w>(program: &str, words: &'w [Word]) -> Vec<&'w Word> {
    match usual_name(program) {
        "sqlite3" => {
            let operands = words.iter().filter(|it| !it.text.starts_with('-'));
            operands.skip(1).collect()
        }
        "rails" => {
            let mut behind = words
                .iter()
                .skip_while(|it| !["runner", "r"].contains(&it.text.as_str()));
            behind.next();
            behind.take(1).collect()
        }
        "vim" => words.iter().filter(|it| it.text.starts_with('+')).collect(),
        _ => Vec::new(),
    }
}

/// Returns whether an interpreter takes the word after this one as program text.
fn takes_text(program: &str, options: &[&str], word: &Word) -> bool {
    let text = word.text.as_str();
    let is_cluster_of_e = text.starts_with('-')
        && !text.starts_with("--")
        && program != "gdb"
        && options.contains(&"-e")
        && text.ends_with('e')
        // `perl -0777ne`
        && text.chars().filter(|it| !it.is_ascii_digit()).count() < 6;
    options.contains(&text)
        || is_cluster_of_e
        || text_place(program, text) == Some(TextPlace::NextWord)
        || usual_name(program) == "vim" && is_cluster_of_editor(text)
}

impl Walker {
    /// Follows program text that is passed to an interpreter.
    pub(super) fn language(
        &mut self,
        program: &str,
        simple: &Simple,
        scope: &mut Scope<'_>,
        input: &Stream,
    ) {
        let words = &simple.words[1..];
        if !build_files(program).is_empty() {
            return self.follow_recipes(program, words, scope, input);
        }
        if is_fed_by_name(program, words) {
            self.fed(program, words, scope, input);
        }
        let files = self.found.commands.last();
        let files = files.map(|it| it.values_of(script_options(program)));
        for file in files.iter().flatten().filter(|it| it.known) {
            self.just_written(program, file, scope, input);
        }
        if is_awk(program) {
            if let Some(text) = program_of_awk(words) {
                self.loaded_by_text(&text.text, scope, input);
                self.code(program, &text.text, scope);
            }
            return;
        }
        if COMPILERS.contains(&program) {
            return self.compiled(program, words, scope, input);
        }
        let Some(options) = text_options(program) else {
            return self.embedded_commands(program, words, scope, input);
        };
        let mut found = false;
        for (number, word) in words.iter().enumerate() {
            let takes = takes_text(program, options, word);
            let attached = attached_text(program, word, options).filter(|_| !takes);
            let text = match attached {
                Some(text) => Some(Word {
                    text,
                    ..word.clone()
                }),
                None if takes => words.get(number + 1).cloned(),
                None => None,
            };
            if let Some(text) = text {
                found = true;
                let begins = text.text.strip_prefix('$');
                let is_all = begins.is_some_and(|it| it.starts_with('(') || !it.contains(' '));
                if !text.known && is_all {
                    self.note_opaque(OpaqueReason::ComputedText, &text.text);
                }
                self.loaded_by_text(&text.text, scope, input);
                self.code(program, &text.text, scope);
            }
        }
        for text in bare_texts(program, words) {
            self.loaded_by_text(&text.text, scope, input);
            self.code(program, text.text.trim_start_matches('+'), scope);
        }
        let files = scripts_of(program, words);
        // A script that the text itself wrote is known.
        for file in files.iter().filter(|it| !found && it.known) {
            self.just_written(program, file, scope, input);
        }
        let has_file = !files.is_empty() || module_of(program, words).is_some();
        let reads_input = carries_out_input(program, words)
            || is_console(program, words)
            || !found && (!has_file || words.iter().any(|it| it.text == "-"));
        if !reads_input
            || words
                .iter()
                .any(|it| ["--version", "-V", "-v", "--help"].contains(&it.text.as_str()))
        {
            return;
        }
        self.fed(program, words, scope, input);
    }

    /// Follows what an interpreter reads and carries out.
    fn fed(&mut self, program: &str, words: &[Word], scope: &mut Scope<'_>, input: &Stream) {
        match input {
            Stream::Text(text) => match module_of(program, words) {
                // Its lines may begin with `!`.
                Some(("IPython", _)) => self.code("ipython", text, scope),
                _ => self.code(program, text, scope),
            },
            Stream::Output(from) if !is_database_copy(program, from) => {
                self.note_opaque(OpaqueReason::PipedText, from);
            }
            _ => {}
        }
    }

    /// Follows a source that this text wrote itself, and compiled and ran.
    fn compiled(&mut self, program: &str, words: &[Word], scope: &mut Scope<'_>, input: &Stream) {
        let sources = [
            ".go", ".java", ".swift", ".kts", ".cs", ".c", ".cc", ".cpp", ".rs", ".nim", ".nims",
            ".v", ".vsh", ".cr", ".zig", ".dart", ".d", ".hs", ".fsx", ".odin", ".hx", ".scala",
        ];
        // `go run <(…)`: what a command prints is in a file of its own.
        let is_source = |it: &&Word| {
            it.text.starts_with("/dev/fd/")
                || it.text == "-"
                || scope.names_input(it)
                || sources.iter().any(|end| it.text.ends_with(end))
        };
        if let Some(file) = words.iter().find(is_source).filter(|it| it.known) {
            self.just_written(program, file, scope, input);
        }
    }

    /// Follows a script that this text wrote itself, or gives to the program.
    fn just_written(&mut self, program: &str, file: &Word, scope: &mut Scope<'_>, input: &Stream) {
        let stream = match file.text.as_str() {
            "-" => input.clone(),
            _ => self.stream_for(file, scope, input),
        };
        match stream {
            Stream::Text(text) => self.code(program, &text, scope),
            Stream::Output(from) if !is_database_copy(program, &from) => {
                self.note_opaque(OpaqueReason::PipedText, &from);
            }
            _ => {}
        }
    }

    /// Follows the recipes of a makefile, or a similar file, that this text wrote itself.
    fn follow_recipes(
        &mut self,
        program: &str,
        words: &[Word],
        scope: &mut Scope<'_>,
        input: &Stream,
    ) {
        let options = build_file_options();
        let file = words.iter().enumerate().find_map(|(at, word)| {
            let (option, attached) = word.text.split_once('=').unzip();
            let option = option.unwrap_or(&word.text);
            if let Some(attached) = option.strip_prefix("-f").filter(|it| !it.is_empty()) {
                return Some(Word {
                    text: attached.to_owned(),
                    ..word.clone()
                });
            }
            if !options.contains(&option) {
                return None;
            }
            match attached {
                Some(text) => Some(Word {
                    text: text.to_owned(),
                    ..word.clone()
                }),
                None => words.get(at + 1).cloned(),
            }
        });
        let makefile = match file {
            Some(file) if file.text == "-" => input.clone(),
            Some(file) => self.stream_for(&file, scope, input),
            None => build_files(program)
                .iter()
                .map(|name| self.stream_of(&Word::plain(*name), scope))
                .find(|it| matches!(it, Stream::Text(_) | Stream::Output(_)))
                .unwrap_or(Stream::Inherited),
        };
        let given = words
            .iter()
            .filter_map(|it| it.text.strip_prefix("--eval="));
        let mut texts: Vec<String> = given.flat_map(recipes).collect();
        match makefile {
            Stream::Text(text) => texts.extend(recipes(&text)),
            Stream::Output(from) => self.note_opaque(OpaqueReason::PipedText, &from),
            _ => {}
        }
        self.through.push(program.to_owned());
        for text in texts {
            self.own_text(&text, scope);
        }
        self.through.pop();
    }

    /// Records program text, and follows what it starts.
    pub(super) fn code(&mut self, program: &str, text: &str, scope: &mut Scope<'_>) {
        fetched_by_text(text, scope);
        if let Some(command) = self.found.commands.last_mut() {
            let code = command.code.get_or_insert_default();
            if !code.is_empty() {
                code.push('\n');
            }
            code.push_str(text);
        }
        self.through.push(program.to_owned());
        for started in started_by(text, program) {
            let parsed = self.found.parsed;
            let count = self.found.opaque_parts.len();
            self.own_text(&started, scope);
            // A string is only assumed to be shell text.
            self.found.parsed = parsed;
            let guessed = self.found.opaque_parts.split_off(count);
            // But text that a string pipes into a shell is shell text.
            let meant = guessed
                .into_iter()
                .filter(|it| it.why == OpaqueReason::PipedText);
            self.found.opaque_parts.extend(meant);
        }
        self.through.pop();
    }
}

/// Returns whether a database is fed with what another one holds.
fn is_database_copy(program: &str, source: &str) -> bool {
    DATABASE_CLIENTS.contains(&program) && DUMPS.contains(&source)
}

/// Returns the recipes of a makefile, as shell text.
fn recipes(makefile: &str) -> Vec<String> {
    let recipes = makefile.lines().filter_map(recipe_of_line);
    recipes.map(|it| it.replace("$$", "$")).collect()
}

/// Finds the commands that functions in program text start.
fn started_by_functions(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let constants = Constants::of(code);
    let renamed = renamed_starters(code, STARTERS);
    for name in STARTERS.iter().copied().chain(renamed) {
        let mut rest = code;
        while let Some(at) = rest.find(name) {
            let before = rest[..at].chars().next_back();
            rest = &rest[at + name.len()..];
            let is_inside = |it: char| it.is_alphanumeric() || it == '_';
            if before.is_some_and(is_inside) || rest.chars().next().is_some_and(is_inside) {
                continue;
            }
            found.extend(arguments(rest, NAME_TWICE.contains(&name), &constants));
        }
    }
    found
}

/// Finds the commands that program text starts, as shell text.
fn started_by(code: &str, program: &str) -> Vec<String> {
    let mut found = started_by_functions(code);
    if program.starts_with("perl") || program.starts_with("ruby") || program.starts_with("php") {
        let mut pieces = code.split('`');
        pieces.next();
        while let (Some(text), Some(_)) = (pieces.next(), pieces.next()) {
            found.push(text.to_owned());
        }
    }
    // `$`rm -rf x``, as in `zx` and `Bun.$`.
    let mut shells = code.split("$`");
    shells.next();
    found.extend(
        shells
            .filter_map(|it| it.split_once('`'))
            .map(|it| it.0.to_owned()),
    );
    for opening in ["%x(", "qx(", "%x{", "qx{", "qx/", "%x[", "%x|"] {
        if let Some((_, rest)) = code.split_once(opening) {
            let closing = match opening.chars().next_back() {
                Some('(') => ')',
                Some('{') => '}',
                Some('[') => ']',
                other => other.unwrap_or('/'),
            };
            let end = rest.find(closing).unwrap_or(rest.len());
            found.push(rest[..end].to_owned());
        }
    }
    if program.ends_with("awk") {
        found.extend(started_by_awk(code));
    }
    if program == "gdb" {
        let shells = code.lines().filter_map(|line| {
            let line = line.trim_start();
            line.strip_prefix('!')
                .or_else(|| line.strip_prefix("shell "))
        });
        found.extend(shells.map(str::to_owned));
    }
    if program.ends_with("vim") || program == "vi" || program == "ex" {
        let commands = code.split(['\n', '|']);
        found.extend(commands.filter_map(run_by_vim).map(str::to_owned));
    }
    if DATABASE_CLIENTS.contains(&program) {
        let shells = [".shell ", ".system ", "\\! ", "\\!", "system "];
        let started = code.lines().filter_map(|line| {
            let line = line.trim_start();
            shells.iter().find_map(|it| line.strip_prefix(it))
        });
        found.extend(started.map(str::to_owned));
    }
    if ESCAPE_WITH_BANG.contains(&program) {
        let lines = code.split(['\n', ';']);
        let started = lines.filter_map(|line| line.trim_start().strip_prefix('!'));
        found.extend(started.map(str::to_owned));
    }
    found.extend(started_by_macros(code, program));
    if program == "ed" || program == "red" || program == "ex" {
        let started = code.lines().filter_map(|line| {
            let (_, command) = line.trim_start().split_once('!')?;
            (line.len() - command.len() < 6).then(|| command.to_owned())
        });
        found.extend(started);
    }
    if program == "expect" {
        let ends = |it: char| it == ';' || it == '\n';
        for opening in ["spawn ", "exec "] {
            let pieces = code.split(opening).skip(1);
            found.extend(pieces.map(|it| it.split(ends).next().unwrap_or("").to_owned()));
        }
    }
    if program == "pwsh" || program == "powershell" {
        found.push(code.to_owned());
    }
    found.iter().map(|it| with_computed(it)).collect()
}

/// Finds the commands that programs of `m4` and `cmake` start, whose arguments aren't strings.
fn started_by_macros(code: &str, program: &str) -> Vec<String> {
    let opening = match program {
        "m4" => "syscmd(",
        "cmake" | "ctest" => "COMMAND ",
        _ => return Vec::new(),
    };
    let mut pieces = code.split(opening);
    pieces.next();
    let started = pieces.map(|it| {
        let arguments = it.split(')').next().unwrap_or_default();
        arguments.trim_matches(['`', '\'', ' ', '\n']).to_owned()
    });
    started.collect()
}

/// Returns what a command of `vi` runs: `:!command`, `silent! %!command`, `r !command`.
fn run_by_vim(command: &str) -> Option<&str> {
    let (before, run) = command.split_once('!')?;
    // `silent!` is a separate word.
    if ["sil", "silent", "uns", "unsilent"].contains(&before.trim_start_matches([':', ' '])) {
        return run_by_vim(run);
    }
    let before = before.trim_end();
    let ends_word = before.ends_with(|it: char| it.is_ascii_alphabetic());
    // `w! file` is written without a blank, `w !command` with one.
    (!ends_word || command[before.len()..].starts_with(' ')).then_some(run)
}

/// Finds the commands that an `awk` program starts: `"command" | getline`, `print | "command"`.
fn started_by_awk(code: &str) -> Vec<String> {
    let pieces: Vec<&str> = code.split('"').collect();
    let piped = pieces
        .windows(2)
        .filter(|pair| pair[1].trim_start().starts_with('|') && pair[1].contains("getline"));
    let mut found: Vec<String> = piped.map(|pair| pair[0].to_owned()).collect();
    let run = pieces
        .windows(3)
        .filter(|it| it[1].trim() == "|" && is_shell(it[2]));
    found.extend(run.map(|it| it[0].to_owned()));
    for pipe in ["| \"", "|\""] {
        if let Some((_, rest)) = code.split_once(pipe)
            && let Some((text, _)) = rest.split_once('"')
        {
            found.push(text.to_owned());
        }
    }
    found
}
