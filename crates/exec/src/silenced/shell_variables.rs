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
pub(super) fn for_command(command: &Command) -> BTreeSet<String> {
    let set = command.env.iter().map(|it| &it.name);
    set.chain(&command.removed.names).cloned().collect()
}
