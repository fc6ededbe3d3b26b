//! Turns of real agents: builds the program and what proves it, and hands the words on (BR-41).

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};

/// Builds both, with the features that the whole workspace has, and runs the proof.
pub(crate) fn run(root: &Path, target: &Path) -> io::Result<ExitStatus> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--locked", "--quiet", "--workspace"])
        .args(["--bin", "hookloop", "--bin", "real-agents"])
        .current_dir(root)
        .status()?;
    if !built.success() {
        return Ok(built);
    }
    let folder = target.join("debug");
    let mut words: Vec<OsString> = env::args_os().skip(2).collect();
    let has = |option: &str| words.iter().any(|word| word == option);
    if !has("--program") && !has("--page") {
        words.extend(["--program".into(), folder.join("hookloop").into()]);
    }
    Command::new(folder.join("real-agents"))
        .args(words)
        .status()
}
