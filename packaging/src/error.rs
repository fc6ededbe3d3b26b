//! Why packages can't be made.

use std::io;
use std::path::{Path, PathBuf};

/// Why a package can't be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PackageError {
    #[error("{path}: {cause}")]
    File { path: PathBuf, cause: io::Error },
    #[error("there are no packages for \"{asked}\"; there are some for {known}")]
    Platform { asked: String, known: String },
    #[error("the program is for {found}, and so can't be in packages for {asked}")]
    OtherPlatform {
        asked: &'static str,
        found: &'static str,
    },
    #[error("{program} {arguments} ended with {status}: {said}")]
    Program {
        program: PathBuf,
        arguments: String,
        status: std::process::ExitStatus,
        said: String,
    },
    #[error("README.md has no section \"{heading}\" that begins with a block")]
    Readme { heading: String },
    #[error("{program} can't be packaged: it {complaint}")]
    Incomplete { program: PathBuf, complaint: String },
    #[error("the archive can't be written: {0}")]
    Archive(#[from] io::Error),
    #[error("the wheel can't be written: {0}")]
    Zip(#[from] zip::result::ZipError),
    #[error("cargo describes the workspace in a way that isn't understood: {0}")]
    Metadata(#[from] serde_json::Error),
}

impl PackageError {
    /// Returns what turns an error of the system into one that names the file.
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        |cause| Self::File { path, cause }
    }
}
