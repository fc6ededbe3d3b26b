//! Code that a program loads besides its script: a library or a plugin that an option or a variable
//! names, and a file that its program text carries out (`LD_PRELOAD=./x.so ls`,
//! `openssl req -engine ./x.so`, `exec(open(0).read())`).

use std::path::Path;

use crate::flow::Stream;
use crate::interpreters::{implied_files, loading_options, loads_operands};
use crate::run::carried::is_unseen;
use crate::scope::{Appends, Scope};
use crate::scripts::{module_of, runs_script};
use crate::simple::Simple;
use crate::understood::{OpaqueReason, Word};
use crate::walk::Walker;

/// Variables that name files which programs load when they start, and the program that would run
/// such a file as its script; none for libraries and settings.
const VARIABLES: &[(&str, Option<&str>)] = &[
    ("LD_PRELOAD", None),
    ("LD_AUDIT", None),
    ("DYLD_INSERT_LIBRARIES", None),
    ("OPENSSL_CONF", None),
    ("OPENSSL_ENGINES", None),
    ("OPENSSL_MODULES", None),
    ("GTK_MODULES", None),
    ("JAVA_TOOL_OPTIONS", None),
    ("JDK_JAVA_OPTIONS", None),
    ("_JAVA_OPTIONS", None),
    ("ENV", Some("sh")),
    ("PYTHONSTARTUP", Some("python3")),
    ("NODE_OPTIONS", Some("node")),
    ("RUBYOPT", Some("ruby")),
    ("PERL5OPT", Some("perl")),
    ("LUA_INIT", Some("lua")),
    ("R_PROFILE", Some("Rscript")),
    ("R_PROFILE_USER", Some("Rscript")),
    ("VIMINIT", Some("vim")),
    ("EXINIT", Some("vim")),
    ("PSQLRC", Some("psql")),
];

/// Programs that write what they fetch or decode to a file that an option names.
const WRITERS: &[&str] = &[
    "curl", "wget", "wget2", "aria2c", "xh", "http", "fetch", "scp", "ftp", "openssl", "gpg", "age",
];

/// What separates the names in the value of an option or a variable: `extension=./x.so`,
/// `-Wl,-plugin,./x.so`.
const SEPARATORS: &[char] = &['=', ':', ',', ';', ' ', '@', '"', '\''];

/// Settings of `ssh` that name a library.
const OF_SSH: &[&str] = &["pkcs11provider", "securitykeyprovider"];

/// Words of program texts that load the file which follows them.
const LOADERS: &[&str] = &[
    "CDLL(",
    "LoadLibrary(",
    "dlopen(module,",
    "dlopen(",
    "dl_load_file(",
    "loadlib(",
    "load_extension(",
    ".load ",
    ".read ",
    ".import(",
    "libcall(",
    "execfile(",
    "run_path(",
    "dofile(",
    "loadfile(",
    "source ",
    "so ",
    "@load ",
    "load ",
    "load(",
    "do ",
    "require ",
    "require(",
    "require_relative ",
    "import(",
    "include ",
    "LOAD ",
    "import ",
    "from ",
    "__import__(",
    "import_module(",
    "load(open(",
    "LD_PRELOAD ",
    "LD_PRELOAD=",
];

/// Words of program texts that carry out the text which follows them in parentheses.
const EVALUATORS: &[&str] = &["exec(", "eval(", "Function(", "compile(", "loadstring("];

/// How texts name their input where it isn't a file.
const INPUTS: &[&str] = &[
    "open(0",
    "stdin",
    "STDIN",
    "input(",
    "readFileSync(0",
    "gets",
    "io.read(",
];

impl Walker {
    /// Notes what a command loads because of the variables before it, if this text wrote it.
    pub(super) fn loaded_by_variables(&mut self, simple: &Simple, scope: &mut Scope<'_>) {
        for (name, value) in variables_of(simple) {
            let mut known = VARIABLES.iter();
            let Some((_, program)) = known.find(|(it, _)| *it == name) else {
                continue;
            };
            for file in pieces(value) {
                match self.stream_for(&file, scope, &Stream::Inherited) {
                    Stream::Output(from) => self.note_opaque(OpaqueReason::PipedText, &from),
                    Stream::Text(text) => {
                        if let Some(program) = program {
                            self.started_text(program, &text, scope);
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// Notes that nobody knows what a program wrote to the files that its words name: what it
    /// fetched (`wget -O FILE`), or made of something that nobody knows (`xxd -r UNSEEN FILE`).
    pub(super) fn written_by_itself(
        &self,
        program: &str,
        words: &[Word],
        scope: &mut Scope<'_>,
        input: &Stream,
    ) {
        let given: Vec<&Word> = words.iter().filter(|it| it.known).collect();
        if !WRITERS.contains(&program) && !is_unseen(&given, scope, input) {
            return;
        }
        let Some(command) = self.found.commands.last() else {
            return;
        };
        let is_redirect = |written: &str| {
            let mut redirects = command.redirects.iter();
            redirects.any(|it| it.target.text == written)
        };
        let written = command.writes.iter().filter(|it| it.known && !it.pattern);
        let named: Vec<Word> = written
            .filter(|it| !is_redirect(&it.written))
            .map(|it| Word::plain(&it.written))
            .collect();
        for file in named {
            scope.write(&file, None, Appends::No);
        }
    }

    /// Notes what a program loads because of its options, if this text wrote it.
    pub(super) fn loaded_by_options(
        &mut self,
        program: &str,
        words: &[Word],
        scope: &Scope<'_>,
        input: &Stream,
    ) {
        let command = self.found.commands.last();
        let loading = loading_options(program);
        let values = command.map(|it| it.values_of(loading));
        let operands = words.iter().filter(|it| !it.text.starts_with('-'));
        let operands = operands.filter(|_| loads_operands(program)).cloned();
        let attached = words.iter().filter(|it| it.text.starts_with(['-', '@']));
        let attached = attached.filter(|it| {
            let mut options = loading.iter();
            options.any(|option| it.text.starts_with(option) && it.text.len() > option.len())
        });
        let attached = attached.cloned();
        let of_ssh = ["ssh", "scp", "sftp"].contains(&program);
        let settings = words.iter().filter(|_| of_ssh).filter(|it| {
            let setting = it
                .text
                .strip_prefix("-o")
                .unwrap_or(&it.text)
                .to_lowercase();
            OF_SSH.iter().any(|key| setting.trim().starts_with(key))
        });
        let named: Vec<Word> = values
            .into_iter()
            .flatten()
            .chain(attached)
            .chain(operands)
            .chain(settings.cloned())
            .collect();
        for value in named.iter().filter(|it| it.known) {
            for file in pieces(&value.text) {
                self.note_loaded(&file, scope, input);
            }
        }
        let module = module_of(program, words).map(|(module, _)| module);
        let runs_module = module.is_some_and(runs_script);
        let arguments = words
            .iter()
            .filter(|it| runs_module || module == Some("pytest") && it.known);
        let implied = implied_files(program).iter().copied();
        let all = implied
            .chain(module)
            .chain(arguments.map(|it| it.text.as_str()));
        for file in all {
            self.note_loaded(&Word::plain(file), scope, input);
        }
    }

    /// Notes what a program text loads or carries out, if this text wrote it, or it is the output
    /// of a program.
    pub(super) fn loaded_by_text(&mut self, text: &str, scope: &Scope<'_>, input: &Stream) {
        self.started_by_input(text, input);
        for loader in LOADERS {
            for behind in behind(text, loader) {
                let opening: &[char] = &['(', '"', '\'', '`', ' ', '.'];
                let name = behind.trim_start_matches(|it| opening.contains(&it) && it != '.');
                let ends = |it: char| it.is_whitespace() || "\"'`(),;)".contains(it);
                let name = name.split(ends).next().unwrap_or_default();
                // Data, which JavaScript loads by the same name.
                let is_data = Path::new(name).extension().is_some_and(|it| it == "json");
                if !name.is_empty() && !is_data {
                    self.note_loaded(&Word::plain(name), scope, input);
                }
            }
        }
        for evaluator in EVALUATORS {
            for behind in behind(text, evaluator) {
                let evaluated = in_parentheses(behind);
                if INPUTS.iter().any(|it| evaluated.contains(it))
                    && let Stream::Output(from) = input
                {
                    self.note_opaque(OpaqueReason::PipedText, from);
                }
                let ends = |it: char| it.is_whitespace() || "\"'`(),;)".contains(it);
                let named = evaluated.split(ends).filter(|it| !it.is_empty());
                for name in named.take(16) {
                    self.note_loaded(&Word::plain(name), scope, input);
                }
            }
        }
    }

    /// Notes that a program text has a shell carry out what the program is fed
    /// (`awk '{system($0)}'`), if that is the output of a program.
    fn started_by_input(&mut self, text: &str, input: &Stream) {
        let Stream::Output(from) = input else {
            return;
        };
        if runs_input(text) {
            self.note_opaque(OpaqueReason::PipedText, from);
        }
    }

    /// Notes a file that is loaded: by its name, or as a module by the name without its ending.
    fn note_loaded(&mut self, file: &Word, scope: &Scope<'_>, input: &Stream) {
        if scope.is_untouched(file) {
            return;
        }
        let module = file.text.replace("::", "/");
        let is_dotted = !module.contains('/') && !module.starts_with('.');
        let folders = is_dotted.then(|| module.replace('.', "/"));
        let modules = std::iter::once(module).chain(folders);
        let named =
            modules.flat_map(|it| ENDINGS.map(|ending| Word::plain(format!("{it}{ending}"))));
        for file in std::iter::once(file.clone()).chain(named) {
            if let Stream::Output(from) = self.stream_for(&file, scope, input) {
                return self.note_opaque(OpaqueReason::PipedText, &from);
            }
        }
    }

    /// Follows a text that a program carries out when it starts.
    fn started_text(&mut self, program: &str, text: &str, scope: &mut Scope<'_>) {
        if program == "sh" {
            let parsed = self.found.parsed;
            self.own_text(text, scope);
            self.found.parsed = parsed;
        } else {
            self.code(program, text, scope);
        }
    }
}

/// Functions that have a shell carry out their argument.
const STARTERS: [&str; 14] = [
    "system(",
    "system ",
    "popen(",
    "getoutput(",
    "getstatusoutput(",
    "shell_exec(",
    "passthru(",
    "execSync(",
    "exec(",
    "exec ",
    "run(",
    "call(",
    "Popen(",
    "check_output(",
];

/// Those of these that start a shell only if they are told to.
const WITHOUT_SHELL: [&str; 4] = ["run(", "call(", "Popen(", "check_output("];

/// What stands for the line that a program reads: in awk, Perl and Ruby.
const RECORDS: [&str; 4] = ["$0", "$1", "$_", "$F["];

/// How the names of modules end.
const ENDINGS: [&str; 7] = [".py", ".pm", ".lua", ".rb", ".js", ".mjs", ".so"];

/// Returns whether a program text has a shell, or the language itself, carry out what it reads.
fn runs_input(text: &str) -> bool {
    let begins_with_record = |it: &str| {
        let it = it.trim_start_matches([' ', '(', '"']);
        RECORDS.iter().any(|record| it.starts_with(record))
    };
    let is_started = STARTERS.iter().any(|starter| {
        behind(text, starter).any(|rest| {
            let argument = if starter.ends_with('(') {
                in_parentheses(rest)
            } else {
                rest.split([';', '\n', '}']).next().unwrap_or_default()
            };
            let is_shell = !WITHOUT_SHELL.contains(starter) || argument.contains("shell=True");
            let named = argument.replace("stdin=", "");
            let reads = INPUTS.iter().any(|it| named.contains(it)) && !named.contains("stdio");
            is_shell && (begins_with_record(argument) || reads)
        })
    });
    let quoted = text.split('`').skip(1).step_by(2);
    let is_evaluated = behind(text, "eval").any(|rest| {
        let rest = rest.trim_start();
        rest.is_empty() || rest.starts_with([';', '}']) || begins_with_record(rest)
    });
    let is_piped = text.match_indices("| getline").any(|(at, _)| {
        let before = text[..at].trim_end();
        RECORDS.iter().any(|it| before.ends_with(it))
    });
    is_started || is_evaluated || is_piped || quoted.map(str::trim).any(begins_with_record)
}

/// Returns the variables that a command sets, before it or as its operands (`export NAME=value`),
/// if their values are known.
pub(super) fn variables_of(simple: &Simple) -> impl Iterator<Item = (&str, &str)> {
    let declared = simple
        .words
        .iter()
        .filter(|_| simple.env.is_empty())
        .filter_map(|word| word.text.split_once('=').filter(|_| word.known));
    let in_front = simple.env.iter().filter(|it| it.value.known);
    let in_front = in_front.map(|it| (it.name.as_str(), it.value.text.as_str()));
    in_front.chain(declared)
}

/// Returns a value and the names in it.
fn pieces(value: &str) -> Vec<Word> {
    let inside = value.split(SEPARATORS).filter(|it| *it != value);
    // `-r./x.js`
    let attached = value.strip_prefix('-').and_then(|it| it.get(1..));
    let all = std::iter::once(value).chain(inside).chain(attached);
    let all = all.filter(|it| !it.is_empty() && *it != "-");
    all.map(Word::plain).collect()
}

/// Returns what follows each occurrence of a word that isn't the end of another word.
fn behind<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = &'t str> {
    let is_part = |it: char| it.is_alphanumeric() || it == '_';
    text.match_indices(word).filter_map(move |(at, _)| {
        let is_whole = !word.starts_with(is_part) || !text[..at].ends_with(is_part);
        is_whole.then(|| &text[at + word.len()..])
    })
}

/// Returns a text up to the parenthesis that closes the one before it.
fn in_parentheses(text: &str) -> &str {
    let mut open = 1;
    let end = text.char_indices().find(|(_, it)| {
        open += match it {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        open == 0
    });
    end.map_or(text, |(at, _)| &text[..at])
}

#[cfg(test)]
mod tests {
    use crate::{Surroundings, understand};

    fn is_opaque(text: &str) -> bool {
        let around = Surroundings {
            folder: Some("/p"),
            ..Surroundings::default()
        };
        understand(text, around).opaque()
    }

    /// HT-30: code that is downloaded counts as opaque however a program loads it: by an option, a
    /// variable, its program text or its input. The same command with a file that was there before
    /// doesn't. Commands that load the file `F` as code.
    const LOADS: &[&str] = &[
        "ssh-keygen -D ./F",
        "ssh-add -s ./F",
        "ssh -I ./F h",
        "ssh -o PKCS11Provider=./F h",
        "ssh -oSecurityKeyProvider=./F h",
        "openssl engine -t -c ./F",
        "openssl req -engine ./F",
        "openssl req -config F",
        "gcc -fplugin=./F a.c",
        "gcc -specs=F a.c",
        "gcc -Wl,-plugin,./F a.c",
        "clang -Xclang -load -Xclang ./F a.c",
        "ld -plugin ./F a.o",
        "opt -load-pass-plugin=./F a.ll",
        "gawk -l ./F 1 a.txt",
        "gawk '@load \"./F\"; BEGIN {}'",
        "redis-server --loadmodule ./F",
        "nginx -g 'load_module ./F;'",
        "php -d extension=./F -r 1",
        "php -d auto_prepend_file=F -r 1",
        "java -agentpath:./F Main",
        "java -javaagent:F Main",
        "tshark -X lua_script:F",
        "nmap --script F h",
        "blender -b -P F",
        "mitmdump -s F",
        "eslint -c F a.js",
        "mocha -r ./F",
        "prettier --plugin=./F a.js",
        "ruby -r./F -e 1",
        "julia -L F -e 1",
        "iex --dot-iex F",
        "ansible-playbook F",
        "LD_PRELOAD=./F ls",
        "LD_AUDIT=./F ls",
        "env LD_PRELOAD=./F ls",
        "PYTHONSTARTUP=F python3 -ic 1",
        "ENV=F sh -i",
        "NODE_OPTIONS='--require ./F' node a.js",
        "sqlite3 -cmd '.load ./F' :memory: 'select 1'",
        "sqlite3 :memory: \"select load_extension('./F')\"",
        "sqlite3 :memory: '.read F'",
        "gdb -ex 'source F' --batch",
        "gdb -batch -ex 'set environment LD_PRELOAD ./F' -ex run ls",
        "vim -c 'so F' -c q",
        "vim -c 'call libcall(\"./F\", \"f\", \"\")' -c q",
        "node -e 'process.dlopen(module, \"./F\")'",
        "node -e 'require(\"./F\")'",
        "python3 -c 'import ctypes; ctypes.CDLL(\"./F\")'",
        "python3 -c 'exec(open(\"F\").read())'",
        "lua -e 'package.loadlib(\"./F\", \"*\")'",
        "export LD_PRELOAD=./F; ls",
        "declare -x LD_PRELOAD=./F; ls",
        "LD_PRELOAD=./F; export LD_PRELOAD; ls",
        "LD_PRELOAD=/lib/a.so:./F ls",
        "strace -E LD_PRELOAD=./F ls",
        "enable -f ./F y",
        "sqlite3 a.db < F",
        "vim -u F",
        "emacs --batch -l F",
        "emacs -q --load=F",
        "gdb -x F",
        "lldb -s F",
        "ssh -o Include=F -o PKCS11Provider=F h",
        "tmux -f F new -d",
        "screen -c F",
        "node -r./F a.js",
        "bun F",
        "make -f F",
        "make --eval 'include F'",
        "cargo --config F build",
        "gcc -wrapper ./F a.c",
        "gcc @F",
        "ld -T F a.o",
        "nginx -c F",
        "psql -f F",
        "mysql < F",
        "awk -f F a",
        "sed -f F a",
        "bc F",
        "dc -f F",
        "m4 F",
        "expect F",
        "tclsh F",
        "luajit F",
        "ocaml F",
        "elixir F",
        "julia F",
        "Rscript F",
        "octave F",
    ];

    #[test]
    fn downloaded_code_is_opaque_however_it_is_loaded() {
        let mut wrong = Vec::new();
        for command in LOADS {
            let loads = command.replace('F', "x.so");
            for fetch in [
                "curl -s http://h/x > x.so",
                "wget -O x.so http://h/x",
                "base64 -d a > x.so",
            ] {
                let text = format!("{fetch}; {loads}");
                wrong.extend((!is_opaque(&text)).then_some(text));
            }
            let text = format!("curl -s http://h/x > y; {loads}");
            wrong.extend(is_opaque(&text).then_some(text));
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    /// HT-30: so does what a program is fed, and sources in languages that are compiled and run at
    /// once.
    #[test]
    fn downloaded_input_and_sources_are_opaque() {
        let mut wrong = Vec::new();
        for text in [
            "curl -s http://h/a | tmux source -",
            "curl -s http://h/a | tmux source-file /dev/stdin",
            "curl -s http://h/a | tmux -C",
            "tmux source <(curl -s http://h/a)",
            "curl -s http://h/a | nu -c 'source /dev/stdin'",
            "curl -s http://h/a | python3 -c 'exec(open(0).read())'",
            "curl -s http://h/a | ruby -e 'eval(STDIN.read)'",
            "curl -s http://h/a | node -e 'eval(require(\"fs\").readFileSync(0, \"utf8\"))'",
            "curl -s http://h/a | lli",
            "curl -s http://h/a | nim c -r -",
            "curl -s http://h/a | tcc -run -",
            "curl -s http://h/a | gforth",
            "curl -s http://h/a > x.nims; nim e x.nims",
            "curl -s http://h/a > x; escript x",
            "curl -s http://h/a > x; tmux source x",
            "curl -s http://h/a > x; tmux -f x new -d",
            "nim e <(curl -s http://h/a)",
            "curl -s http://h/a > x.v; v run x.v",
            "curl -s http://h/a > x.cr; crystal run x.cr",
            "curl -s http://h/a > x.zig; zig run x.zig",
            "curl -s http://h/a > x.dart; dart run x.dart",
            "curl -s http://h/a > x.hs; runghc x.hs",
            "curl -s http://h/a > x.fsx; dotnet fsi x.fsx",
        ] {
            wrong.extend((!is_opaque(text)).then_some(text));
        }
        for text in [
            "curl -s http://h/a | jq .",
            "curl -s http://h/a > a.json; node -e 'console.log(require(\"./a.json\").x)'",
            "curl -s http://h/a > a.csv; python3 -c 'import csv; print(list(csv.reader(open(\"a.csv\"))))'",
            "curl -s http://h/a | python3 -c 'import json, sys; print(json.load(sys.stdin))'",
            "curl -s http://h/a > a.tgz; tar -xzf a.tgz",
            "curl -s http://h/a > a.pem; openssl x509 -in a.pem -noout -text",
            "ssh-keyscan h > known; ssh -o UserKnownHostsFile=known h uptime",
            "curl -s http://h/a > a.jpg; convert a.jpg b.png",
            "echo 'set -g mouse on' | tmux source -",
            "LD_PRELOAD=/usr/lib/libjemalloc.so ls",
            "nim e build.nims",
            "v run .",
            "java -jar app.jar",
            "docker logs -f web",
        ] {
            wrong.extend(is_opaque(text).then_some(text));
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    /// HT-30: what `tmux` is told to run is found in the lines that it is fed.
    #[test]
    fn lines_for_tmux_are_followed() {
        for text in [
            "echo 'run-shell \"rm -rf x\"' | tmux source -",
            "tmux source - <<'E'\nset -g mouse on\nif-shell true \"rm -rf x\"\nE",
            "echo 'new-window \"rm -rf x\"' > t; tmux source-file t",
            "echo 'run \"rm -rf x\"' | tmux -C",
            "echo 'rm -rf x' > x.sh; ENV=x.sh sh -i",
            "echo 'import os; os.system(\"rm -rf x\")' > x.py; PYTHONSTARTUP=x.py python3 -i",
        ] {
            let found = understand(text, Surroundings::default());
            let mut commands = found.commands.iter();
            assert!(commands.any(|it| it.program == "rm"), "{text}");
        }
    }
}
