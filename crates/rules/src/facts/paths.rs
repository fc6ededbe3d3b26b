//! Describes what a call does to files, and its other effects.

use std::sync::Arc;

use hookloop_shell::{Command, normalize_path};

use crate::effects::{EFFECTS, Effect, Places, folder_contents, folder_contents::FolderContents};
use crate::fact::Fact;

/// Describes the paths that a command uses.
pub(super) fn paths_of(command: &Command, places: &Places) -> Vec<Fact> {
    let uses = [
        (&command.reads, "read"),
        (&command.writes, "write"),
        (&command.deletes, "delete"),
    ];
    let mut facts = Vec::new();
    for (paths, what) in uses {
        for used in paths {
            if !used.known {
                facts.push(Fact::Unknown(Arc::from(format!(
                    "{} is only known when it runs",
                    used.written
                ))));
            }
            facts.extend(used.paths.iter().map(|path| path_fact(path, what, places)));
        }
    }
    facts.extend(held_facts(
        &folder_contents::by_command(command, places),
        places,
    ));
    facts
}

/// Describes what is in folders that are removed or replaced; what wasn't examined there isn't
/// known.
pub(super) fn held_facts(contents: &FolderContents, places: &Places) -> Vec<Fact> {
    let known = contents.paths.iter();
    let known = known.map(|(path, fate)| path_fact(path, fate.word(), places));
    let unknown = contents.in_part.iter().map(|folder| {
        let why = format!("{folder} contains more files and folders than can be checked");
        Fact::Unknown(Arc::from(why))
    });
    known.chain(unknown).collect()
}

pub(super) fn path_fact(path: &str, what: &str, places: &Places) -> Fact {
    let path = normalize_path(path);
    let root = places.workspace.trim_end_matches('/');
    let inside = path == root
        || path
            .strip_prefix(root)
            .is_some_and(|rest| rest.starts_with('/'));
    Fact::map([
        ("name", Fact::text(path.rsplit('/').next().unwrap_or(""))),
        ("path", Fact::text(&path)),
        ("use", Fact::text(what)),
        ("inside", Fact::Bool(inside)),
    ])
}

pub(super) fn effect_fact(effect: &Effect) -> Fact {
    debug_assert!(
        EFFECTS.contains(&effect.name.as_str()),
        "\"{}\" isn't one of the effects that conditions can use",
        effect.name
    );
    Fact::map([
        ("name", Fact::text(&effect.name)),
        ("line", Fact::text(&effect.line)),
        ("about", Fact::text(&effect.about)),
    ])
}
