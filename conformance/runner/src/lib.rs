//! Runs the conformance cases: each a folder of data that says what is configured, what is done and
//! what the result must be, run through the real program (`conformance/README.md`).

mod answers;
mod case;
mod expectation;
mod hook_script;
mod launch;
mod matching;
mod mistake;
mod play;
mod program;
mod world;

use std::fs;
use std::path::{Path, PathBuf};

pub use mistake::Verdict;

/// The time limit of a whole case, in seconds: a case that hangs fails.
const TIMEOUT_SECONDS: u64 = 30;

/// One case: its place and its name.
#[derive(Debug, Clone)]
pub struct CaseFolder {
    /// `<event>::<case>`.
    pub name: String,
    /// The folder that contains `case.json`.
    pub path: PathBuf,
}

/// Finds all cases, in the order of their names.
pub fn find() -> Vec<CaseFolder> {
    find_below(&root(), "case.json")
}

/// Finds the mistakes of the catalogue (CM-11), in the order of their names.
pub fn find_mistakes() -> Vec<CaseFolder> {
    find_below(&root().join("mistakes"), "mistake.json")
}

/// Makes a mistake, and returns what the program says about it; an error if it can't be made.
pub fn make_mistake(case: &CaseFolder) -> Result<Verdict, String> {
    mistake::make(&case.path)
}

/// Makes a mistake, and returns its title and what `hooks check` prints about it.
///
/// # Errors
///
/// The folder can't be read, or the program can't be run.
pub fn diagnose_mistake(case: &CaseFolder) -> Result<(String, String), String> {
    mistake::diagnosed(&case.path)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn find_below(root: &Path, file: &str) -> Vec<CaseFolder> {
    let mut cases: Vec<CaseFolder> = folders(root)
        .iter()
        .flat_map(|group| folders(group))
        .filter(|path| path.join(file).is_file())
        .map(|path| CaseFolder {
            name: name(&path),
            path,
        })
        .collect();
    cases.sort_by(|left, right| left.name.cmp(&right.name));
    cases
}

/// Runs a case; returns what isn't as it should be.
pub fn run(case: &CaseFolder) -> Result<(), String> {
    play::play(&case.path)
}

fn folders(parent: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect()
}

fn name(path: &Path) -> String {
    let last = |path: &Path| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default()
    };
    format!(
        "{}::{}",
        path.parent().map(last).unwrap_or_default(),
        last(path)
    )
}
