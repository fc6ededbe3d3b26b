//! Whether a tool call would change the files that guards depend on (TR-8).

mod archives;
mod before;
mod bindings;
mod brackets;
mod built;
mod call_texts;
mod carriers;
mod commands;
mod commits;
mod concern;
mod containers;
mod created_files;
mod deferred;
mod descriptions;
mod editors;
mod environments;
mod fetched;
mod fetched_programs;
mod forms;
mod git_files;
mod git_queries;
mod git_trees;
mod indirect;
mod indirect_calls;
mod inline_code;
mod loaded;
mod loops;
mod modules;
mod operands;
mod own_program;
mod parsed;
mod planted;
mod program;
mod quotes;
mod reading;
mod recipes;
mod refs;
mod running;
mod scripts;
mod servers;
mod settled;
mod sources;
mod strings;
mod tables;
mod tcl;
mod tokens;
mod trees;
mod values;
mod written;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use serde_json::{Map, Value};

pub use concern::Concern;
pub use own_program::{Judged, OwnProgram};

pub use crate::clearance::commands::LaterValue;
use crate::clearance::commands::Place;
use crate::lazy_protected::LazyProtected;
use crate::protected::{Protected, Touch};

/// Tools of the agent that don't change the project.
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

/// Returns whether a tool never changes files that guards depend on, whatever its arguments (TR-8).
pub fn only_reads(tool: &str) -> bool {
    READERS.contains(&tool) || servers::only_reads(tool)
}

/// Judges calls before they run.
#[derive(Debug, Clone, Default)]
pub struct CallWatch(Place);

impl CallWatch {
    /// Creates a watch for calls in a working directory.
    pub fn new(protected: impl Into<LazyProtected>, cwd: PathBuf, home: Option<PathBuf>) -> Self {
        let mut above = cwd.ancestors();
        let repository = above.find(|it| it.join(".git").exists());
        Self(Place {
            repository: repository.map(Path::to_path_buf),
            protected: protected.into(),
            cwd,
            home,
            variables: Vec::new(),
            memory: None,
            later: commands::LaterVariables::default(),
            since: Some(SystemTime::now()),
            own: None,
            near: None,
            planted: planted::Planted::default(),
            texts: call_texts::CallTexts::default(),
        })
    }

    /// Returns a watch that protects additional files. Both share the record of what calls wrote.
    #[must_use]
    pub fn guarding_too(&self, protected: Protected) -> Self {
        let before = Protected::clone(&self.0.protected);
        Self(Place {
            protected: protected.with(before).into(),
            ..self.0.clone()
        })
    }

    /// Sets the variables that commands see.
    #[must_use]
    pub fn with_variables(mut self, variables: Vec<(OsString, OsString)>) -> Self {
        self.0.variables = variables;
        self
    }

    /// Sets how commands of this program are recognised. Those that change files that guards depend
    /// on need a person's consent, whether or not they will detect that an agent started them
    /// (TR-11).
    #[must_use]
    pub fn with_own_program(mut self, own: OwnProgram) -> Self {
        self.0.own = Some(own);
        self
    }

    /// Sets the file in which the agent stores its memory.
    #[must_use]
    pub fn remembering_in(mut self, memory: PathBuf) -> Self {
        self.0.memory = Some(memory);
        self
    }

    /// Sets the file that records what sessions wrote: files from earlier sessions were written by
    /// a model, too.
    #[must_use]
    pub fn keeping_in(self, file: PathBuf) -> Self {
        self.0.planted.keep(written::Written::open(file));
        self
    }

    /// Records the start of a call: whatever is written until it ends was written by a model.
    pub fn call_begins(&self) {
        self.0.planted.begin();
    }

    /// Records the end of a call, and what it wrote.
    pub fn call_ended(&self) {
        self.0.planted.settle(|path| self.0.is_changed_since(path));
    }

    /// Sets the lookup of variables that hooks have set for commands since. They take precedence
    /// (FD-14).
    #[must_use]
    pub fn asking(mut self, later: Arc<LaterValue>) -> Self {
        self.0.later = commands::LaterVariables(Some(later));
        self
    }

    /// Returns the protected files.
    pub fn protected(&self) -> &Protected {
        &self.0.protected
    }

    /// Returns why a call needs a person's consent: it would write, delete, move or change the
    /// permissions of a protected file, or it could and is opaque. The latter counts only if there
    /// are guards.
    pub fn concern(&self, tool: &str, arguments: &Map<String, Value>) -> Option<Concern> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str);
        let concern = match tool {
            "run_shell_command" => {
                let folder = text("dir_path").or_else(|| text("directory"));
                let folder = self.0.cwd.join(folder.unwrap_or_default());
                let command = text("command")?;
                let is_background = arguments.get("is_background") == Some(&Value::Bool(true));
                // Written as a shell would run it in the background.
                let beside = format!("{{ {command}\n}} &");
                let command = if is_background { &beside } else { command };
                let command = self.0.substitute(command, &folder);
                self.0.check_shell(&command, &folder, commands::max_depth())
            }
            "write_file" | "replace" => {
                let path = text("file_path")?;
                self.0.planted.note(&self.0.path_of(path));
                let described = || self.0.changed_by_tool(path, arguments);
                let touched = self.written(path).or_else(described);
                touched.map(Concern::Touches)
            }
            // The call names no file, and follows a link in the file's place.
            "save_memory" => {
                let memory = self.0.memory.as_ref()?;
                let touched = self.0.protected.affected(Touch::Write, memory);
                touched.map(Concern::Touches)
            }
            tool if only_reads(tool) => None,
            tool => self.0.check_server_call(tool, arguments),
        };
        match concern {
            Some(Concern::Unclear(_)) if !self.0.protected.has_guards() => None,
            other => other,
        }
    }

    /// Returns the protected file that a call would write, delete, move or change the permissions
    /// of, as far as the call is understood.
    pub fn affected_file(&self, tool: &str, arguments: &Map<String, Value>) -> Option<PathBuf> {
        match self.concern(tool, arguments)? {
            Concern::Touches(path) => Some(path),
            Concern::Changes(_) | Concern::Unclear(_) => None,
        }
    }

    fn written(&self, path: &str) -> Option<PathBuf> {
        let path = self.0.path_of(path);
        self.0.protected.affected(Touch::Write, &path)
    }
}

#[cfg(all(test, unix))]
mod tests;
