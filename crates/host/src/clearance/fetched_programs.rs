//! Programs that carry out what the same call fetched, so that nobody could look through it.

use std::path::Path;

use hookloop_shell::Command;

use super::before::Before;
use super::built::builds;
use super::carriers::VARIABLES;
use super::commands::Place;
use super::concern::Concern;
use super::fetched::absolute;
use super::tables;
use super::tokens::Language;

/// Options with a folder or a file of a project, for programs that build.
const OF_PROJECT: [&str; 16] = [
    "-C",
    "--directory",
    "--dir",
    "--prefix",
    "--cwd",
    "--project",
    "--project-directory",
    "--manifest-path",
    "-f",
    "--file",
    "--makefile",
    "-S",
    "-r",
    "--rcfile",
    "--path",
    "--rootdir",
];

/// Other programs that carry out the files of a project.
const OPERATORS: [&str; 11] = [
    "ansible-playbook",
    "docker-compose",
    "helmfile",
    "nextflow",
    "packer",
    "podman-compose",
    "pulumi",
    "snakemake",
    "terraform",
    "tofu",
    "vagrant",
];

/// Returns whether a command carries out files of a project without naming each.
fn carries_out(command: &Command) -> bool {
    let program = command.program.as_str();
    let composes = command.subcommand.as_deref();
    let composes = composes.is_some_and(|it| it.split(' ').next() == Some("compose"));
    builds(command) || composes || OPERATORS.contains(&program) || tables::COMPILERS.holds(program)
}

/// `require('./d/x.js')`: whether a program text loads a file by one of these names.
fn loads_from(code: &str, holds: &dyn Fn(&str) -> bool) -> bool {
    const LOADING: [&str; 6] = ["require", "import", "from", "do", "load", "use lib"];
    let pieces: Vec<&str> = code.split(['"', '\'', '`']).collect();
    pieces.windows(2).any(|it| {
        let before = it[0].trim_end_matches(['(', ' ']);
        let is_loaded = LOADING.iter().any(|word| before.ends_with(word));
        is_loaded && it[1].contains('/') && holds(it[1])
    })
}

impl Place {
    /// `git clone URL d; make -C d`: a program that carries out what the same call fetched.
    pub(super) fn check_fetched(command: &Command, before: &Before) -> Option<Concern> {
        let fetched = &before.fetched;
        let program = command.program.as_str();
        if fetched.is_empty() || program.is_empty() {
            return None;
        }
        let unclear = || {
            let line: String = command.line().chars().take(80).collect();
            Some(Concern::Unclear(line))
        };
        let holds = |name: &str| {
            let mut paths = command.folders.iter().map(|it| absolute(it, name));
            paths.any(|it| fetched.may_hold(Path::new(&it)))
        };
        let is_there = holds("");
        // `d/run.sh`, or `./run.sh` in it.
        if command.invoked.contains('/') && holds(&command.invoked) {
            return unclear();
        }
        // `NODE_OPTIONS=…`, `PATH=d:$PATH`
        let mut set = command.env.iter().chain(&before.exported);
        let loads = |name: &str| name == "PATH" || VARIABLES.iter().any(|(it, _)| *it == name);
        let is_set = set.any(|it| {
            let mut values = it.value.text.split([':', ' ', '=']);
            loads(&it.name) && values.any(|it| !it.is_empty() && holds(it))
        });
        if is_set && !hookloop_shell::is_builtin(program) {
            return unclear();
        }
        let builds = carries_out(command);
        let is_interpreter =
            hookloop_shell::is_shell(program) || Language::from_program(program).is_some();
        let code = command.code.as_deref().filter(|_| is_interpreter);
        if is_there && (builds || code.is_some()) || code.is_some_and(|it| loads_from(it, &holds)) {
            return unclear();
        }
        // `sed -f d/x.sed`
        let scripts = command.values_of(hookloop_shell::script_options(program));
        if scripts.iter().any(|it| holds(&it.text)) {
            return unclear();
        }
        if !builds && !is_interpreter && !hookloop_shell::runs_text(program) {
            return None;
        }
        let options = command.values_of(&OF_PROJECT);
        let is_named = options.iter().any(|it| holds(&it.text));
        let mut given = command.operands();
        let is_given = if builds {
            given.any(|it| holds(&it.text))
        } else {
            // What follows a script is what it works on.
            given.next().is_some_and(|it| holds(&it.text))
        };
        // `--config=d/x`, `-Id`
        let mut words = command.texts_after_program();
        let is_attached = words.any(|it| {
            let value = it.split_once('=').map(|(_, value)| value);
            let value = value.or_else(|| it.get(2..)).unwrap_or_default();
            it.starts_with('-') && !value.is_empty() && holds(value)
        });
        (is_named || is_given || is_attached).then(unclear)?
    }
}
