//! Commands of PowerShell that remove something or turn it off, by the verb of their name:
//! `Remove-VM`.

use hookloop_shell::Command;

/// Verbs that remove something, whatever the noun is.
const TAKES_AWAY: &[&str] = &[
    "Remove",
    "Clear",
    "Uninstall",
    "Disable",
    "Unregister",
    "Revoke",
    "Suspend",
    "Stop",
];

/// Nouns for what belongs to the session alone, for what is judged by its path, and for what is in
/// the table.
const OTHERS: &[&str] = &[
    "Alias",
    "Content",
    "Event",
    "FormatData",
    "History",
    "Host",
    "Item",
    "ItemProperty",
    "Job",
    "Module",
    "Object",
    "PSBreakpoint",
    "PSDrive",
    "PSReadLineKeyHandler",
    "PSSession",
    "PSSessionConfiguration",
    "PSSnapin",
    "Process",
    "Service",
    "Trace",
    "Transcript",
    "TypeData",
    "Variable",
];

/// Verbs that set something up anew, and parts of the nouns for what is lost by that.
const SETS_UP: &[(&str, &[&str])] = &[
    ("Initialize", &["Disk"]),
    (
        "Reset",
        &["Computer", "Account", "Credential", "Password", "VM"],
    ),
    ("Format", &["Volume"]),
];

/// Returns whether a command is one that removes something.
pub(super) fn takes_away(command: &Command) -> bool {
    let mut words = command.words_after_program().iter();
    let is_tried =
        words.any(|it| ["-whatif", "-?", "--help"].contains(&it.text.to_lowercase().as_str()));
    !is_tried && is_one(&command.program)
}

/// Returns whether a name is that of a command that removes something.
pub(super) fn is_one(program: &str) -> bool {
    let Some((verb, noun)) = program.split_once('-') else {
        return false;
    };
    if !noun.starts_with(|it: char| it.is_ascii_uppercase()) {
        return false;
    }
    let sets_up = || {
        let mut verbs = SETS_UP.iter().filter(|(it, _)| *it == verb);
        verbs.any(|(_, nouns)| nouns.iter().any(|it| noun.contains(it)))
    };
    TAKES_AWAY.contains(&verb) && !OTHERS.contains(&noun) || sets_up()
}

#[cfg(test)]
mod tests {
    use super::is_one;

    /// HT-40: the verb of a name says that something is removed; what belongs to the session
    /// doesn't count.
    #[test]
    fn verbs_tell_what_is_taken_away() {
        for name in [
            "Remove-VM",
            "Clear-Disk",
            "Disable-ADAccount",
            "Initialize-Disk",
            "Stop-AzVM",
        ] {
            assert!(is_one(name), "{name}");
        }
        for name in [
            "Clear-Host",
            "Remove-Variable",
            "Get-Disk",
            "Initialize-Project",
            "remove-unused",
            "Format-Table",
        ] {
            assert!(!is_one(name), "{name}");
        }
    }
}
