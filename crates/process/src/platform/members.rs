//! The members of a process group on Linux.

use std::fs;

use rustix::process::Pid;

/// Returns whether a process of a group runs. One that has ended doesn't, though it stays in its
/// group until its parent waits for it; an orphan's new parent, the first process of the system or
/// of a container, may delay that or never do it.
pub(crate) fn has_running_member(group: Pid) -> bool {
    let Ok(processes) = fs::read_dir("/proc") else {
        return true;
    };
    processes
        .flatten()
        .filter_map(|process| fs::read_to_string(process.path().join("stat")).ok())
        .any(|status| is_running_in(&status, group.as_raw_nonzero().get()))
}

/// Reads the line of a process: its number, its name in parentheses, its state, its parent, its
/// group.
fn is_running_in(status: &str, group: i32) -> bool {
    // The name may contain anything, including parentheses and spaces.
    let Some((_, fields)) = status.rsplit_once(") ") else {
        return false;
    };
    let mut fields = fields.split(' ');
    let state = fields.next();
    let member_of = fields.nth(1).and_then(|number| number.parse().ok());
    member_of == Some(group) && !matches!(state, Some("Z" | "X"))
}

#[cfg(test)]
mod tests {
    use super::is_running_in;

    /// IO-31: nothing waits for what has ended, even if its parent never waits for it.
    #[test]
    fn a_process_that_has_ended_does_not_run() {
        assert!(is_running_in("7 (sleep) S 1 5 5 0 -1", 5));
        assert!(!is_running_in("7 (sleep) Z 1 5 5 0 -1", 5));
        assert!(!is_running_in("7 (sleep) S 1 6 5 0 -1", 5));
    }

    /// IO-31: a process is found whatever its name is.
    #[test]
    fn a_name_may_look_like_the_fields_behind_it() {
        assert!(is_running_in("7 (a) Z 1 9 9) S 1 5 5 0 -1", 5));
        assert!(!is_running_in("7 (a) S 1 5 5) Z 1 5 5 0 -1", 5));
    }
}
