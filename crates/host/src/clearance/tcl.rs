//! Tcl text: commands made of words, as in a shell.

use super::values::Effects;

/// The maximum number of words in a command.
const MAX_WORDS: usize = 2048;

/// Returns the effects of a text.
pub(super) fn effects(text: &str) -> Effects {
    let mut found = Effects::default();
    let commands = text.split(['\n', ';', '[', ']']);
    for command in commands {
        let words: Vec<&str> = command
            .split(|it: char| it.is_whitespace() || "{}\"".contains(it))
            .filter(|it| !it.is_empty())
            .collect();
        if words.len() > MAX_WORDS {
            found.unclear.get_or_insert_with(|| words[0].to_owned());
            continue;
        }
        // A command may be in the body of another.
        for at in 0..words.len() {
            follow_command(&words[at..], &mut found);
        }
    }
    found
}

fn follow_command(words: &[&str], found: &mut Effects) {
    let behind = |count: usize| words.iter().skip(count);
    let mut note = |names: &[&str]| {
        for name in names {
            if name.contains('$') || name.is_empty() {
                found.unclear.get_or_insert_with(|| words[0].to_owned());
            }
            found.named.insert((*name).to_owned());
        }
    };
    match words {
        ["file", action, rest @ ..]
            if ["delete", "rename", "copy", "link", "mkdir", "attributes"]
                .iter()
                .any(|it| it.starts_with(action))
                && action.len() > 1 =>
        {
            note(if rest.is_empty() { &["$"] } else { rest });
        }
        ["open", name, ..] if name.starts_with('|') => {
            let line: Vec<&str> = behind(1).copied().collect();
            found
                .starts
                .push(line.join(" ").trim_start_matches('|').to_owned());
        }
        ["open", name, mode, ..] if mode.contains(['w', 'a', 'W', 'A', '+', '$']) => note(&[*name]),
        ["exec", ..] => {
            let line: Vec<&str> = behind(1).copied().collect();
            found.starts.push(line.join(" "));
        }
        ["cd", folder, ..] => {
            found.folders.insert((*folder).to_owned());
        }
        [
            "eval" | "source" | "interp" | "uplevel" | "subst" | "load",
            ..,
        ] => {
            found.unclear.get_or_insert_with(|| words[0].to_owned());
        }
        _ => {}
    }
}
