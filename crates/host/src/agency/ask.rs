//! Asks the person at an agent's terminal (TR-11).

/// The result of asking a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The person said yes.
    Yes,
    /// The person said anything else, or there is nobody to ask.
    No,
}

/// Asks on a terminal, if the program is in its foreground, and waits for an answer.
pub(super) fn ask(terminal: Option<u64>, question: &str) -> Answer {
    imp::ask(terminal, question).unwrap_or(Answer::No)
}

/// Returns whether standard input is this terminal, with the program in its foreground.
pub(super) fn is_read_from(terminal: Option<u64>) -> bool {
    imp::is_read_from(terminal).unwrap_or(false)
}

#[cfg(target_os = "linux")]
mod imp {
    use std::fs::File;
    use std::io::{BufRead as _, BufReader, Write as _, stdin};
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::MetadataExt as _;

    use hookloop_settings::bounded::open_terminal;

    use super::Answer;

    pub(super) fn is_read_from(terminal: Option<u64>) -> Option<bool> {
        open(terminal)?;
        // This must be the same terminal: standard input may be one that another program provides.
        let read = File::from(stdin().as_fd().try_clone_to_owned().ok()?);
        Some(Some(read.metadata().ok()?.rdev()) == terminal)
    }

    pub(super) fn ask(terminal: Option<u64>, question: &str) -> Option<Answer> {
        let mut terminal = open(terminal)?;
        write!(terminal, "{question} [y/N] ").ok()?;
        terminal.flush().ok()?;
        let mut line = String::new();
        BufReader::new(terminal).read_line(&mut line).ok()?;
        let said_yes = ["y", "yes"].contains(&line.trim().to_ascii_lowercase().as_str());
        Some(if said_yes { Answer::Yes } else { Answer::No })
    }

    /// Opens the program's terminal, if it is the given one and the program is in its foreground.
    fn open(terminal: Option<u64>) -> Option<File> {
        let wanted = terminal?;
        let own = crate::agency::ancestors::terminal_of(std::process::id())?;
        if own != wanted {
            return None;
        }
        let terminal = open_terminal().ok()?;
        // `/dev/tty` is an alias for the process's own terminal, so it can't be a different device.
        terminal.metadata().ok().filter(|it| it.rdev() != 0)?;
        // A background process would be stopped when it reads.
        let front = rustix::termios::tcgetpgrp(&terminal).ok()?;
        (front == rustix::process::getpgrp()).then_some(terminal)
    }
}

#[cfg(not(target_os = "linux"))]
mod imp {
    use super::Answer;

    // On these systems, the agent's terminal is unknown, so nobody is asked.
    pub(super) const fn ask(_terminal: Option<u64>, _question: &str) -> Option<Answer> {
        None
    }

    pub(super) const fn is_read_from(_terminal: Option<u64>) -> Option<bool> {
        None
    }
}
