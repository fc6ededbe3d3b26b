//! The parent processes of this one (TR-11).

use crate::agency::OuterAgent;

/// How many parent processes are examined.
#[cfg(target_os = "linux")]
const MAX_ANCESTORS: usize = 64;

#[cfg(target_os = "linux")]
mod imp {
    use std::ffi::OsStr;
    use std::io::Read as _;
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::{Path, PathBuf};

    use hookloop_settings::bounded::{open_regular, read_file};

    use super::{MAX_ANCESTORS, OuterAgent};
    use crate::agency::{OWN_NAME, agent_called};

    /// How much of what the system says about a process is read at once, in bytes.
    const PIECE: usize = 4096;

    /// The system's information about a process.
    struct Process {
        /// The name by which it calls itself, at most 15 bytes.
        name: String,
        parent: u32,
        terminal: Option<u64>,
    }

    pub(super) fn agents() -> Vec<OuterAgent> {
        let mut agents = Vec::new();
        let mut pid = std::process::id();
        let mut above = process(pid).map(|it| it.parent);
        for _ in 0..MAX_ANCESTORS {
            let Some(next) = above.filter(|next| *next > 1 && *next != pid) else {
                break;
            };
            pid = next;
            let Some(found) = process(pid) else { break };
            if let Some(name) = name(pid, &found.name) {
                agents.push(OuterAgent {
                    name: name.to_owned(),
                    terminal: found.terminal,
                    homes: homes(pid),
                    projects: projects(pid),
                    system: None,
                });
            }
            above = Some(found.parent);
        }
        agents
    }

    pub(super) fn terminal_of(pid: u32) -> Option<u64> {
        process(pid)?.terminal
    }

    fn process(pid: u32) -> Option<Process> {
        let stat = read(pid, "stat").ok()?;
        let stat = String::from_utf8_lossy(&stat);
        // The name is in parentheses and may contain anything, including parentheses.
        let (head, rest) = stat.rsplit_once(')')?;
        let (_, name) = head.split_once('(')?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().take(5).collect();
        let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
        Some(Process {
            name: name.trim().to_owned(),
            parent: u32::try_from(number(1)?).ok()?,
            terminal: number(4).filter(|terminal| *terminal != 0),
        })
    }

    /// Reads what the system says about a process. It doesn't know the size beforehand, so that one
    /// large piece is asked for.
    fn read(pid: u32, what: &str) -> std::io::Result<Vec<u8>> {
        let mut content = Vec::with_capacity(PIECE);
        open_regular(Path::new(&format!("/proc/{pid}/{what}")))?
            .0
            .read_to_end(&mut content)?;
        Ok(content)
    }

    fn name(pid: u32, called: &str) -> Option<&'static str> {
        let program = std::fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
        let arguments = read(pid, "cmdline").unwrap_or_default();
        let arguments: Vec<String> = arguments
            .split(|byte| *byte == 0)
            .map(|argument| String::from_utf8_lossy(argument).into_owned())
            .collect();
        // The system adds this to a program that was replaced while it runs.
        let text = program.to_string_lossy();
        let program = OsStr::new(text.trim_end_matches(" (deleted)"));
        // The name can be read even if the rest of the process can't be inspected.
        let hidden = || {
            let first = arguments.first().map(String::as_str);
            let names = [first.unwrap_or_default(), called];
            names
                .into_iter()
                .find_map(|name| agent_called(OsStr::new(name), &arguments, called))
        };
        agent_called(program, &arguments, called)
            .or_else(|| (called == OWN_NAME).then_some(OWN_NAME))
            .or_else(|| program.is_empty().then(hidden).flatten())
    }

    /// Returns the homes that an agent may use: the one in its environment, and the user's own.
    fn homes(pid: u32) -> Vec<PathBuf> {
        let environment = read(pid, "environ").unwrap_or_default();
        let value = |name: &str| {
            let variables = environment.split(|byte| *byte == 0);
            let mut values = variables.filter_map(|it| {
                let value = it.strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
                Some(PathBuf::from(OsStr::from_bytes(value)))
            });
            values.find(|it| it.is_absolute())
        };
        let said = value("GEMINI_CLI_HOME").or_else(|| value("HOME"));
        // An agent that has overwritten its environment reveals nothing there.
        said.or_else(home_of_person).into_iter().collect()
    }

    fn projects(pid: u32) -> Vec<PathBuf> {
        let folder = std::fs::read_link(format!("/proc/{pid}/cwd")).ok();
        let Some(folder) = folder.filter(|folder| *folder != Path::new("/")) else {
            return Vec::new();
        };
        let home = home_of_person().unwrap_or_default();
        vec![hookloop_settings::find_project_root(&folder, &home)]
    }

    fn home_of_person() -> Option<PathBuf> {
        let user = rustix::process::getuid().as_raw().to_string();
        let users = read_file(Path::new("/etc/passwd")).ok()?;
        let users = String::from_utf8_lossy(&users).into_owned();
        let mut homes = users.lines().filter_map(|line| {
            let fields: Vec<&str> = line.split(':').collect();
            (fields.get(2) == Some(&user.as_str())).then(|| fields.get(5).map(PathBuf::from))?
        });
        homes.next()
    }
}

#[cfg(not(target_os = "linux"))]
mod imp {
    use super::OuterAgent;

    // On these systems, only the mark identifies an agent.
    pub(super) const fn agents() -> Vec<OuterAgent> {
        Vec::new()
    }

    pub(super) const fn terminal_of(_pid: u32) -> Option<u64> {
        None
    }
}

/// Returns the agents among the parent processes, nearest first.
pub(super) fn agents() -> Vec<OuterAgent> {
    imp::agents()
}

/// Returns the device number of a process's controlling terminal.
pub(super) fn terminal_of(pid: u32) -> Option<u64> {
    imp::terminal_of(pid)
}
