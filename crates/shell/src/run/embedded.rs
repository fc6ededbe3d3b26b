//! Commands in options of programs that aren't interpreters: `tar --to-command=…`, `tmux send-keys …`.

use crate::scope::Scope;
use crate::understood::Word;
use crate::walk::Walker;

impl Walker {
    /// Follows commands in options of programs that aren't interpreters.
    pub(super) fn embedded_commands(
        &mut self,
        program: &str,
        words: &[Word],
        scope: &mut Scope<'_>,
    ) {
        let mut texts: Vec<String> = Vec::new();
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
                texts.extend(attached("--to-command="));
                texts.extend(attached("--use-compress-program="));
                texts.extend(behind("-I"));
            }
            "rsync" => {
                texts.extend(attached("--rsh="));
                texts.extend(behind("-e"));
            }
            "less" | "more" | "most" => texts.extend(attached("+!")),
            "man" => texts.extend(behind("-P").into_iter().chain(attached("--pager="))),
            "zip" => texts.extend(behind("-TT")),
            "sort" => texts.extend(attached("--compress-program=")),
            "git" => texts.extend(behind("-c").iter().filter_map(|it| run_by_git(it))),
            "ssh" | "scp" | "sftp" => {
                for value in behind("-o").into_iter().chain(attached("-o")) {
                    if let Some((key, command)) = value.split_once('=')
                        && ["ProxyCommand", "LocalCommand"].contains(&key)
                    {
                        texts.push(command.to_owned());
                    }
                }
            }
            "npm" | "pnpm" | "yarn" => {
                let scripts = words
                    .iter()
                    .filter_map(|it| it.text.strip_prefix("scripts."));
                texts.extend(scripts.filter_map(|it| Some(it.split_once('=')?.1.to_owned())));
            }
            "tmux" | "screen" => texts.extend(typed(words)),
            "sed" | "gsed" => {
                for word in words {
                    texts.extend(run_by_sed(&word.text));
                }
            }
            _ => {}
        }
        self.through.push(program.to_owned());
        for text in texts {
            self.own_text(&text, scope);
        }
        self.through.pop();
    }
}

/// Returns what a setting of git has run: `alias.x=!command`, `core.pager=command`.
fn run_by_git(setting: &str) -> Option<String> {
    const RUN: &[&str] = &[
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "core.fsmonitor",
        "diff.external",
        "sequence.editor",
    ];
    if let Some((_, command)) = setting.split_once("=!") {
        return Some(command.to_owned());
    }
    let (key, command) = setting.split_once('=')?;
    RUN.contains(&key).then(|| command.to_owned())
}

/// Returns what is typed into, or started in, another terminal.
fn typed(words: &[Word]) -> Vec<String> {
    let keys = ["Enter", "C-m", "KPEnter"];
    let types = words.iter().any(|it| {
        [
            "send-keys",
            "send",
            "new-session",
            "new",
            "new-window",
            "neww",
            "split-window",
            "-dm",
            "-dmS",
            "stuff",
            "respawn-pane",
        ]
        .contains(&it.text.as_str())
    });
    if !types {
        return Vec::new();
    }
    let texts = words
        .iter()
        .filter(|it| it.text.contains(' ') && !keys.contains(&it.text.as_str()));
    let mut texts: Vec<String> = texts.map(|it| it.text.clone()).collect();
    // `screen -dm rm -rf x`: the words are the command.
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if word.text.starts_with('-') {
            let is_valued = ["-s", "-S", "-n", "-t", "-c", "-x", "-y", "-L", "-f", "-dmS"]
                .contains(&word.text.as_str());
            if is_valued {
                rest.next();
            }
        } else if !TERMINAL_VERBS.contains(&word.text.as_str()) {
            let command: Vec<&str> = std::iter::once(word)
                .chain(rest)
                .map(|it| it.text.as_str())
                .collect();
            if command.len() > 1 {
                texts.push(crate::join(command));
            }
            break;
        }
    }
    texts
}

/// The verbs of `tmux` and `screen` behind which a command stands.
const TERMINAL_VERBS: &[&str] = &[
    "new-session",
    "new",
    "new-window",
    "neww",
    "split-window",
    "splitw",
    "respawn-pane",
    "send-keys",
    "send",
    "stuff",
];

/// Returns what a script of `sed` runs: `1e command`, `$!e command`.
fn run_by_sed(script: &str) -> Option<String> {
    let behind = script.trim_start_matches(|it: char| it.is_ascii_digit() || "$,!~ ".contains(it));
    let behind = match behind.strip_prefix('/') {
        Some(pattern) => pattern.split_once('/')?.1,
        None => behind,
    };
    let command = behind.strip_prefix('e')?.strip_prefix(' ')?;
    Some(command.to_owned())
}
