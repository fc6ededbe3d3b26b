//! Where plan mode writes (TO-6).

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookloop_agent::{ApprovalMode, Audience, PlanFolder};
use hookloop_events::ToolArguments;

/// Makes the folder, where this session can have use for it: plan mode begins with the session, or
/// somebody is there to begin it.
pub(crate) fn prepare(
    folder: &Path,
    mode: ApprovalMode,
    audience: Audience,
    tell: impl Fn(&str),
) -> Option<PathBuf> {
    if mode != ApprovalMode::Plan && audience != Audience::Present {
        return None;
    }
    match fs::create_dir_all(folder) {
        Ok(()) => Some(folder.to_owned()),
        Err(error) => {
            let place = folder.display();
            tell(&format!(
                "the folder for plans, {place}, can't be made, so plan mode writes nothing: {error}"
            ));
            None
        }
    }
}

/// Tells which writes plan mode allows: those below the folder, wherever links lead.
pub(crate) fn writable(
    folder: Option<&Path>,
    files: &Arc<hookloop_tools::Workspace>,
) -> PlanFolder {
    let Some(folder) = folder.and_then(|it| it.canonicalize().ok()) else {
        return PlanFolder::default();
    };
    let files = Arc::clone(files);
    PlanFolder::new(move |arguments: &ToolArguments| {
        let path = arguments.get("file_path").and_then(|it| it.as_str());
        let place = path.and_then(|it| files.resolve(it).ok());
        place.is_some_and(|it| it != folder && it.starts_with(&folder))
    })
}
