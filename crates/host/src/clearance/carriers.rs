//! Which variables, options and files make programs run something.

use super::tables::Table;

/// How programs interpret a variable's value.
#[derive(Debug, Clone, Copy)]
pub(super) enum As {
    /// The value is one word in this line.
    Value(&'static str),
    /// The value is a command of vim.
    Vim,
    /// It names files in which each line is an option of this program.
    Options(&'static str),
    /// The value is several words in this line.
    Words(&'static str),
    /// It names files that are run as in this line.
    File(&'static str),
    /// It names files of code that can't be examined.
    Code,
    /// It names folders of programs.
    Folder,
    /// It names a settings file.
    Settings,
    /// It names folders of modules, some of which are loaded at startup.
    Startup,
    /// It names folders of modules.
    Modules,
    /// It names folders of libraries.
    Libraries,
    /// It names code.
    Any,
}

/// Variables whose values make programs run something.
pub(super) const VARIABLES: [(&str, As); 53] = [
    ("BASH_ENV", As::File(". {}")),
    ("ENV", As::File(". {}")),
    ("PYTHONSTARTUP", As::File("python3 {}")),
    ("PYTHONPATH", As::Startup),
    ("NODE_PATH", As::Modules),
    ("PERL5LIB", As::Modules),
    ("RUBYLIB", As::Modules),
    ("NODE_OPTIONS", As::File("node {}")),
    ("PERL5OPT", As::File("perl {}")),
    ("PERL5DB", As::Value("perl -e {}")),
    ("RUBYOPT", As::File("ruby {}")),
    ("LUA_INIT", As::Value("lua -e {}")),
    ("R_PROFILE", As::File("Rscript {}")),
    ("R_PROFILE_USER", As::File("Rscript {}")),
    ("VIMINIT", As::Vim),
    ("EXINIT", As::Vim),
    ("GVIMINIT", As::Vim),
    ("WGETRC", As::Options("wget")),
    ("TAR_OPTIONS", As::Words("tar {}")),
    ("MAKEFLAGS", As::Words("make {}")),
    ("GNUMAKEFLAGS", As::Words("make {}")),
    ("MAKEFILES", As::File("make -f {}")),
    ("PSQLRC", As::File("psql -f {}")),
    ("APT_CONFIG", As::Settings),
    ("ANSIBLE_CONFIG", As::Settings),
    ("TMUX_CONF", As::Settings),
    ("SCREENRC", As::Settings),
    ("INPUTRC", As::Code),
    ("KUBECONFIG", As::Settings),
    ("RIPGREP_CONFIG_PATH", As::Options("rg")),
    ("LESS", As::Words("less {}")),
    ("ACKRC", As::Settings),
    ("BAT_CONFIG_PATH", As::Settings),
    ("GIT_EXEC_PATH", As::Folder),
    ("GIT_TEMPLATE_DIR", As::Folder),
    ("COMPILER_PATH", As::Folder),
    ("GCC_EXEC_PREFIX", As::Folder),
    ("GOFLAGS", As::Words("go vet {}")),
    ("LD_PRELOAD", As::Code),
    ("LD_AUDIT", As::Code),
    ("DYLD_INSERT_LIBRARIES", As::Code),
    ("OPENSSL_CONF", As::Code),
    ("LD_LIBRARY_PATH", As::Libraries),
    ("PYTHONBREAKPOINT", As::Any),
    ("JAVA_TOOL_OPTIONS", As::Code),
    ("JDK_JAVA_OPTIONS", As::Code),
    ("_JAVA_OPTIONS", As::Code),
    ("CLASSPATH", As::Settings),
    ("PYTHONHOME", As::Code),
    ("RUSTC", As::Settings),
    ("RUSTC_WRAPPER", As::Settings),
    ("RUSTC_WORKSPACE_WRAPPER", As::Settings),
    ("ZDOTDIR", As::Folder),
];

/// Variables that name the folder of a user's settings.
pub(super) const HOMES: [&str; 5] = [
    "HOME",
    "CURL_HOME",
    "XDG_CONFIG_HOME",
    "ZDOTDIR",
    "CARGO_HOME",
];

/// Files that programs read automatically.
pub(super) struct Default {
    /// The programs, separated by blanks.
    pub(super) programs: &'static str,
    /// The files, in the home folder or in that of the command.
    pub(super) files: &'static str,
    /// A command that is equivalent to reading the file; empty if only the files that it names are
    /// examined.
    pub(super) line: &'static str,
}

const fn default(programs: &'static str, files: &'static str, line: &'static str) -> Default {
    Default {
        programs,
        files,
        line,
    }
}

/// Files that programs read automatically, and what they do with them.
pub(super) const DEFAULTS: [Default; 41] = [
    default(
        "curl",
        "~/.curlrc ~/.config/curlrc ~/curlrc",
        "curl -K {} x",
    ),
    default("wget", "~/.wgetrc", "wget"),
    default("ssh scp sftp rsync git", "~/.ssh/config", ""),
    default(
        "vim",
        "~/.vimrc ~/.exrc ~/.vim/vimrc ~/.config/nvim/init.vim .exrc .vimrc ~/.vim/plugin/*",
        "vim -u {}",
    ),
    default(
        "tmux",
        "~/.tmux.conf ~/.config/tmux/tmux.conf ~/tmux/tmux.conf",
        "",
    ),
    default("screen", "~/.screenrc", ""),
    default(
        "gdb",
        "~/.gdbinit .gdbinit ~/.config/gdb/gdbinit",
        "gdb -x {}",
    ),
    default("sqlite3", "~/.sqliterc", "sqlite3 -init {}"),
    default("psql", "~/.psqlrc", "psql -f {}"),
    default("tclsh wish", "~/.tclshrc ~/.wishrc", "tclsh {}"),
    default("expect", "~/.expect.rc", "tclsh {}"),
    default(
        "emacs",
        "~/.emacs ~/.emacs.el ~/.emacs.d/init.el ~/.config/emacs/init.el .dir-locals.el",
        "emacs -l {}",
    ),
    default(
        "gnuplot",
        "~/.gnuplot .gnuplot ~/.config/gnuplot/gnuplotrc",
        "gnuplot {}",
    ),
    default("octave", "~/.octaverc .octaverc", "octave {}"),
    default(
        "maxima",
        "~/.maxima/maxima-init.mac maxima-init.mac",
        "maxima -b {}",
    ),
    default("gp", "~/.gprc", "gp {}"),
    default("irb pry", "~/.irbrc .irbrc ~/.pryrc .pryrc", "ruby {}"),
    default("ghci", "~/.ghci .ghci", "ghci {}"),
    default("R Rscript", "~/.Rprofile .Rprofile", "Rscript {}"),
    default("julia", "~/.julia/config/startup.jl", "julia {}"),
    default("ocaml utop", "~/.ocamlinit .ocamlinit", "ocaml {}"),
    default(
        "sbcl clisp guile",
        "~/.sbclrc ~/.clisprc.lisp ~/.guile",
        "guile {}",
    ),
    default("mongosh mongo", "~/.mongoshrc.js ~/.mongorc.js", "node {}"),
    default("lftp", "~/.lftprc ~/.config/lftp/rc", "lftp -f {}"),
    default("ack", "~/.ackrc .ackrc", ""),
    default("bat", "~/.config/bat/config", ""),
    default("less", "~/.lesskey", ""),
    default("npm npx pnpm yarn bun", ".npmrc ~/.npmrc", "npm"),
    default(
        "npm npx pnpm yarn bun",
        "package.json */package.json packages/*/package.json",
        "",
    ),
    default("npm", "~/.npm-init.js", "node {}"),
    default(
        "cargo rustc",
        ".cargo/config.toml .cargo/config ../.cargo/config.toml ~/.cargo/config.toml ~/config.toml",
        "",
    ),
    default("prove", ".proverc ~/.proverc", ""),
    default(
        "git",
        "~/.gitconfig ~/.config/git/config ~/git/config",
        "git",
    ),
    default("prove", "t/*.t", ""),
    default("python pdb", "~/.pdbrc .pdbrc", ""),
    default(
        "python pip",
        "~/.local/lib/python3*/site-packages/usercustomize.py ~/.local/lib/python3*/site-packages/sitecustomize.py ~/.local/lib/python3*/site-packages/*.pth",
        "python3 {}",
    ),
    default("pip pytest python", "setup.py conftest.py", ""),
    default("java", "JDK_JAVA_OPTIONS", ""),
    default(
        "docker",
        "~/.docker/config.json ~/.docker/cli-plugins/*",
        "",
    ),
    default(
        "bash",
        "~/.bashrc ~/.bash_profile ~/.bash_login ~/.profile ~/.bash_logout ~/.inputrc",
        ". {}",
    ),
    default(
        "zsh sh dash",
        "~/.zshrc ~/.zshenv ~/.zprofile ~/.profile",
        ". {}",
    ),
];

/// Programs that read or move scripts, but don't start them.
pub(super) static LOOK_AT_SCRIPTS: Table = Table::of(
    "\
    git cat less bat shfmt shellcheck docker podman nerdctl kubectl helm pytest \
    jest vitest mocha prettier eslint tsc ruff black mypy flake8 pylint isort rustfmt clippy codespell typos \
    nm ldd readelf objdump objcopy strip size patchelf otool ar gh glab aws gcloud az unzip 7z xz gzip bzip2 zstd code subl ansible-lint hadolint \
    vim vi ex ed nano emacs nvim view sponge pandoc file dos2unix cygpath jar patch diff sha256sum",
);

/// Programs that start others only with certain options.
static START_BY_OPTION: Table = Table::of(
    "\
    tar gtar bsdtar sort ssh sftp scp curl wget rsync split env less man zip npm pnpm yarn bun npx bunx pnpx uvx uv \
    poetry pipenv",
);

/// Options of such a program that name what it starts, or a file that does.
pub(super) const NAME_PROGRAMS: [&str; 7] = ["-F", "-S", "-o", "-I", "-e", "-P", "-TT"];

/// The folders of the system's own libraries.
pub(super) const FOLDERS_OF_LIBRARIES: [&str; 6] = [
    "/lib/x86_64-linux-gnu",
    "/lib/aarch64-linux-gnu",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
];

/// Options that name folders in which programs are searched.
pub(super) const FOLDERS_OF_PROGRAMS: &[&str] = &["-B", "--exec-path", "--template"];

/// Extensions of files that aren't run by name.
pub(super) static ENDINGS_OF_TEXTS: Table = Table::of(
    "\
    md txt rst adoc html css svg csv lock c cc cpp cxx h hpp m rs go kt swift cs fs hs ml zig scala ts tsx \
    jsx vue",
);

/// Beginnings of lines, in lower case, that precede a command.
const RUN_BY_LINES: [&str; 35] = [
    "proxycommand",
    "localcommand",
    "knownhostscommand",
    "match exec",
    "run-shell",
    "run ",
    "if-shell",
    "pipe-pane",
    "shell ",
    "shell=",
    "system ",
    "system(",
    "spawn ",
    "shell(",
    "exec ",
    "pipe ",
    ".shell",
    ".system",
    ".once |",
    ".output |",
    ".sy ",
    ".pso ",
    "\\!",
    "!",
    "execstart=",
    "execstartpre=",
    "runner =",
    "linker =",
    "rustc-wrapper =",
    "set -g default-command",
    "set-option -g default-command",
    "use_askpass",
    "--pager",
    "screen ",
    "os.system",
];

/// Returns the shell command in a line of a settings file.
pub(super) fn run_by_line(line: &str) -> Option<&str> {
    let line = line.trim();
    let lower = line.to_ascii_lowercase();
    let begin = RUN_BY_LINES.iter().find(|it| lower.starts_with(**it))?;
    let rest = line.get(begin.len()..)?;
    let signs: &[char] = &[' ', '\t', '=', '"', '\'', '(', ')', '[', ']', '%'];
    Some(rest.trim_matches(signs))
}

/// Returns whether a program starts others only with certain options.
pub(super) fn starts_by_option(program: &str) -> bool {
    START_BY_OPTION.holds(program)
}
