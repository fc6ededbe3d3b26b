//! Collects the content of files, within limits.

use std::path::Path;

use tokio_util::sync::CancellationToken;

use super::{References, ReferredFile};
use crate::files::excerpt::{Excerpt, Lines};
use crate::files::text::{self, Readable};
use crate::filter::EntryKind;
use crate::filter::Rules;
use crate::media::MAX_MEDIA_BYTES;
use crate::walk::Walk;
use crate::wording::append;
use crate::{ErrorKind, Media, Workspace};

/// The maximum number of bytes of content that a prompt includes.
const MAX_BYTES: usize = 1024 * 1024;
/// The maximum number of files of a folder that are included.
const MAX_FILES: usize = 200;
/// The maximum number of files of a folder that are individually reported as left out.
const MAX_NAMED: usize = 5;

/// The content so far.
pub(super) struct Gathering<'a> {
    workspace: &'a Workspace,
    cancel: &'a CancellationToken,
    /// How many bytes of text there are.
    bytes: usize,
    references: References,
}

/// The kinds of content that are included.
#[derive(Clone, Copy)]
enum Kinds {
    /// Text, images and documents: somebody named the file.
    All,
    /// Text: somebody named a folder, and its images would be too many.
    Text,
}

/// What happened to a file.
enum Added {
    Wholly,
    /// It was cut, or is included already.
    Partly(String),
    Not(String),
}

impl<'a> Gathering<'a> {
    pub(super) fn new(workspace: &'a Workspace, cancel: &'a CancellationToken) -> Self {
        Self {
            workspace,
            cancel,
            bytes: 0,
            references: References::default(),
        }
    }

    pub(super) fn leave_out(&mut self, why: String) {
        self.references.left_out.push(why);
    }

    /// Adds a file, or the files of a folder.
    pub(super) fn add(&mut self, place: &Path) {
        let name = self.workspace.relative(place).display().to_string();
        if self
            .workspace
            .refuse_ignored(place, Rules::Reading)
            .is_err()
        {
            self.leave_out(format!("{name} is left out: an ignore file hides it"));
        } else if place.is_dir() {
            self.add_folder(place, &name);
        } else {
            match self.add_file(place, &name, Kinds::All) {
                Added::Wholly => self.references.included.push(name),
                Added::Partly(note) => {
                    self.references.included.push(name);
                    self.leave_out(note);
                }
                Added::Not(why) => self.leave_out(why),
            }
        }
    }

    fn add_folder(&mut self, folder: &Path, name: &str) {
        let mut walk = Walk::new(self.workspace, folder, self.cancel);
        let (mut included, mut notes) = (0_usize, Vec::new());
        // A cancelled walk ends with an error, and its results are dropped with the turn.
        while let Ok(Some(entry)) = walk.next_file() {
            if entry.kind != EntryKind::File {
                continue;
            }
            let file = self.workspace.relative(&entry.path).display().to_string();
            if included == MAX_FILES || self.bytes > MAX_BYTES {
                self.leave_out(format!(
                    "{name} has more files than there is room for: those from {file} onwards are \
                     left out"
                ));
                break;
            }
            match self.add_file(&entry.path, &file, Kinds::Text) {
                Added::Wholly => included += 1,
                Added::Partly(note) => {
                    included += 1;
                    notes.push(note);
                }
                Added::Not(why) => notes.push(why),
            }
        }
        let note = walk.note();
        notes.extend(note.lines().filter(|it| !it.is_empty()).map(str::to_owned));
        let unnamed = notes.len().saturating_sub(MAX_NAMED);
        notes.truncate(MAX_NAMED);
        self.references.left_out.extend(notes);
        if unnamed > 0 {
            self.leave_out(format!("{name}: {unnamed} more like these"));
        }
        match included {
            0 => self.leave_out(format!("{name}: no text file of the folder is included")),
            1 => self.references.included.push(format!("{name} (1 file)")),
            count => self
                .references
                .included
                .push(format!("{name} ({count} files)")),
        }
    }

    fn add_file(&mut self, place: &Path, name: &str, kinds: Kinds) -> Added {
        if self.references.files.iter().any(|it| it.path == place) {
            return Added::Wholly;
        }
        if self.bytes > MAX_BYTES {
            return Added::Not(format!("{name}: no room is left for it"));
        }
        let readable = match kinds {
            Kinds::All => text::read_for_model(place, name),
            Kinds::Text => text::read(place).map(Readable::Text),
        };
        let text = match readable {
            Ok(Readable::Text(text)) => text,
            Ok(Readable::Media(media)) => return self.add_media(place, media),
            Err(error) if error.kind == ErrorKind::NotText => {
                return Added::Not(format!("{name} isn't a text file"));
            }
            Err(error) => return Added::Not(error.message),
        };
        let excerpt = Excerpt::take(&text.content, Lines::default());
        let mut shown = excerpt.text.clone();
        if excerpt.is_whole() {
            self.push(place, name, shown, None);
            return Added::Wholly;
        }
        let cut = format!(
            "{name} is cut off: {} of {} lines, long lines shortened",
            excerpt.shown, excerpt.total
        );
        if !shown.ends_with('\n') {
            shown.push('\n');
        }
        append(
            &mut shown,
            format_args!("[{cut}; read_file shows the rest]\n"),
        );
        self.push(place, name, shown, None);
        Added::Partly(cut)
    }

    /// Adds an image or a document.
    fn add_media(&mut self, place: &Path, media: Media) -> Added {
        let files = self.references.files.iter();
        let so_far: usize = files
            .filter_map(|it| Some(it.media.as_ref()?.data.len()))
            .sum();
        if so_far + media.data.len() > MAX_MEDIA_BYTES {
            return Added::Not(format!("{}: no room is left for it", media.name));
        }
        let text = format!("[attached: {}]\n", media.describe());
        let name = media.name.clone();
        self.push(place, &name, text, Some(media));
        Added::Wholly
    }

    fn push(&mut self, place: &Path, name: &str, text: String, media: Option<Media>) {
        self.bytes += text.len();
        self.references.files.push(ReferredFile {
            name: name.to_owned(),
            path: place.to_owned(),
            text,
            media,
        });
    }

    pub(super) fn finish(self) -> References {
        self.references
    }
}
