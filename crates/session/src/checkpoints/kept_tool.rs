//! Wraps tools that change files, and records what they change.

use std::path::PathBuf;
use std::sync::Arc;

use hookloop_events::McpContext;
use hookloop_shell::{Surroundings, matches, understand};
use hookloop_tools::{
    Access, Arguments, BoxFuture, Declaration, EditsFile, Output, Preview, RunContext, Tool,
    ToolError, Toolbox, Workspace,
};
use serde_json::Value;

use crate::checkpoints::Checkpoints;
use crate::checkpoints::watch::Watch;

/// Said about a command that continues after the end of its call.
const IN_BACKGROUND: &str = "it continued in the background, and what it changes isn't known";
/// Said of a tool of an MCP server.
const SERVER_TOOL: &str = "a tool of an MCP server ran, and what it changed isn't known";
/// Said of a tool that changes another file than its arguments name.
const ELSEWHERE: &str = "what it changed stays as it is";

/// Watches the tools that change something, including those that are added later. Everything else
/// about them stays as it is.
pub(crate) fn watch_tools(
    toolbox: Toolbox,
    checkpoints: &Checkpoints,
    files: &Arc<Workspace>,
) -> Toolbox {
    let (checkpoints, files) = (checkpoints.clone(), Arc::clone(files));
    toolbox.with_around(move |inner| match inner.declaration().access {
        Access::Edit | Access::Execute | Access::Mcp | Access::TrustedMcp => Arc::new(KeptTool {
            inner,
            checkpoints: checkpoints.clone(),
            files: Arc::clone(&files),
        }),
        // A sub-agent's calls are recorded one by one, and plans needn't be restored.
        Access::Read | Access::Web | Access::Delegate | Access::Plan => inner,
    })
}

struct KeptTool {
    inner: Arc<dyn Tool>,
    checkpoints: Checkpoints,
    files: Arc<Workspace>,
}

impl KeptTool {
    fn watch(&self, arguments: &Arguments) -> Watch {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str);
        let Declaration { name, access, .. } = self.declaration();
        let unseen = |remark| {
            let what = format!("`{name}`");
            Watch::begin(&self.checkpoints, Vec::new(), None, what).remarking(remark)
        };
        match (access, text("file_path")) {
            (Access::Execute, _) => {
                let command = text("command").unwrap_or_default();
                let folder = text("dir_path").unwrap_or(".");
                let paths = self.files_written(command, folder);
                let what = format!("`{}`", command.lines().next().unwrap_or_default());
                let root = Some(self.files.root());
                let watch = Watch::begin(&self.checkpoints, paths, root, what);
                if arguments.get("is_background") == Some(&Value::Bool(true)) {
                    return watch.remarking(IN_BACKGROUND);
                }
                watch
            }
            (Access::Mcp | Access::TrustedMcp, _) => unseen(SERVER_TOOL),
            (_, Some(path)) => {
                let place = self.files.resolve(path).into_iter().collect();
                Watch::begin(&self.checkpoints, place, None, format!("writing {path}"))
            }
            (_, None) => unseen(ELSEWHERE),
        }
    }

    /// Returns the files of the workspace that a command writes or deletes, as far as it is
    /// understood.
    fn files_written(&self, command: &str, folder: &str) -> Vec<PathBuf> {
        let folder = self.files.resolve(folder);
        let folder = folder.unwrap_or_else(|_| self.files.root().to_owned());
        let folder = folder.to_string_lossy();
        let understood = understand(
            command,
            Surroundings {
                folder: Some(&*folder),
                ..Surroundings::default()
            },
        );
        let mut places = Vec::new();
        for command in &understood.commands {
            for used in command.writes.iter().chain(&command.deletes) {
                for path in &used.paths {
                    if used.pattern {
                        places.extend(matching_files(path));
                    } else {
                        places.push(PathBuf::from(path));
                    }
                }
            }
        }
        // Changes outside the workspace are left to the user to undo.
        let inside = places
            .iter()
            .filter_map(|it| self.files.resolve(&it.to_string_lossy()).ok());
        inside.collect()
    }
}

/// Lists the files of one folder that match a pattern.
fn matching_files(pattern: &str) -> Vec<PathBuf> {
    let Some((folder, _)) = pattern.rsplit_once('/') else {
        return Vec::new();
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|it| it.path());
    paths
        .filter(|it| matches(pattern, &it.to_string_lossy()))
        .collect()
}

impl Tool for KeptTool {
    fn declaration(&self) -> &Declaration {
        self.inner.declaration()
    }

    fn mcp_context(&self) -> Option<&McpContext> {
        self.inner.mcp_context()
    }

    fn validate(&self, arguments: &Arguments) -> Result<(), ToolError> {
        self.inner.validate(arguments)
    }

    fn edits(&self) -> Option<&dyn EditsFile> {
        self.inner.edits()
    }

    fn needs_person(&self, arguments: &Arguments) -> bool {
        self.inner.needs_person(arguments)
    }

    fn preview(&self, arguments: &Arguments) -> Preview {
        self.inner.preview(arguments)
    }

    fn run<'a>(
        &'a self,
        arguments: Arc<Arguments>,
        context: RunContext<'a>,
    ) -> BoxFuture<'a, Output> {
        Box::pin(async move {
            // Compared after the call, even if its future is dropped.
            let watch = self.watch(&arguments);
            let output = self.inner.run(arguments, context).await;
            drop(watch);
            output
        })
    }
}
