//! Managers of packages that start a program of one: `uv run`, `npm exec`, `npx`.

use crate::understood::Word;

use super::{Unwrapped, after_option, behind_options};

/// Takes the versions off the packages whose programs are started: `rimraf@5`.
pub(super) fn without_versions(mut unwrapped: Unwrapped) -> Unwrapped {
    for first in unwrapped
        .commands
        .iter_mut()
        .filter_map(|it| it.first_mut())
    {
        let scope = usize::from(first.text.starts_with('@'));
        if let Some(at) = first.text[scope..].find('@') {
            first.text.truncate(scope + at);
        }
    }
    unwrapped
}

/// Reads `uv run pytest`, `npm exec -- x`, `bundle exec rake`.
pub(super) fn package_runner(program: &str, words: &[Word]) -> Option<Unwrapped> {
    const VALUED: &[&str] = &[
        "-n",
        "--name",
        "-p",
        "--with",
        "--python",
        "--package",
        "-C",
        "--dir",
    ];
    if program == "npm"
        && words
            .first()
            .is_some_and(|it| it.text == "exec" || it.text == "x")
        && let Some(text) = after_option(words, &["-c", "--call"])
    {
        return Some(text);
    }
    let rest = behind_options(words, VALUED)?;
    let verb = rest.first()?.text.as_str();
    // There `run` names a script of the package, not a program.
    let runs_scripts = ["npm", "pnpm", "yarn", "bun", "volta"].contains(&program);
    if !["exec", "run", "dlx", "x"].contains(&verb) || verb == "run" && runs_scripts {
        return None;
    }
    let behind = behind_options(&rest[1..], VALUED)?;
    let command = match behind.iter().position(|it| it.text == "--") {
        Some(at) if verb == "exec" => behind.get(at + 1..)?,
        _ => behind,
    };
    (!command.is_empty()).then(|| Unwrapped {
        commands: vec![command.to_vec()],
        ..Unwrapped::default()
    })
}
