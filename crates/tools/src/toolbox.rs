//! The tools of a session, by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use hookloop_events::tool_name;
use hookloop_settings::nearest;

use crate::files::{ListDirectory, ReadFile, ReadManyFiles, replace, write_file};
use crate::search::{Glob, SearchFileContent};
use crate::shell::{RunShellCommand, ShellSettings};
use crate::{Declaration, ErrorKind, Tool, ToolError, Workspace};

/// How many tools the answer to a call of an unknown one lists.
const MAX_LISTED: usize = 60;

/// Tools by name: first the built-in ones in a fixed order, then the others by name.
///
/// The order doesn't depend on when tools were added, so that requests are similar from session to
/// session.
#[derive(Clone, Default)]
pub struct Toolbox {
    tools: BTreeMap<(usize, String), Arc<dyn Tool>>,
    sources: Vec<FollowedSource>,
    around: Option<Arc<Around>>,
}

/// Puts something around a tool, or leaves it as it is.
type Around = dyn Fn(Arc<dyn Tool>) -> Arc<dyn Tool> + Send + Sync;

/// A source of tools that can appear and disappear during a session (TO-3).
pub trait ToolSource: Send + Sync {
    /// Returns a number that changes whenever the tools do.
    fn revision(&self) -> u64;

    /// Returns the tools that exist now, each name once.
    fn tools(&self) -> Vec<Arc<dyn Tool>>;
}

/// A source, and the tools last taken from it.
#[derive(Clone)]
struct FollowedSource {
    source: Arc<dyn ToolSource>,
    revision: Option<u64>,
    names: Vec<String>,
}

impl Toolbox {
    /// Creates a toolbox with the tools for files and commands (`agent.md` §4).
    pub fn built_in(workspace: &Arc<Workspace>, shell: ShellSettings) -> Self {
        let mut toolbox = Self::default();
        let tools: [Arc<dyn Tool>; 8] = [
            Arc::new(ReadFile::new(Arc::clone(workspace))),
            Arc::new(ReadManyFiles::new(Arc::clone(workspace))),
            Arc::new(write_file::tool(Arc::clone(workspace))),
            Arc::new(replace::tool(Arc::clone(workspace))),
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

    /// Adds tools. An existing tool with the same name is replaced.
    #[must_use]
    pub fn with_extra(mut self, tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Self {
        for tool in tools {
            self.insert(tool);
        }
        self
    }

    /// Adds a source. [`Toolbox::refresh`] updates its tools.
    #[must_use]
    pub fn with_source(mut self, source: Arc<dyn ToolSource>) -> Self {
        self.sources.push(FollowedSource {
            source,
            revision: None,
            names: Vec::new(),
        });
        self
    }

    /// Wraps each tool with `around`, the present ones and those that are added later.
    #[must_use]
    pub fn with_around(
        mut self,
        around: impl Fn(Arc<dyn Tool>) -> Arc<dyn Tool> + Send + Sync + 'static,
    ) -> Self {
        for tool in self.tools.values_mut() {
            *tool = around(Arc::clone(tool));
        }
        self.around = Some(Arc::new(around));
        self
    }

    /// Updates the tools of all sources, and returns whether anything changed (TO-3).
    ///
    /// A source never replaces a tool of another origin. After a change, tools that a policy
    /// doesn't make available must be removed again.
    pub fn refresh(&mut self) -> bool {
        let mut changed = false;
        for index in 0..self.sources.len() {
            let followed = &self.sources[index];
            let source = Arc::clone(&followed.source);
            let revision = source.revision();
            if followed.revision == Some(revision) {
                continue;
            }
            changed = true;
            for name in std::mem::take(&mut self.sources[index].names) {
                self.remove(&name);
            }
            let mut names = Vec::new();
            for tool in source.tools() {
                let name = tool.declaration().name.clone();
                if !self.tools.contains_key(&key(&name)) {
                    self.insert(tool);
                    names.push(name);
                }
            }
            self.sources[index].names = names;
            self.sources[index].revision = Some(revision);
        }
        changed
    }

    /// Adds a tool, and returns the one with the same name that it replaced.
    pub fn insert(&mut self, tool: Arc<dyn Tool>) -> Option<Arc<dyn Tool>> {
        let tool = match &self.around {
            Some(around) => around(tool),
            None => tool,
        };
        let key = key(&tool.declaration().name);
        self.tools.insert(key, tool)
    }

    /// Removes a tool, and returns it.
    pub fn remove(&mut self, name: &str) -> Option<Arc<dyn Tool>> {
        self.tools.remove(&key(name))
    }

    /// Keeps only the tools for which `is_kept` returns true.
    pub fn retain(&mut self, mut is_kept: impl FnMut(&Declaration) -> bool) {
        self.tools.retain(|_, tool| is_kept(tool.declaration()));
    }

    /// Returns the tool with this name or alias (PL-5).
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

    /// Returns the tool with this name.
    ///
    /// # Errors
    /// `tool_not_registered` if there is none. The message lists the tools, for the model (LO-3),
    /// which knows them anyway if there are many.
    pub fn find(&self, name: &str) -> Result<&Arc<dyn Tool>, ToolError> {
        self.get(name).ok_or_else(|| {
            let declarations = self.declarations();
            let names: Vec<&str> = declarations.map(|it| it.name.as_str()).collect();
            let meant = nearest(name, names.iter().copied());
            let meant = meant.map_or_else(String::new, |it| format!(" Did you mean \"{it}\"?"));
            let listed = names[..names.len().min(MAX_LISTED)].join(", ");
            let more = match names.len().saturating_sub(MAX_LISTED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            ToolError::new(
                ErrorKind::UnknownTool,
                format!("Tool \"{name}\" not found.{meant} Available tools: {listed}{more}"),
            )
        })
    }

    /// Returns all tools, in a stable order.
    pub fn tools(&self) -> impl Iterator<Item = &dyn Tool> {
        self.tools.values().map(AsRef::as_ref)
    }

    /// Returns the declarations of all tools, in a stable order.
    pub fn declarations(&self) -> impl Iterator<Item = &Declaration> {
        self.tools().map(Tool::declaration)
    }
}

/// Returns the position of a tool: built-in names in their order, all others after them.
fn key(name: &str) -> (usize, String) {
    let position = tool_name::built_in()
        .position(|own| own == name)
        .unwrap_or(usize::MAX);
    (position, name.to_owned())
}
