//! Turns of real agents: builds the program and what proves it, and passes the arguments on
//! (BR-41).

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};

use crate::built::{self, Program};

const HOOKLOOP: Program = Program::Binary("hookloop");
const REAL_AGENTS: Program = Program::Binary("real-agents");

/// Builds both, with the features that the whole workspace has, and runs the proof.
pub(crate) fn run(root: &Path, target: &Path) -> io::Result<ExitStatus> {
    let built = built::build(root, &[HOOKLOOP, REAL_AGENTS])?;
    if !built.success() {
        return Ok(built);
    }
    let mut words: Vec<OsString> = env::args_os().skip(2).collect();
    let has = |option: &str| words.iter().any(|word| word == option);
    if !has("--program") && !has("--page") {
        words.extend(["--program".into(), HOOKLOOP.path(target).into()]);
    }
    Command::new(REAL_AGENTS.path(target)).args(words).status()
}
