//! Commands in options of programs that aren't interpreters: `tar --to-command=…`,
//! `tmux send-keys …`.

use crate::flow::Stream;
use crate::program_options::command_options;
use crate::same_programs::usual_name;
use crate::scope::Scope;
use crate::sed;
use crate::understood::{OpaqueReason, Word};
use crate::walk::Walker;

impl Walker {
    /// Follows commands in options of programs that aren't interpreters.
    pub(super) fn embedded_commands(
        &mut self,
        program: &str,
        words: &[Word],
        scope: &Scope<'_>,
        input: &Stream,
    ) {
        let command = self.found.commands.last();
        let named = command.map(|it| it.values_of(command_options(program)));
        let named = named.into_iter().flatten().map(|it| it.text);
        let mut texts: Vec<String> = named.collect();
        let behind = |option: &str| -> Vec<String> {
            words
                .windows(2)
                .filter(|pair| pair[0].text == option)
                .map(|pair| pair[1].text.clone())
                .collect()
        };
        let attached = |option: &str| -> Vec<String> {
            let values = words
                .iter()
                .filter_map(|word| word.text.strip_prefix(option));
            values.map(str::to_owned).collect()
        };
        match program {
            "tar" | "bsdtar" | "gtar" => {
                texts.extend(attached("--checkpoint-action=exec="));
            }
            "curl" | "curlie" => {
                texts.extend(self.options_of_curl(scope, input));
            }
            "less" | "more" | "most" => texts.extend(attached("+!")),
            "rg" => {
                let behind = words.iter().filter(|it| !it.text.starts_with('-')).skip(1);
                let searched = crate::join(behind.map(|it| it.text.as_str()));
                let named = std::mem::take(&mut texts).into_iter();
                texts.extend(named.map(|it| format!("{it} {searched}")));
            }
            "ugrep" => {
                let filters = behind("--filter").into_iter().chain(attached("--filter="));
                let lines = filters.collect::<Vec<_>>();
                let commands = lines.iter().flat_map(|it| it.split(','));
                texts.extend(commands.filter_map(|it| Some(it.split_once(':')?.1.to_owned())));
            }
            "ssh" | "scp" | "sftp" => {
                for value in behind("-o").into_iter().chain(attached("-o")) {
                    texts.extend(run_by_ssh(&value).map(str::to_owned));
                }
            }
            "npm" | "pnpm" | "yarn" => {
                let scripts = words
                    .iter()
                    .filter_map(|it| it.text.strip_prefix("scripts."));
                texts.extend(scripts.filter_map(|it| Some(it.split_once('=')?.1.to_owned())));
            }
            "tmux" => texts.extend(self.run_by_tmux(words, scope, input)),
            "screen" => texts.extend(self.run_by_screen(words)),
            "sed" | "gsed" => {
                texts.extend(self.run_by_sed(scope, input));
            }
            _ => {}
        }
        // `split --filter`, `tar --to-command` and `pee` pass on what they read.
        let passes = PASSING.contains(&usual_name(program));
        if ["pee", "mispipe"].contains(&program) {
            let operands = words.iter().filter(|it| !it.text.starts_with('-'));
            texts.extend(operands.map(|it| it.text.clone()));
        }
        let input = if passes { input } else { &Stream::Inherited };
        self.through.push(program.to_owned());
        for text in texts {
            self.in_own_shell(&mut scope.clone(), |it, inner| it.text(&text, inner, input));
        }
        self.through.pop();
    }
}

/// Programs whose commands read what they are fed.
const PASSING: [&str; 4] = ["split", "tar", "pee", "mispipe"];

impl Walker {
    /// Returns what the scripts of the last command, if it is `sed`, run.
    fn run_by_sed(&mut self, scope: &Scope<'_>, input: &Stream) -> Vec<String> {
        let command = self.found.commands.last();
        let scripts = command.map(sed::scripts).unwrap_or_default();
        let files = command.map(|it| it.values_of(&["-f", "--file"]));
        let mut texts: Vec<String> = scripts.into_iter().map(|it| it.text.clone()).collect();
        for file in files.unwrap_or_default() {
            match self.option_file(&file, scope, input) {
                Stream::Text(text) => texts.push(text),
                Stream::Output(from) => self.note_opaque(OpaqueReason::PipedText, &from),
                _ => {}
            }
        }
        let mut runs = Vec::new();
        for text in texts {
            let script = sed::script(&text);
            runs.extend(script.runs);
            if script.runs_text {
                self.note_opaque(OpaqueReason::ComputedText, &text);
            }
        }
        runs
    }

    /// Returns what is in a file that an option names, `-` being the input.
    pub(super) fn option_file(&self, file: &Word, scope: &Scope<'_>, input: &Stream) -> Stream {
        match file.text.as_str() {
            "-" => input.clone(),
            _ => self.stream_for(file, scope, input),
        }
    }

    /// Returns the commands that option files of `curl` stand for (`-K FILE`).
    fn options_of_curl(&mut self, scope: &Scope<'_>, input: &Stream) -> Vec<String> {
        let command = self.found.commands.last();
        let files = command.map(|it| it.values_of(&["-K", "--config"]));
        let mut lines = Vec::new();
        for file in files.unwrap_or_default() {
            match self.option_file(&file, scope, input) {
                Stream::Text(text) => lines.push(crate::curl_line(&text)),
                Stream::Output(from) => self.note_opaque(OpaqueReason::PipedText, &from),
                _ => {}
            }
        }
        lines
    }
}

/// Returns the command in a setting of `ssh`, as its option `-o` takes it.
fn run_by_ssh(setting: &str) -> Option<&str> {
    const KEYS: [&str; 4] = [
        "proxycommand",
        "localcommand",
        "knownhostscommand",
        "match exec",
    ];
    let lower = setting.to_ascii_lowercase();
    let key = KEYS.iter().find(|it| lower.starts_with(**it))?;
    let rest = setting.get(key.len()..)?;
    rest.starts_with(['=', ' ', '\t', '"'])
        .then(|| rest.trim_matches(['=', ' ', '\t', '"']))
}
