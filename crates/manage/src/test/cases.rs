//! The tests of a folder.

use std::path::{Path, PathBuf};
use std::{fs, io};

use hookloop_events::EventName;

use crate::failure::{CommandFailure, FailureCode};
use crate::subject::event;

/// A test case: a folder with a payload and the expected result.
#[derive(Debug)]
pub(super) struct Case {
    /// The event, or why the folder's name isn't one.
    pub(super) event: Result<EventName, String>,
    /// The name of the folder for the event.
    pub(super) event_folder: String,
    /// Its name.
    pub(super) name: String,
    /// Its folder.
    pub(super) folder: PathBuf,
}

/// Finds the tests in a folder, sorted by event and name; none if the folder doesn't exist. Every
/// subfolder counts as a test, and fails if it isn't one, so that a typo doesn't skip a test.
pub(super) fn find(folder: &Path) -> Result<Vec<Case>, CommandFailure> {
    let unreadable = |error: io::Error| {
        let message = format!("{} can't be read: {error}", folder.display());
        CommandFailure::new(FailureCode::NoSource, message)
    };
    let mut cases = Vec::new();
    for event_folder in folders(folder).map_err(unreadable)? {
        for name in folders(&folder.join(&event_folder)).map_err(unreadable)? {
            cases.push(Case {
                event: parse_event_name(&event_folder),
                folder: folder.join(&event_folder).join(&name),
                event_folder: event_folder.clone(),
                name,
            });
        }
    }
    cases.sort_by_key(|case| {
        let order = case.event.as_ref().ok().map(|event| {
            let mut all = EventName::ALL.into_iter();
            all.position(|known| known == *event)
        });
        (
            order.flatten().unwrap_or(usize::MAX),
            case.event_folder.clone(),
            case.name.clone(),
        )
    });
    Ok(cases)
}

/// Parses a folder's name, which is an event's name, possibly written like `before_tool`.
fn parse_event_name(folder: &str) -> Result<EventName, String> {
    let joined = folder.replace(['_', '-'], "");
    let spelled = EventName::ALL
        .into_iter()
        .find(|event| folder != joined && event.as_str().eq_ignore_ascii_case(&joined));
    match spelled {
        Some(event) => Ok(event),
        None => event(folder).map_err(|failure| match failure.candidates.first() {
            Some(near) => format!("{}; did you mean \"{near}\"?", failure.message),
            None => failure.message,
        }),
    }
}

fn folders(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() && !name.starts_with('.') {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}
