//! Glob patterns over paths of the workspace.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

use crate::ToolError;

/// Whether letters match in either case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    /// `A` doesn't match `a`.
    Sensitive,
    /// `A` matches `a`.
    Insensitive,
}

/// Compiles a glob pattern over paths relative to `folder`; `*` stays within one name, `**`
/// doesn't.
///
/// A pattern that begins with the folder's own path, or with `./`, means the same without it.
pub(crate) fn compile(pattern: &str, folder: &Path, case: Case) -> Result<GlobMatcher, ToolError> {
    let inside = match Path::new(pattern).strip_prefix(folder) {
        Ok(rest) if Path::new(pattern).is_absolute() => rest.to_string_lossy().into_owned(),
        _ => pattern.strip_prefix("./").unwrap_or(pattern).to_owned(),
    };
    GlobBuilder::new(&inside)
        .literal_separator(true)
        .case_insensitive(case == Case::Insensitive)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|error| ToolError::invalid(format!("invalid glob pattern \"{pattern}\": {error}")))
}
