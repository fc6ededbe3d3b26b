//! Options whose value is a program that is started, by program.

use crate::same_programs::usual_name;

/// Options whose value is a command line, or the name of a program.
const COMMAND_OPTIONS: &[(&str, &[&str])] = &[
    (
        "tar",
        &[
            "--to-command",
            "-I",
            "--use-compress-program",
            "--rsh-command",
            "--rmt-command",
            "-F",
            "--info-script",
            "--new-volume-script",
        ],
    ),
    ("rsync", &["-e", "--rsh", "--rsync-path"]),
    ("man", &["-P", "--pager", "-H", "--html"]),
    ("sort", &["--compress-program"]),
    ("split", &["--filter"]),
    ("zip", &["-TT", "--unzip-command"]),
    ("rg", &["--pre", "--hostname-bin"]),
    ("ag", &["--pager"]),
    ("ack", &["--pager"]),
    ("ugrep", &["--pager", "--view"]),
    ("bat", &["--pager"]),
    ("delta", &["--pager"]),
    ("cloc", &["--extract-with"]),
    ("wget", &["--use-askpass"]),
    ("actionlint", &["-shellcheck", "-pyflakes"]),
    ("scp", &["-S"]),
    ("sftp", &["-S"]),
    ("npm", &["--script-shell"]),
    ("go", &["-exec", "-toolexec", "-vettool"]),
];

/// Returns the options of a program whose value is a command line, or the name of a program.
pub(crate) fn command_options(program: &str) -> &'static [&'static str] {
    let program = usual_name(program);
    let found = COMMAND_OPTIONS.iter().find(|(name, _)| *name == program);
    found.map_or(&[], |(_, options)| *options)
}
