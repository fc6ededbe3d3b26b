//! Lets editors drive the agent: the Agent Client Protocol over standard input and output
//! (TU-7).
//!
//! An editor's requests arrive at the `EditorServer`, which runs one session for each that the
//! editor opened, in the folder that the editor named. A session reports events to its
//! `EditorStage`, which passes them on as updates and sends questions for the person. Standard
//! output carries only the protocol; everything else goes to standard error.

mod calls;
mod editor_server;
mod ledger;
mod modes;
mod open_files;
mod open_session;
mod permission;
mod prompt;
mod replay;
mod servers;
mod stage;
mod wire;

use std::process::ExitCode;

use hookloop_session::{Environment, Options, RunOptions, print_notice};
use tokio::task::LocalSet;

use crate::editor_server::{EditorServer, Leave};

/// The exit code of a connection that broke.
const FAILED: u8 = 1;

/// The exit code if a signal ended the program (AG-CLI-4).
const CANCELLED: u8 = 130;

/// Serves an editor until its input ends, and returns the exit code: 0 after a regular end, 130
/// after a signal, 1 if the connection broke.
pub fn run(options: &Options, run: &RunOptions, environment: &Environment) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            print_notice(&format!("error: the program can't start: {error}"));
            return ExitCode::from(FAILED);
        }
    };
    let options = options.rooted(&environment.current_dir);
    let editor_server = EditorServer::new(options, run.clone(), environment.clone());
    let local = LocalSet::new();
    let left = runtime.block_on(local.run_until(editor_server.serve()));
    // Reading standard input can't be cancelled; it ends with the program.
    runtime.shutdown_background();
    match left {
        Ok(Leave::InputEnded) => ExitCode::SUCCESS,
        Ok(Leave::Terminated) => ExitCode::from(CANCELLED),
        Err(error) => {
            print_notice(&format!(
                "error: the connection to the editor broke: {error}"
            ));
            ExitCode::from(FAILED)
        }
    }
}
