//! Ctrl+X and `/editor`: opens the user's editor (TU-5).

use std::io::{self, Write as _};
use std::process::ExitStatus;

use hookloop_process::run_attached;
use hookloop_settings::bounded::read_text;
use hookloop_tui::{NoticeKind, Surface};

use crate::environment::Environment;
use crate::interactive::Conversation;

/// The message if no editor is known.
const NONE: &str = "Error: no editor is configured; set VISUAL or EDITOR, such as EDITOR=nano";

impl Conversation<'_> {
    /// Opens the user's editor with a draft, and puts what was written back into the input line.
    pub(super) async fn edit(&mut self, draft: &str) {
        let environment = self.place.environment;
        let Some(editor) = environment.editor() else {
            self.say(NoticeKind::Error, NONE.to_owned());
            self.ui.put_draft(draft.to_owned());
            return;
        };
        let writing = write_with(&editor, draft, environment);
        let Some(written) = self.ui.lend(writing).await else {
            // The session ends.
            return;
        };
        let text = match written {
            Ok((status, text)) if status.success() => text,
            Ok((status, _)) => {
                let text =
                    format!("Error: `{editor}` ended with {status}; the draft stays as it was");
                self.say(NoticeKind::Error, text);
                draft.to_owned()
            }
            Err(error) => {
                let text = format!("Error: `{editor}` can't be used: {error}");
                self.say(NoticeKind::Error, text);
                draft.to_owned()
            }
        };
        match self.ui.surface() {
            Surface::Painted => self.ui.put_draft(text),
            // Without a painted screen, there is no input line to put the text into.
            Surface::Lines if !text.trim().is_empty() => self.ui.submit(text),
            Surface::Lines => {}
        }
    }
}

/// Lets an editor change a text in a file that nobody else reads.
async fn write_with(
    editor: &str,
    draft: &str,
    environment: &Environment,
) -> io::Result<(ExitStatus, String)> {
    let mut file = tempfile::Builder::new()
        .prefix("hookloop-prompt-")
        .suffix(".md")
        .tempfile_in(&environment.scratch_dir)?;
    file.write_all(draft.as_bytes())?;
    file.flush()?;
    let (variables, folder) = (&environment.variables, &environment.current_dir);
    let status = run_attached(editor, file.path(), variables, folder).await?;
    // Editors often replace the file instead of changing it, so it is read by its path.
    let mut text = read_text(file.path())?;
    text.truncate(text.trim_end().len());
    Ok((status, text))
}
