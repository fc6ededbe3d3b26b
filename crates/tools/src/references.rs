//! The files and folders that a prompt refers to with `@path`, for the model (TU-1).

mod gathering;
mod mentions;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::wording::append;
use crate::{Media, Workspace};
use gathering::Gathering;
use mentions::{Mention, mentions};

/// The content that a prompt refers to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct References {
    /// The files, in the order in which they were found.
    pub files: Vec<ReferredFile>,
    /// Images and documents that were sent with the prompt and aren't files.
    pub sent: Vec<Media>,
    /// What was included, such as `src/main.rs` or `docs (12 files)`.
    pub included: Vec<String>,
    /// What was left out, completely or in part, each with the reason.
    pub left_out: Vec<String>,
}

/// A file that a prompt refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferredFile {
    /// Its path in the workspace.
    pub name: String,
    /// Its absolute path.
    pub path: PathBuf,
    /// The text for the model.
    pub text: String,
    /// The image or document, if it is one (TO-1).
    pub media: Option<Media>,
}

impl References {
    /// Returns the content of the files, each after its name, or `None` if there are no files.
    pub fn content(&self) -> Option<String> {
        let mut content = String::new();
        for ReferredFile { name, text, .. } in &self.files {
            append(&mut content, format_args!("\n--- {name} ---\n{text}"));
            if !content.ends_with('\n') {
                content.push('\n');
            }
        }
        (!content.is_empty()).then(|| content + "--- End of the files ---")
    }

    /// Reads the files that a prompt refers to with `@path`. A space in a path is written `\ `.
    ///
    /// Only text files, images and PDF documents in the workspace count, unless an ignore file
    /// hides them. An `@` inside a word, as in an address, and one before a name that no file has
    /// stay text; of the latter, those that look like a path are listed in `left_out`. A cancelled
    /// call returns nothing.
    pub async fn read(workspace: Arc<Workspace>, prompt: &str, cancel: &CancellationToken) -> Self {
        let mentions = mentions(prompt);
        if mentions.is_empty() {
            return Self::default();
        }
        let stop = cancel.child_token();
        let seen_by_work = stop.clone();
        // Dropping the call also cancels the work.
        let _stop_work = stop.drop_guard();
        let work =
            tokio::task::spawn_blocking(move || gather(&workspace, &mentions, &seen_by_work));
        tokio::select! {
            biased;
            () = cancel.cancelled() => Self::default(),
            references = work => references.unwrap_or_else(|failure| Self {
                left_out: vec![format!("the files in the prompt couldn't be read: {failure}")],
                ..Self::default()
            }),
        }
    }
}

/// What exists at the path that a mention names.
enum Mentioned {
    Place(PathBuf),
    /// Nothing, or nothing that may be read, with the reason.
    Not(String),
    /// No file has this name, and it doesn't look like a path.
    Text,
}

fn gather(workspace: &Workspace, mentions: &[Mention], cancel: &CancellationToken) -> References {
    let mut gathering = Gathering::new(workspace, cancel);
    for mention in mentions {
        match find(workspace, mention) {
            Mentioned::Place(place) => gathering.add(&place),
            Mentioned::Not(why) => gathering.leave_out(why),
            Mentioned::Text => {}
        }
    }
    gathering.finish()
}

/// Finds the longest reading of a mention that is a file or folder.
fn find(workspace: &Workspace, mention: &Mention) -> Mentioned {
    let mut refusal = None;
    for path in &mention.readings {
        match workspace.resolve(path) {
            Ok(place) if place.exists() => return Mentioned::Place(place),
            Ok(_) => {}
            // Doesn't check whether such a file exists outside the workspace.
            Err(error) => {
                refusal.get_or_insert(error.message);
            }
        }
    }
    match (refusal, mention.readings.last()) {
        (Some(why), _) => Mentioned::Not(format!("{why}; it is left as text")),
        (None, Some(path)) if mention.looks_like_path() => {
            Mentioned::Not(format!("there is no file {path}; @{path} is left as text"))
        }
        _ => Mentioned::Text,
    }
}
