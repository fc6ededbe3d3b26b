//! Distinguishes agents from people (TR-11): detects whether an agent started this program, and
//! asks a person.
//!
//! There are two signs: a mark in the environment of everything that an agent starts, and the
//! parent processes. The mark remains if a process has lost its parents, and the parents remain if
//! a command clears its environment.

mod ancestors;
mod ask;

#[cfg(any(target_os = "linux", test))]
use std::ffi::OsStr;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use hookloop_settings::{FileId, SystemFiles};
use serde::{Deserialize, Serialize};

pub use ask::Answer;

/// Adopts descendants that lose their parent, instead of leaving them to the system's first
/// process. So our commands see that an agent started them, even if they were detached (TR-11). If
/// the system doesn't support this, only the mark in the environment remains.
pub fn keep_descendants() {
    #[cfg(target_os = "linux")]
    hookloop_process::adopt_orphans();
}

/// Gives this process the name by which our commands know it among their parents (TR-11): its file
/// may be called anything. It has to come before the process hides itself, since only then it may
/// write there.
pub fn take_own_name() {
    // Without `/proc`, no parent process is found under any name.
    #[cfg(target_os = "linux")]
    let _ = std::fs::write("/proc/self/comm", OWN_NAME);
}

/// What a process of ours is called.
#[cfg(any(target_os = "linux", test))]
const OWN_NAME: &str = "hookloop";

/// The variable that an agent sets for its tools and hooks.
pub const AGENT_MARK: &str = "HOOKLOOP_AGENT";

/// The mark that an agent puts into the environment of everything that it starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentMark {
    /// The process id of the agent.
    pub pid: u32,
    /// The home folder with the agent's settings.
    pub home: PathBuf,
    /// The root of the agent's project.
    pub project: PathBuf,
    /// The system's settings file that the agent reads.
    #[serde(default)]
    pub system: Option<PathBuf>,
    /// The file of the system's defaults that the agent reads.
    #[serde(default)]
    pub defaults: Option<PathBuf>,
}

impl AgentMark {
    /// Returns the environment variable for tools and hooks.
    pub fn variable(&self) -> (OsString, OsString) {
        // Paths that aren't Unicode are written lossily in the mark; the processes above give the
        // exact ones.
        let value = serde_json::json!({
            "pid": self.pid,
            "home": self.home.to_string_lossy(),
            "project": self.project.to_string_lossy(),
            "system": self.system.as_ref().map(|it| it.to_string_lossy()),
            "defaults": self.defaults.as_ref().map(|it| it.to_string_lossy()),
        });
        (AGENT_MARK.into(), value.to_string().into())
    }

    fn system_files(self) -> Option<SystemFiles> {
        let files = SystemFiles::of(self.system?);
        Some(match self.defaults {
            Some(defaults) => files.with_defaults(defaults),
            None => files,
        })
    }

    fn read(variables: &[(OsString, OsString)]) -> Option<Self> {
        let (_, value) = variables.iter().find(|(name, _)| name == AGENT_MARK)?;
        serde_json::from_str(value.to_str()?).ok()
    }
}

/// An agent that started this program, directly or indirectly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OuterAgent {
    /// Its display name.
    pub name: String,
    /// The device number of its terminal; `None` if it has none, or it can't be determined.
    terminal: Option<u64>,
    /// The home folders whose settings it may use.
    homes: Vec<PathBuf>,
    /// The folders that it works in.
    projects: Vec<PathBuf>,
    /// The files of the system's layer that it reads, if its mark names them.
    system: Option<SystemFiles>,
}

/// Who answers questions on the program's terminal or standard input (TR-11).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answerer {
    /// A person.
    Person,
    /// The agent with this name, which started the program and controls the other end.
    Agent(String),
}

/// The agents that started this program, directly or indirectly.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OuterAgents(Vec<OuterAgent>);

impl OuterAgents {
    /// Finds the outer agents, by the mark in the environment and by the parent processes (TR-11).
    pub fn find(variables: &[(OsString, OsString)]) -> Self {
        let mut agents = ancestors::agents();
        let is_marked = variables.iter().any(|(name, _)| name == AGENT_MARK);
        if is_marked {
            let mark = AgentMark::read(variables);
            let terminal = mark.as_ref().and_then(|it| ancestors::terminal_of(it.pid));
            agents.push(OuterAgent {
                name: "hookloop".to_owned(),
                terminal,
                homes: mark.iter().map(|it| it.home.clone()).collect(),
                projects: mark.iter().map(|it| it.project.clone()).collect(),
                system: mark.and_then(AgentMark::system_files),
            });
        }
        Self(agents)
    }

    /// Returns whether no agent started this program.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the nearest agent that uses what a command would change: its home or project, or the
    /// settings and trust files in them, by whatever path. A command that changes another home and
    /// project concerns no agent.
    pub fn concerned_by(&self, home: &Path, project: &Path) -> Option<&OuterAgent> {
        let own: Vec<PathBuf> = [home, project]
            .into_iter()
            .flat_map(identifying_paths)
            .collect();
        let is_marked = self.0.iter().any(|agent| agent.system.is_some());
        self.0.iter().find(|agent| {
            let mut theirs = agent
                .homes
                .iter()
                .chain(&agent.projects)
                .flat_map(|folder| identifying_paths(folder));
            // If the agent's folder can't be read and its mark was cleared, only a temporary folder
            // is certainly another project.
            let is_unknown = !is_marked && agent.projects.is_empty() && !is_temporary(project);
            is_unknown || theirs.any(|theirs| own.iter().any(|own| is_same(own, &theirs)))
        })
    }

    /// Asks the person at the agents' terminal, and waits for an answer.
    pub fn ask_person(&self, question: &str) -> Answer {
        ask::ask(self.terminal(), question)
    }

    /// Returns who answers the questions of a program that uses this home and project: a person,
    /// unless an agent is concerned and started the program through pipes, or on a terminal that
    /// the agent created.
    pub fn answerer(&self, home: &Path, project: &Path) -> Answerer {
        match self.concerned_by(home, project) {
            Some(agent) if !ask::is_read_from(self.terminal()) => {
                Answerer::Agent(agent.name.clone())
            }
            _ => Answerer::Person,
        }
    }

    /// Returns the terminal that all of the agents run on. Only a common one counts: a command
    /// could create another terminal, start an agent there, and answer in a person's place.
    fn terminal(&self) -> Option<u64> {
        let (first, others) = self.0.split_first()?;
        let is_shared = others.iter().all(|it| it.terminal == first.terminal);
        first.terminal.filter(|_| is_shared)
    }

    /// Returns the nearest agent whose home or project contains a path, however the path is
    /// spelled.
    pub fn owner_of(&self, path: &Path) -> Option<&OuterAgent> {
        let real = hookloop_trust::real_path(path)?;
        self.0.iter().find(|agent| {
            let homes = agent.homes.iter().map(|it| it.join(".gemini"));
            let mut theirs = homes.chain(agent.projects.iter().cloned());
            theirs.any(|theirs| real.ancestors().any(|above| is_same(above, &theirs)))
        })
    }

    /// Returns the system's settings files that the agent that left its mark reads.
    pub fn system_files(&self) -> Option<&SystemFiles> {
        let mut files = self.0.iter().filter_map(|agent| agent.system.as_ref());
        files.next()
    }

    /// Returns the homes and projects of all outer agents.
    pub fn places(&self) -> impl Iterator<Item = (&Path, &Path)> {
        self.0.iter().flat_map(|agent| {
            let projects = agent.projects.iter();
            projects.flat_map(|project| {
                let homes = agent.homes.iter();
                homes.map(|home| (home.as_path(), project.as_path()))
            })
        })
    }

    /// Returns the home folder of the agent that left its mark, if the project is that agent's. A
    /// session under that agent must use this home.
    pub fn home_for(&self, project: &Path) -> Option<&Path> {
        let agent = self.0.iter().find(|agent| {
            let mut projects = agent.projects.iter();
            projects.any(|it| is_same(it, project))
        })?;
        agent.homes.first().map(PathBuf::as_path)
    }
}

/// Returns the paths that identify a home or project: its folder, and the settings and trust files
/// in it.
fn identifying_paths(folder: &Path) -> Vec<PathBuf> {
    let gemini = folder.join(".gemini");
    let files = [
        "settings.json",
        "trusted_hooks.json",
        "trustedFolders.json",
        "extensions",
    ];
    let inside = files.into_iter().map(|file| gemini.join(file));
    let all = [folder.to_path_buf(), gemini.clone()]
        .into_iter()
        .chain(inside);
    all.collect()
}

fn is_temporary(folder: &Path) -> bool {
    let real = hookloop_trust::real_path(folder).unwrap_or_else(|| folder.to_path_buf());
    [
        "/tmp",
        "/var/tmp",
        "/dev/shm",
        "/private/tmp",
        "/private/var/folders",
    ]
    .iter()
    .any(|it| real.starts_with(it))
}

/// Returns whether two paths lead to the same file, by its identity.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    match (FileId::of(one), FileId::of(other)) {
        (Some(one), Some(other)) => one == other,
        (None, None) => one == other,
        _ => false,
    }
}

/// Returns the agent's name for a process, from its program, its command line, and its process
/// title, with which an interpreted program may overwrite its command line.
#[cfg(any(target_os = "linux", test))]
fn agent_called(program: &OsStr, arguments: &[String], called: &str) -> Option<&'static str> {
    const PROGRAMS: [(&str, &str); 17] = [
        ("hookloop", "hookloop"),
        ("claude", "Claude Code"),
        ("codex", "Codex"),
        ("gemini", "Gemini CLI"),
        ("cursor-agent", "Cursor"),
        ("copilot", "Copilot"),
        ("qwen", "Qwen Code"),
        ("opencode", "opencode"),
        ("cline", "Cline"),
        ("droid", "Droid"),
        ("goose", "Goose"),
        ("crush", "Crush"),
        ("aider", "aider"),
        ("kimi", "Kimi Code"),
        ("kimi-code", "Kimi Code"),
        ("kimi-cli", "Kimi Code"),
        ("amp", "Amp"),
    ];
    /// Packages of agents that run in an interpreter.
    const PACKAGES: [(&str, &str); 13] = [
        ("@anthropic-ai/claude-code", "Claude Code"),
        ("@openai/codex", "Codex"),
        ("@google/gemini-cli", "Gemini CLI"),
        ("@github/copilot", "Copilot"),
        ("@qwen-code/qwen-code", "Qwen Code"),
        ("cursor-agent", "Cursor"),
        ("opencode-ai", "opencode"),
        ("@moonshot-ai/kimi-code", "Kimi Code"),
        ("node_modules/cline/", "Cline"),
        ("node_modules/@cline/", "Cline"),
        ("node_modules/droid/", "Droid"),
        ("@aaif/goose", "Goose"),
        ("@sourcegraph/amp", "Amp"),
    ];
    let base = |text: &str| -> String {
        let base = text.rsplit(['/', '\\']).next().unwrap_or(text);
        base.trim_end_matches(".exe").to_owned()
    };
    let by_program = |text: &str| {
        let base = base(text);
        PROGRAMS.iter().find(|(name, _)| *name == base)
    };
    let program = program.to_string_lossy();
    if let Some((_, name)) = by_program(&program) {
        return Some(name);
    }
    // For an interpreter, the script that it runs; arguments of other programs aren't programs.
    let interpreter = base(&program);
    let language = hookloop_shell::Language::from_program(&interpreter);
    if !matches!(
        language,
        Some(hookloop_shell::Language::JavaScript | hookloop_shell::Language::Python)
    ) {
        return None;
    }
    let script = arguments.iter().skip(1).find(|it| !it.starts_with('-'));
    let by_script = script.and_then(|script| {
        let by_package = PACKAGES
            .iter()
            .find(|(package, _)| script.contains(package));
        by_package.or(by_program(script))
    });
    let title = arguments.first().map_or("", String::as_str);
    let by_title = || {
        let first = title.split_whitespace().next().unwrap_or_default();
        by_program(first).or_else(|| by_program(called))
    };
    by_script.or_else(by_title).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TR-11: agents are recognised by their program, and by the script that an interpreter runs.
    #[test]
    fn agents_are_known_by_what_runs() {
        let called = |program: &str, arguments: &[&str]| {
            let arguments: Vec<String> = arguments.iter().map(|it| (*it).to_owned()).collect();
            agent_called(OsStr::new(program), &arguments, "")
        };
        assert_eq!(called("/usr/bin/claude", &[]), Some("Claude Code"));
        let script = "/usr/lib/node_modules/@google/gemini-cli/dist/index.js";
        assert_eq!(called("node", &["node", script]), Some("Gemini CLI"));
        assert_eq!(
            called("node", &["node", "/usr/bin/gemini", "-p"]),
            Some("Gemini CLI")
        );
        for (script, name) in [
            ("@moonshot-ai/kimi-code/dist/main.mjs", "Kimi Code"),
            ("cline/dist/cli.mjs", "Cline"),
            ("droid/bin/droid.js", "Droid"),
            ("@qwen-code/qwen-code/cli.js", "Qwen Code"),
        ] {
            let script = format!("/usr/lib/node_modules/{script}");
            assert_eq!(called("node", &["node", &script]), Some(name));
        }
        assert_eq!(called("/usr/bin/node", &["kimi"]), Some("Kimi Code"));
        let titled = agent_called(OsStr::new("node"), &["node".to_owned()], "kimi-code");
        assert_eq!(titled, Some("Kimi Code"));
        assert_eq!(called("bash", &["bash", "-c", "ls"]), None);
        assert_eq!(called("vim", &["vim", "gemini"]), None);
        assert_eq!(called("timeout", &["timeout", "9", "/bin/hookloop"]), None);
    }

    /// TR-11: what an agent uses is recognised by what the folder is, whatever it is called; a
    /// separate home and project concern no agent.
    #[cfg(unix)]
    #[test]
    fn protected_is_what_the_agent_uses() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        for name in ["home/.gemini", "project", "own/home", "own/project"] {
            std::fs::create_dir_all(path(name)).expect("a folder");
        }
        let mark = AgentMark {
            pid: std::process::id(),
            home: path("home"),
            project: path("project"),
            system: None,
            defaults: None,
        };
        let agents = OuterAgents::find(&[mark.variable()]);
        let is_concerned =
            |home: &str, project: &str| agents.concerned_by(&path(home), &path(project)).is_some();
        assert!(is_concerned("home", "own/project"));
        assert!(is_concerned("own/home", "project"));
        assert!(!is_concerned("own/home", "own/project"));
        std::os::unix::fs::symlink(path("project"), path("alias")).expect("a link");
        assert!(is_concerned("own/home", "alias"));
        let inner = path("own/home/.gemini");
        std::os::unix::fs::symlink(path("home/.gemini"), inner).expect("a link");
        assert!(is_concerned("own/home", "own/project"));
    }

    /// TR-11, ST-1: a mark says which of the system's files its agent reads, so that naming another
    /// path for them below the agent disables no guard.
    #[test]
    fn a_mark_names_the_files_of_the_system() {
        for (defaults, expected) in [
            (None, "/etc/x/system-defaults.json"),
            (Some("/low.json"), "/low.json"),
        ] {
            let mark = AgentMark {
                pid: u32::MAX,
                home: "/home/me".into(),
                project: "/project".into(),
                system: Some("/etc/x/settings.json".into()),
                defaults: defaults.map(PathBuf::from),
            };
            let agents = OuterAgents::find(&[mark.variable()]);
            let files = agents.system_files().expect("a mark");
            assert_eq!(files.settings, Path::new("/etc/x/settings.json"));
            assert_eq!(files.defaults, Path::new(expected));
        }
    }

    /// TR-11: below an agent that is concerned, what is read from elsewhere than its terminal
    /// counts as that agent's; agents on different terminals have no common person.
    #[cfg(unix)]
    #[test]
    fn an_agents_word_isnt_a_persons() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        for name in ["home", "project", "own/home", "own/project"] {
            std::fs::create_dir_all(path(name)).expect("a folder");
        }
        let mark = AgentMark {
            // The agent has ended, and its terminal with it.
            pid: u32::MAX,
            home: path("home"),
            project: path("project"),
            system: Some(path("system.json")),
            defaults: None,
        };
        let agents = OuterAgents::find(&[mark.variable()]);
        let outer = agents.answerer(&path("home"), &path("own/project"));
        assert!(matches!(outer, Answerer::Agent(_)), "{outer:?}");
        let own = agents.answerer(&path("own/home"), &path("own/project"));
        assert_eq!(own, Answerer::Person);
        assert_eq!(agents.ask_person("?"), Answer::No);
        let agent = |terminal: Option<u64>| OuterAgent {
            name: "x".to_owned(),
            terminal,
            homes: Vec::new(),
            projects: Vec::new(),
            system: None,
        };
        for (terminals, shared) in [
            (vec![Some(7), Some(7)], Some(7)),
            (vec![Some(7), Some(8)], None),
            (vec![Some(7), None], None),
            (vec![], None),
        ] {
            let agents = OuterAgents(terminals.into_iter().map(agent).collect());
            assert_eq!(agents.terminal(), shared);
        }
    }

    /// TR-11: a mark that can't be read still counts as one.
    #[test]
    fn a_broken_mark_is_a_mark() {
        let agents = OuterAgents::find(&[(AGENT_MARK.into(), "x".into())]);
        assert!(!agents.is_empty());
    }
}
