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

/// The names of files that were downloaded so far.
#[derive(Debug, Default)]
pub(super) struct Downloads(Vec<String>);

impl Downloads {
    /// Notes what a command downloads, and whether it runs what was downloaded before.
    pub(super) fn by_download(&mut self, command: &Command, effects: &mut Vec<Effect>) {
        let name = |path: &str| path.rsplit('/').next().unwrap_or("").to_owned();
        if LOADERS.contains(&command.program.as_str()) {
            let written = command.writes.iter().map(|it| name(&it.written));
            self.0.extend(written);
            // `curl -Lo file`.
            let clusters = command.words.windows(2).filter_map(|pair| {
                let option = pair[0].text.strip_prefix('-')?;
                let names_file = option.len() > 1 && !option.starts_with('-');
                (names_file && option.ends_with('o')).then(|| name(&pair[1].text))
            });
            self.0.extend(clusters);
            let redirected = command.redirects.iter().map(|it| name(&it.target.text));
            self.0.extend(redirected);
            let keeps_names = command.program != "curl"
                || command.has_flag("-O")
                || command.has_flag("--remote-name");
            if keeps_names {
                let addresses = command.operands().filter(|it| it.text.contains('/'));
                let named =
                    addresses.map(|it| name(it.text.split(['?', '#']).next().unwrap_or("")));
                self.0.extend(named);
            }
            self.0
                .retain(|it| !it.is_empty() && it != "null" && it != "-");
            return;
        }
        // `curl … | bash -s -- options` reads its program from the pipe all the same.
        let from_pipe =
            matches!(&command.input, Input::Output(from) if LOADERS.contains(&first_word(from)));
        if from_pipe && command.has_flag("-s") && SHELLS.contains(&command.program.as_str()) {
            note(effects, "run.downloaded", command, &command.invoked);
        }
        if self.0.is_empty() {
            return;
        }
        let was_downloaded = |path: &str| self.0.contains(&name(path));
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
