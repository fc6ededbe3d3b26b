//! The common part of tools that change a file: the change is computed first, then shown or
//! written.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookloop_events::McpContext;

use super::atomic;
use super::encoding::Encoding;
use super::text::Text;
use super::unsaved::refuse_unsaved;
use crate::arguments::required_text;
use crate::filter::Rules;
use crate::{
    Arguments, BoxFuture, Declaration, EditsFile, ErrorKind, FileChange, Opened, Output, Preview,
    RunContext, Subject, Tool, ToolError, Workspace, blocking, schema,
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
    /// The content before.
    pub(crate) old: Before,
    /// The text after.
    pub(crate) new: String,
    /// The text after, as it is in the file.
    bytes: Vec<u8>,
    /// How many places in the file are changed.
    pub(crate) replacements: usize,
}

/// What a file contained before a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Before {
    /// The file is created.
    Nothing,
    /// A text.
    Text(Text),
    /// Something that isn't text, or too much, and why it can't be shown.
    Unreadable(String),
}

impl Before {
    /// Returns the text that a change is compared with; `None` if the file is created.
    fn text(&self) -> Option<&str> {
        match self {
            Self::Nothing => None,
            Self::Text(text) => Some(&text.content),
            Self::Unreadable(_) => Some("(the old content can't be shown as text)\n"),
        }
    }

    fn encoding(&self) -> Encoding {
        match self {
            Self::Text(text) => text.encoding,
            Self::Nothing | Self::Unreadable(_) => Encoding::default(),
        }
    }
}

impl Change {
    /// Determines a change, in the encoding of the file (TO-1).
    ///
    /// # Errors
    /// The encoding lacks a character of the new text.
    pub(crate) fn new(
        place: PathBuf,
        old: Before,
        new: String,
        replacements: usize,
    ) -> Result<Self, ToolError> {
        let bytes = encode(&place, old.encoding(), &new)?;
        Ok(Self {
            place,
            old,
            new,
            bytes,
            replacements,
        })
    }

    /// Describes the change after it was made, with a line for the user that names it.
    pub(crate) fn describe(&self, for_model: String, shown: &str) -> Output {
        let change = FileChange::compute(&self.place, self.old.text(), &self.new);
        let display = format!("{shown}\n{}", change.diff);
        Output::new(for_model, display).with_change(change)
    }

    /// Makes the change.
    pub(crate) fn make(&self) -> Result<(), ToolError> {
        atomic::write(&self.place, &self.bytes)
    }
}

/// Returns a text as it is in a file that keeps its encoding (TO-1).
///
/// # Errors
/// The encoding lacks a character of the text.
pub(crate) fn encode(place: &Path, encoding: Encoding, text: &str) -> Result<Vec<u8>, ToolError> {
    encoding.encode(text).map_err(|character| {
        let (place, name) = (place.display(), encoding.name());
        ToolError::new(
            ErrorKind::WriteFailed,
            format!(
                "{place} is encoded in {name}, which lacks the character \"{character}\" \
                 (U+{:04X}). Nothing was written. Do without it, or convert the file to UTF-8 \
                 first, if that is wanted: `iconv -f {name} -t UTF-8`.",
                u32::from(character)
            ),
        )
    })
}

/// Returns the file that an edit is about, which the agent may change (TO-1).
pub(crate) fn target(workspace: &Workspace, arguments: &Arguments) -> Result<PathBuf, ToolError> {
    let place = workspace.resolve(required_text(arguments, "file_path")?)?;
    workspace.refuse_ignored(&place, Rules::Editing)?;
    if place.is_dir() {
        return Err(ToolError::new(
            ErrorKind::TargetIsDirectory,
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
                Before::Nothing => format!("Confirm Write: {name}"),
                Before::Text(_) | Before::Unreadable(_) => format!("Confirm Edit: {name}"),
            };
            let change_shown = FileChange::compute(&change.place, change.old.text(), &change.new);
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
