//! Options and subcommands.

mod tables;
mod values;

use crate::interpreters::text_options;
use crate::languages::is_shell;
use crate::understood::Command;
use tables::{GROUPS, ONE_DASH, WITH_SUBCOMMANDS, WITH_VALUE};

/// Options of git with one letter that have their value in the next word, by subcommand. Elsewhere,
/// the same letters stand alone: `git cherry-pick -n COMMIT`, `git am -s PATCH`.
const LETTERS_OF_GIT: &[(&[&str], &[&str])] = &[
    (&["checkout"], &["-b", "-B"]),
    (&["switch"], &["-c", "-C"]),
    (&["restore"], &["-s"]),
    (&["merge"], &["-m", "-F", "-s", "-X"]),
    (&["rebase"], &["-s", "-X", "-C"]),
    (&["pull"], &["-s", "-X", "-o"]),
    (&["cherry-pick", "revert"], &["-m", "-X"]),
    (&["am", "apply"], &["-C"]),
    (&["fetch", "ls-remote"], &["-o"]),
    (&["clone"], &["-b", "-c", "-o"]),
    (&["stash"], &["-m"]),
    (&["reset", "read-tree", "checkout-index", "rm", "mv"], &[]),
];

/// Finds the subcommand and the flags of a command.
pub(crate) fn analyse(command: &mut Command) {
    command.head = 1;
    find_subcommand(command);
    mark_values(command);
    let splits = !ONE_DASH.contains(&command.program.as_str());
    let mut flags: Vec<String> = Vec::new();
    let mut note = |flag: &str| {
        if !flags.iter().any(|it| it == flag) {
            flags.push(flag.to_owned());
        }
    };
    for word in command.words.iter().skip(1) {
        let text = word.text.as_str();
        if text == "--" {
            break;
        }
        if word.is_option_value || text == "-" || !text.starts_with('-') {
            continue;
        }
        if text.starts_with("--") {
            note(text.split_once('=').map_or(text, |(name, _)| name));
            continue;
        }
        let name = text.split_once('=').map_or(text, |(name, _)| name);
        if splits && name.chars().skip(1).all(char::is_alphanumeric) {
            for letter in name.chars().skip(1) {
                note(&format!("-{letter}"));
            }
        } else {
            note(name);
        }
    }
    // `tar xzf`, `ps aux`: the first word is a cluster of options, even without a dash.
    if command.program == "tar"
        && let Some(first) = command.words.get(1)
        && !first.text.starts_with('-')
        && first.text.chars().all(char::is_alphabetic)
    {
        for letter in first.text.chars() {
            note(&format!("-{letter}"));
        }
    }
    command.flags = flags;
}

/// Returns whether an option gives the mode or the owner: `--reference=x`, `chmod -x`.
pub(crate) fn names_mode(command: &Command) -> bool {
    let takes_away = |text: &str| {
        text.strip_prefix('-')
            .is_some_and(|it| !it.is_empty() && it.chars().all(|it| "rwxst".contains(it)))
    };
    command.has_flag("--reference")
        || command.program == "chmod"
            && command
                .words_after_program()
                .iter()
                .any(|it| takes_away(&it.text))
}

fn find_subcommand(command: &mut Command) {
    let known = WITH_SUBCOMMANDS.iter().find(|it| it.0 == command.program);
    let Some((program, count, valued)) = known else {
        return;
    };
    let mut at = 1;
    let mut names: Vec<String> = Vec::new();
    let mut wanted = *count;
    while names.len() < wanted {
        let Some(word) = command.words.get(at) else {
            break;
        };
        let text = word.text.as_str();
        if text == "--" {
            break;
        }
        if text.starts_with('-') {
            // Options between the words of a subcommand belong to it.
            if names.is_empty() {
                at += if valued.contains(&text) { 2 } else { 1 };
                continue;
            }
            break;
        }
        if !word.known {
            break;
        }
        // `cargo +nightly publish`: the name of a toolchain, not the path of one.
        if names.is_empty() && *program == "cargo" && text.starts_with('+') && !text.contains('/') {
            at += 1;
            continue;
        }
        let is_group = |name: &str| {
            let groups = GROUPS.iter().find(|it| it.0 == *program);
            groups.is_some_and(|(_, groups)| groups.contains(&name))
        };
        if names.is_empty() && *count == 1 && is_group(text) {
            wanted = 2;
        }
        names.push(text.to_owned());
        at += 1;
    }
    for (place, word) in command.words.iter_mut().enumerate().take(at).skip(1) {
        let _ = place;
        word.is_option_value = false;
    }
    if !names.is_empty() {
        command.subcommand = Some(names.join(" "));
        command.head = at;
    }
}

fn mark_values(command: &mut Command) {
    mark_program_text(command);
    let known = WITH_VALUE.iter().find(|it| it.0 == command.program);
    let Some((_, valued)) = known else {
        return;
    };
    let letters = letters_of_git(command);
    let has_value = |option: &str| match letters {
        Some(letters) if !option.starts_with("--") => letters.contains(&option),
        _ => valued.contains(&option),
    };
    let start = command.head.max(1);
    let mut at = start;
    while at + 1 < command.words.len() {
        let text = command.words[at].text.as_str();
        if text == "--" {
            break;
        }
        // A word after a cluster that looks like an option counts as an option, not as a value.
        let takes = has_value(text)
            || text.starts_with('-')
                && !command.words[at + 1].text.starts_with('-')
                && !text.starts_with("--")
                && !ONE_DASH.contains(&command.program.as_str())
                && text.chars().count() > 2
                && text.chars().skip(1).all(char::is_alphabetic)
                && text
                    .chars()
                    .next_back()
                    .is_some_and(|last| has_value(&format!("-{last}")));
        if takes {
            command.words[at + 1].is_option_value = true;
            at += 2;
        } else {
            at += 1;
        }
    }
}

/// Returns the options of a subcommand of git with one letter that have a value, if its letters
/// mean something else than those of other subcommands.
fn letters_of_git(command: &Command) -> Option<&'static [&'static str]> {
    let subcommand = command
        .subcommand
        .as_deref()
        .filter(|_| command.program == "git")?;
    let first = subcommand.split(' ').next()?;
    let found = LETTERS_OF_GIT
        .iter()
        .find(|(names, _)| names.contains(&first));
    found.map(|(_, letters)| *letters)
}

/// Program text isn't an operand.
fn mark_program_text(command: &mut Command) {
    let is_shell = is_shell(&command.program);
    let options = text_options(&command.program).unwrap_or_default();
    for at in 1..command.words.len().saturating_sub(1) {
        let text = command.words[at].text.as_str();
        let is_cluster = text.starts_with('-') && !text.starts_with("--") && text.contains('c');
        if is_shell && is_cluster || options.contains(&text) {
            command.words[at + 1].is_option_value = true;
            if is_shell {
                return;
            }
        }
    }
}
