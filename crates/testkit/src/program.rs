//! Finding the programs of this workspace that tests start. A test never builds one: cargo did so
//! before the run, with the features that the tests have.

use std::env;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

/// Why a program of this workspace can't be started by a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unbuilt {
    /// There is no such program.
    Missing {
        /// Where it would be.
        program: PathBuf,
    },
    /// A file that it was built from changed after it was built.
    Stale {
        /// Where it is.
        program: PathBuf,
        /// The file that changed.
        changed: PathBuf,
    },
}

impl fmt::Display for Unbuilt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { program } => write!(formatter, "{} isn't built", program.display())?,
            Self::Stale { program, changed } => write!(
                formatter,
                "{} is older than {}",
                program.display(),
                changed.display()
            )?,
        }
        formatter.write_str(
            "; tests don't build what they start: run `cargo xtask test`, or a part of the tests \
             with `cargo nextest run --workspace -E FILTER`",
        )
    }
}

impl std::error::Error for Unbuilt {}

/// Returns the path of the `puppet`: a hook that behaves as its arguments say.
///
/// # Panics
///
/// It isn't built, or is older than its sources.
pub fn puppet() -> PathBuf {
    static PUPPET: OnceLock<PathBuf> = OnceLock::new();
    PUPPET.get_or_init(|| required_program("puppet")).clone()
}

/// Returns the path of the `mcp-puppet`: an MCP server that behaves as its arguments say.
///
/// # Panics
///
/// It isn't built, or is older than its sources.
pub fn mcp_puppet() -> PathBuf {
    static PUPPET: OnceLock<PathBuf> = OnceLock::new();
    PUPPET
        .get_or_init(|| required_program("mcp-puppet"))
        .clone()
}

fn required_program(name: &str) -> PathBuf {
    program(name).unwrap_or_else(|unbuilt| panic!("{unbuilt}"))
}

/// Returns the path of a program of this workspace that cargo built from the sources as they are.
///
/// Tests of the package that the program belongs to have it from cargo and need no search.
///
/// # Errors
///
/// It isn't built, or is older than one of the files that cargo lists as its sources.
pub fn program(name: &str) -> Result<PathBuf, Unbuilt> {
    check_fresh(
        profile_folder()
            .join(name)
            .with_extension(env::consts::EXE_EXTENSION),
    )
}

fn check_fresh(program: PathBuf) -> Result<PathBuf, Unbuilt> {
    let Ok(built) = modification_time(&program) else {
        return Err(Unbuilt::Missing { program });
    };
    // `cargo build` lists beside a program what it was built from. A program that cargo built with
    // the tests has no list, or that of an earlier build: files in it may be gone.
    let list = fs::read_to_string(program.with_extension("d")).unwrap_or_default();
    match sources(&list).find(|it| modification_time(it).is_ok_and(|changed| changed > built)) {
        Some(changed) => Err(Unbuilt::Stale { program, changed }),
        None => Ok(program),
    }
}

fn modification_time(path: &Path) -> std::io::Result<SystemTime> {
    fs::metadata(path)?.modified()
}

/// Returns the files in a list of dependencies: `program: source source`, with blanks in paths
/// escaped by a backslash.
fn sources(list: &str) -> impl Iterator<Item = PathBuf> {
    let line = list.lines().next().unwrap_or_default();
    let sources = line.split_once(": ").map_or("", |(_, sources)| sources);
    let escaped = sources.replace("\\ ", "\0");
    let paths: Vec<PathBuf> = escaped
        .split_whitespace()
        .map(|path| PathBuf::from(path.replace('\0', " ")))
        .collect();
    paths.into_iter()
}

/// Returns the folder that cargo puts programs in: that of the running test, without `deps`.
pub(crate) fn profile_folder() -> PathBuf {
    let test = env::current_exe().expect("a test has a path");
    test.ancestors()
        .skip(1)
        .find(|folder| !folder.ends_with("deps") && !folder.ends_with("examples"))
        .expect("a test is in a folder")
        .to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_program_is_found_until_one_of_its_sources_changes() {
        let folder = tempfile::tempdir().unwrap();
        let (program, source) = (folder.path().join("made"), folder.path().join("a b.rs"));
        let missing = Unbuilt::Missing {
            program: program.clone(),
        };
        assert_eq!(check_fresh(program.clone()), Err(missing));

        File::create(&source).unwrap();
        let made = File::create(&program).unwrap();
        assert_eq!(
            check_fresh(program.clone()),
            Ok(program.clone()),
            "without a list"
        );
        let listed = source.to_str().unwrap().replace(' ', "\\ ");
        let list = format!("{}: /gone.rs {listed}\n", program.display());
        fs::write(program.with_extension("d"), list).unwrap();
        let built = SystemTime::now() + Duration::from_secs(1);
        made.set_modified(built).unwrap();
        assert_eq!(check_fresh(program.clone()), Ok(program.clone()));

        let edited = File::options().append(true).open(&source).unwrap();
        edited.set_modified(built + Duration::from_secs(1)).unwrap();
        let stale = Unbuilt::Stale {
            program: program.clone(),
            changed: source,
        };
        assert_eq!(check_fresh(program), Err(stale));
    }
}
