//! The names of effects.

/// The names of all effects that a command or call can have (HT-40). A condition with another name
/// is never true.
pub const EFFECTS: &[&str] = &[
    "branch.commit",
    "branch.detour",
    "branch.push",
    "branch.rewrite",
    "branch.unknown",
    "cloud",
    "container",
    "database",
    "delete.code",
    "delete.outside",
    "delete.project",
    "delete.repository",
    "delete.root",
    "delete.tool",
    "delete.unknown",
    "disk",
    "disk.write",
    "env.loaded",
    "env.made",
    "env.read",
    "env.searched",
    "env.write",
    "environment",
    "git.discard",
    "git.force-push",
    "git.internals",
    "git.no-verify",
    "git.rewrite",
    "install",
    "network",
    "overwrite.project",
    "patch.downloaded",
    "permissions.open",
    "permissions.outside",
    "persist",
    "process",
    "process.bomb",
    "process.mines",
    "publish",
    "remote.shell",
    "run.downloaded",
    "run.unknown",
    "secret.read",
    "secret.write",
    "send.files",
    "settings.read",
    "tool.delete",
    "unreadable",
    "write.outside",
    "write.system",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effects::table::names;

    /// HT-40: every effect of the table has a name that conditions may use, and the names are in
    /// order.
    #[test]
    fn every_effect_has_a_name_that_is_known() {
        assert!(EFFECTS.is_sorted());
        let unknown: Vec<&str> = names().filter(|it| !EFFECTS.contains(it)).collect();
        assert_eq!(unknown, [] as [&str; 0]);
    }
}
