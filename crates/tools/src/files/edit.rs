//! The common part of tools that change a file: the change is computed first, then shown or
//! written.

use std::path::PathBuf;
use std::sync::Arc;

use hookloop_events::McpContext;

use super::atomic;
use super::encoding::Encoding;
use super::unsaved::refuse_unsaved;
use crate::arguments::required_text;
use crate::filter::Rules;
use crate::{
    Arguments, BoxFuture, Declaration, EditsFile, FileChange, Opened, Output, Preview, RunContext,
    Subject, Tool, ToolError, Workspace, blocking, schema,
};

/// A tool that changes one file, `file_path` (`agent.md` §4).
pub(crate) struct EditTool {
    pub(super) declaration: Declaration,
    pub(super) workspace: Arc<Workspace>,
    /// Determines what the arguments change; touches nothing.
    pub(super) change: fn(&Workspace, &Arguments) -> Result<Change, ToolError>,
    /// The report of what was done.
    pub(super) wording: fn(&Change) -> Wording,
}

/// The texts about a change that was made.
pub(super) struct Wording {
    /// To the model.
    pub(super) for_model: String,
    /// To the user, before the file's name.
    pub(super) verb: &'static str,
}

impl Tool for EditTool {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn mcp_context(&self) -> Option<&McpContext> {
        None
    }

    fn validate(&self, arguments: &Arguments) -> Result<(), ToolError> {
        schema::check(&self.declaration.parameters, arguments)?;
        target(&self.workspace, arguments).map(drop)
    }

    fn edits(&self) -> Option<&dyn EditsFile> {
        Some(self)
    }

    fn needs_person(&self, _arguments: &Arguments) -> bool {
        false
    }

    fn preview(&self, arguments: &Arguments) -> Preview {
        preview(
            &self.workspace,
            arguments,
            (self.change)(&self.workspace, arguments),
        )
    }

    fn run<'a>(
        &'a self,
        arguments: Arc<Arguments>,
        context: RunContext<'a>,
    ) -> BoxFuture<'a, Output> {
        let workspace = Arc::clone(&self.workspace);
        let (change, wording) = (self.change, self.wording);
        Box::pin(async move {
            let opened = match target(&workspace, &arguments) {
                Ok(place) => workspace.editor().text(&place, &context.cancel).await,
                Err(_) => Opened::Nothing,
            };
            let work = move || {
                refuse_unsaved(&target(&workspace, &arguments)?, &opened)?;
                let change = change(&workspace, &arguments)?;
                change.make()?;
                let Wording { for_model, verb } = wording(&change);
                let name = workspace.relative(&change.place).display();
                let shown = format!("{verb} {name}");
                Ok(change.describe(for_model, &shown))
            };
            blocking::writing(context.cancel, work).await
        })
    }
}

impl EditsFile for EditTool {
    fn target(&self, arguments: &Arguments) -> Result<PathBuf, ToolError> {
        target(&self.workspace, arguments)
    }
}

/// A change of one file, determined but not yet made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    /// The file, absolute and without links.
    pub(crate) place: PathBuf,
    /// The text before; `None` when the file is created.
    pub(crate) old: Option<String>,
    /// The text after.
    pub(crate) new: String,
    /// How the text is in the file.
    pub(crate) encoding: Encoding,
    /// How many places in the file are changed.
    pub(crate) replacements: usize,
}

impl Change {
    /// Describes the change after it was made, with a line for the user that names it.
    pub(crate) fn describe(&self, for_model: String, shown: &str) -> Output {
        let change = FileChange::compute(&self.place, self.old.as_deref(), &self.new);
        let display = format!("{shown}\n{}", change.diff);
        Output::new(for_model, display).with_change(change)
    }

    /// Makes the change.
    pub(crate) fn make(&self) -> Result<(), ToolError> {
        atomic::write(&self.place, &self.encoding.encode(&self.new))
    }
}

/// Returns the file that an edit is about, which the agent may change (TO-1).
pub(crate) fn target(workspace: &Workspace, arguments: &Arguments) -> Result<PathBuf, ToolError> {
    let place = workspace.resolve(required_text(arguments, "file_path")?)?;
    workspace.refuse_ignored(&place, Rules::Editing)?;
    if place.is_dir() {
        return Err(ToolError::new(
            crate::ErrorKind::TargetIsDirectory,
            format!("{} is a directory, not a file", place.display()),
        ));
    }
    Ok(place)
}

/// Shows a change, or why there is none.
fn preview(
    workspace: &Workspace,
    arguments: &Arguments,
    change: Result<Change, ToolError>,
) -> Preview {
    match change {
        Ok(change) => {
            let name = workspace.relative(&change.place).display().to_string();
            let title = match change.old {
                Some(_) => format!("Confirm Edit: {name}"),
                None => format!("Confirm Write: {name}"),
            };
            let change_shown =
                FileChange::compute(&change.place, change.old.as_deref(), &change.new);
            Preview::new(
                title,
                Subject::Edit {
                    file_path: change.place,
                    diff: change_shown.diff.clone(),
                    change: Some(Box::new(change_shown)),
                },
            )
        }
        Err(problem) => {
            let path = required_text(arguments, "file_path").unwrap_or_default();
            Preview {
                title: format!("Confirm Edit: {path}"),
                subject: Subject::Edit {
                    file_path: workspace.root().join(path),
                    diff: String::new(),
                    change: None,
                },
                caution: None,
                problem: Some(problem),
            }
        }
    }
}
