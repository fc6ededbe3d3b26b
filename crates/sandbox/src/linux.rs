//! The intermediate process on Linux, which confines itself and then becomes the program.

mod calls;
mod files;
mod mounts;
mod rights;

use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use crate::confinement::Confinement;
use crate::{COMPLAINT, NOT_CONFINED};

/// The exit code of a shell for a program that doesn't exist.
const NOT_FOUND: u8 = 127;

/// Confines this process, and replaces it by the program. Returns only on failure.
pub(crate) fn enter(words: impl IntoIterator<Item = OsString>) -> (String, u8) {
    let confined = Confinement::from_arguments(words).and_then(|(confinement, program)| {
        confine(&confinement)?;
        Ok(program)
    });
    let words = match confined {
        Ok(words) => words,
        Err(why) => return (format!("{COMPLAINT}{why}"), NOT_CONFINED),
    };
    let Some((program, arguments)) = words.split_first() else {
        return (format!("{COMPLAINT}there is nothing to run"), NOT_CONFINED);
    };
    let error = Command::new(program).args(arguments).exec();
    let code = match error.kind() {
        ErrorKind::NotFound => NOT_FOUND,
        _ => NOT_CONFINED,
    };
    (format!("{}: {error}", program.to_string_lossy()), code)
}

/// Permanently removes rights from this process. The order matters: mounting needs rights that the
/// second step removes, after the third step nothing can be mounted, and after the fourth nothing
/// can be undone from outside.
fn confine(confinement: &Confinement) -> Result<(), String> {
    mounts::make_read_only(confinement)?;
    rights::leave()?;
    files::restrict(confinement)?;
    calls::filter(confinement.network)
}
