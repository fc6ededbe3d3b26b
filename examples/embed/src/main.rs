//! A deploy bot that asks hooks before it runs a command: how to embed the engine in a host that
//! is no agent.
//!
//! ```text
//! hookloop-example-embed PROJECT HOME
//! ```
//!
//! It reads the settings of both folders, adds a rule of its own as an in-process hook, and goes
//! through two steps. What hooks let through is run: here that means a line in `deploy.log`.

mod deploy;
mod host;
mod screen;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs, io};

use hookloop_engine::events::{EndReason, SessionIdentity};

use crate::deploy::{Bot, Step};
use crate::host::load_hooks;
use crate::screen::show;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let [project, home] = arguments.as_slice() else {
        show("usage: hookloop-example-embed PROJECT HOME");
        return ExitCode::from(2);
    };
    match run(project, home).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            show(&format!("failed to deploy: {error}"));
            ExitCode::FAILURE
        }
    }
}

async fn run(project: &Path, home: &Path) -> io::Result<()> {
    // Hooks are given absolute paths only, without links in them.
    let project = fs::canonicalize(project)?;
    let hooks = load_hooks(&project, home);
    let session = hooks.session(SessionIdentity {
        session_id: uuid::Uuid::new_v4().to_string(),
        transcript_path: project.join("deploy.log"),
        cwd: project.clone(),
        agent: None,
    });
    let bot = Bot {
        session: &session,
        log: project.join("deploy.log"),
    };
    let deployed = bot
        .take_all(&[
            Step {
                command: "./migrate",
                target: "staging",
            },
            Step {
                command: "./deploy",
                target: "production",
            },
        ])
        .await;
    let reason = if deployed.is_ok() {
        EndReason::Exit
    } else {
        EndReason::Other
    };
    session.session_end(reason).await;
    deployed
}
