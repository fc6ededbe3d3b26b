//! The contents of an archive that exists before a call: the names of everything in it are known
//! (TR-8).

use std::path::{Path, PathBuf};
use std::time::Duration;

use hookloop_process::{Question, ask_here};
use hookloop_shell::Command;

use crate::lazy_protected::LazyProtected;
use crate::protected::Touch;

/// The paths of the system's own program.
const PROGRAMS: [&str; 2] = ["/usr/bin/tar", "/bin/tar"];

/// The search path for programs that decompress.
const SEARCHED: &str = "/usr/bin:/bin";

/// The time limit for listing an archive.
const LIMIT: Duration = Duration::from_secs(5);

/// The maximum length of a list, in bytes.
const MAX_BYTES: usize = 4 << 20;

/// Options that change the names of extracted files.
const RENAMING: [&str; 9] = [
    "-P",
    "--absolute-names",
    "--transform",
    "--xform",
    "--strip-components",
    "--strip",
    "-T",
    "--files-from",
    "-I",
];

/// Returns whether extracting an archive certainly replaces no files that guards depend on: the
/// archive exists, contains only files and folders, and all their names are known.
pub(super) fn is_harmless(
    protected: &LazyProtected,
    command: &Command,
    folders: &[PathBuf],
) -> bool {
    if !["tar", "gtar"].contains(&command.program.as_str())
        || !command.known
        || !command.env.is_empty()
        || command.has_option(&RENAMING)
        || command
            .words_after_program()
            .iter()
            .any(|it| it.text.starts_with("--") && it.text != "--extract")
    {
        return false;
    }
    let (Some(archive), Some(at)) = (archive(command), command.folders.first()) else {
        return false;
    };
    let archive = Path::new(at).join(archive);
    if !archive.is_file() || command.folders.len() != 1 {
        return false;
    }
    let (Some(kinds), Some(names)) = (
        list_entries(&archive, "-tvf"),
        list_entries(&archive, "-tf"),
    ) else {
        return false;
    };
    // A link in the archive redirects the entries after it.
    let is_plain = kinds.lines().all(|it| it.starts_with(['-', 'd']));
    let touches = |name: &str| {
        let leaves = name.starts_with('/') || name.split('/').any(|it| it == "..");
        let mut paths = folders.iter().map(|it| it.join(name.trim_end_matches('/')));
        let is_folder = name.ends_with('/');
        let hits = |path: PathBuf| {
            !(is_folder && path.is_dir()) && protected.affected(Touch::Replace, &path).is_some()
        };
        leaves || name.contains('\\') || paths.any(hits)
    };
    is_plain && !names.lines().any(touches)
}

/// Returns the archive that the command names.
fn archive(command: &Command) -> Option<String> {
    let letters = command.words.get(1)?;
    let text = letters.text.trim_start_matches('-');
    let is_known = text.chars().all(|it| "xvfzjJpk".contains(it));
    // `tar xzf FILE`, `tar -xzf FILE -C FOLDER`
    let ends = text.ends_with('f') && text.matches('f').count() == 1;
    let rest = command.words.get(3..).unwrap_or_default();
    let is_alone = rest.is_empty() || rest.len() == 2 && rest[0].text == "-C";
    let file = command.words.get(2)?;
    (is_known && ends && is_alone && file.known && !file.pattern && file.text != "-")
        .then(|| file.text.clone())
        .filter(|it| !it.contains(':'))
}

fn list_entries(archive: &Path, letters: &str) -> Option<String> {
    let program = PROGRAMS.iter().map(Path::new).find(|it| it.is_file())?;
    let asked = ask_here(&Question {
        program,
        arguments: &[letters, archive.to_str()?],
        variables: &[("PATH".into(), SEARCHED.into())],
        folder: archive.parent()?,
        input: "",
        longest: LIMIT,
    });
    let reply = asked.ok()?;
    let is_whole = reply.status?.success() && reply.stdout.len() < MAX_BYTES;
    is_whole.then_some(reply.stdout)
}
