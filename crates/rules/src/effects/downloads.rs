//! Programs that are downloaded to a file and run from there.

use hookloop_shell::{Command, Input, applies_patch};

use super::hosts::HTTP_CLIENTS;
use super::{Effect, note};

/// Programs that save what they download, beside the clients of HTTP.
const LOADERS: &[&str] = &[
    "aria2c",
    "axel",
    "fetch",
    "scp",
    "sftp",
    "rsync",
    "iwr",
    "Invoke-WebRequest",
    "Start-BitsTransfer",
];

/// Returns whether a program saves what it downloads.
fn is_loader(program: &str) -> bool {
    LOADERS.contains(&program) || HTTP_CLIENTS.contains(&program)
}

/// Programs that install a file.
const INSTALLERS: &[&str] = &[
    "dpkg",
    "rpm",
    "apt",
    "apt-get",
    "dnf",
    "yum",
    "zypper",
    "installer",
    "msiexec",
    "snap",
    "apk",
];

/// Programs that run a file.
const RUNNERS: &[&str] = &[
    "bash",
    "sh",
    "zsh",
    "dash",
    "ksh",
    "fish",
    "source",
    ".",
    "python",
    "python2",
    "python3",
    "node",
    "deno",
    "bun",
    "perl",
    "ruby",
    "php",
    "lua",
    "pwsh",
    "powershell",
    "java",
    "Start-Process",
    "saps",
];

/// Shells.
const SHELLS: &[&str] = &["bash", "sh", "zsh", "dash", "ksh"];

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or("")
}

/// Programs that unpack archives.
const UNPACKERS: &[&str] = &["tar", "gtar", "bsdtar", "unzip", "cpio", "7z", "7za"];

/// Programs that turn a text into a program.
const COMPILERS: &[&str] = &[
    "gcc", "cc", "clang", "g++", "c++", "clang++", "tcc", "rustc", "go", "ghc", "swiftc", "nim",
];

/// Programs that pass on what they read.
const FILTERS: &[&str] = &[
    "tee",
    "cat",
    "gunzip",
    "zcat",
    "gzip",
    "xz",
    "xzcat",
    "unxz",
    "bzcat",
    "zstdcat",
    "base64",
    "tr",
    "sed",
    "awk",
    "grep",
    "head",
    "tail",
    "jq",
    "dos2unix",
    "filterdiff",
];

/// The names of files that were downloaded so far.
#[derive(Debug, Default)]
pub(super) struct Downloads {
    names: Vec<String>,
    /// An archive among them was unpacked, and its content isn't known.
    unpacked: bool,
    /// Something was downloaded, to an unknown place.
    loaded: bool,
    /// The names of folders that were cloned.
    cloned: Vec<String>,
}

fn file_name(path: &str) -> String {
    path.rsplit('/').next().unwrap_or("").to_owned()
}

/// Returns whether a script sets something up, judging by its name.
fn sets_up(path: &str) -> bool {
    let name = file_name(path);
    let installs = ["install", "setup", "run", "bootstrap"];
    installs.iter().any(|it| name.starts_with(it))
}

impl Downloads {
    /// Notes what a command downloads, and whether it runs what was downloaded before.
    pub(super) fn by_download(&mut self, command: &Command, effects: &mut Vec<Effect>) {
        self.by_clone(command, effects);
        if is_loader(&command.program) {
            self.by_loader(command);
            return;
        }
        // `curl … | bash -s -- options` still reads its program from the pipe.
        let from_pipe =
            matches!(&command.input, Input::Output(from) if is_loader(first_word(from)));
        if from_pipe && command.has_flag("-s") && SHELLS.contains(&command.program.as_str()) {
            note(effects, "run.downloaded", command, &command.invoked);
        }
        self.by_patch(command, from_pipe, effects);
        let unpacks = UNPACKERS.contains(&command.program.as_str());
        let mut operands = command.operands();
        let names_one = operands.any(|it| self.names.contains(&file_name(&it.text)));
        let reads_pipe = || {
            let mut reads = command.reads.iter();
            reads.any(|it| it.written.starts_with("/dev/fd/"))
        };
        let compiles = COMPILERS.contains(&command.program.as_str());
        if compiles && (from_pipe || names_one) {
            let made = command.words.windows(2).find(|it| it[0].text == "-o");
            self.names
                .push(made.map_or_else(|| "a.out".to_owned(), |it| file_name(&it[1].text)));
        }
        if unpacks && (from_pipe || names_one || self.loaded && reads_pipe()) {
            self.unpacked = true;
            return;
        }
        // `./tool/install.sh` of what was just unpacked, not a program of the system.
        let is_script = |path: &str| {
            let path = path.strip_prefix("./").unwrap_or(path);
            let is_of_system = ["/usr/", "/bin/", "/opt/"]
                .iter()
                .any(|it| path.starts_with(it));
            path.contains('/') && !is_of_system && sets_up(path)
        };
        let given = command
            .operands()
            .next()
            .filter(|_| RUNNERS.contains(&command.program.as_str()));
        let gives_script = given.is_some_and(|it| is_script(&it.text));
        if self.unpacked && (is_script(&command.invoked) || gives_script) {
            note(effects, "run.downloaded", command, &command.invoked);
        }
        if self.names.is_empty() {
            return;
        }
        let was_downloaded = |path: &str| self.names.contains(&file_name(path));
        // `.\a.exe`, as a shell that knows `/` reads it.
        let of_windows = command.invoked.strip_prefix('.').unwrap_or("");
        let is_run = command.invoked.contains('/') && was_downloaded(&command.invoked)
            || was_downloaded(of_windows);
        let is_given = RUNNERS.contains(&command.program.as_str())
            && command
                .operands()
                .next()
                .is_some_and(|it| was_downloaded(&it.text));
        if is_run || is_given {
            note(effects, "run.downloaded", command, &command.invoked);
        }
        let installs = INSTALLERS.contains(&command.program.as_str());
        if installs && command.operands().any(|it| was_downloaded(&it.text)) {
            note(effects, "run.unknown", command, &command.invoked);
        }
    }

    /// Notes a patch that is carried out as it was downloaded, from a pipe or a file: what it
    /// changes, nobody has read.
    fn by_patch(&self, command: &Command, from_pipe: bool, effects: &mut Vec<Effect>) {
        if !applies_patch(command) {
            return;
        }
        let was_downloaded = |path: &str| self.names.contains(&file_name(path));
        let words = command.words_after_program().iter();
        // `patch -i FILE`, `--input=FILE`, `-iFILE`.
        let mut files = words.map(|it| it.text.rsplit('=').next().unwrap_or(""));
        let is_input = match &command.input {
            Input::Output(from) => from_pipe || self.loaded && FILTERS.contains(&first_word(from)),
            _ => false,
        };
        let is_read = command.reads.iter().any(|it| {
            // What a process substitution downloads.
            was_downloaded(&it.written) || self.loaded && it.written.starts_with("/dev/fd/")
        });
        if is_input || is_read || files.any(was_downloaded) {
            note(effects, "patch.downloaded", command, "");
        }
    }

    /// Notes the names under which a command saves what it downloads.
    fn by_loader(&mut self, command: &Command) {
        self.loaded = true;
        let written = command.writes.iter().map(|it| file_name(&it.written));
        self.names.extend(written);
        // `curl -Lo file`.
        let clusters = command.words.windows(2).filter_map(|pair| {
            let option = pair[0].text.strip_prefix('-')?;
            let names_file = option.len() > 1 && !option.starts_with('-');
            (names_file && option.ends_with('o')).then(|| file_name(&pair[1].text))
        });
        self.names.extend(clusters);
        let redirected = command
            .redirects
            .iter()
            .map(|it| file_name(&it.target.text));
        self.names.extend(redirected);
        let behind = command.words.windows(2);
        let named = behind.filter(|it| {
            ["-outfile", "-destination"].contains(&it[0].text.to_lowercase().as_str())
        });
        self.names.extend(named.map(|it| file_name(&it[1].text)));
        let keeps_names = command.program != "curl"
            || command.has_flag("-O")
            || command.has_flag("--remote-name");
        if keeps_names {
            let addresses = command.operands().filter(|it| it.text.contains(['/', ':']));
            let named = addresses.map(|it| {
                let path = it.text.split(['?', '#']).next().unwrap_or("");
                file_name(path.rsplit(':').next().unwrap_or(path))
            });
            self.names.extend(named);
        }
        self.names
            .retain(|it| !it.is_empty() && it != "null" && it != "-");
    }

    /// Notes which folders are cloned, and whether a script of one is run.
    fn by_clone(&mut self, command: &Command, effects: &mut Vec<Effect>) {
        let clones = [
            "git clone",
            "gh repo clone",
            "glab repo clone",
            "hg clone",
            "svn checkout",
        ];
        if clones.contains(&command.name().as_str()) {
            let mut operands = command.operands();
            let from = operands
                .next()
                .map(|it| file_name(it.text.trim_end_matches('/')));
            let to = operands
                .next()
                .map(|it| file_name(it.text.trim_end_matches('/')));
            let folder = to.or(from).unwrap_or_default();
            let folder = folder.strip_suffix(".git").unwrap_or(&folder).to_owned();
            if !folder.is_empty() && folder != "." {
                self.cloned.push(folder);
            }
            return;
        }
        if self.cloned.is_empty() {
            return;
        }
        let is_inside = |path: &str| {
            let mut parts = path.split('/');
            parts.any(|it| self.cloned.iter().any(|name| name == it))
        };
        let works_inside = command.folders.iter().any(|it| is_inside(it));
        let is_script = |path: &str| {
            let extension = std::path::Path::new(path).extension();
            let is_one = sets_up(path) || extension.is_some_and(|it| it == "sh");
            is_one && (is_inside(path) || works_inside && !path.starts_with('/'))
        };
        let given = command
            .operands()
            .next()
            .filter(|_| RUNNERS.contains(&command.program.as_str()));
        if command.invoked.contains('/') && is_script(&command.invoked)
            || given.is_some_and(|it| is_script(&it.text))
        {
            note(effects, "run.downloaded", command, &command.invoked);
        }
    }
}
