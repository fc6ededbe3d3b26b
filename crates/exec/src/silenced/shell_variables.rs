//! Variables that a shell text sets or unsets before it starts a program.

use std::collections::BTreeSet;

use hookloop_shell::{Command, Understood};

/// Returns the variables that a text sets or removes for everything that it starts.
pub(super) fn by_text(understood: &Understood) -> BTreeSet<String> {
    const SETTING: [&str; 5] = ["unset", "export", "declare", "typeset", "readonly"];
    let mut names = BTreeSet::new();
    for command in &understood.commands {
        if command.program.is_empty() {
            names.extend(command.env.iter().map(|it| it.name.clone()));
        } else if SETTING.contains(&command.program.as_str()) {
            let words = command.operands().map(|it| it.text.as_str());
            // `export NAME` alone passes on the existing value.
            let set = words.filter_map(|it| match it.split_once('=') {
                Some((name, _)) => Some(name),
                None => (command.program == "unset").then_some(it),
            });
            names.extend(set.map(str::to_owned));
        }
    }
    names
}

/// Returns the variables that are set or removed for one command: `NAME= python3 x`,
/// `env -u NAME python3 x`.
pub(super) fn for_command(command: &Command, text: &str) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = command.env.iter().map(|it| it.name.clone()).collect();
    if command.through.iter().any(|it| it == "env") {
        names.extend(unset_by_env(text));
    }
    names
}

/// Returns what the options of `env` in a text remove.
fn unset_by_env(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let unset = words.iter().enumerate().filter_map(|(at, word)| {
        let attached = word.strip_prefix("--unset=");
        let attached = attached.or_else(|| word.strip_prefix("-u").filter(|it| !it.is_empty()));
        let next = || words.get(at + 1).copied();
        attached.or_else(|| ["-u", "--unset"].contains(word).then(next).flatten())
    });
    let bare = |it: &str| it.trim_matches(['\'', '"']).to_owned();
    unset.map(bare).collect()
}
