//! Asks the person in front of an agent's terminal (TR-11).

use crate::agency::OuterAgent;

/// What came of asking a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The person said yes.
    Yes,
    /// The person said anything else, or there is nobody to ask.
    No,
}

/// Asks on the controlling terminal of an agent, and waits for an answer. Only the terminal that
/// the agent itself runs on counts: a command can make itself one and answer there.
pub fn ask_person(agent: &OuterAgent, question: &str) -> Answer {
    imp::ask(agent.terminal, question).unwrap_or(Answer::No)
}

#[cfg(target_os = "linux")]
mod imp {
    use std::fs::OpenOptions;
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::os::unix::fs::MetadataExt as _;

    use super::Answer;

    pub(super) fn ask(terminal: Option<u64>, question: &str) -> Option<Answer> {
        let wanted = terminal?;
        let own = crate::agency::ancestors::terminal_of(std::process::id())?;
        if own != wanted {
            return None;
        }
        let mut terminal = OpenOptions::new()
            .read(true)
            .write(true)
            .open("/dev/tty")
            .ok()?;
        // `/dev/tty` is a name for whatever terminal a process has; never anything else.
        terminal.metadata().ok().filter(|it| it.rdev() != 0)?;
        // Whoever isn't in front would be stopped by reading.
        let front = rustix::termios::tcgetpgrp(&terminal).ok()?;
        if front != rustix::process::getpgrp() {
            return None;
        }
        write!(terminal, "{question} [y/N] ").ok()?;
        terminal.flush().ok()?;
        let mut line = String::new();
        BufReader::new(terminal).read_line(&mut line).ok()?;
        let said_yes = ["y", "yes"].contains(&line.trim().to_ascii_lowercase().as_str());
        Some(if said_yes { Answer::Yes } else { Answer::No })
    }
}

#[cfg(not(target_os = "linux"))]
mod imp {
    use super::Answer;

    // Which terminal the agent runs on can't be told there, so nobody is asked.
    pub(super) const fn ask(_terminal: Option<u64>, _question: &str) -> Option<Answer> {
        None
    }
}
