//! Whether a tool call would take away what guards are made of (TR-8).

mod commands;
mod commits;
mod concern;
mod editors;
mod git_files;
mod loaded;
mod modules;
mod own_program;
mod program;
mod recipes;
mod tables;
mod tokens;
mod trees;
mod values;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use serde_json::{Map, Value};

pub use concern::Concern;
pub use own_program::OwnProgram;

pub use crate::clearance::commands::LaterValue;
use crate::clearance::commands::Place;
use crate::protected::{Protected, Touch};

/// Tools of the agent that change nothing of the project's.
const READERS: [&str; 15] = [
    "read_file",
    "read_many_files",
    "list_directory",
    "glob",
    "search_file_content",
    "grep_search",
    "web_fetch",
    "google_web_search",
    "write_todos",
    "ask_user",
    "activate_skill",
    "delegate_to_agent",
    "get_internal_docs",
    "enter_plan_mode",
    "exit_plan_mode",
];

/// How deep the arguments of a server's tool are looked into.
const DEEPEST_VALUE: usize = 6;

/// What is longer isn't a path.
const LONGEST_PATH: usize = 4096;

/// Looks at calls before they run.
#[derive(Debug, Clone, Default)]
pub struct CallWatch(Place);

impl CallWatch {
    /// Watches over what is protected, for calls that run in a working directory.
    pub fn new(protected: Protected, cwd: PathBuf, home: Option<PathBuf>) -> Self {
        let mut above = cwd.ancestors();
        let repository = above.find(|it| it.join(".git").exists());
        Self(Place {
            repository: repository.map(Path::to_path_buf),
            protected,
            cwd,
            home,
            variables: Vec::new(),
            memory: None,
            later: commands::Later::default(),
            since: Some(SystemTime::now()),
            own: None,
        })
    }

    /// Tells which variables commands see.
    #[must_use]
    pub fn knowing(mut self, variables: Vec<(OsString, OsString)>) -> Self {
        self.0.variables = variables;
        self
    }

    /// Tells how commands of this program are known: one that changes what guards are made of needs a
    /// person's yes, whether or not it will see that an agent started it (TR-11).
    #[must_use]
    pub fn asking_for(mut self, own: OwnProgram) -> Self {
        self.0.own = Some(own);
        self
    }

    /// Tells in which file the agent keeps what it is told to remember.
    #[must_use]
    pub fn remembering_in(mut self, memory: PathBuf) -> Self {
        self.0.memory = Some(memory);
        self
    }

    /// Tells what hooks have set for commands since: it counts before all else (FD-14).
    #[must_use]
    pub fn asking(mut self, later: Arc<LaterValue>) -> Self {
        self.0.later = commands::Later(Some(later));
        self
    }

    /// Returns what is protected.
    pub fn protected(&self) -> &Protected {
        &self.0.protected
    }

    /// Returns why a call needs a person's yes: it would write, delete, move or re-mode a protected
    /// file, or could and can't be seen through. The latter only where there are guards.
    pub fn concern(&self, tool: &str, arguments: &Map<String, Value>) -> Option<Concern> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str);
        let concern = match tool {
            "run_shell_command" => {
                let folder = text("dir_path").or_else(|| text("directory"));
                let folder = self.0.cwd.join(folder.unwrap_or_default());
                self.0
                    .of_shell(text("command")?, &folder, commands::deepest())
            }
            "write_file" | "replace" => self.written(text("file_path")?).map(Concern::Touches),
            // It names no file, and follows a link that lies in the file's place.
            "save_memory" => {
                let memory = self.0.memory.as_ref()?;
                let touched = self.0.protected.touched_by(Touch::Write, memory);
                touched.map(Concern::Touches)
            }
            tool if READERS.contains(&tool) || only_reads(tool) => None,
            _ => arguments
                .values()
                .find_map(|value| self.written_anywhere(value, DEEPEST_VALUE))
                .map(Concern::Touches)
                .or_else(|| self.told_to_run(arguments)),
        };
        match concern {
            Some(Concern::Unclear(_)) if !self.0.protected.has_guards() => None,
            other => other,
        }
    }

    /// Looks at what a tool of a server is told to run.
    fn told_to_run(&self, arguments: &Map<String, Value>) -> Option<Concern> {
        const NAMES: [&str; 5] = ["command", "commands", "cmd", "script", "code"];
        let texts = NAMES.iter().filter_map(|name| arguments.get(*name));
        let texts = texts.flat_map(|value| match value {
            Value::Array(list) if list.iter().all(Value::is_string) => {
                let words = list.iter().filter_map(Value::as_str);
                let line = hookloop_shell::join(words.clone());
                words.map(str::to_owned).chain([line]).collect()
            }
            Value::String(text) => vec![text.clone()],
            _ => Vec::new(),
        });
        let mut texts = texts.collect::<Vec<_>>().into_iter();
        texts.find_map(|text| self.0.in_text(&text, &self.0.cwd, commands::deepest()))
    }

    /// Returns the protected file that a call would write, delete, move or re-mode, as far as the
    /// call is understood.
    pub fn touched(&self, tool: &str, arguments: &Map<String, Value>) -> Option<PathBuf> {
        match self.concern(tool, arguments)? {
            Concern::Touches(path) => Some(path),
            Concern::Changes(_) | Concern::Unclear(_) => None,
        }
    }

    /// Looks at every text that a tool of a server is given: it may be a path.
    fn written_anywhere(&self, value: &Value, depth: usize) -> Option<PathBuf> {
        let depth = depth.checked_sub(1)?;
        match value {
            Value::String(text) if text.len() <= LONGEST_PATH && !text.contains('\n') => {
                self.written(text.strip_prefix("file://").unwrap_or(text))
            }
            Value::Array(list) => list.iter().find_map(|it| self.written_anywhere(it, depth)),
            Value::Object(map) => map.values().find_map(|it| self.written_anywhere(it, depth)),
            _ => None,
        }
    }

    fn written(&self, path: &str) -> Option<PathBuf> {
        let path = match (path.strip_prefix("~/"), &self.0.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.0.cwd.join(path),
        };
        self.0.protected.touched_by(Touch::Write, &path)
    }
}

/// Tells whether a server's tool says of itself, by the first word of its name, that it reads.
fn only_reads(tool: &str) -> bool {
    const WORDS: [&str; 10] = [
        "read", "get", "list", "search", "view", "stat", "find", "fetch", "show", "query",
    ];
    let Some(name) = tool
        .strip_prefix("mcp__")
        .and_then(|it| it.split_once("__"))
    else {
        return false;
    };
    let words: Vec<&str> = name.1.split(['_', '-']).collect();
    WORDS.contains(&words[0])
        && !words
            .iter()
            .any(|it| ["write", "and", "update"].contains(it))
}

#[cfg(all(test, unix))]
mod tests;
