//! Programs that keep files of the home or of the system in a git repository of their own, and hand
//! their words to git: `yadm commit`, `vcsh NAME push`, `etckeeper vcs log`.

use hookloop_shell::{Command, join};

/// Commands of `vcsh` that aren't names of repositories.
const OF_VCSH: [&str; 16] = [
    "clone",
    "commit",
    "delete",
    "enter",
    "help",
    "init",
    "list",
    "list-tracked",
    "list-untracked",
    "pull",
    "rename",
    "status",
    "upgrade",
    "version",
    "which",
    "write-gitignore",
];

/// Commands of `yadm` that it doesn't hand to git.
const OF_YADM: [&str; 14] = [
    "alt",
    "bootstrap",
    "clone",
    "config",
    "decrypt",
    "encrypt",
    "git-crypt",
    "help",
    "init",
    "introspect",
    "list",
    "perms",
    "transcrypt",
    "version",
];

/// Returns the command that such a program runs, as a shell text.
pub(super) fn managed(command: &Command, home: &str) -> Option<String> {
    let mut words: Vec<&str> = command.texts_after_program().collect();
    match command.program.as_str() {
        "yadm" => {
            let named = take_option(&mut words, &["--yadm-repo"]);
            take_option(&mut words, &["-Y", "--yadm-dir", "--yadm-data"]);
            let usual = || format!("{home}/.local/share/yadm/repo.git");
            let repository = named.map_or_else(usual, str::to_owned);
            match words[..] {
                ["enter", ref inner @ ..] => Some(with_repository(&repository, inner)),
                [first, ..] if !OF_YADM.contains(&first) => Some(git(&repository, &words)),
                _ => None,
            }
        }
        "vcsh" => {
            words.retain(|it| !["-v", "-d"].contains(it));
            let of = |name: &str| format!("{home}/.config/vcsh/repo.d/{name}.git");
            match words[..] {
                ["run", name, ref inner @ ..] => Some(with_repository(&of(name), inner)),
                // In each repository.
                ["foreach", ref inner @ ..] => Some(git(&of("*"), inner)),
                ["push"] => Some(git(&of("*"), &["push"])),
                ["commit", ..] => Some(git(&of("*"), &words)),
                [name, _, ..] if !OF_VCSH.contains(&name) => Some(git(&of(name), &words[1..])),
                _ => None,
            }
        }
        "chezmoi" => {
            let named = take_option(&mut words, &["-S", "--source"]);
            let usual = || format!("{home}/.local/share/chezmoi");
            let source = named.map_or_else(usual, str::to_owned);
            let at = words.iter().position(|it| *it == "git")?;
            let given = &words[at + 1..];
            let given = given.strip_prefix(&["--"]).unwrap_or(given);
            Some(git(&format!("{source}/.git"), given))
        }
        "etckeeper" => {
            let named = take_option(&mut words, &["-d"]);
            let repository = format!("{}/.git", named.unwrap_or("/etc"));
            match words[..] {
                ["vcs", ref given @ ..] => Some(git(&repository, given)),
                ["commit", ..] => Some(git(&repository, &["commit"])),
                _ => None,
            }
        }
        "dotbare" => Some(git(&format!("{home}/.cfg"), &words)),
        _ => None,
    }
}

/// Removes an option, and returns its value.
fn take_option<'w>(words: &mut Vec<&'w str>, names: &[&str]) -> Option<&'w str> {
    let at = words.iter().position(|it| names.contains(it))?;
    let value = words.get(at + 1).copied();
    words.drain(at..words.len().min(at + 2));
    value
}

fn git(repository: &str, words: &[&str]) -> String {
    let option = format!("--git-dir={repository}");
    join(
        ["git", option.as_str()]
            .into_iter()
            .chain(words.iter().copied()),
    )
}

/// Returns a command that any git in it applies to a repository.
fn with_repository(repository: &str, words: &[&str]) -> String {
    let variable = format!("GIT_DIR={repository}");
    join(
        ["env", variable.as_str()]
            .into_iter()
            .chain(words.iter().copied()),
    )
}
