//! Compares commands with a person's rules (HT-31).

use crate::program_options::command_options;
use crate::same_programs::usual_name;
use crate::understood::{Command, Input, Place, RedirectKind, Understood};

/// Further options that name a program, or a file that is written, by program; `*` for every
/// program.
const NAMES_PROGRAM: &[(&str, &[&str])] = &[
    (
        "git",
        &[
            "-c",
            "--exec-path",
            "--config-env",
            "--upload-pack",
            "--receive-pack",
            "--exec",
            "-x",
            "--ext-diff",
            "--open-files-in-pager",
            "-O",
            "--textconv",
        ],
    ),
    (
        "find",
        &[
            "-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprintf", "-fls",
            "-fprint0",
        ],
    ),
    ("fd", &["-x", "-X", "--exec", "--exec-batch"]),
    ("tar", &["--checkpoint-action"]),
    ("sort", &["-o", "--output", "-T"]),
    ("ssh", &["-o", "-F"]),
    ("scp", &["-o", "-F"]),
    (
        "curl",
        &[
            "-K",
            "--config",
            "-o",
            "--output",
            "-O",
            "--remote-name",
            "-D",
            "--dump-header",
            "-c",
            "--cookie-jar",
            "--trace",
            "--trace-ascii",
        ],
    ),
    (
        "wget",
        &["-O", "--output-document", "-e", "--execute", "-P"],
    ),
    ("less", &["-o", "-O", "--log-file"]),
    ("zip", &["-T"]),
    ("sed", &["-i", "--in-place"]),
    ("npm", &["--node-options", "--prefix", "-C"]),
    ("cargo", &["--config"]),
    ("make", &["-f", "--file", "-C", "--eval"]),
    ("docker", &["--entrypoint"]),
    ("*", &["--exec", "--pager", "--command"]),
];

/// Variables that tell a command what to run; no assignment is allowed anyway.
const WRITES_NOTHING: [&str; 5] = [
    "/dev/null",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/tty",
    "/dev/zero",
];

/// Returns whether every simple command is allowed by itself, in the narrowest reading (HT-31).
///
/// `allows` is called for each command. Its words are joined by single spaces, and quoted where
/// necessary. A command that writes through a redirect, is preceded by an assignment, defines
/// something, or isn't known up to its first argument is never allowed.
pub fn permitted(understood: &Understood, mut allows: impl FnMut(&Command, &str) -> bool) -> bool {
    if !understood.parsed || understood.opaque() || !understood.definitions.is_empty() {
        return false;
    }
    !understood.commands.is_empty()
        && understood.commands.iter().all(|command| {
            is_plain(command)
                && allows(
                    command,
                    &crate::join(command.words.iter().map(|it| it.text.as_str())),
                )
        })
}

/// Returns whether nothing about a command goes beyond its program and its arguments.
fn is_plain(command: &Command) -> bool {
    let writes = command.redirects.iter().any(|redirect| {
        matches!(redirect.kind, RedirectKind::Write | RedirectKind::Append)
            && !(redirect.target.known && WRITES_NOTHING.contains(&redirect.target.text.as_str()))
    });
    let first_known = command.words.iter().take(2).all(|word| word.known);
    // A name with a slash means that file, whatever PATH contains.
    let is_word = !command.program.is_empty() && command.invoked == command.program;
    let names_program = NAMES_PROGRAM
        .iter()
        .filter(|(program, _)| *program == "*" || *program == usual_name(&command.program))
        .flat_map(|(_, options)| options.iter())
        .chain(command_options(&command.program))
        .any(|option| has_option(command, option));
    !writes
        && command.env.is_empty()
        && is_word
        && first_known
        && !names_program
        && command.place == Place::Here
        && !matches!(command.input, Input::File(_))
        && !command.words.first().is_some_and(|word| word.pattern)
}

fn has_option(command: &Command, option: &str) -> bool {
    let is_short = option.len() == 2;
    command.has_flag(option)
        || command.words.iter().skip(1).any(|word| {
            word.text == option
                || is_short && !word.text.starts_with("--") && word.text.starts_with(option)
                || word.text.strip_prefix(option).is_some_and(|rest| rest.starts_with('='))
                // Long options may be abbreviated: `--ex` for `--exec`.
                || option.starts_with("--")
                    && word.text.len() > 3
                    && word.text.starts_with("--")
                    && option.starts_with(word.text.split('=').next().unwrap_or(&word.text))
        })
}

/// Returns the texts of a command that a rule may match, in the widest reading (HT-31): the command
/// as the shell looks it up, with the program's base name, and in its normal form.
pub fn command_lines(command: &Command) -> Vec<String> {
    let words: Vec<&str> = command.words.iter().map(|it| it.text.as_str()).collect();
    let as_written = words.join(" ");
    let mut lines = vec![as_written];
    let mut by_name = words.clone();
    if let Some(first) = by_name.first_mut() {
        *first = &command.program;
    }
    for line in [by_name.join(" "), command.line()] {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// Returns whether a text may run a command for which `holds` is true, in the widest reading
/// (HT-31): any command, in any of its forms. `holds` is called with each text of
/// [`command_lines`], such as `git push --force`.
///
/// ```
/// use hookloop_shell::{Surroundings, may_be, understand};
///
/// let understood = understand("sh -c 'cd x; sudo /bin/rm -rf y'", Surroundings::default());
/// assert!(may_be(&understood, |line| line.starts_with("rm ")));
/// ```
pub fn may_be(understood: &Understood, mut holds: impl FnMut(&str) -> bool) -> bool {
    let mut commands = understood.commands.iter();
    commands.any(|command| command_lines(command).iter().any(|line| holds(line)))
}
