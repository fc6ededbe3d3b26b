//! Settings files that are created from an example: their content may be read by anybody.

use hookloop_shell::{Command, Failing, PathUse};

use super::{Places, secret_names};

/// What happens to a file that a command fills with an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileFate {
    /// It is created, as far as is known.
    Made,
    /// An existing one may be lost.
    Replaced,
}

/// Returns what happens to a file that a command writes; nothing if something other than an example
/// is put into it.
pub(super) fn fate_of_file(
    command: &Command,
    path: &PathUse,
    previous: Option<&Command>,
    places: &Places,
) -> Option<FileFate> {
    let moves = command.program == "mv";
    let sources = if moves {
        &command.deletes
    } else {
        &command.reads
    };
    let copies = ["cp", "install", "cat", "copy", "Copy-Item", "cpi"];
    let copies = moves || copies.contains(&command.program.as_str());
    let of_example = |it: &PathUse| {
        let is_of_secret = secret_names::secret_kind(&path.written, false) == Some("secret");
        let shows = shows_form(&it.written) && is_of_secret;
        it.known && (shows || is_example(&it.written))
    };
    if !copies || !path.known || sources.is_empty() || !sources.iter().all(of_example) {
        return None;
    }
    let keeps = ["-n", "--no-clobber", "--update=none"];
    let keeps = keeps.iter().any(|it| command.has_flag(it)) || is_missing(&path.written, previous);
    let is_there = || {
        let look = places.repositories.as_ref();
        let there = |it: &String| look.is_some_and(|look| look.has_path("/", it));
        path.paths.iter().any(there)
    };
    // A moved file no longer exists for the next command.
    let is_replaced = moves || !keeps && is_there();
    Some(if is_replaced {
        FileFate::Replaced
    } else {
        FileFate::Made
    })
}

/// Returns whether the preceding command checks that there is no such file: `[ -f .env ] || cp …`.
fn is_missing(written: &str, previous: Option<&Command>) -> bool {
    previous.is_some_and(|it| {
        let asks = ["[", "[[", "test"].contains(&it.program.as_str());
        let has = |word: &str| it.words_after_program().iter().any(|it| it.text == word);
        let is_refused = has("!") != (it.failing == Failing::HasAlternative);
        asks && has(written) && (has("-f") || has("-e") || has("-s")) && is_refused
    })
}

/// Returns whether a name is that of an example of a file of settings: `.env.example`,
/// `env.sample`.
fn is_example(written: &str) -> bool {
    let lower = written.rsplit('/').next().unwrap_or("").to_lowercase();
    let mut words = lower.split(['.', '-', '_']);
    words.any(|it| it == "env" || it == "envrc") && shows_form(written)
}

/// Returns whether a name is that of a file which only shows the form of another one:
/// `secrets.example.yml`.
fn shows_form(written: &str) -> bool {
    let lower = written.rsplit('/').next().unwrap_or("").to_lowercase();
    let shows = ["example", "sample", "template", "dist", "defaults"];
    lower.split(['.', '-', '_']).any(|it| shows.contains(&it))
}
