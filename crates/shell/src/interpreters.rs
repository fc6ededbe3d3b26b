//! Programs that run program text, and the options that introduce it.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::languages::Language;
use crate::same_programs::usual_name;

/// Interpreters, and the options that program text follows.
const INTERPRETERS: &[(&str, &[&str])] = &[
    ("python", &["-c"]),
    ("pypy", &["-c"]),
    ("ipython", &["-c"]),
    ("bpython", &["-c"]),
    ("ptpython", &["-c"]),
    ("node", &["-e", "--eval", "-p", "--print", "-pe"]),
    ("tsx", &["-e", "--eval", "-p", "--print"]),
    ("zx", &["-e", "--eval"]),
    ("ts-node", &["-e", "--eval", "-p", "-pe"]),
    ("bun", &["-e", "--eval", "-p", "--print"]),
    ("deno", &["eval"]),
    (
        "perl",
        &[
            "-e", "-E", "-ne", "-pe", "-le", "-lne", "-nle", "-i.bak", "-pie",
        ],
    ),
    ("ruby", &["-e", "-ne", "-pe"]),
    ("php", &["-r", "--execute"]),
    ("lua", &["-e"]),
    ("luajit", &["-e"]),
    ("Rscript", &["-e"]),
    ("R", &["-e"]),
    ("osascript", &["-e"]),
    ("tclsh", &[]),
    ("expect", &["-c"]),
    ("ghc", &["-e"]),
    ("julia", &["-e", "-E"]),
    ("elixir", &["-e", "--eval"]),
    ("iex", &["-e", "--eval"]),
    ("erl", &["-eval"]),
    ("pwsh", &["-c", "-Command", "-command"]),
    ("powershell", &["-c", "-Command", "-command"]),
    ("gdb", &["-ex", "--eval-command", "-eval-command"]),
    ("vim", &["-c", "--cmd"]),
    ("emacs", &["--eval", "-eval"]),
    ("ed", &[]),
    ("red", &[]),
    ("sqlite3", &[]),
    ("psql", &["-c", "--command"]),
    ("mysql", &["-e", "--execute"]),
    ("mariadb", &["-e", "--execute"]),
    ("jshell", &[]),
    ("groovy", &["-e"]),
    ("scala", &["-e"]),
    ("guile", &["-c"]),
    ("sbcl", &["--eval"]),
    ("racket", &["-e"]),
    ("raku", &["-e"]),
    ("swipl", &["-g"]),
    ("octave", &["--eval"]),
    ("matlab", &["-r", "-batch"]),
    ("scilab", &["-e"]),
    ("maxima", &["--batch-string", "-r", "--run-string"]),
    ("gp", &[]),
    ("sage", &["-c"]),
    ("gap", &["-c"]),
    ("gnuplot", &["-e"]),
    ("tex", &[]),
    ("pdftex", &[]),
    ("xetex", &[]),
    ("luatex", &[]),
    ("latex", &[]),
    ("pdflatex", &[]),
    ("xelatex", &[]),
    ("lualatex", &[]),
    ("wish", &[]),
    ("irb", &[]),
    ("pry", &["-e"]),
    ("ghci", &["-e"]),
    ("ocaml", &["-e"]),
    ("clojure", &["-e", "--eval"]),
    ("clj", &["-e", "--eval"]),
    ("bb", &["-e", "--eval"]),
    ("csi", &["-e"]),
    ("ecl", &["-eval", "--eval"]),
    ("clisp", &["-x"]),
    ("gprolog", &["--query-goal", "--init-goal"]),
    ("mongosh", &["--eval"]),
    ("mongo", &["--eval"]),
    ("nu", &["-c", "--commands"]),
    ("xonsh", &["-c"]),
    ("elvish", &["-c"]),
    ("mix", &["-e", "--eval"]),
    ("rails", &[]),
    ("rake", &["-e"]),
    ("m4", &[]),
    ("dc", &["-e", "--expression"]),
    ("ftp", &[]),
    ("sftp", &[]),
    ("lftp", &["-e", "-c"]),
    ("escript", &[]),
    ("gforth", &["-e", "--evaluate"]),
    ("lli", &[]),
    ("csharp", &["-e"]),
    ("bc", &[]),
    ("nix-shell", &["--run", "--command"]),
    ("nix-build", &[]),
    ("gimp", &["-b", "--batch"]),
];

/// Returns the options of an interpreter after which program text follows; none for other programs.
pub(crate) fn text_options(program: &str) -> Option<&'static [&'static str]> {
    let name = program.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.');
    BY_INTERPRETER.of(usual_name(name), program)
}

/// Options by the programs that have them, for commands that are looked up many times.
struct Options(HashMap<&'static str, &'static [&'static str]>);

impl Options {
    /// Takes a table; the first line about a program counts.
    fn of_each(table: &'static [(&'static [&'static str], &'static [&'static str])]) -> Self {
        let mut all = HashMap::new();
        for (programs, options) in table {
            for program in *programs {
                all.entry(*program).or_insert(*options);
            }
        }
        Self(all)
    }

    /// Returns the options of a program by its usual name, or by its own; nothing if the table
    /// doesn't have it.
    fn of(&self, usual: &str, own: &str) -> Option<&'static [&'static str]> {
        let mut found = self.0.get(usual);
        if found.is_none() && usual != own {
            found = self.0.get(own);
        }
        found.copied()
    }
}

static BY_INTERPRETER: LazyLock<Options> =
    LazyLock::new(|| Options(INTERPRETERS.iter().copied().collect()));
static BY_SCRIPTED: LazyLock<Options> = LazyLock::new(|| Options::of_each(SCRIPTED));
static BY_LOADING: LazyLock<Options> = LazyLock::new(|| Options::of_each(LOADING));

/// Returns whether a program runs program text: what an option says, what a file contains, or what
/// it is fed.
#[must_use]
pub fn runs_text(program: &str) -> bool {
    text_options(program).is_some()
}

/// Returns the options after which a program expects program text as a word (`python3 -c`,
/// `bash -c`). The list is empty if the first operand is the program text, as with `awk`. Returns
/// `None` for other programs.
///
/// ```
/// use hookloop_shell::inline_options;
///
/// assert_eq!(inline_options("bash"), Some(&["-c"][..]));
/// assert_eq!(inline_options("awk"), Some(&[][..]));
/// assert_eq!(inline_options("cat"), None);
/// ```
#[must_use]
pub fn inline_options(program: &str) -> Option<&'static [&'static str]> {
    match Language::from_program(program) {
        Some(Language::Shell) => Some(&["-c"]),
        Some(Language::Awk) => Some(&[]),
        _ => text_options(program).filter(|it| !it.is_empty()),
    }
}

/// Programs that run a file which an option names, and these options.
const SCRIPTED: &[(&[&str], &[&str])] = &[
    (
        &["awk", "gawk", "mawk", "nawk"],
        &["-f", "--file", "-E", "--exec", "-i", "--include"],
    ),
    (
        &["bash", "sh", "dash", "ksh", "zsh"],
        &["--rcfile", "--init-file"],
    ),
    (&["sed", "gsed"], &["-f", "--file"]),
    (&["vim"], &["-S", "-s", "-u", "-U"]),
    (
        &["emacs"],
        &["-l", "--load", "-load", "--script", "-script", "-x"],
    ),
    (&["tmux"], &["-f"]),
    (&["screen"], &["-c"]),
    (
        &["maxima"],
        &[
            "-b",
            "--batch",
            "--batch-lisp",
            "-l",
            "--load",
            "--init",
            "--init-lisp",
            "-p",
            "--preload-lisp",
        ],
    ),
    (&["ssh", "scp"], &["-F"]),
    (&["sqlite3"], &["-init"]),
    (&["psql"], &["-f", "--file"]),
    (&["gdb"], &["-x", "--command", "-ix", "--init-command"]),
    (
        &["node"],
        &[
            "-r",
            "--require",
            "--import",
            "--loader",
            "--experimental-loader",
        ],
    ),
    (
        &["bun", "tsx", "ts-node"],
        &["-r", "--require", "--preload"],
    ),
    (&["php"], &["-f"]),
    (&["expect"], &["-f", "-b"]),
    (&["cmake"], &["-P"]),
    (&["ctest"], &["-S", "-SP"]),
    (&["dc"], &["-f", "--file"]),
    (&["sftp"], &["-b", "-F"]),
    (&["lftp"], &["-f"]),
];

/// Programs that load a library, a plugin or a module which an option names, and these options. In
/// their values, it may stand among others: `-d extension=./x.so`.
const LOADING: &[(&[&str], &[&str])] = &[
    (&["ssh-keygen"], &["-D", "-w"]),
    (&["ssh-add"], &["-s", "-S"]),
    (&["ssh", "scp", "sftp"], &["-I"]),
    (
        &["openssl"],
        &["-engine", "-provider", "-provider-path", "-config", "-c"],
    ),
    (
        &["gcc", "g++", "cc", "c++", "clang", "clang++"],
        &[
            "-fplugin",
            "-fpass-plugin",
            "-specs",
            "-Wl",
            "-Xclang",
            "-B",
            "-wrapper",
            "@",
        ],
    ),
    (
        &["ld", "gold", "lld"],
        &["-plugin", "--plugin", "-T", "--script", "@"],
    ),
    (
        &["opt"],
        &["-load", "-load-pass-plugin", "--load-pass-plugin"],
    ),
    (&["make", "gmake"], &["--eval"]),
    (&["awk", "gawk"], &["-l", "--load"]),
    (&["redis-server"], &["--loadmodule"]),
    (&["nginx"], &["-g", "-c"]),
    (&["strace", "ltrace"], &["-E", "--env"]),
    (&["enable"], &["-f"]),
    (&["lldb"], &["-s", "--source", "-S"]),
    (&["screen"], &["-c"]),
    (&["cargo"], &["--config"]),
    (&["httpd", "apache2"], &["-c", "-C"]),
    (
        &["php"],
        &["-d", "--define", "-z", "--zend-extension", "-c"],
    ),
    (&["mysql", "mariadb"], &["--plugin-dir", "--init-command"]),
    (
        &["java"],
        &[
            "-agentpath",
            "-javaagent",
            "-agentlib",
            "-cp",
            "-classpath",
            "--class-path",
        ],
    ),
    (&["qemu-x86_64", "qemu-system-x86_64"], &["-plugin"]),
    (
        &["gst-launch-1.0"],
        &["--gst-plugin-load", "--gst-plugin-path"],
    ),
    (&["wireshark", "tshark"], &["-X"]),
    (&["nmap"], &["--script"]),
    (&["blender"], &["-P", "--python"]),
    (&["mitmdump", "mitmproxy"], &["-s", "--scripts"]),
    (
        &["eslint"],
        &[
            "-c",
            "--config",
            "--rulesdir",
            "--resolve-plugins-relative-to",
            "-f",
            "--format",
        ],
    ),
    (
        &["webpack", "rollup", "jest", "vitest", "vite"],
        &["-c", "--config"],
    ),
    (&["mocha"], &["-r", "--require", "--config"]),
    (&["prettier"], &["--plugin", "--config"]),
    (&["ruby", "irb"], &["-r"]),
    (&["perl"], &["-M", "-m"]),
    (&["lua", "luajit"], &["-l"]),
    (&["julia"], &["-L", "--load"]),
    (&["elixir", "iex"], &["-r", "--require", "--dot-iex"]),
    (&["ocaml"], &["-init"]),
    (&["guile", "sbcl", "clisp"], &["-l", "--load", "-i"]),
    (&["docker", "podman"], &["-f", "--file"]),
    (&["vlc"], &["--plugin-path"]),
    (&["less"], &["--lesskey-file", "--lesskey-src", "-k"]),
    (&["bind", "fc", "history"], &["-f", "-s", "-r"]),
    (&["sqlite3"], &["-cmd"]),
];

/// Programs that run each file they are given, whatever it is called.
const LOAD_OPERANDS: &[&str] = &[
    "ansible-playbook",
    "pytest",
    "py.test",
    "papermill",
    "jupyter",
    "mono",
    "wine",
    "wine64",
    "dotnet",
    "wasmtime",
    "wasmer",
    "wasm3",
    "puppet",
    "gs",
    "run-parts",
    "box64",
    "qemu-x86_64",
    "qemu-aarch64",
    "qemu-arm",
    "qemu-i386",
];

/// Programs that carry out files in their folder which no word names, and these files.
const IMPLIED: &[(&[&str], &[&str])] = &[
    (
        &["npm", "pnpm", "yarn", "bun", "node", "npx"],
        &["package.json"],
    ),
    (
        &["cargo"],
        &["build.rs", "Cargo.toml", ".cargo/config.toml"],
    ),
    (&["pytest", "py.test"], &["conftest.py"]),
    (&["pip", "pip3"], &["setup.py", "pyproject.toml"]),
    (&["tox", "nox"], &["tox.ini", "noxfile.py"]),
    (
        &["mvn", "gradle"],
        &["pom.xml", "build.gradle", "build.gradle.kts"],
    ),
    (&["rake", "bundle"], &["Rakefile", "Gemfile"]),
    (&["cmake"], &["CMakeLists.txt"]),
    (&["composer"], &["composer.json"]),
];

/// Returns the files in its folder that a program carries out although no word names them.
pub(crate) fn implied_files(program: &str) -> &'static [&'static str] {
    let found = IMPLIED.iter().find(|(names, _)| names.contains(&program));
    found.map_or(&[], |(_, files)| *files)
}

/// Returns the options whose value names code that a program loads.
pub(crate) fn loading_options(program: &str) -> &'static [&'static str] {
    if program.starts_with("ld-") || program.starts_with("ld.so") || program == "ld64.so" {
        return &["--preload", "--audit"];
    }
    BY_LOADING.of(usual_name(program), program).unwrap_or(&[])
}

/// Returns whether a program runs each file that it is given.
pub(crate) fn loads_operands(program: &str) -> bool {
    LOAD_OPERANDS.contains(&program)
}

/// Returns the options after which a program expects a script file: `sed -f`, `vim -S`.
pub fn script_options(program: &str) -> &'static [&'static str] {
    BY_SCRIPTED.of(usual_name(program), program).unwrap_or(&[])
}
