//! The tools of a session, by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use hookloop_events::tool_name;

use crate::files::{ListDirectory, ReadFile, ReadManyFiles, Replace, WriteFile};
use crate::search::{Glob, SearchFileContent};
use crate::shell::{RunShellCommand, ShellSettings};
use crate::{Declaration, ErrorKind, Tool, ToolError, Workspace};

/// Holds tools by name: built-in ones in their fixed order, then the others by name.
///
/// The order doesn't depend on who came first, so that requests stay alike from session to session.
#[derive(Clone, Default)]
pub struct Toolbox {
    tools: BTreeMap<(usize, String), Arc<dyn Tool>>,
}

impl Toolbox {
    /// Makes a toolbox with the tools on files and commands (`agent.md` §4).
    pub fn built_in(workspace: &Arc<Workspace>, shell: ShellSettings) -> Self {
        let mut toolbox = Self::default();
        let tools: [Arc<dyn Tool>; 8] = [
            Arc::new(ReadFile::new(Arc::clone(workspace))),
            Arc::new(ReadManyFiles::new(Arc::clone(workspace))),
            Arc::new(WriteFile::new(Arc::clone(workspace))),
            Arc::new(Replace::new(Arc::clone(workspace))),
            Arc::new(ListDirectory::new(Arc::clone(workspace))),
            Arc::new(Glob::new(Arc::clone(workspace))),
            Arc::new(SearchFileContent::new(Arc::clone(workspace))),
            Arc::new(RunShellCommand::new(Arc::clone(workspace), shell)),
        ];
        for tool in tools {
            toolbox.insert(tool);
        }
        toolbox
    }

    /// Puts a tool in, and returns the one of the same name that it replaced.
    pub fn insert(&mut self, tool: Arc<dyn Tool>) -> Option<Arc<dyn Tool>> {
        let key = key(&tool.declaration().name);
        self.tools.insert(key, tool)
    }

    /// Takes a tool out, and returns it.
    pub fn remove(&mut self, name: &str) -> Option<Arc<dyn Tool>> {
        self.tools.remove(&key(name))
    }

    /// Keeps only the tools that `is_kept` says yes to.
    pub fn retain(&mut self, mut is_kept: impl FnMut(&Declaration) -> bool) {
        self.tools.retain(|_, tool| is_kept(tool.declaration()));
    }

    /// Returns the tool of this name, or of this other name of it (PL-5).
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        if let Some(tool) = self.tools.get(&key(name)) {
            return Some(tool);
        }
        if let Some(own) = tool_name::canonical(name) {
            return self.tools.get(&key(own));
        }
        self.tools.values().find(|tool| {
            tool_name::other_names(&tool.declaration().name)
                .iter()
                .any(|other| other == name)
        })
    }

    /// Returns the tool of this name.
    ///
    /// # Errors
    /// `tool_not_registered` when there is none; the model is told which there are (LO-3).
    pub fn find(&self, name: &str) -> Result<&Arc<dyn Tool>, ToolError> {
        self.get(name).ok_or_else(|| {
            let names: Vec<&str> = self
                .declarations()
                .map(|declaration| declaration.name.as_str())
                .collect();
            ToolError::new(
                ErrorKind::UnknownTool,
                format!(
                    "Tool \"{name}\" not found. Available tools: {}",
                    names.join(", ")
                ),
            )
        })
    }

    /// Returns the declarations of all tools, in a stable order.
    pub fn declarations(&self) -> impl Iterator<Item = &Declaration> {
        self.tools.values().map(|tool| tool.declaration())
    }
}

/// Returns where a tool stands: built-in names in their order, all others after them.
fn key(name: &str) -> (usize, String) {
    let position = tool_name::built_in()
        .position(|own| own == name)
        .unwrap_or(usize::MAX);
    (position, name.to_owned())
}
