//! Used if this build doesn't support plugins: each use says so.

use std::path::Path;

use crate::missing_part::MissingPart;

/// Compiles nothing.
///
/// # Errors
/// This program was built without plugins.
pub fn compile_component(_component: &Path, _folder: &Path) -> Result<(), String> {
    let part = MissingPart::PLUGINS;
    Err(format!("{part}; {}", part.remedy()))
}

/// Leaves nothing behind: nothing was being compiled.
pub const fn leave_compiling(_program: &Path, _words: &[&str]) {}
