//! Reads the trust store's file, and reports what is wrong with it (TR-4, TR-9).

use std::path::Path;

use hookloop_hook::{Problem, ProblemCode, Source};

use crate::ownership::OwnerCheck;
use crate::store_file::StoreContent;

/// Reads a store; says what is wrong with a file that can't be read.
pub(crate) fn read(file: &Path) -> Result<StoreContent, Box<Problem>> {
    StoreContent::read(file).map_err(|reason| {
        let message = format!("the list of trusted hooks can't be read: {reason}");
        let help = "repair or remove the file".to_owned();
        problem_of(file, ProblemCode::TrustFileInvalid, message, help)
    })
}

/// Reads a store that nobody else could have written.
pub(crate) fn read_checked(file: &Path, owners: OwnerCheck) -> Result<StoreContent, Box<Problem>> {
    let is_there = file.symlink_metadata().is_ok();
    match owners.objection(file).filter(|_| is_there) {
        None => read(file),
        Some(insecure) => {
            let message = format!("the list of trusted hooks could be somebody else's: {insecure}");
            let help = insecure.remedy();
            Err(problem_of(file, ProblemCode::InsecureOwner, message, help))
        }
    }
}

pub(crate) fn problem_of(
    file: &Path,
    code: ProblemCode,
    message: String,
    help: String,
) -> Box<Problem> {
    Box::new(Problem::new(code, Source::of_file(file), message, help))
}

/// Adds to a problem's remedy what applies until it is followed.
pub(crate) fn until_then(problem: Problem, what: &str) -> Problem {
    Problem {
        help: format!("{}; until then {what}", problem.help),
        ..problem
    }
}
