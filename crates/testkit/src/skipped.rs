//! Tests that can't check anything here, reported and counted.

use std::fs;
use std::io::{self, Write as _};

use crate::program::profile_folder;

/// Reports that a test skips what it is for, and why: on standard error, and as a file in `skipped`
/// of the target folder, which `cargo xtask test` counts at its end.
pub fn skipped(what: &str, why: &str) {
    let _ = writeln!(io::stderr(), "SKIPPED: {what}: {why}");
    let folder = profile_folder().with_file_name("skipped");
    let name: String = what
        .chars()
        .map(|it| if it.is_alphanumeric() { it } else { '-' })
        .collect();
    // Where nothing can be written the line above has to do.
    let written = fs::create_dir_all(&folder);
    let _ = written.and_then(|()| fs::write(folder.join(name), format!("{what}: {why}\n")));
}
