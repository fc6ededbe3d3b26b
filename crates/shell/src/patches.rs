//! Programs that carry out patches.

use crate::understood::Command;

/// Options with which such a program changes nothing.
const ONLY_TELLS: [&str; 9] = [
    "--abort",
    "--check",
    "--dry-run",
    "--help",
    "--numstat",
    "--quit",
    "--stat",
    "--summary",
    "--version",
];

/// Returns whether a command changes files as a patch says: `patch`, `git apply`, `git am`. With
/// options that only show something it doesn't, unless `--apply` takes that back.
pub fn applies_patch(command: &Command) -> bool {
    let subcommand = command.subcommand.as_deref();
    let is_patching = match command.program.as_str() {
        "patch" | "gpatch" => true,
        "git" => matches!(subcommand, Some("apply" | "am")),
        _ => false,
    };
    let only_tells = || ONLY_TELLS.iter().any(|flag| command.has_flag(flag));
    is_patching && (command.has_option(&["--apply"]) || !only_tells())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surroundings::Surroundings;
    use crate::walk::understand;

    /// HT-30: what only tells of a patch changes nothing, unless it is to be applied as well.
    #[test]
    fn patches_are_applied_or_only_told_of() {
        for (text, applies) in [
            ("patch -p1 < a.patch", true),
            ("gpatch -p1 -i a.patch", true),
            ("git apply a.patch", true),
            ("git -C . apply --index a.patch", true),
            ("git am a.patch", true),
            ("git apply --stat --apply a.patch", true),
            ("git apply --apply --numstat a.patch", true),
            ("patch --dry-run < a.patch", false),
            ("git apply --check a.patch", false),
            ("git apply --stat --summary a.patch", false),
            ("git am --abort", false),
            ("git diff a.patch", false),
            ("cat a.patch", false),
        ] {
            let understood = understand(text, Surroundings::default());
            let found = understood.commands.iter().any(applies_patch);
            assert_eq!(found, applies, "{text}");
        }
    }
}
