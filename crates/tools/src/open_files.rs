//! Text that a person has open in an editor and may not have saved yet (TU-7).

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::BoxFuture;

/// The files that are open in an editor (TU-7).
pub trait OpenFiles: Send + Sync {
    /// Returns the text of a file as the editor has it.
    fn text<'a>(&'a self, place: &'a Path) -> BoxFuture<'a, Opened>;
}

/// The editor's version of a file (TU-7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opened {
    /// This text, saved or not.
    Text(String),
    /// The file isn't open; the version on disk counts.
    Nothing,
    /// Unknown, for this reason: there may be unsaved text.
    Unknown(String),
}

/// The files of the editor, if there is one.
#[derive(Clone, Default)]
pub(crate) struct Editor(pub(crate) Option<Arc<dyn OpenFiles>>);

impl fmt::Debug for Editor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_there = self.0.is_some();
        formatter.debug_tuple("Editor").field(&is_there).finish()
    }
}

impl Editor {
    /// Returns the editor's version of a file, unless the call is cancelled before.
    pub(crate) async fn text(&self, place: &Path, cancel: &CancellationToken) -> Opened {
        let Some(editor) = &self.0 else {
            return Opened::Nothing;
        };
        let answered = cancel.run_until_cancelled(editor.text(place)).await;
        answered.unwrap_or_else(|| Opened::Unknown("the call was cancelled".to_owned()))
    }
}
