//! Package managers that start a program of a package: `uv run`, `npm exec`, `npx`.

use crate::understood::Word;

use super::{Place, Unwrapped, after_option, after_options, words_after};

/// Parts of git that can be called as separate programs: `git-push`.
const PARTS_OF_GIT: &[&str] = &[
    "push",
    "send-pack",
    "http-push",
    "commit",
    "merge",
    "rebase",
    "reset",
    "branch",
    "update-ref",
    "checkout",
    "switch",
    "fetch",
    "pull",
    "am",
    "cherry-pick",
    "revert",
    "clean",
    "stash",
    "filter-branch",
];

/// Reads what only some verbs of a program start: `nix run nixpkgs#git -- push`,
/// `repo forall -c …`, `gcloud compute ssh --command …`; and `git-push` as `git push`.
pub(super) fn by_verb(program: &str, words: &[Word]) -> Option<Unwrapped> {
    let is = |verb: &str| words.first().is_some_and(|it| it.text == verb);
    let part = program.strip_prefix("git-");
    if let Some(part) = part.filter(|it| PARTS_OF_GIT.contains(it)) {
        let named = [Word::plain("git"), Word::plain(part)];
        return Some(Unwrapped {
            commands: vec![[&named[..], words].concat()],
            ..Unwrapped::default()
        });
    }
    match program {
        "nix" if is("run") => {
            let package = words[1..].iter().find(|it| it.text.contains('#'))?;
            // The program has its package's name.
            let name = package.text.rsplit(['#', '.']).next().unwrap_or_default();
            let mut unwrapped = words_after(words, &["--"])?;
            for command in &mut unwrapped.commands {
                command.insert(0, Word::plain(name));
            }
            Some(unwrapped)
        }
        "repo" if is("forall") => after_option(words, &["-c"]),
        "gcloud" if words.iter().any(|it| it.text == "ssh") => {
            let mut inner = after_option(words, &["--command"])?;
            inner.place = Some(Place::Remote);
            Some(inner)
        }
        _ => None,
    }
}

/// Removes the versions from the packages whose programs are started: `rimraf@5`.
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
    const WITH_VALUE: &[&str] = &[
        "-n",
        "--name",
        "-p",
        "--with",
        "--python",
        "--package",
        "-C",
        "--dir",
        "--directory",
        "--project",
        "--prefix",
        "--cwd",
    ];
    // Options for the folder in which the command starts; `--project` only selects the environment.
    const FOLDERS: [&str; 5] = ["-C", "--dir", "--directory", "--prefix", "--cwd"];
    if program == "npm"
        && words
            .first()
            .is_some_and(|it| it.text == "exec" || it.text == "x")
        && let Some(text) = after_option(words, &["-c", "--call"])
    {
        return Some(text);
    }
    let is_foreach = program == "yarn" && words.first().is_some_and(|it| it.text == "workspaces");
    let exec = words.iter().position(|it| it.text == "exec");
    let words = exec.filter(|_| is_foreach).map_or(words, |at| &words[at..]);
    let rest = after_options(words, WITH_VALUE)?;
    let verb = rest.first()?.text.as_str();
    // For these, `run` names a script of the package, not a program.
    let runs_scripts = ["npm", "pnpm", "yarn", "bun", "volta"].contains(&program);
    if !["exec", "run", "dlx", "x"].contains(&verb) || verb == "run" && runs_scripts {
        return None;
    }
    let behind = after_options(&rest[1..], WITH_VALUE)?;
    let command = match behind.iter().position(|it| it.text == "--") {
        Some(at) if verb == "exec" => behind.get(at + 1..)?,
        _ => behind,
    };
    let head = &words[..words.len() - command.len()];
    let python = if program == "uv" {
        python_of_uv(head, command)
    } else {
        None
    };
    let command = python.as_deref().unwrap_or(command);
    let folder = head.iter().enumerate().find_map(|(at, word)| {
        let (option, value) = match word.text.split_once('=') {
            Some((option, value)) => (option, Some(Word::plain(value))),
            None => (word.text.as_str(), head.get(at + 1).cloned()),
        };
        FOLDERS.contains(&option).then_some(value)?
    });
    // A single word with blanks is a text: `yarn exec 'rm x'`.
    let (commands, texts) = match command {
        [] => return None,
        [text] if text.text.contains(' ') => (Vec::new(), vec![text.clone()]),
        words => (vec![words.to_vec()], Vec::new()),
    };
    Some(Unwrapped {
        commands,
        texts,
        folder,
        ..Unwrapped::default()
    })
}

/// `uv run -`, `uv run --script x`, `uv run -m x`: what `uv` has Python run.
fn python_of_uv(head: &[Word], command: &[Word]) -> Option<Vec<Word>> {
    let has = |names: &[&str]| head.iter().any(|it| names.contains(&it.text.as_str()));
    let reads_input = command.first().is_some_and(|it| it.text == "-");
    let mut words = vec![Word::plain("python3")];
    if has(&["-m", "--module"]) {
        words.push(Word::plain("-m"));
    } else if !reads_input && !has(&["-s", "--script", "--gui-script"]) {
        return None;
    }
    words.extend_from_slice(command);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::by_verb;
    use crate::understood::Word;

    /// HT-30: a part of git that is called as a separate program is git's, and verbs of other
    /// programs start what follows them.
    #[test]
    fn verbs_start_what_stands_behind_them() {
        let started = |text: &str| {
            let words: Vec<Word> = text.split(' ').map(Word::plain).collect();
            let unwrapped = by_verb(&words[0].text, &words[1..])?;
            let command = unwrapped.commands.into_iter().next()?;
            let texts: Vec<String> = command.into_iter().map(|it| it.text).collect();
            Some(texts.join(" "))
        };
        for (text, meant) in [
            ("git-push origin main", "git push origin main"),
            (
                "nix run nixpkgs#git -- push origin main",
                "git push origin main",
            ),
        ] {
            assert_eq!(started(text).as_deref(), Some(meant));
        }
        for text in ["git-lfs push origin main", "nix build .#git", "repo sync"] {
            assert_eq!(started(text), None, "{text}");
        }
    }
}
