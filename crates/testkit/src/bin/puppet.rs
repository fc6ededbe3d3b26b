//! A hook that misbehaves on request; see `hookloop_testkit::puppet_actions`.

use std::process::ExitCode;

#[cfg(not(unix))]
fn main() -> ExitCode {
    // Its tricks are those of Unix.
    ExitCode::from(98)
}

#[cfg(unix)]
fn main() -> ExitCode {
    let arguments = std::env::args_os().skip(1).collect();
    match hookloop_testkit::puppet_actions::perform(arguments) {
        Ok(code) => code,
        Err(error) => {
            // A broken pipe is part of the play; any other failure shows in the exit code.
            let _ = std::io::Write::write_fmt(
                &mut std::io::stderr(),
                format_args!("puppet: {error}\n"),
            );
            ExitCode::from(99)
        }
    }
}
