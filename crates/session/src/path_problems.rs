//! What is wrong with a path that a variable names (ST-1).

use std::ffi::OsStr;
use std::path::Path;

use hookloop_hook::{Layer, Problem, ProblemCode, Source};
use hookloop_settings::nearest;

/// Reports a file of a layer that a variable names wrongly.
pub(crate) fn unreadable(layer: Layer, file: &Path, message: String, help: String) -> Problem {
    let source = Source {
        layer: Some(layer),
        ..Source::of_file(file)
    };
    Problem::new(ProblemCode::UnreadableFile, source, message, help)
}

/// Returns what is wrong with a path in a variable, if it contains something that only shells
/// expand.
pub(crate) fn unreplaced(named: &str) -> Option<&'static str> {
    named
        .contains(['~', '$'])
        .then_some("write the full path: nothing expands \"~\" and \"$\" in the variable")
}

/// Returns the JSON file with a similar name beside one that isn't there.
pub(crate) fn near_sibling(file: &Path) -> Option<String> {
    let name = file.file_name()?.to_str()?;
    let entries = std::fs::read_dir(file.parent()?).ok()?.flatten();
    let is_json = |it: &String| Path::new(it).extension() == Some(OsStr::new("json"));
    let names = entries.filter_map(|it| it.file_name().into_string().ok());
    let names: Vec<_> = names.filter(is_json).take(1000).collect();
    nearest(name, names.iter().map(String::as_str)).map(str::to_owned)
}
