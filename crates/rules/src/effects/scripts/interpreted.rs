//! Files that shells and interpreters run: which one, according to the options before it.

use hookloop_shell::{Command, Input, is_shell, is_standard_input, join};

use super::Project;

/// How an interpreter is given what to run.
pub(super) struct Interpreter {
    names: &'static [&'static str],
    /// The option that takes program text; none if the file is shell text.
    text: Option<&'static str>,
    /// All options that are followed by program text instead of a file; a cluster may end with one
    /// of these letters.
    texts: &'static [&'static str],
    /// Options that have a value.
    valued: &'static [&'static str],
    /// Options with which nothing is run.
    looks: &'static [&'static str],
}

const SHELL: Interpreter = Interpreter {
    names: &["source", "."],
    text: None,
    texts: &["-c"],
    valued: &["-o", "+o", "-O", "+O", "--rcfile", "--init-file"],
    looks: &["-n", "--help", "--version"],
};

const INTERPRETERS: &[Interpreter] = &[
    Interpreter {
        names: &["python", "pypy"],
        text: Some("-c"),
        texts: &["-c"],
        valued: &["-W", "-X", "-Q", "--check-hash-based-pycs"],
        looks: &["-h", "--help", "-V", "--version", "-?"],
    },
    Interpreter {
        names: &[
            "node",
            "nodejs",
            "tsx",
            "ts-node",
            "zx",
            "jiti",
            "vite-node",
            "bun",
            "deno",
        ],
        text: Some("-e"),
        texts: &["-e", "--eval", "-p", "-pe", "--print"],
        valued: &[
            "-r",
            "--require",
            "--import",
            "--loader",
            "--experimental-loader",
            "-C",
            "--conditions",
            "-P",
            "--project",
            "--tsconfig",
            "-O",
            "--title",
        ],
        looks: &["-c", "--check", "-h", "--help", "-v", "--version"],
    },
    Interpreter {
        names: &["ruby"],
        text: Some("-e"),
        texts: &["-e"],
        valued: &["-I", "-r", "-C"],
        looks: &["-c", "-h", "--help", "--version"],
    },
    Interpreter {
        names: &["perl"],
        text: Some("-e"),
        texts: &["-e", "-E"],
        valued: &["-I"],
        looks: &["-c", "-v", "-V", "-h"],
    },
    Interpreter {
        names: &["php"],
        text: Some("-r"),
        texts: &["-r", "--run", "-R", "-B"],
        valued: &["-c", "-d", "-z"],
        looks: &["-l", "-i", "-m", "-v", "-h", "--syntax-check", "-S"],
    },
    Interpreter {
        names: &["lua", "luajit", "Rscript", "julia", "groovy", "elixir"],
        text: Some("-e"),
        texts: &["-e", "-E", "--eval"],
        valued: &["-l", "-r", "-L"],
        looks: &["-v", "--version", "-h", "--help"],
    },
    Interpreter {
        names: &["expect"],
        text: Some("-c"),
        texts: &["-c"],
        valued: &[],
        looks: &["-v", "-n"],
    },
    Interpreter {
        names: &["pwsh", "powershell"],
        text: Some("-c"),
        texts: &["-c", "-Command", "-command", "-EncodedCommand", "-enc"],
        valued: &["-ExecutionPolicy", "-ep", "-WorkingDirectory", "-wd"],
        looks: &["-Help", "-Version"],
    },
];

/// Returns how a program is given what to run; nothing for one that runs no files.
pub(super) fn interpreter(program: &str) -> Option<&'static Interpreter> {
    if is_shell(program) || SHELL.names.contains(&program) {
        return Some(&SHELL);
    }
    // Both are also package managers.
    if ["bun", "deno"].contains(&program) {
        return None;
    }
    by_name(program)
}

fn by_name(program: &str) -> Option<&'static Interpreter> {
    let name = program.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.');
    INTERPRETERS.iter().find(|it| it.names.contains(&name))
}

/// What the options of an interpreter say.
enum InterpreterInput<'w> {
    /// It runs nothing, or text that is in the command.
    Nothing,
    /// A file, with what follows it.
    File(&'w str),
    /// A module of Python.
    Module(&'w str),
    /// Its standard input.
    Input,
}

impl Interpreter {
    /// Returns the program that reads text of the same language.
    fn language<'n>(&self, program: &'n str) -> &'n str {
        let is_node = self.names.contains(&"node");
        if is_node { "node" } else { program }
    }

    fn input<'w>(&self, words: &[&'w str]) -> InterpreterInput<'w> {
        let is_shell = self.text.is_none();
        let mut words = words.iter().copied();
        while let Some(word) = words.next() {
            if word == "--" {
                return words
                    .next()
                    .map_or(InterpreterInput::Input, InterpreterInput::File);
            }
            if word == "-" || is_standard_input(word) {
                return InterpreterInput::Input;
            }
            let letters = word.strip_prefix(['-', '+']).filter(|it| !it.is_empty());
            let Some(letters) = letters else {
                return InterpreterInput::File(word);
            };
            let is_cluster =
                !letters.starts_with('-') && letters.chars().all(|it| it.is_ascii_alphabetic());
            let has = |options: &[&str]| {
                let clustered = |it: &&str| {
                    let letter = it.strip_prefix('-').filter(|it| it.len() == 1);
                    letter.is_some_and(|letter| {
                        is_cluster && is_shell && letters.contains(letter)
                            || is_cluster && letters.len() < 4 && letters.ends_with(letter)
                    })
                };
                options.contains(&word) || options.iter().any(clustered)
            };
            if has(self.looks) && !word.starts_with('+') {
                return InterpreterInput::Nothing;
            }
            let is_python = self.names.contains(&"python");
            if is_python && (word == "-m" || is_cluster && letters.ends_with('m')) {
                return words
                    .next()
                    .map_or(InterpreterInput::Nothing, InterpreterInput::Module);
            }
            if has(self.texts) {
                return InterpreterInput::Nothing;
            }
            if is_shell && is_cluster && letters.contains('s') {
                return InterpreterInput::Input;
            }
            if ["-File", "-file", "-f"].contains(&word) && !is_shell {
                return words
                    .next()
                    .map_or(InterpreterInput::Nothing, InterpreterInput::File);
            }
            let takes = self.valued.contains(&word)
                || is_shell && is_cluster && letters.ends_with(['o', 'O']);
            if takes && words.next() == Some("noexec") {
                return InterpreterInput::Nothing;
            }
        }
        InterpreterInput::Input
    }
}

/// Returns what a shell or an interpreter runs, as shell text.
pub(super) fn text(
    project: &Project<'_>,
    runs: &Interpreter,
    command: &Command,
    words: &[&str],
) -> Option<String> {
    let program = command.program.as_str();
    if program == "node"
        && let Some(at) = words.iter().position(|it| *it == "--run")
    {
        return super::packages::script(project, words.get(at + 1)?);
    }
    // `tsx watch a.ts`.
    let words = match words {
        ["watch", rest @ ..] if program == "tsx" => rest,
        words => words,
    };
    let text = match runs.input(words) {
        InterpreterInput::Nothing => None,
        InterpreterInput::File(path) if runs.text.is_none() => {
            let text = project.read(path);
            text.map(|it| with_arguments(&it, path, words))
        }
        InterpreterInput::File(path) => project.read(path),
        InterpreterInput::Module(name) => {
            let path = name.trim_end_matches(".py").replace('.', "/");
            let file = project.read(&format!("{path}.py"));
            file.or_else(|| project.read(&format!("{path}/__main__.py")))
        }
        InterpreterInput::Input => match &command.input {
            Input::File(path) => project.read(path),
            Input::Output(line) => project.cat_output(line),
            _ => None,
        },
    }?;
    Some(match runs.text {
        Some(option) => join([runs.language(program), option, text.as_str()]),
        None => text,
    })
}

/// Puts the arguments of a shell script before its text, as `$1` and so on.
fn with_arguments(text: &str, path: &str, words: &[&str]) -> String {
    let behind = words.iter().skip_while(|it| **it != path).skip(1);
    let arguments: Vec<&str> = behind.copied().collect();
    let is_plain = |it: &&str| !it.contains(['$', '`', '*']);
    if arguments.is_empty() || !arguments.iter().all(is_plain) {
        return text.to_owned();
    }
    format!("set -- {}\n{text}", join(arguments))
}

/// Returns what a file that is started by its path does: its first line says what reads it.
pub(super) fn text_of_program(project: &Project<'_>, path: &str, words: &[&str]) -> Option<String> {
    let text = project.read(path)?;
    let first = text.lines().next().unwrap_or("").strip_prefix("#!")?;
    let mut line = first.split_whitespace();
    let name = line.next()?.rsplit('/').next().unwrap_or("");
    let name = match name {
        "env" => line.find(|it| !it.starts_with('-') && !it.contains('='))?,
        name => name,
    };
    if is_shell(name) {
        return Some(with_arguments(&text, path, &[&[path], words].concat()));
    }
    if name == "make" {
        return super::makefile::recipes(
            project,
            &[&["-f", path], words].concat(),
            &Input::Inherited,
        );
    }
    let runs = by_name(name)?;
    Some(join([runs.language(name), runs.text?, text.as_str()]))
}
