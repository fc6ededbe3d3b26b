//! Tools that change files, with an eye on what they change.

use std::path::PathBuf;
use std::sync::Arc;

use hookloop_events::McpContext;
use hookloop_shell::{Surroundings, fits, understand};
use hookloop_tools::{
    Access, Arguments, BoxFuture, Declaration, EditsFile, Output, Preview, RunContext, Tool,
    ToolError, Toolbox, Workspace,
};
use serde_json::Value;

use crate::checkpoints::Checkpoints;
use crate::checkpoints::watch::Watch;

/// Puts an eye on the tools that change files. Everything else of them stays as it is.
pub(crate) fn keeping(
    mut toolbox: Toolbox,
    checkpoints: &Checkpoints,
    files: &Arc<Workspace>,
) -> Toolbox {
    for name in ["write_file", "replace", "run_shell_command"] {
        if let Some(inner) = toolbox.get(name).map(Arc::clone) {
            toolbox.insert(Arc::new(KeptTool {
                inner,
                checkpoints: checkpoints.clone(),
                files: Arc::clone(files),
            }));
        }
    }
    toolbox
}

struct KeptTool {
    inner: Arc<dyn Tool>,
    checkpoints: Checkpoints,
    files: Arc<Workspace>,
}

impl KeptTool {
    fn watch(&self, arguments: &Arguments) -> Watch {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str);
        if self.declaration().access == Access::Execute {
            let command = text("command").unwrap_or_default();
            let folder = text("dir_path").unwrap_or(".");
            let paths = self.written_by(command, folder);
            let what = format!("`{}`", command.lines().next().unwrap_or_default());
            let mut watch = Watch::begin(&self.checkpoints, paths, Some(self.files.root()), what);
            watch.outlives = arguments.get("is_background") == Some(&Value::Bool(true));
            return watch;
        }
        let path = text("file_path").unwrap_or_default();
        let place = self.files.resolve(path).into_iter().collect();
        Watch::begin(&self.checkpoints, place, None, format!("writing {path}"))
    }

    /// Returns the files of the workspace that a command writes or deletes, as far as it is
    /// understood.
    fn written_by(&self, command: &str, folder: &str) -> Vec<PathBuf> {
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
                        places.extend(meant_by(path));
                    } else {
                        places.push(PathBuf::from(path));
                    }
                }
            }
        }
        // What a command does outside of the workspace is the user's to take back.
        let inside = places
            .iter()
            .filter_map(|it| self.files.resolve(&it.to_string_lossy()).ok());
        inside.collect()
    }
}

/// Lists the files of one folder that a pattern means.
fn meant_by(pattern: &str) -> Vec<PathBuf> {
    let Some((folder, _)) = pattern.rsplit_once('/') else {
        return Vec::new();
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|it| it.path());
    paths
        .filter(|it| fits(pattern, &it.to_string_lossy()))
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

    fn run<'a>(&'a self, arguments: Arguments, context: RunContext<'a>) -> BoxFuture<'a, Output> {
        Box::pin(async move {
            // It goes after the call, also where that is dropped.
            let watch = self.watch(&arguments);
            let output = self.inner.run(arguments, context).await;
            drop(watch);
            output
        })
    }
}
