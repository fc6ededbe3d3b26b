//! Programs that are downloaded to a file and run from there.

use hookloop_shell::{Command, Input};

use super::{Effect, note};

/// Programs that write what they load from elsewhere.
const LOADERS: &[&str] = &[
    "curl", "wget", "wget2", "aria2c", "axel", "http", "https", "xh", "curlie", "fetch", "scp",
    "sftp",
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
];

/// Shells.
const SHELLS: &[&str] = &["bash", "sh", "zsh", "dash", "ksh"];

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or("")
}

/// Programs that unpack archives.
const UNPACKERS: &[&str] = &["tar", "gtar", "bsdtar", "unzip", "cpio", "7z", "7za"];

/// The names of files that were downloaded so far.
#[derive(Debug, Default)]
pub(super) struct Downloads {
    names: Vec<String>,
    /// An archive among them was unpacked: nobody knows what is in there.
    unpacked: bool,
}

impl Downloads {
    /// Notes what a command downloads, and whether it runs what was downloaded before.
    pub(super) fn by_download(&mut self, command: &Command, effects: &mut Vec<Effect>) {
        let name = |path: &str| path.rsplit('/').next().unwrap_or("").to_owned();
        if LOADERS.contains(&command.program.as_str()) {
            let written = command.writes.iter().map(|it| name(&it.written));
            self.names.extend(written);
            // `curl -Lo file`.
            let clusters = command.words.windows(2).filter_map(|pair| {
                let option = pair[0].text.strip_prefix('-')?;
                let names_file = option.len() > 1 && !option.starts_with('-');
                (names_file && option.ends_with('o')).then(|| name(&pair[1].text))
            });
            self.names.extend(clusters);
            let redirected = command.redirects.iter().map(|it| name(&it.target.text));
            self.names.extend(redirected);
            let keeps_names = command.program != "curl"
                || command.has_flag("-O")
                || command.has_flag("--remote-name");
            if keeps_names {
                let addresses = command.operands().filter(|it| it.text.contains('/'));
                let named =
                    addresses.map(|it| name(it.text.split(['?', '#']).next().unwrap_or("")));
                self.names.extend(named);
            }
            self.names
                .retain(|it| !it.is_empty() && it != "null" && it != "-");
            return;
        }
        // `curl … | bash -s -- options` reads its program from the pipe all the same.
        let from_pipe =
            matches!(&command.input, Input::Output(from) if LOADERS.contains(&first_word(from)));
        if from_pipe && command.has_flag("-s") && SHELLS.contains(&command.program.as_str()) {
            note(effects, "run.downloaded", command, &command.invoked);
        }
        let unpacks = UNPACKERS.contains(&command.program.as_str());
        let names_one = || {
            let mut operands = command.operands();
            operands.any(|it| self.names.contains(&name(&it.text)))
        };
        if unpacks && (from_pipe || names_one()) {
            self.unpacked = true;
            return;
        }
        // `./tool/install.sh` of what was just unpacked, not a program of the system.
        let is_script = |path: &str| {
            let path = path.strip_prefix("./").unwrap_or(path);
            let installs = ["install", "setup", "run", "bootstrap"];
            let name = path.rsplit('/').next().unwrap_or("");
            let is_of_system = ["/usr/", "/bin/", "/opt/"]
                .iter()
                .any(|it| path.starts_with(it));
            path.contains('/') && !is_of_system && installs.iter().any(|it| name.starts_with(it))
        };
        if self.unpacked && is_script(&command.invoked) {
            note(effects, "run.downloaded", command, &command.invoked);
        }
        if self.names.is_empty() {
            return;
        }
        let was_downloaded = |path: &str| self.names.contains(&name(path));
        let is_run = command.invoked.contains('/') && was_downloaded(&command.invoked);
        let is_given = RUNNERS.contains(&command.program.as_str())
            && command
                .operands()
                .next()
                .is_some_and(|it| was_downloaded(&it.text));
        if is_run || is_given {
            note(effects, "run.downloaded", command, &command.invoked);
        }
    }
}
